/** Who may create an account: by the mode of the server, and by the link with which somebody came. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAccountInvitation } from "../../../static/js/app/route.js";
import {
  inviteOf,
  isInvited,
  mayRegister,
  needsInvitation,
  waitsForApproval,
} from "../../../static/js/sign_in/registration.js";

/** @typedef {import("../../../static/js/sign_in/registration.js").Came} Came */
/** @typedef {import("../../../static/js/sign_in/registration.js").RegistrationMode} Mode */

const MODES = /** @type {Mode[]} */ (["open", "closed", "domain", "approval", "invite"]);
const ofGroup = (guest = false) =>
  /** @type {Came} */ ({ group: { kind: "valid", invited: { guest } }, account: null });

/** @type {Came} */
const ALONE = { group: null, account: null };
/** @type {Came} */
const INVITED = { group: null, account: { kind: "valid" } };
const MEMBER = ofGroup();
const GUEST = ofGroup(true);

/** The modes in which somebody may create an account. */
const openTo = (/** @type {Came} */ came) =>
  MODES.filter((registration) => mayRegister({ registration }, came));

test("a mode and a link decide who may create an account", () => {
  assert.deepEqual(openTo(ALONE), ["open", "domain", "approval"]);
  assert.deepEqual(openTo(MEMBER), ["open", "domain", "approval", "invite"]);
  assert.deepEqual(openTo(GUEST), MODES);
  assert.deepEqual(openTo(INVITED), MODES);
  for (const came of [ALONE, MEMBER, GUEST, INVITED])
    assert.equal(mayRegister({ registration: "open", password: "operators" }, came), false);
});

test("a dead link or an unknown one invites nobody", () => {
  for (const came of /** @type {Came[]} */ ([
    { group: { kind: "dead" }, account: null },
    { group: { kind: "unknown", why: "no answer" }, account: null },
    { group: null, account: { kind: "dead", status: 410 } },
    { group: null, account: { kind: "unknown", why: "no answer" } },
  ])) {
    assert.deepEqual(openTo(came), openTo(ALONE));
    assert.equal(isInvited(came), false);
    assert.equal(needsInvitation({ registration: "invite" }, came), true);
  }
});

test("an invitation is missing only in the mode for invited people", () => {
  const missing = (/** @type {Came} */ came) =>
    MODES.filter((registration) => needsInvitation({ registration }, came));
  assert.deepEqual(missing(ALONE), ["invite"]);
  for (const came of [MEMBER, GUEST, INVITED]) assert.deepEqual(missing(came), []);
  assert.equal(needsInvitation({ registration: "invite", password: "off" }, ALONE), false);
});

test("operators approve nobody whom they invited, and no guest", () => {
  const waits = (/** @type {Came} */ came) =>
    MODES.filter((registration) => waitsForApproval({ registration }, came));
  for (const came of [ALONE, MEMBER]) assert.deepEqual(waits(came), ["approval"]);
  for (const came of [GUEST, INVITED]) assert.deepEqual(waits(came), []);
});

test("a registration names the link that makes its account", () => {
  const group = { invitation: { groupId: "7", token: "abc", from: "" }, accountInvitation: null };
  const account = { invitation: null, accountInvitation: "xyz" };
  const none = { invitation: null, accountInvitation: null };
  for (const mode of MODES) {
    assert.equal(inviteOf(mode, INVITED, account), "/invite/xyz");
    assert.equal(inviteOf(mode, GUEST, group), "/join_group/7/abc");
    assert.equal(inviteOf(mode, MEMBER, group), mode === "invite" ? "/join_group/7/abc" : "");
    assert.equal(inviteOf(mode, ALONE, none), "");
  }
  assert.equal(inviteOf(null, INVITED, account), "/invite/xyz", "also before the server says its mode");
});

test("an operators' invitation has an address", () => {
  for (const path of ["/invite/a-B_9", "/invite/a-B_9/", "/invite/a-B_9?from=mail"])
    assert.equal(parseAccountInvitation(path), "a-B_9", path);
  for (const path of ["/", "/invite", "/invite/", "/invite/a/b", "/join_group/1/abc", "/invites/a"])
    assert.equal(parseAccountInvitation(path), null, path);
});
