/** The layout knows the beginning and the end of a line, not left and right. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const ROOT = new URL("../../../static/css/", import.meta.url);

/** Sides by name, or four lengths of which the second and the last differ. The middle is the same from both. */
const SIDE = /^\s*(?:(?:margin|padding|border)-)?(?:left|right)(?:-\w+)?:(?! 50%)|text-align: (?:left|right)/;

function hasTwoSides(/** @type {string} */ line) {
  const found = /^\s*(?:margin|padding|inset): (.+);$/.exec(line);
  const lengths = found?.[1].match(/(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];
  return lengths.length === 4 && lengths[1] !== lengths[3];
}

test("layout mirrors from right to left", async () => {
  for (const name of await readdir(ROOT)) {
    const lines = (await readFile(new URL(name, ROOT), "utf8")).split("\n");
    assert.deepEqual(
      lines.filter((line) => SIDE.test(line) || hasTwoSides(line)),
      [],
      name,
    );
  }
});
