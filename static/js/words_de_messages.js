/** German words of what people do with messages, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_MESSAGES = {
  "1 answer": "1 Antwort",
  "A file": "Eine Datei",
  "Add a picture or file": "Bild oder Datei hinzufügen",
  "Download {name}": "{name} herunterladen",
  "Files to add": "Dateien zum Hinzufügen",
  "Files to send": "Dateien zum Senden",
  "Let go to add files": "Loslassen, um Dateien hinzuzufügen",
  "Play {name}": "{name} abspielen",
  "A message was pinned": "Eine Nachricht wurde angeheftet",
  "A message was unpinned": "Eine Nachricht wurde gelöst",
  Answers: "Antworten",
  "Looking for messages…": "Sucht Nachrichten …",
  "Nobody has answered.": "Niemand hat geantwortet.",
  "Nothing is pinned here.": "Hier ist nichts angeheftet.",
  Pin: "Anheften",
  "Pinned ": "Angeheftet ",
  "Pinned messages": "Angeheftete Nachrichten",
  "{count} answers": "{count} Antworten",
  Unpin: "Lösen",
  Commands: "Befehle",
  "{it} commands": "{it} Befehle",
  "Everyone may mention @everyone": "Alle dürfen @everyone erwähnen",
};
