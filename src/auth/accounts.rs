//! Looking people up: by id, by email, by phone number.

use std::sync::Arc;

use crate::domain::group::{Contact, Former, Group, LookupTarget, Settings, Starter, Who};
use crate::domain::ids::{BotId, ClientId, Conversation, GroupId, Pair, UserId};
use crate::domain::notices::{MutedChats, WantedNotices};
use crate::domain::text::{Email, GroupName, Phone, UserName};
use crate::domain::time::Timestamp;
use crate::domain::user::{Application, Draft, Profile, TokenRecord, Unread};
use crate::index::rows::{ApplicationRow, BotRow, Seat, UserRow};
use crate::index::{Index, IndexFault};

/// The account that a password is checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginAccount {
    /// The user.
    pub user: UserId,
    /// What they are called.
    pub name: UserName,
    /// Where they log in with.
    pub email: Email,
    /// Argon2id in PHC form.
    pub password: String,
}

/// A bot and the group it is in.
pub type BotOf = BotRow;

/// Questions about people. Each sees everything that was answered before it was asked.
#[derive(Debug, Clone)]
pub struct Accounts(Arc<Index>);

/// An account, as operators look at it.
#[derive(Debug, Clone)]
pub struct FoundAccount {
    /// The user.
    pub id: UserId,
    /// The account.
    pub row: UserRow,
    /// How many tokens of it work.
    pub tokens: usize,
}

/// Somebody as another one sees them.
#[derive(Debug, Clone)]
pub struct SeenUser {
    /// What they tell about themselves; not all of it is for others.
    pub profile: Profile,
    /// Since when they have the account.
    pub created_at: Timestamp,
    /// The groups that both are in.
    pub shared_groups: Vec<(GroupId, Settings)>,
    /// Whether the other one may write to them.
    pub takes_messages: bool,
}

impl Accounts {
    /// Over this index.
    pub const fn new(index: Arc<Index>) -> Self {
        Self(index)
    }

    /// Somebody's account.
    ///
    /// # Errors
    /// When the index cannot be read; so for every question here.
    pub async fn account(&self, id: UserId) -> Result<Option<UserRow>, IndexFault> {
        self.ask(move |index| index.user(id)).await
    }

    /// What others see of somebody, also of one who is gone.
    pub async fn profile(&self, id: UserId) -> Result<Option<Profile>, IndexFault> {
        self.ask(move |index| index.profile(id)).await
    }

    /// Who comes into a group under this name.
    pub async fn starter(&self, who: Who) -> Result<Option<Starter>, IndexFault> {
        self.ask(move |index| {
            let Some(id) = find(index, &who)? else { return Ok(None) };
            let row = index.user(id)?;
            Ok(row.map(|row| starter(id, row)))
        })
        .await
    }

    /// Who comes into a group under this name when `by` adds them.
    pub async fn invitee(&self, who: Who, by: UserId) -> Result<LookupTarget, IndexFault> {
        self.ask(move |index| {
            let Some(id) = find(index, &who)? else { return Ok(LookupTarget::Nobody) };
            if index.has_blocked(id, by)? {
                return Ok(LookupTarget::Unwilling);
            }
            let Some(row) = index.user(id)? else { return Ok(LookupTarget::Nobody) };
            let (name, image) = (row.profile.name, row.profile.image);
            Ok(LookupTarget::Account(Starter { id, name, image }))
        })
        .await
    }

    /// With whom somebody has chats, the one with the newest message first: at most
    /// `most` after the first `skip`. It shows every direct message that was answered.
    pub async fn chats(
        &self,
        of: UserId,
        skip: usize,
        most: usize,
    ) -> Result<Vec<(UserId, Profile)>, IndexFault> {
        self.0.chats_current().await?;
        self.ask(move |index| {
            let mut chats = index.chats(of)?;
            chats.sort_unstable_by_key(|(_, chat)| std::cmp::Reverse(chat.last));
            let mut page = Vec::new();
            for (other, _) in chats.into_iter().skip(skip).take(most) {
                page.extend(index.profile(other)?.map(|profile| (other, profile)));
            }
            Ok(page)
        })
        .await
    }

    /// Whether two people are in one group now.
    pub async fn share_a_group(&self, one: UserId, other: UserId) -> Result<bool, IndexFault> {
        self.ask(move |index| {
            for (group, seat) in index.seats(one)? {
                if seat.is_active() && index.seat(other, group)?.is_some_and(|it| it.is_active()) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
        .await
    }

    /// The account with this email address.
    pub async fn by_email(&self, email: Email) -> Result<Option<(UserId, UserRow)>, IndexFault> {
        self.ask(move |index| {
            let Some(id) = index.user_by_email(&email.key())? else { return Ok(None) };
            Ok(index.user(id)?.map(|row| (id, row)))
        })
        .await
    }

    /// The account that logs in with this email address.
    pub async fn account_by_email(&self, email: Email) -> Result<Option<LoginAccount>, IndexFault> {
        Ok(self.by_email(email).await?.map(|(user, row)| account(user, row)))
    }

    /// Somebody's own account.
    pub async fn own_account(&self, user: UserId) -> Result<Option<LoginAccount>, IndexFault> {
        Ok(self.account(user).await?.map(|row| account(user, row)))
    }

    /// A user's tokens, oldest first.
    pub async fn tokens(&self, of: UserId) -> Result<Vec<TokenRecord>, IndexFault> {
        self.ask(move |index| index.tokens(of)).await
    }

    /// An application and whose it is.
    pub async fn application(
        &self,
        client: ClientId,
    ) -> Result<Option<ApplicationRow>, IndexFault> {
        self.ask(move |index| index.application(client)).await
    }

    /// A user's applications, oldest first.
    pub async fn applications(&self, of: UserId) -> Result<Vec<Application>, IndexFault> {
        let mut found = self.ask(move |index| index.applications(of)).await?;
        found.sort_by_key(|application| (application.created_at, application.client));
        Ok(found)
    }

    /// The groups that somebody owns, with their names.
    pub async fn owned_groups(&self, by: UserId) -> Result<Vec<(GroupId, String)>, IndexFault> {
        self.ask(move |index| {
            let mut owned = Vec::new();
            for (id, _) in index.seats(by)?.into_iter().filter(|(_, seat)| seat.is_active()) {
                let row = index.group(id)?.filter(|row| row.creator == by && !row.disbanded);
                owned.extend(row.map(|row| (id, row.settings.name.as_str().to_owned())));
            }
            Ok(owned)
        })
        .await
    }

    /// Whether another account has one of the names in this profile.
    pub async fn has_taken(&self, profile: &Profile) -> Result<bool, IndexFault> {
        let (email, phone) = (profile.email.key(), profile.phone.as_ref().map(Phone::key));
        self.ask(move |index| {
            let owner = phone.map(|phone| index.user_by_phone(&phone)).transpose()?.flatten();
            Ok(owner.is_some() || index.user_by_email(&email)?.is_some())
        })
        .await
    }

    /// Accounts with higher ids than this one, at most so many, in the order of ids.
    pub async fn users_after(
        &self,
        id: UserId,
        most: usize,
    ) -> Result<Vec<FoundAccount>, IndexFault> {
        self.ask(move |index| {
            let users = index.users_after(id, most)?.into_iter();
            users
                .map(|(id, row)| Ok(FoundAccount { id, row, tokens: index.tokens(id)?.len() }))
                .collect()
        })
        .await
    }

    /// What somebody has read of each of these conversations. Shows every message and
    /// every mark that was answered.
    pub async fn unread(
        &self,
        id: UserId,
        conversations: Vec<Conversation>,
    ) -> Result<Vec<Unread>, IndexFault> {
        self.0.shows(&conversations).await?;
        self.ask(move |index| {
            conversations.into_iter().map(|conv| index.unread(id, conv)).collect()
        })
        .await
    }

    /// Every group that somebody has to do with, or had.
    pub async fn seats(&self, id: UserId) -> Result<Vec<(GroupId, Seat)>, IndexFault> {
        self.ask(move |index| index.seats(id)).await
    }

    /// Who was in a group and is not now.
    pub async fn formers(&self, group: GroupId) -> Result<Vec<Former>, IndexFault> {
        self.ask(move |index| index.formers(group)).await
    }

    /// What somebody has written in a conversation and not sent, however long ago.
    pub async fn draft(&self, id: UserId, conv: Conversation) -> Result<Option<Draft>, IndexFault> {
        self.ask(move |index| index.draft(id, conv)).await
    }

    /// The same of all of their conversations.
    pub async fn drafts(&self, id: UserId) -> Result<Vec<(Conversation, Draft)>, IndexFault> {
        self.ask(move |index| index.drafts(id)).await
    }

    /// Of what in a conversation somebody wants notices.
    pub async fn notices(
        &self,
        id: UserId,
        conv: Conversation,
    ) -> Result<WantedNotices, IndexFault> {
        self.ask(move |index| index.wanted_notices(id, conv)).await
    }

    /// The chats that somebody muted.
    pub async fn chats_muted(&self, id: UserId) -> Result<MutedChats, IndexFault> {
        self.ask(move |index| index.chats_muted(id)).await
    }

    /// Those of these conversations that somebody is in.
    pub async fn own_conversations(
        &self,
        user: UserId,
        mut conversations: Vec<Conversation>,
    ) -> Result<Vec<Conversation>, IndexFault> {
        if conversations.iter().any(|it| matches!(it, Conversation::Chat(_))) {
            // One that began a moment ago is there too.
            self.0.chats_current().await?;
        }
        self.ask(move |index| {
            let mut own = Vec::with_capacity(conversations.len());
            for conversation in conversations.drain(..) {
                if index.is_in(user, conversation)? {
                    own.push(conversation);
                }
            }
            Ok(own)
        })
        .await
    }

    /// Somebody as another one may look at them: themselves, who has a chat with them, or
    /// who is in a group with them. `None` for everybody else.
    pub async fn seen_by(
        &self,
        id: UserId,
        reader: UserId,
    ) -> Result<Option<SeenUser>, IndexFault> {
        self.0.chats_current().await?;
        self.ask(move |index| {
            let Some(row) = index.user(id)? else { return Ok(None) };
            let mut shared_groups = Vec::new();
            for (group, _) in index.seats(reader)?.into_iter().filter(|it| it.1.is_active()) {
                if index.seat(id, group)?.is_some_and(|it| it.is_active()) {
                    shared_groups.extend(index.group(group)?.map(|row| (group, row.settings)));
                }
            }
            let pair = Pair::of(id, reader);
            let has_chat = pair.map(|pair| index.chat(pair)).transpose()?.flatten().is_some();
            if pair.is_some() && !has_chat && shared_groups.is_empty() {
                return Ok(None);
            }
            let is_blocked = index.has_blocked(id, reader)? || index.has_blocked(reader, id)?;
            let takes_messages = pair.is_some() && !is_blocked;
            let UserRow { profile, created_at, .. } = row;
            Ok(Some(SeenUser { profile, created_at, shared_groups, takes_messages }))
        })
        .await
    }

    /// What a group is called.
    pub async fn name_of_group(&self, id: GroupId) -> Result<Option<GroupName>, IndexFault> {
        self.ask(move |index| Ok(index.group(id)?.map(|row| row.settings.name))).await
    }

    /// The group that a bot is in, by the bot's secret id.
    pub async fn group_of_bot(&self, id: BotId) -> Result<Option<GroupId>, IndexFault> {
        self.ask(move |index| Ok(index.bot(&id)?.map(|row| row.group))).await
    }

    /// A bot and where it is, by its secret id.
    pub async fn bot(&self, id: BotId) -> Result<Option<BotRow>, IndexFault> {
        self.ask(move |index| index.bot(&id)).await
    }

    /// The bots that somebody made, each with its group and what that is called.
    pub async fn bots(&self, creator: UserId) -> Result<Vec<(BotRow, GroupName)>, IndexFault> {
        self.ask(move |index| {
            let mut named = Vec::new();
            for row in index.bots_of_creator(creator)? {
                let group = index.group(row.group)?;
                named.extend(group.map(|group| (row, group.settings.name)));
            }
            Ok(named)
        })
        .await
    }

    /// The groups that somebody is in, the one with the newest message first. Shows every
    /// message that was answered.
    pub async fn groups_of(&self, id: UserId) -> Result<Vec<GroupId>, IndexFault> {
        self.ask(move |index| index.groups_of(id)).await
    }

    /// The groups that somebody left and may come back to, the last left first; as they
    /// look from outside.
    pub async fn left_groups(&self, id: UserId) -> Result<Vec<Group>, IndexFault> {
        self.ask(move |index| {
            let mut seats = index.seats(id)?;
            seats.retain(|(_, seat)| seat.left && !seat.is_active() && !seat.disbanded);
            seats.sort_by_key(|(_, seat)| std::cmp::Reverse(seat.ended));
            let row = |(group, _)| Some((group, index.group(group).transpose()?));
            seats.into_iter().filter_map(row).map(|(group, row)| Ok(row?.outline(group))).collect()
        })
        .await
    }

    /// Who has this email address or phone number.
    pub async fn reached_by(&self, contact: Contact) -> Result<Option<Starter>, IndexFault> {
        self.ask(move |index| {
            let id = match &contact {
                Contact::Email(compared) => index.user_by_email(compared)?,
                Contact::Phone(compared) => index.user_by_phone(compared)?,
            };
            let row = id.map(|id| index.user(id)).transpose()?.flatten();
            Ok(id.zip(row).map(|(id, row)| starter(id, row)))
        })
        .await
    }

    /// Asks on a thread that may wait for the disk, once the index is current.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Index) -> Result<T, IndexFault> + Send + 'static,
    ) -> Result<T, IndexFault> {
        self.0.current().await?;
        self.0.blocking(question).await
    }
}

fn account(user: UserId, row: UserRow) -> LoginAccount {
    let Profile { name, email, .. } = row.profile;
    LoginAccount { user, name, email, password: row.password }
}

fn starter(id: UserId, row: UserRow) -> Starter {
    Starter { id, name: row.profile.name, image: row.profile.image }
}

fn find(index: &Index, who: &Who) -> Result<Option<UserId>, IndexFault> {
    match who {
        Who::User(id) => Ok(Some(*id)),
        Who::Email(email) => index.user_by_email(&email.key()),
        Who::Phone(phone) => index.user_by_phone(&phone.key()),
    }
}
