//! How the servers of the log are reached, and how its stream is kept and read.

use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, Stream};
use async_nats::{ConnectOptions, Event};

use crate::journal::replicated::log::LogEvent;
use crate::journal::replicated::nats_options::{LogRefusal, NatsOptions, Unopened};
use crate::journal::replicated::nats_reach::ServersReach;

/// How often a connection is tried that says nothing: three in vain, and another server is.
const PING: Duration = Duration::from_secs(2);
/// How long a server may take to take a connection.
const CONNECTED: Duration = Duration::from_secs(2);
/// When a server forgets a reader that nobody asks any more.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// How a client of this name connects to the servers, whatever for: one that is cut off never
/// answers, and is left within seconds.
pub fn connecting(name: &str) -> ConnectOptions {
    ConnectOptions::new().name(name).ping_interval(PING).connection_timeout(CONNECTED)
}

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

/// What there is to tell where the log is kept no more from this sequence on. Whoever is asked
/// may answer with what was once: then the log seems to begin earlier than it does.
pub(super) async fn forgot(stream: &Stream, from: u64) -> Option<LogEvent> {
    let first = stream.get_info().await.ok()?.state.first_sequence;
    (first > from).then_some(LogEvent::Forgot { first })
}

/// Something happened to the connection.
pub(super) fn saw(reach: &ServersReach, event: &Event) {
    tracing::info!(%event, "nats");
    match event {
        Event::Connected => reach.connected(true),
        Event::Disconnected | Event::Closed => reach.connected(false),
        Event::LameDuckMode
        | Event::Draining
        | Event::SlowConsumer(_)
        | Event::ServerError(_)
        | Event::ClientError(_) => {}
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

/// The stream: nothing of it is ever removed, but what is old by nodes that are told to.
pub(super) fn config(options: &NatsOptions) -> Config {
    Config {
        name: options.stream.clone(),
        description: Some("The log of a Coterie installation".to_owned()),
        subjects: vec![format!("{}.>", options.prefix)],
        num_replicas: options.replicas,
        discard: DiscardPolicy::New,
        deny_delete: true,
        ..Config::default()
    }
}
