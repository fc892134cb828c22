//! The mark of a request that came from another node (`forwarding.rs`).

use actix_web::{HttpMessage, HttpRequest};

/// Marks a request that another node forwarded, or that this one was about to forward.
#[derive(Debug, Clone, Copy)]
pub(super) struct IsForwarded {
    /// Whether it was sent again, since it may have been carried out before.
    pub(super) is_sent_again: bool,
}

/// Whether a request was sent again that may have been carried out before.
pub(super) fn is_sent_again(request: &HttpRequest) -> bool {
    request.extensions().get::<IsForwarded>().is_some_and(|it| it.is_sent_again)
}
