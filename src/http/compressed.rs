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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Zstd,
    Gzip,
}

/// 200 with this JSON, in the way that the client takes best.
pub(super) async fn answer(request: &HttpRequest, body: Bytes) -> Answer {
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|it| it.to_str().ok());
    let coding = accepted.and_then(best).filter(|_| body.len() >= SMALL);
    let mut answer = HttpResponse::build(StatusCode::OK);
    answer.content_type("application/json").insert_header((VARY, "Accept-Encoding"));
    let Some(coding) = coding else { return Ok(answer.body(body)) };
    // Megabytes take milliseconds, which other requests of this thread would feel.
    let small = tokio::task::spawn_blocking(move || compress(coding, &body));
    let small = small.await.map_err(|error| ApiError::fault(&error))?;
    let small = small.map_err(|error| ApiError::fault(&error))?;
    let name = match coding {
        Coding::Zstd => "zstd",
        Coding::Gzip => "gzip",
    };
    Ok(answer.insert_header((CONTENT_ENCODING, name)).body(small))
}

/// The first of ours that a header accepts; one with `q=0` is not accepted.
fn best(accepted: &str) -> Option<Coding> {
    let takes = |name: &str| {
        accepted.split(',').any(|part| {
            let (coding, weight) = part.split_once(';').unwrap_or((part, ""));
            let weight = weight.trim().strip_prefix("q=").and_then(|it| it.parse::<f32>().ok());
            coding.trim().eq_ignore_ascii_case(name) && weight.is_none_or(|it| it > 0.0)
        })
    };
    match (takes("zstd"), takes("gzip")) {
        (true, _) => Some(Coding::Zstd),
        (false, true) => Some(Coding::Gzip),
        (false, false) => None,
    }
}

/// At the fastest level: JSON shrinks to a tenth with it already.
fn compress(coding: Coding, body: &[u8]) -> std::io::Result<Vec<u8>> {
    match coding {
        Coding::Zstd => zstd::bulk::compress(body, 1),
        Coding::Gzip => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(body)?;
            gzip.finish()
        }
    }
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
