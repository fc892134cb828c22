//! Bayeux messages in JSON: parses those of clients, and makes the replies.

use bytestring::ByteString;
use serde_json::{Map, Value, json};

use crate::bayeux::{BATCH, HOLD};
use crate::close::Close;
use wire::old_form::MessageForm;

/// Bytes of an id or a channel that are echoed; longer ones cannot be valid.
const ECHOED: usize = 255;

/// A message of a client.
#[derive(Debug, Clone, Default)]
pub struct Incoming {
    fields: Map<String, Value>,
    /// The form in which the client is answered.
    form: MessageForm,
}

/// Why a message is refused (`code:args:text`), and what the client should do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BayeuxTrouble {
    /// Three digits. 401 makes clients shake hands again, so it is used for nothing else.
    pub code: u16,
    /// The object of the refusal, such as a name.
    pub args: String,
    /// The reason, of letters and spaces only: clients parse it by a strict grammar.
    pub text: &'static str,
    /// The advice to the client, if any.
    pub advice: Option<Advice>,
}

/// Advice to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Connect again.
    Retry,
    /// Shake hands again.
    Handshake,
    /// Do not reconnect.
    Nothing,
}

/// Milliseconds that the original service names as the timeout of a connect. Its Android client
/// connects again 30 seconds before they are over.
const ORIGINAL_TIMEOUT_MILLIS: u64 = 600_000;

impl Advice {
    fn shown(self, form: MessageForm) -> Value {
        let timeout = match form {
            MessageForm::Specified => u64::try_from(HOLD.as_millis()).unwrap_or(u64::MAX),
            MessageForm::Old => ORIGINAL_TIMEOUT_MILLIS,
        };
        // Some clients (aiocometd) read an interval as seconds and would stay away for minutes. So
        // the interval is always 0, and the server delays refusals itself.
        match self {
            Self::Retry => json!({"reconnect": "retry", "interval": 0, "timeout": timeout}),
            Self::Handshake => json!({"reconnect": "handshake", "interval": 0}),
            Self::Nothing => json!({"reconnect": "none"}),
        }
    }
}

impl BayeuxTrouble {
    /// The refusal for a client whose feed cannot be opened or was closed.
    pub(super) fn of_close(close: Close) -> Self {
        match close {
            Close::TOKEN => Self::new(403, "access_token", "The access token does not work")
                .advise(Advice::Nothing),
            Close::TOO_MANY => {
                Self::new(429, "", "Too many clients of one user").advise(Advice::Retry)
            }
            Close { why, .. } => Self::new(503, "", why).advise(Advice::Retry),
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
        Self::new(401, client, "Unknown client").advise(Advice::Handshake)
    }

    /// A fault of the server, which is logged.
    pub fn fault(fault: &dyn std::fmt::Display) -> Self {
        tracing::error!(%fault, "answering a Bayeux message failed");
        Self::new(500, "", "This cannot be done now").advise(Advice::Retry)
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
            Incoming { fields, ..Incoming::default() }
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
        Self { fields: Map::from_iter(fields), ..Self::default() }
    }

    /// The message of a client that is answered in this form.
    #[must_use]
    pub fn in_form(self, form: MessageForm) -> Self {
        Self { form, ..self }
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
            reply["advice"] = Advice::Retry.shown(self.form);
        }
        reply
    }

    /// The reply that the message was accepted, with this advice.
    pub fn succeeds_for_now(&self, advice: Advice) -> Value {
        let mut reply = self.reply(true);
        reply["advice"] = advice.shown(self.form);
        reply
    }

    /// The reply that the message was refused.
    pub fn fails(&self, trouble: &BayeuxTrouble) -> Value {
        let mut reply = self.reply(false);
        let BayeuxTrouble { code, args, text, advice } = trouble;
        reply["error"] = json!(format!("{code}:{args}:{text}"));
        if let Some(advice) = advice {
            reply["advice"] = advice.shown(self.form);
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

/// Whether the server delays a reply: a refusal after which the client will try again at once. A
/// client that is unknown may shake hands at once.
pub fn is_delayed(reply: &Value) -> bool {
    let is_again = matches!(reply["advice"]["reconnect"].as_str(), Some("retry" | "handshake"));
    let is_about_client = |error: &str| error.starts_with("401:") || error.starts_with("402:");
    is_again && reply["error"].as_str().is_some_and(|error| !is_about_client(error))
}

/// A message that carries data on a channel. Its id has six hexadecimal digits, made of a number.
pub fn push(channel: &str, number: u64, data: &Value) -> Value {
    json!({"channel": channel, "id": format!("{:06x}", number & 0x00ff_ffff), "data": data})
}

/// Encodes messages for the WebSocket: each is a text with an array of one message. Existing clients
/// read no more than one message of a text.
pub fn texts(messages: Vec<Value>) -> Vec<ByteString> {
    messages.into_iter().map(|message| ByteString::from(batch(vec![message]))).collect()
}

/// Encodes the messages of a response: always an array.
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
    fn advice_names_no_interval() {
        for form in [MessageForm::Specified, MessageForm::Old] {
            for advice in [Advice::Retry, Advice::Handshake] {
                assert_eq!(advice.shown(form)["interval"], 0);
            }
        }
    }

    #[test]
    fn pushes_have_ids_of_six_digits() {
        for (number, id) in [(0, "000000"), (0xab, "0000ab"), (u64::MAX, "ffffff")] {
            assert_eq!(push("/user/7", number, &json!({}))["id"], id);
        }
    }

    #[test]
    fn socket_texts_hold_one_message_each() {
        let texts = texts(vec![json!({"channel": "/a"}), json!({"channel": "/b"})]);
        assert_eq!(texts, [r#"[{"channel":"/a"}]"#, r#"[{"channel":"/b"}]"#]);
    }

    #[test]
    fn ids_come_back_as_they_were_written() {
        assert_eq!(one(r#"{"channel":"/x","id":7}"#).succeeds()["id"], 7);
        assert_eq!(one(r#"{"channel":"/x","id":"7"}"#).succeeds()["id"], "7");
        assert_eq!(one(r#"{"channel":"/x","id":{}}"#).succeeds().get("id"), None);
        assert_eq!(one(r#"{"channel":"/x"}"#).succeeds().get("id"), None);
    }

    #[test]
    fn malformed_bayeux_message_is_answered() {
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
