//! Notices reach people outside of any open client: by SMS through a gateway, and by Web Push
//! through the push service of their browser.
//!
//! This module sends; `subscribers/notices/` decides who receives which notices. A notice is a
//! hint: it is retried a few times and then dropped, since the message itself is safe.

use std::time::Duration;

use outgoing::OutgoingFault;

pub mod mail;
pub mod mail_text;
pub mod sms;
pub mod vapid;
pub mod web_push;

/// Why a notice was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// A later attempt may succeed.
    #[error("{why}")]
    Later {
        /// The reason.
        why: String,
        /// How long the other side asks to wait (`Retry-After`), if it said so.
        after: Option<Duration>,
    },
    /// The device does not exist any more.
    #[error("the device is gone")]
    Gone,
    /// No attempt will ever succeed.
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
