/** The addresses of the pages for operators, and their calls. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { adminCalls } from "../../../static/js/admin/admin_calls.js";
import {
  adminGroupHref,
  adminPartHref,
  adminPersonHref,
  parseAdminRoute,
} from "../../../static/js/admin/admin_route.js";
import { hashOf, parseRoute } from "../../../static/js/app/route.js";

test("pages for operators have addresses", () => {
  for (const part of /** @type {const} */ ([
    "overview",
    "people",
    "requests",
    "invitations",
    "groups",
    "reports",
    "rules",
    "mail",
    "audit",
    "directory",
    "settings",
  ]))
    assert.deepEqual(parseRoute(adminPartHref(part)), { name: "admin", part, id: null });
  assert.deepEqual(parseRoute(adminPersonHref("42")), { name: "admin", part: "people", id: "42" });
  assert.deepEqual(parseRoute(adminGroupHref("42")), { name: "admin", part: "groups", id: "42" });
  assert.deepEqual(parseRoute(hashOf("/admin")), { name: "admin", part: "overview", id: null });
  assert.deepEqual(parseRoute(hashOf("/setup")), { name: "setup" });
  for (const other of ["#/admin/audit/42", "#/admin/requests/42", "#/admin/nothing", "#/administration"])
    assert.equal(parseAdminRoute(other), null, other);
});

test("calls of operators name the reason and leave out what is empty", async () => {
  /** @type {unknown[]} */
  const sent = [];
  const rest = /** @type {any} */ ({
    call: async (/** @type {unknown[]} */ ...parts) => sent.push(parts),
    get: async (/** @type {string} */ path) => sent.push(path),
    post: async (/** @type {string} */ path, /** @type {object} */ body) => sent.push([path, body]),
    put: async (/** @type {string} */ path, /** @type {object} */ body) => sent.push([path, body]),
    remove: async (/** @type {string} */ path) => sent.push(path),
  });
  const calls = adminCalls(rest);
  await calls.users("", null);
  await calls.users("ana & ben", "7");
  await calls.act("42", "disable", "left");
  await calls.setRole("42", null, "left");
  await calls.group("5");
  await calls.actOnGroup("5", "freeze", "spam");
  await calls.destroyGroup("5", "spam");
  await calls.requests(null);
  await calls.requests("42");
  await calls.decideRequest("42", "refuse", "unknown");
  await calls.invites();
  await calls.makeInvite({ max_uses: 5, expires_in: null, reason: "a course" });
  await calls.endInvite("8", "over");
  await calls.mails("", null);
  await calls.mails("dead", "7.8");
  await calls.retryMail("8", "it works again");
  await calls.testMail("", "");
  await calls.testMail("ana@example.org", "new provider");
  await calls.makeScimToken("Okta", "accounts");
  await calls.endScimToken("7");
  await calls.reports("open", "7");
  await calls.report("7");
  await calls.resolveReport("7", "delete", "agreed");
  await calls.rules();
  await calls.saveRule(undefined, { name: "No ads", reason: "agreed" });
  await calls.saveRule("9", { name: "No ads", reason: "agreed" });
  await calls.deleteRule("9", "agreed");
  await calls.directoryGroups();
  await calls.mapGroup("3", "auditor", "agreed");
  assert.deepEqual(sent, [
    "/v3/admin/users",
    "/v3/admin/users?q=ana+%26+ben&before=7",
    ["/v3/admin/users/42/disable", { reason: "left" }],
    ["/v3/admin/users/42/role", { role: null, reason: "left" }],
    "/v3/admin/groups/5",
    ["/v3/admin/groups/5/freeze", { reason: "spam" }],
    ["DELETE", "/v3/admin/groups/5", { body: { reason: "spam" } }],
    "/v3/admin/requests",
    "/v3/admin/requests?after=42",
    ["/v3/admin/requests/42", { action: "refuse", reason: "unknown" }],
    "/v3/admin/invites",
    ["/v3/admin/invites", { max_uses: 5, expires_in: null, reason: "a course" }],
    ["DELETE", "/v3/admin/invites/8", { body: { reason: "over" } }],
    "/v3/admin/mail",
    "/v3/admin/mail?state=dead&before=7.8",
    ["/v3/admin/mail/8/retry", { reason: "it works again" }],
    ["/v3/admin/mail/test", {}],
    ["/v3/admin/mail/test", { to: "ana@example.org", reason: "new provider" }],
    ["/v3/admin/scim_tokens", { name: "Okta", reason: "accounts" }],
    "/v3/admin/scim_tokens/7",
    "/v3/admin/reports?state=open&before=7",
    "/v3/admin/reports/7",
    ["/v3/admin/reports/7/resolve", { action: "delete", reason: "agreed" }],
    "/v3/admin/rules",
    ["/v3/admin/rules", { name: "No ads", reason: "agreed" }],
    ["/v3/admin/rules/9", { name: "No ads", reason: "agreed" }],
    ["DELETE", "/v3/admin/rules/9", { body: { reason: "agreed" } }],
    "/v3/admin/directory_groups",
    ["/v3/admin/directory_groups/3", { role: "auditor", reason: "agreed" }],
  ]);
});
