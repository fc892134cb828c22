//! Polls: what a group is asked, who may vote and end the poll, and how votes are counted.
//!
//! Pure rules. A group keeps its open polls with all votes; ended polls are only in the index. Who
//! voted is kept, so that a vote can change; who voted in an anonymous poll is told to nobody.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bot_event::BotEvent;
use crate::group::permissions::{BrokenRule, Denied};
use crate::ids::{PollId, UserId};
use crate::limits::{OPEN_POLLS, POLL_OPTIONS, POLL_RUNS_MILLIS};
use crate::notices::FOR_EVER;
use crate::revision::{Revision, RevisionKind};
use crate::time::Timestamp;

/// How many options a vote may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PollKind {
    /// One option.
    Single,
    /// Any number of options.
    Multi,
}

impl PollKind {
    /// Both kinds with their names in the API.
    pub const ALL: [(&'static str, Self); 2] = [("single", Self::Single), ("multi", Self::Multi)];

    /// The name of the kind in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Multi => "multi",
        }
    }
}

/// The visibility of votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    /// Everybody in the group.
    Public,
    /// Only the voter.
    Anonymous,
}

impl Visibility {
    /// Both values with their names in the API.
    pub const ALL: [(&'static str, Self); 2] =
        [("public", Self::Public), ("anonymous", Self::Anonymous)];

    /// The name of the value in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Anonymous => "anonymous",
        }
    }
}

/// A poll that a user wants to create: parsed, not yet checked against the rules of the group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPoll {
    /// The question.
    pub subject: String,
    /// The options, in the order shown.
    pub options: Vec<String>,
    /// When the poll ends by itself.
    pub ends: Timestamp,
    /// How many options a vote may name.
    pub kind: PollKind,
    /// The visibility of votes.
    pub visibility: Visibility,
}

/// A poll as it was created. The message that carries it has the same number; deleting that message
/// deletes the poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadePoll {
    /// The poll's id.
    pub id: PollId,
    /// The user who created the poll.
    pub owner: UserId,
    /// When the poll was created.
    pub at: Timestamp,
    /// The question, the options and the settings.
    pub poll: NewPoll,
}

/// Something that happened to a poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PollChange {
    /// The poll was created.
    Made(MadePoll),
    /// A user voted, changed their vote, or withdrew it.
    Voted {
        /// The poll.
        poll: PollId,
        /// The voter.
        by: UserId,
        /// The chosen options, counted from 1, in ascending order; none withdraws the vote.
        options: Vec<u8>,
    },
    /// The poll ended.
    Ended {
        /// The poll.
        poll: PollId,
        /// The user who ended it; `None` if its time was up.
        by: Option<UserId>,
    },
}

impl PollChange {
    /// The type of the push event that tells of the change.
    pub const fn push_type(&self) -> &'static str {
        match self {
            Self::Made(_) => BotEvent::PollCreate.as_str(),
            Self::Voted { .. } => BotEvent::PollUpdate.as_str(),
            Self::Ended { .. } => BotEvent::PollFinished.as_str(),
        }
    }

    /// The poll that changed.
    pub const fn poll(&self) -> PollId {
        match self {
            Self::Made(made) => made.id,
            Self::Voted { poll, .. } | Self::Ended { poll, .. } => *poll,
        }
    }
}

/// A poll with its votes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Poll {
    /// The poll as it was created.
    pub made: Arc<MadePoll>,
    /// The chosen options of each voter, counted from 1.
    pub votes: BTreeMap<UserId, Vec<u8>>,
    /// When the poll ended; `None` while it is open.
    pub ended: Option<Timestamp>,
    /// When the poll was last changed; a vote counts as a change.
    pub modified: Timestamp,
    /// Whether the poll's message was deleted, so that the poll is no longer shown.
    pub is_deleted: bool,
}

impl Poll {
    /// A new poll without votes.
    pub fn new(made: MadePoll) -> Self {
        let modified = made.at;
        let made = Arc::new(made);
        let votes = BTreeMap::new();
        Self { made, votes, ended: None, modified, is_deleted: false }
    }

    /// Applies a change of this poll.
    pub fn apply(&mut self, at: Timestamp, change: &PollChange) {
        self.modified = at;
        match change {
            PollChange::Made(_) => {}
            PollChange::Voted { by, options, .. } if options.is_empty() => {
                self.votes.remove(by);
            }
            PollChange::Voted { by, options, .. } => {
                self.votes.insert(*by, options.clone());
            }
            PollChange::Ended { .. } => self.ended = Some(at),
        }
    }

    /// The number of votes for each option.
    pub fn tally(&self) -> Vec<u32> {
        let mut tally = vec![0; self.made.poll.options.len()];
        for option in self.votes.values().flatten() {
            if let Some(count) = tally.get_mut(usize::from(*option).wrapping_sub(1)) {
                *count += 1;
            }
        }
        tally
    }

    /// Checks the options of a vote, and returns them sorted and each once. A vote without options
    /// withdraws the earlier one.
    ///
    /// # Errors
    /// If too many options are named, or one does not exist.
    fn vote(&self, mut options: Vec<u8>) -> Result<Vec<u8>, PollRefusal> {
        options.sort_unstable();
        options.dedup();
        let most = self.made.poll.options.len();
        if options.iter().any(|it| *it == 0 || usize::from(*it) > most) {
            return Err(PollRefusal::NoOption);
        }
        match (self.made.poll.kind, options.len()) {
            (PollKind::Multi, _) | (PollKind::Single, 0 | 1) => Ok(options),
            (PollKind::Single, _) => Err(PollRefusal::OneVote),
        }
    }
}

/// Why a poll was not created, voted in or ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PollRefusal {
    /// The caller is not in the group, or it does not exist.
    #[error("there is no such group")]
    NotAMember,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// The group has no such poll.
    #[error("there is no such poll")]
    NoPoll,
    /// The poll has no such option.
    #[error("the poll has no such option")]
    NoOption,
    /// The poll takes one option, and several were named.
    #[error("votes: this poll accepts one option")]
    OneVote,
    /// The poll has ended, or was deleted.
    #[error("this poll has ended")]
    Over,
    /// Only the creator of the poll, the owner and admins may end it.
    #[error("only the creator of the poll, the owner and admins may end it")]
    NotTheMaker,
    /// The poll would end in less than a minute, or after the last time that can be given
    /// ([`FOR_EVER`]).
    #[error("expiration: must be at least a minute in the future")]
    TooSoon,
    /// The group already has [`OPEN_POLLS`] open polls.
    #[error("a group can have at most {OPEN_POLLS} open polls")]
    Full,
}

/// The open polls of one group. Those that ended stay until the next poll is created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Polls(BTreeMap<PollId, Arc<Poll>>);

impl FromIterator<Poll> for Polls {
    fn from_iter<I: IntoIterator<Item = Poll>>(polls: I) -> Self {
        Self(polls.into_iter().map(|poll| (poll.made.id, Arc::new(poll))).collect())
    }
}

impl Polls {
    /// The poll with this id, even if it ended.
    pub fn get(&self, id: PollId) -> Option<&Arc<Poll>> {
        self.0.get(&id)
    }

    /// The poll with this id, if it is open.
    pub fn open(&self, id: PollId) -> Option<&Arc<Poll>> {
        self.get(id).filter(|poll| poll.ended.is_none())
    }

    /// Applies a change. Ended polls stay until another one is created, so that they can still be
    /// shown.
    pub fn apply(&mut self, at: Timestamp, change: &PollChange) {
        if let PollChange::Made(made) = change {
            self.0.retain(|_, poll| poll.ended.is_none());
            self.0.insert(made.id, Arc::new(Poll::new(made.clone())));
        } else if let Some(poll) = self.0.get_mut(&change.poll()) {
            Arc::make_mut(poll).apply(at, change);
        }
    }

    /// Removes a poll whose message was deleted.
    pub fn revised(&mut self, revision: &Revision) {
        if matches!(revision.kind, RevisionKind::Deleted { .. }) {
            self.0.remove(&PollId::new(revision.message.get()));
        }
    }

    /// Checks whether a poll can be created.
    ///
    /// # Errors
    /// If too many polls are open, or the poll would end too soon or too late.
    pub fn admit(&self, new: &NewPoll, now: Timestamp) -> Result<(), PollRefusal> {
        debug_assert!(POLL_OPTIONS.contains(&new.options.len()), "it was parsed");
        let open = self.0.values().filter(|poll| poll.ended.is_none()).count();
        if open >= OPEN_POLLS {
            return Err(PollRefusal::Full);
        }
        let is_late = new.ends >= now.plus_millis(POLL_RUNS_MILLIS) && new.ends < FOR_EVER;
        if is_late { Ok(()) } else { Err(PollRefusal::TooSoon) }
    }

    /// Votes for a user; `None` if it is the same vote as before.
    ///
    /// # Errors
    /// If the poll is over, or does not take these options.
    pub fn vote(
        &self,
        id: PollId,
        by: UserId,
        options: Vec<u8>,
        now: Timestamp,
    ) -> Result<Option<PollChange>, PollRefusal> {
        // The poll's time may be up although it was not ended yet.
        let poll = self.open(id).filter(|poll| now < poll.made.poll.ends);
        let poll = poll.ok_or(PollRefusal::Over)?;
        let options = poll.vote(options)?;
        if poll.votes.get(&by).map_or(&[][..], Vec::as_slice) == options {
            return Ok(None);
        }
        Ok(Some(PollChange::Voted { poll: id, by, options }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);
    const ID: PollId = PollId::new(7);

    fn at(second: u64) -> Timestamp {
        Timestamp::from_seconds(second)
    }

    fn new(kind: PollKind) -> NewPoll {
        let options = vec!["six".to_owned(), "seven".to_owned(), "eight".to_owned()];
        let visibility = Visibility::Public;
        NewPoll { subject: "when?".to_owned(), options, ends: at(1000), kind, visibility }
    }

    fn open(kind: PollKind) -> Polls {
        let mut polls = Polls::default();
        let made = MadePoll { id: ID, owner: ANA, at: at(1), poll: new(kind) };
        polls.apply(at(1), &PollChange::Made(made));
        polls
    }

    #[test]
    fn a_vote_changes_until_the_end_and_counts_once() {
        let mut polls = open(PollKind::Single);
        let mut vote = |by, option| {
            let change = polls.vote(ID, by, vec![option], at(10)).unwrap();
            change.map(|change| {
                polls.apply(at(10), &change);
                polls.get(ID).unwrap().tally()
            })
        };
        assert_eq!(vote(ANA, 1), Some(vec![1, 0, 0]));
        assert_eq!(vote(BEN, 1), Some(vec![2, 0, 0]));
        assert_eq!(vote(BEN, 3), Some(vec![1, 0, 1]));
        assert_eq!(vote(BEN, 3), None, "the same again is no change");
        assert_eq!(polls.vote(ID, ANA, vec![2], at(1000)), Err(PollRefusal::Over));
        polls.apply(at(20), &PollChange::Ended { poll: ID, by: None });
        let ended = Arc::clone(polls.get(ID).unwrap());
        assert_eq!((ended.ended, ended.modified), (Some(at(20)), at(20)));
        assert_eq!(polls.vote(ID, ANA, vec![2], at(30)), Err(PollRefusal::Over));
    }

    #[test]
    fn vote_names_existing_options_within_the_limit() {
        let single = open(PollKind::Single);
        let multi = open(PollKind::Multi);
        let vote = |polls: &Polls, options: &[u8]| polls.vote(ID, ANA, options.to_vec(), at(10));
        assert_eq!(vote(&single, &[1, 2]), Err(PollRefusal::OneVote));
        assert_eq!(vote(&single, &[4]), Err(PollRefusal::NoOption));
        assert_eq!(vote(&multi, &[0]), Err(PollRefusal::NoOption));
        let voted = PollChange::Voted { poll: ID, by: ANA, options: vec![1, 3] };
        assert_eq!(vote(&multi, &[3, 1, 3]), Ok(Some(voted)));
    }

    #[test]
    fn withdrawn_votes_count_no_more() {
        for kind in [PollKind::Single, PollKind::Multi] {
            let mut polls = open(kind);
            assert_eq!(polls.vote(ID, ANA, vec![], at(9)), Ok(None), "there is no vote");
            let voted = polls.vote(ID, ANA, vec![2], at(10)).unwrap().unwrap();
            polls.apply(at(10), &voted);
            let withdrawn = polls.vote(ID, ANA, vec![], at(11)).unwrap().unwrap();
            polls.apply(at(11), &withdrawn);
            let poll = polls.get(ID).unwrap();
            assert_eq!((poll.tally(), poll.votes.len()), (vec![0, 0, 0], 0));
            assert_eq!(polls.vote(ID, ANA, vec![], at(12)), Ok(None));
        }
    }

    #[test]
    fn a_poll_runs_for_a_minute_and_so_many_are_open() {
        let mut polls = Polls::default();
        let mut soon = new(PollKind::Single);
        soon.ends = at(159);
        assert_eq!(polls.admit(&soon, at(100)), Err(PollRefusal::TooSoon));
        soon.ends = at(160);
        assert_eq!(polls.admit(&soon, at(100)), Ok(()));
        for id in 0..OPEN_POLLS as u64 {
            let made = MadePoll { id: PollId::new(id), owner: ANA, at: at(1), poll: soon.clone() };
            polls.apply(at(1), &PollChange::Made(made));
        }
        assert_eq!(polls.admit(&soon, at(100)), Err(PollRefusal::Full));
        polls.apply(at(1), &PollChange::Ended { poll: PollId::new(3), by: None });
        assert_eq!(polls.admit(&soon, at(100)), Ok(()));
    }
}
