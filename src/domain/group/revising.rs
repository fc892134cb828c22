//! Editing, deleting and pinning in a group: the rules of [`crate::domain::revision`] with the
//! group's settings, and the system messages about deletions by an admin and about pins.

use std::sync::Arc;

use crate::domain::addressing::online_when_sent;
use crate::domain::event::{Decision, Fact};
use crate::domain::group::{Denied, Group, GroupAct, GroupFact};
use crate::domain::id_generator::IdGenerator;
use crate::domain::ids::UserId;
use crate::domain::message::{Author, Message, SystemMessage};
use crate::domain::pins::{PinAction, PinRefusal};
use crate::domain::revision::{
    Deleter, MessageChange, Reviser, ReviserId, RevisionKind, RevisionRefusal,
};
use crate::domain::time::{Moment, Timestamp};

impl Group {
    /// The role of a caller in this group, to decide which messages they may revise.
    ///
    /// # Errors
    /// If the user is no member, or the bot does not exist or is switched off.
    pub fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal> {
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

    /// Edits a message.
    ///
    /// # Errors
    /// If the caller may not edit the message, or the edited message would be empty or mention
    /// somebody it cannot.
    pub fn edit(
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

    /// Deletes a message; a system message tells of it if an admin did.
    ///
    /// # Errors
    /// If the caller may not delete the message.
    pub fn delete(
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
}

impl Group {
    /// Pins or unpins a message. A system message reports the pin; existing clients would read one
    /// about an unpinned message as another pin.
    ///
    /// # Errors
    /// If the caller is no member, pinning is reserved for admins, or the message cannot be pinned.
    pub fn pin(
        &self,
        by: UserId,
        (message, action): (&Message, PinAction),
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::attachment::AddressForm;
    use crate::domain::group::GroupKind;
    use crate::domain::group::testing::{ANA, BEN, CARA, Table};
    use crate::domain::message::NewMessage;
    use crate::domain::text::{MessageText, SourceGuid};

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
                group.pin(by, (&message, action), now, ids)
            };
            table.does(pin).map(|_| table.group.last.clone().unwrap())
        };
        assert_eq!(pins(CARA, PinAction::Pin), Err(PinRefusal::NotAMember));
        let line = pins(BEN, PinAction::Pin).unwrap();
        assert_eq!((line.text.as_deref(), line.count), (Some("Ben pinned a message."), count + 1));
        table.group.settings.kind = GroupKind::Closed;
        let refused =
            table.does(|group, now, ids| group.pin(BEN, (&message, PinAction::Pin), now, ids));
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
