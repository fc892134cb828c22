//! How shards change hands: the node that is to own a shard asks its owner to hand it over, and
//! takes it over in the log once the owner has finished with it or does not answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::AbortHandle;

use crate::bus::{BusAnswer, BusMessage};
use crate::membership::{LOOK_EVERY, MemberStage, ThisNode};
use base::clock::Deadline;
use journal::replicated::shard::Shard;

/// How long the owner of a shard may take to finish with it.
const HANDED_OVER: Duration = Duration::from_secs(2);

impl ThisNode {
    /// Starts to claim the shards that are placed at this node, and stops claiming those that are
    /// not.
    pub(super) fn place(self: &Arc<Self>) {
        let now = self.now();
        let mut view = self.view();
        let is_settled = now >= view.listens_until && now >= view.settles_at;
        let may = view.stage == MemberStage::Serving && is_settled;
        let placed_here = self.placed_here(&view, now);
        for shard in Shard::all() {
            let is_wanted = may && !self.journal.has(shard) && placed_here.contains(&shard);
            if !is_wanted {
                view.claims.remove(&shard).iter().for_each(AbortHandle::abort);
                continue;
            }
            view.claims.entry(shard).or_insert_with(|| {
                self.bus.runtime().spawn(Arc::clone(self).claim(shard)).abort_handle()
            });
        }
    }

    async fn claim(self: Arc<Self>, shard: Shard) {
        if let Some(run) = self.owner(shard).filter(|run| self.is_other(*run)) {
            let number = Bytes::copy_from_slice(&shard.get().to_le_bytes());
            let asked = self.bus.ask(hand_over_subject(run), number, HANDED_OVER * 2).await;
            if !matches!(asked, BusAnswer::Came(_)) {
                tracing::info!(
                    shard = shard.get(),
                    "the owner of a shard did not hand it over; taking it over"
                );
            }
        }
        match self.journal.take_over(shard).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => tracing::error!(
                %fault, shard = shard.get(),
                "taking over a shard failed; retrying"
            ),
            Err(_) => tracing::debug!(
                shard = shard.get(),
                "the journal closed before a shard was taken over"
            ),
        }
        self.view().claims.remove(&shard);
    }

    pub(super) fn owner(&self, shard: Shard) -> Option<u64> {
        self.journal.owner(shard).or_else(|| self.view().living.owner(shard, self.now()))
    }

    fn is_other(&self, run: u64) -> bool {
        run != self.run && self.view().living.all(self.now()).any(|it| it.run == run)
    }

    /// Hands shards over to the nodes that ask for them.
    pub(super) async fn hand_over(self: Arc<Self>) {
        let Some(mut hearing) = self.bus.subscribe(hand_over_subject(self.run)).await else {
            return;
        };
        while let Some(message) = hearing.next().await {
            tokio::spawn(Arc::clone(&self).let_go(message));
        }
    }

    async fn let_go(self: Arc<Self>, message: BusMessage) {
        let BusMessage { payload, reply: Some(reply), .. } = message else { return };
        let number = payload.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
        let Some(shard) = number.and_then(Shard::new) else { return };
        self.journal.release(shard);
        let patience = Deadline::after(HANDED_OVER);
        while self.is_busy.get().is_some_and(|is_busy| is_busy(shard)) && !patience.left().is_zero()
        {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        self.bus.publish(reply, Bytes::new()).await;
    }

    /// Whether this node owns a shard that another node could take.
    pub(super) fn is_needed(&self) -> bool {
        let view = self.view();
        let now = self.now();
        let has_heirs = view.living.taking(now).any(|name| *name != self.name);
        has_heirs && Shard::all().any(|shard| self.owner_is_self(shard))
    }

    /// Whether this node owns a shard according to the log: a shard that was let go is owned until
    /// another node has taken it over.
    fn owner_is_self(&self, shard: Shard) -> bool {
        self.journal.has(shard) || self.journal.owner(shard) == Some(self.run)
    }
}

fn hand_over_subject(run: u64) -> String {
    format!("coterie.hand.{run:016x}")
}
