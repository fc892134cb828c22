//! Messages of groups (specification, section 4, Messages).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde_json::Value;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::carried;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::held;
use crate::http::page_bytes::{PAGE_BYTES, write_list};
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::new_message as wire;
use actors::ask::Failure;
use actors::conversation::MessagePage;
use actors::group::protocol::{ListMessages, PostMessage};
use domain::group::PostRefusal;
use domain::ids::{Conversation, GroupId, MessageId};
use domain::likes::LikeRefusal;
use domain::message::{MessageJson, ShownMessage};
use index::archive::Page;

/// Default number of messages on a page (specification, section 8).
pub(super) const PAGE: usize = 20;
/// Maximum number of messages on a page (specification, section 8).
pub(super) const LARGEST_PAGE: usize = 100;
/// Maximum number of messages on a page of the compatibility dialect, whose clients take a shorter
/// page than they asked for as the last one.
const LARGEST_OLD_PAGE: usize = 200;

/// `GET /groups/:group_id/messages`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let id = group_id(&path)?;
    let (page, limit) = read_page(&query, dialect)?;
    let asked = ListMessages { reader: caller.user, page, limit };
    let found = app.directory.ask(id, asked).await?;
    if found.messages.is_empty() {
        return Ok(reply::not_modified());
    }
    Ok(page_answer(&app, dialect, (id.into(), "messages"), &found))
}

/// Reads which page a query asks for, and its size. The id in it need not be that of an existing
/// message: messages are only compared with it.
pub(super) fn read_page(query: &Query, dialect: Dialect) -> Result<(Page, usize), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let limit = match dialect {
        Dialect::Specified => fields.page_size("limit", PAGE, LARGEST_PAGE),
        Dialect::Compatible => old_limit(&mut fields),
    };
    let before: Option<MessageId> = fields.id("before_id");
    let after: Option<MessageId> = fields.id("after_id");
    let since: Option<MessageId> = fields.id("since_id");
    let pages = [before.map(Page::Before), after.map(Page::After), since.map(Page::Since)];
    let mut pages = pages.into_iter().flatten();
    let page = pages.next().unwrap_or(Page::Newest);
    if pages.next().is_some() {
        problems.add("before_id, after_id and since_id cannot be used together".to_owned());
    }
    problems.or(Some((page, limit)))
}

/// Reads the size of a page in the compatibility dialect, which refuses sizes that it does not
/// serve.
fn old_limit(fields: &mut Fields<'_>) -> usize {
    let limit = fields.page_size("limit", PAGE, usize::MAX);
    if limit > LARGEST_OLD_PAGE {
        fields.wrong("limit", format!("must be between 1 and {LARGEST_OLD_PAGE}"));
    }
    limit
}

/// The response `{"count": …, "messages": […]}`, with `name` in place of `messages`, built from
/// JSON that exists already. If the page would exceed [`PAGE_BYTES`], it holds fewer messages than
/// asked for; a client that continues after the last one misses none.
pub(super) fn page_answer(
    app: &AppState,
    dialect: Dialect,
    (conversation, name): (Conversation, &'static str),
    page: &MessagePage,
) -> HttpResponse {
    page_answer_as(app, dialect, (conversation, &[name]), page, None)
}

/// Like [`page_answer`], with the list repeated under each of the names, and with the read receipt
/// of the other user of a chat.
pub(super) fn page_answer_as(
    app: &AppState,
    dialect: Dialect,
    (conversation, names): (Conversation, &[&'static str]),
    page: &MessagePage,
    read_receipt: Option<&Value>,
) -> HttpResponse {
    reply::raw(StatusCode::OK, |body| {
        body.reserve(page.messages.len() * 600 * names.len());
        body.extend_from_slice(b"{\"count\":");
        body.extend_from_slice(page.count.to_string().as_bytes());
        for name in names {
            body.extend_from_slice(format!(",\"{name}\":").as_bytes());
            let messages = page.messages.iter();
            let made = messages.map(|it| dialect.message(it, conversation, &app.instance));
            write_list(body, PAGE_BYTES / names.len(), made);
        }
        if let Some(read_receipt) = read_receipt {
            body.extend_from_slice(format!(",\"read_receipt\":{read_receipt}").as_bytes());
        }
        body.push(b'}');
    })
}

/// `GET /groups/:group_id/messages/:message_id`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, message) = path.into_inner();
    let id = group_id(&group)?;
    let message: MessageId = message.parse().map_err(|_| LikeRefusal::NoMessage)?;
    let shown = stored(&app, &caller, dialect, (id, message)).await?;
    Ok(reply::of_rendered(reply::message(StatusCode::OK, &shown)))
}

/// The JSON of a stored message of a group.
async fn stored(
    app: &AppState,
    caller: &Caller,
    dialect: Dialect,
    (id, message): (GroupId, MessageId),
) -> Result<MessageJson, ApiError> {
    let page = page_starting_at(message);
    let found = app.directory.ask(id, ListMessages { reader: caller.user, page, limit: 1 });
    let found = found.await?.messages.into_iter().find(|it| it.message.id == message);
    let found = found.ok_or(LikeRefusal::NoMessage)?;
    Ok(dialect.message(&found, id, &app.instance))
}

/// The page whose first message is the given one, if that exists.
pub(super) const fn page_starting_at(message: MessageId) -> Page {
    Page::After(MessageId::new(message.get().saturating_sub(1)))
}

/// `POST /groups/:group_id/messages`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let mut message = wire::read_new(&body.fields()?, &app.instance)?;
    carried::look_up(&app, caller.user, id.into(), ("message.", &mut message)).await?;
    message.form = dialect.addresses();
    let posted = PostMessage { author: caller.user, message };
    let show = move |stored: &ShownMessage| {
        reply::message(StatusCode::CREATED, &dialect.put(&stored.json))
    };
    match act.ask(id, posted, show).await {
        Err(Failure::Refused(PostRefusal::Broken(broken))) => held::broken(broken, dialect),
        Err(Failure::Refused(PostRefusal::DuplicateGuid { existing })) if act.is_sent_again() => {
            let shown = stored(&app, &caller, dialect, (id, existing)).await?;
            Ok(reply::of_rendered(reply::message(StatusCode::CREATED, &shown)))
        }
        done => Ok(done?),
    }
}
