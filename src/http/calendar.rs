//! Calendars: events that members of a conversation plan, and their answers.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpResponse, web};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::direct_messages::{admitted_sender, give_back};
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::upload_right::own_conversation;
use ::wire::calendar::{self as wire, OneEvent};
use ::wire::conversation_list::conversation;
use ::wire::fields::{Fields, Problems};
use ::wire::ics;
use actors::chat::protocol::RecallSender;
use actors::conversation::calendar::{ActOnEvent, PlanInChat, PlanInGroup, PlannedEvent};
use domain::calendar::{CalendarAction, CalendarEvent, CalendarRefusal};
use domain::chat::{Sender, WriteRefusal};
use domain::ids::{CalendarEventId, Conversation, Pair, StreamId, UserId};
use domain::limits::LISTED_EVENTS;
use domain::text::SourceGuid;

/// Default number of events in a list.
const PAGE: usize = 20;

/// Finds an event of a conversation that the caller is in.
async fn known(
    app: &AppState,
    caller: UserId,
    path: &str,
    id: CalendarEventId,
) -> Result<(Conversation, CalendarEvent), ApiError> {
    let conv = own_conversation(app, caller, path).await?;
    let archive = &app.directory.context().archive;
    let stream = StreamId::from(conv);
    let found = archive
        .read_current(caller, move |archive| archive.index.planned(stream, id, None))
        .await?;
    let event = found.filter(CalendarEvent::is_shown).ok_or(CalendarRefusal::NoEvent)?;
    Ok((conv, event))
}

fn event_id(query: &Query) -> Result<CalendarEventId, ApiError> {
    let mut problems = Problems::default();
    let id = Fields::of(&query.0, &mut problems).required_name("event_id");
    // An id that is not a number belongs to no event.
    Ok(problems.or(id)?.parse().map_err(|_| CalendarRefusal::NoEvent)?)
}

/// `POST /conversations/:conversation_id/events/create`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let details = wire::read_new(&body.fields()?)?;
    let conv = conversation(&path).ok_or(CalendarRefusal::NotAMember)?;
    let by = caller.user;
    let show = move |planned: &PlannedEvent| {
        let shown = wire::made(conv, &planned.event, &planned.message.json);
        reply::payload(StatusCode::CREATED, &shown)
    };
    match conv {
        Conversation::Group(group) => Ok(act.ask(group, PlanInGroup { by, details }, show).await?),
        Conversation::Chat(pair) => {
            let to = pair.other(by).ok_or(CalendarRefusal::NotAMember)?;
            let sender = may_write(&app, pair, (by, to)).await?;
            let planned = act.ask(pair, PlanInChat { sender, details }, show).await;
            if planned.is_err() {
                give_back(&app, by).await;
            }
            Ok(planned?)
        }
    }
}

/// Checks that the caller may write to the other user, since planning something with somebody
/// writes to them.
async fn may_write(
    app: &AppState,
    pair: Pair,
    (from, to): (UserId, UserId),
) -> Result<Sender, ApiError> {
    if app.directory.context().accounts.account(to).await?.is_none() {
        return Err(WriteRefusal::Unknown.into());
    }
    let guid = SourceGuid::parse("calendar".to_owned()).expect("a word is a guid");
    let recalled = app.directory.ask(pair, RecallSender { sender: from, guid }).await?;
    admitted_sender(app, (from, to), recalled.has_begun).await
}

/// `GET /conversations/:conversation_id/events/list`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let limit = fields.page_size("limit", PAGE, LISTED_EVENTS);
    let since = fields.parsed("end_at", |text| wire::read_since(&text));
    let limit = problems.or(Some(limit))?;
    let since = since.unwrap_or_else(|| app.directory.context().clock.now().wall);
    let conv = own_conversation(&app, caller.user, &path).await?;
    let archive = &app.directory.context().archive;
    let stream = StreamId::from(conv);
    let found =
        archive.read_current(caller.user, move |it| it.index.calendar(stream, since, limit));
    Ok(reply::ok(&wire::listed(conv, &found.await?)))
}

/// `GET /conversations/:conversation_id/events/show`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let (conv, event) = known(&app, caller.user, &path, event_id(&query)?).await?;
    Ok(reply::ok(&OneEvent { event: wire::resource(conv, &event) }))
}

/// `GET /conversations/:conversation_id/events/:event_id.ics`
pub(super) async fn file(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (conv, name) = path.into_inner();
    let id = name.strip_suffix(".ics").and_then(|id| id.parse().ok());
    let (conv, event) =
        known(&app, caller.user, &conv, id.ok_or(CalendarRefusal::NoEvent)?).await?;
    let name = format!("attachment; filename=\"{}.ics\"", event.id);
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/calendar; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, name))
        .body(ics::calendar(conv, &event, &app.instance)))
}

/// `POST /conversations/:conversation_id/events/update`
pub(super) async fn update(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    (query, body): (Query, Body),
) -> Answer {
    let change = wire::read_change(&body.fields()?)?;
    let known = known(&app, caller.user, &path, event_id(&query)?).await?;
    acted(&act, caller.user, known, CalendarAction::Change(Box::new(change))).await
}

/// `POST /conversations/:conversation_id/events/rsvp`
pub(super) async fn answer(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    if fields.value("going").is_none() {
        fields.wrong("going", "is required");
    }
    let going = fields.flag("going");
    let going = problems.or(going)?;
    let known = known(&app, caller.user, &path, event_id(&query)?).await?;
    acted(&act, caller.user, known, CalendarAction::Answer(Some(going))).await
}

async fn acted(
    act: &Act,
    by: UserId,
    (conv, event): (Conversation, CalendarEvent),
    action: CalendarAction,
) -> Answer {
    let asked = ActOnEvent { by, event: event.id, action };
    let show = move |event: &Arc<CalendarEvent>| {
        reply::payload(StatusCode::OK, &OneEvent { event: wire::resource(conv, event) })
    };
    match conv {
        Conversation::Group(group) => Ok(act.ask(group, asked, show).await?),
        Conversation::Chat(pair) => Ok(act.ask(pair, asked, show).await?),
    }
}

/// `DELETE /conversations/:conversation_id/events/rsvp/delete`
pub(super) async fn take_back(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    removed(&app, caller.user, (&path, &query), CalendarAction::Answer(None)).await
}

/// `DELETE /conversations/:conversation_id/events/delete`
pub(super) async fn cancel(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    removed(&app, caller.user, (&path, &query), CalendarAction::Cancel).await
}

async fn removed(
    app: &AppState,
    by: UserId,
    (path, query): (&str, &Query),
    action: CalendarAction,
) -> Answer {
    let (conv, event) = known(app, by, path, event_id(query)?).await?;
    let asked = ActOnEvent { by, event: event.id, action };
    let event = match conv {
        Conversation::Group(group) => app.directory.ask(group, asked).await?,
        Conversation::Chat(pair) => app.directory.ask(pair, asked).await?,
    };
    Ok(reply::ok(&OneEvent { event: wire::resource(conv, &event) }))
}
