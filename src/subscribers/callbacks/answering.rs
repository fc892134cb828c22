//! Posts what a listener answers as a message of its bot: for bots that ask for it, once for each
//! message of a user. Answers to messages of bots and of the system are not posted, so that two
//! listeners do not answer each other for ever.

use actix_web::http::StatusCode;
use serde::Deserialize;

use crate::actors::ask::Failure;
use crate::actors::group::protocol::PostAsBot;
use crate::domain::message::MessageJson;
use crate::outgoing::OutgoingAnswer;
use crate::subscribers::callbacks::Shared;
use crate::subscribers::callbacks::endpoint::Attempt;
use crate::wire::bot;

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
