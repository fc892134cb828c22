/** The Arabic catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const ARABIC_SAVED = {
  "Save message": "حفظ الرسالة",
  "Save messages": "حفظ الرسائل",
  "Remove from saved": "إزالة من المحفوظات",
  Saved: "محفوظة",
  "Saved messages": "الرسائل المحفوظة",
  "Saved messages · Coterie": "الرسائل المحفوظة · Coterie",
  "No saved messages.": "لا توجد رسائل محفوظة.",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "لحفظ رسالة، افتح قائمتها واختر «حفظ الرسالة». أنت وحدك ترى رسائلك المحفوظة.",
  "This message is no longer there.": "لم تعد هذه الرسالة موجودة.",
};
