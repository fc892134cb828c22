//! What people do: random acts, some of which they repeat until they are told that they are done.

use std::rc::Rc;
use std::time::Duration;

use coterie::actors::ask::{Answered, Failure, Question};
use coterie::actors::conversation::likes::{LikeAction, LikeMessage};
use coterie::actors::directory::Directory;
use coterie::actors::group::protocol::{
    ChangeSettings, CreateGroup, JoinShared, MakeTopic, RejoinGroup, RemoveMember, RenameMember,
    ViewGroup,
};
use coterie::actors::user::protocol::{ChangeProfile, MarkRead, Register};
use coterie::domain::group::{
    Admission, JoinAttempt, MentionAll, NewGroup, NewTopic, Newcomer, SettingsChange, TopicKind,
};
use coterie::domain::ids::{Conversation, GroupId, MessageId, UserId};
use coterie::domain::reaction::Reaction;
use coterie::domain::text::{Email, GroupName, Nickname, UserName};
use coterie::domain::user::{Profile, ProfileChange, TokenRecord, UpTo};
use fastrand::Rng;

use crate::book::{Book, Shared, hash_of, token_of};
use crate::machine::Server;

/// Stands for the hash of everybody's password.
pub(crate) const PASSWORD: &str = "$argon2id$";

/// The outcome of a request, as the client knows it.
pub(crate) enum Told<A, R> {
    Done(A),
    Refused(R),
    /// There was no answer, so the outcome is unknown.
    Nothing,
}

/// A person who acts, in one life of the server.
pub(crate) struct Worker {
    pub(crate) who: usize,
    pub(crate) server: Rc<Server>,
    pub(crate) book: Shared,
    pub(crate) random: Rng,
    /// Milliseconds between two acts, at most.
    pub(crate) pace: u64,
}

fn name(text: &str) -> UserName {
    UserName::parse(text.to_owned()).unwrap()
}

impl Worker {
    /// Acts until the server ends.
    pub(crate) async fn lives(mut self) {
        loop {
            tokio::time::sleep(Duration::from_millis(self.random.u64(1..=self.pace))).await;
            let account = self.book.borrow().people[self.who].account.clone();
            match account {
                None => self.registers().await,
                Some((user, called)) => self.acts(user, called).await,
            }
        }
    }

    async fn acts(&mut self, user: UserId, called: String) {
        let in_doubt = self.book.borrow().people[self.who].in_doubt.len();
        if in_doubt > 0 && self.random.bool() {
            let say = self.book.borrow().people[self.who].in_doubt[self.random.usize(..in_doubt)];
            return self.tries(say).await;
        }
        let groups = self.book.borrow().groups.len();
        match self.random.u8(..100) {
            _ if groups == 0 => self.founds(user, &called).await,
            0..3 if groups < 5 => self.founds(user, &called).await,
            0..40 => self.says(user).await,
            40..50 => self.writes(user).await,
            50..62 => self.likes(user).await,
            62..72 => self.comes_or_goes(user, &called).await,
            72..76 => self.changes_a_group(user).await,
            76..79 => self.changes_names(user).await,
            79..82 => self.marks(user).await,
            82..88 => self.uses_keys(user).await,
            _ => self.reads(user).await,
        }
    }

    /// Waits for an answer, but not for ever: one client in ten hangs up early.
    pub(crate) async fn asks<Q: Question>(
        &mut self,
        asked: impl Future<Output = Answered<Q>>,
    ) -> Told<Q::Answer, Q::Refusal> {
        let patience = match self.random.u8(..10) {
            0 => self.random.u64(..20),
            _ => 60_000,
        };
        match tokio::time::timeout(Duration::from_millis(patience), asked).await {
            Ok(Ok(answer)) => {
                self.book.borrow_mut().told += 1;
                Told::Done(answer)
            }
            Ok(Err(Failure::Refused(refusal))) => Told::Refused(refusal),
            Ok(Err(Failure::Fault(_))) | Err(_) => Told::Nothing,
        }
    }

    /// One of the directories, if there are two.
    pub(crate) fn directory(&mut self) -> Directory {
        self.server.directories[self.random.usize(..self.server.directories.len())].clone()
    }

    pub(crate) fn note(&self, what: impl FnOnce() -> String) {
        let who = self.who;
        self.book.borrow_mut().note(|| format!("{who} {}", what()));
    }

    fn newcomer(user: UserId, called: &str) -> Newcomer {
        Newcomer { id: user, name: name(called), image: None, is_guest: false }
    }

    async fn registers(&mut self) {
        let directory = self.directory();
        let id_generator = &directory.context().id_generator;
        let (user, token) = (id_generator.user(), id_generator.token());
        let (called, at) = (format!("U{}", self.who), directory.context().clock.now().wall);
        let register = Register {
            until: directory.context().clock.now().mono.plus_millis(60_000),
            profile: Profile {
                name: name(&called),
                email: Email::parse(&format!("{user}@example.org")).unwrap(),
                phone: None,
                image: None,
                zip_code: None,
                guest: None,
            },
            password: PASSWORD.to_owned(),
            token: Some(TokenRecord {
                id: token,
                hash: hash_of(&token_of(user)),
                application: None,
                created_at: at,
                expires_at: None,
                client: None,
                last_used_at: None,
                device: None,
                scopes: None,
            }),
            note: None,
            operator: None,
            identity: None,
            provisioning: None,
            waiting: None,
        };
        if let Told::Done(_) = self.asks::<Register>(directory.ask(user, register)).await {
            self.note(|| format!("is {user}"));
            self.book.borrow_mut().people[self.who].account = Some((user, called));
        }
    }

    async fn founds(&mut self, user: UserId, called: &str) {
        let directory = self.directory();
        let group = directory.context().id_generator.group();
        let number = self.book.borrow_mut().next();
        let new = NewGroup {
            name: GroupName::parse(format!("G{number}")).unwrap(),
            description: None,
            image: None,
            share: true,
            office_mode: false,
            mention_all: MentionAll::Admins,
            slow_mode: 0,
            admission: Admission::default(),
            is_searchable: false,
            group_type: None,
        };
        let asked = CreateGroup { new, owner: Self::newcomer(user, called) };
        let told = self.asks::<CreateGroup>(directory.ask(group, asked)).await;
        let Told::Done(view) = told else { return };
        let token = view.group.settings.share_token.clone().unwrap();
        self.note(|| format!("founds {group}"));
        {
            let mut book = self.book.borrow_mut();
            book.groups.push((group, token));
            book.seats.insert((user, group), [true].into());
        }
        if self.random.bool() {
            self.makes_a_topic(user, group).await;
        }
    }

    async fn makes_a_topic(&mut self, user: UserId, group: GroupId) {
        let directory = self.directory();
        let number = self.book.borrow_mut().next();
        let new = NewTopic {
            name: GroupName::parse(format!("T{number}")).unwrap(),
            description: None,
            image: None,
            kind: TopicKind::Private,
        };
        let asked = directory.ask(group, MakeTopic { by: user, new });
        let Told::Done(topic) = self.asks::<MakeTopic>(asked).await else { return };
        self.note(|| format!("makes the topic {}", topic.id));
        self.book.borrow_mut().topics.push(topic.id);
    }

    /// A group, or one of the topics.
    pub(crate) fn group_or_topic(&mut self) -> GroupId {
        let (group, _) = self.group();
        let is_topic = self.random.u8(..3) == 0;
        let book = self.book.borrow();
        match is_topic && !book.topics.is_empty() {
            true => book.topics[self.random.usize(..book.topics.len())],
            false => group,
        }
    }

    pub(crate) fn group(&mut self) -> (GroupId, String) {
        let book = self.book.borrow();
        book.groups[self.random.usize(..book.groups.len())].clone()
    }

    pub(crate) fn somebody_else(&mut self, user: UserId) -> Option<UserId> {
        let book = self.book.borrow();
        let others = book.people.iter().filter_map(|person| Some(person.account.as_ref()?.0));
        let others: Vec<UserId> = others.filter(|it| *it != user).collect();
        (!others.is_empty()).then(|| others[self.random.usize(..others.len())])
    }

    async fn likes(&mut self, user: UserId) {
        let told: Vec<(Conversation, MessageId)> = {
            let book = self.book.borrow();
            let mine = |conv: Conversation| match conv {
                Conversation::Group(_) => true,
                Conversation::Chat(pair) => pair.other(user).is_some(),
            };
            let says = book.says.iter().rev().filter(|say| mine(say.conv)).take(20);
            says.filter_map(|say| Some((say.conv, say.told?.1))).collect()
        };
        if told.is_empty() {
            return;
        }
        let (conv, message) = told[self.random.usize(..told.len())];
        let is_given = self.random.u8(..3) > 0;
        let action =
            if is_given { LikeAction::Like(Reaction::default()) } else { LikeAction::Unlike };
        let key = (user, conv, message);
        let before = {
            let mut book = self.book.borrow_mut();
            let possible = book.likes.entry(key).or_default();
            let before = possible.clone();
            Book::may_become(possible, is_given);
            before
        };
        let act = format!("{action:?}");
        let (directory, ask) = (self.directory(), LikeMessage { by: user, message, action });
        let told = match conv {
            Conversation::Group(id) => self.asks::<LikeMessage>(directory.ask(id, ask)).await,
            Conversation::Chat(pair) => self.asks::<LikeMessage>(directory.ask(pair, ask)).await,
        };
        let mut book = self.book.borrow_mut();
        match told {
            Told::Done(_) => drop(book.likes.insert(key, [is_given].into())),
            Told::Refused(_) => drop(book.likes.insert(key, before)),
            Told::Nothing => {}
        }
        let is_told = book.likes[&key].len() == 1;
        book.note(|| format!("{user} {act}s {message} {is_told}"));
    }

    async fn comes_or_goes(&mut self, user: UserId, called: &str) {
        let (group, token) = self.group();
        let directory = self.directory();
        let comes = self.random.u8(..3) > 0;
        let seat = self.book.borrow().seats.get(&(user, group)).cloned().unwrap_or_default();
        let newcomer = Self::newcomer(user, called);
        let told = if comes {
            self.tries_a_seat((user, group), true);
            if seat.len() > 1 && self.random.bool() {
                let asked = directory.ask(group, RejoinGroup { user: newcomer });
                self.asks::<RejoinGroup>(asked).await.bare()
            } else {
                let asked = directory
                    .ask(group, JoinShared { user: newcomer, attempt: JoinAttempt::by(&token) });
                self.asks::<JoinShared>(asked).await.bare()
            }
        } else {
            let asked = directory.ask(group, ViewGroup { reader: user });
            let Told::Done(view) = self.asks::<ViewGroup>(asked).await else { return };
            let membership = view.group.members[&user].membership_id;
            self.tries_a_seat((user, group), false);
            let asked = directory.ask(group, RemoveMember { by: user, membership });
            self.asks::<RemoveMember>(asked).await.bare()
        };
        let mut book = self.book.borrow_mut();
        match told {
            Told::Done(()) => drop(book.seats.insert((user, group), [comes].into())),
            // A refused request changed nothing, so the states that were possible before still are.
            Told::Refused(()) => drop(book.seats.insert((user, group), seat.clone())),
            Told::Nothing => {}
        }
        let is_told = book.seats[&(user, group)].len() <= 1;
        book.note(|| format!("{user} comes {comes} {group} {is_told}"));
    }

    fn tries_a_seat(&self, seat: (UserId, GroupId), value: bool) {
        Book::may_become(self.book.borrow_mut().seats.entry(seat).or_default(), value);
    }

    async fn changes_a_group(&mut self, user: UserId) {
        let (group, _) = self.group();
        let number = self.book.borrow_mut().next();
        let directory = self.directory();
        if self.random.bool() {
            let nickname = Nickname::parse(format!("N{number}")).unwrap();
            let asked = directory.ask(group, RenameMember { by: user, nickname });
            drop(self.asks::<RenameMember>(asked).await);
            return;
        }
        let name = GroupName::parse(format!("G{number}")).unwrap();
        let change = SettingsChange { name: Some(name), ..SettingsChange::default() };
        let asked = directory.ask(group, ChangeSettings { by: user, change });
        drop(self.asks::<ChangeSettings>(asked).await);
    }

    async fn changes_names(&mut self, user: UserId) {
        let number = self.book.borrow_mut().next();
        let directory = self.directory();
        let name = Some(name(&format!("U{number}")));
        let change = ProfileChange { name, ..Default::default() };
        let asked = directory.ask(user, ChangeProfile { change, claimed: None, entered: None });
        drop(self.asks::<ChangeProfile>(asked).await);
    }

    async fn marks(&mut self, user: UserId) {
        let (group, _) = self.group();
        let told = self.book.borrow().told_in(group.into());
        if told.is_empty() {
            return;
        }
        let upto = UpTo::Message(told[self.random.usize(..told.len())]);
        let directory = self.directory();
        let asked = directory.ask(user, MarkRead { conv: group.into(), upto });
        self.asks::<MarkRead>(asked).await;
    }
}

impl<A, R> Told<A, R> {
    fn bare(self) -> Told<(), ()> {
        match self {
            Self::Done(_) => Told::Done(()),
            Self::Refused(_) => Told::Refused(()),
            Self::Nothing => Told::Nothing,
        }
    }
}
