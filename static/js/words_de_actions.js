/** German words of the actions on messages, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_ACTIONS = {
  "More actions": "Weitere Aktionen",
  "Message actions": "Aktionen der Nachricht",
  "More reactions…": "Weitere Reaktionen …",
  "Reply in thread": "Im Thread antworten",
  Select: "Auswählen",
  "Cancel selection": "Auswahl aufheben",
  "Selected messages": "Ausgewählte Nachrichten",
  "1 selected": "1 ausgewählt",
  "{count} selected": "{count} ausgewählt",
  "Select: {it}": "Auswählen: {it}",
  "Delete {count} messages?": "{count} Nachrichten löschen?",
  "Forward {count} messages": "{count} Nachrichten weiterleiten",
  Details: "Details",
  "Close details": "Details schließen",
  "Back to the details": "Zurück zu den Details",
  "Pictures, files and links": "Bilder, Dateien und Links",
  Members: "Mitglieder",
};
