//! Answers the messages that came together in one request or text.

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::bayeux::acknowledgements::Acknowledgements;
use crate::bayeux::channels::Channel;
use crate::bayeux::connection::ClientConnection;
use crate::bayeux::message::{self, Advice, BayeuxTrouble, Incoming};
use crate::bayeux::session;
use crate::bayeux::sessions::{MessageSource, SessionMessage};
use crate::bayeux::{BayeuxContext, REFUSAL_DELAY};
use domain::client_network::ClientNetwork;
use wire::old_form::MessageForm;

/// The connection types that are offered.
const TRANSPORTS: [&str; 3] = ["websocket", "long-polling", "callback-polling"];
/// The connection types that the original service names.
const ORIGINAL_TRANSPORTS: [&str; 6] = [
    "long-polling",
    "cross-origin-long-polling",
    "callback-polling",
    "websocket",
    "eventsource",
    "in-process",
];

/// The connection types that a reply to a handshake names.
const fn transports(form: MessageForm) -> &'static [&'static str] {
    match form {
        MessageForm::Specified => &TRANSPORTS,
        MessageForm::Old => &ORIGINAL_TRANSPORTS,
    }
}

/// The origin of a request.
#[derive(Debug, Clone)]
pub struct RequestSource {
    /// The client's address.
    pub address: Option<ClientNetwork>,
    /// The connection; `None` behind a proxy.
    pub connection: Option<ClientConnection>,
}

/// Answers a request. The reply is always an array, with the reply to `/meta/connect` first and at
/// most one message with data. Waits as long as a connect that came alone is held.
pub async fn request(context: &BayeuxContext, from: &RequestSource, text: &[u8]) -> Vec<Value> {
    let messages = match message::read(text) {
        Ok(messages) => messages,
        Err(reply) => return vec![reply],
    };
    let by = MessageSource::Request {
        is_alone: messages.len() == 1,
        connection: from.connection.clone(),
    };
    let mut replies = answer(context, from.address, messages, &by).await;
    // Some clients read no more than one message with data. Echoes of pings may be left out.
    let mut has_data = false;
    replies.retain(|reply| {
        let is_extra = has_data && reply.get("data").is_some();
        has_data |= reply.get("data").is_some();
        !is_extra
    });
    replies
}

/// Answers messages that came together, after a while if one is refused and its client will try
/// again at once.
pub(super) async fn answer(
    context: &BayeuxContext,
    address: Option<ClientNetwork>,
    messages: Vec<Incoming>,
    by: &MessageSource,
) -> Vec<Value> {
    let replies = replies(context, address, messages, by).await;
    if replies.iter().any(message::is_delayed) {
        sleep(REFUSAL_DELAY).await;
    }
    replies
}

async fn replies(
    context: &BayeuxContext,
    address: Option<ClientNetwork>,
    messages: Vec<Incoming>,
    by: &MessageSource,
) -> Vec<Value> {
    let mut messages: Vec<Incoming> =
        messages.into_iter().map(|it| it.in_form(context.form)).collect();
    if let Some(handshake) = messages.iter().find(|it| it.channel() == "/meta/handshake") {
        // Everything that came with a handshake is ignored, since the client cannot know its
        // clientId yet.
        return vec![shake_hands(context, address, handshake)];
    }
    messages.sort_by_key(|it| it.channel() != "/meta/connect");
    let mut replies = Vec::with_capacity(messages.len());
    let mut lost_client = None;
    let mut has_connect = false;
    for message in messages {
        let is_connect = message.channel() == "/meta/connect";
        let client = message.text("clientId").map(str::to_owned);
        // A client whose connect finds no session shakes hands and subscribes again. Some clients
        // (aiocometd) never repeat a subscription that fails.
        if message.channel() == "/meta/subscribe" && client.is_some() && client == lost_client {
            continue;
        }
        if is_connect && has_connect && matches!(by, MessageSource::Request { .. }) {
            let trouble =
                BayeuxTrouble::new(400, "", "One connect at a time").advise(Advice::Retry);
            replies.push(message.fails(&trouble));
            continue;
        }
        has_connect |= is_connect;
        let answered = pass_on(context, message, by).await;
        let is_unknown = answered.first().and_then(|it| it["error"].as_str());
        if is_connect && is_unknown.is_some_and(|error| error.starts_with("401:")) {
            lost_client = client;
        }
        replies.extend(answered);
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
            let mut reply = message.succeeds_for_now(Advice::Retry);
            reply["clientId"] = json!(client);
            if gives_acks(context, message) {
                reply["ext"] = json!({"ack": true});
            }
            reply
        }
        Err(trouble) => message.fails(&trouble),
    };
    reply["version"] = json!("1.0");
    reply["minimumVersion"] = json!("1.0");
    reply["supportedConnectionTypes"] = json!(transports(context.form));
    reply
}

/// Whether the client acknowledges. The original service knows no acknowledgements.
fn gives_acks(context: &BayeuxContext, handshake: &Incoming) -> bool {
    handshake.wants_acks() && context.form == MessageForm::Specified
}

fn begin(
    context: &BayeuxContext,
    address: Option<ClientNetwork>,
    message: &Incoming,
) -> Result<String, BayeuxTrouble> {
    if let Some(Value::Array(known)) = message.field("supportedConnectionTypes") {
        let is_ours =
            |it: &Value| it.as_str().is_some_and(|it| transports(context.form).contains(&it));
        if !known.iter().any(is_ours) {
            let trouble = BayeuxTrouble::new(301, "", "Connection types not supported");
            return Err(trouble.advise(Advice::Nothing));
        }
    }
    let now = context.shared.clock.now().mono;
    let (place, messages) = context.sessions.begin(address, now)?;
    let client = place.client.clone();
    let acknowledgements = if gives_acks(context, message) {
        Acknowledgements::by_acks()
    } else {
        Acknowledgements::default()
    };
    session::start(context.clone(), place, messages, acknowledgements);
    Ok(client)
}

/// Passes a message to the session of its client.
async fn pass_on(context: &BayeuxContext, message: Incoming, by: &MessageSource) -> Vec<Value> {
    if let Err(trouble) = Channel::parse(message.channel()) {
        return vec![message.fails(&trouble)];
    }
    let Some(client) = message.text("clientId") else {
        return vec![message.fails(&BayeuxTrouble::missing("clientId").advise(Advice::Handshake))];
    };
    let unknown = vec![message.fails(&BayeuxTrouble::unknown_client(client))];
    let now = context.shared.clock.now().mono;
    let Some(mailbox) = context.sessions.find(client, now) else { return unknown };
    let busy = BayeuxTrouble::new(503, client, "Too much at once").advise(Advice::Retry);
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
