//! The mail with which an operator tests whether the server can send mail.

use domain::mail::MailLanguage;

use super::Sentences;

/// The sentences of the mail.
pub(super) const fn sentences(language: MailLanguage) -> Sentences {
    match language {
        MailLanguage::English => Sentences {
            subject: "Test mail from {server}",
            body: "{name} sent this mail to {address} to test whether {server} can send mail. It can.",
            button: "Open the server",
            note: "There is nothing to do.",
        },
        MailLanguage::German => Sentences {
            subject: "Testmail von {server}",
            body: "{name} hat diese Mail an {address} geschickt, um zu prüfen, ob {server} Mails senden kann. Es klappt.",
            button: "Server öffnen",
            note: "Es ist nichts zu tun.",
        },
        MailLanguage::French => Sentences {
            subject: "Message de test de {server}",
            body: "{name} a envoyé ce message à {address} pour vérifier que {server} peut envoyer des e-mails. C’est le cas.",
            button: "Ouvrir le serveur",
            note: "Vous n’avez rien à faire.",
        },
        MailLanguage::Spanish => Sentences {
            subject: "Correo de prueba de {server}",
            body: "{name} ha enviado este correo a {address} para comprobar que {server} puede enviar correo. Funciona.",
            button: "Abrir el servidor",
            note: "No tienes que hacer nada.",
        },
        MailLanguage::Portuguese => Sentences {
            subject: "E-mail de teste de {server}",
            body: "{name} enviou este e-mail para {address} para verificar se {server} consegue enviar e-mails. Funciona.",
            button: "Abrir o servidor",
            note: "Não é preciso fazer nada.",
        },
        MailLanguage::Italian => Sentences {
            subject: "Email di prova da {server}",
            body: "{name} ha inviato questa email a {address} per verificare che {server} possa inviare email. Funziona.",
            button: "Apri il server",
            note: "Non devi fare nulla.",
        },
        MailLanguage::Arabic => Sentences {
            subject: "رسالة اختبار من {server}",
            body: "أرسل {name} هذه الرسالة إلى {address} للتحقق من قدرة {server} على إرسال البريد. البريد يعمل.",
            button: "فتح الخادم",
            note: "لا يلزمك فعل شيء.",
        },
        MailLanguage::Japanese => Sentences {
            subject: "{server}からのテストメール",
            body: "{server}がメールを送信できるか確かめるために、{name}さんがこのメールを{address}に送りました。送信できています。",
            button: "サーバーを開く",
            note: "何もする必要はありません。",
        },
        MailLanguage::Chinese => Sentences {
            subject: "来自 {server} 的测试邮件",
            body: "{name} 向 {address} 发送了此邮件，以检查 {server} 能否发送邮件。发送正常。",
            button: "打开服务器",
            note: "你无需进行任何操作。",
        },
        MailLanguage::TraditionalChinese => Sentences {
            subject: "來自 {server} 的測試郵件",
            body: "{name} 向 {address} 傳送了這封郵件，以檢查 {server} 能否傳送郵件。傳送正常。",
            button: "開啟伺服器",
            note: "你不需要做任何事。",
        },
    }
}
