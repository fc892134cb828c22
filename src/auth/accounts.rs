//! Look-ups of people, by id, email address or phone number, and of what belongs to them.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::canonical::contacts;
use domain::factors::Factors;
use domain::group::{Contact, FormerMember, Group, LookupTarget, Newcomer, Settings, Who};
use domain::identities::{Identities, Identity};
use domain::ids::{BotId, ClientId, Conversation, GroupId, Pair, StreamId, UserId};
use domain::instance::{FixedSettings, SettingsInEffect};
use domain::message_requests::{RequestState, RequestedChats};
use domain::notices::{ConversationMutes, WantedNotices};
use domain::passkeys::Passkey;
use domain::text::{Email, GroupName, Phone, UserName};
use domain::time::Timestamp;
use domain::user::{Application, Device, Draft, Person, Profile, TokenRecord, Unread};
use index::rows::{ApplicationRow, BotRow, Seat, UserRow};
use index::{Index, IndexFault};

/// Accounts that are read at once where all are read.
const USERS_AT_ONCE: usize = 500;

/// The account that a password is checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginAccount {
    /// The user's id.
    pub user: UserId,
    /// The user's name.
    pub name: UserName,
    /// The email address that the user logs in with.
    pub email: Email,
    /// The password hash: Argon2id in PHC form.
    pub password: String,
    /// The second factor.
    pub factors: Factors,
    /// The identities at providers.
    pub identities: Identities,
    /// Whether the address was confirmed.
    pub is_confirmed: bool,
    /// When a password was last set with a link that an operator made.
    pub recovered_by_operator: Option<Timestamp>,
    /// Whether a directory made the account and nobody can log in yet, so that it takes the first
    /// identity with its address.
    pub awaits_identity: bool,
    /// Whether this log-in needs the second factor.
    pub needs_factor: bool,
}

/// A bot and the group it is in.
pub type BotOf = BotRow;

/// Look-ups in the index. Each sees everything that was answered before it was asked.
#[derive(Debug, Clone)]
pub struct Accounts(Arc<Index>);

/// An account, as operators see it.
#[derive(Debug, Clone)]
pub struct FoundAccount {
    /// The user.
    pub id: UserId,
    /// The account's row.
    pub row: UserRow,
    /// How many tokens the account has: those not revoked, expired ones included.
    pub tokens: usize,
}

/// A range of a user's chats, counted from the one with the newest message.
#[derive(Debug, Clone, Copy)]
pub struct ChatRange {
    /// Number of chats to skip.
    pub skip: usize,
    /// Maximum number of chats.
    pub most: usize,
}

/// A user, as another user sees them.
#[derive(Debug, Clone)]
pub struct SeenUser {
    /// The user's profile; not all of it is for others.
    pub profile: Profile,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// The groups that both users are in.
    pub shared_groups: Vec<(GroupId, Settings)>,
    /// Whether the other user may write to this one.
    pub takes_messages: bool,
}

impl Accounts {
    /// Reads this index.
    pub const fn new(index: Arc<Index>) -> Self {
        Self(index)
    }

    /// Returns an account.
    ///
    /// # Errors
    /// If the index cannot be read; so for every function here.
    pub async fn account(&self, id: UserId) -> Result<Option<UserRow>, IndexFault> {
        self.ask(move |index| index.user(id)).await
    }

    /// Returns a user's profile, also of a deleted account.
    pub async fn profile(&self, id: UserId) -> Result<Option<Profile>, IndexFault> {
        self.ask(move |index| index.profile(id)).await
    }

    /// Returns the account that is named, as a group sees somebody who comes in.
    pub async fn newcomer(&self, who: Who) -> Result<Option<Newcomer>, IndexFault> {
        self.ask(move |index| {
            let Some(id) = find(index, &who)? else { return Ok(None) };
            let row = index.user(id)?;
            Ok(row.map(|row| newcomer(id, row)))
        })
        .await
    }

    /// Returns the account that is named, as a group sees somebody whom `by` adds.
    pub async fn invitee(&self, who: Who, by: UserId) -> Result<LookupTarget, IndexFault> {
        self.ask(move |index| {
            let Some(id) = find(index, &who)? else { return Ok(LookupTarget::Nobody) };
            if index.has_blocked(id, by)? {
                return Ok(LookupTarget::Unwilling);
            }
            let Some(row) = index.user(id)? else { return Ok(LookupTarget::Nobody) };
            Ok(LookupTarget::Account(newcomer(id, row)))
        })
        .await
    }

    /// Returns the users with whom a user has chats, the chat with the newest message first, without
    /// those that are message requests. Shows every direct message that was answered.
    pub async fn chats(
        &self,
        of: UserId,
        range: ChatRange,
        requested: RequestedChats,
    ) -> Result<Vec<(UserId, Profile)>, IndexFault> {
        self.0.chats_current().await?;
        self.ask(move |index| {
            let mut chats = index.chats(of)?;
            let is_request = |other| {
                Pair::of(of, other).is_some_and(|it| requested.state(StreamId::Chat(it)).is_some())
            };
            if !requested.is_empty() {
                chats.retain(|(other, _)| !is_request(*other));
            }
            chats.sort_unstable_by_key(|(_, chat)| std::cmp::Reverse(chat.last));
            let mut page = Vec::new();
            for (other, _) in chats.into_iter().skip(range.skip).take(range.most) {
                page.extend(index.profile(other)?.map(|profile| (other, profile)));
            }
            Ok(page)
        })
        .await
    }

    /// Returns the chats of a user that are message requests.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn requested_chats(&self, user: UserId) -> Result<RequestedChats, IndexFault> {
        self.ask(move |index| index.requested_chats(user)).await
    }

    /// Returns the users with open message requests to a user who have written, the newest message
    /// first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn open_requests(
        &self,
        of: UserId,
        requested: RequestedChats,
    ) -> Result<Vec<(UserId, Profile)>, IndexFault> {
        self.0.chats_current().await?;
        self.ask(move |index| {
            let mut chats = Vec::new();
            for stream in requested.open() {
                let StreamId::Chat(pair) = stream else { continue };
                let row = index.chat(pair)?;
                chats.extend(pair.other(of).zip(row).map(|(other, row)| (other, row.last)));
            }
            chats.sort_unstable_by_key(|(_, last)| std::cmp::Reverse(*last));
            let mut people = Vec::new();
            for (other, _) in chats {
                people.extend(index.profile(other)?.map(|profile| (other, profile)));
            }
            Ok(people)
        })
        .await
    }

    /// Whether two users are in the same group now.
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

    /// Returns the people whom `by` would bring into a group, without those who are in it. The
    /// look-up ends once there are more than `most` strangers.
    pub async fn people_to_add(
        &self,
        by: UserId,
        group: GroupId,
        who: Vec<Who>,
        most: usize,
    ) -> Result<Vec<Person>, IndexFault> {
        self.0.chats_current().await?;
        self.ask(move |index| {
            let mut own = index.seats(by)?;
            own.retain(|(_, seat)| seat.is_active());
            let own: Vec<GroupId> = own.into_iter().map(|(id, _)| id).collect();
            let mut people = Vec::new();
            let mut strangers = 0;
            for who in who {
                let person = match find(index, &who)? {
                    Some(id) => person(index, by, id, &own, group)?,
                    None => Some(Person::Unknown),
                };
                strangers += usize::from(matches!(person, Some(Person::Stranger(_))));
                people.extend(person);
                if strangers > most {
                    break;
                }
            }
            Ok(people)
        })
        .await
    }

    /// Returns the account with an email address, as somebody typed it. An account of an earlier
    /// version may have it exactly as typed, with characters that do not count any more.
    pub async fn by_typed_email(
        &self,
        typed: &str,
    ) -> Result<Option<(UserId, UserRow)>, IndexFault> {
        let keys = [contacts::former_email_key(typed), contacts::email_key(typed)];
        self.ask(move |index| {
            for key in keys {
                if let Some(id) = index.user_by_email(&key)? {
                    return Ok(index.user(id)?.map(|row| (id, row)));
                }
            }
            Ok(None)
        })
        .await
    }

    /// Returns the account that logs in with an email address, as somebody typed it.
    pub async fn account_by_typed_email(
        &self,
        typed: &str,
    ) -> Result<Option<LoginAccount>, IndexFault> {
        Ok(self.by_typed_email(typed).await?.map(|(user, row)| account(user, row)))
    }

    /// Returns a user's account, to check its password.
    pub async fn own_account(&self, user: UserId) -> Result<Option<LoginAccount>, IndexFault> {
        Ok(self.account(user).await?.map(|row| account(user, row)))
    }

    /// Returns a user's tokens, oldest first.
    pub async fn tokens(&self, of: UserId) -> Result<Vec<TokenRecord>, IndexFault> {
        self.ask(move |index| index.tokens(of)).await
    }

    /// Returns an application and its owner.
    pub async fn application(
        &self,
        client: ClientId,
    ) -> Result<Option<ApplicationRow>, IndexFault> {
        self.ask(move |index| index.application(client)).await
    }

    /// Returns a user's applications, oldest first.
    pub async fn applications(&self, of: UserId) -> Result<Vec<Application>, IndexFault> {
        let mut found = self.ask(move |index| index.applications(of)).await?;
        found.sort_by_key(|application| (application.created_at, application.client));
        Ok(found)
    }

    /// Returns the groups that a user owns, with their names.
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

    /// Whether an account has the email address or the phone number of this profile.
    pub async fn is_contact_taken(&self, profile: &Profile) -> Result<bool, IndexFault> {
        let email = profile.email.key();
        let phone = profile.phone.as_ref().map(Phone::key);
        self.ask(move |index| {
            let owner = phone.map(|phone| index.user_by_phone(&phone)).transpose()?.flatten();
            Ok(owner.is_some() || index.user_by_email(&email)?.is_some())
        })
        .await
    }

    /// Returns at most `most` accounts with ids above this one, in the order of ids.
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

    /// The number of passkeys that were made for another host. Reads every account.
    pub async fn passkeys_elsewhere(&self, host: Option<String>) -> Result<usize, IndexFault> {
        self.ask(move |index| {
            let is_elsewhere = |passkey: &&Passkey| Some(passkey.host.as_str()) != host.as_deref();
            let mut last = UserId::new(0);
            let mut elsewhere = 0;
            loop {
                let users = index.users_after(last, USERS_AT_ONCE)?;
                let Some((id, _)) = users.last() else { return Ok(elsewhere) };
                last = *id;
                let passkeys = users.iter().flat_map(|(_, row)| &row.factors.passkeys.list);
                elsewhere += passkeys.filter(is_elsewhere).count();
            }
        })
        .await
    }

    /// Returns what a user has read of each of these conversations. Shows every message and every
    /// read mark that was answered.
    pub async fn unread(
        &self,
        id: UserId,
        conversations: Vec<Conversation>,
    ) -> Result<Vec<Unread>, IndexFault> {
        self.0.messages_reached(&conversations).await?;
        self.ask(move |index| {
            conversations.into_iter().map(|conv| index.unread(id, conv)).collect()
        })
        .await
    }

    /// Returns every group that a user is or was in.
    pub async fn seats(&self, id: UserId) -> Result<Vec<(GroupId, Seat)>, IndexFault> {
        self.ask(move |index| index.seats(id)).await
    }

    /// Returns the users who were in a group and are not now.
    pub async fn former_members(&self, group: GroupId) -> Result<Vec<FormerMember>, IndexFault> {
        self.ask(move |index| index.former_members(group)).await
    }

    /// Returns a user's unsent draft in a conversation, however old.
    pub async fn draft(&self, id: UserId, conv: Conversation) -> Result<Option<Draft>, IndexFault> {
        self.0.drafts_current().await?;
        self.0.blocking(move |index| index.draft(id, conv)).await
    }

    /// Returns a user's drafts in all conversations.
    pub async fn drafts(&self, id: UserId) -> Result<Vec<(Conversation, Draft)>, IndexFault> {
        self.0.drafts_current().await?;
        self.0.blocking(move |index| index.drafts(id)).await
    }

    /// Returns for what in a conversation a user wants notices.
    pub async fn notices(
        &self,
        id: UserId,
        conv: Conversation,
    ) -> Result<WantedNotices, IndexFault> {
        self.ask(move |index| index.wanted_notices(id, conv)).await
    }

    /// Returns the devices that a user registered for notices.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn devices(&self, id: UserId) -> Result<Vec<Device>, IndexFault> {
        self.ask(move |index| index.devices(id)).await
    }

    /// Returns the chats that a user muted.
    pub async fn conversation_mutes(&self, id: UserId) -> Result<ConversationMutes, IndexFault> {
        self.ask(move |index| index.conversation_mutes(id)).await
    }

    /// Returns those of these conversations that a user is in.
    pub async fn own_conversations(
        &self,
        user: UserId,
        conversations: BTreeSet<Conversation>,
    ) -> Result<BTreeSet<Conversation>, IndexFault> {
        if conversations.iter().any(|it| matches!(it, Conversation::Chat(_))) {
            // A chat that began a moment ago must be found too.
            self.0.chats_current().await?;
        }
        self.ask(move |index| index.own_conversations(user, conversations)).await
    }

    /// Returns a user as `reader` may see them: `reader` is the user, has a chat with them, or is
    /// in a group with them. `None` for everybody else.
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
            let rules = index.dm_rules(id)?;
            let is_declined = rules.state(reader) == Some(RequestState::Declined);
            let choice = rules.choice.or(index.place_settings()?.dm_from).unwrap_or_default();
            let takes_first = choice.receive(!shared_groups.is_empty()).is_ok();
            let takes_messages =
                pair.is_some() && !is_blocked && !is_declined && (has_chat || takes_first);
            let UserRow { profile, created_at, .. } = row;
            Ok(Some(SeenUser { profile, created_at, shared_groups, takes_messages }))
        })
        .await
    }

    /// Returns the group that a topic belongs to; of a group, the group itself.
    pub async fn group_behind(&self, id: GroupId) -> Result<GroupId, IndexFault> {
        self.ask(move |index| index.group_behind(id)).await
    }

    /// Returns the name of a group.
    pub async fn name_of_group(&self, id: GroupId) -> Result<Option<GroupName>, IndexFault> {
        self.ask(move |index| Ok(index.group(id)?.map(|row| row.settings.name))).await
    }

    /// Returns the group that a bot is in, by the bot's secret id.
    pub async fn group_of_bot(&self, id: BotId) -> Result<Option<GroupId>, IndexFault> {
        self.ask(move |index| Ok(index.bot(&id)?.map(|row| row.group))).await
    }

    /// Returns a bot and its group, by the bot's secret id.
    pub async fn bot(&self, id: BotId) -> Result<Option<BotRow>, IndexFault> {
        self.ask(move |index| index.bot(&id)).await
    }

    /// Returns the bots that a user made, each with its group and the group's name.
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

    /// Returns the groups that a user is in, the one with the newest message first. Shows every
    /// message that was answered.
    pub async fn groups_of(&self, id: UserId) -> Result<Vec<GroupId>, IndexFault> {
        self.ask(move |index| index.groups_of(id)).await
    }

    /// Returns the groups of a user that are archived, or those that are not, the one with the latest
    /// activity first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn listed_groups(
        &self,
        id: UserId,
        are_archived: bool,
    ) -> Result<Vec<GroupId>, IndexFault> {
        self.ask(move |index| {
            let mut listed = Vec::new();
            for group in index.groups_of(id)? {
                if index.is_archived(group)? == are_archived {
                    listed.push(group);
                }
            }
            Ok(listed)
        })
        .await
    }

    /// Returns the groups that a user left and may come back to, the last left first; as they look
    /// from outside.
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

    /// Returns the account with this email address or phone number.
    pub async fn account_by_contact(
        &self,
        contact: Contact,
    ) -> Result<Option<Newcomer>, IndexFault> {
        self.ask(move |index| {
            let id = match &contact {
                Contact::Email(compared) => index.user_by_email(compared)?,
                Contact::Phone(compared) => index.user_by_phone(compared)?,
            };
            let row = id.map(|id| index.user(id)).transpose()?.flatten();
            Ok(id.zip(row).map(|(id, row)| newcomer(id, row)))
        })
        .await
    }

    /// Returns the user with this identity at a provider.
    pub async fn user_by_identity(&self, identity: Identity) -> Result<Option<UserId>, IndexFault> {
        self.ask(move |index| index.user_by_identity(&identity)).await
    }

    /// Returns the user with a log-in in this session of a provider.
    pub async fn user_in_session(
        &self,
        issuer: String,
        session: String,
    ) -> Result<Option<UserId>, IndexFault> {
        self.ask(move |index| index.user_in_session(&issuer, &session)).await
    }

    /// Until when a user may go without the second factor that they must have; `None` if they have
    /// one, or need none. `fixed`: the settings that options fix.
    pub async fn factor_deadline(
        &self,
        user: UserId,
        fixed: FixedSettings,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, IndexFault> {
        self.ask(move |index| {
            let settings = SettingsInEffect::of(&fixed, index.place_settings()?);
            index.factor_deadline(user, &settings, now)
        })
        .await
    }

    /// Runs a look-up on a thread that may wait for the disk, once the index is current.
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
    let needs_factor = row.factors.is_on();
    let UserRow { password, factors, identities, mailbox, provisioning, .. } = row;
    let awaits_identity = provisioning.is_managed()
        && identities.has_no_password
        && identities.linked.is_empty()
        && factors.passkeys.is_empty();
    let recovered_by_operator = mailbox.recovered_by_operator;
    let is_confirmed = mailbox.confirmed.is_some_and(|it| it.key() == email.key());
    LoginAccount {
        user,
        name,
        email,
        password,
        factors,
        identities,
        is_confirmed,
        recovered_by_operator,
        awaits_identity,
        needs_factor,
    }
}

fn newcomer(id: UserId, row: UserRow) -> Newcomer {
    let is_guest = row.profile.guest.is_some();
    Newcomer { id, name: row.profile.name, image: row.profile.image, is_guest }
}

/// A user, as somebody adds them who is in the groups `own`; `None` for a member of the group and
/// for `by`.
fn person(
    index: &Index,
    by: UserId,
    id: UserId,
    own: &[GroupId],
    group: GroupId,
) -> Result<Option<Person>, IndexFault> {
    let is_in = |group: &GroupId| -> Result<bool, IndexFault> {
        Ok(index.seat(id, *group)?.is_some_and(|it| it.is_active()))
    };
    let Some(pair) = Pair::of(id, by) else { return Ok(None) };
    if is_in(&group)? {
        return Ok(None);
    }
    let mut is_known = index.chat(pair)?.is_some();
    let mut groups = own.iter();
    while let Some(shared) = groups.next().filter(|_| !is_known) {
        is_known = is_in(shared)?;
    }
    Ok(Some(if is_known { Person::Known(id) } else { Person::Stranger(id) }))
}

fn find(index: &Index, who: &Who) -> Result<Option<UserId>, IndexFault> {
    match who {
        Who::User(id) => Ok(Some(*id)),
        Who::Email(email) => index.user_by_email(&email.key()),
        Who::Phone(phone) => index.user_by_phone(&phone.key()),
    }
}
