/** The Arabic catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const ARABIC_TOPICS = {
  "Topics of {name}": "مواضيع {name}",
  "Only the owner and admins can post in this topic.": "ينشر المالك والمشرفون فقط في هذا الموضوع.",
  "Mute this topic": "كتم هذا الموضوع",
  "{name} made a topic.": "أنشأ {name} موضوعًا.",
  "{name} changed a topic.": "غيّر {name} موضوعًا.",
  "{name} removed a topic.": "حذف {name} موضوعًا.",
  "{name} created the topic {topic}.": "أنشأ {name} الموضوع {topic}.",
  "{name} removed the topic {topic}.": "حذف {name} الموضوع {topic}.",
  "{name} renamed the topic {topic} to {other}.": "غيّر {name} اسم الموضوع {topic} إلى {other}.",
  "{name} changed what the topic {topic} is about: {words}": "غيّر {name} وصف الموضوع {topic}: {words}",
  "{name} removed the description of the topic {topic}.": "حذف {name} وصف الموضوع {topic}.",
  "{name} changed the picture of the topic {topic}.": "غيّر {name} صورة الموضوع {topic}.",
  "{name} changed the type of the topic {topic} to private.": "جعل {name} الموضوع {topic} خاصًا.",
  "{name} changed the type of the topic {topic} to announcement.": "جعل {name} الموضوع {topic} للإعلانات.",
  Topics: "المواضيع",
  "Who can post": "من يمكنه النشر",
  "All members": "كل الأعضاء",
  "Only the owner and admins": "المالك والمشرفون فقط",
  "New topic": "موضوع جديد",
  "Make a topic": "إنشاء موضوع",
  "Edit topic": "تعديل الموضوع",
  "Remove the topic {name}?": "هل تريد حذف الموضوع {name}؟",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "يُحذف الموضوع وكل رسائله نهائيًا لدى كل أعضاء المجموعة.",
  "Remove topic": "حذف الموضوع",
  "A topic is a conversation of its own for all members of the group.":
    "الموضوع محادثة مستقلة لكل أعضاء المجموعة.",
  "No topics yet.": "لا توجد مواضيع بعد.",
  "Topic picture": "صورة الموضوع",
  "This topic has been removed.": "حُذف هذا الموضوع.",
  "This topic": "هذا الموضوع",
  "In the topic {topic}": "في الموضوع {topic}",
  "Topic of {group}": "موضوع في {group}",
};
