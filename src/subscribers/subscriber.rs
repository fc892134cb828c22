//! For whom a reader hears: a user by a token, or a bot by its secret.
//!
//! What may end a bot's hearing or change what it hears is never told to its readers:
//! they look it up whenever they read on, and a feed makes them do so when something of
//! the kind has happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::auth::bots::AuthenticatedBot;
use crate::auth::keyring::Caller;
use crate::domain::event::Fact;
use crate::domain::group::{self, Validity};
use crate::domain::ids::{BotId, ClientId, GroupId, UserId};
use crate::domain::time::Timestamp;
use crate::subscribers::closing::Close;

/// Somebody who hears.
#[derive(Debug, Clone)]
pub enum Subscriber {
    /// What a user may hear.
    User(Caller),
    /// The messages of a bot's group.
    Bot(Arc<SubscribedBot>),
}

/// Where a feed finds a reader again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderKey {
    /// Among those of a user.
    OfUser(UserId),
    /// Among those of the bots of a group.
    InGroup(GroupId),
}

impl From<Caller> for Subscriber {
    fn from(caller: Caller) -> Self {
        Self::User(caller)
    }
}

impl Subscriber {
    /// The user's id, or the bot's public number: the two are never the same.
    pub fn number(&self) -> UserId {
        match self {
            Self::User(caller) => caller.user,
            Self::Bot(bot) => bot.number,
        }
    }

    /// The user, if it is one.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::User(caller) => Some(caller.user),
            Self::Bot(_) => None,
        }
    }

    /// The application whose token it shows, if it is of one.
    pub fn client(&self) -> Option<ClientId> {
        match self {
            Self::User(caller) => caller.client,
            Self::Bot(_) => None,
        }
    }

    /// Where a feed finds it.
    pub fn place(&self) -> ReaderKey {
        match self {
            Self::User(caller) => ReaderKey::OfUser(caller.user),
            Self::Bot(bot) => ReaderKey::InGroup(bot.group),
        }
    }

    /// Whether its token or secret still works, as far as time goes.
    pub fn is_alive(&self, now: Timestamp) -> bool {
        self.expires_at().is_none_or(|end| now < end)
    }

    /// When it ends by itself, if it does.
    pub fn expires_at(&self) -> Option<Timestamp> {
        match self {
            Self::User(caller) => caller.expires_at,
            Self::Bot(bot) => bot.expires_at(),
        }
    }

    /// Whether it hears of a fact that was offered to it, as far as it knows how it stands.
    pub fn hears(&self, fact: &Fact) -> bool {
        match self {
            Self::User(_) => true,
            Self::Bot(bot) => bot.hears(fact),
        }
    }

    /// How it ends when it may hear no more.
    pub const fn revoked(&self) -> Close {
        match self {
            Self::User(_) => Close::TOKEN,
            Self::Bot(_) => Close::BOT,
        }
    }
}

/// A bot as its readers and their feed share it.
#[derive(Debug)]
pub struct SubscribedBot {
    /// With what it posts.
    pub id: BotId,
    /// What its messages carry as their sender.
    pub number: UserId,
    /// Who made it.
    pub creator: UserId,
    /// Where it is.
    pub group: GroupId,
    /// What it said to come in.
    pub secret: String,
    receives_own: AtomicBool,
    /// In Unix milliseconds; the largest number if it has no end.
    expires_at: AtomicU64,
}

impl SubscribedBot {
    /// A bot that came in by this secret.
    pub fn new(admitted: &AuthenticatedBot, secret: String) -> Self {
        let (bot, group) = (&admitted.row.bot, admitted.row.group);
        let it = Self {
            id: bot.id.clone(),
            number: bot.number,
            creator: bot.creator,
            group,
            secret,
            receives_own: AtomicBool::new(false),
            expires_at: AtomicU64::new(u64::MAX),
        };
        it.learn(admitted);
        it
    }

    /// Learns how the bot stands now.
    pub fn learn(&self, admitted: &AuthenticatedBot) {
        self.receives_own.store(admitted.row.bot.receive_own, Ordering::Relaxed);
        let end = match admitted.validity {
            Validity::Open => u64::MAX,
            Validity::Until(end) => end.millis(),
        };
        self.expires_at.store(end, Ordering::Relaxed);
    }

    fn expires_at(&self) -> Option<Timestamp> {
        let end = self.expires_at.load(Ordering::Relaxed);
        (end != u64::MAX).then(|| Timestamp::from_millis(end))
    }

    /// Whether it hears of a fact of its group: of messages, as callbacks bring them.
    pub fn hears(&self, fact: &Fact) -> bool {
        let receives_own = self.receives_own.load(Ordering::Relaxed);
        fact.message().is_some_and(|message| group::hears(self.number, receives_own, message))
    }
}
