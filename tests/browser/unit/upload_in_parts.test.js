/**
 * Large files over bad lines: each byte goes once more at most, and nothing is lost.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { uploadInParts } from "../../../static/js/files/upload_in_parts.js";
import { ApiError } from "../../../static/js/sync/api.js";

const FILE = new Blob(["0123456789"]);

/** A server that keeps what comes; each line is cut after so many bytes. */
function server(/** @type {number[]} */ cuts) {
  let kept = "";
  let isEnded = false;
  const state = () => ({
    upload_id: "u",
    offset: kept.length,
    file: kept.length === FILE.size ? { type: "file" } : null,
  });
  return {
    kept: () => kept,
    isEnded: () => isEnded,
    begin: async () => state(),
    look: async () => state(),
    async add(/** @type {string} */ _id, /** @type {number} */ offset, /** @type {Blob} */ rest) {
      if (offset !== kept.length) throw new ApiError(409, []);
      const cut = cuts.shift();
      kept += (await rest.text()).slice(0, cut);
      if (cut !== undefined) throw new ApiError(0, []);
      return state();
    },
    end: async () => {
      isEnded = true;
    },
  };
}

const atOnce = async () => {};

test("a file arrives whole over lines that are cut", async () => {
  const calls = server([3, 0, 4]);
  assert.deepEqual(await uploadInParts(calls, FILE, {}, atOnce), { type: "file" });
  assert.equal(calls.kept(), "0123456789");
});

test("a lost response does not repeat the upload", async () => {
  const calls = server([10]);
  assert.deepEqual(await uploadInParts(calls, FILE, {}, atOnce), { type: "file" });
  assert.equal(calls.kept(), "0123456789");
});

test("an upload without progress ends with a reason", async () => {
  const calls = server(Array.from({ length: 100 }, () => 0));
  await assert.rejects(uploadInParts(calls, FILE, {}, atOnce), ApiError);
});

test("a cancelled upload leaves nothing behind", async () => {
  const calls = server([3]);
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(uploadInParts(calls, FILE, { signal: stop.signal }, atOnce));
  assert.equal(calls.isEnded(), true);
});

test("an upload cancelled between retries leaves nothing behind", async () => {
  const calls = server([3]);
  const stop = new AbortController();
  const resting = async () => stop.abort(new Error("stopped"));
  await assert.rejects(uploadInParts(calls, FILE, { signal: stop.signal }, resting), /stopped/);
  assert.equal(calls.kept(), "012");
  assert.equal(calls.isEnded(), true);
});
