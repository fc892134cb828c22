//! Finds messages by their words.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};

use crate::http::access;
use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::messages::{LARGEST_PAGE, PAGE};
use crate::http::page_bytes::{PAGE_BYTES, write_list};
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::search as wire;
use actors::recent::LoadedMessage;
use domain::ids::{Conversation, NotAnId};
use search::typed::TypedSearch;
use search::{COUNTED, FoundMessage, SearchPage, SearchRequest};

/// `GET /search/messages`
pub(super) async fn messages(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let request = read(&query, &caller)?;
    if let Some(conversation) = request.conversation {
        access::permit_reading(&caller, conversation)?;
    }
    let found = app.search.find(request).await??;
    if found.messages.is_empty() {
        return Ok(reply::not_modified());
    }
    Ok(page(&app, dialect, found))
}

fn read(query: &Query, searcher: &Caller) -> Result<SearchRequest, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let typed = fields.parsed("q", TypedSearch::parse);
    let conversation = fields.parsed("conversation_id", |name| conversation(&name));
    let sender = fields.id("user_id");
    let carried = fields.parsed("has", |name| name.parse());
    let is_seconds = |fields: &mut Fields<'_>, field| {
        fields.value(field).is_some().then(|| fields.amount(field, u64::MAX))
    };
    let from = is_seconds(&mut fields, "from");
    let to = is_seconds(&mut fields, "to");
    let before = fields.id("before_id");
    let limit = fields.page_size("limit", PAGE, LARGEST_PAGE);
    let is_anything = ["q", "user_id", "has"].iter().all(|field| fields.value(field).is_none());
    if is_anything {
        fields.wrong("q", "is required, unless there is user_id or has");
    }
    let typed = typed.unwrap_or_default();
    let request = SearchRequest {
        caller: searcher.user,
        scopes: searcher.scopes,
        typed,
        conversation,
        sender,
        carried,
        from,
        to,
        before,
        limit,
    };
    problems.or(Some(request))
}

fn conversation(name: &str) -> Result<Conversation, &'static str> {
    let group = name.parse().map(Conversation::Group);
    let chat = |_: NotAnId| name.parse().map(Conversation::Chat);
    group.or_else(chat).map_err(|_: NotAnId| "must be a group's id, or two users' as a+b")
}

/// The response; it has fewer messages than asked for if the page would be too large.
fn page(app: &AppState, dialect: Dialect, found: SearchPage) -> HttpResponse {
    reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(format!("{{\"count\":{}", found.count).as_bytes());
        if found.is_more {
            body.extend_from_slice(format!(",\"count_at_least\":{COUNTED}").as_bytes());
        }
        body.extend_from_slice(b",\"messages\":");
        let made = |one: FoundMessage| {
            let json = dialect.message(
                &LoadedMessage::archived(one.archived),
                one.conversation,
                &app.instance,
            );
            wire::found(&json, one.conversation, &one.places)
        };
        write_list(body, PAGE_BYTES - body.len() - 1, found.messages.into_iter().map(made));
        body.push(b'}');
    })
}
