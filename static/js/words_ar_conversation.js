/** The Arabic catalogue of cards, the composer and the head of a conversation. */

/** @type {import("./words.js").Catalogue} */
export const ARABIC_CONVERSATION = {
  Video: "فيديو",
  "Your answer": "إجابتك",
  "Download the picture": "تنزيل الصورة",
  "Zoom in": "تكبير",
  "Zoom out": "تصغير",
  "Withdraw my vote": "سحب صوتي",
  "One answer": "إجابة واحدة",
  "Several answers": "عدة إجابات",
  "No votes yet": "لا أصوات بعد",
  "1 person voted": "صوّت شخص واحد",
  "{count} people voted": {
    zero: "لم يصوّت أحد",
    one: "صوّت شخص واحد",
    two: "صوّت شخصان",
    few: "صوّت {count} أشخاص",
    many: "صوّت {count} شخصًا",
    other: "صوّت {count} شخص",
  },
  "Stop and listen": "إيقاف واستماع",
  "Position in {name}": "الموضع في {name}",
  "Pause {name}": "إيقاف {name} مؤقتًا",
  "Speed {speed}": "السرعة {speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}، {at} من {count}. تنقلها مفاتيح الأسهم.",
  "This text is too long for a message.": "هذا النص أطول من أن يكون رسالة.",
  "Send it as a file": "إرساله كملف",
  "Add a caption": "أضف وصفًا",
  "You were mentioned": "تمت الإشارة إليك",
  Sections: "الأقسام",
  "Do you have an invitation link? Open it in this browser.": "هل لديك رابط دعوة؟ افتحه في هذا المتصفح.",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "أنشئ مجموعة وادعُ الناس إليها برابط. يرون اسمك وصورتك.",
  "Set up your profile": "إعداد ملفك الشخصي",
};
