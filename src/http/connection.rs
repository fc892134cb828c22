//! One connection that carries requests and responses. It closes when its client lets its turn
//! run out (see `deadlines.rs`).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::http::client_stream::ClientStream;
use crate::http::connections::{Connections, OpenConnection};
use crate::http::deadlines::ClientDeadline;
use base::clock::Deadline;

/// How often a connection checks whether most places are taken by now.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A connection whose turns have deadlines.
#[derive(Debug)]
pub struct Connection {
    stream: ClientStream,
    turn: ClientDeadline,
    /// Wakes the task when the turn may be over; with the time for which it was set.
    alarm: Option<(Pin<Box<Sleep>>, Deadline)>,
    open: OpenConnection,
}

impl Connection {
    /// Wraps a connection over which nothing of a request has come yet, and which has this place.
    pub fn new(stream: ClientStream, connections: Connections, open: OpenConnection) -> Self {
        Self { stream, turn: ClientDeadline::of(connections), alarm: None, open }
    }

    /// Gives the connection's deadlines to the code that answers requests on it.
    pub fn tell(&self, kept: &mut actix_http::Extensions) {
        kept.insert(self.turn.clone());
    }

    /// Whether the turn's time is over and the connection is to be closed.
    fn is_over(&mut self, task: &mut Context<'_>) -> bool {
        while let Some(until) = self.turn.until() {
            // An alarm that is set for earlier than the end of the turn stays; the end is computed
            // again when it rings.
            let alarm = match self.alarm.take().filter(|(_, set)| *set <= until) {
                Some(alarm) => alarm,
                None => {
                    let next = until.min(Deadline::after(LOOK_EVERY));
                    (Box::pin(sleep(next.left())), next)
                }
            };
            let (alarm, _) = self.alarm.insert(alarm);
            if alarm.as_mut().poll(task).is_pending() {
                return false;
            }
            self.alarm = None;
            if until.left().is_zero() && self.turn.end_late_turn() {
                return true;
            }
        }
        false
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // A read without bytes is the end of the input.
        if self.open.is_turned_away || self.turn.is_done_reading() {
            return Poll::Ready(Ok(()));
        }
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(task, into);
        if into.filled().len() > before {
            self.turn.bytes_arrived();
        } else if read.is_ready() {
            self.turn.connection_closed();
        }
        if read.is_pending() && self.is_over(task) { Poll::Ready(Ok(())) } else { read }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(task, bytes);
        if written.is_ready() {
            self.turn.bytes_written();
        }
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(task, parts);
        if written.is_ready() {
            self.turn.bytes_written();
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        // actix flushes when nothing more waits to be written; TLS may still hold some of it.
        let flushed = Pin::new(&mut self.stream).poll_flush(task);
        if flushed.is_ready() {
            self.turn.response_written();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.turn.connection_closed();
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.turn.connection_closed();
    }
}
