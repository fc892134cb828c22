//! How the log's stream is configured and read.

use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, Stream};
use async_nats::{Event, HeaderMap};

use crate::replicated::key;
use crate::replicated::log::{Code, LogEvent, Subject};
use crate::replicated::nats_options::NatsOptions;
use crate::replicated::nats_reach::ServersReach;
use crate::replicated::nats_refusals::{LogRefusal, Unopened};
use crate::replicated::shard::Shard;

/// After how long a server drops a consumer that no client polls.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// The header with the code of a message.
pub const CODE: &str = "Coterie-Mac";

/// The code in a message's headers; `None` if there is none, or not exactly one.
pub fn code_in(headers: Option<&HeaderMap>) -> Option<Code> {
    let mut codes = headers?.get_all(CODE);
    let code = codes.next()?;
    if codes.next().is_some() { None } else { key::from_text(code.as_str()) }
}

/// A consumer that reads from this sequence on. It lives on one server, and is created again
/// elsewhere when that server falls silent.
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

/// The event to tell if the log no longer has messages from this sequence on. The server that
/// answers may be outdated; then the log seems to begin earlier than it does.
pub(super) async fn trimmed(stream: &Stream, from: u64) -> Option<LogEvent> {
    let first = stream.get_info().await.ok()?.state.first_sequence;
    (first > from).then_some(LogEvent::Trimmed { first })
}

/// Handles an event of the connection.
pub(super) fn saw(reach: &ServersReach, event: &Event) {
    tracing::info!(%event, "NATS event");
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

/// Too few servers are a refusal; any other error may come from servers that are still starting.
pub(super) fn unopened(error: CreateStreamError, wanted: usize) -> Unopened {
    if let CreateStreamErrorKind::JetStream(told) = error.kind()
        && told.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED
    {
        return LogRefusal::TooFewReplicas { wanted, reason: told.to_string() }.into();
    }
    Unopened::Passing(error.into())
}

/// The stream's configuration: messages cannot be deleted one by one, but nodes that are told to
/// may purge old ones.
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

/// The name of a subject in a log whose names begin with this prefix.
pub(super) fn name_of(prefix: &str, subject: Subject) -> String {
    match subject {
        Subject::Installation => format!("{prefix}.all"),
        Subject::Of(shard) => format!("{prefix}.{}", shard.get()),
    }
}

/// The subject of this name; `None` if it is none of the log.
pub(super) fn subject_of(prefix: &str, name: &str) -> Option<Subject> {
    match name.strip_prefix(prefix)?.strip_prefix('.')? {
        "all" => Some(Subject::Installation),
        shard => shard.parse().ok().and_then(Shard::new).map(Subject::Of),
    }
}
