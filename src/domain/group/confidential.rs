//! Confidential events: what those hear who decide about people, and those whom it concerns.
//!
//! Other members must not see from a missing number that there was such an event, so none of them has
//! a number in the group.

use crate::audience::Audience;
use crate::group::{Group, GroupAct, GroupFact, Moderation, Role};
use crate::ids::UserId;

impl GroupFact {
    /// Whether only some members hear of it.
    pub const fn is_confidential(&self) -> bool {
        matches!(self, Self::JoinRequested(_) | Self::RequestSettled { .. } | Self::Moderated(_))
    }

    /// The users who hear of a confidential fact although they may be plain members, and those whose
    /// role decides who else does.
    pub fn concerned(&self) -> Vec<UserId> {
        let Self::Moderated(moderation) = self else {
            let Self::JoinRequested(request) = self else { return Vec::new() };
            return request.inviter().into_iter().collect();
        };
        let mut users: Vec<UserId> = moderation.user().into_iter().collect();
        if let Moderation::Resolved(resolved) = &**moderation {
            users.extend(&resolved.reporters);
        } else if let Moderation::InviteLink(change) = &**moderation {
            users.push(change.maker());
        }
        users
    }
}

impl Group {
    /// Whether a member hears of a confidential fact: who decides such things, a member who is timed
    /// out, members whose report was resolved, the author of a held message, and who invited somebody
    /// or made the link. Nobody else hears of it.
    pub fn confides(&self, user: UserId, fact: &GroupFact) -> bool {
        if self.member(user).is_none() {
            return false;
        }
        if let GroupFact::Moderated(moderation) = fact {
            return self.is_told_of(user, moderation);
        }
        if let GroupFact::JoinRequested(request) = fact {
            return self.may_decide(user, request);
        }
        matches!(fact, GroupFact::RequestSettled { .. }) && self.may(user, GroupAct::DecideRequests)
    }

    /// The members who hear of a confidential fact.
    pub(super) fn confidants(&self, fact: &GroupFact) -> Audience {
        let admins = self.members.values().filter(|member| member.role != Role::Member);
        let users = admins.map(|member| member.user_id).chain(fact.concerned());
        Audience::of(users.filter(|user| self.confides(*user, fact)))
    }

    fn may(&self, user: UserId, act: GroupAct) -> bool {
        self.member(user).is_some_and(|member| self.grants(member, act))
    }

    fn is_told_of(&self, user: UserId, moderation: &Moderation) -> bool {
        match moderation {
            Moderation::Banned(_) | Moderation::Unbanned { .. } => self.may(user, GroupAct::Ban),
            Moderation::TimedOut(_) | Moderation::TimeoutEnded { .. } => {
                moderation.user() == Some(user) || self.may(user, GroupAct::TimeOut)
            }
            Moderation::RuleSaved { .. }
            | Moderation::RuleDeleted { .. }
            | Moderation::RuleRefused(_) => self.may(user, GroupAct::ManageRules),
            Moderation::InviteLink(change) => {
                change.maker() == user || self.may(user, GroupAct::ManageInvites)
            }
            Moderation::Appealed(_) | Moderation::AppealSettled(_) => {
                self.resolves_about(user, moderation.user())
            }
            Moderation::Held(_) | Moderation::HeldSettled(_) => {
                let author = moderation.user();
                author == Some(user) || self.resolves_about(user, author)
            }
            Moderation::Reported(reported) => self.resolves_about(user, reported.about),
            Moderation::Resolved(resolved) => {
                resolved.reporters.contains(&user) || self.resolves_about(user, resolved.about)
            }
        }
    }
}
