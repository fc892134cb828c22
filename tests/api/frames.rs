//! WebSocket frames without content: pings, pongs and empty fragments count towards the limit of
//! frames like texts, in either protocol.

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::world::World;

/// An empty fragment of a message that is not finished.
fn part(kind: Data) -> Message {
    Message::Frame(Frame::message(Vec::new(), OpCode::Data(kind), false))
}

/// The code with which the server closes the socket after these frames.
async fn closed_after(world: &World, path: &str, frames: Vec<Message>) -> u16 {
    let url = format!("ws://{}{path}", world.address.get());
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    for frame in frames {
        socket.feed(frame).await.unwrap();
    }
    socket.flush().await.unwrap();
    loop {
        if let Message::Close(reason) = socket.next().await.unwrap().unwrap() {
            return reason.unwrap().code.into();
        }
    }
}

#[tokio::test]
async fn pings_and_empty_parts_are_counted() {
    let world = World::start().await;
    for (path, most) in [("/v3/push", 1000), ("/faye", 1000)] {
        let pings = vec![Message::Ping(Vec::new().into()); most + 1];
        assert_eq!(closed_after(&world, path, pings).await, 4004, "{path}");
        let pongs = vec![Message::Pong(Vec::new().into()); most + 1];
        assert_eq!(closed_after(&world, path, pongs).await, 4004, "{path}");
        let mut parts = vec![part(Data::Text)];
        parts.extend((0..most).map(|_| part(Data::Continue)));
        assert_eq!(closed_after(&world, path, parts).await, 4004, "{path}");
    }
}
