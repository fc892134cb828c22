/** Every word of the client can be said in every language, and no word stands outside of them. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { GERMAN } from "../../../static/js/words_de.js";
import { GERMAN_BOTS } from "../../../static/js/words_de_bots.js";
import { GERMAN_MESSAGES } from "../../../static/js/words_de_messages.js";
import { GERMAN_PLANS } from "../../../static/js/words_de_plans.js";

const ROOT = new URL("../../../static/js/", import.meta.url);

/** The sources of the client, without comments. @returns {Promise<Map<string, string>>} */
async function sources() {
  const names = (await readdir(ROOT, { recursive: true })).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, ROOT), "utf8")));
  const bare = (/** @type {string} */ text) => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "");
  return new Map(names.map((name, at) => [name, bare(texts[at])]));
}

const holes = (/** @type {string} */ words) => [...words.matchAll(/\{\w+\}/g)].map(String).sort();

test("what is said in English is said in German, with the same facts, and nothing else is", async () => {
  const said = new Set();
  for (const text of (await sources()).values()) {
    for (const [, words] of text.matchAll(/\bt\(\s*"((?:[^"\\]|\\.)*)"/g)) said.add(words);
  }
  assert.ok(said.size > 400);
  assert.deepEqual(
    Object.keys(GERMAN_MESSAGES).filter((words) => words in GERMAN || words in GERMAN_BOTS),
    [],
    "each stands once",
  );
  assert.deepEqual(
    Object.keys(GERMAN_PLANS).filter(
      (words) => words in GERMAN || words in GERMAN_BOTS || words in GERMAN_MESSAGES,
    ),
    [],
    "each stands once",
  );
  assert.deepEqual(
    Object.keys(GERMAN).filter((words) => words in GERMAN_BOTS),
    [],
    "each stands once",
  );
  const german = { ...GERMAN, ...GERMAN_BOTS, ...GERMAN_MESSAGES, ...GERMAN_PLANS };
  assert.deepEqual(Object.keys(german).sort(), [...said].sort());
  for (const [english, words] of Object.entries(german)) {
    assert.deepEqual([...new Set(holes(words))], [...new Set(holes(english))], english);
  }
});

/** What reads like a sentence but is none for people. */
const NOT_WORDS = [/^Content-Type$/, /^Coterie/, /^SHA-256$/, /^the feed was refused/];

test("no sentence stands outside of the catalogues", async () => {
  /** @type {string[]} */
  const bare = [];
  for (const [name, text] of await sources()) {
    if (name.startsWith("words")) continue;
    for (const found of text.matchAll(/"([A-Z][a-z]+ [a-z][^"\n]*|[A-Z][^"\n]*[.?…])"/g)) {
      const before = text.slice(Math.max(0, found.index - 40), found.index);
      if (/\bt\(\s*$/.test(before) || NOT_WORDS.some((one) => one.test(found[1]))) continue;
      bare.push(`${name}: ${found[1]}`);
    }
  }
  assert.deepEqual(bare, []);
});
