//! The bus: short messages between nodes, at most once, and small values that all of them
//! keep. What must not be lost goes into the log instead.
//!
//! It has a thread and a connection of its own, so that a node under load, or one whose log
//! stands still, still says that it lives.

use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_nats::client::RequestErrorKind;
use async_nats::connection::State;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Request, ServerAddr, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::journal::replicated::nats_options::STREAM;
use crate::journal::replicated::nats_stream::connecting;
use crate::threads::{RunningThread, Threads};

/// When a server that cannot be reached is tried again.
const UNREACHABLE: Duration = Duration::from_millis(500);
/// The same while the bus is in use: whoever is unheard for two seconds is dead.
const RECONNECT: Duration = Duration::from_millis(100);
/// How long keeping a value may take before it is tried again.
const KEEPING: Duration = Duration::from_secs(3);
/// How long the log may take to tell how it stands.
const TOLD_WITHIN: Duration = Duration::from_millis(500);
/// Where values are kept that belong to the installation.
const KEPT_IN: &str = "COTERIE_KEYS";
const KEPT_UNDER: &str = "coterie.key";

/// Where the bus is.
#[derive(Debug, Clone)]
pub struct BusOptions {
    /// Addresses of servers, with commas between them.
    pub servers: String,
    /// What they call this node.
    pub client: String,
    /// On how many servers values are kept.
    pub replicas: usize,
    /// Whether the servers say that they sync before they acknowledge.
    pub sync_always: Option<bool>,
}

/// The connection. Closed when dropped.
pub struct Bus {
    client: Client,
    context: Context,
    runtime: Handle,
    replicas: usize,
    sync_always: Option<bool>,
    stop: Mutex<Option<oneshot::Sender<()>>>,
    thread: Mutex<Option<RunningThread>>,
}

impl fmt::Debug for Bus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Bus").finish_non_exhaustive()
    }
}

/// What came of a question.
#[derive(Debug)]
pub enum BusAnswer {
    /// This.
    Came(Bytes),
    /// Nobody listens.
    Unheard,
    /// Nobody answered in time, and somebody may have heard it.
    Silence,
}

/// How the log stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogStanding {
    /// How many of its servers can be reached.
    pub reachable: usize,
    /// Which one leads.
    pub leader: Option<String>,
    /// How many are to keep it.
    pub replicas: usize,
    /// Whether they sync before they acknowledge, if that could be seen.
    pub sync_always: Option<bool>,
}

/// A message that came.
#[derive(Debug)]
pub struct BusMessage {
    /// On which subject.
    pub subject: String,
    /// What it says.
    pub payload: Bytes,
    /// Where its answer goes, if it wants one.
    pub reply: Option<String>,
}

/// Messages of one subject. Dropped, it hears no more.
pub struct Hearing(Subscriber);

impl Hearing {
    /// The next one; nothing when the bus is closed.
    pub async fn next(&mut self) -> Option<BusMessage> {
        let message = self.0.next().await?;
        Some(BusMessage {
            subject: message.subject.to_string(),
            payload: message.payload,
            reply: message.reply.map(|it| it.to_string()),
        })
    }
}

impl Bus {
    /// Connects, and waits for servers that cannot be reached. Blocks.
    ///
    /// # Errors
    /// When an address cannot be read, or the system has no thread to give.
    pub fn connect(options: BusOptions, threads: &Threads) -> io::Result<Self> {
        let servers: Vec<ServerAddr> =
            options.servers.split(',').map(|it| it.trim().parse()).collect::<io::Result<_>>()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let (connected, wait) = oneshot::channel();
        let name = options.client.clone();
        let thread = threads.start("cluster-bus", move || {
            runtime.block_on(async move {
                let client = connect(&name, &servers).await;
                if connected.send(client).is_ok() {
                    // Whoever drops the bus stops it too.
                    drop(stopped.await);
                }
            });
            runtime.shutdown_background();
        })?;
        let gone = |_| io::Error::other("the thread of the bus is gone");
        let client = wait.blocking_recv().map_err(gone)?;
        let mut context = {
            let _its_own = handle.enter();
            jetstream::new(client.clone())
        };
        context.set_timeout(KEEPING);
        let (stop, thread) = (Mutex::new(Some(stop)), Mutex::new(Some(thread)));
        let BusOptions { replicas, sync_always, .. } = options;
        Ok(Self { client, context, runtime: handle, replicas, sync_always, stop, thread })
    }

    /// The engine's durable part, and on how many servers things are kept there.
    pub(super) const fn engine(&self) -> (&Context, usize) {
        (&self.context, self.replicas)
    }

    /// Where its work is done: nothing there may block.
    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Does this where the connection is, whoever waits for it.
    pub(super) async fn does<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, BusTrouble>> + Send + 'static,
    ) -> Result<T, ObjectFault> {
        let done = self.runtime.spawn(work).await;
        Ok(done.map_err(|error| ObjectFault(error.to_string()))??)
    }

    /// Whether a server hears it.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Says something to whoever listens.
    pub async fn say(&self, subject: String, payload: Bytes) {
        if let Err(error) = self.client.publish(subject, payload).await {
            tracing::debug!(%error, "something was not said");
        }
    }

    /// Says something; where nobody listens, the engine says so on the subject `reply`.
    pub(super) async fn say_or_hear_of_nobody(
        &self,
        subject: String,
        reply: String,
        payload: Bytes,
    ) {
        if let Err(error) = self.client.publish_with_reply(subject, reply, payload).await {
            tracing::debug!(%error, "something was not said");
        }
    }

    /// Waits until the server has what was said.
    pub async fn flush(&self) {
        if let Err(error) = self.client.flush().await {
            tracing::debug!(%error, "what was said may not be heard");
        }
    }

    /// Hears a subject from now on; nothing where the bus is closed.
    pub async fn hear(&self, subject: String) -> Option<Hearing> {
        match self.client.subscribe(subject).await {
            Ok(subscriber) => Some(Hearing(subscriber)),
            Err(error) => {
                tracing::error!(%error, "the bus does not listen");
                None
            }
        }
    }

    /// Asks whoever listens.
    pub async fn ask(&self, subject: String, payload: Bytes, within: Duration) -> BusAnswer {
        let request = Request::new().payload(payload).timeout(Some(within));
        match self.client.send_request(subject, request).await {
            Ok(message) => BusAnswer::Came(message.payload),
            Err(error) => match error.kind() {
                RequestErrorKind::NoResponders
                | RequestErrorKind::InvalidSubject
                | RequestErrorKind::MaxPayloadExceeded => BusAnswer::Unheard,
                RequestErrorKind::TimedOut | RequestErrorKind::Other => BusAnswer::Silence,
            },
        }
    }

    /// The value that the installation keeps under this name: this one, unless another was
    /// kept before. Waits until the servers agree. Blocks.
    pub fn keep(&self, name: &str, proposed: Bytes) -> Bytes {
        let subject = format!("{KEPT_UNDER}.{name}");
        self.runtime.block_on(async {
            loop {
                match self.try_to_keep(&subject, &proposed).await {
                    Ok(kept) => return kept,
                    Err(error) => {
                        tracing::warn!(%error, name, "what all nodes share cannot be kept yet");
                        tokio::time::sleep(UNREACHABLE).await;
                    }
                }
            }
        })
    }

    async fn try_to_keep(&self, subject: &str, proposed: &Bytes) -> Result<Bytes, BusTrouble> {
        let stream: Stream = self.context.get_or_create_stream(config(self.replicas)).await?;
        let message =
            PublishMessage::build().payload(proposed.clone()).expected_last_subject_sequence(0);
        let sent = self.context.send_publish(subject.to_owned(), message).await?.await;
        if let Err(error) = sent {
            // It is there already, or it was stored all the same, or it was not.
            tracing::debug!(%error, "another value may be kept");
        }
        let kept = stream.get_last_raw_message_by_subject(subject).await?;
        Ok(kept.payload)
    }

    /// How the log stands, if a server tells within half a second.
    pub async fn standing(&self) -> Option<LogStanding> {
        let asked = async {
            self.context.get_stream(STREAM).await?.get_info().await.map_err(BusTrouble::from)
        };
        let info = match tokio::time::timeout(TOLD_WITHIN, asked).await {
            Ok(Ok(info)) => info,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the log does not tell how it stands");
                return None;
            }
            Err(_) => return None,
        };
        let replicas = info.config.num_replicas;
        let others = info
            .cluster
            .as_ref()
            .map_or(0, |it| it.replicas.iter().filter(|peer| !peer.offline).count());
        let leader = info.cluster.and_then(|it| it.leader);
        let reachable = others + usize::from(leader.is_some());
        Some(LogStanding { reachable, leader, replicas, sync_always: self.sync_always })
    }

    /// Ends it, and everything that runs on it.
    pub fn close(&self) {
        let locked = |it: &Mutex<Option<RunningThread>>| {
            it.lock().unwrap_or_else(PoisonError::into_inner).take()
        };
        drop(self.stop.lock().unwrap_or_else(PoisonError::into_inner).take());
        // The thread itself may be the one who asks; it does not wait for itself.
        locked(&self.thread).into_iter().for_each(RunningThread::join);
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.close();
    }
}

/// What all nodes share cannot be asked now.
#[derive(Debug, thiserror::Error)]
#[error("what all nodes share cannot be asked: {0}")]
pub struct ObjectFault(String);

impl From<BusTrouble> for ObjectFault {
    fn from(trouble: BusTrouble) -> Self {
        Self(trouble.to_string())
    }
}

/// What went wrong, as the client library tells it.
pub(super) type BusTrouble = Box<dyn std::error::Error + Send + Sync>;

async fn connect(name: &str, servers: &[ServerAddr]) -> Client {
    loop {
        let options = connecting(name).reconnect_delay_callback(|_| RECONNECT);
        match options.connect(servers).await {
            Ok(client) => return client,
            Err(error) => tracing::warn!(%error, "the other nodes cannot be reached; waiting"),
        }
        tokio::time::sleep(UNREACHABLE).await;
    }
}

fn config(replicas: usize) -> Config {
    Config {
        name: KEPT_IN.to_owned(),
        description: Some("What all nodes of a Coterie installation share".to_owned()),
        subjects: vec![format!("{KEPT_UNDER}.>")],
        num_replicas: replicas,
        discard: DiscardPolicy::New,
        deny_delete: true,
        deny_purge: true,
        ..Config::default()
    }
}
