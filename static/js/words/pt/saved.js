/** The Portuguese catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE_SAVED = {
  "Save message": "Salvar mensagem",
  "Save messages": "Salvar mensagens",
  "Remove from saved": "Remover das mensagens salvas",
  Saved: "Salva",
  "Saved messages": "Mensagens salvas",
  "Saved messages · Coterie": "Mensagens salvas · Coterie",
  "No saved messages.": "Nenhuma mensagem salva.",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "Para salvar uma mensagem, abra o menu dela e escolha “Salvar mensagem”. Só você vê suas mensagens salvas.",
  "This message is no longer there.": "Esta mensagem não existe mais.",
};
