//! What a chat can be asked: who asks, what comes back, what is promised.
//!
//! The HTTP layer names the chat by the caller and somebody else, so whoever asks is one of
//! the two.

use std::convert::Infallible;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Question, Travel};
use crate::actors::paging::MessagePage;
use crate::actors::recent::Logged;
use crate::domain::chat::{Sender, WriteRefusal};
use crate::domain::ids::UserId;
use crate::domain::message::{Message, NewMessage, ShownMessage};
use crate::domain::text::SourceGuid;
use crate::domain::time::Timestamp;
use crate::index::archive::Page;

/// A chat as the two may see it: everything in it is durable.
#[derive(Debug, Clone)]
pub struct ChatView {
    /// Since when.
    pub created_at: Timestamp,
    /// How many messages paging can reach.
    pub count: u64,
    /// The newest message.
    pub last: Arc<Logged>,
    /// The number of the newest event.
    pub n: u64,
}

/// Shows the chat. Asked by `http::chats` and `http::sync`; shows what is durable, and
/// nothing while nothing was said.
#[derive(Debug)]
pub struct ViewChat;

impl Question for ViewChat {
    type Answer = Option<ChatView>;
    type Refusal = Infallible;
}

/// Tells what is known of a sender, before somebody decides whether they may write.
/// Asked by `http::direct_messages::create`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RecallSender {
    /// Who is about to write.
    pub sender: UserId,
    /// Under which guid.
    pub guid: SourceGuid,
}

/// What a chat knows of a sender.
#[derive(Debug, Serialize, Deserialize)]
pub struct Recalled {
    /// The message that they stored under the guid less than a minute ago; it is on disk.
    pub repeated: Option<Arc<Message>>,
    /// Whether anything was ever said in the chat.
    pub has_begun: bool,
}

impl Question for RecallSender {
    type Answer = Recalled;
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("RecallSender"));
}

/// Adds one message to the log. Asked by `http::direct_messages::create`, after both
/// users were asked; answers with the stored message, which is on disk by then. A repeat
/// within a minute is answered with the message that is stored already.
#[derive(Debug, Serialize, Deserialize)]
pub struct WriteMessage {
    /// Who writes.
    pub sender: Sender,
    /// What.
    pub message: NewMessage,
}

impl Question for WriteMessage {
    type Answer = ShownMessage;
    type Refusal = WriteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::posting("WriteMessage"));
}

/// Lists messages. Asked by `http::direct_messages::list` and `http::sync`; shows every
/// message that was answered or heard of before, and none that is not durable.
#[derive(Debug)]
pub struct ListDirect {
    /// Which ones.
    pub page: Page,
    /// How many at most.
    pub limit: usize,
}

impl Question for ListDirect {
    type Answer = MessagePage;
    type Refusal = Infallible;
}
