/** The German catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const GERMAN_MENTIONS = {
  "For you": "Für mich",
  "For you · Coterie": "Für mich · Coterie",
  "Replied to you": "Antwort an dich",
  "Mentioned you": "Erwähnt dich",
  "Mentioned everyone": "Erwähnt alle",
  "No mentions or replies yet.": "Noch keine Erwähnungen oder Antworten.",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "Hier erscheinen Nachrichten, die dich oder alle erwähnen oder dir antworten.",
};
