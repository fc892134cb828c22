//! Work that rooms answered without changing anything, so that it does not wake them at each pass.

use std::collections::HashMap;

use crate::domain::ids::{GroupId, StreamId, UserId};
use crate::index::due::{OrphanBot, UserInGroup};

/// Something that follows for a group from a change of an account, or from a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum DueWork {
    /// The group shows what the account is now.
    Fit(UserInGroup),
    /// A bot of an application that ended is removed.
    RemoveBot(OrphanBot),
    /// Requests to add people are settled.
    SettleAdds(GroupId),
}

impl DueWork {
    const fn group(&self) -> GroupId {
        match self {
            Self::Fit((_, group)) | Self::RemoveBot((_, group, _)) | Self::SettleAdds(group) => {
                *group
            }
        }
    }

    fn is_of(&self, user: UserId) -> bool {
        match self {
            Self::Fit((it, _)) | Self::RemoveBot((it, ..)) => *it == user,
            Self::SettleAdds(_) => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// A room works on it.
    UnderWay,
    /// A room answered, and nothing happened to the user or the group meanwhile.
    Answered,
}

/// The work under way, and that which a room answered since anything happened to its user or group.
#[derive(Debug, Default)]
pub(super) struct AnsweredWork(HashMap<DueWork, Standing>);

impl AnsweredWork {
    /// Whether a room answered the work, so that it is left alone.
    pub(super) fn has(&self, work: &DueWork) -> bool {
        self.0.get(work) == Some(&Standing::Answered)
    }

    /// Notes that a room is asked; returns whether it should be.
    pub(super) fn begin(&mut self, work: &DueWork) -> bool {
        let is_open = !self.has(work);
        if is_open {
            self.0.insert(work.clone(), Standing::UnderWay);
        }
        is_open
    }

    /// Notes that the room answered, or failed to. Its answer stands unless something happened to
    /// the user or the group meanwhile, which may be what the room did.
    pub(super) fn end(&mut self, work: &DueWork, is_answered: bool) {
        if !is_answered {
            self.0.remove(work);
        } else if let Some(standing) = self.0.get_mut(work) {
            *standing = Standing::Answered;
        }
    }

    /// Forgets the answers that a commit of this stream may change.
    pub(super) fn reconsider(&mut self, stream: StreamId) {
        match stream {
            StreamId::User(user) => self.0.retain(|work, _| !work.is_of(user)),
            StreamId::Group(group) => self.0.retain(|work, _| work.group() != group),
            StreamId::Chat(_) | StreamId::Callbacks | StreamId::Audit | StreamId::Name(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: UserId = UserId::new(7);
    const GROUP: GroupId = GroupId::new(3);

    #[test]
    fn answer_is_cached_until_user_or_group_changes() {
        for stream in [StreamId::User(USER), StreamId::Group(GROUP)] {
            let (mut answered, work) = (AnsweredWork::default(), DueWork::Fit((USER, GROUP)));
            assert!(answered.begin(&work));
            answered.end(&work, true);
            assert!(!answered.begin(&work), "the room is left alone");
            answered.reconsider(StreamId::User(UserId::new(8)));
            answered.reconsider(StreamId::Group(GroupId::new(4)));
            assert!(answered.has(&work));
            answered.reconsider(stream);
            assert!(answered.begin(&work));
        }
    }

    #[test]
    fn answer_to_an_older_state_does_not_stand() {
        let (mut answered, work) = (AnsweredWork::default(), DueWork::SettleAdds(GROUP));
        assert!(answered.begin(&work));
        answered.reconsider(StreamId::Group(GROUP));
        answered.end(&work, true);
        assert!(answered.begin(&work));
        answered.end(&work, false);
        assert!(answered.begin(&work), "a failure is no answer");
    }
}
