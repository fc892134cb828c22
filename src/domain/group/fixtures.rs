//! Support for tests of the rules: a group, and people who act on it. A decision is applied at
//! once, as the room would.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::event::{Decision, Fact};
use crate::group::{
    AddItem, Admission, Bot, BotHabits, Group, GroupFact, LookupResult, LookupTarget, Maker,
    Member, MentionAll, NewBot, NewGroup, Newcomer, Role, Secret, SettingsChange, Who,
};
use crate::id_generator::IdGenerator;
use crate::ids::{AddId, BotId, GroupId, MembershipId, MessageId, TokenId, UserId};
use crate::limits::GROUP_MEMBERS;
use crate::text::{CallbackUrl, GroupName, Nickname, UserName};
use crate::time::{Moment, Monotonic, Timestamp};

/// The owner of every test's group.
pub(crate) const ANA: UserId = UserId::new(10_000_001);
/// A member.
pub(crate) const BEN: UserId = UserId::new(10_000_002);
/// A member or a stranger.
pub(super) const CARA: UserId = UserId::new(10_000_003);

/// Ids that count up.
#[derive(Debug, Default)]
pub(crate) struct CountingIds(AtomicU64);

impl CountingIds {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl IdGenerator for CountingIds {
    fn message(&self, at: Timestamp) -> MessageId {
        MessageId::new(at.seconds() * MessageId::PER_SECOND + self.next())
    }

    fn user(&self) -> UserId {
        UserId::new(self.next())
    }

    fn group(&self) -> GroupId {
        GroupId::new(self.next())
    }

    fn membership(&self) -> MembershipId {
        MembershipId::new(self.next())
    }

    fn token(&self) -> TokenId {
        TokenId::new(self.next())
    }

    fn add(&self) -> AddId {
        AddId::new(self.next())
    }

    fn bot(&self) -> BotId {
        BotId::new(format!("bot{}", self.next()))
    }

    fn share_token(&self) -> String {
        format!("share{}", self.next())
    }
}

/// A user to come into a group, with the name that belongs to the id.
pub(super) fn newcomer(id: UserId) -> Newcomer {
    let name = match id {
        ANA => "Ana".to_owned(),
        BEN => "Ben".to_owned(),
        CARA => "Cara".to_owned(),
        other => format!("User {other}"),
    };
    Newcomer { id, name: UserName::parse(name).unwrap(), image: None, is_guest: false }
}

/// A group, and the effects of the last act on it.
pub(crate) struct Table {
    pub(crate) group: Group,
    /// The facts of the last act.
    pub(super) facts: Vec<Fact>,
    /// The audience of each of these facts.
    told: Vec<Vec<UserId>>,
    id_generator: CountingIds,
}

impl Table {
    /// Adds an active bot called Tides.
    pub(super) fn adds_bot(&mut self, maker: Maker, callback_url: Option<CallbackUrl>) -> Bot {
        let new = NewBot {
            name: Nickname::parse("Tides".to_owned()).unwrap(),
            avatar: None,
            callback_url,
            dm_notification: false,
            active: true,
            events: None,
            habits: BotHabits::default(),
            receive_own: false,
        };
        let secret = Secret::of("b25l");
        let made = self.does(|group, now, id_generator| {
            group.add_bot(maker, (new, secret), now, id_generator)
        });
        made.unwrap()
    }

    /// Ana's group, with Ben in it.
    pub(crate) fn of_two() -> Self {
        let id_generator = CountingIds::default();
        let name = GroupName::parse("Climbers".to_owned()).unwrap();
        let new = NewGroup {
            name,
            description: None,
            image: None,
            share: false,
            office_mode: false,
            mention_all: MentionAll::Admins,
            slow_mode: 0,
            admission: Admission::default(),
            is_searchable: false,
            group_type: None,
        };
        let GroupFact::Created { settings, owner } = new.created_by(newcomer(ANA), &id_generator)
        else {
            panic!("a group begins by being created")
        };
        let group = Group::created(GroupId::new(7), settings, owner, now().wall);
        let mut table = Self { group, facts: Vec::new(), told: Vec::new(), id_generator };
        table.seats(BEN);
        table
    }

    /// The same with Cara in it as well.
    pub(super) fn of_three() -> Self {
        let mut table = Self::of_two();
        table.seats(CARA);
        table
    }

    /// Runs a rule and applies its decision.
    pub(crate) fn does<T, E>(
        &mut self,
        rule: impl FnOnce(&Group, Moment, &dyn IdGenerator) -> Result<Decision<T>, E>,
    ) -> Result<T, E> {
        let Decision { facts, answer } = rule(&self.group, now(), &self.id_generator)?;
        self.told.clear();
        for fact in &facts {
            let Fact::Group(fact) = fact else { panic!("a group decides about itself") };
            self.told.push(self.group.audience_of(fact).users().to_vec());
            self.group.apply(now().wall, fact, now());
        }
        self.facts = facts;
        Ok(answer)
    }

    /// The texts of the system messages of the last act.
    pub(super) fn lines(&self) -> Vec<String> {
        let text = |fact: &Fact| fact.message().and_then(|line| line.text.clone());
        self.facts.iter().filter_map(text).collect()
    }

    /// Whether this user received each fact of the last act.
    pub(super) fn heard_by(&self, user: UserId) -> Vec<bool> {
        self.told.iter().map(|users| users.contains(&user)).collect()
    }

    pub(super) fn found(who: Who, nickname: &str) -> LookupResult {
        let item = AddItem {
            who,
            nickname: Nickname::parse(nickname.to_owned()).unwrap(),
            guid: "guid".to_owned(),
        };
        LookupResult { item, sought: LookupTarget::Nobody }
    }

    /// Requests people to be added, and settles the request with what was found.
    pub(super) fn adds(&mut self, by: UserId, found: Vec<LookupResult>) {
        let items = found.iter().map(|it| it.item.clone()).collect();
        let asked =
            self.does(|group, now, id_generator| group.request_add(by, items, now, id_generator));
        let settle = |group: &Group, now: Moment, id_generator: &dyn IdGenerator| {
            Ok::<_, ()>(group.settle_add(asked.unwrap(), found, now, id_generator))
        };
        self.does(settle).unwrap();
    }

    fn seats(&mut self, user: UserId) {
        let mut found = Self::found(Who::User(user), newcomer(user).name.as_str());
        found.sought = LookupTarget::Account(newcomer(user));
        self.adds(ANA, vec![found]);
    }

    /// Switches sharing on and returns the token.
    pub(super) fn shares(&mut self) -> String {
        self.shares_or_not(true);
        self.group.settings.share_token.clone().unwrap()
    }

    pub(super) fn unshares(&mut self) {
        self.shares_or_not(false);
    }

    fn shares_or_not(&mut self, on: bool) {
        let wanted = SettingsChange { share: Some(on), ..SettingsChange::default() };
        self.does(|group, now, id_generator| group.change(ANA, wanted, now, id_generator)).unwrap();
    }

    pub(super) fn removes(&mut self, by: UserId, whom: UserId) {
        let membership = self.group.members[&whom].membership_id;
        self.does(|group, now, id_generator| group.remove(by, membership, now, id_generator))
            .unwrap();
    }

    pub(super) fn renames(&mut self, user: UserId, nickname: &str) {
        let nickname = Nickname::parse(nickname.to_owned()).unwrap();
        self.does(|group, now, id_generator| group.rename(user, nickname, now, id_generator))
            .unwrap();
    }

    /// Makes a member an admin, as people do it: by handing the group over and back.
    pub(super) fn promote(&mut self, user: UserId) {
        self.does(|group, now, id_generator| group.hand_to(ANA, user, now, id_generator)).unwrap();
        self.does(|group, now, id_generator| group.hand_to(user, ANA, now, id_generator)).unwrap();
    }

    /// Adds members until no more fit.
    pub(super) fn fills_up(&mut self) {
        let missing = GROUP_MEMBERS - self.group.members.len();
        let member = |number: usize| Member {
            membership_id: self.id_generator.membership(),
            role: Role::Member,
            user_id: UserId::new(20_000_000 + number as u64),
            ..Member::clone(&self.group.members[&ANA])
        };
        let members = (0..missing).map(member).collect();
        let fact = Fact::Group(GroupFact::MembersJoined { members, by: ANA });
        let joined = |_: &Group, _: Moment, _: &dyn IdGenerator| {
            Ok::<_, ()>(Decision { facts: vec![fact], answer: () })
        };
        self.does(joined).unwrap();
    }
}

fn now() -> Moment {
    Moment { wall: Timestamp::from_seconds(1_800_000_000), mono: Monotonic::from_millis(1_000_000) }
}
