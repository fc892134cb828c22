/**
 * Words: how long they are.
 *
 * Pure. Lengths are counted in Unicode code points, as the server counts them.
 */

export const MAX_TEXT = 1000;

/** One emoji is one, or a few, but never two halves. */
export const countChars = (/** @type {string} */ text) => [...text].length;

/** A face or two say enough to be shown larger. */
export const isFewEmoji = (/** @type {string} */ text) =>
  /^(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d\p{Extended_Pictographic})*\s?){1,4}$/u.test(
    text.trim(),
  );
