//! Changing a bot: by its creator, or by the server when its listener is gone for good.

use crate::domain::attachment::ImageRef;
use crate::domain::event::{Decision, Fact};
use crate::domain::group::{Bot, BotRefusal, Group, GroupFact, Secret};
use crate::domain::ids::{BotId, UserId};
use crate::domain::limits::SECRET_OVERLAP_MILLIS;
use crate::domain::text::{CallbackUrl, Nickname};
use crate::domain::time::Timestamp;

/// What a creator wants changed; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BotChange {
    /// Called what from now on.
    pub name: Option<Nickname>,
    /// Another picture, or none.
    pub avatar: Option<Option<ImageRef>>,
    /// Where it is called back, or nowhere.
    pub callback_url: Option<Option<CallbackUrl>>,
    /// Whether it may post and is called back.
    pub active: Option<bool>,
    /// Whether it hears its own posts.
    pub receive_own: Option<bool>,
}

impl Group {
    /// Changes a bot, on the wish of the one who made it.
    ///
    /// # Errors
    /// When there is no such bot, or it is somebody else's.
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
        if bot.is_called_back() && !old.is_called_back() {
            // What was said while nobody listened is not delivered afterwards.
            bot.after = self.newest();
        }
        Ok(changed(old, bot))
    }

    /// Gives a bot another secret. The old one signs too for a while, so that its
    /// listener can change over without losing a message.
    ///
    /// # Errors
    /// When there is no such bot, or it is somebody else's.
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

    /// Switches a bot off because the listener that it had when it was called said that it
    /// is gone. One that is called elsewhere by now stays as it is.
    ///
    /// # Errors
    /// When there is no such bot.
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
