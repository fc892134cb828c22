//! Looks up users, tokens, groups, bots and memberships. Each read may block on the disk, so it
//! runs on a thread that may wait.

use std::collections::{BTreeMap, BTreeSet};

use crate::rows::{
    self, AnswerRow, ApplicationRow, BotRow, CallbackProgress, ChatRow, GroupRow, Seat, Tail,
    TokenRow, UserRow,
};
use crate::{Flow, Index, IndexFault, Walk, due, keys};
use domain::callback::Delivery;
use domain::first_answer::AskKey;
use domain::group::{AddRequest, Contact, FormerMember, Invite, Member};
use domain::identities::Identity;
use domain::ids::{
    AddId, BotId, ClientId, Conversation, DeliveryId, GroupId, NameId, Pair, StreamId, TokenId,
    UserId,
};
use domain::instance::SettingsInEffect;
use domain::name::Name;
use domain::required_factor::FactorHolder;
use domain::time::Timestamp;
use domain::user::{
    Application, Device, Draft, KnownPerson, Profile, TokenHash, TokenRecord, User,
};

impl Index {
    /// Returns a user's account; `None` if it was deleted.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn user(&self, id: UserId) -> Result<Option<UserRow>, IndexFault> {
        let row: Option<UserRow> = self.row("user", &keys::user(id))?;
        Ok(row.filter(|row| !row.is_deleted))
    }

    /// Until when a user may go without the second factor that these settings require; `None` if they
    /// have one, or need none.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn factor_deadline(
        &self,
        user: UserId,
        settings: &SettingsInEffect,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, IndexFault> {
        let Some(row) = self.user(user)? else { return Ok(None) };
        let recovered_at = row.mailbox.recovered_by_operator;
        let passwords = settings.password_login.value;
        Ok(settings.second_factor.value.deadline(FactorHolder {
            has_factor: row.factors.is_on(),
            uses_password: passwords.permits(row.operator, recovered_at, now),
            created_at: row.created_at,
            role: row.operator.zip(row.operator_since),
        }))
    }

    /// Whether an operator or a directory has disabled a user's account.
    pub fn is_shut(&self, id: UserId) -> Result<bool, IndexFault> {
        Ok(self.user(id)?.is_some_and(|row| row.is_disabled()))
    }

    /// Returns a user's profile, also after the account was deleted.
    pub fn profile(&self, id: UserId) -> Result<Option<Profile>, IndexFault> {
        let row: Option<UserRow> = self.row("user", &keys::user(id))?;
        Ok(row.map(|row| row.profile))
    }

    /// Returns an application and its owner.
    pub fn application(&self, client: ClientId) -> Result<Option<ApplicationRow>, IndexFault> {
        self.row("application", &keys::application(client))
    }

    /// A user's applications.
    pub fn applications(&self, owner: UserId) -> Result<Vec<Application>, IndexFault> {
        self.rows_of("application", &keys::applications_of(owner))
    }

    /// Returns a user's account as the domain knows it, without what has rows of its own: tokens,
    /// blocks, folders, saved messages.
    pub fn account(&self, id: UserId) -> Result<Option<User>, IndexFault> {
        Ok(self.user(id)?.map(|row| {
            let mut user = User::registered(id, row.profile, row.password, row.created_at);
            user.updated_at = row.updated_at;
            user.sms = row.sms;
            user.disabled_at = row.disabled_at;
            user.public_profiles = row.public_profiles;
            user.pinned = row.pinned;
            user.contact_changes = row.contact_changes;
            user.mailbox = row.mailbox;
            user.factors = row.factors;
            user.identities = row.identities;
            user.operator = row.operator;
            user.provisioning = row.provisioning;
            user.waiting = row.waiting;
            user
        }))
    }

    /// Returns up to `most` accounts with higher ids than `id`, in the order of ids; deleted ones
    /// are left out.
    pub fn users_after(
        &self,
        id: UserId,
        most: usize,
    ) -> Result<Vec<(UserId, UserRow)>, IndexFault> {
        let mut found = Vec::new();
        let low = keys::user(UserId::new(id.get().saturating_add(1)));
        let high = keys::user(UserId::new(u64::MAX));
        self.rows.scan(&low, &high, Walk::Up, &mut |key, value| {
            if found.len() >= most {
                return Ok(Flow::Stop);
            }
            let row: UserRow = rows::decode("user", value)?;
            if !row.is_deleted {
                found.push((keys::user_of(key), row));
            }
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns the user with this email address, given in the form in which addresses are compared.
    pub fn user_by_email(&self, compared: &str) -> Result<Option<UserId>, IndexFault> {
        self.row("email", &keys::email(compared))
    }

    /// Returns the user with this phone number, given in the form in which numbers are compared.
    pub fn user_by_phone(&self, compared: &str) -> Result<Option<UserId>, IndexFault> {
        self.row("phone", &keys::phone(compared))
    }

    /// Returns the user with this identity at a provider.
    pub fn user_by_identity(&self, identity: &Identity) -> Result<Option<UserId>, IndexFault> {
        self.row("identity", &keys::identity(identity))
    }

    /// Returns the user for whom a directory has the name with this digest.
    pub fn user_by_directory_name(&self, digest: &[u8; 32]) -> Result<Option<UserId>, IndexFault> {
        self.row("directory name", &keys::directory_name(digest))
    }

    /// Returns the user with a log-in in this session of a provider. Reads every account with an
    /// identity, since few providers name a session alone.
    pub fn user_in_session(
        &self,
        issuer: &str,
        session: &str,
    ) -> Result<Option<UserId>, IndexFault> {
        for user in self.rows_of::<UserId>("identity", keys::IDENTITIES)? {
            let Some(row) = self.user(user)? else { continue };
            let mut sessions = row.identities.sessions.iter();
            if sessions.any(|it| it.issuer == issuer && it.session.as_deref() == Some(session)) {
                return Ok(Some(user));
            }
        }
        Ok(None)
    }

    /// Returns the token with this hash, and its user.
    pub fn token(&self, hash: &TokenHash) -> Result<Option<TokenRow>, IndexFault> {
        self.row("token", &keys::token(hash))
    }

    /// A user's tokens, oldest first.
    pub fn tokens(&self, user: UserId) -> Result<Vec<TokenRecord>, IndexFault> {
        self.rows_of("user token", &keys::user_tokens(user))
    }

    /// Whether a user's token has not been revoked.
    pub fn has_token(&self, user: UserId, id: TokenId) -> Result<bool, IndexFault> {
        Ok(self.rows.get(&keys::user_token(user, id))?.is_some())
    }

    /// Returns a user's stays for each group that the user is or was in.
    pub fn seats(&self, user: UserId) -> Result<Vec<(GroupId, Seat)>, IndexFault> {
        let mut found = Vec::new();
        let prefix = keys::seats(user);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            found.push((keys::group_of(key), rows::decode("seat", value)?));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns a user's stays in a group or a topic, if the user ever was in the group.
    pub fn seat(&self, user: UserId, group: GroupId) -> Result<Option<Seat>, IndexFault> {
        match self.row("seat", &keys::seat(user, group))? {
            Some(seat) => Ok(Some(seat)),
            None => self.seat_in_topic(user, group),
        }
    }

    /// Returns a group without its members.
    pub fn group(&self, id: GroupId) -> Result<Option<GroupRow>, IndexFault> {
        self.row("group", &keys::group(id))
    }

    /// A group's members.
    pub fn members(&self, id: GroupId) -> Result<Vec<Member>, IndexFault> {
        self.rows_of("member", &keys::members(id))
    }

    /// The ids of the members of a group or a topic; `None` if they are more than `most`. Costs no more
    /// than those.
    pub fn members_up_to(
        &self,
        id: GroupId,
        most: usize,
    ) -> Result<Option<Vec<UserId>>, IndexFault> {
        let prefix = keys::members(self.group_behind(id)?);
        let mut found = Vec::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            found.push(UserId::new(keys::last_number(key)));
            Ok(if found.len() <= most { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(Some(found).filter(|found| found.len() <= most))
    }

    /// A group's former members.
    pub fn former_members(&self, id: GroupId) -> Result<Vec<FormerMember>, IndexFault> {
        self.rows_of("former", &keys::former_members(id))
    }

    /// A request to add people to a group, at least for an hour.
    pub fn add_request(&self, group: GroupId, id: AddId) -> Result<Option<AddRequest>, IndexFault> {
        self.row("add", &keys::add(group, id))
    }

    /// The requests to add people to a group that are not settled.
    pub fn open_adds_of(&self, group: GroupId) -> Result<Vec<AddRequest>, IndexFault> {
        let mut open = Vec::new();
        let prefix = due::open_adds_of(group);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            open.push(due::add_of_open(key));
            Ok(Flow::Continue)
        })?;
        let mut requests = Vec::with_capacity(open.len());
        for key in open {
            requests.extend(self.row::<AddRequest>("add", &key)?);
        }
        Ok(requests)
    }

    /// A bot by its secret id.
    pub fn bot(&self, id: &BotId) -> Result<Option<BotRow>, IndexFault> {
        self.row("bot", &keys::bot(id))
    }

    /// A group's bots.
    pub fn bots_of_group(&self, id: GroupId) -> Result<Vec<BotRow>, IndexFault> {
        self.rows_of("bot", &keys::bots_of_group(id))
    }

    /// The bots that a user made.
    pub fn bots_of_creator(&self, creator: UserId) -> Result<Vec<BotRow>, IndexFault> {
        self.rows_of("bot", &keys::bots_of_creator(creator))
    }

    /// Every bot.
    pub fn bots(&self) -> Result<Vec<BotRow>, IndexFault> {
        self.rows_of("bot", &keys::bots())
    }

    /// Returns how far a bot was called back.
    pub fn called_back(&self, bot: UserId) -> Result<CallbackProgress, IndexFault> {
        Ok(self.row("called back", &keys::called_back(bot))?.unwrap_or_default())
    }

    /// Returns a delivery of a bot, if it is in the log still.
    pub fn delivery(&self, bot: UserId, id: DeliveryId) -> Result<Option<Delivery>, IndexFault> {
        self.row("delivery", &keys::delivery(bot, id))
    }

    /// Visits the deliveries of a bot before `before`, newest first, until `visit` returns
    /// [`Flow::Stop`].
    pub fn deliveries(
        &self,
        bot: UserId,
        before: DeliveryId,
        visit: &mut dyn FnMut(Delivery) -> Flow,
    ) -> Result<(), IndexFault> {
        let Some(high) = before.get().checked_sub(1) else { return Ok(()) };
        let low = keys::deliveries(bot);
        let high = keys::delivery(bot, DeliveryId::new(high));
        self.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            Ok(visit(rows::decode("delivery", value)?))
        })
    }

    /// Returns the deliveries of a bot that are still open, oldest first.
    pub fn open_deliveries(&self, bot: UserId) -> Result<Vec<Delivery>, IndexFault> {
        let mut ids = Vec::new();
        let prefix = keys::open_deliveries(bot);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            ids.push(DeliveryId::new(keys::last_number(key)));
            Ok(Flow::Continue)
        })?;
        ids.into_iter().filter_map(|id| self.delivery(bot, id).transpose()).collect()
    }

    /// The invites to a group that are not settled.
    pub fn invites(&self, id: GroupId) -> Result<Vec<Invite>, IndexFault> {
        self.rows_of("invite", &keys::invites(id))
    }

    /// Returns the groups that have an invite for this email address or phone number.
    pub fn invitations(&self, contact: &Contact) -> Result<Vec<GroupId>, IndexFault> {
        let mut found = Vec::new();
        let prefix = keys::invitations(contact);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            found.push(keys::group_of(key));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns a chat, apart from its log; `None` while nothing was said in it.
    pub fn chat(&self, pair: Pair) -> Result<Option<ChatRow>, IndexFault> {
        self.row("chat", &keys::chat(pair.low(), pair.high()))
    }

    /// Returns the chats of a user by the other user, in no meaningful order.
    ///
    /// A chat's row keeps its place when something is said: rows that moved to the top of an
    /// ordered list could be missed by a scan that is under way.
    pub fn chats(&self, of: UserId) -> Result<Vec<(UserId, ChatRow)>, IndexFault> {
        let mut found = Vec::new();
        let prefix = keys::chats(of);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            found.push((keys::user_of(key), rows::decode("chat", value)?));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns the users whom a user blocks, and since when.
    pub fn blocks(&self, by: UserId) -> Result<Vec<(UserId, Timestamp)>, IndexFault> {
        let mut found = Vec::new();
        let prefix = keys::blocks(by);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            found.push((keys::user_of(key), rows::decode("block", value)?));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns the people whom a user has a chat with or blocks, by their ids; without deleted
    /// accounts.
    pub fn people_of(&self, user: UserId) -> Result<Vec<KnownPerson>, IndexFault> {
        let blocked = self.blocks(user)?.into_iter().map(|(id, since)| (id, (since, true)));
        let mut known: BTreeMap<UserId, (Timestamp, bool)> = blocked.collect();
        for (id, chat) in self.chats(user)? {
            known.entry(id).or_insert((chat.created_at, false));
        }
        let mut people = Vec::with_capacity(known.len());
        for (id, (since, is_blocked)) in known {
            people.extend(self.user(id)?.map(|row| KnownPerson {
                id,
                profile: row.profile,
                since,
                updated_at: row.updated_at,
                is_blocked,
            }));
        }
        Ok(people)
    }

    /// The devices on which notices reach a user.
    pub fn devices(&self, user: UserId) -> Result<Vec<Device>, IndexFault> {
        self.rows_of("device", &keys::devices(user))
    }

    /// Returns all users whom notices may reach: by a device, or by SMS.
    pub fn reachable(&self) -> Result<BTreeSet<UserId>, IndexFault> {
        let mut found = BTreeSet::new();
        let prefix = keys::all_devices();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            found.insert(keys::device_user(key));
            Ok(Flow::Continue)
        })?;
        let prefix = keys::all_in_sms_mode();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            found.insert(keys::user_of(key));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns a member of a group or a topic.
    pub fn member(&self, group: GroupId, user: UserId) -> Result<Option<Member>, IndexFault> {
        match self.row("member", &keys::member(group, user))? {
            Some(member) => Ok(Some(member)),
            None => match self.topic(group)? {
                Some(topic) => self.row("member", &keys::member(topic.group, user)),
                None => Ok(None),
            },
        }
    }

    /// Returns how a user's last membership of a group ended; `None` if they are a member or never
    /// were.
    pub fn former_member(
        &self,
        group: GroupId,
        user: UserId,
    ) -> Result<Option<FormerMember>, IndexFault> {
        self.row("former", &keys::former(group, user))
    }

    /// Whether one user blocks another.
    pub fn has_blocked(&self, by: UserId, other: UserId) -> Result<bool, IndexFault> {
        Ok(self.rows.get(&keys::block(by, other))?.is_some())
    }

    /// Returns where the newest answer under a key lies.
    pub fn answer(&self, key: AskKey) -> Result<Option<AnswerRow>, IndexFault> {
        self.row("answer", &keys::answer(key))
    }

    /// Returns the end of a stream; `None` while it has no events.
    pub fn tail(&self, stream: StreamId) -> Result<Option<Tail>, IndexFault> {
        self.row("tail", &keys::tail(stream))
    }
}

impl Index {
    /// Returns a user's draft in a conversation, however old.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn draft(&self, user: UserId, conv: Conversation) -> Result<Option<Draft>, IndexFault> {
        self.row("draft", &keys::draft(user, conv.into()))
    }

    /// Returns a user's drafts in the groups that they are in, and in chats, whether these have begun
    /// or not.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn drafts(&self, user: UserId) -> Result<Vec<(Conversation, Draft)>, IndexFault> {
        let prefix = keys::drafts(user);
        let mut groups = Vec::new();
        let mut chats = Vec::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            match keys::conversation_of_draft(key) {
                Some(conv @ Conversation::Group(_)) => {
                    groups.push((conv, rows::decode("draft", value)?));
                }
                Some(conv @ Conversation::Chat(_)) => {
                    chats.push((conv, rows::decode("draft", value)?));
                }
                None => {}
            }
            Ok(Flow::Continue)
        })?;
        let mut found = Vec::with_capacity(groups.len() + chats.len());
        for (conv, draft) in groups {
            if self.is_in(user, conv)? {
                found.push((conv, draft));
            }
        }
        found.extend(chats);
        Ok(found)
    }

    /// Returns who is taking or has taken an email address or a phone number.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn name(&self, id: NameId) -> Result<Option<Name>, IndexFault> {
        self.row("name", &keys::name(id))
    }
}
