/**
 * Which emoji there are, what they are called, and finding one by a word.
 *
 * Owns reading the lists in `/emoji/`, of which one comes when it is wanted first; who made
 * them, and under which licence, stands at their top.
 */

import { plain } from "./finding.js";
import { language } from "./words.js";

/**
 * @typedef {object} Emoji
 * @property {string} sign
 * @property {string} name
 * @property {string} words its name and what else it is found by
 * @property {boolean} hasTones whether it shows somebody's skin
 */
/** @typedef {{ key: string, emoji: Emoji[] }} EmojiGroup */

/** What most people look for, until somebody has chosen some. */
export const USUAL = ["❤️", "👍", "😂", "😮", "😢", "🎉", "🔥", "👏"];
/** As many as one chose last are offered first. */
export const RECENT_MOST = 24;
/** As many as one looks through. */
const FOUND_MOST = 120;

/** @type {Promise<EmojiGroup[]> | null} */
let coming = null;

/** All of them, by their groups. What did not come is asked for again the next time. */
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

/** @returns {EmojiGroup[]} */
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

/** The tones of skin, from none in particular to the darkest. */
export const TONES = ["", "🏻", "🏼", "🏽", "🏾", "🏿"];

/** Between the hands of two people stands one that has no tone of its own. */
const HANDS_BETWEEN = /\u200d🤝\u200d/u;

/** An emoji that has tones, in one of them: everybody in it has the same. */
export function inTone(/** @type {string} */ sign, /** @type {string} */ tone) {
  if (tone === "") return sign;
  const parts = sign.split(HANDS_BETWEEN);
  const toned = parts.map((part) => part.replace(/(\p{Emoji_Modifier_Base})\ufe0f?/gu, `$1${tone}`));
  return toned.join("\u200d🤝\u200d");
}

/** By which an emoji is known, whichever tone it has. */
export const withoutTone = (/** @type {string} */ sign) => sign.replace(/[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu, "");

/** How well an emoji fits: 0 not at all; one that is called so before one that has to do with it. */
function fit(/** @type {Emoji} */ { name, words }, /** @type {string[]} */ wanted) {
  const padded = ` ${words}`;
  if (!wanted.every((word) => padded.includes(` ${word}`))) return 0;
  const called = plain(name);
  if (called === wanted.join(" ")) return 4;
  if (called.startsWith(wanted[0])) return 3;
  return ` ${called}`.includes(` ${wanted[0]}`) ? 2 : 1;
}

/**
 * Those whose words begin like what is wanted, and whatever is wanted itself, if it is one.
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

/** What was chosen last, with this one before all others. */
export const withRecent = (/** @type {readonly string[]} */ recent, /** @type {string} */ sign) =>
  [sign, ...recent.filter((one) => one !== sign)].slice(0, RECENT_MOST);
