/**
 * Words: how long they are, and how a name stands among them.
 *
 * Pure, but for the way the page is read. Lengths are counted in Unicode code points, as the server counts them.
 */

import { direction } from "./words.js";

export const MAX_TEXT = 1000;

/** One emoji is one, or a few, but never two halves. */
export const countChars = (/** @type {string} */ text) => [...text].length;

/** A face or two say enough to be shown larger. */
export const isFewEmoji = (/** @type {string} */ text) =>
  /^(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d\p{Extended_Pictographic})*\s?){1,4}$/u.test(
    text.trim(),
  );

/** What is written from right to left, or turns what follows. */
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A name inside a sentence, so that it turns no other word round, whatever is in it; on a page
 * that is read from right to left, most names do.
 */
export const isolated = (/** @type {string} */ name) =>
  direction === "rtl" || TURNS.test(name) ? `\u2068${name.replace(CONTROLS, "")}\u2069` : name;
