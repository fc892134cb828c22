//! Frames of the push protocol `coterie.push.v1`, in JSON.

use bytestring::ByteString;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::account::ScopeNames;
use crate::reaction::{LikeIcon, ReactionResource};
use crate::schema::scalars::{ConversationName, CursorText, TextId};
use domain::ids::{Conversation, StreamId, UserId};
use domain::message_requests::RequestChange;

/// A durable event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventFrame<'a> {
    /// Type of the frame: always `ev`.
    #[schemars(extend("const" = EVENT))]
    t: &'static str,
    /// Cursor of the event, after which a reader can resume.
    #[schemars(with = "CursorText")]
    pub c: &'a str,
    /// The conversation in which the event happened.
    #[schemars(with = "ConversationName")]
    pub conv: &'a str,
    /// Number of the event in `conv`, without gaps while the reader belongs to it. A reader who is
    /// no longer in a group receives only the event that says so (their own `membership.delete`, or
    /// `group.delete`) and nothing else of the group; that event may have any number. Absent for
    /// events that only some members receive (`m:`), which cannot be counted by all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// Type of the event.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// When the event happened. Unix time in milliseconds.
    pub at: u64,
    /// The resource, in the same form as in REST responses.
    #[schemars(with = "Value")]
    pub data: &'a RawValue,
    /// Text of a notice; empty if the event has none, null if the reader wants no notice.
    pub alert: Option<&'a str>,
}

/// The `t` of event frames.
const EVENT: &str = "ev";

/// The `t` of frames of ephemeral events.
const EPHEMERAL: &str = "eph";

/// A like that was given or withdrawn.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FavoriteData<'a> {
    /// Id of the message.
    pub message_id: TextId,
    /// Id of the user who gave or withdrew the like.
    pub user_id: TextId,
    /// True if the like was given, false if it was withdrawn.
    pub liked: bool,
    /// Ids of all users who like the message afterwards; empty if they are more than 100.
    pub favorited_by: Vec<TextId>,
    /// Number of these users; only if they are more than 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favorited_count: Option<usize>,
    /// The reaction that was given or withdrawn, as in requests; only with `favorited_count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like_icon: Option<LikeIcon<'a>>,
    /// The same users, grouped by reaction; with `favorited_count`, the 20 most frequent reactions
    /// with their numbers.
    pub reactions: Vec<ReactionResource<'a>>,
}

/// How far the user has read a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadData<'a> {
    /// The conversation.
    #[schemars(with = "ConversationName")]
    pub conv: &'a str,
    /// Number of the newest event in `conv` that was read.
    pub n: u64,
    /// Number of messages in `conv` up to that event; later ones are unread.
    pub count: u64,
    /// Whether you marked messages as unread: then `n` is before the last one that you were sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub set_back: bool,
}

impl<'a> EventFrame<'a> {
    /// Creates the frame of a durable event.
    pub const fn new(
        c: &'a str,
        (conv, n): (&'a str, Option<u64>),
        kind: &'a str,
        at: u64,
        data: &'a RawValue,
        alert: Option<&'a str>,
    ) -> Self {
        Self { t: EVENT, c, conv, n, kind, at, data, alert }
    }

    /// Encodes the frame as text.
    pub fn encode(&self) -> ByteString {
        text(self)
    }
}

/// The contents of a `welcome` frame.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Welcome<'a> {
    /// Id of the session, for support.
    pub sid: &'a str,
    /// Id of the session's user; for a bot, the id that its messages have as `sender_id`.
    pub user_id: &'a str,
    /// Cursor at which the session begins.
    #[schemars(with = "CursorText")]
    pub c: &'a str,
    /// Whether the session resumes after the requested cursor.
    pub resumed: bool,
    /// Time of the server. Unix time in milliseconds.
    pub time: u64,
    /// The scopes of the token: the session has the events that they show. Absent for a bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<ScopeNames>,
}

/// Limits for clients.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ClientLimits {
    /// Maximum size of a frame from the client, in bytes.
    frame_bytes: usize,
    /// Frames per second that the client may send on average.
    frames_per_second: u32,
    /// Frames that the client may send in a burst.
    frames_at_once: u32,
    /// Maximum number of events that are replayed.
    replay_events: usize,
    /// Maximum number of conversations that the client is subscribed to with `sub`.
    subscriptions: usize,
}

/// The version of the protocol.
pub const VERSION: u8 = 1;
/// Seconds in which a client has to send its `hello`.
pub const HELLO_SECONDS: u64 = 5;
/// Seconds without a frame from the server after which it sends a ping.
pub const HEARTBEAT_SECONDS: u64 = 25;
/// Seconds without a frame from the client after which its socket is closed.
pub const SILENCE_SECONDS: u64 = 60;
/// Seconds in which a client may read nothing of what waits for it, before its socket is closed.
pub const SLOW_SECONDS: u64 = 30;
/// Maximum size of a frame from a client, in bytes.
pub const CLIENT_FRAME_BYTES: usize = 64 << 10;
/// Frames per second that a client may send on average.
pub const CLIENT_FRAMES_PER_SECOND: u32 = 100;
/// Frames that a client may send in a burst.
pub const CLIENT_FRAMES_AT_ONCE: u32 = 1000;
/// Maximum number of conversations whose ephemeral events a client receives.
pub const SUBSCRIPTIONS: usize = 1000;
/// Maximum number of events that are replayed when a client resumes.
pub const REPLAY_EVENTS: usize = 5000;

/// A frame of the server that is not an event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "t", rename_all = "lowercase")]
#[schemars(inline)]
pub enum ServerFrame<'a> {
    /// The first frame of a session.
    Welcome {
        /// Version of the protocol.
        #[schemars(extend("const" = VERSION))]
        v: u8,
        #[serde(flatten)]
        welcome: Welcome<'a>,
        /// Seconds without a frame after which the server sends a ping.
        hb: u64,
        limits: ClientLimits,
    },
    /// The replay is complete; live events follow.
    Synced {
        /// Cursor at which the replay ended.
        #[schemars(with = "CursorText")]
        c: &'a str,
    },
    /// The session cannot resume after the client's cursor; the client must load the current state.
    Reset {
        /// Cursor from which the session continues.
        #[schemars(with = "CursorText")]
        c: &'a str,
        /// The reason: the cursor is not from this server's history (`unknown`), or more events
        /// followed than are replayed (`too_far`).
        #[schemars(extend("enum" = ["unknown", "too_far"]))]
        why: &'a str,
    },
    /// A frame of the client could not be served.
    Err {
        /// Error code for programs.
        #[schemars(extend("enum" = [
            "hello", "unknown_t", "missing_t", "field", "conv", "too_many", "fault", "bot", "scope"
        ]))]
        code: &'a str,
        /// Error message for people.
        msg: &'a str,
        /// Milliseconds to wait before trying again; null if trying again does not help.
        retry_ms: Option<u64>,
    },
    /// Sent when the server has sent nothing for a while.
    Ping {
        /// Cursor of the newest event that concerns this session.
        #[schemars(with = "CursorText")]
        c: &'a str,
    },
    /// The reply to a client's ping.
    Pong {
        /// Cursor of the session.
        #[schemars(with = "CursorText")]
        c: &'a str,
        /// The `x` of the ping; null if it had none.
        x: Option<&'a Value>,
    },
    /// The server is about to close the connection.
    Bye {
        /// The close code that follows.
        code: u16,
        /// Milliseconds to wait before reconnecting.
        retry_ms: u64,
    },
}

impl Welcome<'_> {
    /// Encodes the `welcome` frame as text.
    pub fn encode(self) -> ByteString {
        let limits = ClientLimits {
            frame_bytes: CLIENT_FRAME_BYTES,
            frames_per_second: CLIENT_FRAMES_PER_SECOND,
            frames_at_once: CLIENT_FRAMES_AT_ONCE,
            replay_events: REPLAY_EVENTS,
            subscriptions: SUBSCRIPTIONS,
        };
        let v = VERSION;
        let hb = HEARTBEAT_SECONDS;
        text(&ServerFrame::Welcome { v, welcome: self, hb, limits })
    }
}

/// Encodes a `synced` frame as text.
pub fn synced(c: &str) -> ByteString {
    text(&ServerFrame::Synced { c })
}

/// Encodes a `reset` frame as text.
pub fn reset(c: &str, why: &str) -> ByteString {
    text(&ServerFrame::Reset { c, why })
}

/// Encodes a `ping` frame as text.
pub fn ping(c: &str) -> ByteString {
    text(&ServerFrame::Ping { c })
}

/// Encodes a `pong` frame as text.
pub fn pong(c: &str, x: Option<&Value>) -> ByteString {
    text(&ServerFrame::Pong { c, x })
}

/// Encodes an `err` frame as text.
pub fn err(code: &str, msg: &str) -> ByteString {
    text(&ServerFrame::Err { code, msg, retry_ms: None })
}

/// Encodes a `bye` frame as text.
pub fn bye(code: u16, retry_ms: u64) -> ByteString {
    text(&ServerFrame::Bye { code, retry_ms })
}

/// `eph`: an event that may be dropped and is never sent again.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EphemeralFrame<'a, T> {
    /// Type of the frame: always `eph`.
    #[schemars(extend("const" = EPHEMERAL))]
    t: &'static str,
    /// The conversation in which the event happens.
    #[schemars(with = "ConversationName")]
    conv: &'a str,
    /// Type of the event.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Data of the event.
    data: T,
}

/// A user is typing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TypingData {
    /// Id of the user.
    user_id: TextId,
    /// When the user counts as no longer typing. Unix time in milliseconds; 0 if they do not type now.
    until: u64,
}

/// A user has read direct messages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceiptData {
    /// Id of the user who has read.
    user_id: TextId,
    /// Number of the newest event of the chat that the user has read.
    n: u64,
}

/// A user went online or offline.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PresenceData {
    /// Id of the user.
    user_id: TextId,
    /// Whether the user is online.
    online: bool,
}

/// A message request to you was opened, accepted or declined.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MessageRequestData {
    /// Id of the user who wrote it.
    other_user_id: TextId,
    /// What it became.
    #[schemars(extend("enum" = RequestChange::ALL.map(RequestChange::as_str)))]
    state: &'static str,
}

impl MessageRequestData {
    /// The request of this user after a change.
    pub fn of(from: UserId, change: RequestChange) -> Self {
        Self { other_user_id: from.into(), state: change.as_str() }
    }
}

/// An encoded `eph` frame, whose text all recipients share, with what it says.
#[derive(Debug, Clone)]
pub struct EncodedEphemeral {
    /// Text of the frame.
    pub text: ByteString,
    /// The conversation in which the event happens.
    pub conversation: Conversation,
    /// The user whom the event is about.
    pub user: UserId,
    /// The user's activity.
    pub what: EphemeralKind,
}

/// A user's activity in an `eph` frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EphemeralKind {
    /// The user is typing.
    Typing {
        /// When the user counts as no longer typing, unless renewed. Unix time in milliseconds; 0 if
        /// they do not type now.
        until: u64,
    },
    /// The user has read direct messages.
    Receipt {
        /// Number of the newest event that the user has read.
        n: u64,
    },
    /// The user went online or offline.
    Presence {
        /// Whether the user is online.
        online: bool,
    },
}

impl EncodedEphemeral {
    /// Encodes an ephemeral event about a user in a conversation.
    pub fn new(conversation: Conversation, user: UserId, what: EphemeralKind) -> Self {
        let conv = StreamId::from(conversation).to_string();
        let user_id = TextId::from(user);
        let t = EPHEMERAL;
        let conv = conv.as_str();
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
