/** The dark colours stand twice, for pages with a script and without: they are the same. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("the dark colours are the same, chosen or by the device", async () => {
  const sheet = await readFile(new URL("../../../static/css/tokens.css", import.meta.url), "utf8");
  const blockOf = (/** @type {string} */ start) => {
    const from = sheet.indexOf(start) + start.length;
    const lines = sheet.slice(from, sheet.indexOf("}", from)).split("\n");
    return lines.map((line) => line.trim());
  };
  const chosen = blockOf(':root[data-scheme="dark"] {');
  assert.ok(chosen.length > 20);
  assert.deepEqual(blockOf(":root:not([data-scheme]) {"), chosen);
});
