/** Finding by a few letters. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ranked } from "../../../static/js/search/finding.js";

const among = (/** @type {string[]} */ names, /** @type {string} */ wanted) =>
  ranked(names, wanted, (name) => name);

test("a name that begins so comes before one that has it further on", () => {
  const names = ["Handball", "The band", "Bandits", "band", "Chess"];
  assert.deepEqual(among(names, "BAND"), ["band", "Bandits", "The band"]);
  assert.deepEqual(among(["Husband", "Band"], "band"), ["Band", "Husband"]);
});

test("matching ignores accents, case and invisible characters", () => {
  assert.deepEqual(among(["Message \u2068יוסי\u2069 now"], "message יוסי n"), [
    "Message \u2068יוסי\u2069 now",
  ]);
  assert.deepEqual(among(["Crème brûlée"], "creme BRU"), ["Crème brûlée"]);
  assert.deepEqual(among(["b", "a"], "  "), ["b", "a"]);
});
