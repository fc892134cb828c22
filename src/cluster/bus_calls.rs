//! Calling: asks other nodes and answers them, over the bus.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::bundle::{Bundle, BundleItem, ItemKind};
use crate::bus::{BusAnswer, BusSubscription};
use crate::calls::{AGAIN, Calls};
use crate::membership::{Membership, ThisNode};
use crate::pair::BundleToSend;

/// How often a waiting question checks whether the node that was asked is still alive.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long an answer of a node that is not alive any more may still be under way.
const GRACE: Duration = Duration::from_secs(1);

/// Answers questions of other nodes; `None` if there is no answer.
pub type CallAnswerer =
    Arc<dyn Fn(Bytes) -> Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send>> + Send + Sync>;

/// A question under way, withdrawn when its asker stops waiting.
struct PendingCall<'a> {
    calls: &'a Calls,
    run: u64,
    id: u64,
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.calls.forget(self.run, self.id);
    }
}

impl Membership {
    /// Asks the node with this run, which may take so long for its answer.
    pub async fn ask(&self, run: u64, question: Bytes, within: Duration) -> BusAnswer {
        if !self.lives(run) {
            return BusAnswer::Unheard;
        }
        let calls = &self.0.calls;
        let millis = u32::try_from(within.as_millis()).unwrap_or(u32::MAX);
        let Some((id, answered)) = calls.ask(run, question, millis) else {
            return BusAnswer::Unheard;
        };
        let _asked = PendingCall { calls, run, id };
        let came = tokio::select! {
            came = tokio::time::timeout(within, answered) => came.ok(),
            () = self.is_gone(run) => None,
        };
        match came {
            Some(Ok(answer)) if !answer.is_empty() => BusAnswer::Came(answer),
            Some(Ok(_)) => BusAnswer::Silence,
            Some(Err(_)) => BusAnswer::Unheard,
            None if calls.forget(run, id) => BusAnswer::Unheard,
            None => BusAnswer::Silence,
        }
    }

    /// Resolves when the node with this run is dead, and no answer of it can be under way any more.
    async fn is_gone(&self, run: u64) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if !self.lives(run) {
                return tokio::time::sleep(GRACE).await;
            }
        }
    }

    /// Starts the tasks that exchange bundles: from now on other nodes can ask this one, and learn
    /// how far it is.
    pub fn answer_by(&self, answering: CallAnswerer) {
        let runtime = self.bus().runtime();
        let node = &self.0;
        runtime.spawn(Arc::clone(node).hear_bundles(answering));
        runtime.spawn(Arc::clone(node).hear_of_nobody());
        runtime.spawn(Arc::clone(node).send_bundles());
    }

    /// The questions and answers under way, with their counters.
    pub fn calls(&self) -> &Calls {
        &self.0.calls
    }
}

impl ThisNode {
    async fn hear_bundles(self: Arc<Self>, answering: CallAnswerer) {
        let Some(mut hearing) = self.bus.subscribe(subject(self.run)).await else { return };
        while let Some(bundle) = next(&mut hearing).await {
            let run = bundle.from;
            let standing = bundle.standing;
            let items = self.calls.hear(bundle);
            self.note_progress(run, standing);
            for item in items {
                self.take(run, item, &answering);
            }
            self.calls.news.notify_one();
        }
    }

    fn take(self: &Arc<Self>, run: u64, item: BundleItem, answering: &CallAnswerer) {
        let BundleItem { id, kind, body } = item;
        match kind {
            ItemKind::Ask { within } => {
                let answer = answering(body);
                tokio::spawn(Arc::clone(self).answer(run, id, within, answer));
            }
            ItemKind::Answer => self.calls.deliver_answer(id, body),
            // The pair of nodes puts parts together.
            ItemKind::PartOfAsk | ItemKind::PartOfAnswer => {}
        }
    }

    async fn answer(
        self: Arc<Self>,
        run: u64,
        id: u64,
        within: u32,
        answer: impl Future<Output = Option<Vec<u8>>>,
    ) {
        let within = Duration::from_millis(within.into());
        let answer = tokio::time::timeout(within, answer).await.ok().flatten();
        self.calls.answer(run, id, answer.unwrap_or_default().into());
    }

    async fn send_bundles(self: Arc<Self>) {
        loop {
            let news = self.calls.news.notified();
            if self.calls.is_under_way() {
                // A bundle without acknowledgement after this time may be lost.
                drop(tokio::time::timeout(AGAIN, news).await);
            } else {
                news.await;
            }
            for (run, BundleToSend { bundle, number, .. }) in
                self.calls.to_send(self.standing(), self.now())
            {
                let reply = format!("{}.{run:016x}.{number}", unheard(self.run));
                self.bus.publish_or_hear_unheard(subject(run), reply, bundle).await;
            }
        }
    }

    /// Receives the engine's replies about bundles for which there was no subscriber.
    async fn hear_of_nobody(self: Arc<Self>) {
        let Some(mut hearing) =
            self.bus.subscribe_to_notices(format!("{}.>", unheard(self.run))).await
        else {
            return;
        };
        while let Some(message) = hearing.next().await {
            let mut words = message.subject.rsplit('.');
            let number = words.next().and_then(|it| it.parse().ok());
            let run = words.next().and_then(|it| u64::from_str_radix(it, 16).ok());
            if let (Some(number), Some(run)) = (number, run) {
                self.calls.unheard(run, number);
                self.calls.news.notify_one();
            }
        }
    }
}

async fn next(hearing: &mut BusSubscription) -> Option<Bundle> {
    loop {
        if let Some(bundle) = Bundle::decode(hearing.next().await?.payload) {
            return Some(bundle);
        }
        tracing::warn!("dropped a message of another node that this version cannot decode");
    }
}

fn subject(run: u64) -> String {
    format!("coterie.bundle.{run:016x}")
}

fn unheard(run: u64) -> String {
    format!("coterie.unheard.{run:016x}")
}
