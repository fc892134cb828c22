/** The Japanese catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_FOLDERS = {
  "Actions for {name}": "{name} の操作",
  "Choose the folders for {name}.": "{name} のフォルダーを選んでください。",
  "Conversation actions": "会話の操作",
  "Edit folders": "フォルダーを編集",
  "Folders sort your conversations, the same on all your devices.":
    "フォルダーで会話を整理できます。すべての端末で同じになります。",
  Folders: "フォルダー",
  "Folders…": "フォルダー…",
  "Mark as read": "既読にする",
  "Move down": "下へ移動",
  "Move up": "上へ移動",
  "Move {name} down": "{name} を下へ移動",
  "Move {name} up": "{name} を上へ移動",
  "New folder": "新しいフォルダー",
  "No folders yet.": "フォルダーはまだありません。",
  "Rename folder": "フォルダーの名前を変更",
  "The conversations in this folder are not deleted.": "このフォルダーの会話は削除されません。",
  "There can be at most {MOST} folders.": "フォルダーは {MOST} 個まで作れます。",
  "There is a folder with this name already.": "この名前のフォルダーはすでにあります。",
  "No conversations in {name}.": "{name} に会話はありません。",
  "To add a conversation, open its menu and choose Folders…":
    "会話を追加するには、会話のメニューを開いて「フォルダー…」を選んでください。",
  "Show all conversations": "すべての会話を表示",
  "The menu of a conversation in the list": "一覧の会話のメニュー",
};
