//! The WebSocket: text messages of a protocol, both ways. The only file that uses
//! `actix_web_actors`; the protocols decide what is sent.
//!
//! A protocol is an async function over a [`ClientSocket`]. actix polls it only while its socket
//! takes bytes, so a stuck socket costs no more than what waits for it; the kernel closes it
//! (`TCP_USER_TIMEOUT`, set in `app`).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use actix::{Actor, ActorContext, ActorFuture, AsyncContext, StreamHandler};
use actix_http::ws::Item;
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use bytestring::ByteString;

use crate::close::Close;
use crate::frame_sizes::BoundedFrames;
use auth::throttle::{Bucket, Rate};
use base::bounds::Bound;
use base::clock::Clock;
use domain::time::Monotonic;

/// Texts of a client, and their bytes, that may wait for its protocol.
const HEARD: Bound = Bound { items: 256, bytes: 256 << 10 };
/// Bytes of texts after which no more is handed to the socket at once. Queued texts are shared with
/// other readers, but handing one over copies it, so a stuck socket costs a copy of this much, not
/// of everything that waits. A burst of fifty messages still leaves in one write.
const SAID_AT_ONCE: usize = 64 << 10;

type SocketContext = ws::WebsocketContext<Socket>;

/// A protocol's end of a socket.
#[derive(Clone)]
pub struct ClientSocket(Rc<RefCell<Ends>>);

struct Ends {
    heard: VecDeque<ByteString>,
    heard_bytes: usize,
    heard_at: Monotonic,
    said: VecDeque<ByteString>,
    waker: Option<Waker>,
}

impl ClientSocket {
    /// Waits for the client's next text. If the future is dropped before it is ready, nothing was
    /// taken.
    pub async fn receive(&self) -> ByteString {
        poll_fn(|context| {
            let mut ends = self.0.borrow_mut();
            if let Some(text) = ends.heard.pop_front() {
                ends.heard_bytes -= text.len();
                return Poll::Ready(text);
            }
            ends.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Queues a text for the client. Texts queued in one poll leave in one write, if they are
    /// short.
    pub fn send(&self, text: ByteString) {
        self.0.borrow_mut().said.push_back(text);
    }

    /// When the client last sent anything, pings of the WebSocket included.
    pub fn heard_at(&self) -> Monotonic {
        self.0.borrow().heard_at
    }
}

/// A protocol over WebSocket, and the limits on its clients.
#[derive(Debug, Clone, Copy)]
pub struct Subprotocol {
    /// The names of the subprotocols that the server offers.
    pub names: &'static [&'static str],
    /// Bytes of one text from a client, at most.
    pub text_bytes: usize,
    /// Rate of frames that are not whole texts: pings, pongs, and parts of texts. The protocol
    /// itself limits texts.
    pub frames: Rate,
}

/// Upgrades the connection to a WebSocket and runs a protocol on it, which ends with the reason to
/// close.
///
/// # Errors
/// If the request is no WebSocket handshake.
pub fn upgrade<P: Future<Output = Close> + 'static>(
    request: &HttpRequest,
    stream: web::Payload,
    subprotocol: Subprotocol,
    clock: &Arc<dyn Clock>,
    protocol: impl FnOnce(ClientSocket) -> P,
) -> Result<HttpResponse, actix_web::Error> {
    let ends = Ends {
        heard: VecDeque::new(),
        heard_bytes: 0,
        heard_at: clock.now().mono,
        said: VecDeque::new(),
        waker: None,
    };
    let wire = ClientSocket(Rc::new(RefCell::new(ends)));
    let run = Box::pin(protocol(wire.clone()));
    let pace = Bucket::full(subprotocol.frames, clock.now().mono);
    let clock = Arc::clone(clock);
    let partial = Vec::new();
    let is_over = Rc::new(Cell::new(false));
    let stream = BoundedFrames::of(stream, subprotocol.text_bytes, Rc::clone(&is_over));
    let socket = Socket { wire, run: Some(run), clock, subprotocol, pace, partial, is_over };
    ws::WsResponseBuilder::new(socket, request, stream)
        .protocols(subprotocol.names)
        .frame_size(subprotocol.text_bytes)
        .start()
}

/// The actor of one WebSocket.
struct Socket {
    wire: ClientSocket,
    run: Option<Pin<Box<dyn Future<Output = Close>>>>,
    clock: Arc<dyn Clock>,
    subprotocol: Subprotocol,
    pace: Bucket,
    /// The parts so far of a text that comes in several frames.
    partial: Vec<u8>,
    /// Whether the client announced a frame that is too large.
    is_over: Rc<Cell<bool>>,
}

impl Actor for Socket {
    type Context = SocketContext;

    fn started(&mut self, ctx: &mut SocketContext) {
        if let Some(run) = self.run.take() {
            ctx.spawn(Run(run));
        }
    }
}

/// Runs the protocol, and hands its texts to the socket, a few at a time: the protocol continues
/// when the socket has taken them and polls again.
struct Run(Pin<Box<dyn Future<Output = Close>>>);

impl ActorFuture<Socket> for Run {
    type Output = ();

    fn poll(
        mut self: Pin<&mut Self>,
        socket: &mut Socket,
        ctx: &mut SocketContext,
        task: &mut Context<'_>,
    ) -> Poll<()> {
        if hand_over(&socket.wire, SAID_AT_ONCE, ctx) {
            return Poll::Pending;
        }
        let polled = self.0.as_mut().poll(task);
        // Everything the protocol said is handed over before the close.
        let at_once = if polled.is_ready() { usize::MAX } else { SAID_AT_ONCE };
        hand_over(&socket.wire, at_once, ctx);
        polled.map(|close| shut(close, ctx))
    }
}

/// Hands texts to the socket until they exceed this many bytes. Returns whether there were any:
/// then the socket has something to write, and polls again once that is written.
fn hand_over(wire: &ClientSocket, at_once: usize, ctx: &mut SocketContext) -> bool {
    let mut ends = wire.0.borrow_mut();
    let mut bytes = 0;
    while bytes < at_once
        && let Some(text) = ends.said.pop_front()
    {
        bytes += text.len();
        ctx.text(text);
    }
    bytes > 0
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Socket {
    fn handle(&mut self, frame: Result<ws::Message, ws::ProtocolError>, ctx: &mut SocketContext) {
        let now = self.clock.now().mono;
        self.wire.0.borrow_mut().heard_at = now;
        let is_text = matches!(frame, Ok(ws::Message::Text(_)));
        if !is_text && !self.pace.take(self.subprotocol.frames, now).passes {
            return shut(Close::RATE, ctx);
        }
        let heard = match frame {
            Ok(ws::Message::Text(text)) => self.pass_on(text),
            Ok(ws::Message::Continuation(part)) => self.put_together(part),
            Ok(ws::Message::Ping(bytes)) => {
                ctx.pong(&bytes);
                Ok(())
            }
            Ok(ws::Message::Pong(_) | ws::Message::Nop) => Ok(()),
            Ok(ws::Message::Close(reason)) => {
                ctx.close(reason);
                return ctx.stop();
            }
            Err(ws::ProtocolError::Overflow) => Err(Close::TOO_LARGE),
            Err(_) if self.is_over.get() => Err(Close::TOO_LARGE),
            Ok(ws::Message::Binary(_)) | Err(_) => Err(Close::FORM),
        };
        if let Err(close) = heard {
            shut(close, ctx);
        }
    }
}

impl Socket {
    fn pass_on(&self, text: ByteString) -> Result<(), Close> {
        let mut ends = self.wire.0.borrow_mut();
        let waiting = Bound { items: ends.heard.len(), bytes: ends.heard_bytes };
        if !HEARD.fits(waiting, text.len()) {
            return Err(Close::RATE);
        }
        ends.heard_bytes += text.len();
        ends.heard.push_back(text);
        if let Some(waker) = ends.waker.take() {
            waker.wake();
        }
        Ok(())
    }

    /// Joins a text that comes in several frames.
    fn put_together(&mut self, part: Item) -> Result<(), Close> {
        let (bytes, is_last) = match part {
            Item::FirstText(bytes) => {
                self.partial.clear();
                (bytes, false)
            }
            Item::Continue(bytes) => (bytes, false),
            Item::Last(bytes) => (bytes, true),
            Item::FirstBinary(_) => return Err(Close::FORM),
        };
        if self.partial.len() + bytes.len() > self.subprotocol.text_bytes {
            return Err(Close::TOO_LARGE);
        }
        self.partial.extend_from_slice(&bytes);
        if !is_last {
            return Ok(());
        }
        let whole = bytes::Bytes::from(std::mem::take(&mut self.partial));
        self.pass_on(ByteString::try_from(whole).map_err(|_| Close::FORM)?)
    }
}

fn shut(close: Close, ctx: &mut SocketContext) {
    let description = Some(close.why.to_owned());
    ctx.close(Some(ws::CloseReason { code: ws::CloseCode::Other(close.code), description }));
    ctx.stop();
}
