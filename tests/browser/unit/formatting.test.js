/** Formatting puts signs around the selection, and takes them away again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatted } from "../../../static/js/composer/formatting.js";

/** Formats the part between two bars. */
function at(
  /** @type {string} */ marked,
  /** @type {import("../../../static/js/composer/formatting.js").Format} */ format,
) {
  const start = marked.indexOf("|");
  const end = marked.lastIndexOf("|") - 1;
  const made = formatted({ text: marked.replaceAll("|", ""), start, end }, format);
  return `${made.text.slice(0, made.start)}|${made.text.slice(made.start, made.end)}|${made.text.slice(made.end)}`;
}

test("a selection becomes bold and plain again", () => {
  assert.equal(at("bring |two| ropes", "bold"), "bring **|two|** ropes");
  assert.equal(at("bring **|two|** ropes", "bold"), "bring |two| ropes");
  assert.equal(at("bring |**two**| ropes", "bold"), "bring |two| ropes");
  assert.equal(at("||", "italic"), "_||_");
});

test("spaces at the ends of a selection stay outside", () => {
  assert.equal(at("bring| two |ropes", "italic"), "bring _|two|_ ropes");
  assert.equal(at("a|   |b", "bold"), "a   **||**b");
});

test("a link selects its address, or its words for an address", () => {
  assert.equal(at("see |topo| now", "link"), "see [topo](|https://|) now");
  assert.equal(at("see |https://example.org| now", "link"), "see [||](https://example.org) now");
});

test("quotes and lists begin each line", () => {
  assert.equal(at("bring\nro|pe\nchalk|", "list"), "bring\n|- rope\n- chalk|");
  assert.equal(at("|> rope\n> chalk|", "quote"), "|rope\nchalk|");
});
