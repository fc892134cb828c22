/** The Italian catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const ITALIAN_FOLDERS = {
  "Actions for {name}": "Azioni per {name}",
  "Choose the folders for {name}.": "Scegli le cartelle di {name}.",
  "Conversation actions": "Azioni della conversazione",
  "Edit folders": "Modifica cartelle",
  "Folders sort your conversations, the same on all your devices.":
    "Le cartelle ordinano le tue conversazioni, allo stesso modo su tutti i dispositivi.",
  Folders: "Cartelle",
  "Folders…": "Cartelle…",
  "Mark as read": "Segna come letta",
  "Move down": "Sposta giù",
  "Move up": "Sposta su",
  "Move {name} down": "Sposta giù {name}",
  "Move {name} up": "Sposta su {name}",
  "New folder": "Nuova cartella",
  "No folders yet.": "Ancora nessuna cartella.",
  "Rename folder": "Rinomina cartella",
  "The conversations in this folder are not deleted.":
    "Le conversazioni in questa cartella non vengono eliminate.",
  "There can be at most {MOST} folders.": "Possono esserci al massimo {MOST} cartelle.",
  "There is a folder with this name already.": "Esiste già una cartella con questo nome.",
  "No conversations in {name}.": "Nessuna conversazione in {name}.",
  "To add a conversation, open its menu and choose Folders…":
    "Per aggiungere una conversazione, apri il suo menu e scegli «Cartelle…».",
  "Show all conversations": "Mostra tutte le conversazioni",
  "The menu of a conversation in the list": "Il menu di una conversazione nell’elenco",
};
