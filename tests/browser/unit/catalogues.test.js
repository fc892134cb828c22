/** Every word of the client can be said in every language, and no word stands outside of them. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { LANGUAGES } from "../../../static/js/words/words.js";
import { shownLiterals } from "../shown_literals.js";

const ROOT = new URL("../../../static/js/", import.meta.url);

/** The sources of the client, without comments. @returns {Promise<Map<string, string>>} */
async function sources() {
  const names = (await readdir(ROOT, { recursive: true })).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, ROOT), "utf8")));
  const bare = (/** @type {string} */ text) => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "");
  return new Map(names.map((name, at) => [name, bare(texts[at])]));
}

const holes = (/** @type {string} */ words) =>
  [...new Set([...words.matchAll(/\{\w+\}/g)].map(String))].sort().join();

/** What is said for a sentence: several forms where the language has several for several numbers. */
const formsOf = (/** @type {string | import("../../../static/js/words/words.js").Forms} */ words) =>
  typeof words === "string" ? [["other", words]] : Object.entries(words);
const NAMED_NUMBERS = new Set(["zero", "one", "two"]);

/** Without the number, which is the one fact of its kind. */
const holesBut = (/** @type {string} */ english) =>
  holes(english.replace(/\{(count|missed|attempts|it|minutes)\}/, ""));

for (const { value: language, load } of LANGUAGES) {
  if (!load) continue;
  test(`the ${language} catalogue has every text with the same fields`, async () => {
    const said = new Set();
    const all = await sources();
    for (const text of all.values()) {
      for (const [, words] of text.matchAll(/\bt\(\s*"((?:[^"\\]|\\.)*)"/g)) said.add(words);
    }
    assert.ok(said.size > 400);
    const catalogue = await load();
    assert.deepEqual(Object.keys(catalogue).sort(), [...said].sort());
    for (const [english, words] of Object.entries(catalogue)) {
      for (const [number, form] of formsOf(words)) {
        assert.ok(form.trim() !== "", english);
        // "Two members" says its number without a figure.
        const says = NAMED_NUMBERS.has(number) ? [holes(english), holesBut(english)] : [holes(english)];
        assert.ok(says.includes(holes(form)), `${english}: ${form}`);
      }
      if (typeof words === "string") continue;
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
      assert.deepEqual(Object.keys(words).sort(), [...pluralCategories].sort(), english);
    }
    const keys = [...all]
      .filter(([name]) => name.startsWith(`words/${language}/`))
      .flatMap(([, text]) => [...text.matchAll(/^ {2}(?:"((?:[^"\\]|\\.)*)"|(\w+)):/gm)])
      .map(([, quoted, bare]) => quoted ?? bare);
    assert.equal(new Set(keys).size, keys.length, "each stands once");
  });
}

test("each catalogue can be chosen", async () => {
  const catalogues = [...(await sources()).keys()].filter((name) => /\/words_[a-zA-Z-]+\.js$/.test(name));
  const chosen = LANGUAGES.filter(({ load }) => load).map(({ value }) => `words/${value}/words_${value}.js`);
  assert.deepEqual(chosen.sort(), catalogues.sort());
});

/** What is shown and is the same in every language. */
const NO_WORDS = new Set([
  ...LANGUAGES.map(({ label }) => label),
  "Coterie",
  "{} · Coterie",
  "Echo",
  "POST {}",
  // The id of an element.
  "{}-hint",
  "https://bots.example.org/echo",
  "https://example.org/callback",
]);

test("shown texts are never hard-coded in one language", async () => {
  /** @type {string[]} */
  const found = [];
  for (const [name, text] of await sources()) {
    if (/^words\/.+\//.test(name)) continue;
    for (const words of shownLiterals(text)) if (!NO_WORDS.has(words)) found.push(`${name}: ${words}`);
  }
  assert.deepEqual(found, []);
});

test("a text is found wherever it would be shown", () => {
  const shown = (/** @type {string} */ source) => shownLiterals(source);
  assert.deepEqual(shown('h("p", { class: "quiet" }, icon("pin"), "Pinned")'), ["Pinned"]);
  assert.deepEqual(shown('h("p", {}, isOn ? "On" : t("Off"), count > 0 && `$' + "{count} new`)"), [
    "On",
    "{} new",
  ]);
  assert.deepEqual(shown('h("input", { "aria-label": "Search", type: "text", placeholder: t("Name") })'), [
    "Search",
  ]);
  assert.deepEqual(shown('copyable({ label: "body", text })'), ["body"]);
  assert.deepEqual(shown('setText(title, "Hello"); node.title = "Hi"; node.setAttribute("alt", "A dog");'), [
    "Hello",
    "Hi",
    "A dog",
  ]);
  assert.deepEqual(
    shown('function dueWords(at) {\n  if (at === "x") return "now";\n  return t("soon");\n}'),
    ["now"],
  );
  assert.deepEqual(shown('h("a", { class: "x", href: "/docs" }, kind === "chat" && t("Chat"), " · ")'), []);
});

/** What reads like a sentence but is none for people. */
const NOT_WORDS = [/^Content-Type$/, /^Coterie/, /^SHA-256$/, /^the feed was refused/];

test("no sentence stands outside of the catalogues", async () => {
  /** @type {string[]} */
  const bare = [];
  for (const [name, text] of await sources()) {
    if (name.startsWith("words/")) continue;
    for (const found of text.matchAll(/"([A-Z][a-z]+ [a-z][^"\n]*|[A-Z][^"\n]*[.?…])"/g)) {
      const before = text.slice(Math.max(0, found.index - 40), found.index);
      if (/\bt\(\s*$/.test(before) || NOT_WORDS.some((one) => one.test(found[1]))) continue;
      bare.push(`${name}: ${found[1]}`);
    }
  }
  assert.deepEqual(bare, []);
});
