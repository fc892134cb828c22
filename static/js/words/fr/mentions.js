/** The French catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const FRENCH_MENTIONS = {
  "For you": "Pour vous",
  "For you · Coterie": "Pour vous · Coterie",
  "Replied to you": "Vous répond",
  "Mentioned you": "Vous mentionne",
  "Mentioned everyone": "Mentionne tout le monde",
  "No mentions or replies yet.": "Pas encore de mentions ni de réponses.",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "Ici s’affichent les messages qui vous mentionnent ou mentionnent tout le monde, et les réponses aux vôtres.",
};
