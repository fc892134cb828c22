/** The Traditional Chinese catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const TRADITIONAL_FOLDERS = {
  "Actions for {name}": "{name} 的操作",
  "Choose the folders for {name}.": "選擇 {name} 所在的資料夾。",
  "Conversation actions": "對話操作",
  "Edit folders": "編輯資料夾",
  "Folders sort your conversations, the same on all your devices.":
    "資料夾用來整理對話，在所有裝置上都一樣。",
  Folders: "資料夾",
  "Folders…": "資料夾…",
  "Mark as read": "標為已讀",
  "Move down": "下移",
  "Move up": "上移",
  "Move {name} down": "下移 {name}",
  "Move {name} up": "上移 {name}",
  "New folder": "新增資料夾",
  "No folders yet.": "還沒有資料夾。",
  "Rename folder": "重新命名資料夾",
  "The conversations in this folder are not deleted.": "此資料夾中的對話不會被刪除。",
  "There can be at most {MOST} folders.": "最多可以有 {MOST} 個資料夾。",
  "There is a folder with this name already.": "已有同名的資料夾。",
  "No conversations in {name}.": "{name} 中沒有對話。",
  "To add a conversation, open its menu and choose Folders…":
    "若要加入對話，請開啟對話的選單並選擇「資料夾…」。",
  "Show all conversations": "顯示所有對話",
  "The menu of a conversation in the list": "列表中對話的選單",
};
