/** Arabic words of the actions on messages, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const ARABIC_ACTIONS = {
  "More actions": "إجراءات أخرى",
  "Message actions": "إجراءات الرسالة",
  "More reactions…": "تفاعلات أخرى…",
  "Reply in thread": "الرد في سلسلة",
  Select: "تحديد",
  "Cancel selection": "إلغاء التحديد",
  "Selected messages": "الرسائل المحددة",
  "1 selected": "رسالة واحدة محددة",
  "{count} selected": {
    zero: "لا رسائل محددة",
    one: "رسالة واحدة محددة",
    two: "رسالتان محددتان",
    few: "{count} رسائل محددة",
    many: "{count} رسالة محددة",
    other: "{count} رسالة محددة",
  },
  "Select: {it}": "تحديد: {it}",
  "Delete {count} messages?": {
    zero: "حذف {count} رسالة؟",
    one: "حذف رسالة واحدة؟",
    two: "حذف رسالتين؟",
    few: "حذف {count} رسائل؟",
    many: "حذف {count} رسالة؟",
    other: "حذف {count} رسالة؟",
  },
  "Forward {count} messages": {
    zero: "إعادة توجيه {count} رسالة",
    one: "إعادة توجيه رسالة واحدة",
    two: "إعادة توجيه رسالتين",
    few: "إعادة توجيه {count} رسائل",
    many: "إعادة توجيه {count} رسالة",
    other: "إعادة توجيه {count} رسالة",
  },
  Details: "التفاصيل",
  "Close details": "إغلاق التفاصيل",
  "Back to the details": "العودة إلى التفاصيل",
  "Pictures, files and links": "الصور والملفات والروابط",
  Members: "الأعضاء",
};
