//! Compresses large JSON responses if the client accepts that. Small ones are not worth it, and
//! streams would be held back by it.

use std::future::{Ready, ready};
use std::io::Write as _;
use std::pin::pin;

use actix_web::body::{BodySize, BoxBody, MessageBody as _};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::{Error, HttpResponse};
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use crate::http::error::ApiError;
use crate::http::picture_host::{self, pieces_of};
use crate::http::unread;

/// Bodies with fewer bytes than this are not compressed.
const SMALL: u64 = 4 << 10;
/// Bodies with more bytes than this are compressed on a thread for blocking work: megabytes take
/// milliseconds, which other requests on the HTTP thread would have to wait.
const AT_ONCE: usize = 64 << 10;

/// Brotli's quality for [`Effort::Most`]: the best one; in a debug build, which is started again
/// for each test, one that takes a fiftieth of the time.
const BROTLI_MOST: i32 = if cfg!(debug_assertions) { 5 } else { 11 };

/// Brotli's buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Brotli's windows, as exponents of 2. The largest is Brotli's default; small ones save nothing.
const SMALLEST_WINDOW: i32 = 16;
const LARGEST_WINDOW: i32 = 22;

/// A content coding (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Brotli,
    Zstd,
    Gzip,
}

impl Coding {
    /// The coding's name in headers.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }
}

/// The middleware that compresses the responses of a route.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compress;

/// A route, wrapped by [`Compress`].
#[derive(Debug)]
pub(super) struct CompressService<S> {
    service: S,
}

type Answer = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

impl<S> Transform<S, ServiceRequest> for Compress
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error, Future = Answer>
        + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = CompressService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(CompressService { service }))
    }
}

impl<S> Service<ServiceRequest> for CompressService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error, Future = Answer>,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = Answer;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Answer {
        let answering = self.service.call(request);
        async {
            let answer = picture_host::renamed(answering.await?).await?;
            shrunk(unread::held(answer)?).await
        }
        .boxed_local()
    }
}

/// Compresses the response with the best coding that the client accepts, if it is large JSON.
async fn shrunk(mut answer: ServiceResponse) -> Result<ServiceResponse, Error> {
    if !is_large_json(answer.response()) {
        return Ok(answer);
    }
    answer.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    let accepted = answer.request().headers().get(ACCEPT_ENCODING);
    let Some(coding) = accepted.and_then(|it| it.to_str().ok()).and_then(best) else {
        return Ok(answer);
    };
    let (request, response) = answer.into_parts();
    let (response, body) = response.into_parts();
    let mut body = pin!(body);
    let pieces = pieces_of(body.as_mut()).await?;
    let length: usize = pieces.iter().map(Bytes::len).sum();
    let small = if length <= AT_ONCE {
        compress(coding, Effort::Least, &pieces)
    } else {
        let compressing = move || compress(coding, Effort::Least, &pieces);
        tokio::task::spawn_blocking(compressing).await.map_err(|error| ApiError::fault(&error))?
    };
    let small = small.map_err(|error| ApiError::fault(&error))?;
    // It counts as unread until here.
    body.set(BoxBody::new(()));
    let mut response = response.set_body(small.boxed());
    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    unread::held(ServiceResponse::new(request, response))
}

fn is_large_json(answer: &HttpResponse) -> bool {
    let is_large = matches!(answer.body().size(), BodySize::Sized(length) if length >= SMALL);
    let is_json = || answer.headers().get(CONTENT_TYPE).is_some_and(|it| it == "application/json");
    is_large && is_json() && !answer.headers().contains_key(CONTENT_ENCODING)
}

/// Whether an `Accept-Encoding` header accepts the coding of this name; `q=0` does not.
pub(super) fn accepts(accepted: &str, name: &str) -> bool {
    accepted.split(',').any(|part| {
        let (coding, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|it| it.parse::<f32>().ok());
        coding.trim().eq_ignore_ascii_case(name) && weight.is_none_or(|it| it > 0.0)
    })
}

/// The best accepted coding among those that cost little CPU time.
fn best(accepted: &str) -> Option<Coding> {
    [Coding::Zstd, Coding::Gzip].into_iter().find(|coding| accepts(accepted, coding.name()))
}

/// How much CPU time to spend on compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// For a body that is sent once. JSON already shrinks to a tenth.
    Least,
    /// For a body that is sent many times. Takes up to a second.
    Most,
}

/// Compresses a body, given in pieces, with this coding.
pub(super) fn compress(coding: Coding, effort: Effort, body: &[Bytes]) -> std::io::Result<Vec<u8>> {
    match (coding, effort) {
        (Coding::Brotli, Effort::Least) => brotli(body, 1),
        (Coding::Brotli, Effort::Most) => brotli(body, BROTLI_MOST),
        (Coding::Zstd, Effort::Least) => zstd(body, 1),
        (Coding::Zstd, Effort::Most) => zstd(body, 19),
        (Coding::Gzip, Effort::Least) => gzip(body, flate2::Compression::fast()),
        (Coding::Gzip, Effort::Most) => gzip(body, flate2::Compression::best()),
    }
}

fn brotli(body: &[Bytes], quality: i32) -> std::io::Result<Vec<u8>> {
    let length = body.iter().map(Bytes::len).sum();
    let params =
        brotli::enc::BrotliEncoderParams { quality, lgwin: window(length), ..Default::default() };
    let mut brotli = brotli::CompressorWriter::with_params(Vec::new(), BUFFER, &params);
    body.iter().try_for_each(|piece| brotli.write_all(piece))?;
    Ok(brotli.into_inner())
}

/// The smallest of Brotli's windows that reaches back over a whole body, as the exponent of 2. The
/// best quality takes ten times the window's size in memory.
fn window(length: usize) -> i32 {
    /// A window is shorter than its power of 2 (RFC 7932, section 9.1).
    const GAP: usize = 16;
    let covers = |exponent: &i32| (1_usize << exponent) - GAP >= length;
    (SMALLEST_WINDOW..LARGEST_WINDOW).find(covers).unwrap_or(LARGEST_WINDOW)
}

fn zstd(body: &[Bytes], level: i32) -> std::io::Result<Vec<u8>> {
    if let [whole] = body {
        return zstd::bulk::compress(whole, level);
    }
    let mut zstd = zstd::Encoder::new(Vec::new(), level)?;
    // With the size known, short input needs no large tables.
    zstd.set_pledged_src_size(Some(body.iter().map(|piece| piece.len() as u64).sum()))?;
    body.iter().try_for_each(|piece| zstd.write_all(piece))?;
    zstd.finish()
}

fn gzip(body: &[Bytes], level: flate2::Compression) -> std::io::Result<Vec<u8>> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
    body.iter().try_for_each(|piece| gzip.write_all(piece))?;
    gzip.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brotli_window_covers_the_body() {
        for (length, exponent) in [
            (0, 16),
            ((1 << 16) - 16, 16),
            ((1 << 16) - 15, 17),
            (400_000, 19),
            ((1 << 22) - 16, 22),
            (usize::MAX, 22),
        ] {
            assert_eq!(window(length), exponent, "{length}");
        }
    }

    #[test]
    fn brotli_finds_repetitions_at_any_distance_within_a_body() {
        let block: [u8; 1024] = base::random::random();
        for distance in [60_000, 70_000, 130_000] {
            let filler: Vec<u8> = (0..distance).map(|place| (place % 251) as u8).collect();
            let body = [&block[..], &filler, &block].concat();
            let coded = brotli(&[body.clone().into()], 11).unwrap();
            assert!(coded.len() < 2 * block.len(), "{} bytes at {distance}", coded.len());
            let mut plain = Vec::new();
            brotli::BrotliDecompress(&mut &coded[..], &mut plain).unwrap();
            assert_eq!(plain, body);
        }
    }

    #[test]
    fn best_accepted_coding_is_chosen() {
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
