/** The Chinese catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const CHINESE_FOLDERS = {
  "Actions for {name}": "{name} 的操作",
  "Choose the folders for {name}.": "选择 {name} 所在的文件夹。",
  "Conversation actions": "对话操作",
  "Edit folders": "编辑文件夹",
  "Folders sort your conversations, the same on all your devices.":
    "文件夹用来整理对话，在所有设备上都一样。",
  Folders: "文件夹",
  "Folders…": "文件夹…",
  "Mark as read": "标为已读",
  "Move down": "下移",
  "Move up": "上移",
  "Move {name} down": "下移 {name}",
  "Move {name} up": "上移 {name}",
  "New folder": "新建文件夹",
  "No folders yet.": "还没有文件夹。",
  "Rename folder": "重命名文件夹",
  "The conversations in this folder are not deleted.": "此文件夹中的对话不会被删除。",
  "There can be at most {MOST} folders.": "最多可以有 {MOST} 个文件夹。",
  "There is a folder with this name already.": "已有同名的文件夹。",
  "No conversations in {name}.": "{name} 中没有对话。",
  "To add a conversation, open its menu and choose Folders…": "要添加对话，请打开对话的菜单并选择“文件夹…”。",
  "Show all conversations": "显示所有对话",
  "The menu of a conversation in the list": "列表中对话的菜单",
};
