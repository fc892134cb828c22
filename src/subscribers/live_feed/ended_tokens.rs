//! Closes the readers of tokens that have ended, at once.

use crate::domain::event::Fact;
use crate::domain::ids::{StreamId, TokenId, UserId};
use crate::domain::user::UserFact;
use crate::journal::Committed;
use crate::subscribers::closing::Close;
use crate::subscribers::live_feed::{Listener, LiveFeed};

impl LiveFeed {
    /// Closes the readers whose token a fact ends. Applications end rarely, so their readers are
    /// searched for, not listed.
    pub(super) fn end_revoked(&self, commit: &Committed, fact: &Fact) {
        let (Fact::User(fact), StreamId::User(user)) = (fact, commit.stream) else { return };
        match fact {
            UserFact::TokenRevoked { id, .. } => self.end(user, |token| token == *id),
            UserFact::TokensRevoked { tokens } => {
                self.end(user, |token| tokens.iter().any(|dead| dead.id == token));
            }
            UserFact::ApplicationsRemoved { clients } => {
                let was_given = |it: &&Listener| it.client.is_some_and(|it| clients.contains(&it));
                let listeners = self.listeners.values().flatten().filter(was_given);
                listeners.for_each(|listener| listener.slot.close(Close::TOKEN));
            }
            UserFact::Registered { .. }
            | UserFact::ProfileChanged { .. }
            | UserFact::TokenIssued(_)
            | UserFact::SmsModeOn(_)
            | UserFact::SmsModeOff
            | UserFact::Blocked { .. }
            | UserFact::Unblocked { .. }
            | UserFact::TokenUsed { .. }
            | UserFact::PasswordChanged { .. }
            | UserFact::ApplicationRegistered(_)
            | UserFact::DeviceAdded(_)
            | UserFact::DeviceRemoved { .. }
            | UserFact::ReadUpTo(_)
            | UserFact::Drafted { .. }
            | UserFact::LevelSet { .. }
            | UserFact::ChatMuted { .. }
            | UserFact::AllMuted { .. }
            | UserFact::Deleted
            | UserFact::Disabled
            | UserFact::Enabled
            | UserFact::PictureNamed { .. }
            | UserFact::Mailed(_)
            | UserFact::ConversationsPinned { .. } => {}
        }
    }

    /// Closes the readers of a user whose token has ended.
    fn end(&self, user: UserId, has_ended: impl Fn(TokenId) -> bool) {
        for listener in self.listeners.get(&user).into_iter().flatten() {
            if has_ended(listener.token) {
                listener.slot.close(Close::TOKEN);
            }
        }
    }
}
