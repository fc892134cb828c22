//! Paths that only clients of the original service call, answered in its shapes. What this server
//! does not have, such as directories of schools, is an empty list here, so that those clients start.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};

use crate::http::access;
use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::{self, Caller};
use crate::http::chats;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::guests;
use crate::http::joins;
use crate::http::message_requests;
use crate::http::messages::page_starting_at;
use crate::http::read_marks::read_up_to;
use crate::http::reply::{self, Answer};
use crate::http::users;
use ::wire::conversation_list::conversation;
use ::wire::fields::{Fields, Problems};
use ::wire::join_request::read_answer;
use ::wire::original as wire;
use actors::chat::protocol::ListDirect;
use actors::group::protocol::{ViewListed, ViewShared};
use domain::chat::WriteRefusal;
use domain::group::{JoinAttempt, JoinRefusal, JoinRequest, SentRequest};
use domain::ids::{Conversation, GroupId, MessageId, Pair, UserId};
use domain::likes::LikeRefusal;
use domain::time::Timestamp;
use domain::user::{ReadRefusal, UpTo};

/// Most read marks that one request moves.
const MARKS: usize = 500;
/// Marks that are moved at the same time; they share commits.
const MARKS_AT_ONCE: usize = 16;
/// Default and maximum number of relationships on a page.
const RELATIONSHIPS: usize = 200;

/// `GET /read_receipts`
pub(super) async fn read_receipts(app: web::Data<AppState>, caller: Caller) -> Answer {
    let user = caller.user;
    let archive = &app.directory.context().archive;
    let receipts = archive.read_current(user, move |it| it.index.read_receipts(user)).await?;
    let shown = receipts.iter().filter(|receipt| caller.scopes.reads(receipt.conv));
    let receipts = shown.map(|receipt| {
        json!({
            "conversation_id": receipt.conv.to_string(),
            "last_read_message_id": receipt.message.to_string(),
        })
    });
    reply::named_list("receipts", receipts)
}

/// `POST /read_receipts/:conversation_id`
pub(super) async fn mark(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let conv = conversation(&path).ok_or(ReadRefusal::NotAMember)?;
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let message = Fields::of(&fields, &mut problems).required_id("last_read_message_id");
    let message: MessageId = problems.or(message)?;
    move_mark(&app, caller.user, conv, UpTo::Message(message)).await?;
    let accepted = json!({
        "conversation_id": conv.to_string(),
        "last_read_message_id": message.to_string(),
        "status": "accepted",
    });
    reply::of(StatusCode::ACCEPTED, &accepted)
}

/// `POST /read_receipts`: several receipts in `receipts`, or one in `read_receipt`.
pub(super) async fn mark_in_body(app: web::Data<AppState>, caller: Caller, body: Body) -> Answer {
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let mut top = Fields::of(&fields, &mut problems);
    let mut wanted: Vec<(Conversation, MessageId)> = Vec::new();
    if top.value("read_receipt").is_some() {
        let one = top.object("read_receipt");
        wanted.extend(one.and_then(|mut it| read_receipt(&mut it, "chat_id", "message_id")));
    }
    let list = top.list("receipts", MARKS);
    for (index, value) in list.iter().enumerate() {
        if let Some(mut one) = top.entry("receipts", index, value) {
            wanted.extend(read_receipt(&mut one, "conversation_id", "last_read_message_id"));
        }
    }
    let wanted = problems.or(Some(wanted))?;
    for (conv, _) in &wanted {
        access::permit_writing(&caller, *conv)?;
    }
    let moves = wanted.into_iter().map(|(conv, message)| (conv, UpTo::Message(message)));
    move_marks(&app, caller.user, moves).await?;
    reply::of(StatusCode::ACCEPTED, &Value::Null)
}

fn read_receipt(
    fields: &mut Fields<'_>,
    conversation_field: &str,
    message_field: &str,
) -> Option<(Conversation, MessageId)> {
    let conv = fields.required_name(conversation_field);
    let conv = conv.and_then(|named| {
        let parsed = conversation(&named).ok_or("is not the id of a conversation");
        fields.checked(conversation_field, parsed)
    });
    let message = fields.required_id(message_field);
    Some((conv?, message?))
}

/// `POST /conversations/mark_all_read`
pub(super) async fn mark_all(app: web::Data<AppState>, caller: Caller) -> Answer {
    let user = caller.user;
    let archive = &app.directory.context().archive;
    let own = archive.read_current(user, move |it| it.index.conversations_of(user)).await?;
    let own = own.into_iter().filter(|conv| caller.scopes.writes(*conv));
    move_marks(&app, user, own.map(|conv| (conv, UpTo::Event(u64::MAX)))).await?;
    Ok(HttpResponse::Accepted().finish())
}

/// Moves read marks of a user, some at a time.
async fn move_marks(
    app: &AppState,
    user: UserId,
    moves: impl Iterator<Item = (Conversation, UpTo)>,
) -> Result<(), ApiError> {
    let moves = moves.map(|(conv, upto)| move_mark(app, user, conv, upto));
    let mut moved = stream::iter(moves).buffered(MARKS_AT_ONCE);
    while let Some(moved) = moved.next().await {
        moved?;
    }
    Ok(())
}

/// `POST /conversations/:conversation_id/read_receipt`: up to `message_id`, or to the newest
/// message without it.
pub(super) async fn send_receipt(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let conv = conversation(&path).ok_or(ReadRefusal::NotAMember)?;
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let message: Option<MessageId> = Fields::of(&fields, &mut problems).id("message_id");
    let upto = problems.or(Some(message.map_or(UpTo::Event(u64::MAX), UpTo::Message)))?;
    let user = caller.user;
    move_mark(&app, user, conv, upto).await?;
    let archive = &app.directory.context().archive;
    let receipt = archive.read_current(user, move |it| it.index.read_receipt(user, conv)).await?;
    let receipt = receipt.ok_or(ReadRefusal::NoMessage)?;
    Ok(reply::ok(&json!({"read_receipt": {
        "conversation_id": conv.to_string(),
        "message_id": receipt.message.to_string(),
        "user_id": user.to_string(),
        "read_at": receipt.at.seconds(),
    }})))
}

async fn move_mark(
    app: &AppState,
    user: UserId,
    conv: Conversation,
    upto: UpTo,
) -> Result<(), ApiError> {
    read_up_to(app, user, conv, upto).await?;
    Ok(())
}

/// The requests to join groups that a user sent.
async fn sent_requests(app: &AppState, user: UserId) -> Result<Vec<SentRequest>, ApiError> {
    let archive = &app.directory.context().archive;
    let now = app.clock.now().wall;
    Ok(archive.read_current(user, move |it| it.index.sent_requests(user, now)).await?)
}

fn sent_json(sent: &[SentRequest], app: &AppState) -> Result<Vec<u8>, ApiError> {
    Ok(reply::list_json(sent.iter().map(|request| wire::sent(request, &app.instance)))?.json)
}

/// `GET /groups/pending_memberships`: the requests that the caller sent, and the groups with requests
/// that the caller may decide.
pub(super) async fn pending_groups(app: web::Data<AppState>, caller: Caller) -> Answer {
    let sent = sent_requests(&app, caller.user).await?;
    let mut counts: BTreeMap<GroupId, usize> = BTreeMap::new();
    for (group, _) in received_requests(&app, caller.user).await? {
        *counts.entry(group).or_default() += 1;
    }
    let archive = &app.directory.context().archive;
    let groups = archive.read_current(caller.user, move |it| {
        let mut groups = Vec::new();
        for (id, count) in counts {
            groups.extend(it.index.group(id)?.map(|row| (id, row.settings, count)));
        }
        Ok(groups)
    });
    let groups = groups.await?;
    let received = reply::list_json(
        groups
            .iter()
            .map(|(id, settings, count)| wire::requested(*id, settings, *count, &app.instance)),
    )?;
    let sent = sent_json(&sent, &app)?;
    Ok(reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"requests_sent\":");
        body.extend_from_slice(&sent);
        body.extend_from_slice(b",\"requests_received\":");
        body.extend_from_slice(&received.json);
        body.push(b'}');
    }))
}

/// `GET /directories`: there are none.
pub(super) async fn directories(_: Caller) -> Answer {
    Ok(reply::ok(&json!([])))
}

/// The open requests to join groups that a user may decide.
async fn received_requests(
    app: &AppState,
    user: UserId,
) -> Result<Vec<(GroupId, JoinRequest)>, ApiError> {
    let archive = &app.directory.context().archive;
    let now = app.clock.now().wall;
    Ok(archive.read_current(user, move |it| it.index.received_requests(user, now)).await?)
}

/// `GET /requests`
pub(super) async fn requests(app: web::Data<AppState>, caller: Caller, dialect: Dialect) -> Answer {
    let received = received_requests(&app, caller.user).await?;
    let mut sent = sent_requests(&app, caller.user).await?;
    sent.retain(|request| !request.is_denied);
    let chats = message_requests::open(&app, caller).await?;
    let counts =
        wire::PendingCounts::of(chats.len() as u64, received.len() as u64, sent.len() as u64);
    let shown = chats.iter().map(|chat| chats::whole(&app, chat, dialect));
    let chats = reply::list_json(shown.collect::<Result<Vec<_>, _>>()?)?;
    let sent = sent_json(&sent, &app)?;
    let received = received.iter().map(|(group, it)| wire::received(*group, it, &app.instance));
    let received = reply::list_json(received)?;
    let counts = json!(counts).to_string();
    Ok(reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"counts\":");
        body.extend_from_slice(counts.as_bytes());
        body.extend_from_slice(b",\"dm_requests\":");
        body.extend_from_slice(&chats.json);
        body.extend_from_slice(b",\"group_requests_sent\":");
        body.extend_from_slice(&sent);
        body.extend_from_slice(b",\"group_requests_received\":");
        body.extend_from_slice(&received.json);
        body.push(b'}');
    }))
}

/// `GET /requests/count`
pub(super) async fn request_counts(app: web::Data<AppState>, caller: Caller) -> Answer {
    let received = received_requests(&app, caller.user).await?;
    let mut sent = sent_requests(&app, caller.user).await?;
    sent.retain(|request| !request.is_denied);
    let chats = message_requests::count(&app, caller).await?;
    let counts = wire::PendingCounts::of(chats, received.len() as u64, sent.len() as u64);
    Ok(reply::ok(&json!({"counts": counts})))
}

/// `POST /web_pings`: the web client says that its page is open. Presence comes from its socket.
pub(super) async fn begin_pings(_: Caller) -> Answer {
    Ok(HttpResponse::Created().content_type("text/html").finish())
}

/// `POST /web_pings/destroy`
pub(super) async fn end_pings(_: Caller) -> Answer {
    Ok(HttpResponse::Ok().content_type("text/html").finish())
}

/// `GET /relationships?include_blocked=&limit=&page=`: the people with whom the caller has chats
/// and, on request, those whom the caller blocks, by their ids.
pub(super) async fn relationships(
    app: web::Data<AppState>,
    caller: Caller,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let limit = fields.page_size("limit", RELATIONSHIPS, RELATIONSHIPS);
    let with_blocked = fields.flag("include_blocked").unwrap_or(false);
    let after = fields.parsed("page", |page| last_id(&page).ok_or("is not a page of this list"));
    let after = problems.or(Some(after))?;
    let user = caller.user;
    let archive = &app.directory.context().archive;
    let people = archive.read_current(user, move |archive| archive.index.people_of(user)).await?;
    let page = people
        .iter()
        .filter(|person| with_blocked || !person.is_blocked)
        .filter(|person| after.is_none_or(|after| person.id > after))
        .take(limit)
        .map(|person| wire::relationship(person, &app.instance));
    reply::list(page)
}

/// The id in the name of a page: the last id of the page before it, in base64.
fn last_id(page: &str) -> Option<UserId> {
    let bytes = URL_SAFE_NO_PAD.decode(page.trim_end_matches('=')).ok()?;
    std::str::from_utf8(&bytes).ok()?.parse().ok()
}

/// `POST /users/:user_id`: the caller's own profile, in `user`.
pub(super) async fn update_profile(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    if path.parse() != Ok(caller.user) {
        let reason = "only your own profile can be changed";
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
    }
    let mut fields: Map<String, Value> = body.fields()?;
    if let Some(Value::Object(inside)) = fields.remove("user") {
        fields = inside;
    }
    users::change(&app, &act, &caller, &fields).await
}

/// `GET /groups/:group_id/preview/:share_token`: what a share link leads to.
pub(super) async fn preview(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, token) = path.into_inner();
    let viewer = caller::viewer(&app, &request).await?;
    let id: GroupId = group.parse().map_err(|_| JoinRefusal::NoSuchGroup)?;
    let seen = app.directory.ask(id, ViewShared { token, viewer }).await?;
    Ok(reply::ok(&wire::preview(&seen.view.group, seen.asks, seen.state, &app.instance)))
}

/// `GET /groups/:group_id/preview`: a group of the caller, or one that the directory lists.
pub(super) async fn preview_listed(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let id: GroupId = path.parse().map_err(|_| JoinRefusal::NoSuchGroup)?;
    let has_directory = guests::finds_groups(&app, caller.user).await?;
    let asked = ViewListed { viewer: caller.user, has_directory };
    let seen = app.directory.ask(id, asked).await?;
    Ok(reply::ok(&wire::preview(&seen.view.group, seen.asks, seen.state, &app.instance)))
}

/// `POST /groups/:group_id/join`: by the `share_token` in the body, into a group that the directory
/// lists, or back into one that the caller has left.
pub(super) async fn join(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let mut body = Fields::of(&fields, &mut problems);
    let read = (body.text("share_token"), read_answer(&mut body));
    let (token, answer) = problems.or(Some(read))?;
    let attempt = match token {
        Some(token) => JoinAttempt::new(token, answer),
        None => JoinAttempt::without_link(answer, guests::finds_groups(&app, caller.user).await?),
    };
    joins::attempt(&app, dialect, caller, &act, id, attempt).await
}

/// `GET /direct_messages/:message_id?other_user_id=`
pub(super) async fn direct_message(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let message: MessageId = path.parse().map_err(|_| LikeRefusal::NoMessage)?;
    let mut problems = Problems::default();
    let other = Fields::of(&query.0, &mut problems).required_id("other_user_id");
    let pair = Pair::of(caller.user, problems.or(other)?).ok_or(WriteRefusal::Oneself)?;
    let asked = ListDirect { page: page_starting_at(message), limit: 1 };
    let found = app.directory.ask(pair, asked).await?.messages;
    let found = found.into_iter().find(|it| it.message.id == message);
    let found = found.ok_or(LikeRefusal::NoMessage)?;
    Ok(reply::of_rendered(reply::message(
        StatusCode::OK,
        &dialect.message(&found, pair, &app.instance),
    )))
}

/// The read receipt of the other user of a chat, for the list of its messages.
pub(super) async fn receipt_of_other(
    app: &AppState,
    reader: UserId,
    pair: Pair,
) -> Result<Option<Value>, ApiError> {
    let Some(other) = pair.other(reader) else { return Ok(None) };
    let archive = &app.directory.context().archive;
    let receipt =
        archive.blocking(reader, move |it| it.index.read_receipt(other, pair.into())).await?;
    Ok(receipt.map(|receipt| {
        json!({
            "id": "",
            "chat_id": pair.to_string(),
            "message_id": receipt.message.to_string(),
            "user_id": other.to_string(),
            "read_at": Timestamp::seconds(receipt.at),
        })
    }))
}
