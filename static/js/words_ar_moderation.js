/**
 * Arabic: the words about bans and timeouts, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const ARABIC_MODERATION = {
  "1 day": "يوم واحد",
  "1 week": "أسبوع واحد",
  "30 days": "30 يومًا",
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
  "1 hour": "ساعة واحدة",
  "10 minutes": "10 دقائق",
  "28 days": "28 يومًا",
  "An admin timed you out: you can read, but not write, until {time}.":
    "أوقفك أحد المشرفين مؤقتًا: يمكنك القراءة، لا الكتابة، حتى {time}.",
  "Banned and timed out": "المحظورون والموقوفون مؤقتًا",
  "End the timeout": "أنهِ الإيقاف",
  "End the timeout of {name}": "أنهِ إيقاف {name}",
  "Time out": "أوقف مؤقتًا",
  "Time out {name}?": "إيقاف {name} مؤقتًا؟",
  "Time out…": "أوقف مؤقتًا…",
  "Until then, {name} can read and leave, but not write or react.":
    "حتى ذلك الحين يمكن لـ{name} القراءة والمغادرة، لا الكتابة ولا التفاعل.",
  Off: "متوقف",
  "Slow mode": "الوضع البطيء",
  "How long members wait between two messages. It does not apply to the owner and admins.":
    "مدة انتظار الأعضاء بين رسالتين. لا يسري ذلك على المالك والمشرفين.",
  "Slow mode: you can post again in {time}.": "الوضع البطيء: يمكنك الكتابة مجددًا بعد {time}.",
  "{name} switched slow mode off.": "أوقف {name} الوضع البطيء.",
  "{name} set slow mode to {time}.": "ضبط {name} الوضع البطيء على {time}.",
};
