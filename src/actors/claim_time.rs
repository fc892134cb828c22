//! How long somebody may use a claim to a name, also where another clock runs.

use serde::{Deserialize, Serialize};

use crate::domain::time::Monotonic;

/// How long a claim is good. Another node has another clock: there it is known only how much
/// was left when the question set out, and that no question travels for longer than this.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ClaimTime {
    #[serde(skip)]
    until: Option<Monotonic>,
    left_millis: u64,
}

/// Milliseconds that a question is asked again and waited for at most.
const ON_THE_WAY: u64 = 45_000;

impl ClaimTime {
    /// Good until this moment; asked now.
    pub const fn until(until: Monotonic, now: Monotonic) -> Self {
        Self { until: Some(until), left_millis: until.millis_since(now) }
    }

    /// Whether it is good no more, at this moment on the clock of whoever decides.
    pub fn is_over(self, now: Monotonic) -> bool {
        self.until.map_or(self.left_millis < ON_THE_WAY, |until| now >= until)
    }
}
