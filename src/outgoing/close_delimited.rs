//! Bodies that end with their connection, because their head gives no length (RFC 9112, section
//! 6.3). The HTTP client reads them in answers of HTTP/1.0 alone. So the first answer on a
//! connection has its version lowered to that if its body ends with the connection.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::rt::net::{ActixStream, Ready};
use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The beginning of a head whose version can be lowered.
const NEWER: &[u8] = b"HTTP/1.1 ";
const OLDER: &[u8] = b"HTTP/1.0 ";
/// Headers of a head that are read, as many as the client reads.
const HEADERS: usize = 96;
/// Bytes of a head that are held; the client refuses a longer one.
const HEAD_BYTES: usize = 128 << 10;
/// Bytes that are read at once while a head is incomplete.
const PIECE: usize = 4 << 10;

/// A connection for one request.
pub(super) struct CloseDelimited<S> {
    stream: S,
    /// Bytes of the answer that arrived and were not yet read.
    arrived: BytesMut,
    /// Whether the head passed: everything after it is read as it comes.
    has_passed: bool,
}

impl<S> CloseDelimited<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, arrived: BytesMut::new(), has_passed: false }
    }
}

impl<S> fmt::Debug for CloseDelimited<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloseDelimited").finish_non_exhaustive()
    }
}

/// Whether a head at the beginning of these bytes may be incomplete. Lowers the version of a
/// complete one if its body ends with the connection. `checked` bytes had no end of a head.
fn is_incomplete(arrived: &mut [u8], checked: usize) -> bool {
    let known = arrived.len().min(NEWER.len());
    if arrived[..known] != NEWER[..known] || arrived.len() > HEAD_BYTES {
        return false;
    }
    // The end of a head is an empty line. Its bytes may have come apart.
    let new = &arrived[checked.saturating_sub(3)..];
    let has_end = |end: &[u8]| new.windows(end.len()).any(|it| it == end);
    if !has_end(b"\n\r\n") && !has_end(b"\n\n") {
        return true;
    }
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let mut config = httparse::ParserConfig::default();
    config.allow_spaces_after_header_name_in_responses(true);
    match config.parse_response(&mut head, arrived) {
        Ok(httparse::Status::Partial) => return true,
        // The client says what is wrong with the head.
        Err(_) => return false,
        Ok(httparse::Status::Complete(_)) => {}
    }
    let has_no_body = matches!(head.code, Some(100..200 | 204 | 304));
    let has_length = head.headers.iter().any(|header| {
        let is_named = |name| header.name.eq_ignore_ascii_case(name);
        is_named("content-length") || is_named("transfer-encoding")
    });
    if !has_no_body && !has_length {
        arrived[..OLDER.len()].copy_from_slice(OLDER);
    }
    false
}

impl<S: AsyncRead + Unpin> AsyncRead for CloseDelimited<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while !this.has_passed {
            let mut piece = [0; PIECE];
            let mut read = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut this.stream).poll_read(task, &mut read))?;
            let checked = this.arrived.len();
            this.arrived.extend_from_slice(read.filled());
            let has_ended = read.filled().is_empty();
            this.has_passed = has_ended || !is_incomplete(&mut this.arrived, checked);
        }
        if this.arrived.is_empty() {
            return Pin::new(&mut this.stream).poll_read(task, into);
        }
        let count = this.arrived.len().min(into.remaining());
        into.put_slice(&this.arrived[..count]);
        this.arrived.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CloseDelimited<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}

/// The client wants this of every connection, and calls it only below a TLS of its own.
impl<S: AsyncRead + AsyncWrite + Unpin> ActixStream for CloseDelimited<S> {
    fn poll_read_ready(&self, _: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        Poll::Ready(Ok(Ready::READABLE))
    }

    fn poll_write_ready(&self, _: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        Poll::Ready(Ok(Ready::WRITABLE))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// The bytes that the client reads, when the answer arrives in pieces of `size`.
    async fn read(answer: &str, size: usize) -> String {
        let (mut server, client) = tokio::io::duplex(64);
        let mut client = CloseDelimited::new(client);
        let pieces: Vec<Vec<u8>> = answer.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let sent = async move {
            for piece in pieces {
                server.write_all(&piece).await.unwrap();
            }
        };
        let mut all = String::new();
        let (read, ()) = tokio::join!(client.read_to_string(&mut all), sent);
        read.unwrap();
        all
    }

    async fn is_lowered(answer: &str) -> bool {
        let lowered = answer.replacen("HTTP/1.1", "HTTP/1.0", 1);
        let mut found = Vec::new();
        for size in [1, 2, 3, 7, answer.len()] {
            let all = read(answer, size).await;
            assert!(all == answer || all == lowered, "{all:?} of {answer:?}");
            found.push(all == lowered && all != answer);
        }
        assert!(found.iter().all(|it| *it == found[0]), "{found:?} of {answer:?}");
        found[0]
    }

    #[tokio::test]
    async fn answer_without_a_length_ends_with_its_connection() {
        for answer in [
            "HTTP/1.1 200 OK\r\n\r\nthe body",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>\r\n\r\nHTTP/1.1 200 OK",
            "HTTP/1.1 200 OK\nServer: old\n\nthe body",
            "HTTP/1.1 404 Not Found\r\nConnection: keep-alive\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-Content-Length: 3\r\nContent-Lengths: 3\r\n\r\nthe body",
        ] {
            assert!(is_lowered(answer).await, "{answer:?}");
        }
    }

    #[tokio::test]
    async fn answers_with_a_length_or_without_a_body_stay() {
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\nbody", "A: b\r\n".repeat(HEADERS + 1));
        let long = format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\nbody", "b".repeat(HEAD_BYTES));
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\ncontent-length : 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\nthe body",
            "HTTP/1.1 200 OK\r\nServer: the head does not e",
            "HTTP/1.1 200 OK\r\nno header\r\n\r\nbody",
            "no HTTP",
            "",
            "H",
            &many,
        ] {
            if !answer.is_empty() {
                assert!(!is_lowered(answer).await, "{answer:?}");
            }
        }
        assert_eq!(read(&long, long.len()).await, long);
    }
}
