//! A pair of nodes, as one of them sees it: what is queued for the other node, and what is on its
//! way to it.
//!
//! One bundle is on its way at a time, and is sent again until the other node acknowledges it,
//! since the bus may lose messages. The receiver recognizes a bundle that it has received before.
//! So between two live runs no question is lost, and none is asked twice. What is queued meanwhile
//! goes in one bundle: the busier the two nodes are, the larger are the bundles; and while nothing
//! is on its way, nothing waits. An item that is too long for one message goes in parts.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use crate::bundle::{Bundle, BundleItem, ItemKind, NodeProgress};
use domain::time::Monotonic;

/// The maximum bytes of items in a bundle, unless a single item is longer.
const LONGEST: usize = 256 << 10;
/// The maximum bytes of a part. Servers take messages of 1 MiB unless told otherwise; a longer one
/// would never arrive, and be sent again without end.
const PART: usize = 512 << 10;
/// The maximum number of items that are queued for one node, and their bytes.
const WAITING: usize = 1 << 16;
const WAITING_BYTES: usize = 64 << 20;

/// This node and another one.
#[derive(Debug)]
pub(super) struct NodePair {
    own: u64,
    waiting: VecDeque<BundleItem>,
    bytes: usize,
    on_its_way: Option<SentBundle>,
    /// The number of the last bundle that was sent.
    sent: u64,
    /// The number of the other node's last bundle that was received.
    heard: u64,
    /// The parts of an item that has not been received completely, by whether it is a question, and
    /// its number.
    partial: Option<(bool, u64, BytesMut)>,
    /// Whether that bundle is not acknowledged yet.
    owes_ack: bool,
    /// How far this node is, as the other one was last told.
    last_told: Option<NodeProgress>,
    /// Since when the other node is not alive, if it is not.
    dead_since: Option<Monotonic>,
}

#[derive(Debug)]
struct SentBundle {
    number: u64,
    bundle: Bytes,
    /// The number of questions and answers in the bundle.
    items: usize,
    began: Monotonic,
    /// When it was last sent.
    since: Monotonic,
}

/// A bundle to be sent.
#[derive(Debug)]
pub(super) struct BundleToSend {
    pub(super) bundle: Bytes,
    pub(super) number: u64,
    /// The number of questions and answers in it; 0 when it is sent again.
    pub(super) items: usize,
}

impl NodePair {
    /// This run (`own`) and another one, with nothing queued.
    pub(super) const fn new(own: u64) -> Self {
        Self {
            own,
            waiting: VecDeque::new(),
            bytes: 0,
            on_its_way: None,
            sent: 0,
            heard: 0,
            partial: None,
            owes_ack: false,
            last_told: None,
            dead_since: None,
        }
    }

    /// Queues an item for the other node; returns it if too much is queued.
    pub(super) fn push(&mut self, item: BundleItem) -> Result<(), BundleItem> {
        if self.waiting.len() >= WAITING || self.bytes + item.len() > WAITING_BYTES {
            return Err(item);
        }
        for part in item.parts(PART) {
            self.bytes += part.len();
            self.waiting.push_back(part);
        }
        Ok(())
    }

    /// Withdraws a question that is still queued; returns whether it was.
    pub(super) fn take_back(&mut self, id: u64) -> bool {
        let is_it = |it: &BundleItem| it.id == id && matches!(it.kind, ItemKind::Ask { .. });
        // The other node discards the parts that it has.
        let is_queued = self.waiting.iter().any(is_it);
        if is_queued {
            self.waiting.retain(|it| it.id != id || !it.is_of_ask());
            self.bytes = self.waiting.iter().map(BundleItem::len).sum();
        }
        is_queued
    }

    /// Takes a received bundle; returns its items, unless they were received before.
    pub(super) fn hear(&mut self, bundle: Bundle) -> Vec<BundleItem> {
        self.on_its_way.take_if(|it| it.number <= bundle.heard);
        if bundle.number == 0 {
            return Vec::new();
        }
        self.owes_ack = true;
        if bundle.number <= self.heard {
            return Vec::new();
        }
        self.heard = bundle.number;
        bundle.items.into_iter().filter_map(|it| self.completed(it)).collect()
    }

    /// Puts a received item together with its earlier parts; `None` while parts are missing.
    fn completed(&mut self, mut item: BundleItem) -> Option<BundleItem> {
        let is_of_ask = item.is_of_ask();
        let earlier = self.partial.take_if(|it| (it.0, it.1) == (is_of_ask, item.id));
        // What is left of another item is one that its node has withdrawn.
        let mut body = earlier.map(|it| it.2).unwrap_or_default();
        if matches!(item.kind, ItemKind::PartOfAsk | ItemKind::PartOfAnswer) {
            body.extend_from_slice(&item.body);
            self.partial = Some((is_of_ask, item.id, body));
            return None;
        }
        self.partial = None;
        if !body.is_empty() {
            body.extend_from_slice(&item.body);
            item.body = body.freeze();
        }
        Some(item)
    }

    /// Returns the bundle that is to be sent now, if any: items, news of how far this node is, or
    /// an acknowledgement.
    pub(super) fn next(&mut self, standing: NodeProgress, now: Monotonic) -> Option<BundleToSend> {
        let has_news = !self.waiting.is_empty() || self.last_told != Some(standing);
        let items = if self.on_its_way.is_none() && has_news {
            self.sent += 1;
            self.gather()
        } else if self.owes_ack {
            let bundle = self.encode(0, standing, Vec::new());
            return Some(BundleToSend { bundle, number: 0, items: 0 });
        } else {
            return None;
        };
        let count = items.len();
        let number = self.sent;
        let bundle = self.encode(number, standing, items);
        self.on_its_way = Some(SentBundle {
            number,
            bundle: bundle.clone(),
            items: count,
            began: now,
            since: now,
        });
        Some(BundleToSend { bundle, number, items: count })
    }

    fn encode(&mut self, number: u64, standing: NodeProgress, items: Vec<BundleItem>) -> Bytes {
        self.owes_ack = false;
        self.last_told = Some(standing);
        let from = self.own;
        let heard = self.heard;
        Bundle { from, number, heard, standing, items }.encode()
    }

    fn gather(&mut self) -> Vec<BundleItem> {
        let mut items = Vec::with_capacity(self.waiting.len());
        let mut bytes = 0;
        while let Some(item) =
            self.waiting.pop_front_if(|it| bytes == 0 || bytes + it.len() <= LONGEST)
        {
            bytes += item.len();
            self.bytes -= item.len();
            items.push(item);
        }
        items
    }

    /// Returns the bundle on its way, to be sent again, if it was last sent at least `after`
    /// milliseconds ago.
    pub(super) fn again(&mut self, after: u64, now: Monotonic) -> Option<BundleToSend> {
        let late = self.on_its_way.as_mut().filter(|it| now.millis_since(it.since) >= after)?;
        late.since = now;
        Some(BundleToSend { bundle: late.bundle.clone(), number: late.number, items: 0 })
    }

    /// Whether questions or answers are queued or on their way.
    pub(super) fn has_items(&self) -> bool {
        !self.waiting.is_empty() || self.on_its_way.as_ref().is_some_and(|it| it.items > 0)
    }

    /// Whether a bundle is on its way.
    pub(super) const fn is_under_way(&self) -> bool {
        self.on_its_way.is_some()
    }

    /// Handles the notice that a bundle found no subscriber. If it was sent only once, nobody
    /// received it: its answers are queued again, and the numbers of its questions are returned.
    pub(super) fn unheard(&mut self, number: u64) -> Vec<u64> {
        let is_it = |it: &mut SentBundle| it.number == number && it.since == it.began;
        let bundle = self.on_its_way.take_if(is_it).and_then(|it| Bundle::decode(it.bundle));
        let mut asks = Vec::new();
        for item in bundle.into_iter().flat_map(|it| it.items).rev() {
            if item.is_of_ask() {
                asks.push(item.id);
            } else {
                self.bytes += item.len();
                self.waiting.push_front(item);
            }
        }
        // What is still queued of a question is useless without the parts that nobody received.
        for id in &asks {
            self.take_back(*id);
        }
        asks.dedup();
        asks
    }

    /// Notes that the other node is alive.
    pub(super) const fn lives(&mut self) {
        self.dead_since = None;
    }

    /// Notes that the other node is not alive. Once it has not been for `after` milliseconds,
    /// discards everything queued and on its way, and returns true. The numbers are kept, in case
    /// the other node was only suspended.
    pub(super) fn is_dead(&mut self, after: u64, now: Monotonic) -> bool {
        if now.millis_since(*self.dead_since.get_or_insert(now)) < after {
            return false;
        }
        self.waiting = VecDeque::new();
        self.bytes = 0;
        self.on_its_way = None;
        self.owes_ack = false;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::Cursor;

    const NOW: Monotonic = Monotonic::from_millis(1000);
    const STANDING: NodeProgress = NodeProgress { shown: Cursor::new(64), is_ready: true };

    fn ask(id: u64) -> BundleItem {
        let kind = ItemKind::Ask { within: 1000 };
        BundleItem { id, kind, body: Bytes::from_static(b"what?") }
    }

    /// The next bundle of a node, as the other one decodes it.
    fn sent(pair: &mut NodePair) -> Option<Bundle> {
        pair.next(STANDING, NOW).map(|it| Bundle::decode(it.bundle).unwrap())
    }

    fn ids(items: &[BundleItem]) -> Vec<u64> {
        items.iter().map(|it| it.id).collect()
    }

    /// Two nodes that have told each other how far they are.
    fn pair() -> (NodePair, NodePair) {
        let mut ana = NodePair::new(1);
        let mut ben = NodePair::new(2);
        ben.hear(sent(&mut ana).unwrap());
        ana.hear(sent(&mut ben).unwrap());
        ben.hear(sent(&mut ana).unwrap());
        assert!(sent(&mut ana).is_none() && sent(&mut ben).is_none());
        (ana, ben)
    }

    #[test]
    fn items_during_a_flight_share_next_bundle() {
        let (mut ana, mut ben) = pair();
        ana.push(ask(1)).unwrap();
        let first = sent(&mut ana).unwrap();
        assert_eq!(ids(&first.items), [1], "nothing waits where nothing is on its way");
        (2..=40).for_each(|id| ana.push(ask(id)).unwrap());
        assert!(sent(&mut ana).is_none());
        assert_eq!(ids(&ben.hear(first)), [1]);
        let word = sent(&mut ben).unwrap();
        assert_eq!((word.number, word.items.len()), (0, 0));
        ana.hear(word);
        let second = sent(&mut ana).unwrap();
        assert_eq!(ids(&second.items), (2..=40).collect::<Vec<u64>>());
    }

    #[test]
    fn lost_bundles_are_resent_and_duplicates_dropped() {
        let (mut ana, mut ben) = pair();
        ana.push(ask(1)).unwrap();
        let lost = sent(&mut ana).unwrap();
        assert!(ana.again(300, NOW.plus_millis(299)).is_none());
        let again = ana.again(300, NOW.plus_millis(300)).unwrap().bundle;
        assert_eq!(Bundle::decode(again.clone()), Some(lost));
        assert_eq!(ids(&ben.hear(Bundle::decode(again.clone()).unwrap())), [1]);
        // The acknowledgement is lost too.
        drop(sent(&mut ben));
        assert_eq!(ana.again(300, NOW.plus_millis(600)).unwrap().bundle, again);
        assert!(ben.hear(Bundle::decode(again).unwrap()).is_empty());
        ana.hear(sent(&mut ben).unwrap());
        assert!(ana.again(300, NOW.plus_millis(900)).is_none());
        assert!(!ana.has_items() && !ben.has_items());
    }

    #[test]
    fn position_is_sent_with_or_without_a_bundle() {
        let (mut ana, _) = pair();
        let further = NodeProgress { shown: Cursor::new(128), is_ready: true };
        let told = ana.next(further, NOW).unwrap();
        assert_eq!((Bundle::decode(told.bundle).unwrap().standing, told.items), (further, 0));
        assert!(ana.next(further, NOW).is_none());
    }

    #[test]
    fn a_question_that_was_not_sent_is_taken_back() {
        let (mut ana, _) = pair();
        ana.push(ask(1)).unwrap();
        drop(sent(&mut ana));
        ana.push(ask(2)).unwrap();
        assert!(ana.take_back(2) && !ana.take_back(2), "once");
        assert!(!ana.take_back(1), "it is on its way");
    }

    #[test]
    fn unheard_bundle_counts_as_unasked_unless_resent() {
        let (mut ana, mut ben) = pair();
        let answer = BundleItem { kind: ItemKind::Answer, ..ask(7) };
        [ask(1), answer, ask(2)].into_iter().for_each(|it| ana.push(it).unwrap());
        let number = sent(&mut ana).unwrap().number;
        assert!(ana.unheard(number - 1).is_empty() && ana.is_under_way());
        assert_eq!(ana.unheard(number), [2, 1]);
        // The answer is sent again, and the other node accepts the gap in the numbers.
        let next = sent(&mut ana).unwrap();
        assert_eq!(ids(&next.items), [7]);
        assert_eq!(ids(&ben.hear(next)), [7]);
        ana.hear(sent(&mut ben).unwrap());
        ana.push(ask(3)).unwrap();
        let number = sent(&mut ana).unwrap().number;
        drop(ana.again(300, NOW.plus_millis(300)).unwrap());
        assert!(ana.unheard(number).is_empty() && ana.is_under_way(), "it may have been heard");
    }

    #[test]
    fn bundles_and_queues_are_bounded() {
        let (mut ana, mut ben) = pair();
        let long = |id| BundleItem { body: Bytes::from(vec![0; LONGEST]), ..ask(id) };
        for id in 0..(WAITING_BYTES / (LONGEST + 17)) as u64 {
            ana.push(long(id)).unwrap();
        }
        assert!(ana.push(long(0)).is_err());
        for id in 0..3 {
            let bundle = sent(&mut ana).unwrap();
            assert_eq!(ids(&bundle.items), [id], "one that is longer goes alone");
            ben.hear(bundle);
            ana.hear(sent(&mut ben).unwrap());
        }
        drop(sent(&mut ana));
        assert!(!ana.is_dead(1000, NOW) && !ana.is_dead(1000, NOW.plus_millis(999)));
        assert!(ana.push(long(0)).is_ok() && ana.is_under_way());
        assert!(ana.is_dead(1000, NOW.plus_millis(1000)));
        assert!(!ana.is_under_way() && sent(&mut ana).is_none());
    }

    /// The items that arrive in the next bundles of a node, each of which is acknowledged.
    fn arrived(from: &mut NodePair, to: &mut NodePair) -> Vec<BundleItem> {
        let mut items = Vec::new();
        while let Some(bundle) = sent(from) {
            assert!(bundle.items.iter().map(BundleItem::len).sum::<usize>() <= PART + 17);
            items.extend(to.hear(bundle));
            from.hear(sent(to).unwrap());
        }
        items
    }

    #[test]
    fn long_items_arrive_whole() {
        let (mut ana, mut ben) = pair();
        let long: Bytes = (0..2_500_000_u32).map(|it| it as u8).collect();
        let question = BundleItem { body: long.clone(), ..ask(7) };
        let answer = BundleItem { kind: ItemKind::Answer, ..question.clone() };
        let items = [ask(1), question, answer, ask(8)];
        items.iter().for_each(|it| ana.push(it.clone()).unwrap());
        assert_eq!(arrived(&mut ana, &mut ben), items);
        assert_eq!(ana.bytes, 0);
    }

    #[test]
    fn withdrawn_long_question_leaves_nothing_behind() {
        let (mut ana, mut ben) = pair();
        let long = |id| BundleItem { body: Bytes::from(vec![id as u8; 2 * PART + 5]), ..ask(id) };
        [long(1), long(2)].into_iter().for_each(|it| ana.push(it).unwrap());
        let first = sent(&mut ana).unwrap();
        assert!(ben.hear(first).is_empty(), "only a part has arrived");
        assert!(ana.take_back(1), "the other node never gets the rest");
        ana.hear(sent(&mut ben).unwrap());
        assert_eq!(arrived(&mut ana, &mut ben), [long(2)]);
        assert_eq!(ana.bytes, 0);
        // If nobody receives a part, the question is not asked.
        ana.push(long(3)).unwrap();
        let number = sent(&mut ana).unwrap().number;
        assert_eq!(ana.unheard(number), [3]);
        assert!(!ana.has_items() && ana.bytes == 0);
    }

    #[test]
    fn queued_answers_for_dead_node_are_discarded() {
        let (mut ana, mut ben) = pair();
        ana.push(BundleItem { kind: ItemKind::Answer, ..ask(7) }).unwrap();
        let number = sent(&mut ana).unwrap().number;
        // The other node has just died.
        assert!(ana.unheard(number).is_empty() && ana.has_items() && !ana.is_under_way());
        assert!(!ana.is_dead(1000, NOW));
        assert!(ana.is_dead(1000, NOW.plus_millis(1000)) && !ana.has_items());
        // It was only suspended: it is told the next number, and has a second from its next death.
        ana.lives();
        ana.push(ask(8)).unwrap();
        let next = sent(&mut ana).unwrap();
        assert_eq!((next.number, ids(&ben.hear(next))), (number + 1, vec![8]));
        assert!(!ana.is_dead(1000, NOW.plus_millis(1001)) && ana.has_items());
    }
}
