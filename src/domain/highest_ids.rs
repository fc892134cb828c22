//! The highest ids that were given out. The index keeps them for the next start, and a node that does not
//! lead for the moment at which it will.

use serde::{Deserialize, Serialize};

use crate::event::Fact;
use crate::group::GroupFact;
use crate::ids::{GroupId, StreamId};
use crate::instance::InstanceFact;
use crate::operators::invitations::InvitationChange;
use crate::user::UserFact;

/// The highest ids in the journal; new ids are higher.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HighestIds {
    /// The highest id of users, and of bots by their public number.
    pub user: u64,
    /// The highest id of groups and topics.
    pub group: u64,
    /// The highest id of memberships, and of requests for one.
    pub membership: u64,
    /// The highest id of messages, reports, rules, appeals, invite links and invitations.
    pub message: u64,
    /// The highest id of tokens.
    pub token: u64,
}

impl HighestIds {
    /// Notes the ids that this fact of a stream gave out.
    pub fn note(&mut self, stream: StreamId, fact: &Fact) {
        if let Some(message) = fact.message() {
            raise(&mut self.message, message.id.get());
        } else if let (Some(fact), StreamId::Group(group)) = (fact.group(), stream) {
            self.note_of_group(group, fact);
        } else if let Fact::Instance(InstanceFact::Reported(filed)) = fact {
            raise(&mut self.message, filed.report.get());
        } else if let Fact::Instance(InstanceFact::RuleSaved(rule)) = fact {
            raise(&mut self.message, rule.id.get());
        } else if let Fact::Instance(InstanceFact::InvitationChanged(InvitationChange::Made(
            made,
        ))) = fact
        {
            raise(&mut self.message, made.id.get());
        } else if let (Some(fact), StreamId::User(user)) = (fact.user(), stream) {
            if matches!(fact, UserFact::Registered { .. }) {
                raise(&mut self.user, user.get());
            }
            if let UserFact::TokenIssued(token) = fact {
                raise(&mut self.token, token.id.get());
            }
        }
    }

    fn note_of_group(&mut self, group: GroupId, fact: &GroupFact) {
        if let GroupFact::Created { owner, .. } = fact {
            raise(&mut self.group, group.get());
            raise(&mut self.membership, owner.membership_id.get());
        }
        if let GroupFact::MembersJoined { members, .. } = fact {
            let ids = members.iter().map(|member| member.membership_id.get());
            ids.for_each(|id| raise(&mut self.membership, id));
        }
        if let GroupFact::JoinRequested(request) = fact {
            raise(&mut self.membership, request.id.get());
        }
        if let GroupFact::BotAdded(bot) = fact {
            raise(&mut self.user, bot.number.get());
        }
        if let GroupFact::Topic(change) = fact {
            raise(&mut self.group, change.topic().get());
        }
        if let GroupFact::Moderated(act) = fact {
            raise(&mut self.message, act.new_id().unwrap_or_default());
        }
    }
}

fn raise(highest: &mut u64, id: u64) {
    *highest = id.max(*highest);
}
