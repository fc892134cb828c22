//! Bayeux messages in JSON: parses those of clients, and makes the replies.

use serde_json::{Map, Value, json};

use crate::subscribers::bayeux::{BATCH, HOLD};
use crate::subscribers::closing::Close;

/// Bytes of an id or a channel that are echoed; longer ones cannot be valid.
const ECHOED: usize = 255;

/// A message of a client.
#[derive(Debug, Clone, Default)]
pub struct Incoming {
    fields: Map<String, Value>,
}

/// Why a message is refused (`code:args:text`), and what the client should do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BayeuxTrouble {
    /// Three digits. 401 makes clients shake hands anew, so it is used for nothing else.
    pub code: u16,
    /// What the refusal is about, such as a name.
    pub args: String,
    /// The reason, of letters and spaces only: clients parse it by a strict grammar.
    pub text: &'static str,
    /// What the client should do next; `None` gives no advice.
    pub advice: Option<Advice>,
}

/// What a client should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Connect again after this many milliseconds.
    Retry(u64),
    /// Shake hands anew after this many milliseconds.
    Handshake(u64),
    /// Do not reconnect.
    Nothing,
}

impl Advice {
    fn shown(self) -> Value {
        let timeout = u64::try_from(HOLD.as_millis()).unwrap_or(u64::MAX);
        match self {
            Self::Retry(interval) => {
                let interval = whole_seconds(interval);
                json!({"reconnect": "retry", "interval": interval, "timeout": timeout})
            }
            Self::Handshake(interval) => {
                json!({"reconnect": "handshake", "interval": whole_seconds(interval)})
            }
            Self::Nothing => json!({"reconnect": "none"}),
        }
    }
}

/// Rounds up to whole seconds: some clients (aiocometd) read only the seconds of an interval, and
/// would come back at once instead of a little later.
const fn whole_seconds(millis: u64) -> u64 {
    millis.div_ceil(1000) * 1000
}

impl BayeuxTrouble {
    /// The refusal for a client whose feed cannot be opened or was closed.
    pub(super) fn of_close(close: Close) -> Self {
        match close {
            Close::TOKEN => Self::new(403, "access_token", "The access token does not work")
                .advise(Advice::Nothing),
            Close::TOO_MANY => {
                Self::new(429, "", "Too many clients of one user").advise(Advice::Retry(10_000))
            }
            Close { why, .. } => Self::new(503, "", why).advise(Advice::Retry(1000)),
        }
    }

    /// A refusal without advice.
    pub fn new(code: u16, args: impl Into<String>, text: &'static str) -> Self {
        Self { code, args: args.into(), text, advice: None }
    }

    /// Adds advice.
    pub const fn advise(mut self, advice: Advice) -> Self {
        self.advice = Some(advice);
        self
    }

    /// A field that the protocol requires is missing.
    pub fn missing(what: &str) -> Self {
        Self::new(402, what, "Missing required parameter")
    }

    /// The `clientId` is unknown or expired.
    pub fn unknown_client(client: &str) -> Self {
        Self::new(401, client, "Unknown client").advise(Advice::Handshake(0))
    }

    /// A fault of the server, which is logged.
    pub fn fault(fault: &dyn std::fmt::Display) -> Self {
        tracing::error!(%fault, "a Bayeux message cannot be answered");
        Self::new(500, "", "This cannot be done now").advise(Advice::Retry(1000))
    }
}

/// Parses one message or an array of them.
///
/// # Errors
/// With the reply, if the text is neither, or has too many messages.
pub fn read(text: &[u8]) -> Result<Vec<Incoming>, Value> {
    let refused = |code, why| Incoming::default().fails(&BayeuxTrouble::new(code, "", why));
    let items = match serde_json::from_slice(text) {
        Ok(Value::Array(items)) => items,
        Ok(item @ Value::Object(_)) => vec![item],
        Ok(_) => return Err(refused(400, "Neither a message nor an array of messages")),
        Err(_) => return Err(refused(400, "Not JSON")),
    };
    if items.len() > BATCH {
        return Err(refused(413, "Too many messages at once"));
    }
    let read = |item| {
        if let Value::Object(fields) = item {
            Incoming { fields }
        } else {
            // Refused later, since it names no channel.
            Incoming::default()
        }
    };
    Ok(items.into_iter().map(read).collect())
}

impl Incoming {
    /// Makes a message of a client on a channel, as if the client had sent it.
    pub fn of(channel: &str, client: &str) -> Self {
        let fields = [("channel", channel), ("clientId", client)];
        let fields = fields.map(|(name, value)| (name.to_owned(), json!(value)));
        Self { fields: Map::from_iter(fields) }
    }

    /// A field that is a string, unless it is too long to be echoed.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str).filter(|text| text.len() <= ECHOED)
    }

    /// Any field that is not null.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// The channel; empty if there is none.
    pub fn channel(&self) -> &str {
        self.text("channel").unwrap_or_default()
    }

    /// A string inside `ext`.
    pub fn ext(&self, name: &str) -> Option<&str> {
        self.field("ext")?.get(name)?.as_str()
    }

    /// Whether a client asks for acknowledgements (`ext.ack`, as in CometD).
    pub fn wants_acks(&self) -> bool {
        match self.field("ext").and_then(|ext| ext.get("ack")) {
            Some(Value::Object(value)) => value.get("enabled") == Some(&Value::Bool(true)),
            value => value == Some(&Value::Bool(true)),
        }
    }

    /// The number of the last answer that a client has received, if it acknowledges.
    pub fn acknowledged(&self) -> Option<u64> {
        self.field("ext")?.get("ack")?.as_u64()
    }

    /// The client's id of this message.
    pub fn id(&self) -> Option<&Value> {
        self.field("id").filter(|id| match id {
            Value::String(text) => text.len() <= ECHOED,
            Value::Number(_) => true,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        })
    }

    /// The channels in `subscription`, which may be a string or a list.
    pub fn subscription(&self) -> Option<Vec<&str>> {
        match self.field("subscription")? {
            Value::String(one) => Some(vec![one]),
            Value::Array(list) => list.iter().map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        }
    }

    /// The reply that the message was accepted.
    pub fn succeeds(&self) -> Value {
        let mut reply = self.reply(true);
        if self.channel() == "/meta/connect" {
            reply["advice"] = Advice::Retry(0).shown();
        }
        reply
    }

    /// The reply that the message was accepted, with this advice.
    pub fn succeeds_for_now(&self, advice: Advice) -> Value {
        let mut reply = self.reply(true);
        reply["advice"] = advice.shown();
        reply
    }

    /// The reply that the message was refused.
    pub fn fails(&self, trouble: &BayeuxTrouble) -> Value {
        let mut reply = self.reply(false);
        let BayeuxTrouble { code, args, text, advice } = trouble;
        reply["error"] = json!(format!("{code}:{args}:{text}"));
        if let Some(advice) = advice {
            reply["advice"] = advice.shown();
        }
        reply
    }

    fn reply(&self, successful: bool) -> Value {
        let mut reply = json!({"channel": self.channel(), "successful": successful});
        if let Some(id) = self.id() {
            reply["id"] = id.clone();
        }
        if let Some(client) = self.text("clientId") {
            reply["clientId"] = json!(client);
        }
        let is_about_channels = matches!(self.channel(), "/meta/subscribe" | "/meta/unsubscribe");
        if is_about_channels {
            reply["subscription"] = self.field("subscription").cloned().unwrap_or(json!([]));
        }
        reply
    }
}

/// A message that carries data on a channel.
pub fn told(channel: &str, data: &Value) -> Value {
    json!({"channel": channel, "data": data})
}

/// The text that is sent on every transport: always an array.
pub fn batch(messages: Vec<Value>) -> String {
    Value::Array(messages).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Incoming {
        read(text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn intervals_are_whole_seconds_and_never_shorter() {
        for (millis, advised) in [(0, 0), (1, 1000), (500, 1000), (1000, 1000), (2499, 3000)] {
            assert_eq!(Advice::Retry(millis).shown()["interval"], advised);
            assert_eq!(Advice::Handshake(millis).shown()["interval"], advised);
        }
    }

    #[test]
    fn ids_come_back_as_they_were_written() {
        assert_eq!(one(r#"{"channel":"/x","id":7}"#).succeeds()["id"], 7);
        assert_eq!(one(r#"{"channel":"/x","id":"7"}"#).succeeds()["id"], "7");
        assert_eq!(one(r#"{"channel":"/x","id":{}}"#).succeeds().get("id"), None);
        assert_eq!(one(r#"{"channel":"/x"}"#).succeeds().get("id"), None);
    }

    #[test]
    fn what_is_no_message_is_answered_all_the_same() {
        assert!(read(b"[").unwrap_err()["error"].as_str().unwrap().starts_with("400::"));
        assert!(read(b"7").is_err());
        assert_eq!(one("[7]").channel(), "");
        assert!(read(format!("[{}7]", "7,".repeat(BATCH)).as_bytes()).is_err());
    }

    #[test]
    fn a_subscription_is_one_or_a_list() {
        assert_eq!(one(r#"{"subscription":"/a"}"#).subscription(), Some(vec!["/a"]));
        assert_eq!(one(r#"{"subscription":["/a","/b"]}"#).subscription(), Some(vec!["/a", "/b"]));
        assert_eq!(one(r#"{"subscription":[7]}"#).subscription(), None);
    }

    #[test]
    fn nothing_of_a_client_is_echoed_but_ids_and_channels() {
        let message = one(r#"{"channel":"/x","ext":{"access_token":"secret"},"data":"words"}"#);
        let reply = message.fails(&BayeuxTrouble::missing("clientId")).to_string();
        assert!(!reply.contains("secret") && !reply.contains("words"), "{reply}");
    }
}
