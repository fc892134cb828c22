//! Changing a bot: by its creator, or by the server when the bot's listener says that it is gone
//! for good.

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::bot_event::BotEvent;
use crate::event::{Decision, Fact};
use crate::group::{Bot, BotRefusal, Group, GroupFact, HabitsChange, Secret};
use crate::ids::{BotId, UserId};
use crate::limits::SECRET_OVERLAP_MILLIS;
use crate::nested_option;
use crate::text::{CallbackUrl, Nickname};
use crate::time::Timestamp;

/// The changes that the creator of a bot wants; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotChange {
    /// The new name.
    pub name: Option<Nickname>,
    /// The new picture; `Some(None)` removes it.
    #[serde(with = "nested_option")]
    pub avatar: Option<Option<ImageRef>>,
    /// The new callback URL; `Some(None)` ends callbacks.
    #[serde(with = "nested_option")]
    pub callback_url: Option<Option<CallbackUrl>>,
    /// Whether the bot may post and is called back.
    pub active: Option<bool>,
    /// Whether the bot receives its own posts.
    pub receive_own: Option<bool>,
    /// The kinds of events that the bot is called back for.
    pub events: Option<Vec<BotEvent>>,
    /// Changes of how the bot takes part in the group.
    #[serde(default)]
    pub habits: HabitsChange,
    /// Whether the bot stays when the application that made it is removed.
    pub keep: bool,
}

impl Group {
    /// Changes a bot, for its creator.
    ///
    /// # Errors
    /// If there is no such bot, or somebody else made it.
    pub fn change_bot(
        &self,
        by: UserId,
        id: &BotId,
        change: BotChange,
    ) -> Result<Decision<Bot>, BotRefusal> {
        let old = self.own_bot(by, id)?;
        let mut bot = old.clone();
        if let Some(name) = change.name {
            bot.name = name;
        }
        if let Some(avatar) = change.avatar {
            bot.avatar = avatar;
        }
        if let Some(url) = change.callback_url {
            bot.callback_url = url;
        }
        bot.active = change.active.unwrap_or(bot.active);
        bot.receive_own = change.receive_own.unwrap_or(bot.receive_own);
        if change.events.is_some() {
            bot.events = change.events;
        }
        bot.habits = change.habits.of(bot.habits);
        if change.keep {
            bot.client = None;
        }
        let is_called_anew = bot.is_called_back() && !old.is_called_back();
        if is_called_anew || bot.active && !old.active {
            // Messages that were posted while the bot did not listen are not delivered later.
            bot.after = self.newest();
        }
        Ok(changed(old, bot))
    }

    /// Gives a bot a new secret. The old one also signs for a while, so that the listener can
    /// change over without losing a callback.
    ///
    /// # Errors
    /// If there is no such bot, or somebody else made it.
    pub fn rotate_secret(
        &self,
        by: UserId,
        id: &BotId,
        fresh: Secret,
        now: Timestamp,
    ) -> Result<Decision<Bot>, BotRefusal> {
        let old = self.own_bot(by, id)?;
        let until = Timestamp::from_millis(now.millis().saturating_add(SECRET_OVERLAP_MILLIS));
        let previous = old.secret.clone().map(|secret| (secret, until));
        let bot = Bot { secret: Some(fresh), previous_secret: previous, ..old.clone() };
        Ok(changed(old, bot))
    }

    /// Switches a bot off because its listener said that it is gone for good. `called` is the bot
    /// as it was called back then; a bot that has another callback URL by now stays on.
    ///
    /// # Errors
    /// If there is no such bot.
    pub fn disable_bot(&self, called: &Bot) -> Result<Decision<Bot>, BotRefusal> {
        let old = self.bot(&called.id).ok_or(BotRefusal::NoBot)?;
        if old.callback_url != called.callback_url {
            return Ok(Decision::unchanged(old.clone()));
        }
        Ok(changed(old, Bot { active: false, ..old.clone() }))
    }

    fn own_bot(&self, by: UserId, id: &BotId) -> Result<&Bot, BotRefusal> {
        self.bot(id).filter(|bot| bot.creator == by).ok_or(BotRefusal::NoBot)
    }
}

fn changed(old: &Bot, bot: Bot) -> Decision<Bot> {
    if *old == bot {
        return Decision::unchanged(bot);
    }
    Decision { facts: vec![Fact::Group(GroupFact::BotChanged(bot.clone()))], answer: bot }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attachment::AddressForm;
    use crate::group::fixtures::{ANA, BEN, Table};
    use crate::group::{Maker, Validity};
    use crate::ids::ClientId;
    use crate::message::NewMessage;
    use crate::text::{MessageText, SourceGuid};

    const NOON: Timestamp = Timestamp::from_seconds(1_800_000_000);

    fn url(text: &str) -> CallbackUrl {
        CallbackUrl::parse(text).unwrap()
    }

    /// A group with a bot that has a callback URL.
    fn with_bot() -> (Table, Bot) {
        let mut table = Table::of_two();
        let maker = Maker { user: ANA, client: Some(ClientId::new([7; 16])) };
        let bot = table.adds_bot(maker, Some(url("http://127.0.0.1:9000/")));
        (table, bot)
    }

    fn changes(table: &mut Table, bot: &Bot, change: BotChange) -> Bot {
        table.does(|group, _, _| group.change_bot(ANA, &bot.id, change)).unwrap()
    }

    fn says(table: &mut Table, guid: &str) {
        let message = NewMessage {
            source_guid: SourceGuid::parse(guid.to_owned()).unwrap(),
            text: Some(MessageText::parse("hello".to_owned()).unwrap()),
            attachments: Vec::new(),
            form: AddressForm::Specified,
            here: Vec::new(),
        };
        table
            .does(|group, now, id_generator| group.post(BEN, (message, None), now, id_generator))
            .unwrap();
    }

    #[test]
    fn reenabled_bot_skips_missed_messages() {
        let (mut table, bot) = with_bot();
        let off = BotChange { active: Some(false), callback_url: Some(None), ..Default::default() };
        changes(&mut table, &bot, off);
        says(&mut table, "while off");
        let said = table.group.newest();
        let on = BotChange { active: Some(true), ..Default::default() };
        assert_eq!(changes(&mut table, &bot, on.clone()).after, said, "also without a URL");
        says(&mut table, "while on");
        assert_eq!(changes(&mut table, &bot, on).after, said, "nothing changed");
    }

    #[test]
    fn application_owns_a_bot_until_its_creator_keeps_it() {
        let (mut table, bot) = with_bot();
        assert_eq!(bot.client, Some(ClientId::new([7; 16])));
        let renamed = BotChange { name: Nickname::parse("Ebb".into()).ok(), ..Default::default() };
        assert_eq!(changes(&mut table, &bot, renamed).client, bot.client);
        let kept = BotChange { keep: true, ..Default::default() };
        assert_eq!(changes(&mut table, &bot, kept).client, None);
    }

    #[test]
    fn old_and_new_secret_work_until_expiry() {
        let (mut table, bot) = with_bot();
        let old = "whsec_b25l";
        let fresh = Secret::of("dHdv");
        assert_eq!(bot.secret_validity(old, NOON), Some(Validity::Open));
        let rotated =
            table.does(|group, now, _| group.rotate_secret(ANA, &bot.id, fresh, now.wall));
        let rotated = rotated.unwrap();
        let end = Timestamp::from_millis(NOON.millis() + SECRET_OVERLAP_MILLIS);
        assert_eq!(rotated.secret_validity("whsec_dHdv", end), Some(Validity::Open));
        assert_eq!(rotated.secret_validity(old, NOON), Some(Validity::Until(end)));
        assert_eq!(rotated.secret_validity(old, end), None);
        assert_eq!(rotated.secret_validity("whsec_", NOON), None);
    }

    #[test]
    fn gone_url_disables_only_its_own_bot() {
        let (mut table, called) = with_bot();
        let moved = BotChange {
            callback_url: Some(Some(url("http://127.0.0.1:9001/"))),
            ..Default::default()
        };
        let moved = changes(&mut table, &called, moved);
        let kept = table.does(|group, _, _| group.disable_bot(&called)).unwrap();
        assert!(kept.active && table.facts.is_empty());
        assert!(!table.does(|group, _, _| group.disable_bot(&moved)).unwrap().active);
    }
}
