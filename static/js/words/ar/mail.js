/**
 * Arabic: the words of the pages behind links in mails, and of the second factor, by the English ones.
 */

/** @type {import("../words.js").Catalogue} */
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
  "Two-factor log-in": "تسجيل الدخول بخطوتين",
  "Trusted devices": "الأجهزة الموثوقة",
  "Set up one-time codes": "إعداد رموز المرة الواحدة",
  "No code needed until ": "لا حاجة إلى رمز حتى ",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "يتطلب تسجيل الدخول كلمة المرور فقط. رموز المرة الواحدة من تطبيق تحميه بشكل أفضل.",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "يتطلب تسجيل الدخول رمزًا لمرة واحدة من تطبيقك. لم تبقَ لديك رموز استرداد.",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "يتطلب تسجيل الدخول رمزًا لمرة واحدة من تطبيقك. رموز الاسترداد المتبقية: {left}.",
  "Scan this with an authenticator app, or type the key into it.":
    "امسح هذا بتطبيق مصادقة، أو اكتب المفتاح فيه.",
  "QR code of the key": "رمز QR للمفتاح",
  key: "المفتاح",
  "recovery codes": "رموز الاسترداد",
  "Please confirm that it is you.": "يرجى تأكيد أنك صاحب الحساب.",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "احتفظ برموز الاسترداد هذه. كل رمز يعمل مرة واحدة بدلًا من رمز المرة الواحدة. لن تظهر مرة أخرى.",
  "Enter the code.": "أدخل الرمز.",
  "Two-factor log-in is on.": "تم تفعيل تسجيل الدخول بخطوتين.",
  "Two-factor log-in is off.": "تم إيقاف تسجيل الدخول بخطوتين.",
  "Turn off two-factor log-in?": "إيقاف تسجيل الدخول بخطوتين؟",
  "Recovery codes and trusted devices end too.": "ستتوقف أيضًا رموز الاسترداد والأجهزة الموثوقة.",
  "The six digits that the app shows.": "الأرقام الستة التي يعرضها التطبيق.",
  "The six digits of your authenticator app, or a recovery code.":
    "الأرقام الستة من تطبيق المصادقة، أو رمز استرداد.",
  "This server asks for a second factor. Set one up in your account.":
    "يتطلب هذا الخادم عاملًا ثانيًا. أعِدّه في حسابك.",
  "This server asks for a second factor. Set it up by {date}.":
    "يتطلب هذا الخادم عاملًا ثانيًا. آخر موعد لإعداده: {date}.",
  "This server asks for a second factor. Set it up now.": "يتطلب هذا الخادم عاملًا ثانيًا. أعِدّه الآن.",
  "Who must have a second factor": "من يجب أن يكون لديه عامل ثانٍ",
  "People who have none get 14 days to set up one-time codes.":
    "يُمنح من ليس لديه عامل ثانٍ 14 يومًا لإعداد رموز المرة الواحدة.",
  "Nobody has to have one": "لا أحد ملزم به",
  Operators: "المشغّلون",
  "This server asks operators for a second factor. These pages open once you have one.":
    "يتطلب هذا الخادم من المشغّلين عاملًا ثانيًا. تُفتح هذه الصفحات حالما يكون لديك واحد.",
  "Set up a second factor": "إعداد عامل ثانٍ",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "يتطلب هذا الخادم من الجميع عاملًا ثانيًا. تُفتح محادثاتك حالما يكون لديك واحد.",
  "A server that asks for a second factor will ask you to set one up again.":
    "الخادم الذي يتطلب عاملًا ثانيًا سيطلب منك إعداد واحد من جديد.",
  "Trust this device": "الوثوق بهذا الجهاز",
  "For 30 days, log-ins here need no code.": "لمدة 30 يومًا لا يتطلب تسجيل الدخول هنا رمزًا.",
  "This log-in has expired. Log in again.": "انتهت صلاحية تسجيل الدخول هذا. سجّل الدخول مرة أخرى.",
  "This code is wrong or was used already.": "هذا الرمز خاطئ أو استُخدم من قبل.",
  "Enter your code": "أدخل رمزك",
  Code: "الرمز",
  Continue: "متابعة",
  Download: "تنزيل",
  "Log out everywhere else": "تسجيل الخروج من كل مكان آخر",
  "Log out everywhere else?": "تسجيل الخروج من كل مكان آخر؟",
  "Every other session ends at once. Applications keep their access.":
    "تنتهي كل الجلسات الأخرى فورًا. تحتفظ التطبيقات بصلاحية الوصول.",
  "All other sessions were logged out.": "تم تسجيل خروج جميع الجلسات الأخرى.",
  "Log in with {provider}": "تسجيل الدخول عبر {provider}",
  "Logging in…": "جارٍ تسجيل الدخول…",
  "Link and log in": "ربط وتسجيل الدخول",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "يوجد حساب بالعنوان {email} بالفعل. أدخل كلمة مروره مرة واحدة لتسجيل الدخول إليه عبر {provider}.",
  "Wrong password or code.": "كلمة المرور أو الرمز غير صحيح.",
  "Single sign-on": "تسجيل الدخول الموحّد",
  "Accounts elsewhere with which you log in here.": "حسابات خارجية تسجّل بها الدخول هنا.",
  "Link an account at {provider}": "ربط حساب لدى {provider}",
  "Confirm that it is you": "أكّد هويتك",
  "Confirm at {provider}": "التأكيد عبر {provider}",
  "Unlink {it}?": "إلغاء ربط {it}؟",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "لن تتمكن من تسجيل الدخول بهذا الحساب. ستنتهي جلساتك الأخرى التي بدأت به.",
  Unlink: "إلغاء الربط",
  "Unlink: {it}": "إلغاء الربط: {it}",
  "This is the only way to log in. Set a password first.":
    "هذه هي الطريقة الوحيدة لتسجيل الدخول. عيّن كلمة مرور أولًا.",
  "New recovery codes": "رموز استرداد جديدة",
  "The former recovery codes end.": "تنتهي رموز الاسترداد السابقة.",
  "Your recovery codes were replaced.": "استُبدلت رموز الاسترداد.",
  "Acts of operators": "إجراءات مشغّلي الخادم",
  "What operators of this server did to your account, and why.": "ما فعله مشغّلو هذا الخادم بحسابك، ولماذا.",
  "on the server's machine": "على جهاز الخادم",
  "Turn these mails off": "إيقاف هذه الرسائل",
  "This link belongs to another address. Turn the mails off in your account.":
    "هذا الرابط لعنوان آخر. أوقف الرسائل من حسابك.",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "لن تصلك بعد الآن رسائل بريد عن الرسائل غير المقروءة. يمكنك تشغيلها من حسابك.",
  "Mails about unread messages": "رسائل بريد عن الرسائل غير المقروءة",
  "After half an hour, when I am away": "بعد نصف ساعة من غيابي",
  "Once a day": "مرة في اليوم",
  "Once a week": "مرة في الأسبوع",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "الرسائل المباشرة والإشارات والردود. لا تشمل المحادثات المكتومة.",
  "Only addresses of certain domains may register.": "يمكن التسجيل بعناوين نطاقات معيّنة فقط.",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "يمكن التسجيل بعناوين نطاقات معيّنة فقط. تؤكد رسالة بريد عنوانك.",
  "Addresses of {domains} may register. A mail confirms yours.":
    "يمكن التسجيل بعناوين {domains}. تؤكد رسالة بريد عنوانك.",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "هناك رسالة في طريقها إلى {address}. افتح رابطها خلال 7 أيام، ثم يمكنك تسجيل الدخول.",
  "Confirm your address first, with the link in the mail.":
    "أكّد عنوانك أولًا بالرابط الموجود في رسالة البريد.",
  "The one that you chose when you created the account.": "التي اخترتها عند إنشاء الحساب.",
  "Who confirms an address of certain domains": "من يؤكد عنوانًا من نطاقات معيّنة",
  "Domains whose addresses may register": "النطاقات التي يمكن لعناوينها التسجيل",
  "Like example.org, example.com": "مثل example.org, example.com",
  "Show the domains": "إظهار النطاقات",
  "Enter a domain, like example.org.": "أدخل نطاقًا، مثل example.org.",
  "Waits for the confirmation of the address": "ينتظر تأكيد العنوان",
  "Can be used": "قابل للاستخدام",
  "Who are you, and why do you want an account?": "من أنت، ولماذا تريد حسابًا؟",
  "The operators of this server read it, and decide.": "يقرؤه مشغّلو هذا الخادم ويقرّرون.",
  "Write a sentence about yourself.": "اكتب جملة عن نفسك.",
  "Your request was sent. You can log in once the operators approve it.":
    "أُرسل طلبك. يمكنك تسجيل الدخول حين يوافق عليه المشغّلون.",
  "The operators have not approved this account yet. You can log in once they do.":
    "لم يوافق المشغّلون على هذا الحساب بعد. يمكنك تسجيل الدخول حين يوافقون.",
  "You are invited. Create an account.": "أنت مدعو. أنشئ حسابًا.",
  "You are invited to {place}. Create an account.": "أنت مدعو إلى {place}. أنشئ حسابًا.",
  "You are invited. This server creates no accounts with a password.":
    "أنت مدعو. لا ينشئ هذا الخادم حسابات بكلمة مرور.",
  "This invitation was used up or has ended. Ask for a new one.":
    "استُنفدت هذه الدعوة أو انتهت. اطلب دعوة جديدة.",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "هذه الدعوة غير موجودة. تحقق من العنوان أو اطلب دعوة جديدة.",
  "You need an invitation to create an account.": "تحتاج إلى دعوة لإنشاء حساب.",
  "You need an invitation to create an account. Ask the operators of this server.":
    "تحتاج إلى دعوة لإنشاء حساب. اطلبها من مشغّلي هذا الخادم.",
  "You need an invitation to create an account. Ask for one: {contact}":
    "تحتاج إلى دعوة لإنشاء حساب. اطلبها من: {contact}",
};
