//! The gallery of a conversation: its messages with images, videos, files or links, newest first.

use std::time::{Duration, UNIX_EPOCH};

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::page_bytes::{PAGE_BYTES, write_list};
use crate::http::reply::{self, Answer};
use crate::http::upload_right::own_conversation;
use actors::recent::LoadedMessage;
use domain::gallery::{GalleryKind, GalleryRange};
use domain::ids::{MessageId, StreamId};
use wire::fields::{Fields, Problems};

/// Default and maximum number of messages on a page.
const PAGE: usize = 100;
/// The default content of the gallery, as for existing clients.
const USUAL: [GalleryKind; 2] = [GalleryKind::Image, GalleryKind::Video];
/// Number of message ids in a second.
const IDS: u64 = 100_000_000;

/// `GET /conversations/:conversation_id/gallery`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let conv = own_conversation(&app, caller.user, &path).await?;
    let (kinds, range, limit) = read(&query)?;
    let stream = StreamId::from(conv);
    let archive = &app.directory.context().archive;
    let found = archive.read_current(caller.user, move |archive| {
        let ids = archive.index.gallery(stream, &kinds, range, limit)?.into_iter();
        let found = ids.map(|id| archive.message(stream, id));
        found.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()
    });
    let found = found.await?;
    Ok(reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"messages\":");
        let made = |archived| {
            let logged = LoadedMessage::archived(archived);
            let json = dialect.message(&logged, conv, &app.instance);
            json.with(&format!("\"gallery_ts\":\"{}\"", gallery_ts(logged.message.id)))
        };
        write_list(body, PAGE_BYTES - body.len() - 1, found.into_iter().map(made));
        body.push(b'}');
    }))
}

/// The position of a message in the gallery: its second, and as the fraction its position within
/// the second, so that the next page skips no message.
fn gallery_ts(id: MessageId) -> String {
    let second = UNIX_EPOCH + Duration::from_secs(id.get() / IDS);
    let whole = humantime::format_rfc3339_seconds(second).to_string();
    format!("{}.{:08}Z", whole.trim_end_matches('Z'), id.get() % IDS)
}

/// The first id of a moment given in ISO 8601.
fn id_at(text: &str) -> Result<MessageId, &'static str> {
    let moment = humantime::parse_rfc3339_weak(text.trim()).ok();
    let since = moment.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    let since = since.ok_or("must be a moment in ISO 8601, like 2026-01-31T12:00:00Z")?;
    let seconds = since.as_secs();
    let part = u64::from(since.subsec_nanos()) / 10;
    Ok(MessageId::new(seconds.saturating_mul(IDS).saturating_add(part)))
}

fn read(query: &Query) -> Result<(Vec<GalleryKind>, GalleryRange, usize), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let limit = fields.page_size("limit", PAGE, PAGE);
    let before = fields.parsed("before", |text| id_at(&text));
    let after = fields.parsed("after", |text| id_at(&text));
    let kind = fields.parsed("has", |text| text.parse());
    let range = GalleryRange {
        after: after.unwrap_or(MessageId::new(0)),
        before: before.unwrap_or(MessageId::new(u64::MAX)),
    };
    let kinds = kind.map_or(USUAL.to_vec(), |kind| vec![kind]);
    problems.or(Some((kinds, range, limit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_the_gallery_leads_back_to_its_message() {
        for id in [180_000_000_000_000_000, 180_000_000_099_999_999, 180_000_000_000_000_042] {
            assert_eq!(id_at(&gallery_ts(MessageId::new(id))), Ok(MessageId::new(id)));
        }
        assert_eq!(
            gallery_ts(MessageId::new(180_000_000_000_000_042)),
            "2027-01-15T08:00:00.00000042Z"
        );
        assert_eq!(id_at("2027-01-15T08:00:00Z"), Ok(MessageId::new(180_000_000_000_000_000)));
        assert!(id_at("yesterday").is_err() && id_at("1960-01-01T00:00:00Z").is_err());
    }
}
