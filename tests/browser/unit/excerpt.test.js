/** What is shown of a message that was found. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { excerpt, placesIn, wordsFor } from "../../../static/js/search/excerpt.js";

const shown = (/** @type {string} */ text, /** @type {[number, number][]} */ places) =>
  excerpt(text, places)
    .map((part) => (part.isFound ? `[${part.text}]` : part.text))
    .join("");

test("words are marked where they stand, emoji counted as one", () => {
  assert.equal(shown("🔥🔥 the rope\nis here", [[7, 4]]), "🔥🔥 the [rope] is here");
  assert.equal(
    shown("rope rope", [
      [0, 4],
      [5, 4],
    ]),
    "[rope] [rope]",
  );
  assert.equal(shown("nothing", []), "nothing");
});

test("a long text is cut around the first word", () => {
  const cut = shown(`${"a ".repeat(100)}rope${" b".repeat(200)}`, [[200, 4]]);
  assert.ok(cut.startsWith(`…${"a ".repeat(12)}[rope] b`), cut);
  assert.ok(cut.endsWith("…"), cut);
});

test("typed text is searched as a prefix from a minimum length", () => {
  assert.deepEqual(["", "r", "?!", "ro", 'say "at si"', "京"].map(wordsFor), [
    "",
    "",
    "",
    "ro*",
    'say "at si"',
    "京*",
  ]);
});

test("one emoji is enough to look for", () => {
  const enough = ["🧗", "❤️", "🇨🇭", "👩🏽‍🚀", "summit 🔥"];
  assert.deepEqual(enough.map(wordsFor), enough);
  assert.deepEqual(["©", "‼", "↔", "\u200b"].map(wordsFor), ["", "", "", ""]);
});

test("a combining accent belongs to its letter", () => {
  assert.equal(wordsFor("cafe\u0301"), "café*");
});

test("found words are marked in the reader's language", () => {
  const text = "Created new poll 'Who has the 🔥 rope?'";
  const shown = "Neue Umfrage „Who has the 🔥 rope?“";
  assert.deepEqual(placesIn(text, [[32, 4]], shown), [[28, 4]]);
  assert.deepEqual(placesIn(text, [[12, 4]], shown), [], "a word of the English text alone");
  assert.deepEqual(placesIn(text, [[12, 4]], text), [[12, 4]]);
});
