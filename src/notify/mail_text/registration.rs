//! Mails to people whose address somebody registered, and to those whose account operators approved.

use domain::mail::MailLanguage;

use super::Sentences;

const ENGLISH: Sentences = Sentences {
    subject: "You have an account at {server} already",
    body: "Somebody, probably you, registered with {address} at {server}. This address has an \
           account there already, which stays as it is.",
    button: "Log in",
    note: "If you do not know your password any more, choose \"Forgot your password?\" there. \
           If it was not you, ignore this mail.",
};

const GERMAN: Sentences = Sentences {
    subject: "Du hast schon ein Konto bei {server}",
    body: "Jemand, wahrscheinlich du, hat sich mit {address} bei {server} registriert. Diese \
           Adresse hat dort schon ein Konto; es bleibt, wie es ist.",
    button: "Anmelden",
    note: "Wenn du dein Passwort nicht mehr weißt, wähle dort „Passwort vergessen?“. Wenn du \
           das nicht warst, ignoriere diese Mail.",
};

const FRENCH: Sentences = Sentences {
    subject: "Vous avez déjà un compte sur {server}",
    body: "Quelqu’un, probablement vous, s’est inscrit avec {address} sur {server}. Cette \
           adresse y a déjà un compte, qui reste tel quel.",
    button: "Se connecter",
    note: "Si vous ne connaissez plus votre mot de passe, choisissez-y « Mot de passe \
           oublié ? ». Si ce n’était pas vous, ignorez ce message.",
};

const SPANISH: Sentences = Sentences {
    subject: "Ya tienes una cuenta en {server}",
    body: "Alguien, probablemente tú, se ha registrado con {address} en {server}. Esta \
           dirección ya tiene una cuenta allí, que queda como está.",
    button: "Iniciar sesión",
    note: "Si ya no recuerdas tu contraseña, elige allí «¿Olvidaste tu contraseña?». Si no \
           has sido tú, ignora este correo.",
};

const PORTUGUESE: Sentences = Sentences {
    subject: "Você já tem uma conta em {server}",
    body: "Alguém, provavelmente você, cadastrou-se com {address} em {server}. Esse endereço \
           já tem uma conta lá, que continua como está.",
    button: "Entrar",
    note: "Se você não sabe mais a sua senha, escolha lá “Esqueceu sua senha?”. Se não foi você, \
           ignore este e-mail.",
};

const ITALIAN: Sentences = Sentences {
    subject: "Hai già un account su {server}",
    body: "Qualcuno, probabilmente tu, si è registrato con {address} su {server}. Questo \
           indirizzo ha già un account lì, che resta com’è.",
    button: "Accedi",
    note: "Se non ricordi più la password, scegli lì «Password dimenticata?». Se non sei stato \
           tu, ignora questa email.",
};

const ARABIC: Sentences = Sentences {
    subject: "لديك حساب بالفعل في {server}",
    body: "سجّل شخص ما، ربما أنت، بالعنوان {address} في {server}. لهذا العنوان حساب هناك \
           بالفعل، ويبقى كما هو.",
    button: "تسجيل الدخول",
    note: "إذا لم تعد تعرف كلمة مرورك، فاختر هناك «هل نسيت كلمة المرور؟». إذا لم تكن أنت، \
           فتجاهل هذه الرسالة.",
};

const JAPANESE: Sentences = Sentences {
    subject: "{server}のアカウントはすでにあります",
    body: "誰か（おそらくあなた）が{address}で{server}に登録しました。このアドレスのアカウント\
           はすでにあり、そのまま変わりません。",
    button: "ログイン",
    note: "パスワードが分からない場合は、「パスワードを忘れた場合」を選んでください。心当\
           たりがない場合は、このメールを無視してください。",
};

const CHINESE: Sentences = Sentences {
    subject: "你在 {server} 已有账号",
    body: "有人（可能是你）用 {address} 在 {server} 注册。该地址在那里已有账号，账号保持不变。",
    button: "登录",
    note: "如果你忘了密码，请在那里选择“忘记密码？”。如果不是你本人操作，请忽略此邮件。",
};

const TRADITIONAL_CHINESE: Sentences = Sentences {
    subject: "你在 {server} 已有帳號",
    body: "有人（可能是你）用 {address} 在 {server} 註冊。該地址在那裡已有帳號，帳號保持不變。",
    button: "登入",
    note: "如果你忘了密碼，請在那裡選擇「忘記密碼？」。如果不是你本人操作，請忽略此郵件。",
};

/// The sentences of a mail that the address has an account already.
pub(super) const fn already_registered(language: MailLanguage) -> Sentences {
    match language {
        MailLanguage::English => ENGLISH,
        MailLanguage::German => GERMAN,
        MailLanguage::French => FRENCH,
        MailLanguage::Spanish => SPANISH,
        MailLanguage::Portuguese => PORTUGUESE,
        MailLanguage::Italian => ITALIAN,
        MailLanguage::Arabic => ARABIC,
        MailLanguage::Japanese => JAPANESE,
        MailLanguage::Chinese => CHINESE,
        MailLanguage::TraditionalChinese => TRADITIONAL_CHINESE,
    }
}

const ENGLISH_APPROVED: Sentences = Sentences {
    subject: "Your account at {server} is ready",
    body: "The operators of {server} approved your account with {address}.",
    button: "Log in",
    note: "You can confirm the address in your account.",
};

const GERMAN_APPROVED: Sentences = Sentences {
    subject: "Dein Konto bei {server} ist bereit",
    body: "Die Betreiber von {server} haben dein Konto mit {address} freigegeben.",
    button: "Anmelden",
    note: "In deinem Konto kannst du die Adresse bestätigen.",
};

const FRENCH_APPROVED: Sentences = Sentences {
    subject: "Votre compte sur {server} est prêt",
    body: "Les responsables de {server} ont approuvé votre compte avec {address}.",
    button: "Se connecter",
    note: "Vous pouvez confirmer l’adresse dans votre compte.",
};

const SPANISH_APPROVED: Sentences = Sentences {
    subject: "Tu cuenta en {server} está lista",
    body: "Los responsables de {server} han aprobado tu cuenta con {address}.",
    button: "Iniciar sesión",
    note: "Puedes confirmar la dirección en tu cuenta.",
};

const PORTUGUESE_APPROVED: Sentences = Sentences {
    subject: "Sua conta em {server} está pronta",
    body: "Os responsáveis por {server} aprovaram sua conta com {address}.",
    button: "Entrar",
    note: "Você pode confirmar o endereço na sua conta.",
};

const ITALIAN_APPROVED: Sentences = Sentences {
    subject: "Il tuo account su {server} è pronto",
    body: "I gestori di {server} hanno approvato il tuo account con {address}.",
    button: "Accedi",
    note: "Puoi confermare l’indirizzo nel tuo account.",
};

const ARABIC_APPROVED: Sentences = Sentences {
    subject: "حسابك في {server} جاهز",
    body: "وافق مشغّلو {server} على حسابك بالعنوان {address}.",
    button: "تسجيل الدخول",
    note: "يمكنك تأكيد العنوان في حسابك.",
};

const JAPANESE_APPROVED: Sentences = Sentences {
    subject: "{server}のアカウントを使えるようになりました",
    body: "{server}の運営者が{address}のアカウントを承認しました。",
    button: "ログイン",
    note: "アドレスはアカウントのページで確認できます。",
};

const CHINESE_APPROVED: Sentences = Sentences {
    subject: "你在 {server} 的账号已可使用",
    body: "{server} 的运营者已批准你用 {address} 申请的账号。",
    button: "登录",
    note: "你可以在账号页面确认该地址。",
};

const TRADITIONAL_CHINESE_APPROVED: Sentences = Sentences {
    subject: "你在 {server} 的帳號已可使用",
    body: "{server} 的營運者已核准你用 {address} 申請的帳號。",
    button: "登入",
    note: "你可以在帳號頁面確認該地址。",
};

/// The sentences of a mail that operators approved the account.
pub(super) const fn approved(language: MailLanguage) -> Sentences {
    match language {
        MailLanguage::English => ENGLISH_APPROVED,
        MailLanguage::German => GERMAN_APPROVED,
        MailLanguage::French => FRENCH_APPROVED,
        MailLanguage::Spanish => SPANISH_APPROVED,
        MailLanguage::Portuguese => PORTUGUESE_APPROVED,
        MailLanguage::Italian => ITALIAN_APPROVED,
        MailLanguage::Arabic => ARABIC_APPROVED,
        MailLanguage::Japanese => JAPANESE_APPROVED,
        MailLanguage::Chinese => CHINESE_APPROVED,
        MailLanguage::TraditionalChinese => TRADITIONAL_CHINESE_APPROVED,
    }
}
