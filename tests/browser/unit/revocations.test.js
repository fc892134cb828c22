/** Tokens that the server still has to revoke. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRevocations } from "../../../static/js/sign_in/revocations.js";
import { ApiError } from "../../../static/js/sync/api.js";

function shelf() {
  /** @type {Map<string, string>} */
  const all = new Map();
  return {
    getItem: (/** @type {string} */ key) => all.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void all.set(key, value),
    removeItem: (/** @type {string} */ key) => void all.delete(key),
    size: () => all.size,
  };
}

/** Revocations over a server that answers with these statuses in turn; 200 after that. */
function over(/** @type {number[]} */ statuses, storage = shelf()) {
  /** @type {string[]} */
  const asked = [];
  /** @type {(() => void)[]} */
  const planned = [];
  const revoke = async (/** @type {string} */ token) => {
    asked.push(token);
    const status = statuses.shift() ?? 200;
    if (status !== 200) throw new ApiError(status, []);
  };
  const revocations = createRevocations({
    revoke,
    storage: () => storage,
    later: (run) => void planned.push(run),
  });
  return { revocations, asked, planned, storage };
}

test("a failed revocation is repeated until the server answers", async () => {
  const { revocations, asked, planned, storage } = over([0, 503]);
  await revocations.add("one");
  assert.equal(storage.size(), 1);
  planned.shift()?.();
  await revocations.resume();
  await revocations.resume();
  assert.deepEqual(asked, ["one", "one", "one"]);
  assert.equal(storage.size(), 0);
});

test("a later visit revokes the token of an earlier one", async () => {
  const storage = shelf();
  await over([0], storage).revocations.add("one");
  const later = over([], storage);
  await later.revocations.resume();
  assert.deepEqual(later.asked, ["one"]);
  assert.equal(storage.size(), 0);
});

test("a token that the server does not know is forgotten", async () => {
  const { revocations, storage, planned } = over([401]);
  await revocations.add("one");
  assert.equal(storage.size(), 0);
  assert.equal(planned.length, 0);
});

test("refused storage keeps the token while the page lives", async () => {
  const storage = shelf();
  storage.getItem = storage.setItem = () => {
    throw new Error("refused");
  };
  const { revocations, asked } = over([0], storage);
  await revocations.add("one");
  await revocations.resume();
  assert.deepEqual(asked, ["one", "one"]);
});
