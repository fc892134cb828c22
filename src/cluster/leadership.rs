//! Leadership: one node carries out everything that changes something; the others forward such
//! requests to it, and serve reads and sockets from their own copies.
//!
//! The log says who leads: the node that wrote the last take-over. It leads as long as it lives and
//! may lead. Then nodes that see the same live nodes choose the same next one. While a node of a
//! version without leaders is alive, none is chosen.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::liveness::{LivingNodes, NodeName};
use crate::membership::{ActUnderWay, MemberView, Membership, ThisNode};
use domain::time::Monotonic;
use journal::Journal as _;

/// Where requests that act are to be carried out, as one node sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leadership {
    /// By this node.
    Here,
    /// By the node with this run.
    There(u64),
    /// Nowhere yet: the leader is taking over or leaving, or it is dead and nobody follows it yet.
    Pending,
}

impl Membership {
    /// Where requests that act are to be carried out.
    pub fn leadership(&self) -> Leadership {
        let node = &*self.0;
        if node.journal.leads() {
            let yields = node.yields.load(Ordering::SeqCst);
            return if yields { Leadership::Pending } else { Leadership::Here };
        }
        let now = node.now();
        let view = node.view();
        match node.leading(&view.living) {
            Some(run) if run != node.run && view.living.all(now).any(|it| it.run == run) => {
                Leadership::There(run)
            }
            Some(_) | None => Leadership::Pending,
        }
    }

    /// Begins to carry something out, if this node leads.
    pub fn begin_act(&self) -> Option<ActUnderWay> {
        // Counted before the look, so that a leader which leaves either waits for this act or is
        // seen to leave.
        let act = Arc::clone(&self.0.acts);
        (self.leadership() == Leadership::Here).then_some(act)
    }
}

impl ThisNode {
    /// The run that wrote the last take-over of the log. A node that has read none since it was
    /// started believes the one that says that it leads.
    pub(super) fn leading(&self, living: &LivingNodes) -> Option<u64> {
        let last = self.journal.taken_over().map(|it| it.run);
        last.or_else(|| living.leader(self.now()))
    }

    /// Whether this node is to lead.
    pub(super) fn is_to_lead(&self, view: &MemberView, now: Monotonic) -> bool {
        let leading = self.leading(&view.living);
        view.living.all_elect(now) && next_leader(&view.living, leading, now) == Some(&self.name)
    }
}

/// The node that is to lead. The one that leads goes on while it may, so that a node that
/// joins stops nobody's work; then it is one that shows what the others show.
fn next_leader(living: &LivingNodes, leading: Option<u64>, now: Monotonic) -> Option<&NodeName> {
    let candidates = || living.all(now).filter(|it| it.may_lead);
    let present = candidates().find(|it| Some(it.run) == leading).map(|it| &it.name);
    let ready = || first(candidates().filter(|it| it.is_ready).map(|it| &it.name));
    present.or_else(ready).or_else(|| first(candidates().map(|it| &it.name)))
}

/// The first of these nodes in the order that all nodes know: the one with the highest hash; of two
/// with equal hashes, the first by name.
fn first<'a>(nodes: impl Iterator<Item = &'a NodeName>) -> Option<&'a NodeName> {
    nodes.max_by_key(|node| (weight(node), std::cmp::Reverse(*node)))
}

/// FNV-1a (64 bits) over the name and three zero bytes. The bits are mixed afterwards, since names
/// that differ only in their last letter would otherwise get similar hashes.
fn weight(node: &NodeName) -> u64 {
    let hash = node.as_str().bytes().chain([0; 3]).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::SignOfLife;
    use domain::time::Timestamp;
    use journal::Cursor;

    const NOW: Monotonic = Monotonic::from_millis(100_000);

    fn name(name: &str) -> NodeName {
        NodeName::parse(name).unwrap()
    }

    fn ready(text: &str, run: u64) -> SignOfLife {
        SignOfLife {
            name: name(text),
            run,
            may_lead: true,
            is_ready: true,
            shown: Cursor::new(0),
            leads: false,
            kept: 0,
            time: None,
            key: None,
            since: Timestamp::from_millis(0),
            elects: true,
        }
    }

    fn names<const N: usize>(names: [&str; N]) -> [NodeName; N] {
        names.map(name)
    }

    #[test]
    fn every_version_chooses_the_same_node() {
        let chosen = |nodes: &[&str]| {
            let nodes: Vec<_> = nodes.iter().map(|it| name(it)).collect();
            first(nodes.iter()).map(|it| it.as_str().to_owned())
        };
        assert_eq!(chosen(&["c", "b", "a"]).as_deref(), Some("a"));
        assert_eq!(chosen(&["b", "c"]).as_deref(), Some(AMONG_TWO));
        assert_eq!(chosen(&[]), None);
    }

    const AMONG_TWO: &str = "b";

    #[test]
    fn leader_keeps_leading_until_it_dies_or_leaves() {
        let mut nodes = LivingNodes::default();
        let lead = |nodes: &LivingNodes, leading| {
            next_leader(nodes, leading, NOW).map(|it| it.as_str().to_owned())
        };
        assert_eq!(lead(&nodes, Some(1)), None);
        nodes.hear(ready("b", 2), NOW);
        let present = ready("c", 3);
        nodes.hear(present.clone(), NOW);
        nodes.hear(ready("a", 1), NOW);
        let all = names(["a", "b", "c"]);
        let chosen = first(all.iter()).map(|it| it.as_str().to_owned());
        assert_eq!(lead(&nodes, None), chosen, "nobody led before");
        assert_eq!(lead(&nodes, Some(3)).as_deref(), Some("c"));
        // It leaves: another one that shows everything leads.
        nodes.hear(SignOfLife { may_lead: false, ..present }, NOW);
        nodes.hear(SignOfLife { is_ready: false, ..ready("a", 1) }, NOW);
        assert_eq!(lead(&nodes, Some(3)).as_deref(), Some("b"));
        nodes.remove(&name("b"));
        assert_eq!(lead(&nodes, Some(3)).as_deref(), Some("a"), "better one behind than none");
    }
}
