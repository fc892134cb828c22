//! Deadlines on a connection. It is the server's turn while it answers, the client's while
//! something is missing that only the client can send or receive, and nobody's between two
//! requests. Every turn but the server's has a deadline, by one rule for heads, for bodies of every
//! route, for bodies that no handler reads, and for connections that are kept open.

use std::cell::Cell;
use std::future::{Future, Ready, ready};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use actix_http::BoxedPayloadStream;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse};
use bytes::Bytes;
use futures_util::Stream;

use crate::http::app_state::AppState;
use crate::http::client_address::network_of;
use crate::http::connections::{Connections, TimeLimit};
use crate::http::error::ApiError;
use auth::throttle::Rate;
use base::clock::Deadline;

/// A client that has sent this many more bytes of a body gets its full time again: a large body may
/// take as long as the client's line needs, while a client that sends a byte now and then is cut
/// off.
const HEADWAY: usize = 64 << 10;
/// Time for telling a client that its body took too long, before it is cut off.
const TOLD_WITHIN: Duration = Duration::from_secs(5);

/// The side that must act next on one connection, and its deadline.
#[derive(Debug, Clone)]
pub(super) struct ClientDeadline(Rc<State>);

#[derive(Debug)]
struct State {
    connections: Connections,
    turn: Cell<Turn>,
    /// When the turn began (unless it is the server's); `time` is how long it may take.
    began: Cell<Deadline>,
    time: Cell<TimeLimit>,
    body: Cell<Awaited>,
    /// Bytes of the body that arrived in this turn.
    came: Cell<usize>,
    /// Whether the client has hung up, or the connection was closed.
    closed: Cell<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Nobody's: no request has begun.
    Idle,
    /// The client's: the rest of something that it began to send is missing.
    Sends,
    /// The server's: it answers.
    Answers,
    /// The client's: it has a response to receive.
    Takes,
}

/// The missing part of a request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// Nothing is missing.
    Nothing,
    /// The rest, which a handler reads.
    Rest,
    /// The rest, which no handler reads: it has to be skipped before the next request.
    Unread,
    /// Nothing more is read: the body took too long, and the client is being told so.
    TooLate,
    /// Nothing more is read: the request was answered without its body, and the connection closes.
    Dropped,
}

/// How many bodies of one network are read to their end although their requests were answered
/// without them. Closing at once would be cheaper, but a client that still sends may then lose the
/// response. A client that has sent so many is closed at once: reading 3 GB a second of refused bodies
/// took both cores, and others waited for most of a second.
pub const SKIPPED_BODIES: Rate = Rate { per_second: 10.0, burst: 50.0 };

impl ClientDeadline {
    /// The deadlines of a connection on which nothing has arrived yet.
    pub(super) fn of(connections: Connections) -> Self {
        let began = Cell::new(Deadline::now());
        let time = Cell::new(connections.idle());
        let turn = Cell::new(Turn::Idle);
        let body = Cell::new(Awaited::Nothing);
        let came = Cell::new(0);
        let closed = Cell::new(false);
        Self(Rc::new(State { connections, turn, began, time, body, came, closed }))
    }

    /// Called when the client has hung up or the connection closes.
    pub(super) fn connection_closed(&self) {
        self.0.closed.set(true);
    }

    /// Whether nothing more is to be read of the client.
    pub(super) fn is_done_reading(&self) -> bool {
        self.0.body.get() == Awaited::Dropped
    }

    /// Whether the client has hung up, so that it receives no response.
    pub(super) fn is_closed(&self) -> bool {
        self.0.closed.get()
    }

    /// The end of this turn, as full as the server is now; `None` if it is the server's turn.
    pub(super) fn until(&self) -> Option<Deadline> {
        if self.0.turn.get() == Turn::Answers {
            return None;
        }
        let time = self.0.connections.limit_now(self.0.time.get());
        Some(self.0.began.get().later(time))
    }

    /// Begins a turn.
    fn begins(&self, turn: Turn) {
        self.0.turn.set(turn);
        match turn {
            Turn::Idle => self.set_time(self.0.connections.idle()),
            Turn::Sends | Turn::Takes => self.set_time(self.0.connections.patience()),
            Turn::Answers => {}
        }
    }

    /// Sets the time of the turn, from now on.
    fn set_time(&self, time: TimeLimit) {
        self.0.began.set(Deadline::now());
        self.0.time.set(time);
    }

    /// Called when bytes arrive: on an idle connection, a head has begun.
    pub(super) fn bytes_arrived(&self) {
        if self.0.turn.get() == Turn::Idle {
            self.begins(Turn::Sends);
        }
    }

    /// Called when bytes of a body arrive.
    fn body_arrived(&self, bytes: usize) {
        let came = self.0.came.get() + bytes;
        self.0.came.set(came);
        if came >= HEADWAY && self.0.body.get() == Awaited::Rest {
            self.0.came.set(0);
            self.begins(Turn::Sends);
        }
    }

    /// Called when bytes of a response are written: the client is receiving it.
    pub(super) fn bytes_written(&self) {
        match self.0.turn.get() {
            Turn::Idle | Turn::Takes => self.begins(Turn::Takes),
            Turn::Sends if self.0.body.get() != Awaited::Rest => self.begins(Turn::Sends),
            Turn::Sends | Turn::Answers => {}
        }
    }

    /// Called when everything was written.
    pub(super) fn response_written(&self) {
        if self.0.turn.get() == Turn::Takes {
            self.begins(Turn::Idle);
        }
    }

    /// Ends a turn whose time is over; returns whether the connection is to be cut. If a handler is
    /// reading a body, the client is first told that the body took too long.
    pub(super) fn end_late_turn(&self) -> bool {
        if self.0.body.get() == Awaited::Rest {
            self.0.body.set(Awaited::TooLate);
            self.set_time(TimeLimit::always(TOLD_WITHIN));
            return false;
        }
        if self.0.turn.get() != Turn::Idle {
            self.0.connections.note_cut();
        }
        true
    }
}

/// A body with a deadline.
struct Timed {
    inner: Payload,
    turn: ClientDeadline,
}

impl Stream for Timed {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.turn.0.body.get() == Awaited::TooLate {
            let late = io::Error::from(io::ErrorKind::TimedOut);
            return Poll::Ready(Some(Err(PayloadError::Io(late))));
        }
        let read = ready!(Pin::new(&mut self.inner).poll_next(task));
        if let Some(Ok(bytes)) = &read {
            self.turn.body_arrived(bytes.len());
        } else {
            self.turn.0.body.set(Awaited::Nothing);
            self.turn.begins(Turn::Answers);
        }
        Poll::Ready(read)
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        // The handler dropped the body before its end; the rest gets time again once the response
        // is out. Bytes that are here already are read now: if they complete the body, nothing is
        // missing.
        if self.turn.0.body.get() == Awaited::Rest {
            let task = &mut Context::from_waker(Waker::noop());
            let is_whole = loop {
                match Pin::new(&mut self.inner).poll_next(task) {
                    Poll::Ready(Some(Ok(_))) => {}
                    Poll::Ready(None) => break true,
                    Poll::Ready(Some(Err(_))) | Poll::Pending => break false,
                }
            };
            self.turn.0.body.set(if is_whole { Awaited::Nothing } else { Awaited::Unread });
            self.turn.begins(Turn::Answers);
        }
    }
}

/// The middleware that tracks turns. It is the innermost one around all routes, so that its own
/// response passes through the others.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines;

/// The services of one thread, wrapped by [`Deadlines`].
#[derive(Debug)]
pub struct DeadlineService<S> {
    inner: S,
}

impl<S> Transform<S, ServiceRequest> for Deadlines
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error>,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = DeadlineService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(DeadlineService { inner }))
    }
}

impl<S> Service<ServiceRequest> for DeadlineService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error>,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = DeadlineAnswer<S::Future>;

    forward_ready!(inner);

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let turn = request.request().conn_data::<ClientDeadline>().cloned();
        if let Some(turn) = &turn {
            begin(turn, &mut request);
        }
        DeadlineAnswer { inner: self.inner.call(request), turn }
    }
}

/// Begins the turn after a head: the client's if there is a body, the server's otherwise.
fn begin(turn: &ClientDeadline, request: &mut ServiceRequest) {
    match request.take_payload() {
        Payload::None => turn.begins(Turn::Answers),
        inner @ (Payload::H1 { .. } | Payload::H2 { .. } | Payload::Stream { .. }) => {
            turn.begins(Turn::Sends);
            turn.0.body.set(Awaited::Rest);
            turn.0.came.set(0);
            let payload: BoxedPayloadStream = Box::pin(Timed { inner, turn: turn.clone() });
            request.set_payload(Payload::Stream { payload });
        }
    }
}

pin_project_lite::pin_project! {
    /// The future of a response.
    pub struct DeadlineAnswer<F> {
        #[pin]
        inner: F,
        turn: Option<ClientDeadline>,
    }
}

impl<F> Future for DeadlineAnswer<F>
where
    F: Future<Output = Result<ServiceResponse, Error>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answered = ready!(this.inner.poll(task));
        let Some(turn) = this.turn else { return Poll::Ready(answered) };
        Poll::Ready(answered.map(|answer| end(turn, answer)))
    }
}

/// Begins the turn after a response. If the body came too late, the client is told so, whatever the
/// handler made of it.
fn end(turn: &ClientDeadline, answer: ServiceResponse) -> ServiceResponse {
    let awaited = turn.0.body.replace(Awaited::Nothing);
    if awaited == Awaited::TooLate {
        turn.0.connections.note_cut();
        turn.begins(Turn::Sends);
        return answer.into_response(HttpResponse::from_error(too_slow()));
    }
    if awaited == Awaited::Unread && !may_skip_body(answer.request()) {
        turn.0.body.set(Awaited::Dropped);
    }
    match answer.response().body().size() {
        BodySize::Stream => {
            turn.begins(Turn::Answers);
            let turn = turn.clone();
            return answer.map_body(|_, body| Streamed { body, turn }.boxed());
        }
        BodySize::None | BodySize::Sized(_) if awaited == Awaited::Nothing => {
            turn.begins(Turn::Takes);
        }
        BodySize::None | BodySize::Sized(_) => turn.begins(Turn::Sends),
    }
    answer
}

/// Whether the client's network may have one more body read that nobody needs.
fn may_skip_body(request: &HttpRequest) -> bool {
    request.app_data::<Data<AppState>>().is_none_or(|app| {
        app.skipped_bodies.take(&network_of(request), app.clock.now().mono).passes
    })
}

/// The body of a response of unknown length, such as events and sockets. It is the server's turn
/// until the body ends, by rules of its own.
struct Streamed {
    body: BoxBody,
    turn: ClientDeadline,
}

impl MessageBody for Streamed {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(task)
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        if self.turn.0.turn.get() == Turn::Answers {
            self.turn.begins(Turn::Takes);
        }
    }
}

fn too_slow() -> ApiError {
    ApiError::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to come")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::connections::{
        IDLE_WITHIN, IDLE_WITHIN_IF_CROWDED, SENT_WITHIN, SENT_WITHIN_IF_CROWDED,
    };

    #[test]
    fn crowding_shortens_running_deadlines() {
        let connections = Connections::new(4, SENT_WITHIN, IDLE_WITHIN);
        let [idle, slow] = [&connections; 2].map(|of| ClientDeadline::of(of.clone()));
        slow.bytes_arrived();
        let left = || [&idle, &slow].map(|it| it.until().unwrap().left());
        let [of_idle, of_slow] = left();
        assert!(of_idle > SENT_WITHIN && of_slow > SENT_WITHIN_IF_CROWDED);
        let open = [(); 3].map(|()| connections.open(None));
        let [of_idle, of_slow] = left();
        assert!(of_idle <= IDLE_WITHIN_IF_CROWDED && of_slow <= SENT_WITHIN_IF_CROWDED);
        drop(open);
        assert!(left()[0] > SENT_WITHIN);
    }
}
