//! Small records that all nodes keep together, each under a key: about what the object stores hold,
//! and whose it is. A write succeeds only if the record is unchanged since it was read.
//!
//! They are not for events, which are in the log. A node reads single records, or follows all of
//! them to know many without asking.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, Stream};
use bytes::Bytes;

use crate::bus::{Bus, BusError, ObjectFault};
use journal::replicated::nats_reader::next_or_behind;

/// How long the removal of a record is remembered, for nodes that are away meanwhile.
const REMOVED: Duration = Duration::from_secs(7 * 24 * 3600);
/// The pause before a retry.
const AGAIN: Duration = Duration::from_millis(200);
/// How often the write of an unchanged record is tried.
const TRIES: usize = 5;

/// A set of records. Cheap to clone.
#[derive(Clone)]
pub struct SharedRecords {
    bus: Arc<Bus>,
    name: &'static str,
}

impl fmt::Debug for SharedRecords {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedRecords").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The state of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The version, which changes with each write; 0 if the servers know of no write.
    pub version: u64,
    /// The content; `None` if there is none.
    pub text: Option<Bytes>,
}

/// An event for a follower.
#[derive(Debug)]
pub enum RecordEvent {
    /// All records are reported from the beginning: what was reported before is void.
    Restarted,
    /// A record was written or removed.
    Changed {
        /// The record's key.
        key: String,
        /// The record's new state.
        record: Record,
    },
}

impl SharedRecords {
    /// The records in the stream of this name (capital letters and `_`), reached over this bus.
    pub const fn over(bus: Arc<Bus>, name: &'static str) -> Self {
        Self { bus, name }
    }

    /// Reads the record under a key.
    ///
    /// # Errors
    /// If the servers cannot answer now.
    pub async fn read(&self, key: String) -> Result<Record, ObjectFault> {
        let own = self.clone();
        self.bus.run(async move { read(&own.stream().await?, &own.subject(&key)).await }).await
    }

    /// Writes a record, or removes it if `text` is `None`, if it still has this version. Returns
    /// its new version, or `None` if it was changed meanwhile.
    ///
    /// # Errors
    /// If the servers do not confirm the write. It may have been done.
    pub async fn write(
        &self,
        key: String,
        version: u64,
        text: Option<Bytes>,
    ) -> Result<Option<u64>, ObjectFault> {
        let own = self.clone();
        self.bus
            .run(async move {
                let stream = own.stream().await?;
                let subject = own.subject(&key);
                for _ in 0..TRIES {
                    match own.send(&subject, version, text.clone()).await {
                        Ok(version) => return Ok(Some(version)),
                        Err(error) => tracing::debug!(
                            %error, key,
                            "writing a record failed; reading it again"
                        ),
                    }
                    // The write may have succeeded although it was not confirmed, or been refused
                    // although nothing changed.
                    let stands = read(&stream, &subject).await?;
                    if stands.version > version {
                        return Ok((stands.text == text).then_some(stands.version));
                    }
                    tokio::time::sleep(AGAIN).await;
                }
                Err("a record could not be written".into())
            })
            .await
    }

    async fn send(
        &self,
        subject: &str,
        version: u64,
        text: Option<Bytes>,
    ) -> Result<u64, BusError> {
        let (context, _) = self.bus.engine();
        let mut message = PublishMessage::build().expected_last_subject_sequence(version);
        message = match text {
            Some(text) => message.payload(text),
            None => message.ttl(REMOVED),
        };
        Ok(context.send_publish(subject.to_owned(), message).await?.await?.sequence)
    }

    /// Reports the state of all records, and every later change, to `hear`.
    pub fn follow(&self, mut hear: impl FnMut(RecordEvent) + Send + 'static) {
        let own = self.clone();
        self.bus.runtime().spawn(async move {
            loop {
                hear(RecordEvent::Restarted);
                if let Err(error) = own.tell(&mut hear).await {
                    tracing::warn!(
                        %error, name = own.name,
                        "following the records failed; reading all of them again"
                    );
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    async fn tell(&self, hear: &mut impl FnMut(RecordEvent)) -> Result<(), BusError> {
        let stream = self.stream().await?;
        // The newest message of those already in the stream may be removed by now, so the reader
        // may wait for it in vain. Only messages after it prove that the reader is behind.
        let known = stream.get_info().await?.state.last_sequence;
        let consumer = stream.create_consumer(from_the_beginning()).await?;
        let mut messages = consumer.messages().await?;
        let mut next = 1;
        let reach = || async {
            let last = stream.get_info().await?.state.last_sequence;
            Ok(if last > known { last } else { 0 })
        };
        while let Some(message) = next_or_behind(&mut messages, next, reach).await? {
            let message = message?;
            let version = message.info()?.stream_sequence;
            next = version + 1;
            let Some(key) = message.subject.strip_prefix(&self.subject("")) else { continue };
            let record = record(version, message.payload.clone());
            hear(RecordEvent::Changed { key: key.to_owned(), record });
        }
        Ok(())
    }

    fn subject(&self, key: &str) -> String {
        format!("coterie.kept.{}.{key}", self.name)
    }

    async fn stream(&self) -> Result<Stream, BusError> {
        let (context, replicas) = self.bus.engine();
        let config = Config {
            name: self.name.to_owned(),
            description: Some("Records that all nodes of a Coterie installation keep".to_owned()),
            subjects: vec![self.subject(">")],
            num_replicas: replicas,
            // The stream keeps only the newest message of each record.
            discard: DiscardPolicy::Old,
            max_messages_per_subject: 1,
            allow_message_ttl: true,
            ..Config::default()
        };
        Ok(context.get_or_create_stream(config).await?)
    }
}

async fn read(stream: &Stream, subject: &str) -> Result<Record, BusError> {
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => Ok(record(message.sequence, message.payload)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
            Ok(Record { version: 0, text: None })
        }
        Err(error) => Err(error.into()),
    }
}

/// An empty message means that the record was removed.
fn record(version: u64, payload: Bytes) -> Record {
    Record { version, text: (!payload.is_empty()).then_some(payload) }
}

fn from_the_beginning() -> pull::Config {
    pull::Config {
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::None,
        inactive_threshold: Duration::from_secs(30),
        memory_storage: true,
        num_replicas: 1,
        ..pull::Config::default()
    }
}
