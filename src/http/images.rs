//! Showing images (`GET /images/…`): anybody may who knows the name. A name says what is
//! in the file, so whoever has it never has to ask again.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use futures_util::Stream;
use futures_util::stream;

use crate::domain::attachment::ImageRef;
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::ranges::{self, Asked};
use crate::http::reply::Answer;
use crate::media::name::ImageName;
use crate::media::store::StoredFile;

/// Bytes that are read from the disk at once.
const PIECE: u64 = 256 << 10;
/// An image is shown and does nothing, also where somebody opens it as a page.
const POLICY: &str = "default-src 'none'; sandbox";
/// A year, which is as long as anybody keeps anything.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// `GET /images/:name` and `HEAD /images/:name`
pub(super) async fn show(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
) -> Answer {
    let name = ImageName::parse(&path).ok_or_else(ApiError::no_such_path)?;
    if is_forgotten(&app, &path).await? {
        return Err(ApiError::no_such_path());
    }
    let tag = format!("\"{}\"", name.text());
    let found = app.images.find(name).await?.ok_or_else(ApiError::no_such_path)?;
    let header = |name| request.headers().get(name).and_then(|it| it.to_str().ok());
    if header(header::IF_NONE_MATCH).is_some_and(|known| ranges::names(known, &tag)) {
        return Ok(with_headers(StatusCode::NOT_MODIFIED, &found, &tag).finish());
    }
    // A part of something else than the asker has would be of no use to them.
    let is_current = header(header::IF_RANGE).is_none_or(|known| known == tag);
    let range = header(header::RANGE).filter(|_| is_current);
    match ranges::asked(range, found.length) {
        Asked::Whole => {
            let whole = 0..found.length;
            let answer = with_headers(StatusCode::OK, &found, &tag);
            Ok(sent(answer, found, whole))
        }
        Asked::Part(part) => {
            let mut answer = with_headers(StatusCode::PARTIAL_CONTENT, &found, &tag);
            let told = format!("bytes {}-{}/{}", part.start, part.end - 1, found.length);
            answer.insert_header((header::CONTENT_RANGE, told));
            Ok(sent(answer, found, part))
        }
        Asked::Nothing => {
            let reason = format!("the image has {} bytes", found.length);
            Err(ApiError::new(StatusCode::RANGE_NOT_SATISFIABLE, reason)
                .with_header(header::CONTENT_RANGE, format!("bytes */{}", found.length)))
        }
    }
}

/// Whether every message is deleted that carried an image, and nothing else showed it.
async fn is_forgotten(app: &AppState, name: &str) -> Result<bool, ApiError> {
    let path = format!("{}{name}", ImageRef::FOLDER);
    let Some(image) = ImageRef::from_path(&path) else { return Ok(false) };
    let archive = &app.directory.context().archive;
    Ok(archive.currently(move |archive| archive.index.is_forgotten(&image)).await?)
}

fn with_headers(status: StatusCode, found: &StoredFile, tag: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer
        .content_type(found.name.format.media_type())
        .insert_header((header::ETAG, tag))
        .insert_header((header::CACHE_CONTROL, FOR_EVER))
        .insert_header((header::ACCEPT_RANGES, "bytes"))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    answer
}

fn sent(mut answer: HttpResponseBuilder, found: StoredFile, part: Range<u64>) -> HttpResponse {
    let length = part.end - part.start;
    answer.body(SizedStream::new(length, pieces(Arc::new(found), part)))
}

/// The bytes of a file, read piece by piece as the reader takes them.
fn pieces(
    found: Arc<StoredFile>,
    part: Range<u64>,
) -> impl Stream<Item = Result<web::Bytes, io::Error>> {
    stream::try_unfold(part, move |left| {
        let found = Arc::clone(&found);
        async move {
            if left.is_empty() {
                return Ok(None);
            }
            let end = left.end.min(left.start + PIECE);
            let read = tokio::task::spawn_blocking(move || {
                let length = usize::try_from(end - left.start).unwrap_or(usize::MAX);
                let mut piece = vec![0; length];
                found.file.read_exact_at(&mut piece, left.start).map(|()| piece)
            });
            let piece = read.await.map_err(io::Error::other)??;
            Ok(Some((web::Bytes::from(piece), end..left.end)))
        }
    })
}
