//! Small records that all nodes keep together, each under a key: of what lies in the stores of
//! objects, and whose it is. A record is written only where it is as its writer read it.
//!
//! Not for what happened: that is in the log. These are asked, or followed by whoever wants
//! to know many of them without asking.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, Stream};
use bytes::Bytes;

use crate::cluster::bus::{Bus, BusTrouble, ObjectFault};
use crate::journal::replicated::nats_reading::next_or_behind;

/// How long it is known that a record was removed, for those who are away meanwhile.
const REMOVED: Duration = Duration::from_secs(7 * 24 * 3600);
/// When something is tried again.
const AGAIN: Duration = Duration::from_millis(200);
/// How often a record is written that stands as it was read, and was refused all the same.
const TRIES: usize = 5;

/// Some of them. Cheap to clone.
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

/// A record as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Another one after each change.
    pub version: u64,
    /// What it says; nothing where there is none.
    pub text: Option<Bytes>,
}

/// What whoever follows hears.
#[derive(Debug)]
pub enum Followed {
    /// It is told from the beginning: what was told before counts no more.
    Anew,
    /// A record says this now, or is gone.
    Changed {
        /// Under which key.
        key: String,
        /// How it stands.
        record: Record,
    },
}

impl SharedRecords {
    /// Those of this name (capital letters and `_`), which this bus leads to.
    pub const fn over(bus: Arc<Bus>, name: &'static str) -> Self {
        Self { bus, name }
    }

    /// How the record under a key stands.
    ///
    /// # Errors
    /// When the servers do not tell now.
    pub async fn read(&self, key: String) -> Result<Record, ObjectFault> {
        let own = self.clone();
        self.bus.does(async move { read(&own.stream().await?, &own.subject(&key)).await }).await
    }

    /// Has a record say this, or removes it, if it stands as it was read; its version then,
    /// and nothing where it stands otherwise.
    ///
    /// # Errors
    /// When the servers do not do it now. Then it may have been done.
    pub async fn write(
        &self,
        key: String,
        version: u64,
        text: Option<Bytes>,
    ) -> Result<Option<u64>, ObjectFault> {
        let own = self.clone();
        self.bus
            .does(async move {
                let (stream, subject) = (own.stream().await?, own.subject(&key));
                for _ in 0..TRIES {
                    match own.send(&subject, version, text.clone()).await {
                        Ok(version) => return Ok(Some(version)),
                        Err(error) => tracing::debug!(%error, key, "a record is looked at again"),
                    }
                    // It may have been written all the same, or refused in a hurry.
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
    ) -> Result<u64, BusTrouble> {
        let (context, _) = self.bus.engine();
        let mut message = PublishMessage::build().expected_last_subject_sequence(version);
        message = match text {
            Some(text) => message.payload(text),
            None => message.ttl(REMOVED),
        };
        Ok(context.send_publish(subject.to_owned(), message).await?.await?.sequence)
    }

    /// Has somebody hear how all records stand, and what becomes of them.
    pub fn follow(&self, mut hear: impl FnMut(Followed) + Send + 'static) {
        let own = self.clone();
        self.bus.runtime().spawn(async move {
            loop {
                hear(Followed::Anew);
                if let Err(error) = own.tell(&mut hear).await {
                    tracing::warn!(%error, name = own.name, "records are read anew");
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    async fn tell(&self, hear: &mut impl FnMut(Followed)) -> Result<(), BusTrouble> {
        let stream = self.stream().await?;
        // Of what is there already, not all may be told: the last one may be gone by now.
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
            hear(Followed::Changed { key: key.to_owned(), record });
        }
        Ok(())
    }

    fn subject(&self, key: &str) -> String {
        format!("coterie.kept.{}.{key}", self.name)
    }

    async fn stream(&self) -> Result<Stream, BusTrouble> {
        let (context, replicas) = self.bus.engine();
        let config = Config {
            name: self.name.to_owned(),
            description: Some("Records that all nodes of a Coterie installation keep".to_owned()),
            subjects: vec![self.subject(">")],
            num_replicas: replicas,
            // Of each record only the newest.
            discard: DiscardPolicy::Old,
            max_messages_per_subject: 1,
            allow_message_ttl: true,
            ..Config::default()
        };
        Ok(context.get_or_create_stream(config).await?)
    }
}

async fn read(stream: &Stream, subject: &str) -> Result<Record, BusTrouble> {
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => Ok(record(message.sequence, message.payload)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
            Ok(Record { version: 0, text: None })
        }
        Err(error) => Err(error.into()),
    }
}

/// A message without words says that a record is gone.
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
