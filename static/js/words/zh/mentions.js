/** The Chinese catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const CHINESE_MENTIONS = {
  "For you": "与我相关",
  "For you · Coterie": "与我相关 · Coterie",
  "Replied to you": "回复了你",
  "Mentioned you": "提到了你",
  "Mentioned everyone": "提到了所有人",
  "No mentions or replies yet.": "还没有提及或回复。",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "提到你或所有人的消息，以及对你的回复，会显示在这里。",
};
