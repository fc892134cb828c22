//! Which nodes live: what each says of itself every so often, and when its silence is death.
//!
//! By this node's own monotonic clock, so that nobody's wall clock counts. Two nodes may see
//! this differently for a while; the log's fence keeps that harmless.

use std::collections::BTreeMap;
use std::fmt;

use crate::domain::time::Monotonic;
use crate::journal::Cursor;
use crate::journal::replicated::shard::Shard;

/// How often a node says that it lives, in milliseconds.
pub const SAID_EVERY: u64 = 400;
/// Milliseconds of silence after which a node is dead: five words of it were lost by then.
pub const DEAD_AFTER: u64 = 2000;

/// What operators call a node: 1 to 32 small letters, digits and hyphens, since it is a part
/// of subjects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(String);

/// Why a text is no name of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name of a node is 1 to 32 small letters, digits and hyphens")]
pub struct NoNodeName;

impl NodeName {
    /// Reads a name.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, NoNodeName> {
        let is_sign = |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'-';
        let is_name = (1..=32).contains(&text.len()) && text.bytes().all(is_sign);
        is_name.then(|| Self(text.to_owned())).ok_or(NoNodeName)
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What a node says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignOfLife {
    /// Who.
    pub name: NodeName,
    /// Which run of it: random, another one after each start.
    pub run: u64,
    /// Whether shards are placed at it.
    pub takes_shards: bool,
    /// Whether it is waited for: it takes shards, and is not behind.
    pub is_ready: bool,
    /// Up to where it shows the journal: its copy reaches so far, and its index.
    pub shown: Cursor,
    /// The shards that it owns, a bit for each.
    pub shards: u64,
    /// Up to which message of the log its journal has everything for good; 0 as long as it
    /// does not say.
    pub kept: u64,
}

/// Every node, as one of them sees it.
#[derive(Debug, Default)]
pub struct LivingNodes(BTreeMap<NodeName, (SignOfLife, Monotonic)>);

/// Two nodes have one name: they would take each other's shards without end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two nodes that live are called {0}")]
pub struct NameTaken(pub NodeName);

impl LivingNodes {
    /// A node said that it lives. Of a node that was started again, the old run is dead.
    pub fn hear(&mut self, mut sign: SignOfLife, now: Monotonic) {
        // It may have said more by another way.
        let before = self.0.get(&sign.name).filter(|(it, _)| it.run == sign.run);
        sign.shown = sign.shown.max(before.map_or(sign.shown, |(it, _)| it.shown));
        self.0.insert(sign.name.clone(), (sign, now));
    }

    /// A node that said that it lives is so far now, and is waited for or not.
    pub fn is_at(&mut self, run: u64, shown: Cursor, is_ready: bool) {
        let said = self.0.values_mut().map(|(sign, _)| sign).find(|it| it.run == run);
        let Some(sign) = said else { return };
        sign.shown = sign.shown.max(shown);
        sign.is_ready = is_ready;
    }

    /// A node said good-bye.
    pub fn leaves(&mut self, name: &NodeName) {
        self.0.remove(name);
    }

    /// Whether somebody else lives under the name of this run.
    ///
    /// # Errors
    /// When so.
    pub fn claim(&self, name: &NodeName, run: u64, now: Monotonic) -> Result<(), NameTaken> {
        let other = self.all(now).find(|it| it.name == *name && it.run != run);
        other.map_or(Ok(()), |it| Err(NameTaken(it.name.clone())))
    }

    /// The last word of every node that lives.
    pub fn all(&self, now: Monotonic) -> impl Iterator<Item = &SignOfLife> {
        let lives = move |heard: &Monotonic| now.millis_since(*heard) < DEAD_AFTER;
        self.0.values().filter(move |(_, heard)| lives(heard)).map(|(sign, _)| sign)
    }

    /// Those among which shards are placed.
    pub fn taking(&self, now: Monotonic) -> impl Iterator<Item = &NodeName> {
        self.all(now).filter(|it| it.takes_shards).map(|it| &it.name)
    }

    /// Up to where every node that is ready shows the journal, but for the one of this run;
    /// nothing when there is none.
    pub fn all_show(&self, but: u64, now: Monotonic) -> Option<Cursor> {
        let others = self.all(now).filter(|it| it.is_ready && it.run != but);
        others.map(|it| it.shown).min()
    }

    /// Up to where the farthest one shows it.
    pub fn farthest(&self, now: Monotonic) -> Option<Cursor> {
        self.all(now).map(|it| it.shown).max()
    }

    /// Up to which message of the log everybody has it for good who was heard of in so many
    /// milliseconds.
    pub fn kept(&self, within: u64, now: Monotonic) -> Option<u64> {
        let heard = self.0.values().filter(|(_, heard)| now.millis_since(*heard) < within);
        heard.map(|(sign, _)| sign.kept).min()
    }

    /// The run that says that it owns a shard.
    pub fn owner(&self, shard: Shard, now: Monotonic) -> Option<u64> {
        self.all(now).find(|it| it.shards >> shard.get() & 1 == 1).map(|it| it.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Monotonic = Monotonic::from_millis(100_000);

    fn sign(name: &str, run: u64, is_ready: bool, shown: u64) -> SignOfLife {
        let (name, shown) = (NodeName::parse(name).unwrap(), Cursor::new(shown));
        SignOfLife {
            name,
            run,
            takes_shards: is_ready,
            is_ready,
            shown,
            shards: 1 << run,
            kept: run * 10,
        }
    }

    fn taking(nodes: &LivingNodes, now: Monotonic) -> Vec<&str> {
        nodes.taking(now).map(NodeName::as_str).collect()
    }

    #[test]
    fn a_node_that_is_silent_is_dead_until_it_speaks() {
        let mut nodes = LivingNodes::default();
        nodes.hear(sign("a", 1, true, 0), NOW);
        nodes.hear(sign("b", 2, true, 0), NOW.plus_millis(SAID_EVERY));
        nodes.hear(sign("c", 3, false, 0), NOW.plus_millis(SAID_EVERY));
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER - 1)), ["a", "b"]);
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER)), ["b"]);
        // The log is kept for it for longer.
        let kept = |within, later| nodes.kept(within, NOW.plus_millis(later));
        assert_eq!(
            (kept(DEAD_AFTER, DEAD_AFTER - 1), kept(DEAD_AFTER, DEAD_AFTER)),
            (Some(10), Some(20))
        );
        assert_eq!((kept(DEAD_AFTER * 2, DEAD_AFTER), kept(1, DEAD_AFTER)), (Some(10), None));
        nodes.hear(sign("a", 1, true, 0), NOW.plus_millis(DEAD_AFTER));
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER)), ["a", "b"]);
        nodes.leaves(&NodeName::parse("b").unwrap());
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER)), ["a"]);
    }

    #[test]
    fn a_name_is_one_nodes_while_it_lives() {
        let mut nodes = LivingNodes::default();
        let name = NodeName::parse("a").unwrap();
        nodes.hear(sign("a", 1, true, 0), NOW);
        assert_eq!(nodes.claim(&name, 1, NOW), Ok(()));
        assert_eq!(nodes.claim(&name, 2, NOW), Err(NameTaken(name.clone())));
        assert_eq!(nodes.claim(&name, 2, NOW.plus_millis(DEAD_AFTER)), Ok(()));
    }

    #[test]
    fn what_every_ready_node_shows_is_known_everywhere() {
        let mut nodes = LivingNodes::default();
        nodes.hear(sign("a", 1, true, 700), NOW);
        nodes.hear(sign("b", 2, true, 500), NOW);
        nodes.hear(sign("late", 3, false, 64), NOW);
        assert_eq!(nodes.all_show(9, NOW), Some(Cursor::new(500)));
        assert_eq!(nodes.all_show(2, NOW), Some(Cursor::new(700)));
        assert_eq!(nodes.farthest(NOW), Some(Cursor::new(700)));
        // What was said on the other way counts, whichever comes first.
        nodes.is_at(2, Cursor::new(600), true);
        nodes.hear(sign("b", 2, true, 550), NOW);
        assert_eq!(nodes.all_show(9, NOW), Some(Cursor::new(600)));
        nodes.is_at(2, Cursor::new(600), false);
        assert_eq!(nodes.all_show(9, NOW), Some(Cursor::new(700)));
        nodes.is_at(4, Cursor::new(600), true);
        assert_eq!(nodes.all(NOW).count(), 3, "nobody lives by that alone");
        let shard = |number| Shard::new(number).unwrap();
        assert_eq!((nodes.owner(shard(2), NOW), nodes.owner(shard(4), NOW)), (Some(2), None));
        // Nobody waits for the dead.
        let later = NOW.plus_millis(DEAD_AFTER);
        nodes.hear(sign("a", 1, true, 700), later);
        assert_eq!(nodes.all_show(9, later), Some(Cursor::new(700)));
        assert_eq!(nodes.all_show(1, later), None);
    }

    #[test]
    fn a_name_fits_into_a_subject() {
        for good in ["a", "node-1", "0", &"x".repeat(32)] {
            assert_eq!(NodeName::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "A", "a.b", "a b", "a*", "ä", &"x".repeat(33)] {
            assert_eq!(NodeName::parse(bad), Err(NoNodeName), "{bad}");
        }
    }
}
