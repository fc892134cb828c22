/** Arabic: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const ARABIC_DIRECTORY = {
  "Find groups": "البحث عن مجموعات",
  "Name or description": "الاسم أو الوصف",
  "Groups in the directory": "المجموعات في الدليل",
  "Your requests to join": "طلباتك للانضمام",
  Withdraw: "سحب",
  "Withdraw your request to join {name}": "سحب طلبك للانضمام إلى {name}",
  Denied: "مرفوض",
  "You were removed": "تمت إزالتك",
  Join: "انضمام",
  "Join {name}": "الانضمام إلى {name}",
  "Ask to join {name}": "طلب الانضمام إلى {name}",
  Open: "فتح",
  "Open {name}": "فتح {name}",
  "This server has no directory of groups.": "لا يوجد دليل للمجموعات على هذا الخادم.",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "سيرى الأعضاء اسمك وصورتك، وسترى رسائلهم. يمكنك المغادرة في أي وقت.",
  "List the group in the directory": "إدراج المجموعة في الدليل",
  "Everybody on this server finds it, and joins or asks to join.":
    "يجدها كل من على هذا الخادم ويمكنه الانضمام أو طلب ذلك.",
  "{name} listed the group in the directory.": "أدرج {name} المجموعة في الدليل.",
  "{name} took the group out of the directory.": "أزال {name} المجموعة من الدليل.",
  "Directory of groups": "دليل المجموعات",
  "On: people find groups that want to be found": "مفعّل: يجد الناس المجموعات التي تريد ذلك",
  Guest: "ضيف",
  Guests: "الضيوف",
  "People without an account become guests": "من ليس لديه حساب يصبح ضيفًا",
  "Guests see only their groups. Their accounts end with the invite.":
    "لا يرى الضيوف إلا مجموعاتهم. تنتهي حساباتهم مع الدعوة.",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "أنت مدعو إلى مجموعة. سجّل الدخول أو أنشئ حساب ضيف للانضمام إليها.",
  "On: invites of groups may make guests": "مفعّل: يمكن لدعوات المجموعات أن تستقبل ضيوفًا",
  "Make a member": "تحويل إلى عضو",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "يصبح {name} عضوًا: لا ينتهي الحساب بعد الآن ويمكنه ما يمكن لغيره.",
  "Guest made a member": "تحويل ضيف إلى عضو",
};
