/**
 * The length of texts.
 *
 * Pure. Lengths are counted in Unicode code points, as the server counts them.
 */

export const MAX_TEXT = 1000;

/** The number of code points; an emoji counts as one or more of them, never as half a surrogate pair. */
export const countChars = (/** @type {string} */ text) => [...text].length;

/** An emoji as people see it: a flag, a keycap, or a picture with its skin tones and all that is joined to it. */
const EMOJI = [
  String.raw`\p{Regional_Indicator}{2}`,
  String.raw`[0-9#*]\ufe0f?\u20e3`,
  String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}`,
  String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d\p{Extended_Pictographic})*`,
].join("|");
const FEW_EMOJI = new RegExp(`^(?:(?:${EMOJI})\\s?){1,4}$`, "u");

/** Whether a message is one to four emoji only, which are shown larger. */
export const isFewEmoji = (/** @type {string} */ text) => FEW_EMOJI.test(text.trim());
