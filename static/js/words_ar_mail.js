/**
 * Arabic: the words of the pages behind links in mails, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const ARABIC_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "8 أحرف على الأقل. يتم تسجيل خروجك في كل مكان آخر.",
  "Back to log in": "العودة إلى تسجيل الدخول",
  "Forgot your password?": "هل نسيت كلمة المرور؟",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "إن كان لحسابٍ ما هذا العنوان فهناك رسالة تحمل رابطًا في طريقها إليه. يعمل الرابط مرة واحدة خلال 30 دقيقة.",
  "Request a new link": "طلب رابط جديد",
  "Send link": "إرسال الرابط",
  "Set a new password": "تعيين كلمة مرور جديدة",
  "Set password and log in": "تعيين كلمة المرور وتسجيل الدخول",
  "This link was used already, or is too old.": "استُخدم هذا الرابط من قبل أو أنه قديم جدًا.",
  "This server sends no mail. Ask for a link: {contact}":
    "لا يرسل هذا الخادم رسائل بريد. اطلب رابطًا هنا: {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "لا يرسل هذا الخادم رسائل بريد. اطلب رابطًا ممن يديرونه.",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "تم تسجيل خروج جميع الأجهزة. رسالة تحمل رابطًا لكلمة مرور جديدة في طريقها إليك.",
  "It was not me": "لم أكن أنا",
  "Log out everywhere and send a link": "تسجيل الخروج في كل مكان وإرسال رابط",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "ربما يعرف شخص آخر كلمة مرورك. هذا يسجّل خروج جميع الأجهزة ويُبطل كلمة المرور ويرسل إليك رابطًا لكلمة جديدة.",
  "A mail with a link is on its way.": "رسالة تحمل رابطًا في طريقها إليك.",
  "Confirm address": "تأكيد العنوان",
  "Confirm your email address": "أكّد عنوان بريدك الإلكتروني",
  "Go to the conversations": "الذهاب إلى المحادثات",
  "Send the mail again": "إعادة إرسال الرسالة",
  "{address} becomes your address once you open the link in the mail to it.":
    "يصبح {address} عنوانك بعد أن تفتح الرابط في الرسالة المرسلة إليه.",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "لم يُؤكَّد {address} بعد. افتح الرابط في الرسالة المرسلة إليه.",
  "{email} is confirmed.": "تم تأكيد {email}.",
};
