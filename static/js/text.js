/**
 * The length of texts.
 *
 * Pure. Lengths are counted in Unicode code points, as the server counts them.
 */

export const MAX_TEXT = 1000;

/** The number of code points; an emoji counts as one or more of them, never as half a surrogate pair. */
export const countChars = (/** @type {string} */ text) => [...text].length;

/** Whether a message is one to four emoji only, which are shown larger. */
export const isFewEmoji = (/** @type {string} */ text) =>
  /^(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d\p{Extended_Pictographic})*\s?){1,4}$/u.test(
    text.trim(),
  );
