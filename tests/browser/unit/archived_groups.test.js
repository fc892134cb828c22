/** Archived and frozen groups: where they are listed, and what may be done in them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { archivedHref, parseRoute } from "../../../static/js/app/route.js";
import { kept } from "../../../static/js/device/device_copy.js";
import { may } from "../../../static/js/groups/permissions.js";
import { foundHere } from "../../../static/js/search/local_search.js";
import {
  applyEvent,
  archivedGroups,
  findable,
  fromSync,
  isApart,
  listed,
} from "../../../static/js/sync/store.js";
import { rowsOf } from "../../../static/js/timeline/timeline_rows.js";

/** @typedef {import("../../../static/js/sync/types.js").Group} Group */
/** @typedef {import("../../../static/js/groups/permissions.js").Act} Act */

const [OWNER, ADMIN, MEMBER] = ["10", "11", "12"];
const FROZEN = { at: 1_700_000_000, reason: "spam" };

const group = (/** @type {string} */ id, /** @type {Partial<Group>} */ facts = {}) => ({
  id,
  name: `Group ${id}`,
  creator_user_id: OWNER,
  created_at: 1_600_000_000 + Number(id),
  type: /** @type {const} */ ("private"),
  members: [
    { user_id: OWNER, nickname: "Ana", roles: ["admin", "owner"] },
    { user_id: ADMIN, nickname: "Ben", roles: ["admin"] },
    { user_id: MEMBER, nickname: "Cleo", roles: ["user"] },
  ],
  ...facts,
});

const message = (/** @type {string} */ text, user = ADMIN) => ({
  id: "170000000000000001",
  source_guid: text,
  created_at: 1_700_000_000,
  user_id: user,
  name: "Ben",
  text,
  favorited_by: [],
  attachments: [],
});

const synced = (/** @type {Group} */ one, /** @type {any[]} */ messages = []) => ({
  group: one,
  messages,
  n: 5,
  read_n: 4,
  unread: 1,
});

const start = (/** @type {any[]} */ ...groups) =>
  fromSync({ c: "c", user: { id: MEMBER, name: "Cleo" }, groups });
const convs = (/** @type {readonly { conv: string }[]} */ all) => all.map(({ conv }) => conv);

const update = (/** @type {number} */ n, /** @type {Group} */ data) => ({
  c: `c${n}`,
  conv: `g:${data.id}`,
  n,
  type: "group.update",
  data,
});

test("archived groups have an address", () => {
  assert.deepEqual(parseRoute(archivedHref), { name: "archived" });
});

test("an archived group leaves the list and comes back to it", () => {
  const before = start(synced(group("1")), synced(group("2")));
  const archived = applyEvent(before, update(6, group("1", { archived_at: 1_700_000_000 })));
  assert.deepEqual([convs(listed(archived)), convs(archivedGroups(archived))], [["g:2"], ["g:1"]]);
  assert.deepEqual(convs(findable(archived)), ["g:2", "g:1"]);
  assert.equal(isApart(archived.conversations["g:1"]), true);
  const back = applyEvent(archived, update(7, group("1", { archived_at: null })));
  assert.deepEqual([convs(listed(back)), archivedGroups(back)], [["g:2", "g:1"], []]);
  assert.equal(isApart(back.conversations["g:1"]), false);
});

test("a frozen group stays in the list", () => {
  const frozen = start(synced(group("1", { frozen: FROZEN })));
  assert.deepEqual([convs(listed(frozen)), archivedGroups(frozen)], [["g:1"], []]);
});

test("messages of an archived group are found and kept on the device", () => {
  const archived = start(synced(group("1", { archived_at: 5 }), [message("rope at six")]));
  assert.deepEqual(
    foundHere(archived, "rope").map(({ text }) => text),
    ["rope at six"],
  );
  assert.deepEqual(convs(kept(archived)), ["g:1"]);
});

/** All that a member may do in a group, of the acts that one of these groups leaves. */
const left = (/** @type {Partial<Group>} */ facts, /** @type {string} */ id) =>
  /** @type {Act[]} */ ([
    "read",
    "react",
    "report",
    "rename",
    "leave",
    "post",
    "pin",
    "change_group",
    "add_members",
    "copy",
    "list_members",
    "read_history",
    "read_audit",
    "delete_messages",
    "remove_members",
    "remove_admins",
    "ban",
    "time_out",
    "decide_reports",
    "decide_requests",
    "change_roles",
    "step_down",
    "hand_over",
    "archive",
    "disband",
  ])
    .filter((act) => may(group("1", facts), id, act))
    .join(" ");

test("an archived group is read and copied, and its owner hands it over or disbands it", () => {
  const archived = { archived_at: 5 };
  assert.equal(left(archived, MEMBER), "read report leave");
  assert.equal(left(archived, ADMIN), "read report leave copy list_members read_history read_audit");
  assert.equal(
    left(archived, OWNER),
    "read report copy list_members read_history read_audit hand_over archive disband",
  );
});

test("a frozen group is read and moderated, and not copied", () => {
  const frozen = { frozen: FROZEN };
  const moderates = "delete_messages remove_members";
  assert.equal(left(frozen, MEMBER), "read report leave");
  assert.equal(
    left(frozen, ADMIN),
    `read report leave list_members read_history read_audit ${moderates} ban time_out decide_reports`,
  );
  assert.equal(
    left(frozen, OWNER),
    `read report list_members read_history read_audit ${moderates} remove_admins ban time_out decide_reports`,
  );
});

test("a group that is archived and frozen leaves what both leave", () => {
  const both = { archived_at: 5, frozen: FROZEN };
  assert.equal(left(both, OWNER), "read report list_members read_history read_audit");
});

test("the owner archives a group that is not frozen", () => {
  assert.equal(may(group("1"), OWNER, "archive"), true);
  assert.equal(may(group("1", { archived_at: 5 }), OWNER, "archive"), true);
  assert.equal(may(group("1", { frozen: FROZEN }), OWNER, "archive"), false);
  assert.equal(may(group("1"), ADMIN, "archive"), false);
});

test("a message of an archived group can be copied, saved, reported and marked as unread only", () => {
  const row = (/** @type {Partial<Group>} */ facts, /** @type {string} */ me) =>
    /** @type {any} */ (
      rowsOf(
        start(synced(group("1", facts), [message("rope", MEMBER)])).conversations["g:1"],
        me,
        1_700_000_000,
      ).find(({ kind }) => kind === "line")
    );
  const offers = (/** @type {Partial<Group>} */ facts, /** @type {string} */ me) =>
    Object.entries(row(facts, me))
      .filter(([name, value]) => name.startsWith("may") && value === true)
      .map(([name]) => name)
      .join(" ");
  const quiet = "maySelect mayMark maySave mayCopy mayForward";
  assert.equal(offers({ archived_at: 5 }, MEMBER), quiet);
  assert.equal(offers({ archived_at: 5 }, OWNER), `${quiet} mayReport`);
  assert.equal(offers({ frozen: FROZEN }, MEMBER), quiet);
  assert.equal(offers({ frozen: FROZEN }, ADMIN), `mayDelete ${quiet} mayReport`);
});
