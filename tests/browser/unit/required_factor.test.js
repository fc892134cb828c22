/** A second factor that the server asks for: what the client notes of it, and says. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRoute } from "../../../static/js/app/route.js";
import { withDeadline } from "../../../static/js/security/factor_calls.js";
import { requiredWords } from "../../../static/js/security/required_factor.js";
import { ApiError, createApi } from "../../../static/js/sync/api.js";

/** A client whose calls are refused for lack of a second factor; `missed` counts how often it was noticed. */
function refused({ status = 403, needs = "second_factor" } = {}) {
  const meta = { code: status, errors: ["this server requires a second factor"], details: { needs } };
  const counts = { missed: 0 };
  const api = createApi({
    token: () => "t",
    fetch: async () => new Response(JSON.stringify({ response: null, meta }), { status }),
    onFactorMissing: () => {
      counts.missed += 1;
    },
  });
  return { api, counts };
}

test("a refusal for the second factor is noticed and explained", async () => {
  const { api, counts } = refused();
  for (const call of [api.sync, api.me]) {
    await assert.rejects(
      call(),
      (error) =>
        error instanceof ApiError && error.needs === "second_factor" && /Set one up/.test(error.message),
    );
  }
  assert.equal(counts.missed, 2);
});

test("a refusal of the pages for operators keeps the client open", async () => {
  const { api, counts } = refused();
  await assert.rejects(api.rest.get("/v3/admin/version"));
  assert.equal(counts.missed, 0);
});

test("other refusals and other tokens do not count", async () => {
  const other = refused({ needs: "approval" });
  await assert.rejects(other.api.me());
  const { api, counts } = refused();
  await assert.rejects(api.revoke("another token"));
  await assert.rejects(api.rest.call("GET", "/v3/users/me", { as: null }));
  assert.deepEqual([other.counts.missed, counts.missed], [0, 0]);
});

test("the deadline of an account comes and goes", () => {
  const ana = { id: "1", name: "Ana" };
  assert.equal(withDeadline(ana, null), ana);
  const late = withDeadline(ana, 90);
  assert.deepEqual(late, { ...ana, second_factor: { until: 90 } });
  assert.equal(withDeadline(late, 90), late);
  assert.deepEqual(withDeadline(late, 95).second_factor, { until: 95 });
  assert.deepEqual(withDeadline(late, null), ana);
});

test("the words name the day until it has passed", () => {
  const noon = new Date(2026, 4, 20, 12).getTime() / 1000;
  assert.match(requiredWords(noon + 14 * 86_400, noon), /Set it up by .*\b3\b/);
  assert.match(requiredWords(noon, noon), /Set it up now\.$/);
});

test("the section of the second factor has an address", () => {
  assert.deepEqual(parseRoute("#/account/factors"), { name: "account", part: "you", section: "factors" });
  assert.deepEqual(parseRoute("#/account"), { name: "account", part: "you" });
});
