/** Codes for cameras. What stands here was read by another reader of such codes. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { qrCode } from "../../../static/js/invites/qr.js";

/** A short name for all squares of a code. */
function digest(/** @type {string} */ text) {
  const rows = qrCode(text)?.map((row) => row.map((dark) => (dark ? "#" : ".")).join(""));
  return createHash("sha256")
    .update(rows?.join("\n") ?? "")
    .digest("hex")
    .slice(0, 16);
}

const LINK = "https://chat.example.org/join_group/123456/abcdefgh?from=1";

test("a link becomes the squares that readers know", () => {
  assert.equal(qrCode(LINK)?.length, 33);
  assert.equal(digest(LINK), "5bda5814b7897ff8");
  assert.equal(qrCode(LINK.repeat(3))?.length, 53);
  assert.equal(digest(LINK.repeat(3)), "ca626ebed2221115");
});

test("the corners and the lines between them are where readers look for them", () => {
  const squares = qrCode("a") ?? [];
  const row = (/** @type {number} */ y) => squares[y].map((dark) => (dark ? "#" : ".")).join("");
  assert.equal(squares.length, 21);
  assert.match(row(0), /^#######\..*\.#######$/);
  assert.match(row(3), /^#\.###\.#\..*\.#\.###\.#$/);
  assert.equal(row(6), "#######.#.#.#.#######");
});

test("a text that is too long gives no QR code", () => {
  assert.equal(qrCode("x".repeat(214)), null);
});
