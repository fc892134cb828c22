/** The Arabic catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const ARABIC_MENTIONS = {
  "For you": "لك",
  "For you · Coterie": "لك · Coterie",
  "Replied to you": "ردّ عليك",
  "Mentioned you": "إشارة إليك",
  "Mentioned everyone": "إشارة إلى الجميع",
  "No mentions or replies yet.": "لا توجد إشارات أو ردود بعد.",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "تظهر هنا الرسائل التي يُشار فيها إليك أو إلى الجميع، والردود عليك.",
};
