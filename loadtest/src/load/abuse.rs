//! Abusive clients: one kind of abuse on many connections, again and again.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::setpriority_process;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::bombs;
use crate::http::request::{self, PostTarget};
use crate::http::response::parse_head;
use crate::ws::frame::{Opcode, encode_masked};
use crate::ws::handshake;

/// The kind of abuse that a connection commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abuse {
    HalfHeads,
    HalfBodies,
    HugeBodies,
    GzipBodies,
    DeepJson,
    PictureBombs,
    HugeFrames,
    Subscriptions,
    Handshakes,
    PhraseSearches,
    PrefixSearches,
    UnreadPages,
    CallbackBots,
    SlowUploads,
    AddedNumbers,
    LargeDrafts,
}

/// All kinds of abuse, with their names in the report.
pub const ALL: [(Abuse, &str); 16] = [
    (Abuse::HalfHeads, "half-sent heads"),
    (Abuse::HalfBodies, "half-sent bodies"),
    (Abuse::HugeBodies, "bodies of 64 MiB"),
    (Abuse::GzipBodies, "gzip bodies of 140 MB"),
    (Abuse::DeepJson, "JSON 60,000 deep"),
    (Abuse::PictureBombs, "pictures of 60,000²"),
    (Abuse::HugeFrames, "frames of 1 MiB"),
    (Abuse::Subscriptions, "10,000 subscriptions"),
    (Abuse::Handshakes, "Bayeux handshakes"),
    (Abuse::PhraseSearches, "searches for a phrase with a prefix"),
    (Abuse::PrefixSearches, "searches for many prefixes"),
    (Abuse::UnreadPages, "pages of unread events"),
    (Abuse::CallbackBots, "bots with a callback URL"),
    (Abuse::SlowUploads, "uploads that stop after a kilobyte"),
    (Abuse::AddedNumbers, "phone numbers added to a group"),
    (Abuse::LargeDrafts, "drafts of 10,000 characters"),
];

/// The most connections of one user who abuses what users may do. Each waits for its answer, as
/// one program does that sends many requests at once.
const OF_ONE_USER: usize = 40;
/// How long a connection leaves a page unread.
const UNREAD: Duration = Duration::from_secs(5);
/// Bytes that the kernel may hold of an unread page.
const UNREAD_BUFFER: u32 = 4096;
/// Characters of a draft.
const DRAFT: usize = 10_000;
/// Phone numbers in one request to add members.
const NUMBERS: usize = 50;

/// Bytes of a body that no server should accept, and of each piece in which it is sent.
const HUGE: usize = 64 << 20;
const PIECE: usize = 64 << 10;
/// Bytes of a compressed body or picture; it unpacks to 158 times as many.
const GZIP_BYTES: usize = 875_000;
/// Levels of nested JSON arrays.
const DEPTH: usize = 60_000;
const SUBSCRIPTIONS: usize = 10_000;
/// Bayeux handshakes in one batch.
const HANDSHAKES: usize = 100;
/// The nice value of the abusers' thread: everybody else runs first.
const LOWEST_PRIORITY: i32 = 19;
/// How long a client waits for an answer before it gives up; longer than a busy server needs.
const PATIENCE: Duration = Duration::from_secs(90);
/// The pause of a client between two attempts.
const REST: Duration = Duration::from_millis(20);

/// How one connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// The server answered with this status.
    Answered(u16),
    /// The server closed the WebSocket with this code.
    Closed(u16),
    /// The connection failed or ended without an answer or a close frame.
    Cut,
    /// The connection was neither answered nor ended in time.
    Held,
}

impl Abuse {
    /// Whether each request alone is an act that users are allowed; only the number is abuse.
    fn is_allowed_once(self) -> bool {
        matches!(
            self,
            Self::PhraseSearches
                | Self::PrefixSearches
                | Self::UnreadPages
                | Self::CallbackBots
                | Self::SlowUploads
                | Self::AddedNumbers
                | Self::LargeDrafts
        )
    }
}

impl Ending {
    /// Whether a server that protects itself may end a connection of this abuse in this way.
    pub fn is_sound(self, abuse: Abuse) -> bool {
        match self {
            // The server answers each handshake of a batch separately, inside one 200.
            Self::Answered(200) if abuse == Abuse::Handshakes => true,
            Self::Answered(200..400) => abuse.is_allowed_once(),
            Self::Answered(status) => matches!(status, 400..500 | 503),
            Self::Closed(code) => code != 1011,
            Self::Cut => true,
            Self::Held => false,
        }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Answered(status) => write!(to, "{status}"),
            Self::Closed(code) => write!(to, "closed with {code}"),
            Self::Cut => write!(to, "cut"),
            Self::Held => write!(to, "held"),
        }
    }
}

/// Many connections that commit one kind of abuse.
#[derive(Debug)]
pub struct Abusers {
    addr: SocketAddr,
    abuse: Abuse,
    connections: usize,
    what: Arc<Vec<u8>>,
    endings: Arc<Mutex<BTreeMap<Ending, u64>>>,
}

impl Abusers {
    /// Prepares the connections. They use the token of a group's member, as any registered user
    /// could; `cursor` is the place after which unread pages begin.
    pub fn new(
        addr: SocketAddr,
        abuse: Abuse,
        connections: usize,
        of: &PostTarget,
        cursor: &str,
    ) -> Self {
        let most = if abuse.is_allowed_once() { OF_ONE_USER } else { connections };
        Self {
            addr,
            abuse,
            connections: connections.min(most),
            what: Arc::new(bytes(addr, abuse, of, cursor)),
            endings: Arc::default(),
        }
    }

    /// Runs until dropped; connections that still wait then are not counted.
    ///
    /// The abusers have a thread of their own with the lowest priority: they would use other
    /// machines. On the threads of the users who are measured, or with their priority, the abusers
    /// would delay these users and the server by the work of sending.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub async fn run(&self) -> std::io::Result<()> {
        let (addr, abuse, connections) = (self.addr, self.abuse, self.connections);
        let (what, endings) = (Arc::clone(&self.what), Arc::clone(&self.endings));
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("abusers".to_owned()).spawn(move || {
            // Raising the number needs no right, so this does not fail.
            setpriority_process(None, LOWEST_PRIORITY).ok();
            runtime.block_on(async {
                let mut acting = JoinSet::new();
                for _ in 0..connections {
                    acting.spawn(repeat(addr, abuse, Arc::clone(&what), Arc::clone(&endings)));
                }
                drop(stopped.await);
            });
        })?;
        let _thread = AbuserThread { stop: Some(stop), thread: Some(thread) };
        std::future::pending().await
    }

    /// Returns how the connections that are over ended, and how often in each way.
    pub fn endings(&self) -> BTreeMap<Ending, u64> {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The thread of the abusers; dropping it ends them.
struct AbuserThread {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Drop for AbuserThread {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A panic was printed by its thread.
        drop(self.thread.take().map(thread::JoinHandle::join));
    }
}

/// Commits the abuse on one connection after the other, for ever.
async fn repeat(
    addr: SocketAddr,
    abuse: Abuse,
    what: Arc<Vec<u8>>,
    endings: Arc<Mutex<BTreeMap<Ending, u64>>>,
) {
    loop {
        let ended = tokio::time::timeout(PATIENCE, act(addr, abuse, &what)).await;
        let ending = ended.map_or(Ending::Held, |it| it.unwrap_or(Ending::Cut));
        note(&endings, ending);
        tokio::time::sleep(REST).await;
    }
}

fn note(endings: &Mutex<BTreeMap<Ending, u64>>, ending: Ending) {
    *endings.lock().unwrap_or_else(PoisonError::into_inner).entry(ending).or_default() += 1;
}

/// Returns the bytes that a connection sends first.
fn bytes(host: SocketAddr, abuse: Abuse, of: &PostTarget, cursor: &str) -> Vec<u8> {
    let messages = format!("/v3/groups/{}/messages", of.group_id);
    match abuse {
        Abuse::HalfHeads => format!("POST /auth/login HTTP/1.1\r\nHost: {host}\r\nX-A: ").into(),
        Abuse::HalfBodies => {
            let mut bytes = request::post_bytes(host, "/auth/login", "", 1000);
            bytes.extend(br#"{"email": ""#);
            bytes
        }
        Abuse::HugeBodies => request::post_bytes(host, &messages, &of.token, HUGE),
        Abuse::GzipBodies => {
            let body = bombs::gzip(GZIP_BYTES);
            let length = body.len();
            let head = format!(
                "POST /auth/login HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
                 Content-Encoding: gzip\r\nContent-Length: {length}\r\n\r\n"
            );
            [head.into_bytes(), body].concat()
        }
        Abuse::DeepJson => request::post(host, &messages, &of.token, &"[".repeat(DEPTH)),
        Abuse::PictureBombs => {
            let picture = bombs::png(GZIP_BYTES);
            let head = request::post_bytes(host, "/pictures", &of.token, picture.len());
            [head, picture].concat()
        }
        // The handshake comes first; the frames follow once the connection is open.
        Abuse::HugeFrames | Abuse::Subscriptions => frames(abuse, &of.token),
        Abuse::Handshakes => {
            let one = r#"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]}"#;
            let batch = format!("[{}]", vec![one; HANDSHAKES].join(","));
            request::post(host, "/faye", "", &batch)
        }
        Abuse::PhraseSearches => request::get(host, "/v3/search/messages?q=%22at+s*%22", &of.token),
        Abuse::PrefixSearches => {
            let prefixes: Vec<String> = ('a'..='h').map(|letter| format!("{letter}*")).collect();
            let path = format!("/v3/search/messages?q={}", prefixes.join("+"));
            request::get(host, &path, &of.token)
        }
        Abuse::UnreadPages => {
            request::get(host, &format!("/v3/events?after={cursor}&wait=0"), &of.token)
        }
        Abuse::CallbackBots => {
            let bot = serde_json::json!({ "bot": {
                "name": "Flood", "group_id": of.group_id, "callback_url": "http://127.0.0.1:9/",
            } });
            request::post(host, "/v3/bots", &of.token, &bot.to_string())
        }
        Abuse::SlowUploads => {
            let path = format!("/v3/conversations/{}/files?name=slow.bin", of.group_id);
            let mut bytes = request::post_bytes(host, &path, &of.token, 1 << 20);
            bytes.extend([b'x'; 1024]);
            bytes
        }
        Abuse::AddedNumbers => {
            let members: Vec<serde_json::Value> = (0..NUMBERS)
                .map(|number| {
                    serde_json::json!({
                        "nickname": format!("n{number}"),
                        "phone_number": format!("+1 20155501{number:02}"),
                    })
                })
                .collect();
            let path = format!("/v3/groups/{}/members/add", of.group_id);
            let body = serde_json::json!({ "members": members }).to_string();
            request::post(host, &path, &of.token, &body)
        }
        Abuse::LargeDrafts => {
            let path = format!("/v3/drafts/{}", of.group_id);
            let body = serde_json::json!({ "draft": { "text": "x".repeat(DRAFT) } }).to_string();
            request::put(host, &path, &of.token, &body)
        }
    }
}

/// Returns a hello and the frames that are too much. They are encoded once, so that the abusers
/// spend their time on sending.
fn frames(abuse: Abuse, token: &str) -> Vec<u8> {
    let frame = |text: &str| encode_masked(Opcode::Text, text.as_bytes(), [3, 5, 7, 9]);
    let mut bytes = frame(&format!(r#"{{"t":"hello","v":1,"token":"{token}"}}"#));
    if abuse == Abuse::HugeFrames {
        bytes.extend(frame(&"x".repeat(1 << 20)));
    } else {
        let subscribe = |number| frame(&format!(r#"{{"t":"sub","conv":["g:{number}"]}}"#));
        bytes.extend((0..SUBSCRIPTIONS).flat_map(subscribe));
    }
    bytes
}

async fn act(addr: SocketAddr, abuse: Abuse, what: &Arc<Vec<u8>>) -> std::io::Result<Ending> {
    let mut stream = TcpStream::connect(addr).await?;
    match abuse {
        Abuse::HugeFrames | Abuse::Subscriptions => {
            stream.write_all(&handshake::PUSH.request(addr)).await?;
            return on_a_socket(stream, Arc::clone(what)).await;
        }
        Abuse::HugeBodies => {
            stream.write_all(what).await?;
            let (mut reads, mut writes) = stream.split();
            let sends = async {
                let piece = vec![b'['; PIECE];
                for _ in 0..HUGE / PIECE {
                    if writes.write_all(&piece).await.is_err() {
                        break;
                    }
                }
                std::future::pending::<()>().await;
            };
            tokio::select! {
                answered = answer(&mut reads) => return answered,
                () = sends => {}
            }
        }
        Abuse::UnreadPages => return unread(addr, what).await,
        Abuse::HalfHeads
        | Abuse::HalfBodies
        | Abuse::GzipBodies
        | Abuse::DeepJson
        | Abuse::PictureBombs
        | Abuse::Handshakes
        | Abuse::PhraseSearches
        | Abuse::PrefixSearches
        | Abuse::CallbackBots
        | Abuse::SlowUploads
        | Abuse::AddedNumbers
        | Abuse::LargeDrafts => {
            // A server may refuse the request before it has received all of it.
            drop(stream.write_all(what).await);
        }
    }
    answer(&mut stream).await
}

async fn answer(stream: &mut (impl AsyncReadExt + Unpin)) -> std::io::Result<Ending> {
    let mut inbox = Vec::with_capacity(1024);
    loop {
        if stream.read_buf(&mut inbox).await? == 0 {
            return Ok(Ending::Cut);
        }
        if let Ok(Some(head)) = parse_head(&inbox) {
            return Ok(Ending::Answered(head.status));
        }
        // `parse_head` refuses a chunked answer, but its status still counts.
        if let Some(status) = inbox.get(9..12).and_then(|it| std::str::from_utf8(it).ok())
            && inbox.windows(4).any(|it| it == b"\r\n\r\n")
        {
            return Ok(Ending::Answered(status.parse().unwrap_or(0)));
        }
    }
}

/// Asks for a page over a small window, reads its status, and leaves the rest unread for a while.
async fn unread(addr: SocketAddr, what: &[u8]) -> std::io::Result<Ending> {
    let socket = tokio::net::TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(UNREAD_BUFFER)?;
    let mut stream = socket.connect(addr).await?;
    stream.write_all(what).await?;
    let mut head = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut head).await?;
    let status = std::str::from_utf8(&head[9..]).ok().and_then(|it| it.parse().ok());
    tokio::time::sleep(UNREAD).await;
    Ok(Ending::Answered(status.unwrap_or(0)))
}

/// Sends the frames, and reads until the server ends the connection.
async fn on_a_socket(stream: TcpStream, frames: Arc<Vec<u8>>) -> std::io::Result<Ending> {
    let (mut reads, mut writes) = stream.into_split();
    let saying = tokio::spawn(async move {
        drop(writes.write_all(&frames).await);
        // The last frame is not JSON, so that a server that accepted everything closes the socket.
        drop(writes.write_all(&encode_masked(Opcode::Text, b"no more", [1, 2, 3, 4])).await);
        writes
    });
    let mut tail = Vec::new();
    let mut inbox = vec![0; PIECE];
    loop {
        let count = reads.read(&mut inbox).await.unwrap_or(0);
        tail.extend_from_slice(&inbox[..count]);
        tail.drain(..tail.len().saturating_sub(CLOSE_MOST));
        let closed = close_code(&tail).map(Ending::Closed);
        if closed.is_some() || count == 0 {
            saying.abort();
            return Ok(closed.unwrap_or(Ending::Cut));
        }
    }
}

/// Bytes of the longest close frame that a server can send.
const CLOSE_MOST: usize = 127;

/// Returns the code of the close frame with which `tail` ends.
fn close_code(tail: &[u8]) -> Option<u16> {
    let starts = (0..tail.len().saturating_sub(3)).rev();
    let is_last =
        |at: &usize| tail[*at] == 0x88 && usize::from(tail[at + 1]) == tail.len() - at - 2;
    let at = starts.into_iter().find(is_last)?;
    Some(u16::from_be_bytes([tail[at + 2], tail[at + 3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_frame_is_found_behind_others() {
        let close = [&[0x88, 5, 0x03, 0xf1][..], b"big"].concat();
        assert_eq!(close_code(&close), Some(1009));
        assert_eq!(close_code(&[&b"\x81\x02{}"[..], &close].concat()), Some(1009));
        assert_eq!(close_code(b"\x81\x02{}"), None);
    }

    #[test]
    fn accepted_invalid_message_fails_check() {
        assert!(!Ending::Answered(200).is_sound(Abuse::DeepJson));
        assert!(!Ending::Answered(201).is_sound(Abuse::Handshakes));
        assert!(!Ending::Answered(500).is_sound(Abuse::GzipBodies));
        assert!(!Ending::Held.is_sound(Abuse::HalfHeads));
        assert!(Ending::Answered(413).is_sound(Abuse::HugeBodies));
        assert!(Ending::Cut.is_sound(Abuse::HalfHeads));
        assert!(Ending::Answered(201).is_sound(Abuse::CallbackBots));
        assert!(!Ending::Answered(500).is_sound(Abuse::PhraseSearches));
        assert!(!Ending::Held.is_sound(Abuse::SlowUploads));
    }
}
