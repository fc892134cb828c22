/** The Italian catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const ITALIAN_MENTIONS = {
  "For you": "Per te",
  "For you · Coterie": "Per te · Coterie",
  "Replied to you": "Ti ha risposto",
  "Mentioned you": "Ti menziona",
  "Mentioned everyone": "Menziona tutti",
  "No mentions or replies yet.": "Ancora nessuna menzione o risposta.",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "Qui compaiono i messaggi che menzionano te o tutti e le risposte ai tuoi messaggi.",
};
