//! Mails to people whose address somebody registered.

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
