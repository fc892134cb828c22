//! The limits on what users and bots write. A room checks them where it decides an act, so that no
//! way to the room goes around them.

use std::sync::Arc;

use auth::throttle::{Allowance, Buckets, Rate};
use auth::write_budgets::{SpentBudget, WriteBudgets, WriteRate};
use base::bounds::places::Places;
use domain::ids::{GroupId, StreamId, UserId};
use domain::time::Monotonic;

/// The rate of posts by all bots of one group. Stops bots that answer each other in a loop.
pub const BOT_POSTS: Rate = Rate { per_second: 2.0, burst: 20.0 };

/// The rate of bots' posts in words.
pub fn bots_may_post() -> String {
    let Rate { per_second, burst } = BOT_POSTS;
    format!(
        "all bots of a group together may post {burst} messages at once and {per_second} more \
             each second"
    )
}

/// A limit that an act would exceed. Nothing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
    /// The bots of the group post too often.
    #[error("{}", bots_may_post())]
    BotPosts {
        /// Milliseconds until the act may be tried again.
        wait_millis: u64,
    },
    /// The user wrote too many bytes in a short time.
    #[error("this account writes too much: {bytes} bytes per second are allowed (--write-limit)")]
    BytesPerSecond {
        /// The limit.
        bytes: u64,
        /// Milliseconds until the act may be tried again.
        wait_millis: u64,
    },
    /// The user wrote too many bytes in a day.
    #[error("this account writes too much: {bytes} bytes in 24 hours are allowed (--write-limit)")]
    BytesPerDay {
        /// The limit.
        bytes: u64,
        /// Milliseconds until the act may be tried again.
        wait_millis: u64,
    },
}

impl LimitExceeded {
    /// Milliseconds until the act may be tried again.
    pub const fn wait_millis(&self) -> u64 {
        match self {
            Self::BotPosts { wait_millis }
            | Self::BytesPerSecond { wait_millis, .. }
            | Self::BytesPerDay { wait_millis, .. } => *wait_millis,
        }
    }
}

/// The kind of write that a room plans.
#[derive(Debug, Clone, Copy)]
pub struct WriteCost {
    /// The user who pays: the writer, or who made the bot.
    pub user: Option<UserId>,
    /// Whether it is a post of a bot.
    pub is_bot_post: bool,
    /// Bytes in the journal.
    pub bytes: usize,
}

/// Recent writes of users and bots, counted on this node over all of its rooms. Kept in memory
/// only: a restart resets the counts. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct WriteLimits {
    bot_posts: Option<Arc<Buckets<GroupId>>>,
    budgets: Option<Arc<WriteBudgets>>,
}

impl WriteLimits {
    /// The limits, which register themselves in `places`. `rate` is `None` for no limit of bytes.
    pub fn new(rate: Option<WriteRate>, places: &Places) -> Self {
        let budgets = |rate| Arc::new(WriteBudgets::new(rate, places, "throttled_writers"));
        Self {
            bot_posts: Some(Arc::new(Buckets::new(BOT_POSTS, places, "throttled_bots"))),
            budgets: rate.map(budgets),
        }
    }

    /// No limits.
    pub fn off() -> Self {
        Self::default()
    }

    /// Whether the operator switched rate limits off.
    pub const fn are_off(&self) -> bool {
        self.bot_posts.is_none()
    }

    /// Counts what the room of this stream is about to write.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn admit(
        &self,
        stream: StreamId,
        cost: WriteCost,
        now: Monotonic,
    ) -> Result<(), LimitExceeded> {
        if let (Some(buckets), StreamId::Group(group), true) =
            (&self.bot_posts, stream, cost.is_bot_post)
        {
            let Allowance { passes, wait_millis, .. } = buckets.take(&group, now);
            if !passes {
                return Err(LimitExceeded::BotPosts { wait_millis });
            }
        }
        let Some((budgets, user)) = self.budgets.as_ref().zip(cost.user) else { return Ok(()) };
        let WriteRate { per_second, per_day } = budgets.rate();
        budgets.spend(user, cost.bytes, now).map_err(|spent| match spent {
            SpentBudget::Second(wait_millis) => {
                LimitExceeded::BytesPerSecond { bytes: per_second, wait_millis }
            }
            SpentBudget::Day(wait_millis) => {
                LimitExceeded::BytesPerDay { bytes: per_day, wait_millis }
            }
        })
    }

    /// Checks whether a user may write.
    ///
    /// # Errors
    /// If a limit of bytes is exceeded.
    pub fn check(&self, user: UserId, now: Monotonic) -> Result<(), LimitExceeded> {
        let cost = WriteCost { user: Some(user), is_bot_post: false, bytes: 0 };
        self.admit(StreamId::User(user), cost, now)
    }

    /// Counts bytes that are written for a user beside what was admitted.
    pub fn count(&self, user: UserId, bytes: usize, now: Monotonic) {
        if let Some(budgets) = &self.budgets {
            budgets.count(user, bytes, now);
        }
    }

    /// How many posts the bots of a group have left, and of how many; `None` without a limit.
    pub fn bot_posts_left(&self, group: GroupId, now: Monotonic) -> Option<(u64, Allowance)> {
        let buckets = self.bot_posts.as_ref()?;
        Some((buckets.rate().burst as u64, buckets.look(&group, now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_of_bots_names_their_limit() {
        let page = include_str!("../../static/docs/bots/index.html");
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        assert!(page.contains(&bots_may_post()), "{}", bots_may_post());
    }
}
