//! Large responses that wait for their clients to read them. All together hold a bounded number of
//! bytes, and those of one caller at most a share of it.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::Error;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use bytes::Bytes;

use crate::http::app_state::AppState;
use crate::http::caller::token_of;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use base::bounds::Bound;
use base::bounds::places::Places;
use base::bounds::shares::{OwnedShare, Shares};

/// All large responses together.
const HELD: Bound = Bound { items: 16 << 10, bytes: 64 << 20 };
/// Bytes of those of one caller: two of the largest pages.
const SHARE: Bound = Bound::of_bytes(16 << 20);
/// Bodies of at most this many bytes are not counted: the sockets' buffers hold most of one.
const SMALL: u64 = 64 << 10;

/// Largest piece of a body that is handed out at once, in bytes.
const PIECE: usize = 32 << 10;

/// The budget of all large responses.
pub fn budget(places: &Places) -> Shares {
    Shares::new(places, "unread_responses", HELD, SHARE)
}

/// Counts a large response until it is sent.
///
/// # Errors
/// 503 if the caller, or all callers, leave too many large responses unread.
pub(super) fn held(answer: ServiceResponse) -> Result<ServiceResponse, Error> {
    let BodySize::Sized(length) = answer.response().body().size() else { return Ok(answer) };
    if length <= SMALL {
        return Ok(answer);
    }
    let request = answer.request();
    let Some(app) = request.app_data::<Data<AppState>>() else { return Ok(answer) };
    let bytes = usize::try_from(length).unwrap_or(usize::MAX);
    let share = match token_of(request) {
        Some(token) => app.unread_responses.try_hold(&token, bytes),
        None => app.unread_responses.try_hold(&network_of(request), bytes),
    };
    let share = share.map_err(|_| {
        let reason = "too many large responses are not read yet";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, reason).retry_after_millis(1000)
    })?;
    Ok(answer.map_body(|_, body| HeldBody { body, piece: Bytes::new(), _share: share }.boxed()))
}

/// A body with what it holds of the budget. It hands out small pieces, since actix copies what it
/// gets before the client reads it.
struct HeldBody {
    body: BoxBody,
    /// The rest of the present piece of the body.
    piece: Bytes,
    _share: OwnedShare,
}

impl MessageBody for HeldBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.piece.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_next(context)) {
                Some(Ok(piece)) => self.piece = piece,
                end => return Poll::Ready(end),
            }
        }
        let length = self.piece.len().min(PIECE);
        Poll::Ready(Some(Ok(self.piece.split_to(length))))
    }
}
