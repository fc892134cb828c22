//! What people tried and what they were told: all that the checks know of a run besides
//! what is on the disk.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use coterie::domain::ids::{Conversation, GroupId, MessageId, TokenId, UserId};
use coterie::domain::user::TokenHash;
use coterie::journal::Cursor;
use sha2::{Digest, Sha256};

/// A place in the order in which things were begun and answered.
pub(crate) type Place = u64;

/// One message that somebody wants to be said, however often they try.
#[derive(Debug, Clone)]
pub(crate) struct Say {
    pub(crate) by: UserId,
    pub(crate) conv: Conversation,
    /// Text and guid: nobody else says it.
    pub(crate) text: String,
    pub(crate) is_keyed: bool,
    /// When the first try began.
    pub(crate) begun: Place,
    pub(crate) tries: u32,
    /// Tries that were refused, so that they did nothing.
    pub(crate) refused: u32,
    /// When it was told to be stored, and under which id.
    pub(crate) told: Option<(Place, MessageId)>,
}

/// What may be true of something that people switch on and off.
pub(crate) type Possible = BTreeSet<bool>;

/// Somebody who listens, over all connections.
#[derive(Debug, Default)]
pub(crate) struct Subscription {
    /// Whose it is.
    pub(crate) who: usize,
    /// From where it began to listen.
    pub(crate) first: Cursor,
    /// With which cursor it comes back.
    pub(crate) have: Option<String>,
    /// Whether everything was told.
    pub(crate) is_synced: bool,
    pub(crate) heard: Vec<Heard>,
}

/// What a subscription was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) cursor: Cursor,
    pub(crate) conv: String,
    pub(crate) n: u64,
    pub(crate) kind: String,
}

/// A person, over all crashes.
#[derive(Debug, Default)]
pub(crate) struct Person {
    pub(crate) account: Option<(UserId, String)>,
    /// Messages of which nobody told them what became of them.
    pub(crate) in_doubt: Vec<usize>,
}

/// A token besides the one of the account.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) of: UserId,
    /// What it is called, once that was told. What nobody was told may have happened to
    /// nobody, and then another one is called so.
    pub(crate) id: Option<TokenId>,
    pub(crate) text: String,
    /// Whether it works.
    pub(crate) works: Possible,
}

/// The book of one run.
#[derive(Default)]
pub(crate) struct Book {
    pub(crate) people: Vec<Person>,
    pub(crate) groups: Vec<(GroupId, String)>,
    pub(crate) says: Vec<Say>,
    /// Whether somebody likes a message.
    pub(crate) likes: BTreeMap<(UserId, Conversation, MessageId), Possible>,
    /// Whether somebody is in a group.
    pub(crate) seats: BTreeMap<(UserId, GroupId), Possible>,
    pub(crate) keys: Vec<Key>,
    pub(crate) subscriptions: Vec<Subscription>,
    pub(crate) crashes: u32,
    pub(crate) told: u64,
    pub(crate) jumps: u32,
    /// Whether each stream has two rooms that know nothing of each other.
    pub(crate) has_twins: bool,
    wrong: Vec<String>,
    place: Place,
    hash: u64,
    trace: Option<Vec<String>>,
}

/// Shared by everybody on the simulation's own thread.
pub(crate) type Shared = Rc<RefCell<Book>>;

/// The token of somebody's account: the same in each run of a seed.
pub(crate) fn token_of(user: UserId) -> String {
    format!("{:0>43}", format!("token-{user}"))
}

/// What is stored of it.
pub(crate) fn hash_of(token: &str) -> TokenHash {
    TokenHash::new(Sha256::digest(token.as_bytes()).into())
}

impl Book {
    /// An empty one; with all that happens, in words, if wished.
    pub(crate) fn new(is_loud: bool) -> Self {
        Self { trace: is_loud.then(Vec::new), hash: 0xcbf2_9ce4_8422_2325, ..Self::default() }
    }

    /// The next place in the order of things.
    pub(crate) fn next(&mut self) -> Place {
        self.place += 1;
        self.place
    }

    /// Something happened.
    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        let what = what();
        for byte in what.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if let Some(trace) = &mut self.trace {
            trace.push(what);
        }
    }

    /// Something happened that must not.
    pub(crate) fn object(&mut self, what: String) {
        self.note(|| format!("WRONG {what}"));
        self.wrong.push(what);
    }

    /// What must not have happened.
    pub(crate) fn wrong(&self) -> &[String] {
        &self.wrong
    }

    /// What happened, in one number.
    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }

    /// What happened, in words.
    pub(crate) fn trace(&self) -> &[String] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// Somebody begins to try something that can be switched on and off.
    pub(crate) fn may_become(possible: &mut Possible, value: bool) {
        if possible.is_empty() {
            possible.insert(false);
        }
        possible.insert(value);
    }

    /// Messages that were told to be stored before now.
    pub(crate) fn told_in(&self, conv: Conversation) -> Vec<MessageId> {
        let here = self.says.iter().filter(|say| say.conv == conv);
        here.filter_map(|say| Some(say.told?.1)).collect()
    }
}
