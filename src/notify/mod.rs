//! Notices: ways to reach people who are not looking. By SMS, through a gateway, and by
//! Web Push, through the push service of their browser.
//!
//! This is how; who is to be told of what is decided in `subscribers/notices.rs`. A
//! notice is a hint: it is tried a few times and then dropped, since the message itself
//! is safe.

use std::time::Duration;

use actix_web::http::header::{HeaderMap, RETRY_AFTER};

use crate::outgoing::OutgoingFault;

pub mod sms;
pub mod vapid;
pub mod web_push;

/// Why a notice did not get out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// It may work later; after this long, if the other side said so.
    #[error("{why}")]
    Later {
        /// What happened.
        why: String,
        /// How long the other side wants to be left alone.
        after: Option<Duration>,
    },
    /// Nobody is there any more.
    #[error("the device is gone")]
    Gone,
    /// It never will.
    #[error("{0}")]
    Never(String),
}

impl From<OutgoingFault> for Undelivered {
    fn from(fault: OutgoingFault) -> Self {
        match fault {
            OutgoingFault::Refused(_) | OutgoingFault::TooLong(_) | OutgoingFault::Redirects => {
                Self::Never(fault.to_string())
            }
            OutgoingFault::LookUp
            | OutgoingFault::Connect(_)
            | OutgoingFault::NobodyListens(_)
            | OutgoingFault::Broken(_)
            | OutgoingFault::Timeout
            | OutgoingFault::Status(_) => Self::Later { why: fault.to_string(), after: None },
        }
    }
}

/// How long the other side wants to be left alone (RFC 9110, section 10.2.3), if it said
/// so in seconds.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
