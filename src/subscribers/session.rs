//! One WebSocket of the push protocol. The only file that names `actix_web_actors`.
//!
//! A session is a cursor: it has everything up to there. While it reads on from the
//! journal, live frames wait in its hands; when more come than may wait, it lets them
//! go and reads them from the journal too. actix polls a session only while its socket
//! takes bytes, so a jammed one costs what waits for it and no more; the kernel cuts it
//! (`TCP_USER_TIMEOUT`, set in `app`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actix::{
    Actor, ActorContext, ActorFutureExt, AsyncContext, Handler, Message, Running, StreamHandler,
    WrapFuture,
};
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use bytestring::ByteString;
use serde_json::{Map, Value};

use crate::auth::keyring::Caller;
use crate::domain::time::Monotonic;
use crate::index::IndexFault;
use crate::journal::Cursor;
use crate::subscribers::Subscribers;
use crate::subscribers::closing::Close;
use crate::subscribers::live_feed::{Join, Leave, Local, Slot, WAITING_FRAMES};
use crate::subscribers::resume::{self, Begun, Replay};
use crate::subscribers::sockets::OpenSocket;
use crate::wire::live::{self, CLIENT_FRAME_BYTES, Welcome};

/// The subprotocol that is spoken here.
const PROTOCOL: &str = "coterie.push.v1";
static SESSIONS: AtomicU64 = AtomicU64::new(1);

type Context = ws::WebsocketContext<Session>;
type Frames = Vec<(Cursor, ByteString)>;

/// Opens a session on an upgraded connection.
///
/// # Errors
/// When the request is no WebSocket handshake.
pub fn upgrade(
    request: &HttpRequest,
    stream: web::Payload,
    token: Option<String>,
    shared: &Arc<Subscribers>,
    local: &Local,
) -> Result<HttpResponse, actix_web::Error> {
    let now = shared.clock.now().mono;
    let session = Session {
        id: SESSIONS.fetch_add(1, Ordering::Relaxed),
        shared: Arc::clone(shared),
        local: local.clone(),
        token,
        greeted: None,
        slot: Arc::default(),
        have: Cursor::START,
        is_synced: false,
        is_reading: false,
        held: Vec::new(),
        partial: Vec::new(),
        heard_at: now,
        spoke_at: now,
    };
    ws::WsResponseBuilder::new(session, request, stream)
        .protocols(&[PROTOCOL])
        .frame_size(CLIENT_FRAME_BYTES)
        .start()
}

/// Frames for this session, in order. Empty, it only wakes.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Deliver(pub Frames);

/// The actor.
pub struct Session {
    id: u64,
    shared: Arc<Subscribers>,
    local: Local,
    token: Option<String>,
    /// Who said hello, and their place among their sockets.
    greeted: Option<(Caller, OpenSocket)>,
    slot: Arc<Slot>,
    /// Everything up to here was sent.
    have: Cursor,
    is_synced: bool,
    is_reading: bool,
    /// Live frames that came while reading on.
    held: Frames,
    partial: Vec<u8>,
    heard_at: Monotonic,
    spoke_at: Monotonic,
}

impl Actor for Session {
    type Context = Context;

    fn started(&mut self, ctx: &mut Context) {
        ctx.set_mailbox_capacity(WAITING_FRAMES);
        ctx.run_later(self.shared.patience.hello, |session, ctx| {
            if session.greeted.is_none() {
                session.close(Close::NO_HELLO, ctx);
            }
        });
        self.wait_for_silence(ctx);
    }

    fn stopping(&mut self, _: &mut Context) -> Running {
        if let Some((caller, _)) = &self.greeted {
            let leave = Leave { id: self.id, user: caller.user };
            // Closing happens on the feed's own thread, so a full mailbox empties soon.
            let feed = self.local.feed.clone();
            actix::spawn(async move {
                if feed.send(leave).await.is_err() {
                    tracing::debug!("a session outlived its feed");
                }
            });
        }
        Running::Stop
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Session {
    fn handle(&mut self, frame: Result<ws::Message, ws::ProtocolError>, ctx: &mut Context) {
        self.heard_at = self.shared.clock.now().mono;
        match frame {
            Ok(ws::Message::Text(text)) => self.client_frame(&text, ctx),
            Ok(ws::Message::Continuation(part)) => self.client_part(part, ctx),
            Ok(ws::Message::Ping(bytes)) => ctx.pong(&bytes),
            Ok(ws::Message::Pong(_) | ws::Message::Nop) => {}
            Ok(ws::Message::Binary(_)) => self.close(Close::FORM, ctx),
            Ok(ws::Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Err(ws::ProtocolError::Overflow) => self.close(Close::TOO_LARGE, ctx),
            Err(_) => self.close(Close::FORM, ctx),
        }
    }
}

impl Session {
    /// Puts a message together that comes in several frames.
    fn client_part(&mut self, part: actix_http::ws::Item, ctx: &mut Context) {
        let (bytes, is_last) = match part {
            actix_http::ws::Item::FirstText(bytes) => {
                self.partial.clear();
                (bytes, false)
            }
            actix_http::ws::Item::Continue(bytes) => (bytes, false),
            actix_http::ws::Item::Last(bytes) => (bytes, true),
            actix_http::ws::Item::FirstBinary(_) => return self.close(Close::FORM, ctx),
        };
        if self.partial.len() + bytes.len() > CLIENT_FRAME_BYTES {
            return self.close(Close::TOO_LARGE, ctx);
        }
        self.partial.extend_from_slice(&bytes);
        if is_last {
            let whole = std::mem::take(&mut self.partial);
            match std::str::from_utf8(&whole) {
                Ok(text) => self.client_frame(text, ctx),
                Err(_) => self.close(Close::FORM, ctx),
            }
        }
    }

    fn client_frame(&mut self, text: &str, ctx: &mut Context) {
        let Ok(Value::Object(frame)) = serde_json::from_str(text) else {
            return self.close(Close::FORM, ctx);
        };
        match (frame.get("t").and_then(Value::as_str), &self.greeted) {
            (Some("hello"), None) => self.hello(&frame, ctx),
            (Some("ping"), _) => {
                let pong = live::pong(&self.cursor_text(), frame.get("x"));
                self.speak(pong, ctx);
            }
            // An acknowledgement frees nothing here: a reader's state is its cursor.
            (Some("pong" | "ack"), Some(_)) => {}
            (Some("hello"), Some(_)) => self.speak(live::err("hello", "hello was said"), ctx),
            (Some(_), None) => self.speak(live::err("hello", "say hello first"), ctx),
            (Some(_), Some(_)) => self.speak(live::err("unknown_t", "t is not known"), ctx),
            (None, _) => self.speak(live::err("missing_t", "t is required"), ctx),
        }
    }

    fn hello(&mut self, frame: &Map<String, Value>, ctx: &mut Context) {
        if frame.get("v").and_then(Value::as_u64) != Some(1) {
            return self.close(Close::VERSION, ctx);
        }
        let text = |field: &str| frame.get(field).and_then(Value::as_str).map(str::to_owned);
        let Some(token) = text("token").or_else(|| self.token.take()) else {
            return self.close(Close::TOKEN, ctx);
        };
        let after = text("after");
        let keyring = Arc::clone(&self.shared.keyring);
        let who = async move { keyring.caller(&token).await };
        ctx.wait(who.into_actor(self).map(move |who, session, ctx| match who {
            Ok(Some(caller)) => session.welcome(caller, after.as_deref(), ctx),
            Ok(None) => session.close(Close::TOKEN, ctx),
            Err(fault) => session.fail(&fault, ctx),
        }));
    }

    fn welcome(&mut self, caller: Caller, after: Option<&str>, ctx: &mut Context) {
        let Some(place) = self.shared.sockets.open(caller.user) else {
            return self.close(Close::TOO_MANY, ctx);
        };
        self.greeted = Some((caller, place));
        self.local.expect_one();
        let join = Join {
            id: self.id,
            caller,
            session: actix::AsyncContext::address(ctx),
            slot: Arc::clone(&self.slot),
        };
        let (feed, shared) = (self.local.feed.clone(), Arc::clone(&self.shared));
        let join = async move { feed.send(join).await.is_ok() && shared.confirms(&caller).await };
        ctx.wait(join.into_actor(self).map(|is_in, session, ctx| {
            if !is_in {
                session.close(Close::TOKEN, ctx);
            }
        }));
        let here = self.shared.here();
        let wanted = after.map(|text| self.shared.site.parse_cursor(text));
        let known = wanted.map(|cursor| cursor.ok().filter(|cursor| *cursor <= here));
        self.have = known.flatten().unwrap_or(here);
        let is_refused = known == Some(None);
        let c = self.shared.site.cursor(self.have);
        let welcome = Welcome {
            sid: &format!("{:x}", self.id),
            user_id: &caller.user.to_string(),
            c: &c,
            resumed: after.is_some() && !is_refused,
            time: self.shared.clock.now().wall.millis(),
        };
        self.speak(welcome.encode(), ctx);
        if is_refused {
            self.speak(live::reset(&c, "unknown"), ctx);
        }
        ctx.notify(Deliver(Vec::new()));
    }

    /// Reads on from what it has. Frames that come meanwhile are held.
    fn read_on(&mut self, ctx: &mut Context) {
        let Some((caller, _)) = &self.greeted else { return };
        self.is_reading = true;
        // Live first, then the end of the journal: nothing falls between the two.
        self.slot.go_live();
        let (shared, user, have) = (Arc::clone(&self.shared), caller.user, self.have);
        let upto = shared.here().max(have);
        let begin = async move { resume::begin(&shared.archive, user, have, upto).await };
        ctx.spawn(begin.into_actor(self).map(move |begun, session, ctx| match begun {
            Ok(Begun::Replay(replay)) => session.step(replay, ctx),
            Ok(Begun::TooFar) => {
                let c = session.shared.site.cursor(upto);
                session.speak(live::reset(&c, "too_far"), ctx);
                session.caught_up(upto, ctx);
            }
            Err(fault) => session.fail(&fault, ctx),
        }));
    }

    /// Sends a little of a replay; the next step begins when the socket has taken it.
    fn step(&mut self, mut replay: Replay, ctx: &mut Context) {
        if replay.is_over() {
            return self.caught_up(replay.upto, ctx);
        }
        let shared = Arc::clone(&self.shared);
        let next = async move {
            let frames = replay.next(&shared.archive, &shared.site).await;
            frames.map(|frames| (replay, frames))
        };
        ctx.spawn(next.into_actor(self).map(|next, session, ctx| match next {
            Ok((replay, frames)) => {
                session.send(frames, ctx);
                session.step(replay, ctx);
            }
            Err(fault) => session.fail(&fault, ctx),
        }));
    }

    fn caught_up(&mut self, upto: Cursor, ctx: &mut Context) {
        self.is_reading = false;
        self.have = self.have.max(upto);
        if !self.is_synced {
            self.is_synced = true;
            self.speak(live::synced(&self.cursor_text()), ctx);
        }
        let held = std::mem::take(&mut self.held);
        self.take(&held);
        self.send(held, ctx);
        if !self.slot.is_live() {
            self.read_on(ctx);
        }
    }

    /// Sends what is new of these frames.
    fn send(&mut self, frames: Frames, ctx: &mut Context) {
        for (cursor, frame) in frames {
            if cursor > self.have {
                self.have = cursor;
                self.speak(frame, ctx);
            }
        }
    }

    fn take(&self, frames: &Frames) {
        self.slot.taken(frames.len(), frames.iter().map(|(_, frame)| frame.len()).sum());
    }

    fn speak(&mut self, frame: ByteString, ctx: &mut Context) {
        self.spoke_at = self.shared.clock.now().mono;
        ctx.text(frame);
    }

    fn cursor_text(&self) -> String {
        self.shared.site.cursor(self.have)
    }

    /// Looks again when the next ping or the end of patience is due.
    fn wait_for_silence(&self, ctx: &mut Context) {
        let patience = self.shared.patience;
        let now = self.shared.clock.now().mono;
        let left = |since: Monotonic, span: std::time::Duration| {
            span.saturating_sub(std::time::Duration::from_millis(now.millis_since(since)))
        };
        let due =
            left(self.spoke_at, patience.heartbeat).min(left(self.heard_at, patience.silence));
        let soon = due.max(std::time::Duration::from_millis(10));
        ctx.run_later(soon, |session, ctx| session.keep_alive(ctx));
    }

    fn keep_alive(&mut self, ctx: &mut Context) {
        let now = self.shared.clock.now().mono;
        let passed = |since: Monotonic| std::time::Duration::from_millis(now.millis_since(since));
        let is_alive =
            self.greeted.as_ref().is_none_or(|(caller, _)| self.shared.keyring.is_alive(caller));
        if !is_alive {
            return self.close(Close::TOKEN, ctx);
        }
        if passed(self.heard_at) >= self.shared.patience.silence {
            return self.close(Close::SILENT, ctx);
        }
        if passed(self.spoke_at) >= self.shared.patience.heartbeat {
            let newest = self.have.max(self.slot.newest());
            self.speak(live::ping(&self.shared.site.cursor(newest)), ctx);
        }
        self.wait_for_silence(ctx);
    }

    fn fail(&mut self, fault: &IndexFault, ctx: &mut Context) {
        tracing::error!(%fault, "a session cannot go on");
        self.close(Close::INTERNAL, ctx);
    }

    fn close(&mut self, close: Close, ctx: &mut Context) {
        let description = Some(close.why.to_owned());
        ctx.close(Some(ws::CloseReason { code: ws::CloseCode::Other(close.code), description }));
        ctx.stop();
    }
}

impl Handler<Deliver> for Session {
    type Result = ();

    fn handle(&mut self, Deliver(frames): Deliver, ctx: &mut Context) {
        if self.is_reading {
            // They still count as waiting, so what is held stays bounded.
            self.held.extend(frames);
            return;
        }
        self.take(&frames);
        if self.is_synced {
            self.send(frames, ctx);
        }
        if !self.slot.is_live() {
            self.read_on(ctx);
        }
    }
}

impl Handler<Close> for Session {
    type Result = ();

    fn handle(&mut self, close: Close, ctx: &mut Context) {
        if close.code == Close::DRAINING.code {
            // Spread over two seconds, so that a restart is not met by everybody at once.
            let retry_ms = 500 + self.id.wrapping_mul(2_654_435_761) % 2000;
            self.speak(live::bye(close.code, retry_ms), ctx);
        }
        self.close(close, ctx);
    }
}
