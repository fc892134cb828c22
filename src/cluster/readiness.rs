//! Whether a node can answer every question, and if not, why.

use crate::membership::{MemberStage, ThisNode};
use crate::not_ready::NotReady;
use journal::Journal;

impl ThisNode {
    /// Whether the servers of the log can be reached, as far as known.
    pub(super) fn is_reachable(&self) -> bool {
        self.bus.is_connected() && self.journal.is_reachable()
    }

    /// Whether the node can answer every question now.
    pub(super) fn readiness(&self) -> Result<(), NotReady> {
        let view = self.view();
        let now = self.now();
        let ahead = view.clock.ahead();
        match (view.stage, ahead) {
            (MemberStage::Joining, _) => Err(NotReady::Joining),
            (MemberStage::Leaving, _) => Err(NotReady::Leaving),
            (MemberStage::Serving, _) if !self.is_reachable() => Err(NotReady::CutOff),
            (MemberStage::Serving, Some(ahead)) => Err(NotReady::ClockDiffers { ahead }),
            (MemberStage::Serving, None) if view.lag.is_behind(now) => Err(NotReady::Behind),
            (MemberStage::Serving, None) if now < view.listens_until => Err(NotReady::Joining),
            (MemberStage::Serving, None)
                if self.is_to_lead(&view, now) && !self.journal.leads() =>
            {
                Err(NotReady::Taking)
            }
            (MemberStage::Serving, None) => Ok(()),
        }
    }
}
