/** The Arabic catalogue of pinned conversations and folders. */

/** @type {import("../words.js").Catalogue} */
export const ARABIC_FOLDERS = {
  "Actions for {name}": "إجراءات {name}",
  "Choose the folders for {name}.": "اختر مجلدات {name}.",
  "Conversation actions": "إجراءات المحادثة",
  "Edit folders": "تعديل المجلدات",
  "Folders sort your conversations, the same on all your devices.":
    "ترتّب المجلدات محادثاتك، بالشكل نفسه على كل أجهزتك.",
  Folders: "المجلدات",
  "Folders…": "المجلدات…",
  "Mark as read": "تعليم كمقروءة",
  "Move down": "نقل إلى الأسفل",
  "Move up": "نقل إلى الأعلى",
  "Move {name} down": "نقل {name} إلى الأسفل",
  "Move {name} up": "نقل {name} إلى الأعلى",
  "New folder": "مجلد جديد",
  "No folders yet.": "لا مجلدات بعد.",
  "Rename folder": "إعادة تسمية المجلد",
  "The conversations in this folder are not deleted.": "لا تُحذف المحادثات التي في هذا المجلد.",
  "There can be at most {MOST} folders.": "الحد الأقصى لعدد المجلدات هو {MOST}.",
  "There is a folder with this name already.": "يوجد مجلد بهذا الاسم.",
  "No conversations in {name}.": "لا محادثات في {name}.",
  "To add a conversation, open its menu and choose Folders…":
    "لإضافة محادثة، افتح قائمتها واختر «المجلدات…».",
  "Show all conversations": "عرض كل المحادثات",
  "The menu of a conversation in the list": "قائمة محادثة في قائمة المحادثات",
};
