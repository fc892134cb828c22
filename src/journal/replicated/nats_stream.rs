//! How the stream of the log is kept, and how it is read.

use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy};

use crate::journal::replicated::nats_options::{LogRefusal, NatsOptions, Unopened};

/// When a server forgets a reader that nobody asks any more.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// A reader of this sequence and what follows. It lives on one server, and is made anew
/// elsewhere when that one falls silent.
pub(super) fn consumer_from(next: u64) -> pull::Config {
    let start_sequence = next.max(1);
    pull::Config {
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence },
        ack_policy: AckPolicy::None,
        inactive_threshold: FORGOTTEN,
        memory_storage: true,
        num_replicas: 1,
        ..pull::Config::default()
    }
}

/// Servers that are too few say so; anything else may be a start that takes its time.
pub(super) fn unopened(error: CreateStreamError, wanted: usize) -> Unopened {
    if let CreateStreamErrorKind::JetStream(told) = error.kind()
        && told.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED
    {
        return LogRefusal::TooFewReplicas { wanted, reason: told.to_string() }.into();
    }
    Unopened::Passing(error.into())
}

/// The stream: nothing of it is ever removed by anybody.
pub(super) fn config(options: &NatsOptions) -> Config {
    Config {
        name: options.stream.clone(),
        description: Some("The log of a Coterie installation".to_owned()),
        subjects: vec![format!("{}.>", options.prefix)],
        num_replicas: options.replicas,
        discard: DiscardPolicy::New,
        deny_delete: true,
        deny_purge: true,
        ..Config::default()
    }
}
