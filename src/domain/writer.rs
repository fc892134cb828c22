//! The writer of a fact, against whose limits its bytes count.

use crate::calendar::CalendarChange;
use crate::chat::ChatFact;
use crate::event::Fact;
use crate::group::GroupFact;
use crate::ids::StreamId;
use crate::message::Author;
use crate::polls::PollChange;
use crate::revision::{Revision, RevisionKind};
use crate::user::UserFact;

impl Fact {
    /// The user or bot who caused the fact, in the stream that holds it. `None` for facts of the
    /// server, and for those that end something: they are as rare as what they end, and users may
    /// leave, delete and log out at any time.
    pub fn writer(&self, stream: StreamId) -> Option<Author> {
        match (self, stream) {
            (Self::Group(fact), _) => of_group(fact),
            (Self::Chat(fact), _) => of_chat(fact),
            (Self::User(fact), StreamId::User(user)) => {
                is_written(fact).then_some(Author::Member(user))
            }
            (
                Self::User(_)
                | Self::Answered(_)
                | Self::AlarmSettled(_)
                | Self::Callback(_)
                | Self::Audit(_)
                | Self::Instance(_)
                | Self::Name(_),
                _,
            ) => None,
        }
    }
}

fn of_group(fact: &GroupFact) -> Option<Author> {
    let user = match fact {
        GroupFact::Posted(message) => return counted(&message.author),
        GroupFact::Revised(revision) => return of_revision(revision),
        GroupFact::Planned(change) => return of_event(change),
        GroupFact::Polled(change) => return of_poll(change),
        GroupFact::Created { owner, .. } => owner.user_id,
        GroupFact::MembersJoined { members, by } => {
            // A request to add people was counted before they were looked up.
            members.iter().any(|member| member.user_id == *by).then_some(*by)?
        }
        GroupFact::MemberChanged { by, .. } | GroupFact::SettingsChanged { by, .. } => *by,
        GroupFact::AddRequested(request) => request.by,
        // The others were counted when a member added or invited the user.
        GroupFact::JoinRequested(request) => request.is_own().then_some(request.user.id)?,
        GroupFact::Moderated(moderation) => return counted(&moderation.writer()),
        GroupFact::Liked(change) | GroupFact::Unliked(change) => change.by,
        GroupFact::Topic(change) => change.by(),
        GroupFact::BotAdded(bot) | GroupFact::BotChanged(bot) => bot.creator,
        GroupFact::MemberLeft { .. }
        | GroupFact::OwnerChanged { .. }
        | GroupFact::Disbanded { .. }
        | GroupFact::AddSettled { .. }
        | GroupFact::BotRemoved(_)
        | GroupFact::Invited { .. }
        | GroupFact::InvitesSettled { .. }
        | GroupFact::RequestSettled { .. } => return None,
    };
    Some(Author::Member(user))
}

fn of_chat(fact: &ChatFact) -> Option<Author> {
    match fact {
        ChatFact::Posted(message) => counted(&message.author),
        ChatFact::Liked(change) | ChatFact::Unliked(change) => Some(Author::Member(change.by)),
        ChatFact::Revised(revision) => of_revision(revision),
        ChatFact::Planned(change) => of_event(change),
    }
}

fn counted(author: &Author) -> Option<Author> {
    (*author != Author::System).then(|| author.clone())
}

fn of_revision(revision: &Revision) -> Option<Author> {
    match revision.kind {
        RevisionKind::Edited { .. } | RevisionKind::Pinned | RevisionKind::Unpinned => {
            counted(&revision.by)
        }
        RevisionKind::Deleted { .. } | RevisionKind::Previewed { .. } => None,
    }
}

fn of_poll(change: &PollChange) -> Option<Author> {
    match change {
        PollChange::Made(made) => Some(Author::Member(made.owner)),
        PollChange::Voted { by, .. } => Some(Author::Member(*by)),
        PollChange::Ended { .. } => None,
    }
}

fn of_event(change: &CalendarChange) -> Option<Author> {
    match change {
        CalendarChange::Made(made) => Some(Author::Member(made.creator)),
        CalendarChange::Changed { by, .. } | CalendarChange::Answered { by, .. } => {
            Some(Author::Member(*by))
        }
        CalendarChange::Cancelled { .. } | CalendarChange::Reminded { .. } => None,
    }
}

/// Whether the user wrote the fact, and could write any number of them.
fn is_written(fact: &UserFact) -> bool {
    match fact {
        UserFact::ProfileChanged { .. }
        | UserFact::SmsModeOn(_)
        | UserFact::Blocked { .. }
        | UserFact::DeviceAdded(_)
        | UserFact::ReadUpTo(_)
        | UserFact::ApplicationRegistered(_)
        | UserFact::PictureNamed { .. }
        | UserFact::ConversationsPinned { .. }
        | UserFact::ListArranged { .. }
        | UserFact::MessageSaved(_)
        | UserFact::MessageUnsaved { .. }
        | UserFact::Drafted { .. }
        | UserFact::LevelSet { .. }
        | UserFact::ChatMuted { .. }
        | UserFact::TopicMuted { .. }
        | UserFact::AllMuted { .. }
        | UserFact::DmFromChosen { .. } => true,
        UserFact::Registered { .. }
        | UserFact::Waits(_)
        | UserFact::Admitted
        | UserFact::TokenIssued(_)
        | UserFact::TokenRevoked { .. }
        | UserFact::TokensRevoked { .. }
        | UserFact::TokenUsed { .. }
        | UserFact::PasswordChanged { .. }
        | UserFact::SmsModeOff
        | UserFact::Unblocked { .. }
        | UserFact::DeviceRemoved { .. }
        | UserFact::ApplicationsRemoved { .. }
        | UserFact::Deleted
        | UserFact::Disabled
        | UserFact::Enabled
        | UserFact::Factored(_)
        | UserFact::Identified(_)
        | UserFact::Provisioned(_)
        | UserFact::OperatorRoleSet { .. }
        | UserFact::Mailed(_)
        | UserFact::RequestChanged { .. }
        | UserFact::ReportResolved { .. } => false,
    }
}
