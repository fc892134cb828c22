//! HEAD: the answer of GET without its body (RFC 9110, section 9.3.2).

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::Error;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use bytes::Bytes;

/// A body without its content: its size, for `Content-Length`.
struct SizeAlone(BodySize);

impl MessageBody for SizeAlone {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

/// Drops the body of a response. The HTTP library would not send it either, but would read it to
/// its end, which an event stream does not have.
///
/// # Errors
/// If the wrapped service fails.
pub(super) async fn without_body(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let answer = next.call(request).await?;
    Ok(answer.map_body(|_, body| SizeAlone(body.size()).boxed()))
}
