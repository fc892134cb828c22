//! The questions to a chat: who sends them, what the answer is, and what it promises.
//!
//! The HTTP layer names a chat by the caller and the other user, so every caller is one of the two.

use std::convert::Infallible;
use std::sync::Arc;

use crate::ask::Question;
use crate::conversation::MessagePage;
use crate::recent::LoadedMessage;
use domain::chat::{Sender, WriteRefusal};
use domain::ids::UserId;
use domain::message::{Message, NewMessage, ShownMessage};
use domain::message_requests::Reception;
use domain::text::SourceGuid;
use domain::time::Timestamp;
use index::archive::Page;

/// A chat as its two users may see it. Everything in it is durable.
#[derive(Debug, Clone)]
pub struct ChatView {
    /// When the first message was sent.
    pub created_at: Timestamp,
    /// How many messages paging can reach.
    pub count: u64,
    /// The newest message.
    pub last: Arc<LoadedMessage>,
    /// The number of the newest event (`n`).
    pub n: u64,
}

/// Shows what is durable; `None` until a message was sent. Sent by `Directory::chats`.
#[derive(Debug)]
pub struct ViewChat;

impl Question for ViewChat {
    type Answer = Option<ChatView>;
    type Refusal = Infallible;
}

/// Returns what the chat knows of a sender, before it is decided whether they may write. Sent by
/// `http::direct_messages` and `http::calendar`.
#[derive(Debug)]
pub struct RecallSender {
    /// The user who is about to write.
    pub sender: UserId,
    /// The guid of the message to be written.
    pub guid: SourceGuid,
}

/// A chat's view of a sender.
#[derive(Debug)]
pub struct Recalled {
    /// The message that the sender stored under the guid less than a minute ago; it is on disk.
    pub repeated: Option<Arc<Message>>,
    /// Whether a message was ever sent in the chat.
    pub has_begun: bool,
}

impl Question for RecallSender {
    type Answer = Recalled;
    type Refusal = Infallible;
    const DECIDES: bool = true;
}

/// Adds a message to the log. Sent by `http::direct_messages::create` after the rooms of both users
/// were asked, and by `subscribers::callbacks`; answered with the stored message once it is on
/// disk. A repeat within a minute is answered with the message that is stored already.
#[derive(Debug)]
pub struct WriteMessage {
    /// The user who writes.
    pub sender: Sender,
    /// How the recipient receives it.
    pub reception: Reception,
    /// The message as requested.
    pub message: NewMessage,
}

impl Question for WriteMessage {
    type Answer = ShownMessage;
    type Refusal = WriteRefusal;
    const DECIDES: bool = true;
}

/// Lists messages. Sent by `http::direct_messages::list`; shows every message that was answered or
/// delivered before, and none that is not durable.
#[derive(Debug)]
pub struct ListDirect {
    /// The page of messages.
    pub page: Page,
    /// Most messages to list.
    pub limit: usize,
}

impl Question for ListDirect {
    type Answer = MessagePage;
    type Refusal = Infallible;
}
