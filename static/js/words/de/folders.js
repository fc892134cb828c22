/** The German catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const GERMAN_FOLDERS = {
  "Actions for {name}": "Aktionen für {name}",
  "Choose the folders for {name}.": "Wähle die Ordner für {name}.",
  "Conversation actions": "Aktionen der Unterhaltung",
  "Edit folders": "Ordner bearbeiten",
  "Folders sort your conversations, the same on all your devices.":
    "Ordner gliedern deine Unterhaltungen, auf allen Geräten gleich.",
  Folders: "Ordner",
  "Folders…": "Ordner …",
  "Mark as read": "Als gelesen markieren",
  "Move down": "Nach unten",
  "Move up": "Nach oben",
  "Move {name} down": "{name} nach unten",
  "Move {name} up": "{name} nach oben",
  "New folder": "Neuer Ordner",
  "No folders yet.": "Noch keine Ordner.",
  "Rename folder": "Ordner umbenennen",
  "The conversations in this folder are not deleted.":
    "Die Unterhaltungen in diesem Ordner werden nicht gelöscht.",
  "There can be at most {MOST} folders.": "Es kann höchstens {MOST} Ordner geben.",
  "There is a folder with this name already.": "Es gibt schon einen Ordner mit diesem Namen.",
  "No conversations in {name}.": "Keine Unterhaltungen in {name}.",
  "To add a conversation, open its menu and choose Folders…":
    "Um eine Unterhaltung hinzuzufügen, öffne ihr Menü und wähle „Ordner …“.",
  "Show all conversations": "Alle Unterhaltungen zeigen",
  "The menu of a conversation in the list": "Das Menü einer Unterhaltung in der Liste",
};
