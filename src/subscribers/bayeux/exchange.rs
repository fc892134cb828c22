//! Answers the messages that came together in one request or text.

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::domain::client_network::ClientNetwork;
use crate::subscribers::bayeux::BayeuxContext;
use crate::subscribers::bayeux::acknowledgements::Acknowledgements;
use crate::subscribers::bayeux::channels::Channel;
use crate::subscribers::bayeux::connection::ClientConnection;
use crate::subscribers::bayeux::feed::FeedPace;
use crate::subscribers::bayeux::message::{self, Advice, BayeuxTrouble, Incoming};
use crate::subscribers::bayeux::session;
use crate::subscribers::bayeux::sessions::{MessageSource, SessionMessage};

/// The connection types that are offered.
const TRANSPORTS: [&str; 3] = ["websocket", "long-polling", "callback-polling"];

/// Where a request comes from.
#[derive(Debug, Clone)]
pub struct RequestSource {
    /// The client's address.
    pub address: Option<ClientNetwork>,
    /// The connection; `None` behind a proxy.
    pub connection: Option<ClientConnection>,
}

/// Answers a request. The reply is always an array, with the reply to `/meta/connect` first. Waits
/// as long as a connect that came alone is held.
pub async fn request(context: &BayeuxContext, from: &RequestSource, text: &[u8]) -> Vec<Value> {
    let messages = match message::read(text) {
        Ok(messages) => messages,
        Err(reply) => return vec![reply],
    };
    let by = MessageSource::Request {
        is_alone: messages.len() == 1,
        connection: from.connection.clone(),
    };
    answer(context, from.address, messages, &by).await
}

/// Answers messages that came together.
pub(super) async fn answer(
    context: &BayeuxContext,
    address: Option<ClientNetwork>,
    mut messages: Vec<Incoming>,
    by: &MessageSource,
) -> Vec<Value> {
    if let Some(handshake) = messages.iter().find(|it| it.channel() == "/meta/handshake") {
        // Everything that came with a handshake is ignored, since the client cannot know its
        // clientId yet.
        return vec![shake_hands(context, address, handshake)];
    }
    messages.sort_by_key(|it| it.channel() != "/meta/connect");
    let mut replies = Vec::with_capacity(messages.len());
    for message in messages {
        replies.extend(pass_on(context, message, by).await);
    }
    replies
}

fn shake_hands(
    context: &BayeuxContext,
    address: Option<ClientNetwork>,
    message: &Incoming,
) -> Value {
    let mut reply = match begin(context, address, message) {
        Ok(client) => {
            let mut reply = message.succeeds_for_now(Advice::Retry(0));
            reply["clientId"] = json!(client);
            if message.wants_acks() {
                reply["ext"] = json!({"ack": true});
            }
            reply
        }
        Err(trouble) => message.fails(&trouble),
    };
    reply["version"] = json!("1.0");
    reply["minimumVersion"] = json!("1.0");
    reply["supportedConnectionTypes"] = json!(TRANSPORTS);
    reply
}

fn begin(
    context: &BayeuxContext,
    address: Option<ClientNetwork>,
    message: &Incoming,
) -> Result<String, BayeuxTrouble> {
    if let Some(Value::Array(known)) = message.field("supportedConnectionTypes") {
        let is_ours = |it: &Value| it.as_str().is_some_and(|it| TRANSPORTS.contains(&it));
        if !known.iter().any(is_ours) {
            let trouble = BayeuxTrouble::new(301, "", "Connection types not supported");
            return Err(trouble.advise(Advice::Nothing));
        }
    }
    let now = context.shared.clock.now().mono;
    let (place, messages) = context.sessions.begin(address, now)?;
    let client = place.client.clone();
    let acknowledgements = if message.wants_acks() {
        Acknowledgements::by_acks()
    } else {
        Acknowledgements::default()
    };
    session::start(context.clone(), place, messages, (acknowledgements, pace_of(message)));
    Ok(client)
}

/// A client that offers nothing but long-polling may read only the first message of an answer.
fn pace_of(handshake: &Incoming) -> FeedPace {
    let offered = handshake.field("supportedConnectionTypes").and_then(Value::as_array);
    match offered.map(Vec::as_slice) {
        Some([Value::String(only)]) if only == "long-polling" => FeedPace::OneByOne,
        Some(_) | None => FeedPace::Together,
    }
}

/// Passes a message to the session of its client.
async fn pass_on(context: &BayeuxContext, message: Incoming, by: &MessageSource) -> Vec<Value> {
    if let Err(trouble) = Channel::parse(message.channel()) {
        return vec![message.fails(&trouble)];
    }
    let Some(client) = message.text("clientId") else {
        return vec![
            message.fails(&BayeuxTrouble::missing("clientId").advise(Advice::Handshake(0))),
        ];
    };
    let unknown = vec![message.fails(&BayeuxTrouble::unknown_client(client))];
    let now = context.shared.clock.now().mono;
    let Some(mailbox) = context.sessions.find(client, now) else { return unknown };
    let busy = BayeuxTrouble::new(503, client, "Too much at once").advise(Advice::Retry(1000));
    let busy = vec![message.fails(&busy)];
    let (reply, answer) = oneshot::channel();
    let ask = SessionMessage::Message { message, by: by.clone(), reply };
    match mailbox.try_send(ask) {
        // The session may end while the message waits in its queue.
        Ok(()) => answer.await.unwrap_or(unknown),
        Err(tokio::sync::mpsc::error::TrySendError::Full(_)) => busy,
        Err(tokio::sync::mpsc::error::TrySendError::Closed(_)) => unknown,
    }
}
