//! HTTP/2. Each request of a connection is answered as if it came over an HTTP/1.1 connection of its
//! own, through a pipe in memory. So deadlines, places and hanging up apply to each request alone.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use actix_web::http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING, UPGRADE,
};
use actix_web::http::{Method, StatusCode};
use actix_web::rt;
use bytes::{Buf as _, Bytes, BytesMut};
use h2::server::{Builder, SendResponse};
use h2::{Reason, RecvStream, SendStream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::http::client_stream::ClientStream;
use crate::http::connections::Connections;

/// How many requests of one connection may be open; clients wait with more (RFC 9113, 5.1.2).
const REQUESTS: u32 = 128;
/// The maximum size of a request's head, as HTTP/1.1 has it.
const HEAD_BYTES: u32 = 128 << 10;
/// The maximum number of headers of a response.
const HEADERS: usize = 96;
/// How many bytes of a body may be on their way, per request and per connection.
const WINDOW: u32 = 128 << 10;
/// How many bytes a pipe holds.
const PIPE: usize = 64 << 10;
/// How long a client may take to close a connection that the server has finished.
const CLOSED_WITHIN: Duration = Duration::from_secs(2);

/// The open requests of a connection.
#[derive(Debug, Default)]
struct OpenRequests {
    count: Cell<usize>,
    /// Notified when the last one ends.
    none_left: Notify,
}

/// One open request.
struct OpenRequest(Rc<OpenRequests>);

impl OpenRequest {
    fn of(requests: &Rc<OpenRequests>) -> Self {
        requests.count.set(requests.count.get() + 1);
        Self(Rc::clone(requests))
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.count.set(self.0.count.get() - 1);
        if self.0.count.get() == 0 {
            self.0.none_left.notify_one();
        }
    }
}

/// Why a request has no complete response.
#[derive(Debug, thiserror::Error)]
enum ExchangeFault {
    /// The client reset the request, or the connection ended.
    #[error(transparent)]
    Client(#[from] h2::Error),
    /// The client takes no bytes.
    #[error("the client does not read the response")]
    Stuck,
    /// The pipe ended before the response did.
    #[error("the response is cut: {0}")]
    Pipe(#[from] io::Error),
    /// The response cannot be parsed.
    #[error("the response is not HTTP/1.1")]
    Form,
}

/// Serves the requests of a connection until it ends. `answer` serves one HTTP/1.1 connection, and
/// `stopping` resolves when the server stops.
pub async fn serve<F>(
    mut stream: ClientStream,
    connections: Connections,
    stopping: impl Future<Output = ()>,
    answer: impl Fn(DuplexStream) -> F,
) where
    F: Future<Output = ()> + 'static,
{
    serve_requests(&mut stream, connections, stopping, answer).await;
    // Bytes that nobody reads would make the system reset the connection, and the client could lose
    // the end of a response.
    let mut rest = [0; 1024];
    let close = async { while stream.read(&mut rest).await.is_ok_and(|bytes| bytes > 0) {} };
    drop(timeout(CLOSED_WITHIN, close).await);
}

async fn serve_requests<F>(
    stream: &mut ClientStream,
    connections: Connections,
    stopping: impl Future<Output = ()>,
    answer: impl Fn(DuplexStream) -> F,
) where
    F: Future<Output = ()> + 'static,
{
    let mut builder = Builder::new();
    builder
        .max_concurrent_streams(REQUESTS)
        .max_header_list_size(HEAD_BYTES)
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    let handshake = timeout(connections.patience_now(), builder.handshake::<_, Bytes>(stream));
    let Ok(Ok(mut connection)) = handshake.await else { return };
    let open = Rc::new(OpenRequests::default());
    let mut stopping = pin!(stopping);
    let mut is_ending = false;
    loop {
        let is_idle = open.count.get() == 0;
        let rest = if is_ending { CLOSED_WITHIN } else { connections.idle_now() };
        tokio::select! {
            accepted = connection.accept() => {
                let Some(Ok((request, respond))) = accepted else { return };
                let (own, theirs) = duplex(PIPE);
                rt::spawn(answer(theirs));
                let exchange = Exchange { patience: connections.patience_now(), respond };
                let open = OpenRequest::of(&open);
                rt::spawn(async move {
                    exchange.run(request, own).await;
                    drop(open);
                });
            }
            () = &mut stopping, if !is_ending => {
                connection.graceful_shutdown();
                is_ending = true;
            }
            () = open.none_left.notified() => {}
            () = sleep(rest), if is_idle => {
                if is_ending {
                    return;
                }
                connection.graceful_shutdown();
                is_ending = true;
            }
        }
    }
}

/// A request and its response.
struct Exchange {
    /// How long the client may take none of the bytes that wait for it.
    patience: Duration,
    respond: SendResponse<Bytes>,
}

impl Exchange {
    async fn run(mut self, request: http::Request<RecvStream>, pipe: DuplexStream) {
        if request.method() == Method::CONNECT {
            // The server is no proxy.
            self.respond.send_reset(Reason::CONNECT_ERROR);
            return;
        }
        let is_head = request.method() == Method::HEAD;
        let (from, to) = tokio::io::split(pipe);
        let mut sending = pin!(send(request, to));
        let mut receiving = pin!(self.receive(from, is_head));
        let result = tokio::select! {
            result = &mut receiving => result,
            sent = &mut sending => match sent {
                // The write half stays open until the response is complete.
                Ok(_to) => receiving.await,
                Err(error) => Err(error),
            },
        };
        if let Err(error) = result {
            tracing::debug!(%error, "an HTTP/2 request ended early");
        }
    }

    /// Receives the response from the pipe, and sends it to the client.
    async fn receive(
        &mut self,
        from: ReadHalf<DuplexStream>,
        is_head: bool,
    ) -> Result<(), ExchangeFault> {
        let mut pipe = Pipe { from, read: BytesMut::new() };
        let head = tokio::select! {
            head = pipe.head() => head,
            reset = poll_fn(|task| self.respond.poll_reset(task)) => return reset.map(drop).map_err(Into::into),
        };
        let (response, length) = match head {
            Ok(head) => head,
            Err(error) => {
                self.respond.send_reset(Reason::REFUSED_STREAM);
                return Err(error);
            }
        };
        let is_empty = is_head
            || length == Length::Bytes(0)
            || matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        let mut body = self.respond.send_response(response, is_empty)?;
        if is_empty {
            return Ok(());
        }
        let result = relay(&mut pipe, &mut body, length, self.patience).await;
        if result.is_err() {
            body.send_reset(Reason::INTERNAL_ERROR);
        }
        result
    }
}

/// Sends a request through the pipe as HTTP/1.1; returns the write half.
async fn send(
    request: http::Request<RecvStream>,
    mut to: WriteHalf<DuplexStream>,
) -> Result<WriteHalf<DuplexStream>, ExchangeFault> {
    let (parts, mut body) = request.into_parts();
    let is_chunked = !body.is_end_stream() && !parts.headers.contains_key(CONTENT_LENGTH);
    // The server may answer before it has read everything, and then reads no more.
    if to.write_all(&request_head(&parts, is_chunked)).await.is_err() {
        return Ok(to);
    }
    while let Some(piece) = body.data().await {
        let piece = piece?;
        if piece.is_empty() {
            continue;
        }
        let size = format!("{:x}\r\n", piece.len());
        let (before, after) = if is_chunked { (size.as_str(), "\r\n") } else { ("", "") };
        for bytes in [before.as_bytes(), &piece, after.as_bytes()] {
            if to.write_all(bytes).await.is_err() {
                return Ok(to);
            }
        }
        body.flow_control().release_capacity(piece.len())?;
    }
    if is_chunked {
        drop(to.write_all(b"0\r\n\r\n").await);
    }
    Ok(to)
}

/// The head of a request as HTTP/1.1. Names and values were checked when they were parsed, so that
/// none contains the end of a line.
fn request_head(parts: &http::request::Parts, is_chunked: bool) -> Vec<u8> {
    let path = parts.uri.path_and_query().map_or("/", |it| it.as_str());
    let mut head = format!("{} {path} HTTP/1.1\r\n", parts.method).into_bytes();
    let mut line = |name: &str, value: &[u8]| {
        for bytes in [name.as_bytes(), b": ", value, b"\r\n"] {
            head.extend_from_slice(bytes);
        }
    };
    let authority = parts.uri.authority().map(|it| it.as_str().as_bytes());
    let host = authority.or(parts.headers.get(HOST).map(HeaderValue::as_bytes));
    line("host", host.unwrap_or_default());
    let ends_here =
        |name: &HeaderName| [HOST, CONNECTION, TRANSFER_ENCODING, UPGRADE, EXPECT].contains(name);
    for (name, value) in parts.headers.iter().filter(|(name, _)| !ends_here(name)) {
        line(name.as_str(), value.as_bytes());
    }
    if is_chunked {
        line("transfer-encoding", b"chunked");
    }
    line("connection", b"close");
    head.extend_from_slice(b"\r\n");
    head
}

/// How long the body of a response is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Bytes(u64),
    Chunked,
    /// Until the connection ends.
    Open,
}

/// The response of the server, as it comes through the pipe.
struct Pipe {
    from: ReadHalf<DuplexStream>,
    /// Bytes that were received and not parsed yet.
    read: BytesMut,
}

impl Pipe {
    /// Receives more bytes; fails at the end.
    async fn fill(&mut self) -> Result<(), ExchangeFault> {
        match self.from.read_buf(&mut self.read).await? {
            0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            _ => Ok(()),
        }
    }

    /// Receives the head of the response.
    async fn head(&mut self) -> Result<(http::Response<()>, Length), ExchangeFault> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; HEADERS];
            let mut parsed = httparse::Response::new(&mut headers);
            let status = parsed.parse(&self.read).map_err(|_| ExchangeFault::Form)?;
            if let httparse::Status::Complete(end) = status {
                let head = response_head(&parsed)?;
                self.read.advance(end);
                if !head.0.status().is_informational() {
                    return Ok(head);
                }
            } else {
                self.fill().await?;
            }
        }
    }

    /// Receives the line with which a chunk begins; returns the size of the chunk.
    async fn chunk(&mut self) -> Result<u64, ExchangeFault> {
        loop {
            match httparse::parse_chunk_size(&self.read).map_err(|_| ExchangeFault::Form)? {
                httparse::Status::Complete((end, size)) => {
                    self.read.advance(end);
                    return Ok(size);
                }
                httparse::Status::Partial => self.fill().await?,
            }
        }
    }

    /// Receives the next bytes of a body, at most so many; `None` at the end.
    async fn piece(&mut self, most: u64) -> Result<Option<Bytes>, ExchangeFault> {
        if self.read.is_empty() && self.from.read_buf(&mut self.read).await? == 0 {
            return Ok(None);
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(self.read.len());
        Ok(Some(self.read.split_to(most).freeze()))
    }

    /// Receives the end of a line.
    async fn line_end(&mut self) -> Result<(), ExchangeFault> {
        while self.read.len() < 2 {
            self.fill().await?;
        }
        self.read.advance(2);
        Ok(())
    }
}

fn response_head(
    parsed: &httparse::Response<'_, '_>,
) -> Result<(http::Response<()>, Length), ExchangeFault> {
    let mut response = http::Response::new(());
    let status = parsed.code.and_then(|code| StatusCode::from_u16(code).ok());
    *response.status_mut() = status.ok_or(ExchangeFault::Form)?;
    let mut length = Length::Open;
    for header in parsed.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        let value = HeaderValue::from_bytes(header.value);
        let (Ok(name), Ok(value)) = (name, value) else { return Err(ExchangeFault::Form) };
        if name == TRANSFER_ENCODING {
            length = Length::Chunked;
        } else if name == CONTENT_LENGTH {
            let bytes = value.to_str().ok().and_then(|it| it.parse().ok());
            length = Length::Bytes(bytes.ok_or(ExchangeFault::Form)?);
        }
        if ![CONNECTION, TRANSFER_ENCODING, UPGRADE].contains(&name) {
            response.headers_mut().append(name, value);
        }
    }
    Ok((response, length))
}

/// Sends the body of a response to the client.
async fn relay(
    pipe: &mut Pipe,
    body: &mut SendStream<Bytes>,
    length: Length,
    patience: Duration,
) -> Result<(), ExchangeFault> {
    match length {
        Length::Bytes(bytes) => relay_part(pipe, body, bytes, patience).await?,
        Length::Open => relay_part(pipe, body, u64::MAX, patience).await?,
        Length::Chunked => loop {
            let size = until_reset(body, pipe.chunk()).await?;
            if size == 0 {
                break;
            }
            relay_part(pipe, body, size, patience).await?;
            pipe.line_end().await?;
        },
    }
    body.send_data(Bytes::new(), true)?;
    Ok(())
}

/// Sends so many bytes; `u64::MAX` stands for all until the pipe ends.
async fn relay_part(
    pipe: &mut Pipe,
    body: &mut SendStream<Bytes>,
    bytes: u64,
    patience: Duration,
) -> Result<(), ExchangeFault> {
    let mut left = bytes;
    while left > 0 {
        let piece = until_reset(body, pipe.piece(left)).await?;
        let Some(mut piece) = piece else {
            let is_end = bytes == u64::MAX;
            let cut = || io::Error::from(io::ErrorKind::UnexpectedEof).into();
            return if is_end { Ok(()) } else { Err(cut()) };
        };
        left -= piece.len() as u64;
        while !piece.is_empty() {
            body.reserve_capacity(piece.len());
            let capacity = timeout(patience, poll_fn(|task| body.poll_capacity(task))).await;
            let capacity = capacity.map_err(|_| ExchangeFault::Stuck)?;
            // No capacity ever comes once the client has reset the request.
            let Some(capacity) = capacity else { return Err(ExchangeFault::Stuck) };
            let capacity = capacity?.min(piece.len());
            if capacity > 0 {
                body.send_data(piece.split_to(capacity), false)?;
            }
        }
    }
    Ok(())
}

/// Waits for something from the pipe; fails when the client resets the request.
async fn until_reset<T>(
    body: &mut SendStream<Bytes>,
    work: impl Future<Output = Result<T, ExchangeFault>>,
) -> Result<T, ExchangeFault> {
    tokio::select! {
        done = work => done,
        reset = poll_fn(|task| body.poll_reset(task)) => {
            Err(reset.map_or_else(Into::into, |reason| h2::Error::from(reason).into()))
        }
    }
}
