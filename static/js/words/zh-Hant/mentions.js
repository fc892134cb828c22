/** The Traditional Chinese catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const TRADITIONAL_MENTIONS = {
  "For you": "與我有關",
  "For you · Coterie": "與我有關 · Coterie",
  "Replied to you": "回覆了你",
  "Mentioned you": "提到了你",
  "Mentioned everyone": "提到了所有人",
  "No mentions or replies yet.": "還沒有提及或回覆。",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "提到你或所有人的訊息，以及對你的回覆，會顯示在這裡。",
};
