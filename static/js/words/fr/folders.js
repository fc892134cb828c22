/** The French catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const FRENCH_FOLDERS = {
  "Actions for {name}": "Actions pour {name}",
  "Choose the folders for {name}.": "Choisissez les dossiers de {name}.",
  "Conversation actions": "Actions de la conversation",
  "Edit folders": "Modifier les dossiers",
  "Folders sort your conversations, the same on all your devices.":
    "Les dossiers classent vos conversations, de la même façon sur tous vos appareils.",
  Folders: "Dossiers",
  "Folders…": "Dossiers…",
  "Mark as read": "Marquer comme lu",
  "Move down": "Descendre",
  "Move up": "Monter",
  "Move {name} down": "Descendre {name}",
  "Move {name} up": "Monter {name}",
  "New folder": "Nouveau dossier",
  "No folders yet.": "Aucun dossier pour l’instant.",
  "Rename folder": "Renommer le dossier",
  "The conversations in this folder are not deleted.":
    "Les conversations de ce dossier ne sont pas supprimées.",
  "There can be at most {MOST} folders.": "Il peut y avoir {MOST} dossiers au plus.",
  "There is a folder with this name already.": "Il existe déjà un dossier de ce nom.",
  "No conversations in {name}.": "Aucune conversation dans {name}.",
  "To add a conversation, open its menu and choose Folders…":
    "Pour ajouter une conversation, ouvrez son menu et choisissez « Dossiers… ».",
  "Show all conversations": "Afficher toutes les conversations",
  "The menu of a conversation in the list": "Le menu d’une conversation de la liste",
};
