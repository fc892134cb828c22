//! Bots: automated members. A bot's id is the secret with which it posts, so messages
//! carry its public number instead.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::domain::addressing::{AddressRefusal, addressed};
use crate::domain::attachment::{AddressForm, Attachment, ImageRef};
use crate::domain::bot_event::BotEvent;
use crate::domain::event::{Decision, Fact};
use crate::domain::group::{BotHabits, Group, GroupFact};
use crate::domain::id_generator::IdGenerator;
use crate::domain::ids::{BotId, ClientId, MessageId, UserId};
use crate::domain::limits::BOTS;
use crate::domain::message::{Author, Message, SystemMessage};
use crate::domain::revision::MessageState;
use crate::domain::text::{CallbackUrl, MessageText, Nickname};
use crate::domain::time::{Moment, Timestamp};

/// A bot of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bot {
    /// The secret with which it posts.
    pub id: BotId,
    /// What its messages carry as their sender.
    pub number: UserId,
    /// Who made it.
    pub creator: UserId,
    /// Called what.
    pub name: Nickname,
    /// Its picture.
    pub avatar: Option<ImageRef>,
    /// Where it is called back.
    pub callback_url: Option<CallbackUrl>,
    /// Whether its creator wants direct messages to reach it.
    pub dm_notification: bool,
    /// Whether it may post and is called back.
    pub active: bool,
    /// With what callbacks are signed; bots from before there was one have none.
    #[serde(default)]
    pub secret: Option<Secret>,
    /// The secret before, and until when it signs too.
    #[serde(default)]
    pub previous_secret: Option<(Secret, Timestamp)>,
    /// Whether it hears its own posts.
    #[serde(default)]
    pub receive_own: bool,
    /// It hears messages after this one.
    #[serde(default = "before_all")]
    pub after: MessageId,
    /// The application by whose token it was made and with which it ends; none for a bot
    /// that its creator made, or keeps.
    #[serde(default)]
    pub client: Option<ClientId>,
    /// What it is called back for, if it says so; for messages otherwise.
    #[serde(default)]
    pub events: Option<Vec<BotEvent>>,
    /// How it takes part.
    #[serde(default, skip_serializing_if = "BotHabits::is_usual")]
    pub habits: BotHabits,
}

/// Who makes a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maker {
    /// The user.
    pub user: UserId,
    /// The application that acts for them, if one does.
    pub client: Option<ClientId>,
}

const fn before_all() -> MessageId {
    MessageId::new(0)
}

impl Bot {
    /// Whether somebody may see and change it: who made it; of the applications that act for
    /// them, the one that made it. What it is called by is what it posts with.
    pub fn is_handled_by(&self, maker: Maker) -> bool {
        let Maker { user, client } = maker;
        self.creator == user && (client.is_none() || self.client == client)
    }

    /// Whether messages are sent to it.
    pub fn is_called_back(&self) -> bool {
        self.active && self.callback_url.is_some()
    }

    /// Whether it is called back for events of this kind.
    pub fn asks_for(&self, event: BotEvent) -> bool {
        self.events.as_ref().map_or(event.is_message(), |events| events.contains(&event))
    }

    /// Whether it is called back for a fact: of what it did itself, only if it asks for that.
    pub fn is_called_for(&self, fact: &GroupFact) -> bool {
        let is_own = |author: &Author| *author == Author::Bot(self.number) && !self.receive_own;
        let is_own = match fact {
            GroupFact::Posted(message) => is_own(&message.author),
            GroupFact::Revised(revision) => is_own(&revision.by),
            GroupFact::Created { .. }
            | GroupFact::MembersJoined { .. }
            | GroupFact::MemberLeft { .. }
            | GroupFact::MemberChanged { .. }
            | GroupFact::SettingsChanged { .. }
            | GroupFact::OwnerChanged { .. }
            | GroupFact::Disbanded { .. }
            | GroupFact::AddRequested(_)
            | GroupFact::AddSettled { .. }
            | GroupFact::Liked(_)
            | GroupFact::Unliked(_)
            | GroupFact::BotAdded(_)
            | GroupFact::BotRemoved(_)
            | GroupFact::BotChanged(_)
            | GroupFact::Invited { .. }
            | GroupFact::InvitesSettled { .. }
            | GroupFact::Polled(_)
            | GroupFact::Planned(_) => false,
        };
        !is_own && fact.bot_event().is_some_and(|event| self.asks_for(event))
    }

    /// Whether it is to hear of a message.
    pub fn hears(&self, message: &Message) -> bool {
        hears(self.number, self.receive_own, message)
    }

    /// How long a secret that somebody shows opens this bot, if it does. Both secrets are
    /// always compared.
    pub fn opened_by(&self, said: &str, now: Timestamp) -> Option<Validity> {
        let is_current = self.secret.as_ref().is_some_and(|secret| secret.is(said));
        let previous =
            self.previous_secret.as_ref().map(|(secret, until)| (secret.is(said), until));
        match previous {
            _ if is_current => Some(Validity::Open),
            Some((true, until)) if now < *until => Some(Validity::Until(*until)),
            Some(_) | None => None,
        }
    }

    /// The secrets that sign now, the newest first.
    pub fn secrets(&self, now: Timestamp) -> impl Iterator<Item = &Secret> {
        let previous = self.previous_secret.iter().filter(move |(_, until)| now < *until);
        self.secret.iter().chain(previous.map(|(secret, _)| secret))
    }
}

/// Whether the bot with this number is to hear of a message: its own only if it asks for them.
pub fn hears(number: UserId, receive_own: bool, message: &Message) -> bool {
    receive_own || message.author != Author::Bot(number)
}

/// How long a secret is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// Until there is another one.
    Open,
    /// It was replaced, and is good until then.
    Until(Timestamp),
}

/// With what callbacks are signed: `whsec_` and random bytes in Base64, as the Standard
/// Webhooks specification has it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// What stands before the bytes.
    pub const PREFIX: &'static str = "whsec_";

    /// Takes random bytes in Base64.
    pub fn of(base64: &str) -> Self {
        Self(format!("{}{base64}", Self::PREFIX))
    }

    /// Whether somebody knows it. Takes the same time wherever the two differ.
    pub fn is(&self, said: &str) -> bool {
        self.0.as_bytes().ct_eq(said.as_bytes()).into()
    }

    /// The secret as its owner gets it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

/// A bot that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBot {
    /// Called what.
    pub name: Nickname,
    /// Its picture.
    pub avatar: Option<ImageRef>,
    /// Where it is called back.
    pub callback_url: Option<CallbackUrl>,
    /// Whether its creator wants direct messages to reach it.
    pub dm_notification: bool,
    /// Whether it may post and is called back.
    pub active: bool,
    /// What it is called back for, if not for messages alone.
    pub events: Option<Vec<BotEvent>>,
    /// How it takes part.
    #[serde(default)]
    pub habits: BotHabits,
}

/// What a bot wants to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotPost {
    /// The words.
    pub text: MessageText,
    /// Pictures, a place, whom it mentions and what it answers.
    pub attachments: Vec<Attachment>,
    /// In which form it mentions and answers.
    pub form: AddressForm,
    /// Who is here, where whoever is here is mentioned.
    pub here: Vec<UserId>,
}

impl BotPost {
    /// These words, and what goes with them.
    pub const fn saying(text: MessageText, attachments: Vec<Attachment>) -> Self {
        Self { text, attachments, form: AddressForm::Specified, here: Vec::new() }
    }
}

/// Why nothing was done with a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum BotRefusal {
    /// Also for a group that is gone.
    #[error("there is no such group")]
    NotAMember,
    /// Unknown, of a group that is gone, or somebody else's.
    #[error("there is no such bot")]
    NoBot,
    /// It was switched off.
    #[error("this bot is not active")]
    Inactive,
    /// It mentions or answers what it cannot.
    #[error(transparent)]
    Address(#[from] AddressRefusal),
    /// Too many.
    #[error("a group has at most {BOTS} bots")]
    Full,
    /// Whoever made it may not use their account.
    #[error("the account that made this bot is disabled; ask those who run this server")]
    Shut,
}

impl Group {
    /// Makes a bot.
    ///
    /// # Errors
    /// When its creator is no member, or the group has too many.
    pub fn add_bot(
        &self,
        maker: Maker,
        (new, secret): (NewBot, Secret),
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Bot>, BotRefusal> {
        let Maker { user: creator, client } = maker;
        let member = self.member(creator).ok_or(BotRefusal::NotAMember)?;
        if self.bots.len() >= BOTS {
            return Err(BotRefusal::Full);
        }
        let bot = Bot {
            id: id_generator.bot(),
            number: id_generator.user(),
            creator,
            name: new.name,
            avatar: new.avatar,
            callback_url: new.callback_url,
            dm_notification: new.dm_notification,
            active: new.active,
            secret: Some(secret),
            previous_secret: None,
            receive_own: false,
            after: self.newest(),
            client,
            events: new.events,
            habits: new.habits,
        };
        let line =
            SystemMessage::BotAdded { user: member.named(), bot: bot.name.as_str().to_owned() };
        let facts = vec![
            Fact::Group(GroupFact::BotAdded(bot.clone())),
            self.system_message(line, now.wall, id_generator),
        ];
        Ok(Decision { facts, answer: bot })
    }

    /// Removes a bot, at the request of the one who made it.
    ///
    /// # Errors
    /// When there is no such bot, or it is somebody else's.
    pub fn remove_bot(
        &self,
        by: UserId,
        id: &BotId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, BotRefusal> {
        let bot = self.bot(id).filter(|bot| bot.creator == by).ok_or(BotRefusal::NoBot)?;
        let mut facts = vec![Fact::Group(GroupFact::BotRemoved(bot.clone()))];
        // Its creator may have left the group; then nobody is there to be named.
        if let Some(member) = self.member(by) {
            let line = SystemMessage::BotRemoved {
                user: member.named(),
                bot: bot.name.as_str().to_owned(),
            };
            facts.push(self.system_message(line, now.wall, id_generator));
        }
        Ok(Decision { facts, answer: () })
    }

    /// Adds a bot's message to the log.
    ///
    /// # Errors
    /// When there is no such bot, it was switched off, or mentions or answers what it cannot.
    pub fn post_as_bot(
        &self,
        id: &BotId,
        (post, answered): (BotPost, Option<&Message>),
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<Message>>, BotRefusal> {
        let bot = self.bot(id).ok_or(BotRefusal::NoBot)?;
        if !bot.active {
            return Err(BotRefusal::Inactive);
        }
        let BotPost { text, attachments, form, here } = post;
        let company = self.company(bot.creator, answered, &here);
        let attachments = addressed(attachments, Some(text.as_str()), form, &company)?;
        let message_id = id_generator.message(now.wall);
        let message = Arc::new(Message {
            id: message_id,
            author: Author::Bot(bot.number),
            name: bot.name.as_str().to_owned(),
            avatar: bot.avatar.clone(),
            source_guid: format!("{:032x}", message_id.get()),
            text: Some(text.as_str().to_owned()),
            attachments,
            count: self.count + 1,
            line: None,
            written_at: Message::written_at(message_id, now.wall),
            state: MessageState::default(),
        });
        let fact = Fact::Group(GroupFact::Posted(Arc::clone(&message)));
        Ok(Decision { facts: vec![fact], answer: message })
    }

    /// The newest message.
    pub(super) fn newest(&self) -> MessageId {
        self.last.as_ref().map_or(before_all(), |message| message.id)
    }

    pub(super) fn bot(&self, id: &BotId) -> Option<&Bot> {
        self.bots.get(id).filter(|_| !self.disbanded)
    }
}
