/**
 * Which emoji there are, their names, and finding one by a word.
 *
 * Owns reading the lists in `/emoji/`. A list is loaded when it is first needed; its author and licence are
 * named at its top.
 */

import { hasBeginning, plain } from "../search/finding.js";
import { language } from "../words/words.js";

/**
 * @typedef {object} Emoji
 * @property {string} sign
 * @property {string} name
 * @property {string} words its name and further keywords, in the form of `plain`
 * @property {boolean} hasTones whether it can have a skin tone
 */
/** @typedef {{ key: string, emoji: Emoji[] }} EmojiGroup */

/** The emoji that are offered until somebody has chosen some. */
export const USUAL = ["❤️", "👍", "😂", "😮", "😢", "🎉", "🔥", "👏"];
/** How many recently chosen emoji are offered. */
export const RECENT_MOST = 24;
/** The most emoji that a search shows. */
const FOUND_MOST = 120;

/** @type {Promise<EmojiGroup[]> | null} */
let coming = null;

/** All emoji, by group. If loading fails, the next call tries again. */
export function allEmoji() {
  coming ??= load().catch((error) => {
    coming = null;
    throw error;
  });
  return coming;
}

async function load() {
  const answer = await fetch(`/emoji/${language}.txt`);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return groupsIn(await answer.text());
}

/**
 * Parses a list of emoji.
 * @returns {EmojiGroup[]}
 */
export function groupsIn(/** @type {string} */ text) {
  /** @type {EmojiGroup[]} */
  const groups = [];
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# ")) continue;
    const head = /^\[(\w+)\]$/.exec(line);
    if (head) {
      groups.push({ key: head[1], emoji: [] });
      continue;
    }
    const [sign, name = "", more = "", tones = ""] = line.split("\t");
    groups.at(-1)?.emoji.push({ sign, name, words: plain(`${name} ${more}`), hasTones: tones !== "" });
  }
  return groups;
}

/** The skin tones, from none to the darkest. */
export const TONES = ["", "🏻", "🏼", "🏽", "🏾", "🏿"];

/** The handshake that joins two people in an emoji; it takes no skin tone. */
const HANDS_BETWEEN = /\u200d🤝\u200d/u;

/** An emoji in a skin tone, the same for everybody in it; an emoji that has no tones stays as it is. */
export function inTone(/** @type {string} */ sign, /** @type {string} */ tone) {
  if (tone === "") return sign;
  const parts = sign.split(HANDS_BETWEEN);
  const toned = parts.map((part) => part.replace(/(\p{Emoji_Modifier_Base})\ufe0f?/gu, `$1${tone}`));
  return toned.join("\u200d🤝\u200d");
}

/** An emoji without its skin tones and variation selectors, to compare emoji by. */
export const withoutTone = (/** @type {string} */ sign) => sign.replace(/[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu, "");

/** How well an emoji matches: 0 is no match; a match of the name counts more than one of a keyword. */
function fit(/** @type {Emoji} */ { name, words }, /** @type {string[]} */ wanted) {
  if (!wanted.every((word) => hasBeginning(words, word))) return 0;
  const called = plain(name);
  if (called === wanted.join(" ")) return 4;
  if (called.startsWith(wanted[0])) return 3;
  return hasBeginning(called, wanted[0]) ? 2 : 1;
}

/**
 * The emoji whose words begin with the words of the text, and the emoji that the text itself is.
 * @returns {Emoji[]}
 */
export function foundAmong(/** @type {readonly EmojiGroup[]} */ groups, /** @type {string} */ text) {
  const wanted = plain(text)
    .split(/[\s:,]+/)
    .filter((word) => word !== "");
  const all = groups.flatMap(({ emoji }) => emoji);
  const meant = withoutTone(text.trim());
  const itself = meant === "" ? [] : all.filter(({ sign }) => withoutTone(sign) === meant);
  if (wanted.length === 0) return itself;
  const fitting = all
    .map((one) => ({ one, fits: fit(one, wanted) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits)
    .map(({ one }) => one);
  return [...itself, ...fitting].slice(0, FOUND_MOST);
}

/** The recently chosen emoji, with this one first. */
export const withRecent = (/** @type {readonly string[]} */ recent, /** @type {string} */ sign) =>
  [sign, ...recent.filter((one) => one !== sign)].slice(0, RECENT_MOST);
