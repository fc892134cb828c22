//! Whether a node can answer every question, and if not, why.

use crate::membership::{MemberStage, ThisNode};
use crate::not_ready::NotReady;
use crate::placement;
use journal::Journal;
use journal::replicated::shard::Shard;

impl ThisNode {
    fn is_reachable(&self) -> bool {
        self.bus.is_connected() && self.journal.is_reachable()
    }

    /// Whether the node can answer every question now.
    pub(super) fn readiness(&self) -> Result<(), NotReady> {
        let view = self.view();
        let now = self.now();
        let is_placed_here =
            |shard: &Shard| placement::owner(*shard, view.living.taking(now)) == Some(&self.name);
        let ahead = view.clock.ahead();
        match (view.stage, ahead) {
            (MemberStage::Joining, _) => Err(NotReady::Joining),
            (MemberStage::Leaving, _) => Err(NotReady::Leaving),
            (MemberStage::Serving, _) if !self.is_reachable() => Err(NotReady::CutOff),
            (MemberStage::Serving, Some(ahead)) => Err(NotReady::ClockDiffers { ahead }),
            (MemberStage::Serving, None) if view.lag.is_behind(now) => Err(NotReady::Behind),
            (MemberStage::Serving, None) if now < view.listens_until => Err(NotReady::Joining),
            (MemberStage::Serving, None)
                if !Shard::all().filter(is_placed_here).all(|it| self.journal.has(it)) =>
            {
                Err(NotReady::Taking)
            }
            (MemberStage::Serving, None) => Ok(()),
        }
    }
}
