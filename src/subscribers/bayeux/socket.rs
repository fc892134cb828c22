//! Bayeux over a WebSocket: a text of the client is an array of messages, one of the server an array
//! of one message. Messages with data come before replies. Several clients may share one
//! socket; each session sends through the socket's queue.

use std::sync::atomic::{AtomicU64, Ordering};

use bytestring::ByteString;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::bayeux::connection::{SocketCommand, SocketHandle};
use crate::bayeux::sessions::MessageSource;
use crate::bayeux::{BayeuxContext, TEXT_BYTES, exchange, message};
use crate::close::Close;
use crate::websocket::{ClientSocket, Subprotocol};
use auth::throttle::{Bucket, Rate};
use domain::client_network::ClientNetwork;

/// The protocol on these sockets.
pub const SUBPROTOCOL: Subprotocol =
    Subprotocol { names: &[], text_bytes: TEXT_BYTES, frames: TEXTS };

/// The rate of texts that a client may send on one socket.
const TEXTS: Rate = Rate { per_second: 100.0, burst: 1000.0 };
/// Texts of sessions that may wait for one socket.
const WAITING: usize = 8;

static SOCKETS: AtomicU64 = AtomicU64::new(1);

/// The event that wakes a socket.
enum Woken {
    Heard(ByteString),
    Said(Option<SocketCommand>),
    Nap,
}

/// Runs the protocol over a socket until it must be closed. Returns why.
pub async fn run(
    wire: ClientSocket,
    context: BayeuxContext,
    address: Option<ClientNetwork>,
) -> Close {
    let (to, mut said) = mpsc::channel(WAITING);
    let socket = SocketHandle { number: SOCKETS.fetch_add(1, Ordering::Relaxed), to };
    let mut pace = Bucket::full(TEXTS, context.shared.clock.now().mono);
    let silence = context.shared.timeouts.silence;
    let mut nap = Box::pin(sleep(silence));
    loop {
        let woken = tokio::select! {
            biased;
            said = said.recv() => Woken::Said(said),
            text = wire.receive() => Woken::Heard(text),
            () = &mut nap => Woken::Nap,
        };
        match woken {
            Woken::Said(Some(SocketCommand::Texts(texts))) => {
                texts.into_iter().for_each(|text| wire.send(text));
            }
            Woken::Said(Some(SocketCommand::Close(close))) => return close,
            Woken::Heard(text) => {
                if !pace.take(TEXTS, context.shared.clock.now().mono).passes {
                    return Close::RATE;
                }
                let mut replies = answer(&context, address, &text, &socket).await;
                replies.sort_by_key(|reply| reply.get("data").is_none());
                message::texts(replies).into_iter().for_each(|text| wire.send(text));
            }
            // No session uses the socket.
            Woken::Nap if socket.to.strong_count() == 1 => return Close::SILENT,
            Woken::Nap => nap = Box::pin(sleep(silence)),
            Woken::Said(None) => return Close::GONE,
        }
    }
}

async fn answer(
    context: &BayeuxContext,
    address: Option<ClientNetwork>,
    text: &str,
    socket: &SocketHandle,
) -> Vec<serde_json::Value> {
    match message::read(text.as_bytes()) {
        Ok(messages) => {
            exchange::answer(context, address, messages, &MessageSource::Socket(socket.clone()))
                .await
        }
        Err(reply) => vec![reply],
    }
}
