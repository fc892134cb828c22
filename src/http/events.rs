//! Push without WebSockets: long-poll (`GET /v3/events`) and server-sent events (`GET
//! /v3/events/stream`), with the same readers and the same frames as a socket.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::Bytes;
use bytestring::ByteString;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::{Sleep, sleep};

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::limits::too_many;
use crate::http::page_bytes::PAGE_BYTES;
use crate::http::reply::{self, Answer};
use subscribers::close::Close;
use subscribers::live_feed::ThreadFeed;
use subscribers::reader::{Reader, ReaderEvent};
use subscribers::server_sent::Stream;
use subscribers::slot::Frames;
use wire::fields::{Fields, Problems};
use wire::schema::frames::AnyEvent;
use wire::schema::scalars::CursorText;

/// Longest wait of a long-poll, in seconds.
pub(super) const LONGEST_WAIT: u64 = 60;
/// Events of one response, or a few more: the last batch is cut only at [`PAGE_BYTES`].
pub(super) const EVENTS: usize = 500;
/// The header in which a browser that reconnects sends the cursor of its last event.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// `GET /events`
pub(super) async fn poll(
    app: web::Data<AppState>,
    local: web::Data<ThreadFeed>,
    caller: Caller,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let after = fields.text("after");
    let wait = Duration::from_secs(fields.amount("wait", LONGEST_WAIT));
    problems.or(Some(()))?;
    let mut reader = open(&app, &local, caller, after.as_deref()).await?;
    let lifetime = caller.expires_at.map(|end| end.millis_since(app.clock.now().wall));
    let wait = lifetime.map_or(wait, |millis| wait.min(Duration::from_millis(millis)));
    let _held = app.held.hold(0);
    let page = gather(&mut reader, wait).await?;
    reply::of(StatusCode::OK, &page)
}

/// The events after a cursor.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventPage")]
pub(super) struct EventPage {
    /// The events, in order.
    #[schemars(with = "Vec<AnyEvent>")]
    events: Vec<Box<RawValue>>,
    /// The cursor with which to continue.
    #[schemars(with = "CursorText")]
    c: String,
    /// Whether further events can be read at once.
    more: bool,
    /// Why the cursor could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["unknown", "too_far"]))]
    reset: Option<&'static str>,
}

/// Reads a page, and reads it again if a message that it may show was deleted meanwhile.
async fn gather(reader: &mut Reader, wait: Duration) -> Result<EventPage, ApiError> {
    let mut over = std::pin::pin!(sleep(wait));
    let mut reset = None;
    let mut is_live = false;
    loop {
        let (page, frames) = read_page(reader, over.as_mut(), &mut is_live).await?;
        reset = reset.or(page.reset);
        match frames.first().filter(|_| reader.are_outdated(&frames)) {
            Some(first) => reader.rewind(first.told.cursor.just_before()),
            None => return Ok(EventPage { reset, ..page }),
        }
    }
}

/// Reads until there are events and no more are at hand, or until the wait is over. Returns the
/// frames of the page, too.
async fn read_page(
    reader: &mut Reader,
    mut over: Pin<&mut Sleep>,
    is_live: &mut bool,
) -> Result<(EventPage, Frames), ApiError> {
    let mut page = EventPage { events: Vec::new(), c: String::new(), more: false, reset: None };
    let mut held = Frames::new();
    // Of the events so far: their bytes, and the cursor of the last one.
    let mut bytes = 0;
    let mut cursor = None;
    while !page.more {
        let is_enough = *is_live && (!page.events.is_empty() || page.reset.is_some());
        let told = match (is_enough, *is_live) {
            (true, _) => break,
            // Missed events are read to their end, however short the wait.
            (false, false) => reader.next().await,
            (false, true) => tokio::select! {
                biased;
                told = reader.next() => told,
                () = &mut over => break,
            },
        };
        match told {
            ReaderEvent::Events(frames) => {
                for frame in frames {
                    if let Some(cursor) = cursor
                        && bytes + frame.text.len() > PAGE_BYTES
                    {
                        // The rest of the batch comes with the next request.
                        page.more = true;
                        page.c = reader.cursor_of(cursor);
                        return Ok((page, held));
                    }
                    bytes += frame.text.len() + 1;
                    cursor = Some(frame.told.cursor);
                    page.events.push(raw(&frame.text)?);
                    held.push(frame);
                }
                page.more = page.events.len() >= EVENTS || bytes >= PAGE_BYTES;
            }
            ReaderEvent::Synced => *is_live = true,
            ReaderEvent::Reset(why) => page.reset = Some(why),
            ReaderEvent::EphemeralEvents(_) => {}
            // The events read so far are valid; the client gets the rest with its next request.
            ReaderEvent::Over(Close::DRAINING) => break,
            ReaderEvent::Over(close) => return Err(refused(close)),
        }
    }
    page.c = reader.cursor();
    Ok((page, held))
}

/// A frame as part of a JSON document.
fn raw(frame: &ByteString) -> Result<Box<RawValue>, ApiError> {
    RawValue::from_string(frame.to_string()).map_err(|error| ApiError::fault(&error))
}

/// `GET /events/stream`
pub(super) async fn stream(
    app: web::Data<AppState>,
    local: web::Data<ThreadFeed>,
    caller: Caller,
    query: Query,
    request: HttpRequest,
) -> Answer {
    let mut problems = Problems::default();
    let asked = Fields::of(&query.0, &mut problems).text("after");
    problems.or(Some(()))?;
    // A browser that reconnects repeats the URL, and sends its new cursor in a header.
    let last = request.headers().get(LAST_EVENT_ID).and_then(|it| it.to_str().ok());
    let after = last.map(str::to_owned).or(asked);
    let reader = open(&app, &local, caller, after.as_deref()).await?;
    let events = Stream::of(reader, Arc::clone(&app.subscribers));
    let parts = stream::unfold((events, app.held.hold(0)), |(mut events, held)| async move {
        let part = events.next().await?;
        Some((Ok::<Bytes, actix_web::Error>(part), (events, held)))
    });
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        // A proxy that buffers responses would hold events back.
        .insert_header(("X-Accel-Buffering", "no"))
        // Closed after the stream: the client's turn never comes again on this connection.
        .force_close()
        .streaming(Box::pin(parts)))
}

async fn open(
    app: &AppState,
    local: &ThreadFeed,
    caller: Caller,
    after: Option<&str>,
) -> Result<Reader, ApiError> {
    Reader::open(&app.subscribers, local, caller.0, after).await.map_err(refused)
}

/// The error for a close code.
fn refused(close: Close) -> ApiError {
    match close {
        Close::TOKEN => ApiError::invalid_token(),
        Close::TOO_MANY => too_many("too many readers of one user").retry_after_millis(1000),
        Close { why, .. } => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, why),
    }
}
