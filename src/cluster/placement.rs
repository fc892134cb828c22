//! Placement: which node is to own a shard. Nodes that see the same live nodes compute the same
//! placement, and when a node comes or goes, only its own shards change hands.

use crate::liveness::NodeName;
use journal::replicated::shard::Shard;

/// The node that is to own this shard: of the nodes that take shards, the one with the highest
/// rendezvous hash; of two with equal hashes, the first by name.
pub fn owner<'a>(shard: Shard, ready: impl Iterator<Item = &'a NodeName>) -> Option<&'a NodeName> {
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

    fn names<const N: usize>(names: [&str; N]) -> [NodeName; N] {
        names.map(|name| NodeName::parse(name).unwrap())
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
}
