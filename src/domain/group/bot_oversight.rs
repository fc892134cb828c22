//! Oversight of the bots of a group: their data for all members, and the right to remove one. Its
//! creator names a bot by its secret id; others know only its public number.

use crate::bot_event::BotEvent;
use crate::event::{Decision, Fact};
use crate::group::{Bot, BotRefusal, Group, GroupAct, GroupFact, Maker};
use crate::id_generator::IdGenerator;
use crate::ids::{BotId, UserId};
use crate::message::SystemMessage;
use crate::time::Moment;

/// A bot with the other data that members of its group see.
#[derive(Debug, Clone)]
pub struct BotInGroup {
    /// The bot, with its secrets, which members are not told.
    pub bot: Bot,
    /// The nickname of the bot's creator in the group; the last one, if they left.
    pub creator_name: String,
    /// Whether the creator is a member now.
    pub creator_is_member: bool,
    /// Whether the bot may receive events: it is active, and so is the account of its creator.
    pub listens: bool,
}

impl BotInGroup {
    /// The kinds of events that are sent to the bot's callback URL; none if it has no such URL or
    /// may not receive.
    pub fn called_back_for(&self) -> impl Iterator<Item = BotEvent> + '_ {
        let is_called_back = self.listens && self.bot.is_called_back();
        BotEvent::ALL.into_iter().filter(move |it| is_called_back && self.bot.asks_for(*it))
    }
}

impl Group {
    /// Removes a bot, for its creator, who may have left the group.
    ///
    /// # Errors
    /// If there is no such bot, or somebody else made it.
    pub fn remove_bot(
        &self,
        by: UserId,
        id: &BotId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, BotRefusal> {
        let bot = self.bot(id).filter(|bot| bot.creator == by).ok_or(BotRefusal::NoBot)?;
        Ok(self.without_bot(bot, by, now, id_generator))
    }

    /// Removes a bot of the group, for the owner, an admin, or the member who made it. An
    /// application that acts for a plain member removes only bots that it made.
    ///
    /// # Errors
    /// If the caller is no member, there is no such bot, or the caller may not remove it.
    pub fn remove_bot_by_number(
        &self,
        by: Maker,
        number: UserId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, BotRefusal> {
        let member = self.member(by.user).ok_or(BotRefusal::NotAMember)?;
        let bot = self.bots.values().find(|bot| bot.number == number);
        let bot = bot.ok_or(BotRefusal::NoBot)?;
        if !self.grants(member, GroupAct::RemoveBots) && !bot.is_handled_by(by) {
            return Err(BotRefusal::AdminsOnly);
        }
        Ok(self.without_bot(bot, by.user, now, id_generator))
    }

    fn without_bot(
        &self,
        bot: &Bot,
        by: UserId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Decision<()> {
        let mut facts = vec![Fact::Group(GroupFact::BotRemoved(bot.clone()))];
        // A creator who left the group cannot be named in a system message.
        if let Some(member) = self.member(by) {
            let line = SystemMessage::BotRemoved {
                user: member.named(),
                bot: bot.name.as_str().to_owned(),
            };
            facts.push(self.system_message(line, now.wall, id_generator));
        }
        Decision { facts, answer: () }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};
    use crate::ids::ClientId;
    use crate::text::CallbackUrl;

    const DORA: UserId = UserId::new(10_000_004);

    /// The group of Ana, the owner, with Ben, an admin, and Cara, a plain member; and a bot that
    /// this user made.
    fn with_bot_of(maker: Maker) -> (Table, Bot) {
        let mut table = Table::of_three();
        table.promote(BEN);
        let bot = table.adds_bot(maker, None);
        (table, bot)
    }

    const fn in_person(user: UserId) -> Maker {
        Maker { user, client: None }
    }

    fn removing(table: &mut Table, by: Maker, number: UserId) -> Result<(), BotRefusal> {
        table.does(|group, now, id_generator| {
            group.remove_bot_by_number(by, number, now, id_generator)
        })
    }

    #[test]
    fn owner_admins_and_creator_remove_a_bot() {
        let of_nobody_else = Err(BotRefusal::AdminsOnly);
        let of_no_member = Err(BotRefusal::NotAMember);
        for (maker, by, outcome) in [
            (CARA, ANA, Ok(())),
            (CARA, BEN, Ok(())),
            (CARA, CARA, Ok(())),
            (CARA, DORA, of_no_member),
            (BEN, ANA, Ok(())),
            (BEN, CARA, of_nobody_else.clone()),
            (ANA, BEN, Ok(())),
            (ANA, CARA, of_nobody_else),
        ] {
            let (mut table, bot) = with_bot_of(in_person(maker));
            assert_eq!(removing(&mut table, in_person(by), bot.number), outcome, "{maker} {by}");
            assert_eq!(table.group.bots.is_empty(), outcome.is_ok(), "{maker} {by}");
        }
    }

    #[test]
    fn bot_removal_adds_a_line_once() {
        let (mut table, bot) = with_bot_of(in_person(CARA));
        removing(&mut table, in_person(BEN), bot.number).unwrap();
        assert_eq!(table.facts[0], Fact::Group(GroupFact::BotRemoved(bot.clone())));
        assert_eq!(table.lines(), ["Ben removed the Tides bot."]);
        assert_eq!(removing(&mut table, in_person(BEN), bot.number), Err(BotRefusal::NoBot));
    }

    #[test]
    fn former_members_bot_stays_until_removed() {
        let (mut table, bot) = with_bot_of(in_person(CARA));
        table.removes(CARA, CARA);
        assert_eq!(table.group.bots.len(), 1);
        let refused = removing(&mut table, in_person(CARA), bot.number);
        assert_eq!(refused, Err(BotRefusal::NotAMember));
        removing(&mut table, in_person(ANA), bot.number).unwrap();
        assert!(table.group.bots.is_empty());
    }

    #[test]
    fn former_member_removes_own_bot_without_a_line() {
        let (mut table, bot) = with_bot_of(in_person(CARA));
        table.removes(CARA, CARA);
        let by_id = |table: &mut Table, by| {
            table.does(|group, now, id_generator| group.remove_bot(by, &bot.id, now, id_generator))
        };
        assert_eq!(by_id(&mut table, ANA), Err(BotRefusal::NoBot));
        by_id(&mut table, CARA).unwrap();
        assert!(table.group.bots.is_empty() && table.lines().is_empty());
    }

    #[test]
    fn members_application_removes_only_its_bots() {
        let [own, other] = [7, 8].map(|it| Some(ClientId::new([it; 16])));
        for (by, outcome) in [(own, Ok(())), (other, Err(BotRefusal::AdminsOnly))] {
            let (mut table, bot) = with_bot_of(Maker { user: CARA, client: own });
            let by = Maker { user: CARA, client: by };
            assert_eq!(removing(&mut table, by, bot.number), outcome);
        }
        let (mut table, bot) = with_bot_of(Maker { user: CARA, client: own });
        removing(&mut table, Maker { user: ANA, client: other }, bot.number).unwrap();
    }

    #[test]
    fn only_a_bot_that_may_hear_and_has_an_address_is_called_back() {
        let (_, bot) = with_bot_of(in_person(CARA));
        let url = CallbackUrl::parse("http://127.0.0.1:9000/").ok();
        let called_back_for = |bot: Bot, listens: bool| {
            let creator_name = "Cara".to_owned();
            let shown = BotInGroup { bot, creator_name, creator_is_member: true, listens };
            shown.called_back_for().collect::<Vec<_>>()
        };
        assert_eq!(called_back_for(bot.clone(), true), []);
        let called = Bot { callback_url: url, ..bot };
        assert_eq!(called_back_for(called.clone(), true), [BotEvent::Message]);
        assert_eq!(called_back_for(called.clone(), false), []);
        let chosen = Some(vec![BotEvent::Pin, BotEvent::Reaction]);
        let chosen = Bot { events: chosen, ..called };
        assert_eq!(called_back_for(chosen, true), [BotEvent::Reaction, BotEvent::Pin]);
    }
}
