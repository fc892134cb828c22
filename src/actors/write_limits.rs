//! The limits on what users and bots write. A room checks them where it decides an act, so that no
//! way to the room goes around them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::auth::throttle::{Allowance, Buckets, Rate};
use crate::bounds::places::Places;
use crate::domain::event::Fact;
use crate::domain::ids::{GroupId, StreamId};
use crate::domain::time::Monotonic;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LimitExceeded {
    /// The bots of the group post too often.
    #[error("{}", bots_may_post())]
    BotPosts {
        /// Milliseconds until the act may be tried again.
        wait_millis: u64,
    },
}

impl LimitExceeded {
    /// Milliseconds until the act may be tried again.
    pub const fn wait_millis(&self) -> u64 {
        match self {
            Self::BotPosts { wait_millis } => *wait_millis,
        }
    }
}

/// What users and bots wrote lately, counted on this node over all of its rooms. Kept in memory
/// only: a restart resets the counts. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WriteLimits {
    bot_posts: Option<Arc<Buckets<GroupId>>>,
}

impl WriteLimits {
    /// The limits, which register themselves in `places`.
    pub fn new(places: &Places) -> Self {
        Self { bot_posts: Some(Arc::new(Buckets::new(BOT_POSTS, places, "throttled_bots"))) }
    }

    /// No limits.
    pub const fn off() -> Self {
        Self { bot_posts: None }
    }

    /// Whether the operator switched rate limits off.
    pub const fn are_off(&self) -> bool {
        self.bot_posts.is_none()
    }

    /// Counts a decision of the room of this stream.
    ///
    /// # Errors
    /// If the decision exceeds a limit. It is not counted then.
    pub fn admit(
        &self,
        stream: StreamId,
        facts: &[Fact],
        now: Monotonic,
    ) -> Result<(), LimitExceeded> {
        let (Some(buckets), StreamId::Group(group)) = (&self.bot_posts, stream) else {
            return Ok(());
        };
        let is_bot = |fact: &Fact| fact.message().is_some_and(|it| it.author.is_bot());
        if !facts.iter().any(is_bot) {
            return Ok(());
        }
        let Allowance { passes, wait_millis, .. } = buckets.take(&group, now);
        if passes { Ok(()) } else { Err(LimitExceeded::BotPosts { wait_millis }) }
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
