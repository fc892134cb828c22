//! Authentication of bus messages: accepts those with a code under the key of the installation,
//! once the log has codes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_nats::{HeaderMap, Message};

use journal::replicated::key::{self, InstallationKey};
use journal::replicated::log::Code;
use journal::replicated::nats_stream::{CODE, code_in};

/// The key of this node, and whether messages without a code are dropped.
#[derive(Debug, Default)]
pub struct BusGuard {
    key: Option<InstallationKey>,
    is_strict: Arc<AtomicBool>,
    dropped: AtomicU64,
}

impl BusGuard {
    /// A guard with this key, which drops messages while `is_strict` is set.
    pub fn new(key: Option<InstallationKey>, is_strict: Arc<AtomicBool>) -> Self {
        Self { key, is_strict, dropped: AtomicU64::new(0) }
    }

    /// The key of this node.
    pub(super) const fn key(&self) -> Option<&InstallationKey> {
        self.key.as_ref()
    }

    /// Whether messages without a valid code are dropped.
    pub(super) fn is_strict(&self) -> bool {
        self.is_strict.load(Ordering::SeqCst)
    }

    /// How many messages were dropped.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// The headers of a message that this node sends. Nodes of earlier versions ignore them.
    pub(super) fn headers(&self, subject: &str, payload: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            headers.insert(CODE, key::to_text(&key.of_bus(subject, payload)).as_str());
        }
        headers
    }

    /// Whether a received message counts. Counts one that does not.
    pub(super) fn admits(&self, message: &Message) -> bool {
        let code = code_in(message.headers.as_ref());
        if !self.is_strict() || self.proves(code, &message.subject, &message.payload) {
            return true;
        }
        if self.dropped.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                subject = %message.subject,
                "dropped a bus message that no node of this installation sent; more of them are \
                 only counted"
            );
        }
        false
    }

    /// Whether a code proves that a node of this installation wrote the bytes.
    pub(super) fn proves(&self, code: Option<Code>, subject: &str, payload: &[u8]) -> bool {
        let proof = self.key.zip(code);
        proof.is_some_and(|(key, code)| key.is_of_bus(&code, subject, payload))
    }
}
