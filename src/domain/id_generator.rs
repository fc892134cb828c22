//! Where fresh ids come from, as the rules see it.
//!
//! Ids end up inside events, so that applying an event again gives the same answer.

use crate::domain::event::Fact;
use crate::domain::ids::{
    AddId, BotId, GroupId, MembershipId, MessageId, StreamId, TokenId, UserId,
};
use crate::domain::time::Timestamp;

/// Hands out ids that nobody had before, in this installation and over restarts.
pub trait IdGenerator: Send + Sync {
    /// Larger than every message id before, and not earlier than `at`.
    fn message(&self, at: Timestamp) -> MessageId;
    /// Counts up from eight digits.
    fn user(&self) -> UserId;
    /// Counts up from eight digits.
    fn group(&self) -> GroupId;
    /// Counts up from eight digits.
    fn membership(&self) -> MembershipId;
    /// Counts up.
    fn token(&self) -> TokenId;
    /// Unguessable.
    fn add(&self) -> AddId;
    /// Unguessable: 26 letters and digits.
    fn bot(&self) -> BotId;
    /// Unguessable letters for a share URL.
    fn share_token(&self) -> String;
    /// Gives out nothing any more that somebody else gave out, as these facts show.
    fn heard_of(&self, _stream: StreamId, _fact: &Fact) {}
}
