//! Mail: a message in MIME, and the SMTP server that takes it.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use url::{Host, Url};

use crate::mail_text::Letter;
use domain::mail::MailAttempt;

/// How long each step of a conversation with the mail server may take.
const STEP: Duration = Duration::from_secs(20);
/// How long the whole conversation may take.
const CONVERSATION: Duration = Duration::from_secs(60);
/// Characters of a reason that are kept.
const REASON_CHARS: usize = 300;
/// SMTP replies that refuse the login, not the mail (RFC 4954, section 6): later attempts may
/// succeed, once the operator has corrected the password.
const LOGIN_REFUSED: [u16; 4] = [530, 534, 535, 538];

/// The address of the mail server, and the login. The password is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpUrl {
    host: String,
    port: u16,
    security: Security,
    login: Option<(String, String)>,
}

/// How a connection to the mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Security {
    /// TLS from the first byte (RFC 8314).
    Wrapped,
    /// STARTTLS before anything else is said (RFC 3207).
    Upgraded,
    /// None; to this machine only.
    Plain,
}

impl fmt::Debug for SmtpUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SmtpUrl({})", self.server())
    }
}

impl SmtpUrl {
    /// Host and port, without the login.
    pub fn server(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

impl FromStr for SmtpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be a URL like smtps://user:password@mail.example.org, or smtp://… with \
                    ?tls=required";
        let url = Url::parse(text.trim()).map_err(|_| help)?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(help)?;
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(help);
        }
        let security = match (url.scheme(), url.query()) {
            ("smtps", None) => Security::Wrapped,
            ("smtp", Some("tls=required")) => Security::Upgraded,
            ("smtp", None) if is_loopback(&url) => Security::Plain,
            ("smtp", None) => {
                return Err(
                    "needs ?tls=required, or smtps://, unless the mail server is this machine",
                );
            }
            _ => return Err(help),
        };
        let port = url.port().unwrap_or(match security {
            Security::Wrapped => 465,
            Security::Upgraded => 587,
            Security::Plain => 25,
        });
        let login = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => Some((decoded(user), decoded(password.unwrap_or_default()))),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port, security, login })
    }
}

/// Decodes a part of a URL with percent signs.
fn decoded(text: &str) -> String {
    let escaped = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    let pair = form_urlencoded::parse(escaped.as_bytes()).next();
    pair.map(|(text, _)| text.into_owned()).unwrap_or_default()
}

/// Whether the URL names this machine. The hosts of schemes that browsers do not know are not
/// parsed as addresses by `url`.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The sender of all mails, like `Coterie <chat@example.org>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailSender(Mailbox);

impl FromStr for MailSender {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be an email address like chat@example.org or Chat <chat@example.org>";
        text.trim().parse().map(Self).map_err(|_| help)
    }
}

/// The mail server that takes all mails. Cheap to clone.
#[derive(Clone)]
pub struct MailServer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    sender: Mailbox,
    server: String,
}

impl MailServer {
    /// Prepares connections to a mail server. `authorities` are the certificates, in PEM, that sign
    /// the server's; those that browsers trust are trusted too.
    ///
    /// # Errors
    /// If the certificates cannot be read.
    pub fn new(
        url: &SmtpUrl,
        sender: &MailSender,
        authorities: Option<&[u8]>,
    ) -> Result<Self, String> {
        let mut tls = TlsParameters::builder(url.host.clone());
        if let Some(pem) = authorities {
            let certificate = Certificate::from_pem(pem).map_err(|error| error.to_string())?;
            tls = tls.add_root_certificate(certificate);
        }
        let tls = tls.build_rustls().map_err(|error| error.to_string())?;
        let tls = match url.security {
            Security::Wrapped => Tls::Wrapper(tls),
            Security::Upgraded => Tls::Required(tls),
            Security::Plain => Tls::None,
        };
        let domain = sender.0.email.domain().to_owned();
        let builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(url.host.clone());
        let mut builder = builder
            .port(url.port)
            .tls(tls)
            .timeout(Some(STEP))
            .hello_name(ClientId::Domain(domain));
        if let Some((user, password)) = &url.login {
            builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
        }
        Ok(Self { transport: builder.build(), sender: sender.0.clone(), server: url.server() })
    }

    /// Host and port of the mail server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The sender of all mails, like `Coterie <chat@example.org>`.
    pub fn sender(&self) -> String {
        self.sender.to_string()
    }

    /// Sends one mail. `number` makes its `Message-ID`: the same one in every attempt, so that a
    /// mail that was sent twice can be recognized.
    pub async fn send(&self, to: &str, number: &str, letter: &Letter) -> MailAttempt {
        let message = match self.message(to, number, letter) {
            Ok(message) => message,
            Err(reason) => return MailAttempt::Failed { reason, is_final: true },
        };
        let sent = tokio::time::timeout(CONVERSATION, self.transport.send(message)).await;
        let error = match sent {
            Ok(Ok(_)) => return MailAttempt::Sent,
            Ok(Err(error)) => error,
            Err(_) => {
                let reason = "the mail server did not finish within a minute".to_owned();
                return MailAttempt::Failed { reason, is_final: false };
            }
        };
        let is_login = error.status().is_some_and(|code| LOGIN_REFUSED.contains(&code.into()));
        let is_final = error.is_permanent() && !is_login;
        MailAttempt::Failed { reason: reason_of(&error), is_final }
    }

    /// Connects to the mail server and logs in, without sending anything.
    ///
    /// # Errors
    /// If the server cannot be reached or refuses the login; the reason.
    pub async fn reach(&self) -> Result<(), String> {
        match tokio::time::timeout(STEP, self.transport.test_connection()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err("the mail server does not answer".to_owned()),
            Ok(Err(error)) => Err(reason_of(&error)),
            Err(_) => Err("the mail server did not answer within 20 seconds".to_owned()),
        }
    }

    fn message(&self, to: &str, number: &str, letter: &Letter) -> Result<Message, String> {
        let address: Address =
            to.parse().map_err(|_| format!("{to} is no address that mail can be sent to"))?;
        let part = |kind: ContentType, body: &str| {
            SinglePart::builder().header(kind).body(body.to_owned())
        };
        let both = MultiPart::alternative()
            .singlepart(part(ContentType::TEXT_PLAIN, &letter.text))
            .singlepart(part(ContentType::TEXT_HTML, &letter.html));
        let domain = self.sender.email.domain();
        let builder = match letter.unsubscribe.clone() {
            Some(url) => {
                let one_click = "List-Unsubscribe=One-Click".to_owned();
                Message::builder()
                    .header(ListUnsubscribe(format!("<{url}>")))
                    .header(ListUnsubscribePost(one_click))
            }
            None => Message::builder(),
        };
        builder
            .from(self.sender.clone())
            .to(Mailbox::new(None, address))
            .subject(letter.subject.clone())
            .message_id(Some(format!("<{number}@{domain}>")))
            .header(AutoSubmitted("auto-generated".to_owned()))
            .multipart(both)
            .map_err(|error| error.to_string())
    }
}

/// Defines a header whose value is written as it is. The lines of such values are not folded: none
/// of their spaces may become a line break in a URL.
macro_rules! plain_header {
    ($(#[$doc:meta])* $type:ident, $name:literal) => {
        $(#[$doc])*
        #[derive(Clone)]
        struct $type(String);

        impl Header for $type {
            fn name() -> HeaderName {
                HeaderName::new_from_ascii_str($name)
            }

            fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Ok(Self(text.to_owned()))
            }

            fn display(&self) -> HeaderValue {
                HeaderValue::dangerous_new_pre_encoded(Self::name(), self.0.clone(), self.0.clone())
            }
        }
    };
}

plain_header!(
    /// No out-of-office replies (RFC 3834).
    AutoSubmitted,
    "Auto-Submitted"
);
plain_header!(
    /// The URL that ends such mails (RFC 2369).
    ListUnsubscribe,
    "List-Unsubscribe"
);
plain_header!(
    /// One POST to that URL is enough (RFC 8058).
    ListUnsubscribePost,
    "List-Unsubscribe-Post"
);

/// The error and its sources on one line.
fn reason_of(error: &dyn std::error::Error) -> String {
    let mut reason = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let text = inner.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        source = inner.source();
    }
    reason.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(REASON_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Result<SmtpUrl, &'static str> {
        text.parse()
    }

    #[test]
    fn mail_server_is_encrypted_unless_it_is_this_machine() {
        let parsed = url("smtps://ana%40example.org:p%3Aw+d@mail.example.org").unwrap();
        assert_eq!(
            (parsed.server(), parsed.security),
            ("mail.example.org:465".to_owned(), Security::Wrapped)
        );
        assert_eq!(parsed.login, Some(("ana@example.org".to_owned(), "p:w+d".to_owned())));
        assert!(!format!("{parsed:?}").contains("p:w"));
        let upgraded = url("smtp://mail.example.org?tls=required").unwrap();
        assert_eq!((upgraded.port, upgraded.security), (587, Security::Upgraded));
        for local in ["smtp://127.0.0.1:2525", "smtp://localhost", "smtp://[::1]:25"] {
            assert_eq!(url(local).unwrap().security, Security::Plain, "{local}");
        }
        for wrong in [
            "smtp://mail.example.org",
            "http://mail.example.org",
            "smtps://",
            "mail.example.org",
            "smtp://10.0.0.1",
            "smtps://mail.example.org/box",
            "smtp://a.example?tls=none",
        ] {
            assert!(url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sender_has_an_address() {
        assert!("Chat <chat@example.org>".parse::<MailSender>().is_ok());
        assert!("chat@example.org".parse::<MailSender>().is_ok());
        assert!("chat".parse::<MailSender>().is_err());
    }
}
