/**
 * Arabic: the words about bans, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const ARABIC_MODERATION = {
  "1 day": "يوم واحد",
  "1 week": "أسبوع واحد",
  "30 days": "30 يومًا",
  Banned: "المحظورون",
  "Delete those of the last day": "احذف رسائل اليوم الأخير",
  "Delete those of the last hour": "احذف رسائل الساعة الأخيرة",
  "Delete those of the last week": "احذف رسائل الأسبوع الأخير",
  "How long": "المدة",
  "Keep them": "أبقِها",
  "Lift the ban": "ارفع الحظر",
  "Lift the ban of {name}": "ارفع الحظر عن {name}",
  "Messages of {name}": "رسائل {name}",
  "Reason (optional)": "السبب (اختياري)",
  "Remove and ban": "أزِل واحظر",
  "Remove and ban {name}?": "إزالة {name} وحظره؟",
  "Remove and ban…": "أزِل واحظر…",
  "The owner, admins and {name} can see it.": "يمكن للمالك والمشرفين و{name} رؤيته.",
  "Until somebody lifts the ban": "حتى يرفع أحدهم الحظر",
  "Until {time}": "حتى {time}",
};
