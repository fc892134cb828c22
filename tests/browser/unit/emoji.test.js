/** The lists of emoji are whole in every language, and found by their words. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  foundAmong,
  groupsIn,
  inTone,
  RECENT_MOST,
  TONES,
  USUAL,
  withoutTone,
  withRecent,
} from "../../../static/js/reactions/emoji.js";
import { LANGUAGES } from "../../../static/js/words/words.js";

const ROOT = new URL("../../../", import.meta.url);
const textOf = (/** @type {string} */ path) => readFile(new URL(path, ROOT), "utf8");
const listIn = async (/** @type {string} */ language) =>
  groupsIn(await textOf(`static/emoji/${language}.txt`));
const signs = (/** @type {import("../../../static/js/reactions/emoji.js").EmojiGroup[]} */ groups) =>
  groups.flatMap(({ emoji }) => emoji.map(({ sign }) => sign));

test("each language has all emoji, and the server takes every one of them", async () => {
  const taken = new Set((await textOf("src/domain/emoji.txt")).split("\n"));
  const english = signs(await listIn("en"));
  assert.ok(english.length > 1_800);
  assert.deepEqual(
    english.filter((sign) => !taken.has(sign)),
    [],
  );
  assert.ok(USUAL.every((sign) => english.includes(sign)));
  for (const { value } of LANGUAGES) {
    const groups = await listIn(value);
    assert.deepEqual(signs(groups), english, value);
    assert.deepEqual(groups.map(({ emoji }) => emoji.length > 0).includes(false), false);
  }
});

test("the server accepts each skin tone", async () => {
  const taken = new Set((await textOf("src/domain/emoji.txt")).split("\n"));
  const all = (await listIn("en")).flatMap(({ emoji }) => emoji);
  const [none, ...tones] = TONES;
  assert.ok(all.filter(({ hasTones }) => hasTones).length > 300);
  for (const { sign } of all.filter(({ hasTones }) => hasTones)) {
    const toned = tones.map((tone) => inTone(sign, tone));
    assert.ok(
      toned.every((one) => one !== sign && taken.has(one)),
      sign,
    );
    assert.ok(
      toned.every((one) => withoutTone(one) === withoutTone(sign)),
      sign,
    );
    assert.equal(inTone(sign, none), sign);
  }
});

test("an emoji is found by words and by itself", async () => {
  const first = async (/** @type {string} */ language, /** @type {string} */ text) =>
    foundAmong(await listIn(language), text)[0]?.sign;
  assert.equal(await first("en", "fire"), "🔥");
  assert.equal(await first("en", "Person climb"), "🧗");
  assert.equal(await first("de", "feuer"), "🔥");
  assert.equal(await first("de", "flagge portugal"), "🇵🇹");
  assert.equal(await first("fr", "fete"), await first("fr", "fête"));
  assert.equal(await first("ar", "حريق"), "🔥");
  assert.equal(await first("zh", "火焰"), "🔥");
  assert.equal(await first("ja", "転げる"), "🤣", "scripts without spaces");
  assert.equal(await first("es", "corazon rojo"), "❤️");
  assert.equal(await first("pt", "fogo"), "🔥");
  assert.equal(await first("it", "fuoco"), "🔥");
  assert.equal(await first("en", "🧗"), "🧗");
  assert.equal(await first("en", "no emoji is called this"), undefined);
});

test("recent emoji come first, once, within the limit", () => {
  assert.deepEqual(withRecent(["🔥", "👍"], "👍"), ["👍", "🔥"]);
  const many = Array.from({ length: 40 }, (_, at) => String(at));
  assert.equal(withRecent(many, "🔥").length, RECENT_MOST);
});
