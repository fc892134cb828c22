//! What a group decides about its messages, pins, likes, events and alarms: the shared rules with the
//! group's settings and permissions, and the system messages about deletions by an admin and pins.

use std::sync::Arc;

use crate::addressees::online_when_sent;
use crate::alarm::{AlarmAnswer, Appointment, DatedAppointment};
use crate::calendar::{CalendarAction, CalendarEvent, CalendarRefusal};
use crate::conversation::ConversationRules;
use crate::event::{Decision, Fact};
use crate::group::{Denied, Group, GroupAct, GroupFact};
use crate::id_generator::IdGenerator;
use crate::ids::{CalendarEventId, UserId};
use crate::likes::{LikeChange, LikeRefusal};
use crate::message::{Author, Message, SystemMessage};
use crate::pins::{PinAction, PinRefusal};
use crate::revision::{
    Deleter, MessageChange, Reviser, ReviserId, Revision, RevisionKind, RevisionRefusal,
};
use crate::time::{Moment, Timestamp};

impl Group {
    /// The user whose right to mention everybody counts: for a bot, its creator's.
    fn speaker(&self, by: &ReviserId) -> UserId {
        match by {
            ReviserId::User(user) => *user,
            ReviserId::Bot(id) => self.bot(id).map_or(UserId::new(0), |bot| bot.creator),
        }
    }

    /// Allows a user or bot to edit and delete their own messages.
    fn permit_own(&self, by: &ReviserId, now: Timestamp) -> Result<(), Denied> {
        let act = match by {
            ReviserId::User(_) => GroupAct::Post,
            ReviserId::Bot(_) => GroupAct::PostAsBot,
        };
        self.member(self.speaker(by)).map_or(Ok(()), |member| self.permit(member, act, now))
    }
}

impl ConversationRules for Group {
    const IS_CREATED: bool = true;

    fn includes(&self, user: UserId) -> bool {
        self.member(user).is_some()
    }

    fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal> {
        match by {
            ReviserId::User(user) => {
                let member = self.member(*user).ok_or(RevisionRefusal::NotAMember)?;
                let is_admin = self.grants(member, GroupAct::ReadHistory);
                Ok(Reviser { author: Author::Member(*user), is_admin })
            }
            ReviserId::Bot(id) => {
                let bot = self.bot(id).ok_or(RevisionRefusal::NoBot)?;
                if !bot.active {
                    return Err(RevisionRefusal::Inactive);
                }
                Ok(Reviser { author: Author::Bot(bot.number), is_admin: false })
            }
        }
    }

    fn edit(
        &self,
        by: &ReviserId,
        message: &Message,
        change: MessageChange,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        let reviser = self.reviser(by)?;
        self.permit_own(by, now.wall)?;
        let context = self.context(self.speaker(by), None, online_when_sent(&message.attachments));
        let rules = (&self.settings.revising, &context);
        let revision = message.edit(&reviser, change, rules, now.wall)?;
        let facts = revision.map(|it| Fact::Group(GroupFact::Revised(Arc::new(it))));
        Ok(Decision { facts: facts.into_iter().collect(), answer: () })
    }

    /// A system message reports the deletion if an admin deleted.
    fn delete(
        &self,
        by: &ReviserId,
        message: &Message,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, RevisionRefusal> {
        let reviser = self.reviser(by)?;
        if reviser.author == message.author {
            self.permit_own(by, now.wall)?;
        }
        self.refuse_timed_out(self.speaker(by), now.wall)?;
        let revision = message.delete(&reviser, &self.settings.revising, now.wall)?;
        let Some(revision) = revision else { return Ok(Decision::unchanged(())) };
        let is_by_admin = matches!(revision.kind, RevisionKind::Deleted { actor: Deleter::Admin });
        let admin = reviser.author.user().and_then(|user| self.member(user));
        let mut facts = vec![Fact::Group(GroupFact::Revised(Arc::new(revision)))];
        if let Some(admin) = admin.filter(|_| is_by_admin) {
            let user = admin.named();
            let message = message.id;
            let at = now.wall;
            let line = SystemMessage::MessageDeleted { user, message, at };
            facts.push(self.system_message(line, now.wall, id_generator));
        }
        Ok(Decision { facts, answer: () })
    }

    fn revision_fact(&self, revision: Revision) -> Option<Fact> {
        (!self.disbanded).then(|| Fact::Group(GroupFact::Revised(Arc::new(revision))))
    }

    /// A system message reports the pin; existing clients would read one about an unpinned message
    /// as another pin.
    fn pin(
        &self,
        by: UserId,
        message: &Message,
        action: PinAction,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, PinRefusal> {
        let member = self.member(by).ok_or(PinRefusal::NotAMember)?;
        self.permit(member, GroupAct::Pin, now.wall)?;
        let Some(revision) = self.pins.decide(message, by, action)? else {
            return Ok(Decision::unchanged(()));
        };
        let mut facts = vec![Fact::Group(GroupFact::Revised(Arc::new(revision)))];
        if action == PinAction::Pin {
            let line = SystemMessage::MessagePinned {
                user: member.named(),
                message: message.id,
                is_pinned: true,
                at: now.wall,
            };
            facts.push(self.system_message(line, now.wall, id_generator));
        }
        Ok(Decision { facts, answer: () })
    }

    fn permit_like(&self, by: UserId, now: Timestamp) -> Result<(), LikeRefusal> {
        let member = self.member(by).ok_or(LikeRefusal::NotAMember)?;
        Ok(self.permit(member, GroupAct::React, now)?)
    }

    fn like_fact(change: LikeChange, is_given: bool) -> Fact {
        Fact::Group(match is_given {
            true => GroupFact::Liked(change),
            false => GroupFact::Unliked(change),
        })
    }

    fn event(&self, event: CalendarEventId) -> Option<&Arc<CalendarEvent>> {
        self.calendar.get(event)
    }

    fn act_on_event(
        &self,
        by: UserId,
        event: CalendarEventId,
        action: CalendarAction,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, CalendarRefusal> {
        self.change_event(by, event, action, now, id_generator)
    }

    fn ring(
        &self,
        alarm: DatedAppointment,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Decision<AlarmAnswer> {
        // Nothing happens any more in a group that was disbanded.
        if self.disbanded {
            return Decision::on_alarm(alarm, AlarmAnswer::NothingToDo);
        }
        let answer = match alarm.1 {
            Appointment::MuteEnds { user, .. } => self.end_mute(user, now),
            Appointment::PollEnds { poll, .. } => self.expire_poll(poll, now, id_generator),
            Appointment::HeldEnds { held, .. } => self.expire_held(held, now),
            Appointment::Reminder { event, .. } => self.remind_of_event(event, now, id_generator),
        };
        Decision::on_alarm(alarm, answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attachment::AddressForm;
    use crate::group::GroupKind;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};
    use crate::message::NewMessage;
    use crate::text::{MessageText, SourceGuid};

    fn posts(table: &mut Table, by: UserId, text: &str) {
        let new = NewMessage {
            source_guid: SourceGuid::parse(format!("{text}{}", table.group.count)).unwrap(),
            text: Some(MessageText::parse(text.to_owned()).unwrap()),
            attachments: Vec::new(),
            form: AddressForm::Specified,
            here: Vec::new(),
        };
        table
            .does(|group, now, id_generator| group.post(by, (new, None), now, id_generator))
            .unwrap();
    }

    fn said(table: &Table) -> Arc<Message> {
        table.group.last.clone().unwrap()
    }

    fn says(text: &str) -> MessageChange {
        let text = MessageText::parse(text.to_owned()).unwrap();
        MessageChange { text: Some(Some(text)), ..MessageChange::default() }
    }

    #[test]
    fn edit_updates_newest_message_without_counting() {
        let mut table = Table::of_two();
        posts(&mut table, BEN, "rope at six");
        let message = said(&table);
        let count = table.group.count;
        let ben = ReviserId::User(BEN);
        let edit = |group: &Group, now| group.edit(&ben, &message, says("rope at seven"), now);
        table.does(|group, now, _| edit(group, now)).unwrap();
        assert_eq!(said(&table).text.as_deref(), Some("rope at seven"));
        assert_eq!(table.group.count, count);
        let cara = ReviserId::User(CARA);
        let refused = table.does(|group, now, _| group.edit(&cara, &message, says("x"), now));
        assert_eq!(refused, Err(RevisionRefusal::NotAMember));
    }

    #[test]
    fn pins_add_a_line_and_office_mode_restricts_them() {
        let mut table = Table::of_two();
        posts(&mut table, BEN, "rope at six");
        let message = said(&table);
        let count = table.group.count;
        let mut pins = |by, action| {
            let pin = |group: &Group, now, ids: &dyn IdGenerator| {
                group.pin(by, &message, action, now, ids)
            };
            table.does(pin).map(|_| table.group.last.clone().unwrap())
        };
        assert_eq!(pins(CARA, PinAction::Pin), Err(PinRefusal::NotAMember));
        let line = pins(BEN, PinAction::Pin).unwrap();
        assert_eq!((line.text.as_deref(), line.count), (Some("Ben pinned a message."), count + 1));
        table.group.settings.kind = GroupKind::Closed;
        let refused =
            table.does(|group, now, ids| group.pin(BEN, &message, PinAction::Pin, now, ids));
        assert_eq!(refused, Err(PinRefusal::Denied(Denied::Role(GroupAct::Pin))));
    }

    #[test]
    fn only_admin_deletion_adds_a_line() {
        let mut table = Table::of_two();
        for (by, lines) in [(ANA, 1), (BEN, 0)] {
            posts(&mut table, BEN, "rope at six");
            let message = said(&table);
            let count = table.group.count;
            let by = ReviserId::User(by);
            table
                .does(|group, now, id_generator| group.delete(&by, &message, now, id_generator))
                .unwrap();
            assert_eq!(table.group.count, count + lines);
        }
        assert_eq!(said(&table).text, None);
    }
}
