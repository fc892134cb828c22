/** The French catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const FRENCH_SAVED = {
  "Save message": "Enregistrer le message",
  "Save messages": "Enregistrer les messages",
  "Remove from saved": "Retirer des messages enregistrés",
  Saved: "Enregistré",
  "Saved messages": "Messages enregistrés",
  "Saved messages · Coterie": "Messages enregistrés · Coterie",
  "No saved messages.": "Aucun message enregistré.",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "Pour enregistrer un message, ouvrez son menu et choisissez « Enregistrer le message ». Personne d’autre ne voit vos messages enregistrés.",
  "This message is no longer there.": "Ce message n’existe plus.",
};
