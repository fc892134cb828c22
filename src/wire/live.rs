//! Frames of the push protocol `coterie.push.v1`, in JSON.

use bytestring::ByteString;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::ids::{Conversation, StreamId, UserId};
use crate::wire::reaction::ReactionResource;
use crate::wire::schema::scalars::{ConversationName, CursorText, TextId};

/// A durable event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventFrame<'a> {
    /// What every frame begins with.
    #[schemars(extend("const" = EVENT))]
    t: &'static str,
    /// Where a reader goes on from.
    #[schemars(with = "CursorText")]
    pub c: &'a str,
    /// Where it happened.
    #[schemars(with = "ConversationName")]
    pub conv: &'a str,
    /// Its number in `conv`, without holes while the reader is in it. Whoever is out of a group
    /// is told that (their own `membership.delete`, or `group.delete`) and nothing else of it
    /// any more, so that event may have any number.
    pub n: u64,
    /// What kind of event it is.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// When it happened. Unix time in milliseconds.
    pub at: u64,
    /// The thing itself, as REST gives it.
    #[schemars(with = "Value")]
    pub data: &'a RawValue,
    /// What a notice would say; null where the reader wants none.
    pub alert: Option<&'a str>,
}

/// The `t` of events.
const EVENT: &str = "ev";

/// The `t` of ephemeral events.
const EPHEMERAL: &str = "eph";

/// A like that was given or taken back.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct FavoriteData<'a> {
    /// Of which message.
    pub message_id: TextId,
    /// Whose like.
    pub user_id: TextId,
    /// Whether it was given, or taken back.
    pub liked: bool,
    /// Who likes it then.
    pub favorited_by: Vec<TextId>,
    /// The same by sign.
    pub reactions: Vec<ReactionResource<'a>>,
}

/// How far the reader has read.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ReadData<'a> {
    /// In which conversation.
    #[schemars(with = "ConversationName")]
    pub conv: &'a str,
    /// Up to this event.
    pub n: u64,
    /// How many messages there were with it: those after it are unread.
    pub count: u64,
}

impl<'a> EventFrame<'a> {
    /// A frame of a durable event.
    pub const fn new(
        c: &'a str,
        (conv, n): (&'a str, u64),
        kind: &'a str,
        at: u64,
        data: &'a RawValue,
        alert: Option<&'a str>,
    ) -> Self {
        Self { t: EVENT, c, conv, n, kind, at, data, alert }
    }

    /// The text of the frame.
    pub fn encode(&self) -> ByteString {
        text(self)
    }
}

/// What a session is told first.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Welcome<'a> {
    /// Names the session, for support.
    pub sid: &'a str,
    /// Whose it is; of a bot what its messages name as `sender_id`.
    pub user_id: &'a str,
    /// Where it begins.
    #[schemars(with = "CursorText")]
    pub c: &'a str,
    /// Whether it goes on after the cursor that was asked for.
    pub resumed: bool,
    /// Now. Unix time in milliseconds.
    pub time: u64,
}

/// What a client may do.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ClientLimits {
    /// Bytes of one frame of a client.
    frame_bytes: usize,
    /// Frames of a client a second, in the long run.
    frames_per_second: u32,
    /// Frames of a client at once.
    frames_at_once: u32,
    /// Events that are replayed at most.
    replay_events: usize,
    /// Conversations of `sub` at most.
    subscriptions: usize,
}

/// The version of the protocol.
pub const VERSION: u8 = 1;
/// Seconds of silence after which the server pings.
pub const HEARTBEAT_SECONDS: u64 = 25;
/// Bytes of one frame from a client.
pub const CLIENT_FRAME_BYTES: usize = 64 << 10;
/// Frames that a client may send: per second, and at once.
pub const CLIENT_FRAMES_PER_SECOND: u32 = 100;
/// See [`CLIENT_FRAMES_PER_SECOND`].
pub const CLIENT_FRAMES_AT_ONCE: u32 = 1000;
/// Conversations of which a client may hear the ephemeral events at the same time.
pub const SUBSCRIPTIONS: usize = 1000;
/// Events that are replayed at most.
pub const REPLAY_EVENTS: usize = 5000;

/// What the server says beside events.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "t", rename_all = "lowercase")]
#[schemars(inline)]
pub enum ServerFrame<'a> {
    /// The first frame.
    Welcome {
        /// The version of the protocol.
        #[schemars(extend("const" = VERSION))]
        v: u8,
        #[serde(flatten)]
        welcome: Welcome<'a>,
        /// Seconds of silence after which the server pings.
        hb: u64,
        limits: ClientLimits,
    },
    /// Replay is over, from here live.
    Synced {
        /// Where it is over.
        #[schemars(with = "CursorText")]
        c: &'a str,
    },
    /// The cursor cannot be honoured; load the snapshot.
    Reset {
        /// Where the session goes on.
        #[schemars(with = "CursorText")]
        c: &'a str,
        /// Why: the cursor is of no history of this server, or too old, or too much happened.
        #[schemars(extend("enum" = ["unknown", "expired", "too_far"]))]
        why: &'a str,
    },
    /// A frame of the right form that cannot be served.
    Err {
        /// What is wrong, for programs.
        #[schemars(extend("enum" = [
            "hello", "unknown_t", "missing_t", "field", "conv", "too_many", "fault", "bot"
        ]))]
        code: &'a str,
        /// What is wrong, in words.
        msg: &'a str,
        /// Milliseconds to wait before trying again, if that helps.
        retry_ms: Option<u64>,
    },
    /// Nothing happened for a while.
    Ping {
        /// The newest cursor for this user.
        #[schemars(with = "CursorText")]
        c: &'a str,
    },
    /// The answer to a client's ping.
    Pong {
        /// Where the session is.
        #[schemars(with = "CursorText")]
        c: &'a str,
        /// What the ping carried.
        x: Option<&'a Value>,
    },
    /// The server is about to close.
    Bye {
        /// The close code that follows.
        code: u16,
        /// Milliseconds to wait before coming back, if that helps.
        #[schemars(with = "Option<u64>")]
        retry_ms: u64,
    },
}

impl Welcome<'_> {
    /// The text of the frame.
    pub fn encode(self) -> ByteString {
        let limits = ClientLimits {
            frame_bytes: CLIENT_FRAME_BYTES,
            frames_per_second: CLIENT_FRAMES_PER_SECOND,
            frames_at_once: CLIENT_FRAMES_AT_ONCE,
            replay_events: REPLAY_EVENTS,
            subscriptions: SUBSCRIPTIONS,
        };
        let (v, hb) = (VERSION, HEARTBEAT_SECONDS);
        text(&ServerFrame::Welcome { v, welcome: self, hb, limits })
    }
}

/// The text of `synced`.
pub fn synced(c: &str) -> ByteString {
    text(&ServerFrame::Synced { c })
}

/// The text of `reset`.
pub fn reset(c: &str, why: &str) -> ByteString {
    text(&ServerFrame::Reset { c, why })
}

/// The text of `ping`.
pub fn ping(c: &str) -> ByteString {
    text(&ServerFrame::Ping { c })
}

/// The text of `pong`.
pub fn pong(c: &str, x: Option<&Value>) -> ByteString {
    text(&ServerFrame::Pong { c, x })
}

/// The text of `err`.
pub fn err(code: &str, msg: &str) -> ByteString {
    text(&ServerFrame::Err { code, msg, retry_ms: None })
}

/// The text of `bye`.
pub fn bye(code: u16, retry_ms: u64) -> ByteString {
    text(&ServerFrame::Bye { code, retry_ms })
}

/// `eph`: an event that may be dropped and is never told again.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EphemeralFrame<'a, T> {
    /// What every frame begins with.
    #[schemars(extend("const" = EPHEMERAL))]
    t: &'static str,
    /// Where it happens.
    #[schemars(with = "ConversationName")]
    conv: &'a str,
    /// What kind of event it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What happens.
    data: T,
}

/// Somebody types.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TypingData {
    /// Who types.
    user_id: TextId,
    /// Valid until then. Unix time in milliseconds.
    until: u64,
}

/// Somebody has read a direct message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ReceiptData {
    /// Who read it.
    user_id: TextId,
    /// They have read up to here.
    n: u64,
}

/// Somebody is here, or gone.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct PresenceData {
    /// Who it is.
    user_id: TextId,
    /// Whether they are here.
    online: bool,
}

/// An `eph` frame on its way: its text, shared by all who get it, and what it tells.
#[derive(Debug, Clone)]
pub struct EncodedEphemeral {
    /// The text of the frame.
    pub text: ByteString,
    /// Where it is told.
    pub conversation: Conversation,
    /// Whom it is about.
    pub user: UserId,
    /// What they do.
    pub what: EphemeralKind,
}

/// What an `eph` frame tells of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EphemeralKind {
    /// They type.
    Typing {
        /// Until then, unless they say so again; in Unix milliseconds.
        until: u64,
    },
    /// They have read direct messages.
    Receipt {
        /// Up to this number.
        n: u64,
    },
    /// They are here, or gone.
    Presence {
        /// Which of the two.
        online: bool,
    },
}

impl EncodedEphemeral {
    /// Makes the text of what is told of somebody in a conversation.
    pub fn new(conversation: Conversation, user: UserId, what: EphemeralKind) -> Self {
        let (conv, user_id) = (StreamId::from(conversation).to_string(), TextId::from(user));
        let (t, conv) = (EPHEMERAL, conv.as_str());
        let text = match what {
            EphemeralKind::Typing { until } => {
                let data = TypingData { user_id, until };
                text(&EphemeralFrame { t, conv, kind: "typing", data })
            }
            EphemeralKind::Receipt { n } => {
                let data = ReceiptData { user_id, n };
                text(&EphemeralFrame { t, conv, kind: "receipt", data })
            }
            EphemeralKind::Presence { online } => {
                let data = PresenceData { user_id, online };
                text(&EphemeralFrame { t, conv, kind: "presence", data })
            }
        };
        Self { text, conversation, user, what }
    }
}

fn text(frame: &impl Serialize) -> ByteString {
    let text = serde_json::to_string(frame).expect("texts and numbers are always JSON");
    ByteString::from(text)
}
