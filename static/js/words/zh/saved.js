/** The Chinese catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const CHINESE_SAVED = {
  "Save message": "收藏消息",
  "Save messages": "收藏消息",
  "Remove from saved": "取消收藏",
  Saved: "已收藏",
  "Saved messages": "收藏的消息",
  "Saved messages · Coterie": "收藏的消息 · Coterie",
  "No saved messages.": "没有收藏的消息。",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "要收藏消息，请打开消息的菜单并选择“收藏消息”。只有你能看到自己收藏的消息。",
  "This message is no longer there.": "这条消息已不存在。",
};
