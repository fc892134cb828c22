//! A session: one `clientId`. It lives on the thread of the handshake, takes its client's messages
//! from any transport, and sends news over the transport used last.

use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Sleep, sleep};

use crate::bayeux::acknowledgements::{Acknowledgements, ConnectAck, Via};
use crate::bayeux::channels::Channel;
use crate::bayeux::connection::{SocketCommand, SocketHandle};
use crate::bayeux::feed::Feed;
use crate::bayeux::message::{Advice, BayeuxTrouble, Incoming};
use crate::bayeux::pending_connect::{End, PendingConnect, hold_time};
use crate::bayeux::sessions::{MessageSource, SessionGuard, SessionMessage};
use crate::bayeux::{BayeuxContext, HOLD};
use crate::close::Close;
use crate::reader::{Reader, ReaderEvent};
use crate::resume::Portion;
use auth::throttle::{Bucket, Rate};

/// The rate of messages that one client may send.
const MESSAGES: Rate = Rate { per_second: 50.0, burst: 500.0 };
/// How long the reader of a client that went away stays open: most clients come back at once.
const LINGER: Duration = Duration::from_secs(5);
/// How often a session checks its token and whether its client is away for too long.
const LOOK: Duration = Duration::from_secs(1);

/// The session of one client.
pub(super) struct Session {
    /// The context of the protocol.
    pub(super) context: BayeuxContext,
    /// The session's entry among all sessions.
    pub(super) place: SessionGuard,
    /// The subscriptions and their reader.
    pub(super) feed: Feed,
    /// The connect that is held.
    pub(super) pending: Option<PendingConnect>,
    /// The socket that the client uses.
    pub(super) socket: Option<SocketHandle>,
    /// The messages that the client has received.
    pub(super) acknowledgements: Acknowledgements,
    pace: Bucket,
    /// Fires when a ping is due, or when the reader of a client that is away is to be closed.
    nap: Pin<Box<Sleep>>,
    /// Fires when the session has to check whether it is still needed.
    look: Pin<Box<Sleep>>,
}

/// Starts the session of a client on this thread.
pub(super) fn start(
    context: BayeuxContext,
    place: SessionGuard,
    messages: mpsc::Receiver<SessionMessage>,
    acknowledgements: Acknowledgements,
) {
    let now = context.shared.clock.now().mono;
    let session = Session {
        feed: Feed::new(context.clone()),
        context,
        place,
        pending: None,
        socket: None,
        acknowledgements,
        pace: Bucket::full(MESSAGES, now),
        nap: Box::pin(sleep(HOLD)),
        look: Box::pin(sleep(LOOK)),
    };
    actix::spawn(session.run(messages));
}

/// The event that wakes a session.
enum Woken {
    Asked(Option<SessionMessage>),
    PendingEnds(End),
    SocketEnds,
    Told(ReaderEvent, Option<mpsc::OwnedPermit<SocketCommand>>),
    Nap,
    Look,
}

/// Whether a session continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionFlow {
    On,
    Over,
}

impl Session {
    async fn run(mut self, mut messages: mpsc::Receiver<SessionMessage>) {
        loop {
            let woken = self.wake(&mut messages).await;
            let going = match woken {
                Woken::Asked(Some(SessionMessage::Message { message, by, reply })) => {
                    self.hear(message, by, reply).await
                }
                Woken::Asked(Some(SessionMessage::Goodbye)) => self.over(Close::DRAINING),
                Woken::Asked(None) => SessionFlow::Over,
                Woken::PendingEnds(End::Time) => self.time_is_over(),
                Woken::PendingEnds(End::Left) => {
                    self.pending = None;
                    self.is_away()
                }
                Woken::SocketEnds => {
                    self.socket = None;
                    self.pending =
                        self.pending.take().filter(|pending| pending.via() == Via::Requests);
                    self.is_away()
                }
                Woken::Told(told, permit) => self.tell(told, permit).await,
                Woken::Nap => self.idle_timeout(),
                Woken::Look => self.look(),
            };
            if going == SessionFlow::Over {
                return;
            }
        }
    }

    /// How many events are sent at once: one in an answer to a connect.
    pub(super) fn portion(&self) -> Portion {
        let is_for_request = self.pending.as_ref().is_some_and(|it| it.via() == Via::Requests);
        if is_for_request || self.acknowledgements.is_by_acks() {
            Portion::One
        } else {
            Portion::All
        }
    }

    async fn wake(&mut self, messages: &mut mpsc::Receiver<SessionMessage>) -> Woken {
        let portion = self.portion();
        let Self { pending, socket, feed, nap, look, acknowledgements, .. } = self;
        let is_for_request = pending.as_ref().is_some_and(|it| it.via() == Via::Requests);
        // Only the answer to a connect has a number that the client can acknowledge.
        let is_to_wait = acknowledgements.is_by_acks() && pending.is_none();
        let way = match (is_for_request, &socket) {
            (true, _) => Some(None),
            (false, Some(socket)) if !is_to_wait => Some(Some(socket)),
            (false, Some(_) | None) => None,
        };
        let reader = way.and_then(|way| feed.reader().map(|reader| (reader, way)));
        tokio::select! {
            biased;
            ask = messages.recv() => Woken::Asked(ask),
            () = socket_ends(socket.as_ref()) => Woken::SocketEnds,
            (told, permit) = next(reader, portion) => Woken::Told(told, permit),
            end = ends(pending) => Woken::PendingEnds(end),
            () = nap => Woken::Nap,
            () = look => Woken::Look,
        }
    }

    /// Answers a message of the client.
    async fn hear(
        &mut self,
        message: Incoming,
        by: MessageSource,
        reply: oneshot::Sender<Vec<Value>>,
    ) -> SessionFlow {
        let now = self.context.shared.clock.now().mono;
        self.place.see(now);
        let fetches_more =
            message.channel() == "/meta/connect" && self.acknowledgements.take_news_connect();
        if !fetches_more && !self.pace.take(MESSAGES, now).passes {
            let trouble = BayeuxTrouble::new(429, "", "Too many messages").advise(Advice::Retry);
            return answer(reply, vec![message.fails(&trouble)]);
        }
        match &by {
            MessageSource::Socket(socket) => self.attach(socket),
            MessageSource::Request { connection, .. } => {
                self.acknowledgements.comes_by(connection.clone())
            }
        }
        let done = match Channel::parse(message.channel()) {
            Ok(Channel::Connect) => return self.connect(message, by, reply).await,
            Ok(Channel::Disconnect) => {
                self.release(Advice::Nothing);
                answer(reply, vec![message.succeeds()]);
                return SessionFlow::Over;
            }
            Ok(Channel::Subscribe) => self.subscribe(&message).await.map(|it| vec![it]),
            Ok(Channel::Unsubscribe) => self.unsubscribe(&message).await.map(|it| vec![it]),
            Ok(Channel::ClientChannel(channel)) => self.publish(&message, channel).await,
            Ok(Channel::Handshake) => {
                Err(BayeuxTrouble::new(403, "", "A handshake makes a client"))
            }
            Err(trouble) => Err(trouble),
        };
        let replies = done.unwrap_or_else(|trouble| vec![message.fails(&trouble)]);
        answer(reply, replies)
    }

    /// Notes that the client uses this socket now, unless a request of it is held.
    fn attach(&mut self, socket: &SocketHandle) {
        let is_new = self.socket.as_ref().is_none_or(|known| known.number != socket.number);
        let has_request = self.pending.as_ref().is_some_and(|it| it.via() == Via::Requests);
        if !is_new || has_request {
            return;
        }
        if self.acknowledgements.has_left(Via::Socket(socket.number)) {
            self.feed.pause();
            self.acknowledgements.forget();
        }
        self.socket = Some(socket.clone());
        self.spoke();
    }

    async fn connect(
        &mut self,
        message: Incoming,
        by: MessageSource,
        reply: oneshot::Sender<Vec<Value>>,
    ) -> SessionFlow {
        let via = match &by {
            MessageSource::Request { .. } => Via::Requests,
            MessageSource::Socket(socket) => Via::Socket(socket.number),
        };
        match self.acknowledgements.judge(&message, via) {
            ConnectAck::Got(upto) => self.feed.confirm(upto),
            ConnectAck::Lost => self.feed.pause(),
            ConnectAck::Open => {}
        }
        // One connect at a time: an earlier one is answered without news.
        self.release(Advice::Retry);
        let pending = match by {
            MessageSource::Request { is_alone, .. } => {
                self.socket = None;
                PendingConnect::for_request(message.clone(), reply, hold_time(&message, is_alone))
            }
            MessageSource::Socket(socket) => {
                // The answer will come over the socket's own queue.
                answer(reply, Vec::new());
                self.socket = Some(socket.clone());
                PendingConnect::for_socket(
                    message.clone(),
                    socket.number,
                    hold_time(&message, true),
                )
            }
        };
        let waits = pending.waits;
        self.pending = Some(pending);
        if let Err(close) = self.feed.resume().await {
            return self.over(close);
        }
        if !waits && self.feed.is_synced() && self.feed.reader().is_none() {
            return self.time_is_over();
        }
        SessionFlow::On
    }

    /// Postpones the next ping, since something was sent.
    pub(super) fn spoke(&mut self) {
        self.nap = Box::pin(sleep(HOLD));
    }

    /// Keeps the reader open for a while: no connect is held, but the client may come back at once.
    pub(super) fn is_away(&mut self) -> SessionFlow {
        self.nap = Box::pin(sleep(LINGER));
        SessionFlow::On
    }

    fn idle_timeout(&mut self) -> SessionFlow {
        match (&self.pending, &self.socket) {
            (Some(_), _) => {}
            // The client left without a message, and gets nothing before it connects again.
            (None, Some(_)) if self.acknowledgements.is_by_acks() => self.feed.pause(),
            (None, Some(socket)) => {
                if socket.to.capacity() > 0 {
                    let ping = self.feed.ping();
                    self.say(ping.into_iter().collect(), None);
                }
            }
            (None, None) => self.feed.pause(),
        }
        self.spoke();
        SessionFlow::On
    }

    fn look(&mut self) -> SessionFlow {
        self.look = Box::pin(sleep(LOOK.min(self.context.shared.timeouts.heartbeat)));
        let now = self.context.shared.clock.now().mono;
        let is_ended =
            self.feed.caller().is_some_and(|it| !self.context.shared.keyring.is_alive(it));
        if is_ended {
            return self.over(Close::TOKEN);
        }
        if self.pending.is_some() || self.socket.is_some() {
            self.place.see(now);
            return SessionFlow::On;
        }
        if self.place.is_over(now) { SessionFlow::Over } else { SessionFlow::On }
    }

    /// Handles that the reader is closed. Unless the token ended, what was not confirmed can still
    /// be read.
    pub(super) fn over(&mut self, close: Close) -> SessionFlow {
        self.feed.pause();
        match close {
            Close::DRAINING => {
                self.release(Advice::Retry);
                self.hang_up(close);
                SessionFlow::Over
            }
            Close::TOO_SLOW => {
                self.hang_up(close);
                self.pending = None;
                self.is_away()
            }
            close => {
                self.refuse(close);
                if close == Close::TOKEN { SessionFlow::Over } else { self.is_away() }
            }
        }
    }

    /// Tells the client why there are no news, in the answer to a connect if one is held.
    fn refuse(&mut self, close: Close) {
        let trouble = BayeuxTrouble::of_close(close);
        match self.pending.take() {
            Some(pending) => {
                let reply = pending.connect.fails(&trouble);
                if let Ok(Some(messages)) = pending.answer(vec![reply]) {
                    self.say(messages, None);
                }
            }
            None if self.socket.is_some() => {
                let connect = Incoming::of("/meta/connect", &self.place.client);
                self.say(vec![connect.fails(&trouble)], None);
            }
            None => {}
        }
    }

    fn hang_up(&mut self, close: Close) {
        if let Some(socket) = self.socket.take() {
            // If the queue is full, the client reads nothing, and the kernel cuts the connection.
            drop(socket.to.try_send(SocketCommand::Close(close)));
        }
    }
}

/// Sends an answer; a client that no longer waits will ask again.
fn answer(reply: oneshot::Sender<Vec<Value>>, messages: Vec<Value>) -> SessionFlow {
    drop(reply.send(messages));
    SessionFlow::On
}

/// Waits until the transport can take more, then for what the reader supplies next.
async fn next(
    reader: Option<(&mut Reader, Option<&SocketHandle>)>,
    portion: Portion,
) -> (ReaderEvent, Option<mpsc::OwnedPermit<SocketCommand>>) {
    let Some((reader, socket)) = reader else { return std::future::pending().await };
    let permit = match socket {
        Some(socket) => match socket.to.clone().reserve_owned().await {
            Ok(permit) => Some(permit),
            Err(_) => return std::future::pending().await,
        },
        None => None,
    };
    (reader.next_portion(portion).await, permit)
}

async fn ends(pending: &mut Option<PendingConnect>) -> End {
    match pending {
        Some(pending) => pending.ends().await,
        None => std::future::pending().await,
    }
}

async fn socket_ends(socket: Option<&SocketHandle>) {
    match socket {
        Some(socket) => socket.to.closed().await,
        None => std::future::pending().await,
    }
}
