//! The raw broadcaster: a post in, one WebSocket frame out to every socket.
//!
//! Nothing is stored, checked or framed twice: the frame is encoded once and
//! its bytes are written to one socket after the other. It speaks just enough
//! HTTP and WebSocket for our own client.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};

use crate::ws::frame::{Opcode, encode};
use crate::ws::handshake::{ACCEPT, SUBPROTOCOL};

/// Frames queued for the one task that writes.
const QUEUE: usize = 1024;
const MAX_REQUEST: usize = 64 * 1024;

type Sockets = Arc<Mutex<Vec<Arc<TcpStream>>>>;

/// Serves until stdin closes or a signal comes.
pub fn serve() -> std::io::Result<()> {
    super::end_with_stdin();
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(accept())
}

async fn accept() -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    super::announce(listener.local_addr()?);
    let sockets = Sockets::default();
    let (frames, waiting) = mpsc::channel(QUEUE);
    tokio::spawn(write_frames(waiting, Arc::clone(&sockets)));
    let numbers = Arc::new(AtomicU64::new(0));
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let visitor = Visitor {
            sockets: Arc::clone(&sockets),
            frames: frames.clone(),
            numbers: Arc::clone(&numbers),
        };
        tokio::spawn(visitor.serve(stream));
    }
}

/// Writes each frame to all sockets before it takes the next frame.
async fn write_frames(mut waiting: mpsc::Receiver<Vec<u8>>, sockets: Sockets) {
    while let Some(frame) = waiting.recv().await {
        let mut sockets = sockets.lock().await;
        let mut gone = Vec::new();
        for (place, socket) in sockets.iter().enumerate() {
            if write_whole(socket, &frame).await.is_err() {
                gone.push(place);
            }
        }
        for place in gone.into_iter().rev() {
            sockets.swap_remove(place);
        }
    }
}

async fn write_whole(socket: &TcpStream, mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match socket.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => socket.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// One connection, which posts or listens.
struct Visitor {
    sockets: Sockets,
    frames: mpsc::Sender<Vec<u8>>,
    numbers: Arc<AtomicU64>,
}

impl Visitor {
    async fn serve(self, mut stream: TcpStream) {
        let mut inbox = Vec::with_capacity(4096);
        while inbox.len() < MAX_REQUEST {
            match stream.read_buf(&mut inbox).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return,
            }
            if inbox.starts_with(b"GET ") && inbox.ends_with(b"\r\n\r\n") {
                return self.listen(stream).await;
            }
            if let Some(body) = whole_body(&inbox) {
                let frame = self.frame(body);
                if self.frames.send(frame).await.is_err() || answer(&mut stream).await.is_err() {
                    return;
                }
                inbox.clear();
            }
        }
    }

    /// Upgrades and greets, then leaves the writing to `write_frames`. What the client sends from
    /// then on is read and dropped.
    async fn listen(self, mut stream: TcpStream) {
        let upgrade = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {ACCEPT}\r\nSec-WebSocket-Protocol: {SUBPROTOCOL}\r\n\r\n"
        );
        let mut greeting = upgrade.into_bytes();
        greeting.extend(encode(Opcode::Text, br#"{"t":"welcome","v":1}"#));
        if stream.write_all(&greeting).await.is_err() {
            return;
        }
        // The list stays locked while `synced` is sent, since that frame promises everything from
        // here on.
        let stream = Arc::new(stream);
        let mut sockets = self.sockets.lock().await;
        if write_whole(&stream, &encode(Opcode::Text, br#"{"t":"synced","c":"0"}"#)).await.is_err()
        {
            return;
        }
        sockets.push(Arc::clone(&stream));
        drop(sockets);
        let mut ignored = [0; 256];
        while stream.readable().await.is_ok() {
            match stream.try_read(&mut ignored) {
                Ok(1..) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Ok(0) | Err(_) => return,
            }
        }
    }

    /// Builds an event of the shape and size that Coterie sends for a group message.
    fn frame(&self, body: &[u8]) -> Vec<u8> {
        let n = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let guid = between(body, b"\"source_guid\":\"").unwrap_or_default();
        let text = between(body, b"\"text\":\"").unwrap_or_default();
        let json = format!(
            r#"{{"t":"ev","c":"{n:016}","conv":"g:10000001","n":{n},"type":"line.create","at":1700000000000,"data":{{"id":"170000000000000001","source_guid":"{guid}","created_at":1700000000,"user_id":"10000001","group_id":"10000001","name":"Load 1","avatar_url":null,"text":"{text}","system":false,"favorited_by":[],"attachments":[],"sender_id":"10000001","sender_type":"user","platform":"gm","updated_at":1700000000}},"alert":"Load 1"}}"#
        );
        encode(Opcode::Text, json.as_bytes())
    }
}

async fn answer(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}").await
}

/// Returns the body of a request once it is complete.
fn whole_body(inbox: &[u8]) -> Option<&[u8]> {
    let mut headers = [httparse::EMPTY_HEADER; 16];
    let mut request = httparse::Request::new(&mut headers);
    let Ok(httparse::Status::Complete(head_len)) = request.parse(inbox) else {
        return None;
    };
    let length =
        request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"))?;
    let length: usize = std::str::from_utf8(length.value).ok()?.parse().ok()?;
    inbox.get(head_len..head_len.checked_add(length)?)
}

fn between<'a>(body: &'a [u8], key: &[u8]) -> Option<&'a str> {
    let value = &body[memmem::find(body, key)? + key.len()..];
    std::str::from_utf8(&value[..memchr::memchr(b'"', value)?]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guid::Guid;
    use crate::push::event::{Incoming, read};
    use crate::ws::frame::first_frame;

    #[tokio::test]
    async fn the_frame_is_an_event_that_the_tester_reads() {
        let (frames, _waiting) = mpsc::channel(1);
        let visitor = Visitor { sockets: Sockets::default(), frames, numbers: Arc::default() };
        let body = br#"{"message":{"source_guid":"lt00000001-0002-00000003","text":"hello"}}"#;
        let frame = visitor.frame(body);
        let span = first_frame(&frame).unwrap().unwrap();
        let payload = &frame[span.payload_at..span.end];
        serde_json::from_slice::<serde_json::Value>(payload).unwrap();
        let Incoming::Event(event) = read(payload).unwrap() else {
            panic!("not an event");
        };
        assert_eq!(event.n, 1);
        assert_eq!(event.guid, Some(Guid { run: 1, sender: 2, number: 3 }));
    }

    #[test]
    fn a_body_is_waited_for() {
        let whole = b"POST /x HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody";
        assert_eq!(whole_body(whole), Some(&b"body"[..]));
        assert_eq!(whole_body(&whole[..whole.len() - 1]), None);
        assert_eq!(whole_body(b"POST /x HTTP/1.1\r\n"), None);
    }
}
