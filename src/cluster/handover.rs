//! How the lead changes hands: the node that is to lead asks the leader to hand over, and takes over
//! in the log once that has finished or does not answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::AbortHandle;

use crate::bus::{BusAnswer, BusMessage};
use crate::membership::{LOOK_EVERY, MemberStage, ThisNode};
use base::clock::Deadline;
use journal::Journal as _;

/// How long a leader that leaves may take to finish what it is carrying out.
const FINISHED: Duration = Duration::from_secs(1);
/// How long its rooms may take after that.
const HANDED_OVER: Duration = Duration::from_secs(2);
/// What the question to hand over says. Earlier versions read it as the number of a shard: one that
/// gives a shard up does not lead any more.
const HAND_OVER: [u8; 2] = [0; 2];

impl ThisNode {
    /// Starts to claim the lead if this node is to have it, and gives a claim up if it is not.
    pub(super) fn place(self: &Arc<Self>) {
        let now = self.now();
        let mut view = self.view();
        let is_settled = now >= view.listens_until && now >= view.settles_at;
        let may = view.stage == MemberStage::Serving && is_settled;
        if !may || self.journal.leads() || !self.is_to_lead(&view, now) {
            view.claim.take().iter().for_each(AbortHandle::abort);
        } else if view.claim.is_none() {
            let claim = self.bus.runtime().spawn(Arc::clone(self).claim());
            view.claim = Some(claim.abort_handle());
        }
    }

    async fn claim(self: Arc<Self>) {
        self.yields.store(false, Ordering::SeqCst);
        if let Some(run) = self.other_leader() {
            let question = Bytes::from_static(&HAND_OVER);
            let asked = self.bus.ask(hand_over_subject(run), question, HANDED_OVER * 2).await;
            if !matches!(asked, BusAnswer::Came(_)) {
                tracing::info!("the leader did not hand over; taking over");
            }
        }
        match self.journal.take_over().await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => tracing::error!(%fault, "taking over failed; retrying"),
            Err(_) => tracing::debug!("the journal closed before this node took over"),
        }
        self.view().claim = None;
    }

    /// The run of the leader, if it is another live node.
    fn other_leader(&self) -> Option<u64> {
        let view = self.view();
        let leading = self.leading(&view.living).filter(|run| *run != self.run)?;
        view.living.all(self.now()).any(|it| it.run == leading).then_some(leading)
    }

    /// Hands over to the nodes that ask for it.
    pub(super) async fn hand_over(self: Arc<Self>) {
        let Some(mut hearing) = self.bus.subscribe(hand_over_subject(self.run)).await else {
            return;
        };
        while let Some(message) = hearing.next().await {
            tokio::spawn(Arc::clone(&self).let_go(message));
        }
    }

    async fn let_go(self: Arc<Self>, message: BusMessage) {
        let Some(reply) = message.reply else { return };
        self.yields.store(true, Ordering::SeqCst);
        let patience = Deadline::after(FINISHED);
        while Arc::strong_count(&self.acts) > 1 && !patience.left().is_zero() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        self.journal.release();
        let patience = Deadline::after(HANDED_OVER);
        while self.is_busy.get().is_some_and(|is_busy| is_busy()) && !patience.left().is_zero() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        self.bus.publish(reply, Bytes::new()).await;
    }

    /// Whether this node leads, according to the log, and another node could: a leader that handed
    /// over leads until another node has taken over.
    pub(super) fn is_needed(&self) -> bool {
        let leads =
            self.journal.leads() || self.journal.taken_over().is_some_and(|it| it.run == self.run);
        let view = self.view();
        leads && view.living.candidates(self.now()).any(|name| *name != self.name)
    }
}

fn hand_over_subject(run: u64) -> String {
    format!("coterie.hand.{run:016x}")
}
