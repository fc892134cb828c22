//! The HTTP listeners of bots: they record which message reached which bot and when, and answer, or
//! fail in one of the ways in which real listeners fail.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::http::response::first_id;
use crate::load::meter::Meter;

/// How a listener reacts to a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Records the callback and answers 200.
    Takes,
    /// Answers 500.
    Fails,
    /// Sends no answer and keeps the connection open.
    Sleeps,
}

/// The callbacks received, by message: the bot that received each one, and when.
#[derive(Debug, Default)]
pub struct Arrivals(Mutex<HashMap<u64, Vec<(usize, Instant)>>>);

impl Arrivals {
    fn note(&self, message: u64, bot: usize) {
        self.lock().entry(message).or_default().push((bot, Instant::now()));
    }

    /// Returns the bots that received the message, and when each did.
    pub fn of(&self, message: u64) -> Vec<(usize, Instant)> {
        self.lock().get(&message).cloned().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Vec<(usize, Instant)>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listens on a free port for the callbacks of bots and returns the address; the path of a request
/// is the bot's number. Each message that is taken counts as a unit of the meter that is current
/// then.
pub async fn listen(
    manner: Manner,
    arrivals: Arc<Arrivals>,
    meter: Arc<Mutex<Arc<Meter>>>,
) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let addr = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (arrivals, meter) = (Arc::clone(&arrivals), Arc::clone(&meter));
            tokio::spawn(async move {
                let mut bytes = Vec::with_capacity(4096);
                while let Some((bot, message)) = hear(&mut stream, &mut bytes).await {
                    if manner == Manner::Takes {
                        arrivals.note(message, bot);
                        meter.lock().unwrap_or_else(PoisonError::into_inner).add(1);
                    }
                    answer(&mut stream, manner).await;
                }
            });
        }
    });
    Ok(addr)
}

/// Reads the next request of a connection and returns the bot in its path and the message id in its
/// body.
async fn hear(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<(usize, u64)> {
    loop {
        if stream.read_buf(bytes).await.ok()? == 0 {
            return None;
        }
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut request = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(head) = request.parse(bytes).ok()? else { continue };
        let length = request.headers.iter().find(|it| it.name == "content-length")?;
        let length: usize = std::str::from_utf8(length.value).ok()?.parse().ok()?;
        if bytes.len() < head + length {
            continue;
        }
        let bot = request.path?.trim_start_matches('/').parse().ok()?;
        let message = first_id(&bytes[head..])?.parse().ok()?;
        bytes.drain(..head + length);
        return Some((bot, message));
    }
}

/// Answers as `manner` says and leaves the connection open, as the frameworks in which bots are
/// written do.
async fn answer(stream: &mut TcpStream, manner: Manner) {
    let answer: &[u8] = match manner {
        Manner::Takes => b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        Manner::Fails => b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
        Manner::Sleeps => return std::future::pending().await,
    };
    // The caller may have closed the connection by now.
    drop(stream.write_all(answer).await);
}
