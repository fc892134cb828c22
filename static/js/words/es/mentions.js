/** The Spanish catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const SPANISH_MENTIONS = {
  "For you": "Para ti",
  "For you · Coterie": "Para ti · Coterie",
  "Replied to you": "Te respondió",
  "Mentioned you": "Te mencionó",
  "Mentioned everyone": "Mencionó a todos",
  "No mentions or replies yet.": "Aún no hay menciones ni respuestas.",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "Aquí aparecen los mensajes en los que te mencionan a ti o a todos, y las respuestas a los tuyos.",
};
