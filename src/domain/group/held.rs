//! Held messages: posts that a rule keeps back until the owner or an admin approves them.
//!
//! Nobody but the author and those who decide sees a held message. An approved one is posted by its
//! author, at the time of the approval. One that nobody decides about ends after a week.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::alarm::AlarmAnswer;
use crate::event::{Decision, Fact};
use crate::group::{BrokenRule, Denied, Group, GroupAct, GroupFact, Moderation, NamedRule};
use crate::id_generator::IdGenerator;
use crate::ids::{HeldId, UserId};
use crate::limits::HELD_MILLIS;
use crate::message::{Author, Message};
use crate::operators::rules::OperatorRules;
use crate::text::ModerationReason;
use crate::time::{Moment, Timestamp};

/// A post that waits for approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldMessage {
    /// The rule that holds it.
    pub rule: NamedRule,
    /// The user who wrote it, or who made the bot that did.
    pub user: UserId,
    /// The message as it would have been posted. Its id is that of the held message.
    pub message: Arc<Message>,
    /// Since when it waits.
    pub at: Timestamp,
}

impl HeldMessage {
    /// The id.
    pub fn id(&self) -> HeldId {
        HeldId::new(self.message.id.get())
    }

    /// When it ends if nobody decides.
    pub fn ends_at(&self) -> Timestamp {
        self.at.plus_millis(HELD_MILLIS)
    }
}

/// The end of a held message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldSettled {
    /// The held message.
    pub id: HeldId,
    /// The user who wrote it, or who made the bot that did.
    pub user: UserId,
    /// The owner or admin who decided; `None` if it ended by itself.
    pub by: Option<UserId>,
    /// Whether it was posted.
    pub is_approved: bool,
    /// A note for the author.
    pub note: Option<ModerationReason>,
    /// Since when it waited.
    pub since: Timestamp,
}

impl HeldSettled {
    /// The state of the message after it.
    pub const fn state(&self) -> HeldState {
        match (self.is_approved, self.by) {
            (true, _) => HeldState::Approved,
            (false, Some(_)) => HeldState::Denied,
            (false, None) => HeldState::Expired,
        }
    }
}

/// The state of a held message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldState {
    /// It waits.
    Waiting,
    /// It was posted.
    Approved,
    /// It was not posted.
    Denied,
    /// Nobody decided in time.
    Expired,
}

impl HeldState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Approved, Self::Denied, Self::Expired];

    /// The name of the act in the audit log of the server.
    pub const fn audit_act(self) -> &'static str {
        match self {
            Self::Waiting => "message_held",
            Self::Approved => "held_approved",
            Self::Denied => "held_denied",
            Self::Expired => "held_expired",
        }
    }

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }
}

/// The held messages of a group.
pub type HeldMessages = BTreeMap<HeldId, Arc<HeldMessage>>;

/// What a member decides about a held message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldVerdict {
    /// Whether it is posted.
    pub is_approved: bool,
    /// A note for the author.
    pub note: Option<ModerationReason>,
}

/// Why held messages were not shown, or none was decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum HeldRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// There is no such held message, or it is not the caller's to decide about.
    #[error("there is no such held message; somebody may have decided about it")]
    NoHeld,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The author is no member any more, or may not post now.
    #[error("the author of the message may not post in this group now")]
    AuthorMayNot,
    /// A rule of the operators refuses it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
}

impl Group {
    /// The held messages that a reader sees: all that they decide about, and their own.
    ///
    /// # Errors
    /// If the reader is no member.
    pub fn held_for(
        &self,
        reader: UserId,
        now: Timestamp,
    ) -> Result<Vec<Arc<HeldMessage>>, HeldRefusal> {
        let member = self.member(reader).ok_or(HeldRefusal::NotAMember)?;
        self.permit(member, GroupAct::Read, now)?;
        let is_seen = |held: &&Arc<HeldMessage>| {
            held.user == reader || self.resolves_about(reader, Some(held.user))
        };
        Ok(self.held.values().rev().filter(is_seen).cloned().collect())
    }

    /// The held message that an author sent under a guid.
    pub(super) fn held_under(&self, author: &Author, guid: &str) -> Option<&HeldMessage> {
        let mut held = self.held.values();
        held.find(|it| it.message.author == *author && it.message.source_guid == guid)
            .map(|it| &**it)
    }

    /// Posts a held message by its author, or drops it. `rules` are those of the operators.
    ///
    /// # Errors
    /// If the caller may not decide about it, the author may not post now, or a rule of the operators
    /// refuses it.
    pub fn settle_held(
        &self,
        by: UserId,
        id: HeldId,
        verdict: HeldVerdict,
        rules: Option<&OperatorRules>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, HeldRefusal> {
        let decider = self.member(by).ok_or(HeldRefusal::NotAMember)?;
        self.permit(decider, GroupAct::DecideReports, now.wall)?;
        let held = self.held.get(&id);
        let held = held.filter(|held| self.resolves_about(by, Some(held.user)));
        let held = held.ok_or(HeldRefusal::NoHeld)?;
        let mut facts = Vec::new();
        if verdict.is_approved {
            let act = match held.message.author.is_bot() {
                true => GroupAct::PostAsBot,
                false => GroupAct::Post,
            };
            let author = self.member(held.user).ok_or(HeldRefusal::AuthorMayNot)?;
            self.permit(author, act, now.wall).map_err(|_| HeldRefusal::AuthorMayNot)?;
            let refused =
                rules.and_then(|it| self.refused_by_operators(&held.message, author, it, now.wall));
            if let Some(broken) = refused {
                return Err(broken.into());
            }
            let id = id_generator.message(now.wall);
            let message = Message {
                id,
                count: self.count + 1,
                written_at: Message::written_at(id, now.wall),
                ..Message::clone(&held.message)
            };
            facts.push(Fact::Group(GroupFact::Posted(message.into())));
        }
        let settled = HeldSettled {
            id,
            user: held.user,
            by: Some(by),
            is_approved: verdict.is_approved,
            note: verdict.note,
            since: held.at,
        };
        facts.push(Fact::Group(GroupFact::Moderated(Moderation::HeldSettled(settled).into())));
        Ok(Decision { facts, answer: () })
    }

    /// Ends a held message about which nobody decided in time.
    pub(super) fn expire_held(&self, id: HeldId, now: Timestamp) -> AlarmAnswer<Vec<Fact>> {
        let expired = self.held.get(&id).map(|held| {
            let settled = HeldSettled {
                id,
                user: held.user,
                by: None,
                is_approved: false,
                note: None,
                since: held.at,
            };
            let fact = GroupFact::Moderated(Moderation::HeldSettled(settled).into());
            (held.ends_at(), vec![Fact::Group(fact)])
        });
        AlarmAnswer::due(expired, now)
    }
}
