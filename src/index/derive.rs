//! Events to rows. A pure function of the journal: replaying it gives the same rows.

use std::collections::HashMap;

use crate::domain::chat::ChatFact;
use crate::domain::event::{Event, Fact};
use crate::domain::group::{
    Bot, Contact, Former, GroupFact, Invite, Member, Parting, Role, Settings, Stay,
};
use crate::domain::ids::{GroupId, MessageId, Pair, StreamId, UserId};
use crate::domain::likes::LikeChange;
use crate::domain::limits::STAYS;
use crate::domain::time::Timestamp;
use crate::domain::user::{Profile, SmsMode, UserFact};
use crate::index::draft::Draft;
use crate::index::likes;
use crate::index::rows::{At, BotRow, ChatRow, GroupRow, Highs, KeyRow, Seat, Tail, UserRow};
use crate::index::runs::{self, Found, RUN};
use crate::index::{Change, IndexFault, Rows, keys};
use crate::journal::{Committed, Cursor};

/// Gathers the rows of many commits into one batch.
pub(super) struct Derivation<'rows> {
    draft: Draft<'rows>,
    highs: Highs,
    tails: HashMap<StreamId, Tail>,
    runs: HashMap<StreamId, Vec<Found>>,
    messages: usize,
    applied: Cursor,
}

impl<'rows> Derivation<'rows> {
    /// Starts a batch on top of these rows; `highs` as they are so far.
    pub(super) fn on(rows: &'rows dyn Rows, highs: Highs, applied: Cursor) -> Self {
        let (tails, runs) = (HashMap::new(), HashMap::new());
        Self { draft: Draft::on(rows), highs, tails, runs, messages: 0, applied }
    }

    /// How much the batch holds so far: rows, and messages that will share rows.
    pub(super) fn len(&self) -> usize {
        self.draft.len() + self.messages
    }

    /// Adds the rows of one commit.
    pub(super) fn add(&mut self, commit: &Committed) -> Result<(), IndexFault> {
        let mut tail = match self.tails.get(&commit.stream) {
            Some(tail) => *tail,
            None => self.draft.get("tail", &keys::tail(commit.stream))?.unwrap_or_default(),
        };
        for ((cursor, n, event), index) in commit.numbered().zip(0_u16..) {
            let at = n.map(|n| At { record: commit.cursor, index, n });
            self.event(commit.stream, at, event, &mut tail)?;
            tail.cursor = cursor.get();
        }
        tail.n = commit.after.n;
        tail.token = commit.after.token;
        self.tails.insert(commit.stream, tail);
        self.applied = commit.cursor;
        Ok(())
    }

    /// The batch, with the position it leads to and the highest ids.
    pub(super) fn finish(mut self) -> Result<(Vec<Change>, Highs, Cursor), IndexFault> {
        for (stream, messages) in &self.runs {
            for run in messages.chunks(RUN) {
                let Some((first, _)) = run.first() else { continue };
                self.draft.put_bytes(keys::message(*stream, *first), runs::encode(run)?);
            }
        }
        for (stream, tail) in &self.tails {
            self.draft.put(keys::tail(*stream), tail)?;
        }
        self.draft.put(keys::HIGHS.to_vec(), &self.highs)?;
        self.draft.put(keys::APPLIED.to_vec(), &self.applied.get())?;
        Ok((self.draft.finish(), self.highs, self.applied))
    }

    fn event(
        &mut self,
        stream: StreamId,
        at: Option<At>,
        event: &Event,
        tail: &mut Tail,
    ) -> Result<(), IndexFault> {
        if let Some(message) = event.fact.message() {
            let Some(at) = at else { return Ok(()) };
            self.highs.message = self.highs.message.max(message.id.get());
            tail.last_message = Some(message.id);
            tail.spoke = at.cursor().get();
            self.runs.entry(stream).or_default().push((message.id, at));
            self.messages += 1;
            return match stream {
                StreamId::Chat(pair) => self.listed(pair, event.at, message.id),
                StreamId::Group(_) | StreamId::User(_) => Ok(()),
            };
        }
        if let Some(at) = at {
            self.draft.put_bytes(keys::event(stream, at.n), at.encode());
            if matches!(event.fact, Fact::Group(GroupFact::Created { .. })) {
                tail.spoke = at.cursor().get();
            }
        }
        match (&event.fact, stream) {
            (Fact::Group(fact), StreamId::Group(group)) => {
                // Only facts that nobody hears have no place; none of those seats anyone.
                let at = at.unwrap_or(At { record: Cursor::START, index: 0, n: tail.n });
                self.group(group, at, event.at, fact)
            }
            (Fact::User(fact), StreamId::User(user)) => self.user(user, event.at, fact),
            (Fact::Chat(fact), StreamId::Chat(_)) => match fact {
                // Messages have their rows already.
                ChatFact::Posted(_) => Ok(()),
            },
            (Fact::Group(_) | Fact::User(_) | Fact::Chat(_), stream) => Err(IndexFault::Row {
                table: "event",
                reason: format!("a fact of another kind in the stream {stream}"),
            }),
        }
    }

    /// Notes the newest message of a chat on both sides of it.
    fn listed(&mut self, pair: Pair, at: Timestamp, last: MessageId) -> Result<(), IndexFault> {
        let (here, there) =
            (keys::chat(pair.low(), pair.high()), keys::chat(pair.high(), pair.low()));
        let known: Option<ChatRow> = self.draft.get("chat", &here)?;
        let row = ChatRow { created_at: known.map_or(at, |known| known.created_at), last };
        self.draft.put(here, &row)?;
        self.draft.put(there, &row)
    }

    fn group(
        &mut self,
        group: GroupId,
        place: At,
        at: Timestamp,
        fact: &GroupFact,
    ) -> Result<(), IndexFault> {
        let n = place.n;
        match fact {
            // Messages have no other row than the pointer that is written already.
            GroupFact::Posted(_) => Ok(()),
            GroupFact::Created { settings, owner } => self.create(group, n, at, settings, owner),
            GroupFact::MembersJoined { members, .. } => {
                self.touch(group, at, |_| {})?;
                members.iter().try_for_each(|member| self.seat(group, n, member))
            }
            GroupFact::MemberLeft { member, parting, .. } => {
                self.touch(group, at, |_| {})?;
                self.unseat(group, place, member, *parting)
            }
            GroupFact::MemberChanged { member, .. } => {
                self.draft.put(keys::member(group, member.user_id), member)
            }
            GroupFact::SettingsChanged { settings, .. } => {
                self.touch(group, at, |row| row.settings = settings.clone())
            }
            GroupFact::OwnerChanged { old, new } => {
                self.touch(group, at, |row| row.creator = *new)?;
                self.promote(group, *old, Role::Admin)?;
                self.promote(group, *new, Role::Owner)
            }
            GroupFact::Disbanded { .. } => self.disband(group, place, at),
            GroupFact::Liked(like) => self.like(StreamId::Group(group), like, likes::Change::Given),
            GroupFact::BotAdded(bot) => self.add_bot(group, bot),
            GroupFact::BotRemoved(bot) => {
                self.remove_bot(group, bot);
                Ok(())
            }
            GroupFact::Unliked(like) => {
                self.like(StreamId::Group(group), like, likes::Change::TakenBack)
            }
            GroupFact::AddRequested(request) => {
                self.draft.put(keys::add(group, request.id), request)
            }
            GroupFact::AddSettled { request, results } => {
                let key = keys::add(group, *request);
                let known: Option<crate::domain::group::AddRequest> =
                    self.draft.get("add", &key)?;
                let Some(mut known) = known else { return Ok(()) };
                known.results = Some(results.clone());
                self.draft.put(key, &known)
            }
            GroupFact::Invited { invites } => {
                invites.iter().try_for_each(|invite| self.invite(group, invite))
            }
            GroupFact::InvitesSettled { contacts, .. } => {
                contacts.iter().for_each(|contact| self.uninvite(group, contact));
                Ok(())
            }
        }
    }

    fn add_bot(&mut self, group: GroupId, bot: &Bot) -> Result<(), IndexFault> {
        // A bot's public number is taken from the users' numbers.
        self.highs.user = self.highs.user.max(bot.number.get());
        let row = BotRow { group, bot: bot.clone() };
        self.draft.put(keys::bot(&bot.id), &row)?;
        self.draft.put(keys::bot_of_group(group, &bot.id), &row)?;
        self.draft.put(keys::bot_of_creator(bot.creator, &bot.id), &row)
    }

    fn remove_bot(&mut self, group: GroupId, bot: &Bot) {
        self.draft.delete(keys::bot(&bot.id));
        self.draft.delete(keys::bot_of_group(group, &bot.id));
        self.draft.delete(keys::bot_of_creator(bot.creator, &bot.id));
    }

    fn like(
        &mut self,
        stream: StreamId,
        like: &LikeChange,
        change: likes::Change,
    ) -> Result<(), IndexFault> {
        likes::derive(&mut self.draft, stream, like, change)
    }

    fn create(
        &mut self,
        group: GroupId,
        n: u64,
        at: Timestamp,
        settings: &Settings,
        owner: &Member,
    ) -> Result<(), IndexFault> {
        self.highs.group = self.highs.group.max(group.get());
        let row = GroupRow {
            settings: settings.clone(),
            creator: owner.user_id,
            created_at: at,
            updated_at: at,
            disbanded: false,
        };
        self.draft.put(keys::group(group), &row)?;
        self.seat(group, n, owner)
    }

    fn touch(
        &mut self,
        group: GroupId,
        at: Timestamp,
        change: impl FnOnce(&mut GroupRow),
    ) -> Result<(), IndexFault> {
        let key = keys::group(group);
        let row: Option<GroupRow> = self.draft.get("group", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        row.updated_at = at;
        change(&mut row);
        self.draft.put(key, &row)
    }

    fn seat(&mut self, group: GroupId, n: u64, member: &Member) -> Result<(), IndexFault> {
        self.highs.membership = self.highs.membership.max(member.membership_id.get());
        self.draft.put(keys::member(group, member.user_id), member)?;
        self.draft.delete(keys::former(group, member.user_id));
        let key = keys::seat(member.user_id, group);
        let mut seat: Seat = self.draft.get("seat", &key)?.unwrap_or_default();
        if !seat.is_active() {
            if seat.stays.len() >= STAYS {
                seat.stays.remove(0);
            }
            seat.stays.push(Stay { from_n: n, to_n: None });
            seat.left = false;
        }
        self.draft.put(key, &seat)
    }

    fn unseat(
        &mut self,
        group: GroupId,
        place: At,
        member: &Member,
        parting: Parting,
    ) -> Result<(), IndexFault> {
        let user = member.user_id;
        let former = Former { member: member.clone(), parting };
        self.draft.put(keys::former(group, user), &former)?;
        self.draft.delete(keys::member(group, user));
        self.end_stay(keys::seat(user, group), place, |seat| seat.left = parting == Parting::Left)
    }

    fn end_stay(
        &mut self,
        key: Vec<u8>,
        place: At,
        change: impl FnOnce(&mut Seat),
    ) -> Result<(), IndexFault> {
        let mut seat: Seat = self.draft.get("seat", &key)?.unwrap_or_default();
        if let Some(stay) = seat.stays.last_mut().filter(|stay| stay.to_n.is_none()) {
            stay.to_n = Some(place.n);
            seat.ended = place.cursor().get();
        }
        change(&mut seat);
        self.draft.put(key, &seat)
    }

    fn invite(&mut self, group: GroupId, invite: &Invite) -> Result<(), IndexFault> {
        self.draft.put_bytes(keys::invitation(&invite.contact, group), Vec::new());
        self.draft.put(keys::invite(group, &invite.contact), invite)
    }

    fn uninvite(&mut self, group: GroupId, contact: &Contact) {
        self.draft.delete(keys::invitation(contact, group));
        self.draft.delete(keys::invite(group, contact));
    }

    fn promote(&mut self, group: GroupId, user: UserId, role: Role) -> Result<(), IndexFault> {
        let key = keys::member(group, user);
        let member: Option<Member> = self.draft.get("member", &key)?;
        let Some(mut member) = member else { return Ok(()) };
        member.role = role;
        self.draft.put(key, &member)
    }

    fn disband(&mut self, group: GroupId, place: At, at: Timestamp) -> Result<(), IndexFault> {
        self.touch(group, at, |row| row.disbanded = true)?;
        for key in self.draft.keys_below(&keys::bots_of_group(group))? {
            if let Some(row) = self.draft.get::<BotRow>("bot", &key)? {
                self.remove_bot(group, &row.bot);
            }
        }
        let mut users: Vec<GroupId> = Vec::new();
        for prefix in [keys::members(group), keys::formers(group)] {
            users.extend(self.draft.keys_below(&prefix)?.iter().map(|key| keys::group_of(key)));
        }
        for user in users {
            let key = keys::seat(UserId::new(user.get()), group);
            self.end_stay(key, place, |seat| seat.disbanded = true)?;
        }
        for key in self.draft.keys_below(&keys::invites(group))? {
            let invite: Option<Invite> = self.draft.get("invite", &key)?;
            invite.iter().for_each(|invite| self.uninvite(group, &invite.contact));
        }
        Ok(())
    }

    fn user(&mut self, user: UserId, at: Timestamp, fact: &UserFact) -> Result<(), IndexFault> {
        match fact {
            UserFact::Registered { profile, password } => {
                self.highs.user = self.highs.user.max(user.get());
                self.name(user, None, profile)?;
                let row = UserRow {
                    profile: profile.clone(),
                    password: password.clone(),
                    created_at: at,
                    updated_at: at,
                    sms: None,
                };
                self.draft.put(keys::user(user), &row)
            }
            UserFact::ProfileChanged { profile } => {
                let key = keys::user(user);
                let row: Option<UserRow> = self.draft.get("user", &key)?;
                let Some(mut row) = row else { return Ok(()) };
                self.name(user, Some(&row.profile), profile)?;
                row.profile = profile.clone();
                row.updated_at = at;
                self.draft.put(key, &row)
            }
            UserFact::SmsModeOn(mode) => self.set_sms(user, Some(mode.clone())),
            UserFact::SmsModeOff => self.set_sms(user, None),
            UserFact::TokenIssued(token) => {
                self.highs.token = self.highs.token.max(token.id.get());
                self.draft.put(keys::user_token(user, token.id), token)?;
                self.draft.put(keys::token(&token.hash), &KeyRow { user, token: token.clone() })
            }
            UserFact::TokenRevoked { id, hash } => {
                self.draft.delete(keys::user_token(user, *id));
                self.draft.delete(keys::token(hash));
                Ok(())
            }
            UserFact::Blocked { other } => self.draft.put(keys::block(user, *other), &at),
            UserFact::Unblocked { other, .. } => {
                self.draft.delete(keys::block(user, *other));
                Ok(())
            }
        }
    }

    fn set_sms(&mut self, user: UserId, sms: Option<SmsMode>) -> Result<(), IndexFault> {
        let key = keys::user(user);
        let row: Option<UserRow> = self.draft.get("user", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        row.sms = sms;
        self.draft.put(key, &row)
    }

    /// Makes a user findable by email and phone number, no longer by the old ones.
    fn name(
        &mut self,
        user: UserId,
        old: Option<&Profile>,
        new: &Profile,
    ) -> Result<(), IndexFault> {
        if let Some(old) = old {
            self.draft.delete(keys::email(&old.email.key()));
            if let Some(phone) = &old.phone {
                self.draft.delete(keys::phone(&phone.key()));
            }
        }
        if let Some(phone) = &new.phone {
            self.draft.put(keys::phone(&phone.key()), &user)?;
        }
        self.draft.put(keys::email(&new.email.key()), &user)
    }
}
