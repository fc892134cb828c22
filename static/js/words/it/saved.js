/** The Italian catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const ITALIAN_SAVED = {
  "Save message": "Salva messaggio",
  "Save messages": "Salva messaggi",
  "Remove from saved": "Rimuovi dai messaggi salvati",
  Saved: "Salvato",
  "Saved messages": "Messaggi salvati",
  "Saved messages · Coterie": "Messaggi salvati · Coterie",
  "No saved messages.": "Nessun messaggio salvato.",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "Per salvare un messaggio, apri il suo menu e scegli «Salva messaggio». Solo tu vedi i tuoi messaggi salvati.",
  "This message is no longer there.": "Questo messaggio non esiste più.",
};
