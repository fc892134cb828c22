//! The texts of mails, as plain text and as HTML without pictures. Related languages stand in one file.

mod east_asian;
mod missed;
mod registration;
mod romance;
mod test_mail;

use domain::mail::{MailKind, MailLanguage};
pub use missed::{MissedConversation, MissedLine, MissedParts};

/// The content of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The subject.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// The URL that ends such mails (RFC 8058); `None` for mails that users cannot refuse.
    pub unsubscribe: Option<String>,
}

/// What the texts of a mail mention.
#[derive(Debug, Clone)]
pub struct LetterFacts {
    /// The name of the user.
    pub name: String,
    /// The host of the server.
    pub server: String,
    /// The address that the mail is about.
    pub address: String,
    /// The name of the group that the mail invites to.
    pub group: String,
    /// The URL of the link.
    pub link: String,
}

/// The four sentences of a kind of mail.
#[derive(Clone, Copy)]
struct Sentences {
    subject: &'static str,
    body: &'static str,
    button: &'static str,
    note: &'static str,
}

/// The texts of a language.
struct Texts {
    direction: &'static str,
    greeting: &'static str,
    /// The greeting of people whose names the server does not know.
    nameless_greeting: &'static str,
    sentences: fn(MailKind) -> Sentences,
}

impl Texts {
    fn of(language: MailLanguage) -> Self {
        let ltr = |greeting, nameless_greeting, sentences| Self {
            direction: "ltr",
            greeting,
            nameless_greeting,
            sentences,
        };
        match language {
            MailLanguage::English => ltr("Hello {name},", "Hello,", english),
            MailLanguage::German => ltr("Hallo {name},", "Hallo,", german),
            MailLanguage::French => ltr("Bonjour {name},", "Bonjour,", romance::french),
            MailLanguage::Spanish => ltr("Hola, {name}:", "Hola:", romance::spanish),
            MailLanguage::Portuguese => ltr("Olá, {name},", "Olá,", romance::portuguese),
            MailLanguage::Italian => ltr("Ciao {name},", "Ciao,", romance::italian),
            MailLanguage::Arabic => Self {
                direction: "rtl",
                greeting: "مرحبًا {name}،",
                nameless_greeting: "مرحبًا،",
                sentences: arabic,
            },
            MailLanguage::Japanese => {
                ltr("{name}さん、こんにちは。", "こんにちは。", east_asian::japanese)
            }
            MailLanguage::Chinese => ltr("{name}，你好：", "你好：", east_asian::chinese),
            MailLanguage::TraditionalChinese => {
                ltr("{name}，你好：", "你好：", east_asian::traditional_chinese)
            }
        }
    }
}

impl Letter {
    /// Writes a mail of this kind.
    pub fn write(kind: MailKind, language: MailLanguage, facts: &LetterFacts) -> Self {
        Self::with_parts(kind, language, facts, &MissedParts::default())
    }

    /// Writes a mail with which an operator tests whether the server can send mail.
    pub fn test(language: MailLanguage, facts: &LetterFacts) -> Self {
        let sentences = test_mail::sentences(language);
        Self::of_sentences(sentences, true, language, facts, &MissedParts::default())
    }

    /// Writes a mail about missed messages.
    pub fn missed(language: MailLanguage, facts: &LetterFacts, parts: &MissedParts) -> Self {
        Self::with_parts(MailKind::Missed, language, facts, parts)
    }

    fn with_parts(
        kind: MailKind,
        language: MailLanguage,
        facts: &LetterFacts,
        parts: &MissedParts,
    ) -> Self {
        let sentences = (Texts::of(language).sentences)(kind);
        Self::of_sentences(sentences, kind == MailKind::GroupInvite, language, facts, parts)
    }

    fn of_sentences(
        sentences: Sentences,
        is_nameless: bool,
        language: MailLanguage,
        facts: &LetterFacts,
        parts: &MissedParts,
    ) -> Self {
        let Texts { direction, greeting, nameless_greeting, .. } = Texts::of(language);
        let greeting = if is_nameless { nameless_greeting } else { greeting };
        let Sentences { subject, body, button, note } = sentences;
        let filled = |text: &str| fill(text, facts);
        let subject = filled(subject);
        let body = filled(body);
        let note = filled(note);
        let greeting = filled(greeting);
        let link = &facts.link;
        let (list, end) = parts.as_text(language);
        let text = format!("{greeting}\n\n{body}\n\n{list}{button}:\n{link}\n\n{note}\n{end}");
        let (list, end) = parts.as_html(language);
        let [greeting, body, note, link] = [&greeting, &body, &note, link].map(|it| escaped(it));
        let tag = language.tag();
        let html = format!(
            "<!doctype html>\n<html lang=\"{tag}\" dir=\"{direction}\"><head><meta charset=\"utf-8\">\
             <title>{}</title></head>\n<body style=\"font-family:sans-serif;font-size:16px;\
             line-height:1.5;color:#1c1c1e;background:#ffffff;margin:24px\">\n<p>{greeting}</p>\n\
             <p>{body}</p>\n{list}<p><a href=\"{link}\" style=\"display:inline-block;padding:10px 18px;\
             border-radius:8px;background:#1f5fbf;color:#ffffff;text-decoration:none\">{button}</a>\
             </p>\n<p style=\"font-size:14px;word-break:break-all\"><bdi>{link}</bdi></p>\n\
             <p style=\"font-size:14px;color:#55555c\">{note}</p>\n{end}</body></html>\n",
            escaped(&subject),
        );
        Self { subject, text, html, unsubscribe: parts.unsubscribe.clone() }
    }
}

fn fill(text: &str, facts: &LetterFacts) -> String {
    // One pass, so that a name with braces is not filled again.
    let mut filled = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (word, after) = after.split_once('}').unwrap_or((after, ""));
        filled.push_str(match word {
            "name" => &facts.name,
            "server" => &facts.server,
            "address" => &facts.address,
            "group" => &facts.group,
            _ => "",
        });
        rest = after;
    }
    filled.push_str(rest);
    filled
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// A mail in English about a change, with the link against it.
const fn english_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "It was not me",
        note: "If it was you, there is nothing to do. The link is valid for 48 hours. It logs out \
               every device and sends you a link for a new password.",
    }
}

/// A mail in English that invites somebody to a group.
const ENGLISH_INVITE: Sentences = Sentences {
    subject: "{name} invites you to {group} at {server}",
    body: "{name} invites you to the group {group} at {server}.",
    button: "Join the group",
    note: "The link lets one person in, within 7 days. If you do not know {name}, \
           ignore this mail.",
};

fn english(kind: MailKind) -> Sentences {
    let told = english_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "Set a new password for {server}",
            body: "Somebody, probably you, asked for a new password for your account at {server}.",
            button: "Set a new password",
            note: "The link works once, within 30 minutes. If it was not you, ignore this mail: \
                   your password stays as it is.",
        },
        MailKind::Confirmation => Sentences {
            subject: "Confirm your email address for {server}",
            body: "Please confirm that {address} is the address of your account at {server}.",
            button: "Confirm address",
            note: "The link is valid for 7 days. If you have no account there, ignore this mail.",
        },
        MailKind::PasswordChanged => told(
            "Your password for {server} was changed",
            "The password of your account at {server} was changed, and every other device was \
             logged out.",
        ),
        MailKind::AddressChanging => told(
            "Another email address was entered at {server}",
            "The address {address} was entered for your account at {server}. Your present address \
             stays until the new one is confirmed.",
        ),
        MailKind::AddressChanged => told(
            "Your email address at {server} was changed",
            "The email address of your account at {server} is now {address}.",
        ),
        MailKind::Recovered => told(
            "Your account at {server} has a new password",
            "A new password was set for your account at {server} with a link from a mail or from \
             those who run the server. Every device was logged out.",
        ),
        MailKind::FactorAdded => Sentences {
            note: "If it was you, there is nothing to do. The link is valid for 48 hours. It \
                   logs out every device, turns the one-time codes off and sends you a link for \
                   a new password.",
            ..told(
                "Two-factor log-in was turned on at {server}",
                "Log-ins to your account at {server} need a one-time code from an app from now \
                 on.",
            )
        },
        MailKind::FactorRemoved => told(
            "Two-factor log-in was turned off at {server}",
            "Log-ins to your account at {server} need no one-time code any more. Your recovery \
             codes and trusted devices no longer count.",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "If it was you, there is nothing to do. The link is valid for 48 hours. It \
                   logs out every device, removes all passkeys and sends you a link for a new \
                   password.",
            ..told(
                "A passkey was added at {server}",
                "A passkey was added to your account at {server}. It logs in without your \
                 password.",
            )
        },
        MailKind::PasskeyRemoved => told(
            "A passkey was removed at {server}",
            "A passkey of your account at {server} was removed. It no longer logs in.",
        ),
        MailKind::GroupInvite => ENGLISH_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::English),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::English),
        MailKind::Approved => registration::approved(MailLanguage::English),
    }
}

/// A mail in German about a change, with the link against it.
const fn german_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "Das war ich nicht",
        note: "Wenn du das warst, ist nichts zu tun. Der Link gilt 48 Stunden. Er meldet alle \
               Geräte ab und schickt dir einen Link für ein neues Passwort.",
    }
}

/// A mail in German that invites somebody to a group.
const GERMAN_INVITE: Sentences = Sentences {
    subject: "{name} lädt dich in {group} bei {server} ein",
    body: "{name} lädt dich in die Gruppe {group} bei {server} ein.",
    button: "Gruppe beitreten",
    note: "Der Link gilt für eine Person und 7 Tage. Wenn du {name} nicht kennst, \
           ignoriere diese Mail.",
};

fn german(kind: MailKind) -> Sentences {
    let told = german_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "Neues Passwort für {server}",
            body: "Jemand, wahrscheinlich du, hat ein neues Passwort für dein Konto bei {server} \
                   angefordert.",
            button: "Neues Passwort festlegen",
            note: "Der Link funktioniert einmal und gilt 30 Minuten. Wenn du das nicht warst, \
                   ignoriere diese Mail: Dein Passwort bleibt, wie es ist.",
        },
        MailKind::Confirmation => Sentences {
            subject: "Bestätige deine E-Mail-Adresse für {server}",
            body: "Bitte bestätige, dass {address} die Adresse deines Kontos bei {server} ist.",
            button: "Adresse bestätigen",
            note: "Der Link gilt 7 Tage. Wenn du dort kein Konto hast, ignoriere diese Mail.",
        },
        MailKind::PasswordChanged => told(
            "Dein Passwort für {server} wurde geändert",
            "Das Passwort deines Kontos bei {server} wurde geändert, und alle anderen Geräte wurden \
             abgemeldet.",
        ),
        MailKind::AddressChanging => told(
            "Bei {server} wurde eine andere E-Mail-Adresse eingetragen",
            "Für dein Konto bei {server} wurde die Adresse {address} eingetragen. Deine jetzige \
             Adresse bleibt, bis die neue bestätigt ist.",
        ),
        MailKind::AddressChanged => told(
            "Deine E-Mail-Adresse bei {server} wurde geändert",
            "Die E-Mail-Adresse deines Kontos bei {server} ist jetzt {address}.",
        ),
        MailKind::Recovered => told(
            "Dein Konto bei {server} hat ein neues Passwort",
            "Für dein Konto bei {server} wurde über einen Link aus einer Mail oder vom Betreiber ein \
             neues Passwort festgelegt. Alle Geräte wurden abgemeldet.",
        ),
        MailKind::FactorAdded => Sentences {
            note: "Wenn du das warst, ist nichts zu tun. Der Link gilt 48 Stunden. Er meldet \
                   alle Geräte ab, schaltet die Einmalcodes aus und schickt dir einen Link für \
                   ein neues Passwort.",
            ..told(
                "Anmeldung in zwei Schritten bei {server} eingeschaltet",
                "Anmeldungen an deinem Konto bei {server} brauchen ab jetzt einen Einmalcode \
                 aus einer App.",
            )
        },
        MailKind::FactorRemoved => told(
            "Anmeldung in zwei Schritten bei {server} ausgeschaltet",
            "Anmeldungen an deinem Konto bei {server} brauchen keinen Einmalcode mehr. Deine \
             Wiederherstellungscodes und vertrauten Geräte gelten nicht mehr.",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "Wenn du das warst, ist nichts zu tun. Der Link gilt 48 Stunden. Er meldet \
                   alle Geräte ab, entfernt alle Passkeys und schickt dir einen Link für ein \
                   neues Passwort.",
            ..told(
                "Bei {server} wurde ein Passkey hinzugefügt",
                "Deinem Konto bei {server} wurde ein Passkey hinzugefügt. Mit ihm meldet man \
                 sich ohne dein Passwort an.",
            )
        },
        MailKind::PasskeyRemoved => told(
            "Bei {server} wurde ein Passkey entfernt",
            "Ein Passkey deines Kontos bei {server} wurde entfernt. Man kann sich nicht mehr mit \
             ihm anmelden.",
        ),
        MailKind::GroupInvite => GERMAN_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::German),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::German),
        MailKind::Approved => registration::approved(MailLanguage::German),
    }
}

/// A mail in Arabic about a change, with the link against it.
const fn arabic_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "لم أكن أنا",
        note: "إن كنت أنت من فعل ذلك فلا داعي لأي إجراء. الرابط صالح لمدة 48 ساعة، وهو يسجّل خروج \
               جميع الأجهزة ويرسل إليك رابطًا لكلمة مرور جديدة.",
    }
}

/// A mail in Arabic that invites somebody to a group.
const ARABIC_INVITE: Sentences = Sentences {
    subject: "يدعوك {name} إلى {group} في {server}",
    body: "يدعوك {name} إلى مجموعة {group} في {server}.",
    button: "الانضمام إلى المجموعة",
    note: "الرابط صالح لشخص واحد لمدة 7 أيام. إن كنت لا تعرف {name} فتجاهل هذه الرسالة.",
};

fn arabic(kind: MailKind) -> Sentences {
    let told = arabic_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "كلمة مرور جديدة لحسابك في {server}",
            body: "طلب شخص ما، على الأرجح أنت، كلمة مرور جديدة لحسابك في {server}.",
            button: "تعيين كلمة مرور جديدة",
            note: "يعمل الرابط مرة واحدة خلال 30 دقيقة. إن لم تكن أنت فتجاهل هذه الرسالة: تبقى كلمة \
                   مرورك كما هي.",
        },
        MailKind::Confirmation => Sentences {
            subject: "أكّد عنوان بريدك الإلكتروني في {server}",
            body: "يرجى تأكيد أن {address} هو عنوان حسابك في {server}.",
            button: "تأكيد العنوان",
            note: "الرابط صالح لمدة 7 أيام. إن لم يكن لديك حساب هناك فتجاهل هذه الرسالة.",
        },
        MailKind::PasswordChanged => told(
            "تم تغيير كلمة مرورك في {server}",
            "تم تغيير كلمة مرور حسابك في {server}، وتم تسجيل خروج جميع الأجهزة الأخرى.",
        ),
        MailKind::AddressChanging => told(
            "تم إدخال عنوان بريد إلكتروني آخر في {server}",
            "تم إدخال العنوان {address} لحسابك في {server}. يبقى عنوانك الحالي إلى أن يؤكَّد العنوان \
             الجديد.",
        ),
        MailKind::AddressChanged => told(
            "تم تغيير عنوان بريدك الإلكتروني في {server}",
            "عنوان البريد الإلكتروني لحسابك في {server} هو الآن {address}.",
        ),
        MailKind::Recovered => told(
            "لحسابك في {server} كلمة مرور جديدة",
            "تم تعيين كلمة مرور جديدة لحسابك في {server} عبر رابط من رسالة أو من مشغّل الخادم. تم \
             تسجيل خروج جميع الأجهزة.",
        ),
        MailKind::FactorAdded => Sentences {
            note: "إذا كنت أنت من فعل ذلك فلا حاجة إلى شيء. الرابط صالح 48 ساعة. يسجّل خروج \
                   جميع الأجهزة ويوقف الرموز ويرسل إليك رابطًا لكلمة مرور جديدة.",
            ..told(
                "تم تفعيل تسجيل الدخول بخطوتين في {server}",
                "يتطلب تسجيل الدخول إلى حسابك في {server} من الآن رمزًا لمرة واحدة من تطبيق.",
            )
        },
        MailKind::FactorRemoved => told(
            "تم إيقاف تسجيل الدخول بخطوتين في {server}",
            "لم يعد تسجيل الدخول إلى حسابك في {server} يتطلب رمزًا لمرة واحدة. لم تعد رموز \
             الاسترداد والأجهزة الموثوقة صالحة.",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "إذا كنت أنت من فعل ذلك فلا حاجة إلى شيء. الرابط صالح 48 ساعة. يسجّل خروج \
                   جميع الأجهزة ويزيل جميع مفاتيح المرور ويرسل إليك رابطًا لكلمة مرور جديدة.",
            ..told(
                "تمت إضافة مفتاح مرور في {server}",
                "تمت إضافة مفتاح مرور إلى حسابك في {server}. يتيح تسجيل الدخول دون كلمة مرورك.",
            )
        },
        MailKind::PasskeyRemoved => told(
            "تمت إزالة مفتاح مرور في {server}",
            "تمت إزالة مفتاح مرور من حسابك في {server}. لم يعد يتيح تسجيل الدخول.",
        ),
        MailKind::GroupInvite => ARABIC_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::Arabic),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::Arabic),
        MailKind::Approved => registration::approved(MailLanguage::Arabic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_mail_names_operator_and_address_in_each_language() {
        let facts = LetterFacts {
            name: "Ana".to_owned(),
            server: "chat.example.org".to_owned(),
            address: "cem@example.net".to_owned(),
            group: String::new(),
            link: "https://chat.example.org/".to_owned(),
        };
        let mut subjects = std::collections::BTreeSet::new();
        for (tag, language) in MailLanguage::TAGS {
            let letter = Letter::test(*language, &facts);
            let (greeting, body) = letter.text.split_once("\n\n").unwrap();
            assert!(!greeting.contains(&facts.name), "{tag}: {greeting}");
            for word in [&facts.name, &facts.server, &facts.address, &facts.link] {
                assert!(body.contains(word), "{tag}: {body}");
            }
            subjects.insert(letter.subject);
        }
        assert_eq!(subjects.len(), MailLanguage::TAGS.len());
    }

    #[test]
    fn each_mail_names_the_server_in_each_language() {
        let facts = LetterFacts {
            name: "Ana".to_owned(),
            server: "chat.example.org".to_owned(),
            address: "ana@example.org".to_owned(),
            group: "Climbers".to_owned(),
            link: "https://chat.example.org/#/recover/1-a".to_owned(),
        };
        for (tag, language) in MailLanguage::TAGS {
            for kind in MailKind::ALL {
                let letter = Letter::write(kind, *language, &facts);
                let body = letter.text.split("\n\n").nth(1).unwrap();
                assert!(letter.subject.contains(&facts.server), "{}", letter.subject);
                assert!(
                    letter.text.contains(&facts.name) && body.contains(&facts.server),
                    "{body}"
                );
                let english = Letter::write(kind, MailLanguage::English, &facts);
                let is_invite = kind == MailKind::GroupInvite;
                assert_eq!(letter.subject.contains(&facts.group), is_invite, "{}", letter.subject);
                assert_eq!(body.contains(&facts.group), is_invite, "{body}");
                assert_eq!(body.contains(&facts.name), is_invite, "{body}");
                let address = english.text.contains(&facts.address);
                assert_eq!(body.contains(&facts.address), address, "{body}");
                assert_eq!(letter.subject == english.subject, *tag == "en", "{body}");
                assert!(letter.html.contains(&format!("<html lang=\"{tag}\"")));
            }
        }
    }

    #[test]
    fn names_cannot_add_markup_or_placeholders() {
        let facts = LetterFacts {
            name: "<b>{link}</b>".to_owned(),
            server: "chat.example.org".to_owned(),
            address: "ana@example.org".to_owned(),
            group: "Climbers".to_owned(),
            link: "https://chat.example.org/#/recover/1-a".to_owned(),
        };
        let letter = Letter::write(MailKind::Recovery, MailLanguage::Arabic, &facts);
        assert!(letter.text.contains("<b>{link}</b>") && letter.text.contains(&facts.link));
        assert!(letter.html.contains("&lt;b&gt;{link}&lt;/b&gt;"));
        assert!(letter.html.contains("dir=\"rtl\"") && !letter.html.contains("<img"));
    }
}
