/** The Japanese catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_SAVED = {
  "Save message": "メッセージを保存",
  "Save messages": "メッセージを保存",
  "Remove from saved": "保存を解除",
  Saved: "保存済み",
  "Saved messages": "保存したメッセージ",
  "Saved messages · Coterie": "保存したメッセージ · Coterie",
  "No saved messages.": "保存したメッセージはありません。",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "メッセージを保存するには、メッセージのメニューを開いて「メッセージを保存」を選んでください。保存したメッセージは自分だけに表示されます。",
  "This message is no longer there.": "このメッセージはもうありません。",
};
