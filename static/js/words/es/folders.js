/** The Spanish catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const SPANISH_FOLDERS = {
  "Actions for {name}": "Acciones de {name}",
  "Choose the folders for {name}.": "Elige las carpetas de {name}.",
  "Conversation actions": "Acciones de la conversación",
  "Edit folders": "Editar carpetas",
  "Folders sort your conversations, the same on all your devices.":
    "Las carpetas ordenan tus conversaciones, igual en todos tus dispositivos.",
  Folders: "Carpetas",
  "Folders…": "Carpetas…",
  "Mark as read": "Marcar como leída",
  "Move down": "Bajar",
  "Move up": "Subir",
  "Move {name} down": "Bajar {name}",
  "Move {name} up": "Subir {name}",
  "New folder": "Carpeta nueva",
  "No folders yet.": "Aún no hay carpetas.",
  "Rename folder": "Cambiar el nombre de la carpeta",
  "The conversations in this folder are not deleted.": "Las conversaciones de esta carpeta no se eliminan.",
  "There can be at most {MOST} folders.": "Puede haber {MOST} carpetas como máximo.",
  "There is a folder with this name already.": "Ya hay una carpeta con este nombre.",
  "No conversations in {name}.": "No hay conversaciones en {name}.",
  "To add a conversation, open its menu and choose Folders…":
    "Para añadir una conversación, abre su menú y elige «Carpetas…».",
  "Show all conversations": "Mostrar todas las conversaciones",
  "The menu of a conversation in the list": "El menú de una conversación de la lista",
};
