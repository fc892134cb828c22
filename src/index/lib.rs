//! The index: rows in sled that make the journal findable. Derived, never the truth.
//!
//! Every row is written by the indexer alone, from events, together with the position
//! up to which events are applied; so a crash leaves rows and position in step, and
//! an index that does not open is set aside and rebuilt. A message row holds a
//! pointer into the journal, not the text (see `src/decisions/index-rows.md`).
//!
//! | prefix | key | value | read by |
//! | --- | --- | --- | --- |
//! | `0` | name | applied position, highest ids, newest public profile, settings | opening, resume |
//! | `m` | stream, first message id | a run of message ids, each with its [`rows::At`] | pages of messages, resume |
//! | `e` | stream, n | [`rows::At`]: audible events that are no message | resume |
//! | `t` | stream | [`rows::Tail`]: head, newest message | rooms, resume |
//! | `g` | group | [`rows::GroupRow`] | the group's room |
//! | `p` | group, user | member | the group's room |
//! | `f` | group, user | former member | the group's room |
//! | `a` | group, add id | request to add people | the group's room |
//! | `^` | group, when, add id | the add id | forgetting such requests |
//! | `v` | group, contact | invite | the group's room |
//! | `*` | group, user | request to become a member | the group's room, [`join_requests`] |
//! | `|` | `d`, group, user | user, and when they were denied to join | the group's room, [`join_requests`] |
//! | | `s`, user, group | [`rows::SentRow`]: their request to join, or its denial | [`join_requests`] |
//! | | `l`, group | a searchable group: members, last join, folded name and description | [`group_directory`] |
//! | | `o`, report id | open report to the operators | [`operator_reports`] |
//! | | `r`, report id | resolved report to the operators | [`operator_reports`] |
//! | | `k`, conversation, report id | – (the report keeps a message of it) | [`operator_reports`] |
//! | | `a`, group | nothing: its owner archived it | lists of groups |
//! | | `m`, user | from whom they take direct messages, requests that are not accepted | the user's room, notices, lists of chats |
//! | | `f`, user | folders of their list of conversations | the user's room |
//! | | `v`, user | messages that they saved | the user's room, lists of them |
//! | | `h`, user, cursor | a confidential event that the user received: its group, and where it is | resume |
//! | | `b`, group, user | nothing: the user is the owner or an admin | who receives confidential events |
//! | | `w`, user | nothing: the new account waits before anybody can log in to it | [`waiting_accounts`] |
//! | `{` | group, user | ban | the group's room, [`bans`] |
//! | `}` | group, user | timeout | the group's room, [`bans`] |
//! | `,` | group, or 0 for the operators, rule id | rule | the group's room, [`bans`], [`operators`] |
//! | `"` | group, link id | invite link, also some that ended | the group's room, [`bans`] |
//! | `.` | group, held message | held message | the group's room, [`bans`] |
//! | `/` | group, user, kind of act | newest appeal against it | the group's room, [`bans`] |
//! | `_` | group, report id | open report | the group's room, [`reports`] |
//! | `]` | group, report id | resolved report | [`reports`] |
//! | `?` | group, cursor | entry of the audit | [`group_audit`] |
//! | `w` | contact, group | nothing | registration, lists of groups |
//! | `W` | stream, n | what a group or an account was right after an event that shows it | resume |
//! | `F` | group, user, n | member from then on, or nothing | resume |
//! | `s` | user, group | [`rows::Seat`]: which stays | lists of groups, resume |
//! | `u` | user | [`rows::UserRow`] | the user's room, look-ups |
//! | `N` | user, number of their public profile | [`rows::At`]: what they look like from then on | resume |
//! | `k` | token hash | [`rows::TokenRow`] | every request, through a cache |
//! | `l` | user, token id | token | the user's room |
//! | `c` | user, other user | [`rows::ChatRow`], the same on both sides | the chat's room, lists of chats, resume |
//! | `x` | user, blocked user | since when | the user's room, adding |
//! | `d` | user, device id | device | the user's room, notices |
//! | `M` | user | nothing: SMS mode was switched on | notices |
//! | `P` | client id | [`rows::ApplicationRow`] | consent, every look-up of an application's token |
//! | `O` | owner, client id | application | the user's room, lists of applications |
//! | `C` | client id, user, token id | token hash | the end of an application |
//! | `n`, `h` | email, phone | user | log-in, adding, registration |
//! | `[` | hash of an identity at a provider | user | log-in, back-channel log-out |
//! | `'` | hash of a `userName` or `externalId` of SCIM | user | `/scim/v2` |
//! | `\` | `g`, group | [`domain::directory_groups::ProvisionedGroup`] | `/scim/v2`, the room of the installation |
//! | | `m`, user, group | nothing: the user is a member | `/scim/v2` |
//! | | `n` | the highest id of such a group | the room of the installation |
//! | `E` | hash of an email, phone or identity | [`domain::name::Name`]: who takes it | the name's room |
//! | `J` | user, group | nothing: something of theirs is to be done there | [`due`] |
//! | `Y` | group, add id | nothing: a request to add people that is not settled | [`due`] |
//! | `V` | client id, creator, group, bot id | nothing: a bot of an application | its end |
//! | `U` | creator, group, bot id | nothing: its application ended | [`due`] |
//! | `b` | bot id | [`rows::BotRow`] | posts of bots |
//! | `q` | group, bot id | [`rows::BotRow`] | the group's room |
//! | `o` | creator, bot id | [`rows::BotRow`] | lists of bots |
//! | `G` | bot's number | nothing: there is such a bot | callbacks |
//! | `B` | bot's number | [`rows::CallbackProgress`]: up to which message | callbacks |
//! | `D` | bot's number, delivery id | delivery: the newest, and those not over | the bot's creator |
//! | `Q` | bot's number, delivery id | nothing: this one is not over | callbacks |
//! | `S` | stream, message id | [`revisions::RevisionRow`]: where its edits lie, or when it was deleted; its pin, its thread, where its previews lie | pages of messages, resume |
//! | `Z` | stream, message id, n | its pin from then on, or nothing | resume |
//! | `1` | stream, message id | its pin: it is pinned now | lists of pinned messages, rooms |
//! | `2` | stream, first message of a thread, message id | n of the answer, and its time | threads, resume |
//! | `3` | user, stream | what they have written there and not sent | the user's devices |
//! | `4` | user, stream | of what in it they want notices, if not of everything | notices |
//! | `5` | user | until when they want none at all | notices |
//! | `!` | user, chat | until when they want none of it | notices, lists of chats |
//! | `6` | when, what | nothing: it is due then: [`alarms`] | alarms |
//! | `<` | when, user, mail id | nothing: the mail in the user's row is due then | [`mails`] |
//! | `>` | when, user, mail id | [`mails::DeadMail`]: a mail that was given up, for a week | operators |
//! | `(` | user | the role of an operator | `/v3/admin`, the guard of the last admin |
//! | `)` | cursor | [`domain::audit::DatedAct`]: an act of an operator | `/v3/admin/audit` |
//! | `7` | stream, poll | [`polls::PollRow`]: how it was made, its end | polls, resume, the group's room |
//! | `8` | stream, poll, n | [`polls::VoteRow`]: who voted for what | polls, resume, the group's room |
//! | `9` | stream, event of its calendar | [`calendar::CalendarRow`]: how it was made, what is planned now | calendars, resume, rooms |
//! | `:` | stream, poll | nothing: it has not ended | the group's room |
//! | `;` | stream, when it is over, event of its calendar | nothing: it is open until then | rooms |
//! | `+` | stream, event of its calendar, n | what happened to it | calendars, resume, rooms |
//! | `H` | stream, message id | whom it is for, if it is for somebody: [`mentions`] | edits and deletions |
//! | `L` | user, or 0 for everybody, stream, n of the message | who wrote it | unread numbers |
//! | `X` | stream, message id | names of the images that it carries or did: [`images`] | deletions |
//! | `K` | name of an image | in how many messages it is, in which drafts, and whether it was shown elsewhere | images |
//! | `#` | id that was given before the bytes of an image | name of the image | messages, redirects |
//! | `-` | when, name of an image | nothing: a message or a draft lets go of it then | removing images |
//! | `$` | stream, file id | [`files::FileRow`]: what it is, in how many messages, and how many show it | files |
//! | `%` | stream, message id | ids of the files that it carries or did, and of those that it shows | edits, deletions |
//! | `&` | digest of a content | how many files have it | files |
//! | `=` | user | bytes of the files that they sent | quotas |
//! | `@` | stream, kind, message id | nothing: the message has something of this kind: [`gallery`] | galleries |
//! | `~` | when, digest of a content | nothing: no message had it any more then | removing files |
//! | `i` | stream, message id, user | [`likes::LikeRow`]: when they liked it, and by which event | pages of messages, likes |
//! | `I` | stream, message id, user, n of its end | [`likes::LikeRow`]: a like that is over | resume |
//! | `j` | stream, message id | number of likes | ranks |
//! | `r` | stream, day, number of likes, message id | – | leaderboards |
//! | `y` | user, stream, liked at, message id | – | likes of a user |
//! | `A` | caller and key, hashed | [`rows::AnswerRow`]: where the first answer lies | repeats under an `Idempotency-Key` |
//! | `T` | answered at, caller and key | – | forgetting answers after a day |
//! | `R` | user, stream | [`reading::ReadRow`] | the user's room, unread numbers |
//! | `z` | author, stream, message id | number of others' likes | likes for a user |

use std::fmt;
use std::sync::Arc;

use crate::notes::Notes;
use crate::progress::Progress;
use base::threads::Threads;
use journal::{Cursor, JournalFault};

pub mod alarms;
pub mod applier;
pub mod archive;
pub mod bans;
pub mod calendar;
pub mod comparison;
mod confidential;
mod conversation_list;
pub mod deletions;
mod derive;
pub mod directory_groups;
mod draft;
pub mod due;
pub mod files;
pub mod gallery;
pub mod group_audit;
pub mod group_directory;
mod images;
pub mod indexer;
pub mod join_requests;
mod keys;
pub mod likes;
pub mod log;
pub mod lookup;
pub mod mails;
pub mod memory;
mod mentions;
mod message_requests;
pub mod missed;
pub mod moment;
mod notes;
pub mod notices;
pub mod operator_reports;
pub mod operators;
pub mod overlay;
pub mod past;
pub mod polls;
mod progress;
pub mod read_marks;
mod repair;
pub mod reports;
pub mod revisions;
pub mod rows;
mod runs;
mod saved;
pub mod sled_index;
pub mod timeline;
pub mod topics;
pub mod waiting_accounts;

/// A key and its new value; `None` deletes the row.
pub type RowChange = (Vec<u8>, Option<Vec<u8>>);

/// The direction of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// From the lowest key up.
    Up,
    /// From the highest key down.
    Down,
}

/// An ordered map of bytes. A batch is applied as a whole or not at all, also across a crash, and a
/// scan sees every batch applied before it began.
pub trait Rows: Send + Sync + fmt::Debug {
    /// The value of a key.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault>;

    /// Walks the keys from `low` to `high`, both included, until `visit` returns [`Flow::Stop`].
    ///
    /// # Errors
    /// If the store cannot be read, or `visit` fails.
    fn scan(
        &self,
        low: &[u8],
        high: &[u8],
        walk: Walk,
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), IndexFault>;

    /// Applies changes as one batch. `None` deletes.
    ///
    /// # Errors
    /// If the store cannot be written.
    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault>;

    /// Whether changes that are only in memory are to be written to the store now.
    fn is_full(&self) -> bool {
        false
    }

    /// Whether there are changes that are only in memory.
    fn has_unwritten(&self) -> bool {
        false
    }

    /// Writes changes that are only in memory to the store. Only the thread that applies changes
    /// calls this.
    fn write_out(&self) {}

    /// Whether the store can be written, as far as is known.
    fn is_well(&self) -> bool {
        true
    }

    /// Makes what was applied survive a crash, as far as the store can. Blocks.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn flush(&self) -> Result<(), IndexFault>;
}

/// The visitor of a scan: receives key and value of each row, and returns whether to continue.
pub type RowVisitor<'visitor> = dyn FnMut(&[u8], &[u8]) -> Result<Flow, IndexFault> + 'visitor;

/// Whether a scan continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue with the next key.
    Continue,
    /// Stop here.
    Stop,
}

/// Why the index cannot serve. It can be rebuilt from the journal.
#[derive(Debug, Clone, thiserror::Error)]
pub enum IndexFault {
    /// The store is damaged.
    #[error("the stored index is damaged: {0}")]
    Store(String),
    /// The operating system refused an operation; the store may be intact.
    #[error("the stored index cannot be used: {0}")]
    System(String),
    /// The index knows of more than the journal has: a part of the journal is lost.
    #[error(
        "the index is ahead of the journal: the index ends at {}, the journal at {}",
        reached.get(), end.get()
    )]
    Ahead {
        /// The newest record whose rows are there.
        reached: Cursor,
        /// The end of the journal.
        end: Cursor,
    },
    /// The store is being opened again or rebuilt.
    #[error("the index is being repaired")]
    Mending,
    /// A row cannot be decoded, or does not fit its place.
    #[error("the index row of {table} cannot be read: {reason}")]
    Row {
        /// The kind of row.
        table: &'static str,
        /// The reason.
        reason: String,
    },
    /// A row points to a record that cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalFault),
    /// The indexer has stopped, so the index no longer follows the journal.
    #[error("the indexer has stopped")]
    Stopped,
}

/// Notifies the indexer that a reader waits, so that it writes at once.
struct WakeIndexer(Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for WakeIndexer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("WakeIndexer")
    }
}

/// The rows, and how far they follow the journal.
#[derive(Debug)]
pub struct Index {
    rows: Arc<dyn Rows>,
    applied: Progress,
    moment: Arc<moment::IndexPosition>,
    hurry: WakeIndexer,
    threads: Threads,
    /// The newest durable commits whose rows readers have to wait for.
    notes: Arc<Notes>,
    /// Read marks that were answered and whose rows may be missing.
    pub pending_marks: Arc<read_marks::PendingMarks>,
}

/// State that an indexer shares with the index.
struct Shared {
    /// How far the rows follow the journal.
    applied: Progress,
    /// Lets readers hold the rows at one moment.
    moment: Arc<moment::IndexPosition>,
    /// Durable changes whose rows may not be written yet.
    notes: Arc<Notes>,
    /// Read marks that may not have their rows yet.
    pending_marks: Arc<read_marks::PendingMarks>,
}

impl Index {
    /// Makes an index over these rows. The indexer that keeps them current shares `shared`; `hurry`
    /// tells it that a reader waits; `threads` runs reads that block.
    fn new(rows: Arc<dyn Rows>, shared: Shared, hurry: WakeIndexer, threads: Threads) -> Self {
        let Shared { applied, moment, notes, pending_marks } = shared;
        Self { rows, applied, moment, hurry, threads, notes, pending_marks }
    }

    /// Holds all rows as they are now. Blocks while a batch is being written, and keeps anything
    /// from being written until the hold is dropped.
    pub fn hold(&self) -> moment::IndexHold<'_> {
        self.moment.hold()
    }

    /// Runs the threads that read.
    pub const fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Runs a read on a thread that may wait for the disk.
    ///
    /// # Errors
    /// Those of the read, or [`IndexFault::Stopped`] if the server stops.
    pub async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Self) -> Result<T, IndexFault> + Send + 'static,
    ) -> Result<T, IndexFault> {
        let index = Arc::clone(self);
        self.threads.blocking(move || question(&index)).await.ok_or(IndexFault::Stopped)?
    }

    /// The newest event whose rows are there.
    pub fn applied(&self) -> Cursor {
        self.applied.get()
    }

    /// Whether the store can be written. Even if not, it can be read.
    pub fn is_well(&self) -> bool {
        self.rows.is_well()
    }

    /// Waits until lists and look-ups show everything that was answered or received so far. Posts
    /// do not count, so this returns at once even under a load of posts.
    ///
    /// # Errors
    /// If the indexer has stopped.
    pub async fn current(&self) -> Result<(), IndexFault> {
        self.reached(self.notes.structural()).await
    }

    /// Waits until lists of chats show every direct message that was answered or received so far.
    ///
    /// # Errors
    /// If the indexer has stopped.
    pub async fn chats_current(&self) -> Result<(), IndexFault> {
        self.reached(self.notes.chats()).await
    }

    /// Waits until lists of drafts show every draft that was answered or received so far, and other
    /// lists what [`Self::current`] says.
    ///
    /// # Errors
    /// If the indexer has stopped.
    pub async fn drafts_current(&self) -> Result<(), IndexFault> {
        self.reached(self.notes.drafts()).await
    }

    /// Waits until the rows of the event at this cursor are there, or those of all events of the
    /// record that begins there.
    ///
    /// # Errors
    /// If the indexer has stopped.
    pub async fn reached(&self, at: Cursor) -> Result<(), IndexFault> {
        if self.applied() >= at {
            return Ok(());
        }
        (self.hurry.0)();
        self.applied.reached(at).await
    }

    fn row<T: serde::de::DeserializeOwned>(
        &self,
        table: &'static str,
        key: &[u8],
    ) -> Result<Option<T>, IndexFault> {
        self.rows.get(key)?.map(|value| rows::decode(table, &value)).transpose()
    }

    fn rows_of<T: serde::de::DeserializeOwned>(
        &self,
        table: &'static str,
        prefix: &[u8],
    ) -> Result<Vec<T>, IndexFault> {
        let mut found = Vec::new();
        self.rows.scan(prefix, &keys::end_of(prefix), Walk::Up, &mut |_, value| {
            found.push(rows::decode(table, value)?);
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }
}
