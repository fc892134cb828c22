//! Threads: lists the replies that belong to a message.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::messages::{LARGEST_PAGE, PAGE, page_answer};
use crate::http::reply::Answer;
use ::wire::conversation_list::conversation;
use actors::ask::Failure;
use actors::conversation::threads::ListReplies;
use domain::ids::{Conversation, MessageId};
use domain::likes::LikeRefusal;
use wire::fields::{Fields, Problems};

/// `GET /conversations/:conversation_id/messages/:message_id/replies`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
    query: Query,
) -> Answer {
    let (conv, message) = path.into_inner();
    let conv = conversation(&conv).ok_or(LikeRefusal::NotAMember)?;
    let message: MessageId = message.parse().map_err(|_| LikeRefusal::NoMessage)?;
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let limit = fields.page_size("limit", PAGE, LARGEST_PAGE);
    let after: Option<MessageId> = fields.id("after_id");
    let limit = problems.or(Some(limit))?;
    let after = after.unwrap_or(MessageId::new(0));
    let asked = ListReplies { reader: caller.user, message, after, limit };
    let found: Result<_, Failure<LikeRefusal>> = match conv {
        Conversation::Group(group) => app.directory.ask(group, asked).await,
        Conversation::Chat(pair) => app.directory.ask(pair, asked).await,
    };
    Ok(page_answer(&app, dialect, (conv, "messages"), &found?))
}
