//! The requests that listeners get: the event's JSON, signed according to the Standard Webhooks
//! specification 1.0.

use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use domain::bot_event::BotEvent;
use domain::group::{Bot, Secret};
use domain::message::MessageJson;
use domain::time::Timestamp;

/// A request to a listener.
#[derive(Debug, Clone)]
pub struct Signed {
    /// Its headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Its body.
    pub body: Bytes,
}

/// The headers beside the signature.
#[derive(Debug, Clone)]
pub struct AttemptHeaders {
    /// The delivery's id, the same on every attempt.
    pub webhook_id: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Whether later events were delivered before.
    pub out_of_order: bool,
    /// When the request is signed.
    pub at: Timestamp,
    /// The kind of the event.
    pub event: BotEvent,
}

/// Makes the request that carries an event to a bot.
pub fn request(bot: &Bot, message: &MessageJson, occasion: &AttemptHeaders) -> Signed {
    let body = Bytes::from_owner(message.clone());
    let second = occasion.at.seconds();
    let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let mut add = |name: &'static str, value: String| {
        // All values are letters, digits and plain signs, so none is dropped.
        let value = HeaderValue::from_str(&value);
        headers.extend(value.map(|value| (HeaderName::from_static(name), value)));
    };
    let signatures: Vec<String> = bot
        .secrets(occasion.at)
        .filter_map(|secret| sign(secret, &occasion.webhook_id, second, &body))
        .collect();
    add("webhook-id", occasion.webhook_id.clone());
    add("webhook-timestamp", second.to_string());
    if !signatures.is_empty() {
        add("webhook-signature", signatures.join(" "));
    }
    add("webhook-attempt", occasion.attempt.to_string());
    // Bots that choose no events get the same headers as before there was a choice.
    if bot.events.is_some() {
        add("webhook-event", occasion.event.as_str().to_owned());
    }
    if occasion.out_of_order {
        add("webhook-out-of-order", "1".to_owned());
    }
    Signed { headers, body }
}

fn sign(secret: &Secret, id: &str, second: u64, body: &[u8]) -> Option<String> {
    let key = STANDARD.decode(secret.as_str().strip_prefix(Secret::PREFIX)?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{second}.").as_bytes());
    mac.update(body);
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn signatures_are_those_of_the_specification() {
        let secret = Secret::of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let signature = sign(&secret, id, 1_614_265_330, b"{\"test\": 2432232314}").unwrap();
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
