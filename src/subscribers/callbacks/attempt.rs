//! One attempt of a delivery: sends the request and tells how it ended.

use actix_web::http::StatusCode;
use serde::Deserialize;

use crate::callbacks::endpoint::Attempt;
use crate::callbacks::schedule::AttemptOutcome;
use crate::callbacks::signature::{self, AttemptHeaders};
use crate::callbacks::{Shared, log_reads};
use actors::ask::Failure;
use actors::group::protocol::PostAsBot;
use domain::callback::{Delivery, DeliveryState};
use domain::ids::StreamId;
use domain::limits::ANSWER_CHARS;
use domain::message::MessageJson;
use outgoing::kept_connections::KeptConnections;
use outgoing::{OutgoingAnswer, OutgoingFault};
use wire::bot;

/// An attempt that is over.
#[derive(Debug)]
pub(super) struct FinishedAttempt {
    pub(super) attempt: Attempt,
    /// The delivery with what was observed, and the outcome; `None` if the message could not be
    /// read here, so that nothing was sent.
    pub(super) seen: Option<(Delivery, AttemptOutcome)>,
    /// Whether the host works; `None` if the attempt does not tell.
    pub(super) host_works: Option<bool>,
}

/// Sends the message of an attempt once.
pub(super) async fn send(
    shared: &Shared,
    kept: &KeptConnections,
    attempt: Attempt,
) -> FinishedAttempt {
    let message = match find(shared, &attempt).await {
        Ok(Some(message)) => message,
        Ok(None) => {
            // The log never loses a message, but if one is missing, the bot must not wait for it
            // for ever.
            let seen = Delivery {
                answer: Some("the message is gone".to_owned()),
                ..attempt.delivery.clone()
            };
            return FinishedAttempt {
                attempt,
                seen: Some((seen, AttemptOutcome::Gone)),
                host_works: None,
            };
        }
        Err(fault) => {
            tracing::error!(
                bot.number = %attempt.bot.number, %fault,
                "reading the message of a callback failed"
            );
            return FinishedAttempt { attempt, seen: None, host_works: None };
        }
    };
    post(shared, kept, attempt, &message).await
}

async fn find(
    shared: &Shared,
    attempt: &Attempt,
) -> Result<Option<MessageJson>, index::IndexFault> {
    let context = shared.directory.context();
    let delivery = &attempt.delivery;
    // The event in memory may show words of a message whose deletion was not heard yet.
    let deletions = &context.archive.deletions;
    let stream = StreamId::Group(delivery.group);
    match attempt.event.as_ref().filter(|it| !deletions.concern(stream, &it.event.fact)) {
        Some(event) => Ok(Some(event.json.clone())),
        None => log_reads::event(context, delivery.group, delivery.delivered()).await,
    }
}

async fn post(
    shared: &Shared,
    kept: &KeptConnections,
    attempt: Attempt,
    message: &MessageJson,
) -> FinishedAttempt {
    let context = shared.directory.context();
    let begun = context.clock.now();
    let delivery = &attempt.delivery;
    if attempt.bot.habits.is_too_old(begun.wall.millis_since(attempt.happened)) {
        let answer = Some("older than this bot accepts".to_owned());
        let seen = Some((Delivery { answer, ..delivery.clone() }, AttemptOutcome::Gone));
        return FinishedAttempt { attempt, seen, host_works: None };
    }
    let occasion = AttemptHeaders {
        webhook_id: delivery.webhook_id(),
        attempt: delivery.attempt + 1,
        out_of_order: delivery.out_of_order,
        at: begun.wall,
        event: delivery.event,
    };
    let signed = signature::request(&attempt.bot, message, &occasion);
    let url = attempt.bot.callback_url.as_ref().map_or("", |url| url.as_str());
    let owner = attempt.bot.creator.into();
    let sent = shared.outgoing.post_over(owner, kept, url, signed.headers, signed.body);
    let answered = sent.await;
    let now = context.clock.now();
    let mut seen = Delivery {
        latency_millis: now.mono.millis_since(begun.mono),
        signed_at: begun.wall,
        status: None,
        ..delivery.clone()
    };
    if seen.attempt == 0 && seen.state == DeliveryState::Pending {
        seen.began = begun.wall;
    }
    let (verdict, host_works) = match &answered {
        Ok(answer) => {
            seen.status = Some(answer.status.as_u16());
            let unsaid = say(shared, &attempt, message, answer).await;
            seen.answer = Some(beginning(unsaid.as_ref().map_or(&answer.body, String::as_bytes)));
            let verdict = {
                let wait = answer.retry_after(now.wall).map(|it| u64::try_from(it.as_millis()));
                let wait = wait.map(|millis| millis.unwrap_or(u64::MAX));
                AttemptOutcome::of(answer.status.as_u16(), wait)
            };
            (verdict, Some(!answer.status.is_server_error()))
        }
        Err(fault @ OutgoingFault::NobodyListens(_)) => {
            seen.answer = Some(fault.to_string());
            (AttemptOutcome::ConnectionRefused, None)
        }
        Err(fault) => {
            seen.answer = Some(fault.to_string());
            // A URL that this server refuses says nothing about the host.
            let is_refused = matches!(fault, OutgoingFault::Refused(_));
            (AttemptOutcome::Failed, (!is_refused).then_some(false))
        }
    };
    FinishedAttempt { attempt, seen: Some((seen, verdict)), host_works }
}

/// The first [`ANSWER_CHARS`] characters of an answer.
pub(super) fn beginning(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(ANSWER_CHARS * 4)]);
    text.chars().take(ANSWER_CHARS).collect()
}

/// The part of a message that tells who sent it.
#[derive(Deserialize)]
struct Sent<'a> {
    sender_type: &'a str,
}

/// Posts a listener's answer. Returns why not, if the listener wanted to post something that could
/// not be posted.
pub(super) async fn say(
    shared: &Shared,
    attempt: &Attempt,
    message: &MessageJson,
    answer: &OutgoingAnswer,
) -> Option<String> {
    let is_asked = attempt.bot.habits.post_answers && attempt.delivery.event.is_message();
    if !is_asked || answer.status != StatusCode::OK || !is_of_a_person(message) {
        return None;
    }
    if answer.is_cut {
        return Some(format!("not posted: the answer is longer than {} bytes", answer.body.len()));
    }
    let post = match bot::read_answer(&answer.body) {
        Ok(post) => post?,
        Err(problems) => return Some(format!("not posted: {}", problems.into_list().join("; "))),
    };
    let question = PostAsBot { bot: attempt.bot.id.clone(), post };
    let said = shared.directory.ask(attempt.delivery.group, question).await;
    let why = match said.err()? {
        Failure::Refused(refusal) => refusal.to_string(),
        Failure::Fault(fault) => fault.to_string(),
    };
    Some(format!("not posted: {why}"))
}

fn is_of_a_person(message: &MessageJson) -> bool {
    serde_json::from_str(message.get()).is_ok_and(|it: Sent<'_>| it.sender_type == "user")
}
