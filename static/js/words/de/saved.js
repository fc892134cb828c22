/** The German catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const GERMAN_SAVED = {
  "Save message": "Nachricht merken",
  "Save messages": "Nachrichten merken",
  "Remove from saved": "Nicht mehr merken",
  Saved: "Gemerkt",
  "Saved messages": "Gemerkte Nachrichten",
  "Saved messages · Coterie": "Gemerkte Nachrichten · Coterie",
  "No saved messages.": "Keine gemerkten Nachrichten.",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "Um dir eine Nachricht zu merken, öffne ihr Menü und wähle „Nachricht merken“. Nur du siehst deine gemerkten Nachrichten.",
  "This message is no longer there.": "Diese Nachricht gibt es nicht mehr.",
};
