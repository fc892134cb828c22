//! Frames of the push protocol `coterie.push.v1`, in JSON.

use bytestring::ByteString;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::domain::ids::UserId;

/// What an `ev` frame carries: a durable event.
#[derive(Debug, Serialize)]
pub struct EventFrame<'a> {
    t: &'static str,
    /// Where a reader goes on from.
    pub c: &'a str,
    /// Whose event.
    pub conv: &'a str,
    /// Its number there.
    pub n: u64,
    /// What kind.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// Unix milliseconds.
    pub at: u64,
    /// The thing itself, as REST gives it.
    pub data: &'a RawValue,
    /// What a notice would say.
    pub alert: &'a str,
}

impl<'a> EventFrame<'a> {
    /// A frame of a durable event.
    pub const fn new(
        c: &'a str,
        (conv, n): (&'a str, u64),
        kind: &'a str,
        at: u64,
        data: &'a RawValue,
        alert: &'a str,
    ) -> Self {
        Self { t: "ev", c, conv, n, kind, at, data, alert }
    }

    /// The text of the frame.
    pub fn encode(&self) -> ByteString {
        let text = serde_json::to_string(self).expect("texts and numbers are always JSON");
        ByteString::from(text)
    }
}

/// `welcome`: the first frame.
#[derive(Debug, Clone, Copy)]
pub struct Welcome<'a> {
    /// Names the session, for support.
    pub sid: &'a str,
    /// Whose it is.
    pub user_id: &'a str,
    /// Where it begins.
    pub c: &'a str,
    /// Whether it goes on from the client's cursor.
    pub resumed: bool,
    /// Unix milliseconds.
    pub time: u64,
}

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

impl Welcome<'_> {
    /// The text of the frame.
    pub fn encode(&self) -> ByteString {
        text(&json!({
            "t": "welcome", "v": 1, "sid": self.sid, "user_id": self.user_id, "c": self.c,
            "resumed": self.resumed, "hb": HEARTBEAT_SECONDS, "time": self.time,
            "limits": {
                "frame_bytes": CLIENT_FRAME_BYTES, "replay_events": REPLAY_EVENTS,
                "frames_per_second": CLIENT_FRAMES_PER_SECOND,
                "frames_at_once": CLIENT_FRAMES_AT_ONCE, "subscriptions": SUBSCRIPTIONS,
            },
        }))
    }
}

/// `synced`: replay is over, from here live.
pub fn synced(c: &str) -> ByteString {
    text(&json!({"t": "synced", "c": c}))
}

/// `reset`: the cursor cannot be honoured; load the snapshot.
pub fn reset(c: &str, why: &str) -> ByteString {
    text(&json!({"t": "reset", "c": c, "why": why}))
}

/// `ping`: nothing happened for a while; `c` is the newest cursor for this user.
pub fn ping(c: &str) -> ByteString {
    text(&json!({"t": "ping", "c": c}))
}

/// `pong`: the answer to a client's ping.
pub fn pong(c: &str, x: Option<&Value>) -> ByteString {
    text(&json!({"t": "pong", "c": c, "x": x}))
}

/// `err`: a frame of the right form that cannot be served.
pub fn err(code: &str, msg: &str) -> ByteString {
    text(&json!({"t": "err", "code": code, "msg": msg, "retry_ms": null}))
}

/// `eph`: somebody types, until then.
pub fn typing(conv: &str, user: UserId, until: u64) -> ByteString {
    ephemeral_event(conv, "typing", &json!({"user_id": user.to_string(), "until": until}))
}

/// `eph`: somebody has read a direct message, up to there.
pub fn receipt(conv: &str, user: UserId, n: u64) -> ByteString {
    ephemeral_event(conv, "receipt", &json!({"user_id": user.to_string(), "n": n}))
}

/// `eph`: somebody is here, or gone.
pub fn presence(conv: &str, user: UserId, online: bool) -> ByteString {
    ephemeral_event(conv, "presence", &json!({"user_id": user.to_string(), "online": online}))
}

fn ephemeral_event(conv: &str, kind: &str, data: &Value) -> ByteString {
    text(&json!({"t": "eph", "conv": conv, "type": kind, "data": data}))
}

/// `bye`: the server is about to close.
pub fn bye(code: u16, retry_ms: u64) -> ByteString {
    text(&json!({"t": "bye", "code": code, "retry_ms": retry_ms}))
}

fn text(value: &Value) -> ByteString {
    ByteString::from(value.to_string())
}
