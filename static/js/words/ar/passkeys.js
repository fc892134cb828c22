/** Arabic: the words of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const ARABIC_PASSKEYS = {
  "Log in with a passkey": "تسجيل الدخول بمفتاح مرور",
  "Use a passkey": "استخدام مفتاح مرور",
  "This passkey is not accepted.": "مفتاح المرور هذا غير مقبول.",
  "No passkey was used. Try again.": "لم يُستخدم أي مفتاح مرور. حاول مرة أخرى.",
  "This device has a passkey of this account already.": "لدى هذا الجهاز مفتاح مرور لهذا الحساب بالفعل.",
  Passkeys: "مفاتيح المرور",
  "Add a passkey": "إضافة مفتاح مرور",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "بمفتاح المرور تسجّل الدخول ببصمة إصبعك أو وجهك أو رمز جهازك، دون كلمة مرور.",
  "This browser has no passkeys at this address. They need https and a name.":
    "لا توجد في هذا المتصفح مفاتيح مرور لهذا العنوان، فهي تتطلب https واسمًا.",
  "So that you recognize it: the device, or where the passkey is stored.":
    "لتتعرف عليه: الجهاز، أو المكان الذي يُحفظ فيه مفتاح المرور.",
  "The passkey was added.": "تمت إضافة مفتاح المرور.",
  "Rename the passkey": "إعادة تسمية مفتاح المرور",
  "Remove {it}?": "إزالة {it}؟",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "لن تتمكن بعد ذلك من تسجيل الدخول بهذا المفتاح. أزله من جهازك أيضًا.",
  "Works only at {host}.": "يعمل فقط في {host}.",
  "Rename: {it}": "إعادة تسمية: {it}",
  "Remove: {it}": "إزالة: {it}",
  Rename: "إعادة التسمية",
};
