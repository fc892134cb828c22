/** The Traditional Chinese catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const TRADITIONAL_SAVED = {
  "Save message": "收藏訊息",
  "Save messages": "收藏訊息",
  "Remove from saved": "取消收藏",
  Saved: "已收藏",
  "Saved messages": "收藏的訊息",
  "Saved messages · Coterie": "收藏的訊息 · Coterie",
  "No saved messages.": "沒有收藏的訊息。",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "若要收藏訊息，請開啟訊息的選單並選擇「收藏訊息」。只有你看得到自己收藏的訊息。",
  "This message is no longer there.": "這則訊息已不存在。",
};
