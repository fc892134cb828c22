//! Leadership: the node that owns all shards carries out everything that changes something; the
//! others forward such requests to it, and serve reads and sockets from their own copies.
//!
//! The log says who leads: the node that wrote the last take-over. It leads as long as it lives and
//! takes shards. Then nodes that see the same live nodes choose the same next one. While a node of an
//! earlier version is alive, the shards are spread over the nodes as it expects.

use crate::liveness::{LivingNodes, NodeName};
use crate::membership::{MemberView, Membership, ThisNode};
use domain::time::Monotonic;
use journal::Journal;
use journal::replicated::shard::Shard;

/// Where requests that act are to be carried out, as one node sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leadership {
    /// By this node.
    Here,
    /// By the node with this run.
    There(u64),
    /// Nowhere yet: the leader is taking over, or it is dead and nobody follows it yet.
    Pending,
    /// By each node, which has the owners of the shards decide: a node of an earlier version is
    /// alive, and expects the shards to be spread.
    Spread,
}

impl Membership {
    /// Where requests that act are to be carried out.
    pub fn leadership(&self) -> Leadership {
        let node = &*self.0;
        let now = node.now();
        let view = node.view();
        if !view.living.all_elect(now) {
            return Leadership::Spread;
        }
        match node.leading(&view.living) {
            Some(run) if run == node.run && Shard::all().all(|it| node.journal.has(it)) => {
                Leadership::Here
            }
            Some(run) if run != node.run && view.living.all(now).any(|it| it.run == run) => {
                Leadership::There(run)
            }
            Some(_) | None => Leadership::Pending,
        }
    }
}

impl ThisNode {
    /// The run that wrote the last take-over of the log. A node that has read none since it was
    /// started believes the one that says that it owns shards.
    pub(super) fn leading(&self, living: &LivingNodes) -> Option<u64> {
        let last = Shard::all().filter_map(|shard| self.journal.taken_over(shard));
        let last = last.max_by_key(|it| it.sequence).map(|it| it.run);
        last.or_else(|| Shard::all().find_map(|shard| living.owner(shard, self.now())))
    }

    /// The shards that are placed at this node.
    pub(super) fn placed_here(&self, view: &MemberView, now: Monotonic) -> Vec<Shard> {
        if view.living.all_elect(now) {
            let leads =
                next_leader(&view.living, self.leading(&view.living), now) == Some(&self.name);
            return Shard::all().filter(|_| leads).collect();
        }
        let placed_at = |shard| owner(shard, view.living.taking(now));
        Shard::all().filter(|it| placed_at(*it) == Some(&self.name)).collect()
    }
}

/// The node that is to lead. The one that leads goes on while it takes shards, so that a node that
/// joins stops nobody's work; then it is one that shows what the others show.
fn next_leader(living: &LivingNodes, leading: Option<u64>, now: Monotonic) -> Option<&NodeName> {
    let taking = || living.all(now).filter(|it| it.takes_shards);
    let present = taking().find(|it| Some(it.run) == leading).map(|it| &it.name);
    let ready = || first(taking().filter(|it| it.is_ready).map(|it| &it.name));
    present.or_else(ready).or_else(|| first(taking().map(|it| &it.name)))
}

/// The first of these nodes: the one that would own the first shard of a spread.
fn first<'a>(ready: impl Iterator<Item = &'a NodeName>) -> Option<&'a NodeName> {
    owner(Shard::all().next()?, ready)
}

/// The node that is to own this shard of a spread: of the nodes that take shards, the one with the
/// highest rendezvous hash; of two with equal hashes, the first by name.
fn owner<'a>(shard: Shard, ready: impl Iterator<Item = &'a NodeName>) -> Option<&'a NodeName> {
    ready.max_by_key(|node| (weight(shard, node), std::cmp::Reverse(*node)))
}

/// FNV-1a (64 bits) over the name and the shard. The bits are mixed afterwards, since names that
/// differ only in their last letter would otherwise get similar hashes.
fn weight(shard: Shard, node: &NodeName) -> u64 {
    let bytes = node.as_str().bytes().chain([0]).chain(shard.get().to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
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
            takes_shards: true,
            is_ready: true,
            shown: Cursor::new(0),
            shards: 0,
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

    fn owned_by(node: &NodeName, nodes: &[NodeName]) -> Vec<Shard> {
        Shard::all().filter(|shard| owner(*shard, nodes.iter()) == Some(node)).collect()
    }

    #[test]
    fn every_version_places_a_shard_at_the_same_node() {
        let nodes = names(["a", "b", "c"]);
        let found: String = Shard::all()
            .map(|shard| owner(shard, nodes.iter()).unwrap().as_str().to_owned())
            .collect();
        assert_eq!(found, GOLDEN);
    }

    const GOLDEN: &str = "aacbaaabacbabbacababcabccbbaabbbcbbacaacbbbabcbcaacccbcabcbcbbcc";

    #[test]
    fn each_node_has_its_part() {
        let nodes = names(["a", "b", "c", "node-1", "node-2"]);
        for node in &nodes {
            let count = owned_by(node, &nodes).len();
            assert!((5..=22).contains(&count), "{node:?} has {count} of 64");
        }
        assert_eq!(owner(Shard::all().next().unwrap(), [].iter()), None);
    }

    #[test]
    fn leaving_node_moves_only_its_shards() {
        let all = names(["a", "b", "c", "d"]);
        for gone in 0..all.len() {
            let left: Vec<_> = all.iter().filter(|it| **it != all[gone]).cloned().collect();
            for shard in Shard::all() {
                let before = owner(shard, all.iter());
                let after = owner(shard, left.iter());
                assert!(before == Some(&all[gone]) || before == after);
            }
        }
    }

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
        nodes.hear(SignOfLife { takes_shards: false, ..present }, NOW);
        nodes.hear(SignOfLife { is_ready: false, ..ready("a", 1) }, NOW);
        assert_eq!(lead(&nodes, Some(3)).as_deref(), Some("b"));
        nodes.remove(&name("b"));
        assert_eq!(lead(&nodes, Some(3)).as_deref(), Some("a"), "better one behind than none");
    }
}
