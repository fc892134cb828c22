/**
 * Bare links in a text: the server and the client find the same ones.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { splitLinks } from "../../../static/js/text/links.js";

/** @type {[string, string[]][]} */
const cases = JSON.parse(readFileSync(new URL("../../links.json", import.meta.url), "utf8"));

test("the client finds the links that the server finds", () => {
  for (const [text, links] of cases) {
    const pieces = splitLinks(text);
    assert.deepEqual(
      pieces.filter(({ href }) => href !== null).map(({ href }) => href),
      links,
      text,
    );
    assert.equal(pieces.map((piece) => piece.text).join(""), text);
  }
});
