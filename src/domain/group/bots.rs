//! Bots: automated members. A bot's id is the secret with which it posts, so messages carry its
//! public number instead.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::addressees::{AddressRefusal, check_attachments};
use crate::attachment::{AddressForm, Attachment, ImageRef};
use crate::bot_event::BotEvent;
use crate::event::{Decision, Fact};
use crate::group::{BotHabits, BrokenRule, Denied, Group, GroupAct, GroupFact, Member};
use crate::id_generator::IdGenerator;
use crate::ids::{BotId, ClientId, MessageId, UserId};
use crate::limits::BOTS;
use crate::message::{Author, Message, SystemMessage};
use crate::revision::MessageState;
use crate::text::{CallbackUrl, MessageText, Nickname};
use crate::time::{Moment, Timestamp};

/// A bot of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bot {
    /// The secret with which it posts.
    pub id: BotId,
    /// The bot's public number, which its messages carry as the sender's id.
    pub number: UserId,
    /// The user who made it.
    pub creator: UserId,
    /// The bot's name.
    pub name: Nickname,
    /// The bot's picture.
    pub avatar: Option<ImageRef>,
    /// The URL that it is called back at; `None` if it is not called back.
    pub callback_url: Option<CallbackUrl>,
    /// Whether its creator wants direct messages to reach it.
    pub dm_notification: bool,
    /// Whether it may post and is called back.
    pub active: bool,
    /// The secret that callbacks are signed with; `None` for a bot older than signatures.
    #[serde(default)]
    pub secret: Option<Secret>,
    /// The secret before that one, and until when it also signs.
    #[serde(default)]
    pub previous_secret: Option<(Secret, Timestamp)>,
    /// Whether it receives its own posts.
    #[serde(default)]
    pub receive_own: bool,
    /// Only messages after this one are sent to it.
    #[serde(default = "before_all")]
    pub after: MessageId,
    /// The application that made it, and with which it is removed; `None` for a bot that its
    /// creator made or decided to keep.
    #[serde(default)]
    pub client: Option<ClientId>,
    /// The kinds of events that it is called back for; `None` means messages only.
    #[serde(default)]
    pub events: Option<Vec<BotEvent>>,
    /// How it takes part in the group.
    #[serde(default, skip_serializing_if = "BotHabits::is_usual")]
    pub habits: BotHabits,
}

/// The user who makes a bot, and the application used for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maker {
    /// The user.
    pub user: UserId,
    /// The application that acts for the user, if one does.
    pub client: Option<ClientId>,
}

const fn before_all() -> MessageId {
    MessageId::new(0)
}

impl Bot {
    /// Whether this user or application may see and change the bot: its creator may, and of the
    /// applications that act for the creator only the one that made it. Its id must stay hidden
    /// from others, since it is the secret with which the bot posts.
    pub fn is_handled_by(&self, maker: Maker) -> bool {
        let Maker { user, client } = maker;
        self.creator == user && (client.is_none() || self.client == client)
    }

    /// Whether events are sent to it.
    pub fn is_called_back(&self) -> bool {
        self.active && self.callback_url.is_some()
    }

    /// Whether it is called back for events of this kind.
    pub fn asks_for(&self, event: BotEvent) -> bool {
        self.events.as_ref().map_or(event.is_message(), |events| events.contains(&event))
    }

    /// Whether it is called back for a fact; for its own messages and revisions only if it asks for
    /// them.
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
            | GroupFact::JoinRequested(_)
            | GroupFact::RequestSettled { .. }
            | GroupFact::Moderated(_)
            | GroupFact::Polled(_)
            | GroupFact::Planned(_)
            | GroupFact::Topic(_) => false,
        };
        !is_own && fact.bot_event().is_some_and(|event| self.asks_for(event))
    }

    /// Whether it receives a message; of its own only if it asks for them.
    pub fn hears(&self, message: &Message) -> bool {
        hears(self.number, self.receive_own, message)
    }

    /// How long the secret that somebody shows opens this bot, if it does. Always compares both
    /// secrets, so that the time taken tells nothing.
    pub fn secret_validity(&self, said: &str, now: Timestamp) -> Option<Validity> {
        let is_current = self.secret.as_ref().is_some_and(|secret| secret.is(said));
        let previous =
            self.previous_secret.as_ref().map(|(secret, until)| (secret.is(said), until));
        match previous {
            _ if is_current => Some(Validity::Open),
            Some((true, until)) if now < *until => Some(Validity::Until(*until)),
            Some(_) | None => None,
        }
    }

    /// The secrets that sign callbacks now, the newest first.
    pub fn secrets(&self, now: Timestamp) -> impl Iterator<Item = &Secret> {
        let previous = self.previous_secret.iter().filter(move |(_, until)| now < *until);
        self.secret.iter().chain(previous.map(|(secret, _)| secret))
    }
}

/// Whether the bot with this number hears of a message; of its own only if `receive_own`.
pub fn hears(number: UserId, receive_own: bool, message: &Message) -> bool {
    receive_own || message.author != Author::Bot(number)
}

/// How long a secret is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// Until it is replaced.
    Open,
    /// It was replaced, and is valid until then.
    Until(Timestamp),
}

/// The secret that callbacks are signed with: `whsec_` and random bytes in Base64, as the Standard
/// Webhooks specification defines it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The prefix of every secret.
    pub const PREFIX: &'static str = "whsec_";

    /// Makes a secret of random bytes in Base64.
    pub fn of(base64: &str) -> Self {
        Self(format!("{}{base64}", Self::PREFIX))
    }

    /// Whether a text is this secret. Compares in constant time.
    pub fn is(&self, said: &str) -> bool {
        self.0.as_bytes().ct_eq(said.as_bytes()).into()
    }

    /// The secret in clear text, for its owner.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

/// A bot to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBot {
    /// The bot's name.
    pub name: Nickname,
    /// The bot's picture.
    pub avatar: Option<ImageRef>,
    /// The URL that it is to be called back at.
    pub callback_url: Option<CallbackUrl>,
    /// Whether its creator wants direct messages to reach it.
    pub dm_notification: bool,
    /// Whether it may post and is called back.
    pub active: bool,
    /// The kinds of events that it is to be called back for; `None` means messages only.
    pub events: Option<Vec<BotEvent>>,
    /// How it takes part in the group.
    #[serde(default)]
    pub habits: BotHabits,
    /// Whether it also receives its own messages.
    #[serde(default)]
    pub receive_own: bool,
}

/// A message that a bot wants to post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotPost {
    /// The text; `None` if the post has attachments only.
    pub text: Option<MessageText>,
    /// The attachments: pictures, a location, mentions and the message that it answers.
    pub attachments: Vec<Attachment>,
    /// The form in which it mentions and answers.
    pub form: AddressForm,
    /// The users who are here now: they are mentioned if the message mentions everybody here.
    pub here: Vec<UserId>,
}

impl BotPost {
    /// A post with this text and these attachments.
    pub const fn new(text: Option<MessageText>, attachments: Vec<Attachment>) -> Self {
        Self { text, attachments, form: AddressForm::Specified, here: Vec::new() }
    }
}

/// Why a question about a bot was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum BotRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The bot is unknown, in a group that is gone, or somebody else's.
    #[error("there is no such bot")]
    NoBot,
    /// The role of the caller, or of the member who made the bot, does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// The bot was switched off.
    #[error("this bot is not active")]
    Inactive,
    /// The message mentions somebody or answers a message that it cannot.
    #[error(transparent)]
    Address(#[from] AddressRefusal),
    /// The group has too many bots.
    #[error("a group has at most {BOTS} bots")]
    Full,
    /// The member who made the bot left, was removed or is banned.
    #[error("this bot rests: the user who created it is not in the group")]
    Resting,
    /// The account of the bot's creator is disabled.
    #[error("the account that created this bot is disabled; contact the operators of this server")]
    Shut,
    /// A plain member tried to remove a bot that somebody else made.
    #[error("only the owner, admins and the member who created this bot may remove it")]
    AdminsOnly,
}

impl Group {
    /// Makes a bot.
    ///
    /// # Errors
    /// If its creator is no member, or the group has too many bots.
    pub fn add_bot(
        &self,
        maker: Maker,
        (new, secret): (NewBot, Secret),
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Bot>, BotRefusal> {
        let Maker { user: creator, client } = maker;
        let member = self.member(creator).ok_or(BotRefusal::NotAMember)?;
        self.permit(member, GroupAct::MakeBots, now.wall)?;
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
            receive_own: new.receive_own,
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

    /// Posts a bot's message.
    ///
    /// # Errors
    /// If there is no such bot, it was switched off, or the message mentions somebody or answers a
    /// message that it cannot.
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
        let creator = self.member(bot.creator).ok_or(BotRefusal::Resting)?;
        self.permit(creator, GroupAct::PostAsBot, now.wall)?;
        self.keep_pace(creator, now.wall)?;
        let BotPost { text, attachments, form, here } = post;
        let context = self.context(bot.creator, answered, &here);
        let attachments =
            check_attachments(attachments, text.as_ref().map(MessageText::as_str), form, &context)?;
        let message_id = id_generator.message(now.wall);
        let message = Arc::new(Message {
            id: message_id,
            author: Author::Bot(bot.number),
            name: bot.name.as_str().to_owned(),
            avatar: bot.avatar.clone(),
            source_guid: format!("{:032x}", message_id.get()),
            text: text.map(|text| text.as_str().to_owned()),
            attachments,
            count: self.count + 1,
            line: None,
            written_at: Message::written_at(message_id, now.wall),
            parent: self.parent(),
            state: MessageState::default(),
        });
        let fact = Fact::Group(GroupFact::Posted(Arc::clone(&message)));
        Ok(Decision { facts: vec![fact], answer: message })
    }

    /// The facts that wake the bots of users who become members: a bot rests while the user who made
    /// it is out, and receives nothing of that time.
    pub(super) fn wake_bots(&self, joined: &[Member]) -> Vec<Fact> {
        let is_back = |bot: &&Bot| joined.iter().any(|member| member.user_id == bot.creator);
        let woken = |bot: &Bot| Bot { after: self.newest(), ..bot.clone() };
        let bots = self.bots.values().filter(is_back);
        bots.map(|bot| Fact::Group(GroupFact::BotChanged(woken(bot)))).collect()
    }

    /// The id of the newest message; zero if there is none.
    pub(super) fn newest(&self) -> MessageId {
        self.last.as_ref().map_or(before_all(), |message| message.id)
    }

    pub(super) fn bot(&self, id: &BotId) -> Option<&Bot> {
        self.bots.get(id).filter(|_| !self.disbanded)
    }
}
