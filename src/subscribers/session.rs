//! The protocol `coterie.push.v1` on one socket: hello, events, heartbeats, and the few frames of a
//! client that need no log.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use futures_util::FutureExt;
use serde_json::{Map, Value};
use tokio::time::{Sleep, sleep};

use crate::SubscriberContext;
use crate::client_requests::{self, ClientRequest, RequestResult, request_of};
use crate::close::Close;
use crate::live_feed::ThreadFeed;
use crate::presence::{PresenceGuard, PresenceWatch};
use crate::reader::{EphemeralMode, Reader, ReaderEvent};
use crate::slot::WAITING_EPHEMERAL_EVENTS;
use crate::subscriber::{SubscribedBot, Subscriber};
use crate::websocket::{ClientSocket, Subprotocol};
use auth::bots;
use auth::throttle::{Bucket, Rate};
use base::bounds::turns::Owner;
use domain::ids::{BotId, Conversation, StreamId};
use domain::scopes::SHOWN_SCOPES;
use domain::time::Monotonic;
use index::IndexFault;
use index::archive::Archive;
use journal::Cursor;
use wire::account::ScopeNames;
use wire::delivery::PullFrom;
use wire::live::{
    self, CLIENT_FRAME_BYTES, CLIENT_FRAMES_AT_ONCE, CLIENT_FRAMES_PER_SECOND, SUBSCRIPTIONS,
    Welcome,
};

/// The subprotocol's name and the limits on its clients.
pub const SUBPROTOCOL: Subprotocol = Subprotocol {
    names: &["coterie.push.v1"],
    text_bytes: CLIENT_FRAME_BYTES,
    frames: CLIENT_FRAMES,
};

/// How many frames a client may send.
const CLIENT_FRAMES: Rate =
    Rate { per_second: CLIENT_FRAMES_PER_SECOND as f64, burst: CLIENT_FRAMES_AT_ONCE as f64 };

/// The arguments of a session.
pub struct SessionStart {
    /// State that every subscriber shares.
    pub shared: Arc<SubscriberContext>,
    /// The feed of this thread.
    pub local: ThreadFeed,
    /// The token that came with the upgrade request, if any.
    pub token: Option<String>,
}

/// Runs the protocol on a socket until it is to be closed; returns the reason.
pub async fn run(wire: ClientSocket, start: SessionStart) -> Close {
    let hello = start.shared.timeouts.hello;
    // Boxed, so that an idle socket does not carry what only its beginning needs.
    let greeted = Box::pin(tokio::time::timeout(hello, greet(wire, start))).await;
    match greeted.unwrap_or(Err(Close::NO_HELLO)) {
        Ok(session) => session.serve().await,
        Err(close) => close,
    }
}

type Frame = Map<String, Value>;

fn parsed(text: &str) -> Result<Frame, Close> {
    match serde_json::from_str(text) {
        Ok(Value::Object(frame)) => Ok(frame),
        Ok(_) | Err(_) => Err(Close::FORM),
    }
}

fn kind(frame: &Frame) -> Option<&str> {
    frame.get("t").and_then(Value::as_str)
}

/// Waits for a hello that opens a session.
async fn greet(wire: ClientSocket, start: SessionStart) -> Result<Box<Session>, Close> {
    let SessionStart { shared, local, mut token } = start;
    let now = shared.clock.now().mono;
    let mut pace = Bucket::full(CLIENT_FRAMES, now);
    loop {
        let frame = parsed(&wire.receive().await)?;
        if !pace.take(CLIENT_FRAMES, shared.clock.now().mono).passes {
            return Err(Close::RATE);
        }
        match kind(&frame) {
            Some("hello") => {
                let reader = admit(&shared, &local, &mut token, &frame).await?;
                let nap = Box::pin(sleep(Duration::ZERO));
                let user = reader.subscriber().user();
                let _being = user.map(|user| shared.presence.enter(user));
                let watch = shared.presence.watch();
                let granting = None;
                let spoke_at = now;
                // Boxed too: every future through which a large value is moved reserves space for
                // it.
                return Ok(Box::new(Session {
                    shared,
                    wire,
                    reader,
                    pace,
                    granting,
                    late: None,
                    watch,
                    _being,
                    nap,
                    spoke_at,
                }));
            }
            Some("ping") => {
                let here = shared.instance.cursor(shared.here());
                wire.send(live::pong(&here, frame.get("x")));
            }
            Some(_) => wire.send(live::err("hello", "send hello first")),
            None => wire.send(live::err("missing_t", "t is required")),
        }
    }
}

/// Opens the reader of the client that said hello.
async fn admit(
    shared: &Arc<SubscriberContext>,
    local: &ThreadFeed,
    token: &mut Option<String>,
    hello: &Frame,
) -> Result<Reader, Close> {
    if hello.get("v").and_then(Value::as_u64) != Some(1) {
        return Err(Close::VERSION);
    }
    let text = |field: &str| hello.get(field).and_then(Value::as_str).map(str::to_owned);
    if let Some(id) = text("bot_id").map(BotId::new) {
        let secret = text("secret").or_else(|| token.take()).ok_or(Close::BOT)?;
        let bot = BotHello { id, secret, after: text("after") };
        return admit_bot(shared, local, bot).await;
    }
    let token = text("token").or_else(|| token.take()).ok_or(Close::TOKEN)?;
    let caller = match shared.keyring.caller(&token).await {
        Ok(caller) => caller.ok_or(Close::TOKEN)?,
        Err(fault) => {
            tracing::error!(
                %fault,
                "reading the token of a new session failed; closing the connection"
            );
            return Err(Close::INTERNAL);
        }
    };
    if !caller.scopes.has_any_of(SHOWN_SCOPES) {
        return Err(Close::SCOPE);
    }
    Reader::open(shared, local, caller, text("after").as_deref()).await
}

/// One socket after its hello.
struct Session {
    shared: Arc<SubscriberContext>,
    wire: ClientSocket,
    reader: Reader,
    pace: Bucket,
    /// The client's request that is being carried out; the client's next frame waits for it.
    granting: Option<Granting>,
    /// Ephemeral events that arrived while it was looked up who is online: they are newer than what
    /// is found, so they are sent after it.
    late: Option<Vec<ByteString>>,
    watch: PresenceWatch,
    /// Makes the user count as online; bots have no presence.
    _being: Option<PresenceGuard>,
    /// Ends when a ping, the silence timeout or the token's expiry is due.
    nap: Pin<Box<Sleep>>,
    spoke_at: Monotonic,
}

type Granting = Pin<Box<dyn Future<Output = RequestResult>>>;

/// Waits for the result of the request; never returns if there is none.
async fn granted(granting: &mut Option<Granting>) -> RequestResult {
    match granting {
        Some(granting) => granting.await,
        None => std::future::pending().await,
    }
}

/// The event that wakes a session.
enum Woken {
    Heard(ByteString),
    Told(ReaderEvent),
    Granted(RequestResult),
    Nap,
}

impl Session {
    async fn serve(mut self: Box<Self>) -> Close {
        self.welcome();
        self.sleep_until_silence();
        loop {
            let woken = tokio::select! {
                biased;
                granted = granted(&mut self.granting) => Woken::Granted(granted),
                text = self.wire.receive(), if self.granting.is_none() => Woken::Heard(text),
                told = self.reader.next() => Woken::Told(told),
                () = &mut self.nap => Woken::Nap,
            };
            let gone_on = match woken {
                Woken::Heard(text) => self.answer(&text),
                Woken::Granted(granted) => {
                    self.take(granted);
                    Ok(())
                }
                Woken::Told(told) => self.pass_on(told),
                Woken::Nap => self.keep_alive(),
            };
            if let Err(close) = gone_on {
                return close;
            }
        }
    }

    fn now(&self) -> Monotonic {
        self.shared.clock.now().mono
    }

    fn say(&mut self, frame: ByteString) {
        self.wire.send(frame);
        self.spoke_at = self.now();
    }

    fn welcome(&mut self) {
        let reader = &self.reader;
        let welcome = Welcome {
            sid: &format!("{:x}", reader.id()),
            user_id: &reader.subscriber().number().to_string(),
            c: &reader.cursor(),
            resumed: reader.is_resumed(),
            time: self.shared.clock.now().wall.millis(),
            scopes: reader.subscriber().scopes().map(ScopeNames),
        };
        self.say(welcome.encode());
    }

    fn pass_on(&mut self, told: ReaderEvent) -> Result<(), Close> {
        match told {
            ReaderEvent::Events(frames) => {
                frames.into_iter().for_each(|frame| self.wire.send(frame.text));
                self.spoke_at = self.now();
            }
            ReaderEvent::EphemeralEvents(frames) => {
                let texts = frames.into_iter().map(|frame| frame.text);
                match &mut self.late {
                    Some(late) => late.extend(texts.take(WAITING_EPHEMERAL_EVENTS)),
                    None => texts.for_each(|text| self.wire.send(text)),
                }
            }
            ReaderEvent::Synced => self.say(live::synced(&self.reader.cursor())),
            ReaderEvent::Reset(why) => self.say(live::reset(&self.reader.cursor(), why)),
            ReaderEvent::Over(close) => {
                if close == Close::DRAINING {
                    self.say(live::bye(close.code, self.shared.jitter(self.reader.id())));
                }
                return Err(close);
            }
        }
        Ok(())
    }

    fn answer(&mut self, text: &str) -> Result<(), Close> {
        let frame = parsed(text)?;
        if !self.pace.take(CLIENT_FRAMES, self.now()).passes {
            return Err(Close::RATE);
        }
        match kind(&frame) {
            Some("ping") => self.say(live::pong(&self.reader.cursor(), frame.get("x"))),
            // An acknowledgement frees nothing here: a reader's only state is its cursor.
            Some("pong" | "ack") => {}
            Some("hello") => self.say(live::err("hello", "hello was sent already")),
            Some(t) => match request_of(t, &frame) {
                Ok(Some(request)) => self.request(request),
                Ok(None) => self.say(live::err("unknown_t", "t is unknown")),
                Err(answer) => self.say(answer),
            },
            None => self.say(live::err("missing_t", "t is required")),
        }
        Ok(())
    }

    fn request(&mut self, request: ClientRequest) {
        let Subscriber::User(caller) = *self.reader.subscriber() else {
            return self.say(live::err("bot", "bots may only send ping and ack"));
        };
        if let ClientRequest::Watch(wanted) = &request
            && self.watch.len() + wanted.len() > SUBSCRIPTIONS
        {
            return self.say(live::err("too_many", "too many subscriptions"));
        }
        if let ClientRequest::Unwatch(unwanted) = request {
            return self.unwatch(unwanted);
        }
        let shared = Arc::clone(&self.shared);
        self.granting = Some(Box::pin(client_requests::grant(shared, caller, request)));
    }

    /// Applies the result of a request. Who is online is looked up after watching has begun, so
    /// that nobody comes or goes unseen in between.
    fn take(&mut self, granted: RequestResult) {
        self.granting = None;
        granted.frames.into_iter().for_each(|frame| self.say(frame));
        self.late.take().into_iter().flatten().for_each(|frame| self.wire.send(frame));
        if !granted.lost.is_empty() {
            self.unwatch(granted.lost);
        }
        if granted.watched.is_empty() {
            return;
        }
        self.watch.add(&granted.watched);
        self.late = Some(Vec::new());
        let watching = self.reader.watch(granted.watched.clone(), EphemeralMode::Yes);
        let shared = Arc::clone(&self.shared);
        let user = self.reader.subscriber().number();
        self.granting = Some(Box::pin(async move {
            watching.await;
            client_requests::company(shared, user, granted.watched).await
        }));
    }

    fn unwatch(&mut self, unwanted: Vec<Conversation>) {
        self.watch.remove(&unwanted);
        let ending = self.reader.watch(unwanted, EphemeralMode::No);
        self.granting = Some(Box::pin(ending.map(|()| RequestResult::default())));
    }

    /// Sets the nap to the next ping, the silence timeout or the token's expiry, whichever is
    /// first.
    fn sleep_until_silence(&mut self) {
        let timeouts = self.shared.timeouts;
        let now = self.shared.clock.now();
        let left = |since: Monotonic, span: Duration| {
            span.saturating_sub(Duration::from_millis(now.mono.millis_since(since)))
        };
        let silent = left(self.wire.heard_at(), timeouts.silence);
        let expires = self.reader.subscriber().expires_at();
        let alive = expires.map(|end| Duration::from_millis(end.millis_since(now.wall)));
        let due = left(self.spoke_at, timeouts.heartbeat).min(silent);
        let due = alive.map_or(due, |alive| due.min(alive)).max(Duration::from_millis(10));
        self.nap.set(sleep(due));
    }

    fn keep_alive(&mut self) -> Result<(), Close> {
        let timeouts = self.shared.timeouts;
        let now = self.now();
        let passed = |since: Monotonic| Duration::from_millis(now.millis_since(since));
        if !self.reader.is_alive() {
            return Err(self.reader.subscriber().revoked());
        }
        if passed(self.wire.heard_at()) >= timeouts.silence {
            return Err(Close::SILENT);
        }
        if passed(self.spoke_at) >= timeouts.heartbeat {
            self.say(live::ping(&self.reader.newest()));
        }
        self.sleep_until_silence();
        Ok(())
    }
}

/// The hello of a bot.
#[derive(Debug)]
pub struct BotHello {
    /// The bot's id.
    pub id: BotId,
    /// The bot's secret.
    pub secret: String,
    /// A cursor, or the id of a message of its group, after which the bot receives messages.
    /// `None`: from now on.
    pub after: Option<String>,
}

/// Opens the reader of a bot.
///
/// # Errors
/// The reason to close, if the bot is not admitted or the index cannot be read.
async fn admit_bot(
    shared: &Arc<SubscriberContext>,
    local: &ThreadFeed,
    bot: BotHello,
) -> Result<Reader, Close> {
    let BotHello { id, secret, after } = bot;
    let now = shared.clock.now().wall;
    let said = secret.clone();
    let look =
        move |archive: &Archive| bots::find_authenticated_bot(&archive.index, &id, &said, now);
    let admitted = shared.archive.read_current(Owner::Server, look).await.map_err(failed)?;
    let bot = SubscribedBot::new(&admitted.map_err(|_| Close::BOT)?, secret);
    let group = bot.group;
    let stream = StreamId::Group(bot.group);
    // A text that is neither a cursor nor a message id is passed on unchanged: the reader refuses
    // it.
    let after = match after.map(|text| (PullFrom::parse(&text, &shared.instance), text)) {
        Some((Ok(PullFrom::Message(id)), _)) => {
            let find = move |archive: &Archive| archive.cursor_of(stream, id);
            let found: Cursor =
                shared.archive.read_current(Owner::BotsOf(group), find).await.map_err(failed)?;
            Some(shared.instance.cursor(found))
        }
        Some((Ok(PullFrom::Cursor(_)) | Err(_), text)) => Some(text),
        None => None,
    };
    Reader::open(shared, local, Subscriber::Bot(Arc::new(bot)), after.as_deref()).await
}

fn failed(fault: IndexFault) -> Close {
    tracing::error!(%fault, "opening a bot's session failed");
    Close::INTERNAL
}
