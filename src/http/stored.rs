//! Sends content that is on the disk: whole, a range of it, or 304 if the client has it already. It
//! is read piece by piece as the client takes it. There is no `Last-Modified`, so conditions on
//! dates do not apply (RFC 9110, 13.1.3 to 13.1.5): `If-Unmodified-Since` is ignored, and with a date
//! in `If-Range` the content is sent whole.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use futures_util::{Stream, stream};

use crate::http::error::ApiError;
use crate::http::ranges::{self, RequestedRange};
use crate::http::reply::Answer;

/// Bytes that are read from the disk at a time.
const PIECE: u64 = 256 << 10;

/// Content on the disk.
pub(super) struct Stored {
    /// The file that holds it; only the first `length` bytes are sent.
    pub(super) file: File,
    /// Bytes of the content.
    pub(super) length: u64,
    /// The ETag, with its quotes.
    pub(super) tag: String,
}

/// Answers a request with the content or the range asked for. `what` names the kind of content in
/// errors; `headers` begins a response with its other headers.
///
/// # Errors
/// 412 if `If-Match` names other content, 416 if the range is outside the content.
pub(super) fn answer(
    request: &HttpRequest,
    stored: Stored,
    what: &str,
    headers: impl Fn(StatusCode) -> HttpResponseBuilder,
) -> Answer {
    let Stored { file, length, tag } = stored;
    let begin = |status| {
        let mut answer = headers(status);
        answer.insert_header((header::ETAG, tag.as_str()));
        answer.insert_header((header::ACCEPT_RANGES, "bytes"));
        answer
    };
    let header = |name| request.headers().get(name).and_then(|it| it.to_str().ok());
    if header(header::IF_MATCH).is_some_and(|wanted| !ranges::etag_is_wanted(wanted, &tag)) {
        let reason = format!("the {what} does not match If-Match");
        return Err(
            ApiError::new(StatusCode::PRECONDITION_FAILED, reason).with_header(header::ETAG, &tag)
        );
    }
    if header(header::IF_NONE_MATCH).is_some_and(|known| ranges::etag_matches(known, &tag)) {
        return Ok(begin(StatusCode::NOT_MODIFIED).finish());
    }
    // A range of other content than the client has a part of would be useless to it.
    let is_current = header(header::IF_RANGE).is_none_or(|known| known == tag);
    match ranges::requested_range(header(header::RANGE).filter(|_| is_current), length) {
        RequestedRange::Whole => Ok(sent(begin(StatusCode::OK), file, 0..length)),
        RequestedRange::Part(part) => {
            let mut answer = begin(StatusCode::PARTIAL_CONTENT);
            let told = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            answer.insert_header((header::CONTENT_RANGE, told));
            Ok(sent(answer, file, part))
        }
        RequestedRange::Unsatisfiable => {
            let reason = format!("the {what} has {length} bytes");
            Err(ApiError::new(StatusCode::RANGE_NOT_SATISFIABLE, reason)
                .with_header(header::CONTENT_RANGE, format!("bytes */{length}")))
        }
    }
}

fn sent(mut answer: HttpResponseBuilder, file: File, part: Range<u64>) -> HttpResponse {
    let length = part.end - part.start;
    answer.body(SizedStream::new(length, pieces(Arc::new(file), part)))
}

/// Reads a range of a file piece by piece as the client takes it.
fn pieces(file: Arc<File>, part: Range<u64>) -> impl Stream<Item = Result<web::Bytes, io::Error>> {
    stream::try_unfold(part, move |left| {
        let file = Arc::clone(&file);
        async move {
            if left.is_empty() {
                return Ok(None);
            }
            let end = left.end.min(left.start + PIECE);
            let read = tokio::task::spawn_blocking(move || {
                let length = usize::try_from(end - left.start).unwrap_or(usize::MAX);
                let mut piece = vec![0; length];
                file.read_exact_at(&mut piece, left.start).map(|()| piece)
            });
            let piece = read.await.map_err(io::Error::other)??;
            Ok(Some((web::Bytes::from(piece), end..left.end)))
        }
    })
}
