//! The source of new ids, as the rules see it.
//!
//! Ids become part of events, so that applying an event again gives the same result.

use crate::event::Fact;
use crate::ids::{AddId, BotId, GroupId, MembershipId, MessageId, StreamId, TokenId, UserId};
use crate::time::Timestamp;

/// Generates ids that were never used before in this installation, even after a restart.
pub trait IdGenerator: Send + Sync {
    /// A message id larger than all before, whose second is not earlier than `at`.
    fn message(&self, at: Timestamp) -> MessageId;
    /// A user id. Counts up, from eight digits on.
    fn user(&self) -> UserId;
    /// A group id. Counts up, from eight digits on.
    fn group(&self) -> GroupId;
    /// A membership id. Counts up, from thirteen digits on.
    fn membership(&self) -> MembershipId;
    /// A token id. Counts up.
    fn token(&self) -> TokenId;
    /// The id of an add request. Cannot be guessed.
    fn add(&self) -> AddId;
    /// A bot id: 26 letters and digits. Cannot be guessed.
    fn bot(&self) -> BotId;
    /// The token of a share URL: letters and digits. Cannot be guessed.
    fn share_token(&self) -> String;
    /// Notes the ids in a fact that another node decided, so that this generator does not give them
    /// out again.
    fn heard_of(&self, _stream: StreamId, _fact: &Fact) {}
}
