//! The parts that only mails about missed messages have: a list of the messages, and the link that
//! ends such mails.

use domain::mail::MailLanguage;

use super::{Sentences, escaped};

/// Characters of a message that are quoted.
const QUOTED_CHARS: usize = 300;

/// A message in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedLine {
    /// The author's name.
    pub author: String,
    /// The text; `None` if the message has none.
    pub text: Option<String>,
    /// Whether the message is a picture.
    pub is_picture: bool,
}

/// The missed messages of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedConversation {
    /// The name of the group, or of the other person.
    pub name: String,
    /// The messages, oldest first; none if the mail quotes no messages.
    pub lines: Vec<MissedLine>,
    /// The number of missed messages that are not among the lines.
    pub more: usize,
}

/// The list of messages, and the link that ends such mails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissedParts {
    /// The conversations, in the order of the list.
    pub conversations: Vec<MissedConversation>,
    /// The URL that ends such mails.
    pub unsubscribe: Option<String>,
}

/// The words of a language.
#[derive(Clone, Copy)]
struct Words {
    sentences: Sentences,
    end: &'static str,
    picture: &'static str,
    attachment: &'static str,
}

const ENGLISH: Words = Words {
    sentences: Sentences {
        subject: "Unread messages for you at {server}",
        body: "While you were away from {server}, messages came that are for you.",
        button: "Read the messages",
        note: "You get this mail because you have not read these direct messages, mentions \
               and replies. How often such mails come is in your account, under \
               Notifications.",
    },
    end: "Turn these mails off",
    picture: "Picture",
    attachment: "Attachment",
};

const GERMAN: Words = Words {
    sentences: Sentences {
        subject: "Ungelesene Nachrichten für dich bei {server}",
        body: "Während du nicht bei {server} warst, sind Nachrichten für dich gekommen.",
        button: "Nachrichten lesen",
        note: "Du bekommst diese Mail, weil du diese Direktnachrichten, Erwähnungen und \
               Antworten noch nicht gelesen hast. Wie oft solche Mails kommen, steht in \
               deinem Konto unter Benachrichtigungen.",
    },
    end: "Diese Mails abbestellen",
    picture: "Bild",
    attachment: "Anhang",
};

const ARABIC: Words = Words {
    sentences: Sentences {
        subject: "رسائل غير مقروءة لك في {server}",
        body: "وصلت رسائل موجّهة إليك أثناء غيابك عن {server}.",
        button: "قراءة الرسائل",
        note: "تصلك هذه الرسالة لأنك لم تقرأ بعدُ هذه الرسائل المباشرة والإشارات والردود. \
               يمكنك تحديد عدد مرات وصول هذه الرسائل في حسابك، ضمن الإشعارات.",
    },
    end: "إيقاف هذه الرسائل",
    picture: "صورة",
    attachment: "مرفق",
};

const FRENCH: Words = Words {
    sentences: Sentences {
        subject: "Messages non lus pour vous sur {server}",
        body: "Des messages qui vous sont destinés sont arrivés pendant votre absence de \
               {server}.",
        button: "Lire les messages",
        note: "Vous recevez cet e-mail parce que vous n’avez pas encore lu ces messages \
               directs, mentions et réponses. La fréquence de ces e-mails se règle dans \
               votre compte, sous Notifications.",
    },
    end: "Ne plus recevoir ces e-mails",
    picture: "Image",
    attachment: "Pièce jointe",
};

const SPANISH: Words = Words {
    sentences: Sentences {
        subject: "Mensajes sin leer para ti en {server}",
        body: "Mientras no estabas en {server}, llegaron mensajes para ti.",
        button: "Leer los mensajes",
        note: "Recibes este correo porque no has leído estos mensajes directos, menciones y \
               respuestas. La frecuencia de estos correos se elige en tu cuenta, en \
               Notificaciones.",
    },
    end: "Dejar de recibir estos correos",
    picture: "Imagen",
    attachment: "Archivo adjunto",
};

const PORTUGUESE: Words = Words {
    sentences: Sentences {
        subject: "Mensagens não lidas para você em {server}",
        body: "Enquanto você não estava em {server}, chegaram mensagens para você.",
        button: "Ler as mensagens",
        note: "Você recebe este e-mail porque ainda não leu estas mensagens diretas, menções \
               e respostas. A frequência desses e-mails é definida na sua conta, em \
               Notificações.",
    },
    end: "Não receber mais estes e-mails",
    picture: "Imagem",
    attachment: "Anexo",
};

const ITALIAN: Words = Words {
    sentences: Sentences {
        subject: "Messaggi non letti per te su {server}",
        body: "Mentre non eri su {server} sono arrivati messaggi per te.",
        button: "Leggi i messaggi",
        note: "Ricevi questa e-mail perché non hai ancora letto questi messaggi diretti, \
               menzioni e risposte. La frequenza di queste e-mail si sceglie nel tuo \
               account, alla voce Notifiche.",
    },
    end: "Non ricevere più queste e-mail",
    picture: "Immagine",
    attachment: "Allegato",
};

const JAPANESE: Words = Words {
    sentences: Sentences {
        subject: "{server}に未読のメッセージがあります",
        body: "{server}を離れている間に、あなた宛てのメッセージが届きました。",
        button: "メッセージを読む",
        note: "ダイレクトメッセージ、メンション、返信が未読のため、このメールをお送りしていま\
               す。メールの頻度は、アカウントの「通知」で変更できます。",
    },
    end: "このメールの配信を停止",
    picture: "画像",
    attachment: "添付ファイル",
};

const CHINESE: Words = Words {
    sentences: Sentences {
        subject: "你在 {server} 有未读消息",
        body: "你离开 {server} 期间，收到了发给你的消息。",
        button: "阅读消息",
        note: "你收到这封邮件，是因为这些私信、提及和回复还未读。可以在账号的“通知”中选择此类\
               邮件的频率。",
    },
    end: "不再接收此类邮件",
    picture: "图片",
    attachment: "附件",
};

const TRADITIONAL_CHINESE: Words = Words {
    sentences: Sentences {
        subject: "你在 {server} 有未讀訊息",
        body: "你離開 {server} 期間，收到了給你的訊息。",
        button: "閱讀訊息",
        note: "你收到這封郵件，是因為這些私訊、提及和回覆還未讀。可以在帳號的「通知」中選擇這\
               類郵件的頻率。",
    },
    end: "不再接收這類郵件",
    picture: "圖片",
    attachment: "附件",
};

/// The sentences of a mail about missed messages.
pub(super) const fn sentences(language: MailLanguage) -> Sentences {
    Words::of(language).sentences
}

impl Words {
    const fn of(language: MailLanguage) -> Self {
        match language {
            MailLanguage::English => ENGLISH,
            MailLanguage::German => GERMAN,
            MailLanguage::Arabic => ARABIC,
            MailLanguage::French => FRENCH,
            MailLanguage::Spanish => SPANISH,
            MailLanguage::Portuguese => PORTUGUESE,
            MailLanguage::Italian => ITALIAN,
            MailLanguage::Japanese => JAPANESE,
            MailLanguage::Chinese => CHINESE,
            MailLanguage::TraditionalChinese => TRADITIONAL_CHINESE,
        }
    }

    /// The text of a message on one line.
    fn line(&self, line: &MissedLine) -> String {
        let MissedLine { text, is_picture, .. } = line;
        let text = text.as_deref().unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            let kind = if *is_picture { self.picture } else { self.attachment };
            return format!("[{kind}]");
        }
        let mut quoted: String = text.chars().take(QUOTED_CHARS).collect();
        if quoted.len() < text.len() {
            quoted.push('…');
        }
        quoted
    }
}

impl MissedConversation {
    /// The name, with the number of messages where that is all the mail shows.
    fn title(&self) -> String {
        let Self { name, lines, more } = self;
        if lines.is_empty() { format!("{name} ({more})") } else { name.clone() }
    }

    /// The number of messages beyond the lines.
    fn rest(&self) -> Option<String> {
        (!self.lines.is_empty() && self.more > 0).then(|| format!("… +{}", self.more))
    }
}

impl MissedParts {
    /// The list and the end of the plain text.
    pub(super) fn as_text(&self, language: MailLanguage) -> (String, String) {
        let words = Words::of(language);
        let mut list = String::new();
        for conversation in &self.conversations {
            list.push_str(&conversation.title());
            list.push('\n');
            for line in &conversation.lines {
                list.push_str(&format!("  {}: {}\n", line.author, words.line(line)));
            }
            let rest = conversation.rest();
            rest.into_iter().for_each(|rest| list.push_str(&format!("  {rest}\n")));
            list.push('\n');
        }
        let end = self.unsubscribe.as_ref().map(|url| format!("\n{}:\n{url}\n", words.end));
        (list, end.unwrap_or_default())
    }

    /// The list and the end of the HTML.
    pub(super) fn as_html(&self, language: MailLanguage) -> (String, String) {
        let words = Words::of(language);
        let mut list = String::new();
        for conversation in &self.conversations {
            let title = escaped(&conversation.title());
            list.push_str(&format!(
                "<p style=\"margin-bottom:0\"><strong><bdi>{title}</bdi></strong>"
            ));
            for line in &conversation.lines {
                let author = escaped(&line.author);
                let text = escaped(&words.line(line));
                list.push_str(&format!("<br>\n<bdi>{author}</bdi>: <bdi>{text}</bdi>"));
            }
            let rest = conversation.rest();
            rest.into_iter().for_each(|rest| list.push_str(&format!("<br>\n{rest}")));
            list.push_str("</p>\n");
        }
        let end = self.unsubscribe.as_ref().map(|url| {
            let url = escaped(url);
            format!("<p style=\"font-size:14px\"><a href=\"{url}\">{}</a></p>\n", words.end)
        });
        (list, end.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(author: &str, text: Option<&str>) -> MissedLine {
        MissedLine { author: author.to_owned(), text: text.map(str::to_owned), is_picture: true }
    }

    #[test]
    fn list_quotes_messages_on_one_line_each() {
        let long = "x".repeat(QUOTED_CHARS + 1);
        let lines =
            vec![line("Ben", Some("one\n\ntwo")), line("Ben", None), line("Ben", Some(&long))];
        let hikers = MissedConversation { name: "<Hikers>".to_owned(), lines, more: 4 };
        let bare = MissedConversation { name: "Cleo".to_owned(), lines: Vec::new(), more: 2 };
        let unsubscribe = Some("https://chat.example.org/a?b&c".to_owned());
        let parts = MissedParts { conversations: vec![hikers, bare], unsubscribe };
        let (list, end) = parts.as_text(MailLanguage::German);
        let cut = "x".repeat(QUOTED_CHARS);
        assert_eq!(
            list,
            format!(
                "<Hikers>\n  Ben: one two\n  Ben: [Bild]\n  Ben: {cut}…\n  … +4\n\nCleo (2)\n\n"
            )
        );
        assert!(end.contains("Diese Mails abbestellen:\nhttps://chat.example.org/a?b&c"), "{end}");
        let (list, end) = parts.as_html(MailLanguage::German);
        assert!(list.contains("&lt;Hikers&gt;") && !list.contains("<Hikers>"), "{list}");
        assert!(end.contains("href=\"https://chat.example.org/a?b&amp;c\""), "{end}");
    }
}
