//! Flood limits: how many direct messages a user may send, and to how many strangers, before they
//! are banned from sending any for a while.
//!
//! Counted on the monotonic clock and kept in memory only: a restart resets the counts.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::ids::UserId;
use crate::limits::{BAN_MILLIS, REPORT_WINDOW_MILLIS, REPORTS_OF_USER};
use crate::time::Monotonic;

/// A rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How many are allowed within the time.
    pub most: usize,
    /// The time, in milliseconds.
    pub millis: u64,
}

/// The limits for one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloodLimits {
    /// Limits direct messages.
    pub messages: Pace,
    /// Limits recipients who share no group with the sender and have no chat with them yet.
    pub strangers: Pace,
}

/// Why a user may not report a message now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ReportingRefusal {
    /// There is no such account.
    #[error("unauthorized")]
    Unknown,
    /// The user reported too many messages within a day.
    #[error("you may report at most {REPORTS_OF_USER} messages a day")]
    TooMany {
        /// Milliseconds until the user may report one more.
        wait_millis: u64,
    },
}

/// When a user reported messages in the last day. In memory only: a restart resets the count.
#[derive(Debug, Clone, Default)]
pub struct RecentReports(VecDeque<Monotonic>);

impl RecentReports {
    /// Counts one more report, if the user may file it.
    ///
    /// # Errors
    /// If the user filed too many within a day.
    pub fn admit(&mut self, now: Monotonic) -> Result<(), ReportingRefusal> {
        self.forget_old(now);
        if let Some(oldest) = self.0.front().filter(|_| self.0.len() >= REPORTS_OF_USER) {
            let wait_millis = oldest.plus_millis(REPORT_WINDOW_MILLIS).millis_since(now);
            return Err(ReportingRefusal::TooMany { wait_millis });
        }
        self.0.push_back(now);
        Ok(())
    }

    /// Whether there is nothing to remember.
    pub fn is_calm(&mut self, now: Monotonic) -> bool {
        self.forget_old(now);
        self.0.is_empty()
    }

    fn forget_old(&mut self, now: Monotonic) {
        let is_over = |at: &Monotonic| now.millis_since(*at) >= REPORT_WINDOW_MILLIS;
        while self.0.front().is_some_and(is_over) {
            self.0.pop_front();
        }
    }
}

/// Whether the recipient knows the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Acquaintance {
    /// They share a group, or wrote to each other before.
    Known,
    /// They share no group and have no chat.
    Stranger,
}

/// Recent messages of one user. Never holds more than the limits allow.
#[derive(Debug, Clone, Default)]
pub struct Flood {
    messages: VecDeque<Monotonic>,
    strangers: VecDeque<(Monotonic, UserId)>,
    banned_until: Option<Monotonic>,
}

impl Flood {
    /// Counts one more direct message, if it may be sent.
    ///
    /// # Errors
    /// The milliseconds until the ban ends. The ban may begin with this message.
    pub fn admit(
        &mut self,
        to: UserId,
        acquaintance: Acquaintance,
        limits: FloodLimits,
        now: Monotonic,
    ) -> Result<(), u64> {
        self.forget_old(limits, now);
        if let Some(until) = self.banned_until {
            return Err(until.millis_since(now));
        }
        let is_new = acquaintance == Acquaintance::Stranger
            && !self.strangers.iter().any(|(_, known)| *known == to);
        let is_too_many = self.messages.len() >= limits.messages.most
            || (is_new && self.strangers.len() >= limits.strangers.most);
        if is_too_many {
            self.banned_until = Some(now.plus_millis(BAN_MILLIS));
            return Err(BAN_MILLIS);
        }
        self.messages.push_back(now);
        if is_new {
            self.strangers.push_back((now, to));
        }
        Ok(())
    }

    /// Counts the newest direct message no longer, since it was not sent. Its recipient stays
    /// counted: it will be tried again.
    pub fn give_back(&mut self) {
        self.messages.pop_back();
    }

    /// Whether there is nothing to remember.
    pub fn is_calm(&mut self, limits: FloodLimits, now: Monotonic) -> bool {
        self.forget_old(limits, now);
        self.messages.is_empty() && self.strangers.is_empty() && self.banned_until.is_none()
    }

    fn forget_old(&mut self, limits: FloodLimits, now: Monotonic) {
        let is_over = |at: &Monotonic, pace: Pace| now.millis_since(*at) >= pace.millis;
        while self.messages.front().is_some_and(|at| is_over(at, limits.messages)) {
            self.messages.pop_front();
        }
        while self.strangers.front().is_some_and(|(at, _)| is_over(at, limits.strangers)) {
            self.strangers.pop_front();
        }
        self.banned_until = self.banned_until.filter(|until| now < *until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: FloodLimits = FloodLimits {
        messages: Pace { most: 3, millis: 60_000 },
        strangers: Pace { most: 2, millis: 600_000 },
    };
    const BEN: UserId = UserId::new(2);

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    fn known(flood: &mut Flood, now: u64) -> Result<(), u64> {
        flood.admit(BEN, Acquaintance::Known, LIMITS, at(now))
    }

    fn stranger(flood: &mut Flood, id: u64, now: u64) -> Result<(), u64> {
        flood.admit(UserId::new(id), Acquaintance::Stranger, LIMITS, at(now))
    }

    #[test]
    fn excess_message_bans_for_ten_minutes() {
        let mut flood = Flood::default();
        for now in 0..3 {
            assert_eq!(known(&mut flood, now), Ok(()));
        }
        assert_eq!(known(&mut flood, 59_999), Err(600_000));
        assert_eq!(known(&mut flood, 59_999 + 599_999), Err(1));
        assert_eq!(known(&mut flood, 59_999 + 600_000), Ok(()));
    }

    #[test]
    fn a_message_that_was_not_sent_counts_no_more() {
        let mut flood = Flood::default();
        for now in 0..9 {
            assert_eq!(known(&mut flood, now), Ok(()));
            flood.give_back();
        }
        flood.give_back();
        for now in 10..13 {
            assert_eq!(known(&mut flood, now), Ok(()));
        }
        assert_eq!(known(&mut flood, 13), Err(600_000));
    }

    #[test]
    fn messages_at_the_limit_are_never_banned() {
        let mut flood = Flood::default();
        for turn in 0..10 {
            for now in 0..3 {
                assert_eq!(known(&mut flood, turn * 60_000 + now), Ok(()));
            }
        }
    }

    #[test]
    fn one_stranger_too_many_bans() {
        let mut flood = Flood::default();
        assert_eq!(stranger(&mut flood, 11, 0), Ok(()));
        assert_eq!(stranger(&mut flood, 12, 100_000), Ok(()));
        assert_eq!(stranger(&mut flood, 11, 200_000), Ok(()), "the same one again");
        assert_eq!(stranger(&mut flood, 13, 599_999), Err(600_000));
    }

    #[test]
    fn strangers_are_forgotten_after_their_time() {
        let mut flood = Flood::default();
        assert_eq!(stranger(&mut flood, 11, 0), Ok(()));
        assert_eq!(stranger(&mut flood, 12, 1), Ok(()));
        assert_eq!(stranger(&mut flood, 13, 600_000), Ok(()));
        assert!(stranger(&mut flood, 14, 600_000).is_err());
    }

    #[test]
    fn a_ban_is_remembered_until_it_ends() {
        let mut flood = Flood::default();
        assert!(flood.is_calm(LIMITS, at(0)));
        for _ in 0..3 {
            assert_eq!(known(&mut flood, 0), Ok(()));
        }
        assert!(known(&mut flood, 0).is_err());
        assert!(!flood.is_calm(LIMITS, at(599_999)));
        assert!(flood.is_calm(LIMITS, at(600_000)));
    }
}
