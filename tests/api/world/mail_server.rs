//! A mail server under the test's control: it speaks SMTP (RFC 5321) on a real socket, keeps what it
//! accepts, and refuses what the test says.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A mail that the server received, accepted or not.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedMail {
    /// The recipient of the envelope.
    pub(crate) to: String,
    /// The message, with line breaks of one character.
    source: String,
}

impl ReceivedMail {
    /// The value of a header, with encoded words decoded.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> String {
        let head = self.source.split("\n\n").next().unwrap().replace("\n ", " ");
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let value = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = value.unwrap_or_else(|| panic!("no {name} in {head}")).1;
        let (mut text, mut was_encoded) = (String::new(), true);
        for word in value.split(' ') {
            let encoded = word.strip_prefix("=?utf-8?b?").and_then(|it| it.strip_suffix("?="));
            // A space between two encoded words is no part of the text (RFC 2047, section 6.2).
            if !(was_encoded && (encoded.is_some() || text.is_empty())) {
                text.push(' ');
            }
            was_encoded = encoded.is_some();
            match encoded {
                Some(it) => {
                    text.push_str(std::str::from_utf8(&STANDARD.decode(it).unwrap()).unwrap())
                }
                None => text.push_str(word),
            }
        }
        text
    }

    /// The decoded part of this type.
    #[track_caller]
    pub(crate) fn part(&self, kind: &str) -> String {
        let (_, rest) = self.source.split_once(&format!("Content-Type: {kind}")).unwrap();
        let (head, body) = rest.split_once("\n\n").unwrap();
        let body = body.split("\n--").next().unwrap();
        if head.contains("base64") {
            let packed: String = body.split_whitespace().collect();
            return String::from_utf8(STANDARD.decode(packed).unwrap()).unwrap();
        }
        if head.contains("quoted-printable") { unquoted(body) } else { body.to_owned() }
    }

    /// The last part of the link to a page of the web client.
    #[track_caller]
    pub(crate) fn link(&self, page: &str) -> String {
        let text = self.part("text/plain");
        let (_, rest) = text.split_once(&format!("/#/{page}/")).expect("the mail has the link");
        rest.split_whitespace().next().unwrap().to_owned()
    }
}

/// Decodes quoted-printable (RFC 2045, section 6.7).
fn unquoted(text: &str) -> String {
    let text = text.replace("=\n", "");
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        if *first == b'=' {
            let (digits, after) = after.split_at(2);
            let digits = std::str::from_utf8(digits).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// A mail server on a port of this machine.
pub(crate) struct MailServer {
    address: SocketAddr,
    replies: Arc<Mutex<VecDeque<&'static str>>>,
    /// Whether replies to the content of mails wait.
    hesitates: watch::Sender<bool>,
    received: UnboundedReceiver<ReceivedMail>,
    task: JoinHandle<()>,
}

impl MailServer {
    /// Starts a server that accepts every mail.
    pub(crate) async fn starts() -> Self {
        Self::with(None).await
    }

    /// Starts a server, which speaks TLS from the first byte if there is an acceptor.
    pub(crate) async fn with(tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (send, received) = mpsc::unbounded_channel();
        let replies: Arc<Mutex<VecDeque<&'static str>>> = Arc::default();
        let script = Arc::clone(&replies);
        let hesitates = watch::Sender::new(false);
        let waits = hesitates.subscribe();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (send, script, tls) = (send.clone(), Arc::clone(&script), tls.clone());
                let waits = waits.clone();
                tokio::spawn(async move {
                    match tls {
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                converse(stream, &send, &script, waits).await;
                            }
                        }
                        None => drop(converse(stream, &send, &script, waits).await),
                    }
                });
            }
        });
        Self { address, replies, hesitates, received, task }
    }

    /// The URL of the server, for a plain connection on this machine.
    pub(crate) fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// The port of the server.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Replies so to the content of the next mails, instead of accepting them.
    pub(crate) fn refuses(&self, replies: &[&'static str]) {
        self.replies.lock().unwrap().extend(replies);
    }

    /// Replies to no mail from now on, until it is told to.
    pub(crate) fn hesitates(&self) {
        self.hesitates.send_replace(true);
    }

    /// Replies to the mails that wait for it, and to the next ones at once.
    pub(crate) fn replies(&self) {
        self.hesitates.send_replace(false);
    }

    /// Waits for the next mail.
    #[track_caller]
    pub(crate) fn receives(&mut self) -> impl Future<Output = ReceivedMail> {
        let next = tokio::time::timeout(Duration::from_secs(120), self.received.recv());
        async { next.await.expect("a mail comes").unwrap() }
    }

    /// Checks that no mail came so far.
    #[track_caller]
    pub(crate) fn has_nothing_more(&mut self) {
        assert!(self.received.try_recv().is_err(), "no mail was expected");
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Speaks with one client until it leaves; `None` if it leaves without a word.
async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    received: &UnboundedSender<ReceivedMail>,
    replies: &Mutex<VecDeque<&'static str>>,
    mut waits: watch::Receiver<bool>,
) -> Option<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 mail.example.org ESMTP\r\n").await.ok()?;
    let mut to = String::new();
    loop {
        stream.flush().await.ok()?;
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return Some(());
        }
        let line = line.trim_end().to_owned();
        let verb = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let reply = match verb.as_str() {
            "EHLO" => "250-mail.example.org\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME\r\n".to_owned(),
            "AUTH" => "235 2.7.0 accepted\r\n".to_owned(),
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                "250 2.1.5 ok\r\n".to_owned()
            }
            "DATA" => {
                stream.write_all(b"354 go ahead\r\n").await.ok()?;
                stream.flush().await.ok()?;
                let source = content(&mut stream).await?;
                let reply = replies.lock().unwrap().pop_front();
                received.send(ReceivedMail { to: to.clone(), source }).ok()?;
                waits.wait_for(|waits| !*waits).await.ok()?;
                format!("{}\r\n", reply.unwrap_or("250 2.0.0 queued"))
            }
            "QUIT" => {
                stream.write_all(b"221 2.0.0 bye\r\n").await.ok()?;
                return stream.flush().await.ok();
            }
            _ => "250 2.0.0 ok\r\n".to_owned(),
        };
        stream.write_all(reply.as_bytes()).await.ok()?;
    }
}

/// Reads the content of a mail up to the line with a dot alone.
async fn content<S: AsyncRead + Unpin>(stream: &mut BufReader<S>) -> Option<String> {
    let mut source = String::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let line = line.trim_end_matches(['\r', '\n']);
        if line == "." {
            return Some(source);
        }
        source.push_str(line.strip_prefix('.').unwrap_or(line));
        source.push('\n');
    }
}
