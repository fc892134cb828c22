//! A random history of some groups and users: facts that could have happened, in the order of a
//! journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use coterie::domain::audit::{AdminAct, AuditFact, Operator};
use coterie::domain::chat::ChatFact;
use coterie::domain::event::{Entry, Event, Fact};
use coterie::domain::group::{
    AddRequest, Admission, Bot, BotHabits, Contact, GroupFact, GroupKind, Invite, Member,
    MembershipEnd, MentionAll, Role, Settings, Who,
};
use coterie::domain::ids::{
    AddId, BotId, CalendarEventId, ClientId, GroupId, MembershipId, MessageId, Pair, PollId,
    StreamId, TokenId, UserId,
};
use coterie::domain::likes::LikeChange;
use coterie::domain::message::{Author, Message};
use coterie::domain::named::NamedUser;
use coterie::domain::revision::{MessageState, RevisionPolicy};
use coterie::domain::text::{Email, GroupName, Nickname, Phone, UserName};
use coterie::domain::time::Timestamp;
use coterie::domain::user::{
    Application, ApplicationName, DeadToken, Profile, RedirectUrl, TokenHash, TokenRecord, UserFact,
};
use coterie::journal::{Commit, CommitId, Committed, Journal, Outcome, StreamHead};
use fastrand::Rng;

mod calendar;
mod messages;

const GROUPS: u64 = 3;
const USERS: u64 = 6;

/// The state of a group, so that new facts fit what happened before.
#[derive(Default)]
struct Told {
    /// Open polls, and whether somebody voted.
    polls: Vec<(PollId, bool)>,
    /// Planned calendar events.
    events: Vec<CalendarEventId>,
    members: BTreeMap<u64, Member>,
    messages: Vec<(MessageId, Author)>,
    likes: Vec<LikeChange>,
    requests: Vec<AddId>,
    invites: Vec<Invite>,
    bots: Vec<Bot>,
    is_gone: bool,
}

/// Tokens and OAuth applications of a user.
#[derive(Default)]
struct Keys {
    tokens: Vec<DeadToken>,
    clients: Vec<ClientId>,
    are_gone: bool,
}

/// Makes a random history and writes it into a journal.
#[derive(Default)]
pub(crate) struct History {
    random: Rng,
    heads: BTreeMap<StreamId, StreamHead>,
    groups: BTreeMap<u64, Told>,
    keys: BTreeMap<u64, Keys>,
    clients: Vec<ClientId>,
    fresh: u64,
    /// Milliseconds that passed in addition to those that the facts take.
    waited: u64,
    /// The ids of all messages of each conversation, oldest first.
    pub(crate) messages: BTreeMap<StreamId, Vec<MessageId>>,
}

impl History {
    /// A history from this seed; the same seed makes the same history.
    pub(crate) fn of(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), fresh: 10_000_000, ..Self::default() }
    }

    fn fresh(&mut self) -> u64 {
        self.fresh += 1 + self.random.u64(0..1000);
        self.fresh
    }

    /// The time in the history.
    pub(crate) fn at(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + self.waited + self.fresh)
    }

    /// Lets so many milliseconds pass.
    pub(crate) fn waits(&mut self, millis: u64) {
        self.waited += millis;
    }

    /// Writes so many random commits.
    pub(crate) fn goes_on(&mut self, journal: &dyn Journal, commits: usize) {
        for _ in 0..commits {
            let (stream, facts) = self.next();
            if !facts.is_empty() {
                self.writes(journal, stream, facts);
            }
        }
    }

    /// Writes these facts as one commit.
    pub(crate) fn writes(&mut self, journal: &dyn Journal, stream: StreamId, facts: Vec<Fact>) {
        let at = self.at();
        let entry = |fact| Entry::stored(Arc::new(Event { at, fact }));
        let commit = Commit {
            stream,
            head: self.heads.get(&stream).copied().unwrap_or_default(),
            id: CommitId(u128::from(self.fresh())),
            at,
            entries: facts.into_iter().map(entry).collect(),
        };
        self.heads.insert(stream, written(journal, commit).after);
    }

    fn next(&mut self) -> (StreamId, Vec<Fact>) {
        if self.random.u8(0..8) == 0 {
            let user = 20_000_000 + self.random.u64(0..USERS);
            let facts = self.user_facts(user).into_iter().map(Fact::User).collect();
            return (StreamId::User(UserId::new(user)), facts);
        }
        if self.random.u8(0..16) == 0 {
            let act = AdminAct::BackupTaken;
            let fact = AuditFact::Administered { by: Operator::of_uid(0), act };
            return (StreamId::Audit, vec![Fact::Audit(fact)]);
        }
        if self.random.u8(0..8) == 0 {
            let pair = self.pair();
            let message = self.message(StreamId::Chat(pair), pair.low());
            return (StreamId::Chat(pair), vec![Fact::Chat(ChatFact::Posted(message))]);
        }
        let group = 10_000_001 + self.random.u64(0..GROUPS);
        let several = 1 + self.random.usize(0..3);
        let facts = (0..several).flat_map(|_| self.group_fact(group)).map(Fact::Group).collect();
        (StreamId::Group(GroupId::new(group)), facts)
    }

    fn pair(&mut self) -> Pair {
        let one = 20_000_000 + self.random.u64(0..2);
        Pair::of(UserId::new(one), UserId::new(20_000_003)).unwrap()
    }

    fn user_facts(&mut self, user: u64) -> Vec<UserFact> {
        let number = self.fresh();
        let profile = Profile {
            name: UserName::parse(format!("U{number}")).unwrap(),
            email: Email::parse(&format!("u{number}@example.org")).unwrap(),
            phone: self.random.bool().then(|| Phone::parse(&number.to_string()).unwrap()),
            image: None,
            zip_code: None,
            guest: None,
        };
        let Some(keys) = self.keys.get_mut(&user) else {
            self.keys.insert(user, Keys::default());
            return vec![UserFact::Registered { profile, password: "p".to_owned() }];
        };
        if keys.are_gone {
            return Vec::new();
        }
        match self.random.u8(0..24) {
            0..4 => vec![UserFact::ProfileChanged { profile }],
            4 if number.is_multiple_of(2) => vec![UserFact::Disabled],
            4 => vec![UserFact::Enabled],
            5..9 if !keys.tokens.is_empty() => {
                let DeadToken { id, hash } =
                    keys.tokens.remove(self.random.usize(0..keys.tokens.len()));
                vec![UserFact::TokenRevoked { id, hash }]
            }
            9 => vec![UserFact::TokensRevoked { tokens: std::mem::take(&mut keys.tokens) }],
            10..12 => keys
                .tokens
                .first()
                .map(|it| UserFact::TokenUsed { id: it.id })
                .into_iter()
                .collect(),
            12 => vec![UserFact::PasswordChanged { password: format!("p{number}") }],
            13 if !keys.clients.is_empty() => {
                let clients = std::mem::take(&mut keys.clients);
                vec![UserFact::ApplicationsRemoved { clients }]
            }
            13 if number.is_multiple_of(4) => {
                keys.are_gone = true;
                vec![UserFact::Deleted]
            }
            14..16 => {
                let client = ClientId::new([self.random.u8(..); 16]);
                keys.clients.push(client);
                self.clients.push(client);
                vec![UserFact::ApplicationRegistered(Application {
                    client,
                    name: ApplicationName::parse(&format!("A{number}")).unwrap(),
                    callback_url: RedirectUrl::parse("https://example.org/back").unwrap(),
                    created_at: self.at(),
                    scopes: None,
                })]
            }
            _ => {
                let (id, hash) = (TokenId::new(number), TokenHash::new([number as u8; 32]));
                keys.tokens.push(DeadToken { id, hash });
                // Also for applications that are gone: their end may overtake a consent.
                let client = self.random.choice(&self.clients).copied();
                vec![UserFact::TokenIssued(TokenRecord {
                    id,
                    hash,
                    application: None,
                    created_at: self.at(),
                    expires_at: None,
                    client: client.filter(|_| number.is_multiple_of(2)),
                    last_used_at: None,
                    device: None,
                    scopes: None,
                })]
            }
        }
    }

    fn member(&mut self, user: u64, role: Role) -> Member {
        Member {
            membership_id: MembershipId::new(self.fresh()),
            user_id: UserId::new(user),
            nickname: Nickname::parse(format!("N{user}")).unwrap(),
            name: format!("U{user}"),
            image: None,
            role,
            muted: false,
            mute_ends: None,
            is_guest: false,
        }
    }

    fn settings(&mut self) -> Settings {
        Settings {
            name: GroupName::parse(format!("G{}", self.fresh())).unwrap(),
            description: None,
            image: None,
            kind: GroupKind::ALL[self.random.usize(..3)],
            share_token: self.random.bool().then(|| "t".to_owned()),
            revising: RevisionPolicy::default(),
            mention_all: MentionAll::Admins,
            slow_mode: 0,
            admission: Admission::default(),
            is_searchable: false,
            archived_at: None,
            frozen: None,
        }
    }

    fn group_fact(&mut self, group: u64) -> Option<GroupFact> {
        let owner = 20_000_000;
        let Some(told) = self.groups.get(&group) else {
            let (settings, owner) = (self.settings(), self.member(owner, Role::Owner));
            let told = Told { members: [(20_000_000, owner.clone())].into(), ..Told::default() };
            self.groups.insert(group, told);
            return Some(GroupFact::Created { settings, owner });
        };
        if told.is_gone {
            return None;
        }
        let by = UserId::new(owner);
        let somebody = 20_000_001 + self.random.u64(0..USERS);
        let is_member = told.members.contains_key(&somebody);
        match self.random.u16(0..400) {
            0 => {
                self.groups.get_mut(&group)?.is_gone = true;
                Some(GroupFact::Disbanded { by })
            }
            1..=30 => Some(GroupFact::SettingsChanged { settings: self.settings(), by }),
            31..=70 if is_member => {
                let member = self.groups.get_mut(&group)?.members.remove(&somebody)?;
                let parting =
                    if self.random.bool() { MembershipEnd::Left } else { MembershipEnd::Removed };
                Some(GroupFact::MemberLeft { member, parting, by })
            }
            31..=70 => {
                let member = self.member(somebody, Role::Member);
                self.groups.get_mut(&group)?.members.insert(somebody, member.clone());
                Some(GroupFact::MembersJoined { members: vec![member], by })
            }
            71..=90 if is_member => {
                let member = self.groups.get_mut(&group)?.members.get_mut(&somebody)?;
                member.muted = !member.muted;
                member.mute_ends = member.muted.then(|| Timestamp::from_seconds(somebody));
                Some(GroupFact::MemberChanged { member: member.clone(), by })
            }
            91..=110 => self.request(group, by),
            111..=150 => self.like(group, UserId::new(somebody)),
            151..=165 => self.bot(group, by),
            186..=200 => self.revise(group),
            201..=208 => self.poll(group, UserId::new(somebody)),
            209..=217 => self.plan(group, UserId::new(somebody)),
            166..=180 => self.invite(group, by),
            181..=185 if is_member => {
                let (old, new) = (by, UserId::new(somebody));
                let members = &mut self.groups.get_mut(&group)?.members;
                members.get_mut(&owner)?.role = Role::Admin;
                members.get_mut(&somebody)?.role = Role::Owner;
                Some(GroupFact::OwnerChanged { old, new })
            }
            _ => {
                let message = self.message(StreamId::Group(GroupId::new(group)), by);
                let told = self.groups.get_mut(&group)?;
                told.messages.push((message.id, message.author.clone()));
                Some(GroupFact::Posted(message))
            }
        }
    }

    fn request(&mut self, group: u64, by: UserId) -> Option<GroupFact> {
        let (id, at) = (AddId::new(self.fresh()), self.at());
        let told = self.groups.get_mut(&group)?;
        if let Some(request) = told.requests.pop() {
            return Some(GroupFact::AddSettled { request, results: Vec::new() });
        }
        told.requests.push(id);
        Some(GroupFact::AddRequested(AddRequest { id, by, at, items: Vec::new(), results: None }))
    }

    fn like(&mut self, group: u64, by: UserId) -> Option<GroupFact> {
        let liked_at = self.at();
        let told = self.groups.get_mut(&group)?;
        if self.random.bool() && !told.likes.is_empty() {
            let at = self.random.usize(0..told.likes.len());
            return Some(GroupFact::Unliked(told.likes.remove(at)));
        }
        let (message, author) = self.random.choice(&told.messages)?.clone();
        let is_new = !told.likes.iter().any(|like| like.message == message && like.by == by);
        let change = LikeChange { message, author, by, liked_at, reaction: Default::default() };
        let change = is_new.then_some(change)?;
        told.likes.push(change.clone());
        Some(GroupFact::Liked(change))
    }

    fn bot(&mut self, group: u64, creator: UserId) -> Option<GroupFact> {
        let (number, clients) = (self.fresh(), self.clients.clone());
        let told = self.groups.get_mut(&group)?;
        if let Some(bot) = told.bots.pop() {
            return Some(GroupFact::BotRemoved(bot));
        }
        let bot = Bot {
            id: BotId::new(format!("bot{number}")),
            number: UserId::new(number),
            creator,
            name: Nickname::parse("Bot".to_owned()).unwrap(),
            avatar: None,
            callback_url: None,
            dm_notification: false,
            secret: None,
            previous_secret: None,
            receive_own: false,
            events: None,
            habits: BotHabits::default(),
            after: MessageId::new(0),
            active: true,
            client: self.random.choice(&clients).copied(),
        };
        told.bots.push(bot.clone());
        Some(GroupFact::BotAdded(bot))
    }

    fn invite(&mut self, group: u64, user: UserId) -> Option<GroupFact> {
        let email = Email::parse(&format!("guest{}@example.org", self.fresh())).unwrap();
        let told = self.groups.get_mut(&group)?;
        if let Some(invite) = told.invites.pop() {
            return Some(GroupFact::InvitesSettled { user, contacts: vec![invite.contact] });
        }
        let invite = Invite {
            contact: Contact::of(&Who::Email(email))?,
            nickname: Nickname::parse("Guest".to_owned()).unwrap(),
            by: NamedUser { id: user, name: "Ana".to_owned() },
        };
        told.invites.push(invite.clone());
        Some(GroupFact::Invited { invites: vec![invite] })
    }

    fn message(&mut self, stream: StreamId, author: UserId) -> Arc<Message> {
        let id = MessageId::new(self.fresh());
        let log = self.messages.entry(stream).or_default();
        log.push(id);
        Arc::new(Message {
            id,
            author: Author::Member(author),
            name: "Ana".to_owned(),
            avatar: None,
            source_guid: format!("guid {id}"),
            text: Some("words ".repeat(self.random.usize(1..20))),
            attachments: Vec::new(),
            count: log.len() as u64,
            line: None,
            written_at: None,
            parent: None,
            state: MessageState::default(),
        })
    }
}

pub(crate) fn written(journal: &dyn Journal, commit: Commit) -> Arc<Committed> {
    match journal.submit(commit).unwrap().wait() {
        Outcome::Committed(commit) => commit,
        other @ (Outcome::Conflict | Outcome::Unknown(_)) => panic!("{other:?}"),
    }
}
