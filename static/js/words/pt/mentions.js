/** The Portuguese catalogue of mentions and replies. */

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE_MENTIONS = {
  "For you": "Para você",
  "For you · Coterie": "Para você · Coterie",
  "Replied to you": "Respondeu a você",
  "Mentioned you": "Mencionou você",
  "Mentioned everyone": "Mencionou todos",
  "No mentions or replies yet.": "Nenhuma menção ou resposta ainda.",
  "When somebody mentions you or everyone, or replies to you, the message appears here.":
    "Aqui aparecem as mensagens que mencionam você ou todos e as respostas às suas.",
};
