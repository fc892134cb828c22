//! What people tried and what they were answered: all that the checks know of a run besides what is
//! on the disk.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use coterie::domain::ids::{Conversation, GroupId, MessageId, TokenId, UserId};
use coterie::domain::user::TokenHash;
use coterie::journal::Cursor;
use sha2::{Digest, Sha256};

/// A position in the order in which acts were begun and answered.
pub(crate) type Place = u64;

/// A message that a person wants to send, and repeats until they know that it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Say {
    pub(crate) by: UserId,
    pub(crate) conv: Conversation,
    /// Text and guid of the message, which no other message has.
    pub(crate) text: String,
    pub(crate) is_keyed: bool,
    /// When the first try began.
    pub(crate) begun: Place,
    pub(crate) tries: u32,
    /// Tries that were refused, so that they changed nothing.
    pub(crate) refused: u32,
    /// When a try was answered with success, and the id of the message.
    pub(crate) told: Option<(Place, MessageId)>,
}

/// The possible states of something that can be on or off, as far as the answers tell; empty means
/// off.
pub(crate) type Possible = BTreeSet<bool>;

/// A subscription over all its connections.
#[derive(Debug, Default)]
pub(crate) struct Subscription {
    /// The index of the person who listens.
    pub(crate) who: usize,
    /// The cursor at which the subscription began.
    pub(crate) first: Cursor,
    /// The cursor with which it resumes.
    pub(crate) have: Option<String>,
    /// Whether it was told that it is synced.
    pub(crate) is_synced: bool,
    pub(crate) heard: Vec<Heard>,
}

/// An event that a subscription received.
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
    /// The indexes of messages whose last try was not answered.
    pub(crate) in_doubt: Vec<usize>,
}

/// A token besides the one of the account.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) of: UserId,
    /// The token's id, once the log-in was answered. A log-in that was not answered may not have
    /// been stored, and then another token gets that id.
    pub(crate) id: Option<TokenId>,
    pub(crate) text: String,
    /// Whether the token works.
    pub(crate) works: Possible,
}

/// The book of one run.
#[derive(Default)]
pub(crate) struct Book {
    pub(crate) people: Vec<Person>,
    pub(crate) groups: Vec<(GroupId, String)>,
    /// The topics of these groups.
    pub(crate) topics: Vec<GroupId>,
    pub(crate) says: Vec<Say>,
    /// Whether a user likes a message.
    pub(crate) likes: BTreeMap<(UserId, Conversation, MessageId), Possible>,
    /// Whether a user is in a group.
    pub(crate) seats: BTreeMap<(UserId, GroupId), Possible>,
    pub(crate) keys: Vec<Key>,
    pub(crate) subscriptions: Vec<Subscription>,
    pub(crate) crashes: u32,
    pub(crate) told: u64,
    pub(crate) jumps: u32,
    /// Whether each stream has two rooms that do not know of each other.
    pub(crate) has_twins: bool,
    wrong: Vec<String>,
    place: Place,
    hash: u64,
    trace: Option<Vec<String>>,
}

/// The book, shared by all tasks on the simulation's own thread.
pub(crate) type Shared = Rc<RefCell<Book>>;

/// The token of a user's account: the same in each run of a seed.
pub(crate) fn token_of(user: UserId) -> String {
    format!("{:0>43}", format!("token-{user}"))
}

/// The hash of a token, which is what the server stores.
pub(crate) fn hash_of(token: &str) -> TokenHash {
    TokenHash::new(Sha256::digest(token.as_bytes()).into())
}

impl Book {
    /// An empty book, which keeps all notes in words if `is_loud` is set.
    pub(crate) fn new(is_loud: bool) -> Self {
        Self { trace: is_loud.then(Vec::new), hash: 0xcbf2_9ce4_8422_2325, ..Self::default() }
    }

    /// The next position in the order of acts.
    pub(crate) fn next(&mut self) -> Place {
        self.place += 1;
        self.place
    }

    /// Notes something that happened.
    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        let what = what();
        for byte in what.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if let Some(trace) = &mut self.trace {
            trace.push(what);
        }
    }

    /// Notes something that must not happen.
    pub(crate) fn object(&mut self, what: String) {
        self.note(|| format!("WRONG {what}"));
        self.wrong.push(what);
    }

    /// What happened and must not have.
    pub(crate) fn wrong(&self) -> &[String] {
        &self.wrong
    }

    /// A hash of all notes; it is equal for equal runs.
    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }

    /// All notes in words, if the book keeps them.
    pub(crate) fn trace(&self) -> &[String] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// Notes that a try to switch something on or off begins: from now on both states are possible.
    pub(crate) fn may_become(possible: &mut Possible, value: bool) {
        if possible.is_empty() {
            possible.insert(false);
        }
        possible.insert(value);
    }

    /// The ids of the messages in a conversation that have been answered with success so far.
    pub(crate) fn told_in(&self, conv: Conversation) -> Vec<MessageId> {
        let here = self.says.iter().filter(|say| say.conv == conv);
        here.filter_map(|say| Some(say.told?.1)).collect()
    }
}
