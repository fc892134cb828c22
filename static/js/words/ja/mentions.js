/** The Japanese catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_MENTIONS = {
  "For you": "自分宛て",
  "For you · Coterie": "自分宛て · Coterie",
  "Replied to you": "あなたへの返信",
  "Mentioned you": "あなたへのメンション",
  "Mentioned everyone": "全員へのメンション",
  "No mentions or replies yet.": "メンションや返信はまだありません。",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "あなたや全員へのメンション、あなたへの返信がここに表示されます。",
};
