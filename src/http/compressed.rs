//! Large answers, compressed when the client can take that. Small ones are not worth it,
//! and streams would be held back by it.

use std::io::Write as _;

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;

use crate::http::error::ApiError;
use crate::http::reply::Answer;

/// Smaller bodies go out as they are.
const SMALL: usize = 4 << 10;

/// Brotli's best level; in a debug build, which is started anew for each test, one that takes
/// a fiftieth of the time.
const BROTLI_MOST: i32 = if cfg!(debug_assertions) { 5 } else { 11 };

/// A content coding (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Brotli,
    Zstd,
    Gzip,
}

impl Coding {
    /// Its name in headers.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }
}

/// 200 with this JSON, in the way that the client takes best.
pub(super) async fn answer(request: &HttpRequest, body: Bytes) -> Answer {
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|it| it.to_str().ok());
    let coding = accepted.and_then(best).filter(|_| body.len() >= SMALL);
    let mut answer = HttpResponse::build(StatusCode::OK);
    answer.content_type("application/json").insert_header((VARY, "Accept-Encoding"));
    let Some(coding) = coding else { return Ok(answer.body(body)) };
    // Megabytes take milliseconds, which other requests of this thread would feel.
    let small = tokio::task::spawn_blocking(move || compress(coding, Effort::Least, &body));
    let small = small.await.map_err(|error| ApiError::fault(&error))?;
    let small = small.map_err(|error| ApiError::fault(&error))?;
    Ok(answer.insert_header((CONTENT_ENCODING, coding.name())).body(small))
}

/// Whether a header accepts the coding of this name; one with `q=0` is not accepted.
pub(super) fn accepts(accepted: &str, name: &str) -> bool {
    accepted.split(',').any(|part| {
        let (coding, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|it| it.parse::<f32>().ok());
        coding.trim().eq_ignore_ascii_case(name) && weight.is_none_or(|it| it > 0.0)
    })
}

/// The best of those that cost little.
fn best(accepted: &str) -> Option<Coding> {
    [Coding::Zstd, Coding::Gzip].into_iter().find(|coding| accepts(accepted, coding.name()))
}

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// For what is sent once: JSON shrinks to a tenth with it already.
    Least,
    /// For what is sent many times. Takes up to a second.
    Most,
}

/// A body in this coding.
pub(super) fn compress(coding: Coding, effort: Effort, body: &[u8]) -> std::io::Result<Vec<u8>> {
    match (coding, effort) {
        (Coding::Brotli, Effort::Least) => brotli(body, 1),
        (Coding::Brotli, Effort::Most) => brotli(body, BROTLI_MOST),
        (Coding::Zstd, Effort::Least) => zstd::bulk::compress(body, 1),
        (Coding::Zstd, Effort::Most) => zstd::bulk::compress(body, 19),
        (Coding::Gzip, Effort::Least) => gzip(body, flate2::Compression::fast()),
        (Coding::Gzip, Effort::Most) => gzip(body, flate2::Compression::best()),
    }
}

fn brotli(body: &[u8], quality: i32) -> std::io::Result<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams { quality, ..Default::default() };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut &body[..], &mut small, &params)?;
    Ok(small)
}

fn gzip(body: &[u8], level: flate2::Compression) -> std::io::Result<Vec<u8>> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
    gzip.write_all(body)?;
    gzip.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_what_is_accepted_is_chosen() {
        for (accepted, chosen) in [
            ("gzip, deflate, br, zstd", Some(Coding::Zstd)),
            ("gzip", Some(Coding::Gzip)),
            ("GZIP;q=0.5", Some(Coding::Gzip)),
            ("zstd;q=0, gzip", Some(Coding::Gzip)),
            ("identity", None),
            ("", None),
        ] {
            assert_eq!(best(accepted), chosen, "{accepted}");
        }
    }
}
