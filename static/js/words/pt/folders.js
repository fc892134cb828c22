/** The Portuguese catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE_FOLDERS = {
  "Actions for {name}": "Ações de {name}",
  "Choose the folders for {name}.": "Escolha as pastas de {name}.",
  "Conversation actions": "Ações da conversa",
  "Edit folders": "Editar pastas",
  "Folders sort your conversations, the same on all your devices.":
    "As pastas organizam suas conversas, da mesma forma em todos os seus dispositivos.",
  Folders: "Pastas",
  "Folders…": "Pastas…",
  "Mark as read": "Marcar como lida",
  "Move down": "Mover para baixo",
  "Move up": "Mover para cima",
  "Move {name} down": "Mover {name} para baixo",
  "Move {name} up": "Mover {name} para cima",
  "New folder": "Nova pasta",
  "No folders yet.": "Ainda não há pastas.",
  "Rename folder": "Renomear a pasta",
  "The conversations in this folder are not deleted.": "As conversas desta pasta não são excluídas.",
  "There can be at most {MOST} folders.": "Pode haver no máximo {MOST} pastas.",
  "There is a folder with this name already.": "Já existe uma pasta com este nome.",
  "No conversations in {name}.": "Não há conversas em {name}.",
  "To add a conversation, open its menu and choose Folders…":
    "Para adicionar uma conversa, abra o menu dela e escolha “Pastas…”.",
  "Show all conversations": "Mostrar todas as conversas",
  "The menu of a conversation in the list": "O menu de uma conversa da lista",
};
