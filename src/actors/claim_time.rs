//! How long a claim to a name may be used, also on a node with another clock.

use serde::{Deserialize, Serialize};

use domain::time::Monotonic;

/// How long a claim may be used. On another node, whose clock is different, only two things are
/// known: the time that was left when the question set out, and that no question travels for longer
/// than `ON_THE_WAY`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ClaimTime {
    #[serde(skip)]
    until: Option<Monotonic>,
    left_millis: u64,
}

/// The longest time, in milliseconds, for which a question is retried and waited for.
const ON_THE_WAY: u64 = 45_000;

impl ClaimTime {
    /// A claim that is good until this moment, sent now.
    pub const fn until(until: Monotonic, now: Monotonic) -> Self {
        Self { until: Some(until), left_millis: until.millis_since(now) }
    }

    /// Whether the claim is over, at this moment on the clock of the node that decides.
    pub fn is_over(self, now: Monotonic) -> bool {
        self.until.map_or(self.left_millis < ON_THE_WAY, |until| now >= until)
    }
}
