//! The subscriber of a reader: a user by a token, or a bot by its secret.
//!
//! Events that end a bot's access or change what it receives are never sent to its readers: they
//! look the bot up whenever they read on from the journal, and a feed makes them do so when such an
//! event has happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::close::Close;
use auth::bots::AuthenticatedBot;
use auth::keyring::TokenOwner;
use base::bounds::turns::Owner;
use domain::event::Fact;
use domain::group::{self, Validity};
use domain::ids::{BotId, ClientId, GroupId, StreamId, UserId};
use domain::scopes::ScopeSet;
use domain::time::Timestamp;

/// A user or bot for whom events are read.
#[derive(Debug, Clone)]
pub enum Subscriber {
    /// A user, who hears all that the token's user may receive.
    User(TokenOwner),
    /// A bot, which receives the messages of its group.
    Bot(Arc<SubscribedBot>),
}

/// The key under which a feed finds a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderKey {
    /// Among the readers of a user.
    OfUser(UserId),
    /// Among the readers of a group's bots.
    InGroup(GroupId),
}

impl From<TokenOwner> for Subscriber {
    fn from(caller: TokenOwner) -> Self {
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

    /// The owner of what is read for the subscriber.
    pub fn owner(&self) -> Owner {
        match self {
            Self::User(caller) => Owner::User(caller.user),
            Self::Bot(bot) => Owner::BotsOf(bot.group),
        }
    }

    /// The user; `None` for a bot.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::User(caller) => Some(caller.user),
            Self::Bot(_) => None,
        }
    }

    /// The application to which the token was given, if any.
    pub fn client(&self) -> Option<ClientId> {
        match self {
            Self::User(caller) => caller.client,
            Self::Bot(_) => None,
        }
    }

    /// The key under which a feed finds the reader.
    pub fn reader_key(&self) -> ReaderKey {
        match self {
            Self::User(caller) => ReaderKey::OfUser(caller.user),
            Self::Bot(bot) => ReaderKey::InGroup(bot.group),
        }
    }

    /// When the token or secret expires, if ever.
    pub fn expires_at(&self) -> Option<Timestamp> {
        match self {
            Self::User(caller) => caller.expires_at,
            Self::Bot(bot) => bot.expires_at(),
        }
    }

    /// The scopes of the token; `None` for a bot.
    pub fn scopes(&self) -> Option<ScopeSet> {
        match self {
            Self::User(caller) => Some(caller.scopes),
            Self::Bot(_) => None,
        }
    }

    /// Whether the subscriber hears a fact of a stream that was offered to it, as far as is known
    /// here: a bot's settings may have changed since.
    pub fn hears(&self, stream: StreamId, fact: &Fact) -> bool {
        match self {
            Self::User(caller) => caller.scopes.shows(stream, fact),
            Self::Bot(bot) => bot.hears(fact),
        }
    }

    /// The reason to close when the subscriber may receive no more.
    pub const fn revoked(&self) -> Close {
        match self {
            Self::User(_) => Close::TOKEN,
            Self::Bot(_) => Close::BOT,
        }
    }
}

/// A bot, as shared by its readers and their feed.
#[derive(Debug)]
pub struct SubscribedBot {
    /// The id with which the bot posts.
    pub id: BotId,
    /// The user id that its messages carry as their sender.
    pub number: UserId,
    /// The user who made the bot.
    pub creator: UserId,
    /// The group of the bot.
    pub group: GroupId,
    /// The secret with which it was admitted.
    pub secret: String,
    receives_own: AtomicBool,
    /// In Unix milliseconds; `u64::MAX` if it never expires.
    expires_at: AtomicU64,
}

impl SubscribedBot {
    /// A bot that was admitted with this secret.
    pub fn new(admitted: &AuthenticatedBot, secret: String) -> Self {
        let bot = &admitted.row.bot;
        let group = admitted.row.group;
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

    /// Updates what may change: whether the bot receives its own messages, and when its secret
    /// expires.
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

    /// Whether the bot receives a fact of its group: messages only, the same ones as by callbacks.
    pub fn hears(&self, fact: &Fact) -> bool {
        let receives_own = self.receives_own.load(Ordering::Relaxed);
        fact.message().is_some_and(|message| group::hears(self.number, receives_own, message))
    }
}
