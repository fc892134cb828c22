//! The bus: short messages between nodes, delivered at most once, and small values that all nodes
//! keep. What must not be lost goes into the log instead.
//!
//! The bus has a thread and a connection of its own, so that a node under load, or one whose log
//! stands still, still sends its signs of life.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use async_nats::client::RequestErrorKind;
use async_nats::connection::State;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Request, StatusCode, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::bus_guard::BusGuard;
use base::metrics::exposition::{Exposition, MetricKind};
use base::threads::{RunningThread, Threads};
use journal::replicated::key::InstallationKey;
use journal::replicated::nats_options::STREAM;
use journal::replicated::nats_servers::NatsServers;
use journal::replicated::nats_stream::code_in;

/// The pause before a failed connection or operation is retried.
const UNREACHABLE: Duration = Duration::from_millis(500);
/// The pause between reconnects while the bus is in use. It is short, since a node that is silent
/// for two seconds is dead.
const RECONNECT: Duration = Duration::from_millis(100);
/// How long storing a value may take before it is retried.
const KEEPING: Duration = Duration::from_secs(3);
/// How long the log may take to report its state.
const TOLD_WITHIN: Duration = Duration::from_millis(500);
/// The stream that keeps values of the installation.
const KEPT_IN: &str = "COTERIE_KEYS";
const KEPT_UNDER: &str = "coterie.key";

/// How the bus is reached.
#[derive(Debug)]
pub struct BusOptions {
    /// The servers.
    pub servers: NatsServers,
    /// The name under which this node appears at the servers.
    pub client: String,
    /// The number of servers that keep values.
    pub replicas: usize,
    /// Whether the servers report that they sync before they acknowledge; `None` if unknown.
    pub sync_always: Option<bool>,
    /// The check of received messages.
    pub guard: BusGuard,
}

/// A connection to the servers, and the context of their durable streams.
#[derive(Clone)]
struct Connection {
    client: Client,
    context: Context,
}

/// State that the bus and its subscriptions share.
struct Shared {
    connection: RwLock<Connection>,
    runtime: Handle,
    name: String,
    servers: NatsServers,
    guard: BusGuard,
    is_closed: AtomicBool,
    reviving: tokio::sync::Mutex<()>,
}

impl Shared {
    fn connection(&self) -> Connection {
        self.connection.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Subscribes again, over a new connection: the client library panics at some headers, and its
    /// connection is dead then. `None` if the bus is closed.
    async fn subscribe_again(self: &Arc<Self>, subject: &str) -> Option<Subscriber> {
        let _turn = self.reviving.lock().await;
        loop {
            if self.is_closed.load(Ordering::SeqCst) {
                return None;
            }
            if let Ok(messages) = self.connection().client.subscribe(subject.to_owned()).await {
                return Some(messages);
            }
            tracing::warn!("the connection to the bus ended; reconnecting");
            let own = Arc::clone(self);
            let connecting = self.runtime.spawn(async move {
                let connection = Connection::open(&own.name, &own.servers).await;
                *own.connection.write().unwrap_or_else(PoisonError::into_inner) = connection;
            });
            connecting.await.ok()?;
        }
    }
}

/// The connection to the servers. Closed when dropped.
pub struct Bus {
    shared: Arc<Shared>,
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

/// The outcome of a question.
#[derive(Debug)]
pub enum BusAnswer {
    /// The answer.
    Came(Bytes),
    /// Nobody received the question.
    Unheard,
    /// No answer came in time; somebody may have received the question.
    Silence,
}

/// The state of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogStanding {
    /// The number of its servers that can be reached.
    pub reachable: usize,
    /// The name of the leader, if there is one.
    pub leader: Option<String>,
    /// The number of servers that are configured to keep the log.
    pub replicas: usize,
    /// Whether the servers sync before they acknowledge; `None` if unknown.
    pub sync_always: Option<bool>,
}

/// A received message.
#[derive(Debug)]
pub struct BusMessage {
    /// The subject on which it came.
    pub subject: String,
    /// The content.
    pub payload: Bytes,
    /// The subject for the answer, if the sender wants one.
    pub reply: Option<String>,
}

/// A subscription to a subject. It ends when dropped.
pub struct BusSubscription {
    messages: Subscriber,
    subject: String,
    shared: Arc<Shared>,
    /// Whether the engine's own notices count, which have no code.
    takes_notices: bool,
}

impl BusSubscription {
    /// Waits for the next message of a node; `None` when the bus is closed.
    pub async fn next(&mut self) -> Option<BusMessage> {
        let message = loop {
            let Some(message) = self.messages.next().await else {
                self.messages = self.shared.subscribe_again(&self.subject).await?;
                continue;
            };
            let is_notice = self.takes_notices && message.status == Some(StatusCode::NO_RESPONDERS);
            if is_notice || self.shared.guard.admits(&message) {
                break message;
            }
        };
        Some(BusMessage {
            subject: message.subject.to_string(),
            payload: message.payload,
            reply: message.reply.map(|it| it.to_string()),
        })
    }
}

impl Bus {
    /// Connects, and retries while the servers cannot be reached. Blocks.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn connect(options: BusOptions, threads: &Threads) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let (connected, wait) = oneshot::channel();
        let name = options.client.clone();
        let servers = options.servers.clone();
        let thread = threads.start("cluster-bus", move || {
            runtime.block_on(async move {
                let connection = Connection::open(&name, &servers).await;
                if connected.send(connection).is_ok() {
                    // Resolves when the bus is closed or dropped.
                    drop(stopped.await);
                }
            });
            runtime.shutdown_background();
        })?;
        let gone = |_| io::Error::other("the thread of the bus is gone");
        let connection = RwLock::new(wait.blocking_recv().map_err(gone)?);
        let stop = Mutex::new(Some(stop));
        let thread = Mutex::new(Some(thread));
        let BusOptions { servers, client: name, replicas, sync_always, guard } = options;
        let shared = Arc::new(Shared {
            connection,
            runtime: handle,
            name,
            servers,
            guard,
            is_closed: AtomicBool::new(false),
            reviving: tokio::sync::Mutex::default(),
        });
        Ok(Self { shared, replicas, sync_always, stop, thread })
    }

    /// The context for durable streams and stores, and the number of servers that keep them.
    pub(super) fn engine(&self) -> (Context, usize) {
        (self.shared.connection().context, self.replicas)
    }

    fn client(&self) -> Client {
        self.shared.connection().client
    }

    fn guard(&self) -> &BusGuard {
        &self.shared.guard
    }

    /// The runtime of the bus's thread; nothing on it may block.
    pub fn runtime(&self) -> &Handle {
        &self.shared.runtime
    }

    /// Runs work on the bus's thread, to its end even if the caller stops waiting.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, BusError>> + Send + 'static,
    ) -> Result<T, ObjectFault> {
        let done = self.runtime().spawn(work).await;
        Ok(done.map_err(|error| ObjectFault(error.to_string()))??)
    }

    /// Whether the bus is connected to a server now.
    pub fn is_connected(&self) -> bool {
        self.client().connection_state() == State::Connected
    }

    /// Publishes a message to the subscribers of a subject.
    pub async fn publish(&self, subject: String, payload: Bytes) {
        let headers = self.guard().headers(&subject, &payload);
        if let Err(error) =
            self.client().publish_with_headers(subject.clone(), headers, payload).await
        {
            tracing::debug!(%error, subject, "publishing to the bus failed; the message is lost");
        }
    }

    /// Publishes a message. If it has no subscriber, the engine says so on the subject `reply`.
    pub(super) async fn publish_or_hear_unheard(
        &self,
        subject: String,
        reply: String,
        payload: Bytes,
    ) {
        let headers = self.guard().headers(&subject, &payload);
        let client = self.client();
        let sent = client.publish_with_reply_and_headers(subject.clone(), reply, headers, payload);
        if let Err(error) = sent.await {
            tracing::debug!(%error, subject, "publishing to the bus failed; the message is lost");
        }
    }

    /// Waits until the server has received everything that was published.
    pub async fn flush(&self) {
        if let Err(error) = self.client().flush().await {
            tracing::debug!(%error, "flushing the bus failed; published messages may be lost");
        }
    }

    /// Subscribes to a subject; `None` if the bus is closed.
    pub async fn subscribe(&self, subject: String) -> Option<BusSubscription> {
        self.subscribe_to(subject, false).await
    }

    /// Subscribes to a subject on which the engine reports messages without a subscriber; `None`
    /// if the bus is closed.
    pub(super) async fn subscribe_to_notices(&self, subject: String) -> Option<BusSubscription> {
        self.subscribe_to(subject, true).await
    }

    async fn subscribe_to(&self, subject: String, takes_notices: bool) -> Option<BusSubscription> {
        match self.client().subscribe(subject.clone()).await {
            Ok(messages) => {
                let shared = Arc::clone(&self.shared);
                Some(BusSubscription { messages, subject, shared, takes_notices })
            }
            Err(error) => {
                tracing::error!(%error, subject, "subscribing to the bus failed");
                None
            }
        }
    }

    /// Sends a question to the subscriber of a subject, and waits for its answer.
    pub async fn ask(&self, subject: String, payload: Bytes, within: Duration) -> BusAnswer {
        let headers = self.guard().headers(&subject, &payload);
        let request = Request::new().payload(payload).headers(headers).timeout(Some(within));
        match self.client().send_request(subject, request).await {
            Ok(message) if self.guard().admits(&message) => BusAnswer::Came(message.payload),
            Ok(_) => BusAnswer::Silence,
            Err(error) => match error.kind() {
                RequestErrorKind::NoResponders
                | RequestErrorKind::InvalidSubject
                | RequestErrorKind::MaxPayloadExceeded => BusAnswer::Unheard,
                RequestErrorKind::TimedOut | RequestErrorKind::Other => BusAnswer::Silence,
            },
        }
    }

    /// Returns the value that the installation keeps under this name: the proposed one, unless
    /// another was stored before. Retries until the servers agree. Blocks.
    pub fn get_or_store(&self, name: &str, proposed: Bytes) -> Bytes {
        let subject = format!("{KEPT_UNDER}.{name}");
        self.runtime().block_on(async {
            loop {
                match self.try_get_or_store(&subject, &proposed).await {
                    Ok(kept) => return kept,
                    Err(error) => {
                        tracing::warn!(
                            %error, name,
                            "storing a value that all nodes share failed; retrying"
                        );
                        tokio::time::sleep(UNREACHABLE).await;
                    }
                }
            }
        })
    }

    async fn try_get_or_store(&self, subject: &str, proposed: &Bytes) -> Result<Bytes, BusError> {
        let stream: Stream = self.engine().0.get_or_create_stream(config(self.replicas)).await?;
        if self.guard().is_strict() {
            return self.try_get_or_store_with_code(&stream, subject, proposed).await;
        }
        let message =
            PublishMessage::build().payload(proposed.clone()).expected_last_subject_sequence(0);
        let sent = self.engine().0.send_publish(subject.to_owned(), message).await?.await;
        if let Err(error) = sent {
            // Another value may be stored already, or this one was stored although the call failed,
            // or it was not stored. Reading tells.
            tracing::debug!(
                %error, subject,
                "storing a shared value failed; reading the stored one"
            );
        }
        let kept = stream.get_last_raw_message_by_subject(subject).await?;
        Ok(kept.payload)
    }

    /// Returns the first value with a valid code, and stores the proposed one if there is none.
    /// Values that strangers store beside it do not count.
    async fn try_get_or_store_with_code(
        &self,
        stream: &Stream,
        subject: &str,
        proposed: &Bytes,
    ) -> Result<Bytes, BusError> {
        loop {
            let mut from = 1;
            while let Some(kept) = first_from(stream, subject, from).await? {
                if self.guard().proves(code_in(Some(&kept.headers)), subject, &kept.payload) {
                    return Ok(kept.payload);
                }
                from = kept.sequence + 1;
            }
            let headers = self.guard().headers(subject, proposed);
            let message = PublishMessage::build().payload(proposed.clone()).headers(headers);
            self.engine().0.send_publish(subject.to_owned(), message).await?.await?;
        }
    }

    /// The print of this node's key, if it has one.
    pub(super) fn key_print(&self) -> Option<u64> {
        self.guard().key().map(InstallationKey::print)
    }

    /// Whether messages without a valid code are dropped.
    pub(super) fn is_guarded(&self) -> bool {
        self.guard().is_strict()
    }

    /// Writes the bus's metrics to the page.
    pub fn write(&self, page: &mut Exposition) {
        let help = "Dropped messages between nodes that no node of this installation sent.";
        let dropped = self.guard().dropped();
        page.single("coterie_cluster_dropped_total", MetricKind::Counter, help, dropped);
        let is_known = u64::from(self.sync_always == Some(true));
        let help = "Whether the servers of the log report that they sync before they acknowledge.";
        page.single("coterie_cluster_log_synced", MetricKind::Gauge, help, is_known);
    }

    /// Returns the state of the log, or `None` if no server reports it within half a second.
    pub async fn standing(&self) -> Option<LogStanding> {
        let asked = async {
            self.engine().0.get_stream(STREAM).await?.get_info().await.map_err(BusError::from)
        };
        let info = match tokio::time::timeout(TOLD_WITHIN, asked).await {
            Ok(Ok(info)) => info,
            Ok(Err(error)) => {
                tracing::debug!(%error, "reading the state of the log failed");
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

    /// Closes the connection, and ends everything that runs on the bus's thread.
    pub fn close(&self) {
        self.shared.is_closed.store(true, Ordering::SeqCst);
        let locked = |it: &Mutex<Option<RunningThread>>| {
            it.lock().unwrap_or_else(PoisonError::into_inner).take()
        };
        drop(self.stop.lock().unwrap_or_else(PoisonError::into_inner).take());
        // If the bus's own thread calls this, `join` does not wait.
        locked(&self.thread).into_iter().for_each(RunningThread::join);
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.close();
    }
}

/// The servers that keep what all nodes share cannot answer now.
#[derive(Debug, thiserror::Error)]
#[error("the values that all nodes share cannot be read: {0}")]
pub struct ObjectFault(String);

impl From<BusError> for ObjectFault {
    fn from(trouble: BusError) -> Self {
        Self(trouble.to_string())
    }
}

/// An error of the client library.
pub(super) type BusError = Box<dyn std::error::Error + Send + Sync>;

/// The first message on a subject from this sequence on.
async fn first_from(
    stream: &Stream,
    subject: &str,
    from: u64,
) -> Result<Option<StreamMessage>, BusError> {
    match stream.get_first_raw_message_by_subject(subject, from).await {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Connection {
    /// Connects, and retries while the servers cannot be reached. Runs on the bus's thread.
    async fn open(name: &str, servers: &NatsServers) -> Self {
        let client = loop {
            let options = servers.connecting(name).reconnect_delay_callback(|_| RECONNECT);
            match servers.connect_any(options).await {
                Ok(client) => break client,
                Err(error) => tracing::warn!(%error, "connecting to the bus failed; retrying"),
            }
            tokio::time::sleep(UNREACHABLE).await;
        };
        let mut context = jetstream::new(client.clone());
        context.set_timeout(KEEPING);
        Self { client, context }
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
