//! The shared log on NATS JetStream: one stream, which the servers replicate.
//!
//! What the client library says of an outcome is a hint: a message whose publishing failed may have
//! been stored, a leader in a hurry may refuse one wrongly, and a read may be outdated. So the
//! sender of a message hears only that it is doubtful, and believes what the log delivers.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Event};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::replicated::key;
use crate::replicated::log::{Delivered, LogEvent, LogListener, Publication, SharedLog, Subject};
use crate::replicated::nats_comparison::{self, ServerMessage};
use crate::replicated::nats_options::NatsOptions;
use crate::replicated::nats_raw::{self, RawMessage};
use crate::replicated::nats_reach::ServersReach;
use crate::replicated::nats_reader::next_or_behind;
use crate::replicated::nats_refusals::{ClientTrouble, LogRefusal, Unopened};
use crate::replicated::nats_stream::{
    CODE, code_in, config, consumer_from, name_of, saw, subject_of, trimmed, unopened,
};
use base::clock::Deadline;
use base::threads::{RunningThread, Threads};

/// Most bytes of messages that were read but not handled; reading then waits.
const READ_AHEAD: usize = 16 << 20;
/// How long an acknowledgement may take before the message is sent again. An election among the
/// servers takes longer; until it is over, every attempt fails.
const ACKNOWLEDGED: Duration = Duration::from_secs(2);
/// Consecutive missed acknowledgements after which another server is tried: a server that is cut
/// off from the others stays connected, but answers nothing.
const MISSED: u32 = 2;
/// The least time between two changes of server: an election takes as long.
const PATIENCE: Duration = Duration::from_secs(5);
/// The heartbeat interval of the server that reads for this node; without heartbeats it is given
/// up.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// Most messages that are compared at a time.
const MESSAGES: usize = 1000;
/// How often a log that seems too short is asked before it is believed.
const ASKED: u32 = 50;
/// The delay before a failed operation is tried again.
const AGAIN: Duration = Duration::from_millis(200);
/// The delay before servers that cannot be reached are tried again.
const UNREACHABLE: Duration = Duration::from_secs(1);

/// The log. Dropping it ends it.
#[derive(Debug)]
pub struct NatsLog {
    commands: mpsc::UnboundedSender<Command>,
    longest: usize,
    reach: Arc<ServersReach>,
    thread: Mutex<Option<RunningThread>>,
}

enum Command {
    Begin(Arc<dyn LogListener>, u64),
    ReadAgain(u64),
    Publish(Publication),
    AskLast(Subject),
    End(Duration),
}

impl NatsLog {
    /// Connects, and makes the stream if there is none. While the servers cannot be reached, it
    /// waits and logs that.
    ///
    /// # Errors
    /// If the servers are refused for the log or refuse this node, or the operating system gives no
    /// thread.
    pub fn connect(options: NatsOptions, threads: &Threads) -> Result<Self, LogRefusal> {
        let (commands, received) = mpsc::unbounded_channel();
        let (opened, wait) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let reach = Arc::new(ServersReach::begin());
        let seen = Arc::clone(&reach);
        let thread = threads.start("journal-nats", move || {
            runtime.block_on(run(options, seen, received, opened));
            // Tasks still under way are dropped, since nobody waits for them.
            runtime.shutdown_background();
        })?;
        let gone = |_| io::Error::other("the thread that follows the log is gone");
        let longest = wait.blocking_recv().map_err(gone)??;
        Ok(Self { commands, longest, reach, thread: Mutex::new(Some(thread)) })
    }

    fn command(&self, command: Command) {
        // If the thread is gone, its listener was told `LogEvent::Over`.
        drop(self.commands.send(command));
    }
}

impl SharedLog for NatsLog {
    fn begin(&self, listener: Arc<dyn LogListener>, from: u64) {
        self.command(Command::Begin(listener, from));
    }

    fn read_again(&self, from: u64) {
        self.command(Command::ReadAgain(from));
    }

    fn publish(&self, message: Publication) {
        self.command(Command::Publish(message));
    }

    fn ask_last(&self, subject: Subject) {
        self.command(Command::AskLast(subject));
    }

    fn end(&self, grace: Duration) {
        self.command(Command::End(grace));
    }

    fn is_reachable(&self) -> bool {
        self.reach.is_reachable()
    }

    fn longest(&self) -> usize {
        self.longest
    }
}

impl Drop for NatsLog {
    fn drop(&mut self) {
        self.command(Command::End(Duration::ZERO));
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        thread.into_iter().for_each(RunningThread::join);
    }
}

async fn run(
    options: NatsOptions,
    reach: Arc<ServersReach>,
    mut commands: mpsc::UnboundedReceiver<Command>,
    opened: oneshot::Sender<Result<usize, LogRefusal>>,
) {
    let engine = loop {
        match Engine::open(&options, &reach).await {
            Ok(engine) => break Arc::new(engine),
            Err(Unopened::Refused(refusal)) => return drop(opened.send(Err(refusal))),
            Err(Unopened::Passing(error)) => {
                tracing::warn!(%error, "connecting to the log failed; retrying")
            }
        }
        tokio::time::sleep(UNREACHABLE).await;
        if opened.is_closed() {
            return;
        }
    };
    let longest = engine.acting().client.max_payload().saturating_sub(HEADERS);
    if opened.send(Ok(longest)).is_err() {
        return;
    }
    let mut listener = None;
    let mut reading = None;
    while let Some(command) = commands.recv().await {
        match command {
            Command::Begin(heard_by, from) => {
                reading = Some(engine.read(Arc::clone(&heard_by), from, Beginning::First));
                listener = Some(heard_by);
            }
            Command::ReadAgain(from) => {
                reading.iter().for_each(JoinHandle::abort);
                reading = listener.clone().map(|it| engine.read(it, from, Beginning::Again));
            }
            Command::Publish(message) => engine.publish(listener.clone(), message),
            Command::AskLast(subject) => engine.ask_last(listener.clone(), subject),
            Command::End(Duration::ZERO) => break,
            Command::End(grace) => end_after(listener.clone(), grace),
        }
    }
    reading.iter().for_each(JoinHandle::abort);
    tell(listener.as_ref(), LogEvent::Over);
}

/// Most bytes of a message's headers.
const HEADERS: usize = 1024;

fn tell(listener: Option<&Arc<dyn LogListener>>, event: LogEvent) {
    let Some(listener) = listener else { return };
    listener.hear(event);
}

fn end_after(listener: Option<Arc<dyn LogListener>>, grace: Duration) {
    tokio::spawn(async move {
        tokio::time::sleep(grace).await;
        tell(listener.as_ref(), LogEvent::Over);
    });
}

/// How many readable messages behind one that the client library cannot read are read without it,
/// too: strangers may write many.
const CAREFUL: usize = 32;

/// A connection to the servers, and the log's stream.
#[derive(Debug, Clone)]
struct Connection {
    client: Client,
    context: Context,
    stream: Stream,
}

impl Connection {
    /// Connects, and opens the stream; `saw` sees the events of the connection.
    async fn open(
        options: &NatsOptions,
        saw: impl Fn(&Event) + Send + Sync + 'static,
    ) -> Result<Self, Unopened> {
        let connecting = options.servers.connecting(&options.client).event_callback(move |event| {
            saw(&event);
            std::future::ready(())
        });
        let client = options.servers.connect(connecting).await?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ACKNOWLEDGED);
        LogRefusal::of_version(&client.server_info().version)?;
        let stream = context.get_or_create_stream(config(options)).await;
        let stream = stream.map_err(|error| unopened(error, options.replicas))?;
        Ok(Self { client, context, stream })
    }

    /// Whether the task of the connection has ended, as it does when the library panics.
    async fn is_dead(&self) -> bool {
        matches!(tokio::time::timeout(AGAIN, self.client.flush()).await, Ok(Err(_)))
    }
}

/// The connections to the servers.
#[derive(Debug)]
struct Engine {
    options: NatsOptions,
    /// For everything but reading. Only answers of the engine come over it.
    acting: Mutex<Connection>,
    reviving: tokio::sync::Mutex<()>,
    prefix: String,
    room: Arc<Semaphore>,
    missed: AtomicU32,
    reach: Arc<ServersReach>,
    /// Until when the present server is kept, even if it does not answer.
    kept: Mutex<Deadline>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    First,
    Again,
}

impl Engine {
    async fn open(options: &NatsOptions, reach: &Arc<ServersReach>) -> Result<Self, Unopened> {
        let acting = Self::connect(options, reach).await?;
        let found = &acting.stream.cached_info().config;
        LogRefusal::of_replicas(options.replicas, found.num_replicas)?;
        LogRefusal::of_purge(options.is_trimmed, found.deny_purge)?;
        let prefix = options.prefix.clone();
        let room = Arc::new(Semaphore::new(READ_AHEAD));
        let missed = AtomicU32::new(0);
        let kept = Mutex::new(Deadline::after(PATIENCE));
        let reach = Arc::clone(reach);
        let acting = Mutex::new(acting);
        let options = options.clone();
        let reviving = tokio::sync::Mutex::default();
        Ok(Self { options, acting, reviving, prefix, room, missed, reach, kept })
    }

    async fn connect(
        options: &NatsOptions,
        reach: &Arc<ServersReach>,
    ) -> Result<Connection, Unopened> {
        let seen = Arc::clone(reach);
        Connection::open(options, move |event| saw(&seen, event)).await
    }

    fn acting(&self) -> Connection {
        self.acting.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens a connection for reading. It is dropped after the first error: what strangers write
    /// comes over it, and may end it.
    async fn reader(&self) -> Result<Connection, ClientTrouble> {
        let noted = |event: &Event| tracing::debug!(%event, "NATS event of a reading connection");
        Connection::open(&self.options, noted).await.map_err(|unopened| match unopened {
            Unopened::Refused(refusal) => refusal.into(),
            Unopened::Passing(error) => error,
        })
    }

    /// Opens the acting connection again if it is dead.
    async fn revive(&self) {
        let _turn = self.reviving.lock().await;
        if !self.acting().is_dead().await {
            return;
        }
        tracing::warn!("the connection to the log ended; reconnecting");
        if let Ok(connection) = Self::connect(&self.options, &self.reach).await {
            *self.acting.lock().unwrap_or_else(PoisonError::into_inner) = connection;
        }
    }

    /// Starts a task that reads from this sequence on, across reconnections.
    fn read(
        self: &Arc<Self>,
        listener: Arc<dyn LogListener>,
        from: u64,
        beginning: Beginning,
    ) -> JoinHandle<()> {
        let engine = Arc::clone(self);
        tokio::spawn(async move {
            match beginning {
                Beginning::First => engine.tell_reach(&listener, from).await,
                Beginning::Again => tokio::time::sleep(AGAIN).await,
            }
            let mut next = from;
            if beginning == Beginning::Again
                && let Err(error) = engine.compare(&listener, &mut next).await
            {
                tracing::warn!(%error, next, "comparing the servers of the log failed; reading on");
            }
            loop {
                let followed = engine.follow(&listener, &mut next, beginning).await;
                if let Err(error) = &followed {
                    tracing::warn!(%error, next, "reading the log failed; retrying");
                }
                // A connection that ends with the library's task ends the reading without an error.
                if let Err(error) = engine.step_over(&listener, &mut next).await {
                    tracing::warn!(
                        %error, next,
                        "reading one message of the log failed; checking the connection"
                    );
                    engine.revive().await;
                }
                if followed.is_err() && beginning == Beginning::Again {
                    engine.leave_server().await;
                }
                tokio::time::sleep(AGAIN).await;
            }
        })
    }

    /// Tells how far the log reaches. If the log seems to end before a message that this node has
    /// read, it is asked again: a former leader may answer with what it knew then.
    async fn tell_reach(&self, listener: &Arc<dyn LogListener>, from: u64) {
        for attempt in 1.. {
            match self.acting().stream.get_info().await {
                Ok(info) => {
                    let first = info.state.first_sequence;
                    let last = info.state.last_sequence;
                    if last + 1 >= from || attempt >= ASKED {
                        return listener.hear(LogEvent::Reaches { first, last });
                    }
                }
                Err(error) => tracing::warn!(%error, "reading the end of the log failed; retrying"),
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Reconnects to another server, if there is one and the present one had its time.
    async fn leave_server(&self) {
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if !kept.left().is_zero() {
                return;
            }
            *kept = Deadline::after(PATIENCE);
        }
        tracing::warn!("reconnecting to another server of the log");
        if let Err(error) = self.acting().client.force_reconnect().await {
            tracing::warn!(
                %error,
                "reconnecting to another server of the log failed; keeping the connection"
            );
        }
    }

    async fn follow(
        &self,
        listener: &Arc<dyn LogListener>,
        next: &mut u64,
        beginning: Beginning,
    ) -> Result<(), ClientTrouble> {
        let reader = self.reader().await?;
        let consumer = reader.stream.create_consumer(consumer_from(*next)).await?;
        let mut messages = consumer.stream().heartbeat(HEARTBEAT).messages().await?;
        let reach = || async { Ok(self.acting().stream.get_info().await?.state.last_sequence) };
        while let Some(message) = next_or_behind(&mut messages, *next, reach).await? {
            let message = message?;
            let sequence = message.info()?.stream_sequence;
            if sequence > *next {
                self.step_over(listener, next).await?;
            }
            if sequence > *next && beginning == Beginning::Again {
                // Another server has to deliver it, if any has it.
                trimmed(&self.acting().stream, *next)
                    .await
                    .into_iter()
                    .for_each(|it| listener.hear(it));
                return Err(format!("message {sequence} comes in the place of {next}").into());
            }
            if sequence < *next {
                continue;
            }
            let payload = message.payload.clone();
            let code = code_in(message.headers.as_ref());
            let subject = subject_of(&self.prefix, &message.subject);
            let read = Delivered { sequence, subject, payload, code, is_agreed: false, room: None };
            self.deliver(listener, read).await?;
            *next = sequence + 1;
            self.reach.answered();
        }
        Ok(())
    }

    /// Delivers the messages from `next` on that the client library cannot read, and some behind
    /// them, and advances `next`. No node wrote such a message, so it is delivered without a code,
    /// as the leading server has it: the engine checks what it stores.
    async fn step_over(
        &self,
        listener: &Arc<dyn LogListener>,
        next: &mut u64,
    ) -> Result<(), ClientTrouble> {
        let mut careful = 0;
        loop {
            let found = nats_raw::get(&self.acting().context, &self.options.stream, *next).await?;
            let Some(RawMessage { sequence, subject, payload, code, is_readable }) = found else {
                return Ok(());
            };
            careful = match (is_readable, careful) {
                (false, _) => CAREFUL,
                (true, 0) => return Ok(()),
                (true, left) => left - 1,
            };
            let subject = subject_of(&self.prefix, &subject);
            let is_agreed = !is_readable;
            let read = Delivered { sequence, subject, payload, code, is_agreed, room: None };
            self.deliver(listener, read).await?;
            *next = sequence + 1;
            self.reach.answered();
        }
    }

    /// Delivers a message once there is room for it.
    async fn deliver(
        &self,
        listener: &Arc<dyn LogListener>,
        mut message: Delivered,
    ) -> Result<(), ClientTrouble> {
        let length = message.payload.len().min(READ_AHEAD);
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        message.room = Some(Arc::clone(&self.room).acquire_many_owned(length).await?);
        listener.hear(LogEvent::Delivered(message));
        Ok(())
    }

    /// Delivers the messages from `next` on as all servers together have them, and advances `next`.
    async fn compare(
        &self,
        listener: &Arc<dyn LogListener>,
        next: &mut u64,
    ) -> Result<(), ClientTrouble> {
        self.step_over(listener, next).await?;
        trimmed(&self.acting().stream, *next).await.into_iter().for_each(|it| listener.hear(it));
        let reader = self.reader().await?;
        let compared = match nats_comparison::compare(&reader.stream, *next, MESSAGES).await {
            Ok(compared) => compared,
            Err(error) => {
                // Perhaps because of a later message, which the library cannot read.
                tracing::debug!(
                    %error, next,
                    "comparing a range of messages failed; comparing one message"
                );
                let reader = self.reader().await?;
                nats_comparison::compare(&reader.stream, *next, 1).await?
            }
        };
        for it in compared {
            let subject = subject_of(&self.prefix, &it.subject);
            let ServerMessage { sequence, payload, code, is_agreed, .. } = it;
            let read = Delivered { sequence, subject, payload, code, is_agreed, room: None };
            self.deliver(listener, read).await?;
            *next = sequence + 1;
        }
        self.reach.answered();
        Ok(())
    }

    fn publish(self: &Arc<Self>, listener: Option<Arc<dyn LogListener>>, message: Publication) {
        let engine = Arc::clone(self);
        tokio::spawn(async move {
            let Publication { subject, fence, number, payload, code, after } = message;
            tokio::time::sleep(after).await;
            let message = PublishMessage::build().payload(payload);
            let message = match code {
                Some(code) => message.header(CODE, key::to_text(&code).as_str()),
                None => message,
            };
            let message = message.expected_last_subject_sequence(fence);
            let name = name_of(&engine.prefix, subject);
            let acting = engine.acting();
            let sent = async { acting.context.send_publish(name, message).await?.await };
            let answer = tokio::time::timeout(ACKNOWLEDGED, sent).await;
            // The library gives up after the same time, and either of the two may be first.
            let trouble = match answer {
                Ok(Ok(_)) => {
                    engine.reach.answered();
                    return engine.missed.store(0, Ordering::Relaxed);
                }
                Ok(Err(error)) => error.kind(),
                Err(_) => PublishErrorKind::TimedOut,
            };
            tracing::debug!(%trouble, number, "sending a message to the log failed; retrying");
            if trouble == PublishErrorKind::TimedOut {
                engine.missed_one().await;
            } else if trouble != PublishErrorKind::WrongLastSequence {
                engine.reach.undone();
                engine.revive().await;
            }
            tell(listener.as_ref(), LogEvent::Doubtful { subject, number });
        });
    }

    async fn missed_one(&self) {
        self.reach.undone();
        if self.missed.fetch_add(1, Ordering::Relaxed) + 1 >= MISSED {
            self.leave_server().await;
        }
    }

    fn ask_last(self: &Arc<Self>, listener: Option<Arc<dyn LogListener>>, subject: Subject) {
        let engine = Arc::clone(self);
        tokio::spawn(async move {
            let name = name_of(&engine.prefix, subject);
            let sequence = loop {
                let acting = engine.acting();
                match nats_raw::newest(&acting.context, &engine.options.stream, &name).await {
                    Ok(sequence) => break sequence,
                    Err(error) => tracing::debug!(
                        %error,
                        "reading the newest message of the log failed; retrying"
                    ),
                }
                engine.revive().await;
                tokio::time::sleep(AGAIN).await;
            };
            tell(listener.as_ref(), LogEvent::Last { subject, sequence });
        });
    }
}
