//! One exchange: the messages that came together, and the replies to them.

use std::net::IpAddr;

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::subscribers::bayeux::Ground;
use crate::subscribers::bayeux::channels::Channel;
use crate::subscribers::bayeux::confirming::Confirming;
use crate::subscribers::bayeux::connection::Connection;
use crate::subscribers::bayeux::message::{self, Advice, Incoming, Trouble};
use crate::subscribers::bayeux::session;
use crate::subscribers::bayeux::sessions::{Ask, By};

/// By what connections can be made here.
const TRANSPORTS: [&str; 3] = ["websocket", "long-polling", "callback-polling"];

/// From where a request comes.
#[derive(Debug, Clone)]
pub struct From {
    /// The client's address.
    pub address: Option<IpAddr>,
    /// The connection, unless a proxy stands between.
    pub connection: Option<Connection>,
}

/// Answers a request: always an array, the reply to `/meta/connect` first. Waits as long
/// as a connect that is alone in it is held.
pub async fn request(ground: &Ground, from: &From, text: &[u8]) -> Vec<Value> {
    let messages = match message::read(text) {
        Ok(messages) => messages,
        Err(reply) => return vec![reply],
    };
    let by = By::Request { is_alone: messages.len() == 1, connection: from.connection.clone() };
    answer(ground, from.address, messages, &by).await
}

/// Answers what came together.
pub(super) async fn answer(
    ground: &Ground,
    address: Option<IpAddr>,
    mut messages: Vec<Incoming>,
    by: &By,
) -> Vec<Value> {
    if let Some(handshake) = messages.iter().find(|it| it.channel() == "/meta/handshake") {
        // All else that came with it is ignored: it cannot know the clientId.
        return vec![shake_hands(ground, address, handshake)];
    }
    messages.sort_by_key(|it| it.channel() != "/meta/connect");
    let mut replies = Vec::with_capacity(messages.len());
    for message in messages {
        replies.extend(pass_on(ground, message, by).await);
    }
    replies
}

fn shake_hands(ground: &Ground, address: Option<IpAddr>, message: &Incoming) -> Value {
    let mut reply = match begin(ground, address, message) {
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

fn begin(ground: &Ground, address: Option<IpAddr>, message: &Incoming) -> Result<String, Trouble> {
    if let Some(Value::Array(known)) = message.field("supportedConnectionTypes") {
        let is_ours = |it: &Value| it.as_str().is_some_and(|it| TRANSPORTS.contains(&it));
        if !known.iter().any(is_ours) {
            let trouble = Trouble::new(301, "", "Connection types not supported");
            return Err(trouble.advise(Advice::Nothing));
        }
    }
    let now = ground.shared.clock.now().mono;
    let (place, messages) = ground.shared.bayeux.begin(address, now)?;
    let client = place.client.clone();
    let confirming =
        if message.wants_acks() { Confirming::by_acks() } else { Confirming::default() };
    session::start(ground.clone(), place, messages, confirming);
    Ok(client)
}

/// Shows a message to its client's session.
async fn pass_on(ground: &Ground, message: Incoming, by: &By) -> Vec<Value> {
    if let Err(trouble) = Channel::parse(message.channel()) {
        return vec![message.fails(&trouble)];
    }
    let Some(client) = message.text("clientId") else {
        return vec![message.fails(&Trouble::missing("clientId").advise(Advice::Handshake(0)))];
    };
    let unknown = vec![message.fails(&Trouble::unknown_client(client))];
    let now = ground.shared.clock.now().mono;
    let Some(mailbox) = ground.shared.bayeux.find(client, now) else { return unknown };
    let busy = Trouble::new(503, client, "Too much at once").advise(Advice::Retry(1000));
    let busy = vec![message.fails(&busy)];
    let (reply, answer) = oneshot::channel();
    let ask = Ask::Message { message, by: by.clone(), reply };
    match mailbox.try_send(ask) {
        // Its session ends while the message waits for it.
        Ok(()) => answer.await.unwrap_or(unknown),
        Err(tokio::sync::mpsc::error::TrySendError::Full(_)) => busy,
        Err(tokio::sync::mpsc::error::TrySendError::Closed(_)) => unknown,
    }
}
