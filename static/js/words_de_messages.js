/** German words of what people do with messages, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_MESSAGES = {
  "A message was pinned": "Eine Nachricht wurde angeheftet",
  "A message was unpinned": "Eine Nachricht wurde gelöst",
  "Looking for what is pinned…": "Sucht, was angeheftet ist …",
  "Nothing is pinned here.": "Hier ist nichts angeheftet.",
  Pin: "Anheften",
  "Pinned ": "Angeheftet ",
  "Pinned messages": "Angeheftete Nachrichten",
  Unpin: "Lösen",
};
