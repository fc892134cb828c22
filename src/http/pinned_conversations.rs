//! Pinned conversations: those at the top of a user's list, the same on all devices.

use actix_web::http::StatusCode;
use actix_web::web;
use serde_json::json;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use actors::user::protocol::{PinConversations, ViewUser};
use domain::ids::{Conversation, GroupId, Pair};
use domain::limits::PINNED_CONVERSATIONS;
use domain::user::ReadRefusal;
use wire::fields::{self, Fields, Problems};

/// Parses the id of a conversation: a group's, or two users'.
pub(super) fn conversation(text: &str) -> Option<Conversation> {
    let group = text.parse::<GroupId>().map(Conversation::from);
    group.or_else(|_| text.parse::<Pair>().map(Conversation::from)).ok()
}

/// `GET /pinned_conversations`: leaves out conversations that the caller is no longer in.
pub(super) async fn list(app: web::Data<AppState>, caller: Caller) -> Answer {
    let user = app.directory.ask(caller.user, ViewUser).await?;
    let accounts = &app.directory.context().accounts;
    let pinned = accounts.own_conversations(caller.user, user.pinned.clone()).await?;
    Ok(reply::ok(&resource(&pinned)))
}

fn resource(pinned: &[Conversation]) -> serde_json::Value {
    let ids: Vec<String> = pinned.iter().map(Conversation::to_string).collect();
    json!({"pinned_conversation_ids": ids})
}

/// `PUT /pinned_conversations`
pub(super) async fn replace(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    let wanted = read(&body.fields()?)?;
    let accounts = &app.directory.context().accounts;
    let own = accounts.own_conversations(caller.user, wanted.clone()).await?;
    if own.len() < wanted.len() {
        return Err(ApiError::from(ReadRefusal::NotAMember));
    }
    let asked = PinConversations { conversations: wanted.clone() };
    let done =
        act.ask(caller.user, asked, move |()| reply::payload(StatusCode::OK, &resource(&wanted)));
    Ok(done.await?)
}

/// The conversations, each once, in the order of their first mention.
fn read(body: &serde_json::Map<String, serde_json::Value>) -> Result<Vec<Conversation>, Problems> {
    const FIELD: &str = "pinned_conversation_ids";
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value(FIELD).is_none() {
        fields.wrong(FIELD, "is required");
    }
    let mut wanted = Vec::new();
    for value in fields.list(FIELD, PINNED_CONVERSATIONS) {
        match fields::name(value).and_then(|name| conversation(&name)) {
            Some(known) if wanted.contains(&known) => {}
            Some(new) => wanted.push(new),
            None => fields.wrong(FIELD, "must be an array of ids of groups and chats"),
        }
    }
    problems.or(Some(wanted))
}
