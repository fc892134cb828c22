//! Live nodes: the heartbeat that each node sends, and when silence means death.
//!
//! Times are of this node's own monotonic clock, so no node's wall clock matters. Two nodes may
//! disagree for a while; the log's fence makes that harmless.

use std::collections::BTreeMap;
use std::fmt;

use domain::time::{Moment, Monotonic, Timestamp};
use journal::Cursor;

/// The interval between signs of life, in milliseconds.
pub const SAID_EVERY: u64 = 400;
/// Milliseconds of silence after which a node counts as dead: five signs were missed by then.
pub const DEAD_AFTER: u64 = 2000;

/// The name of a node: 1 to 32 lowercase letters, digits and hyphens, since it is a part of
/// subjects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(String);

/// A text is not a valid node name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name of a node must have 1 to 32 lowercase letters, digits and hyphens")]
pub struct NoNodeName;

impl NodeName {
    /// Parses a name.
    ///
    /// # Errors
    /// If it is not a valid node name.
    pub fn parse(text: &str) -> Result<Self, NoNodeName> {
        let is_sign = |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'-';
        let is_name = (1..=32).contains(&text.len()) && text.bytes().all(is_sign);
        is_name.then(|| Self(text.to_owned())).ok_or(NoNodeName)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A sign of life: the state that a node reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignOfLife {
    /// The node's name.
    pub name: NodeName,
    /// The number of this run of the node: random, and another one after each start.
    pub run: u64,
    /// Whether it may lead.
    pub may_lead: bool,
    /// Whether other nodes wait for it: it serves and is not behind.
    pub is_ready: bool,
    /// The position up to which it shows the journal: both its copy and its index have reached it.
    pub shown: Cursor,
    /// Whether it leads.
    pub leads: bool,
    /// The message of the log up to which its journal is on stable storage; 0 if it does not say so
    /// yet.
    pub kept: u64,
    /// The wall clock of the node when it sent the sign; `None` from earlier versions.
    pub time: Option<Timestamp>,
    /// The print of the node's key; `None` if it has none, and from earlier versions.
    pub key: Option<u64>,
    /// When this run began, by the node's wall clock; 0 from earlier versions.
    pub since: Timestamp,
    /// Whether it lets one node lead; earlier versions divided the conversations among the nodes.
    pub elects: bool,
}

/// All nodes as one of them sees them.
#[derive(Debug, Default)]
pub struct LivingNodes(BTreeMap<NodeName, (SignOfLife, Monotonic)>);

impl SignOfLife {
    /// Whether this run gives way to another one of the same name: the later run stays.
    pub fn gives_way_to(&self, other: &Self) -> bool {
        (self.since, self.run) < (other.since, other.run)
    }
}

/// Two live nodes have one name: they would take over from each other without end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two running nodes have the name {0}")]
pub struct NameTaken(pub NodeName);

impl LivingNodes {
    /// Records a sign of life. If the node was started again, the new run replaces the old one.
    pub fn hear(&mut self, mut sign: SignOfLife, now: Monotonic) {
        // A bundle may have reported a later position already.
        let before = self.0.get(&sign.name).filter(|(it, _)| it.run == sign.run);
        sign.shown = sign.shown.max(before.map_or(sign.shown, |(it, _)| it.shown));
        self.0.insert(sign.name.clone(), (sign, now));
    }

    /// Records how far a known node is, and whether others wait for it.
    pub fn note_progress(&mut self, run: u64, shown: Cursor, is_ready: bool) {
        let said = self.0.values_mut().map(|(sign, _)| sign).find(|it| it.run == run);
        let Some(sign) = said else { return };
        sign.shown = sign.shown.max(shown);
        sign.is_ready = is_ready;
    }

    /// Records that a node wrote to the log a moment ago.
    pub fn note_written(&mut self, run: u64, now: Monotonic) {
        let known = self.0.values_mut().find(|(sign, _)| sign.run == run);
        if let Some((_, heard)) = known {
            *heard = now;
        }
    }

    /// Records that a node has left.
    pub fn remove(&mut self, name: &NodeName) {
        self.0.remove(name);
    }

    /// Checks that no other run is alive under this name.
    ///
    /// # Errors
    /// If another run is.
    pub fn claim(&self, name: &NodeName, run: u64, now: Monotonic) -> Result<(), NameTaken> {
        let other = self.all(now).find(|it| it.name == *name && it.run != run);
        other.map_or(Ok(()), |it| Err(NameTaken(it.name.clone())))
    }

    /// The last sign of each node that is alive.
    pub fn all(&self, now: Monotonic) -> impl Iterator<Item = &SignOfLife> {
        let lives = move |heard: &Monotonic| now.millis_since(*heard) < DEAD_AFTER;
        self.0.values().filter(move |(_, heard)| lives(heard)).map(|(sign, _)| sign)
    }

    /// Whether every live node has the key with this print.
    pub fn all_have(&self, key: u64, now: Monotonic) -> bool {
        self.all(now).all(|it| it.key == Some(key))
    }

    /// For each live node except the run `but`: whether it is ready, and by how many milliseconds
    /// its clock is ahead of this node's.
    pub fn clocks(&self, but: u64, now: Moment) -> impl Iterator<Item = (bool, i64)> {
        let lives = move |(sign, heard): &&(SignOfLife, Monotonic)| {
            sign.run != but && now.mono.millis_since(*heard) < DEAD_AFTER
        };
        self.0.values().filter(lives).filter_map(move |(sign, heard)| {
            let time = sign.time?.plus_millis(now.mono.millis_since(*heard)).millis();
            let ahead = i128::from(time) - i128::from(now.wall.millis());
            Some((sign.is_ready, i64::try_from(ahead).unwrap_or(i64::MAX)))
        })
    }

    /// Whether a node that serves may lead. One whose disk is full gives way to those that have
    /// room; if none has, the first of all by name may.
    pub fn is_candidate(&self, name: &NodeName, has_space: bool, now: Monotonic) -> bool {
        let mut others = self.all(now).filter(|it| it.name != *name);
        has_space || others.all(|it| !it.may_lead && it.name > *name)
    }

    /// The last run of every node that has been heard and has not left, alive or not.
    pub fn runs(&self) -> impl Iterator<Item = u64> {
        self.0.values().map(|(sign, _)| sign.run)
    }

    /// The names of the nodes that may lead.
    pub fn candidates(&self, now: Monotonic) -> impl Iterator<Item = &NodeName> {
        self.all(now).filter(|it| it.may_lead).map(|it| &it.name)
    }

    /// Whether every live node lets one node lead.
    pub fn all_elect(&self, now: Monotonic) -> bool {
        self.all(now).all(|it| it.elects)
    }

    /// The position up to which every ready node except the run `but` shows the journal; `None` if
    /// there is none.
    pub fn all_show(&self, but: u64, now: Monotonic) -> Option<Cursor> {
        let others = self.all(now).filter(|it| it.is_ready && it.run != but);
        others.map(|it| it.shown).min()
    }

    /// The position of the node that is farthest ahead.
    pub fn farthest(&self, now: Monotonic) -> Option<Cursor> {
        self.all(now).map(|it| it.shown).max()
    }

    /// The message of the log up to which all nodes have it on stable storage, of those heard from
    /// within so many milliseconds.
    pub fn kept(&self, within: u64, now: Monotonic) -> Option<u64> {
        let heard = self.0.values().filter(|(_, heard)| now.millis_since(*heard) < within);
        heard.map(|(sign, _)| sign.kept).min()
    }

    /// The run that says that it leads.
    pub fn leader(&self, now: Monotonic) -> Option<u64> {
        self.all(now).find(|it| it.leads).map(|it| it.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Monotonic = Monotonic::from_millis(100_000);

    fn sign(name: &str, run: u64, is_ready: bool, shown: u64) -> SignOfLife {
        let name = NodeName::parse(name).unwrap();
        let shown = Cursor::new(shown);
        SignOfLife {
            name,
            run,
            may_lead: is_ready,
            is_ready,
            shown,
            leads: run == 2,
            kept: run * 10,
            time: None,
            key: None,
            since: Timestamp::from_millis(0),
            elects: true,
        }
    }

    fn taking(nodes: &LivingNodes, now: Monotonic) -> Vec<&str> {
        nodes.candidates(now).map(NodeName::as_str).collect()
    }

    #[test]
    fn later_run_of_a_name_stays() {
        let at = |millis, run| SignOfLife {
            since: Timestamp::from_millis(millis),
            ..sign("a", run, true, 0)
        };
        for (earlier, later) in [(at(1, 9), at(2, 8)), (at(2, 8), at(2, 9))] {
            assert!(earlier.gives_way_to(&later) && !later.gives_way_to(&earlier));
        }
        assert!(!at(1, 9).gives_way_to(&at(1, 9)));
    }

    #[test]
    fn writer_of_the_log_is_alive() {
        let mut nodes = LivingNodes::default();
        nodes.hear(sign("a", 1, true, 0), NOW);
        let later = NOW.plus_millis(DEAD_AFTER);
        assert_eq!(nodes.all(later).count(), 0);
        nodes.note_written(1, later);
        nodes.note_written(7, later);
        assert_eq!(nodes.all(later).count(), 1);
    }

    #[test]
    fn no_leader_is_chosen_beside_an_earlier_version() {
        let mut nodes = LivingNodes::default();
        nodes.hear(sign("a", 1, true, 0), NOW);
        assert!(nodes.all_elect(NOW));
        nodes.hear(SignOfLife { elects: false, ..sign("b", 2, true, 0) }, NOW);
        assert!(!nodes.all_elect(NOW));
        assert!(nodes.all_elect(NOW.plus_millis(DEAD_AFTER)), "once it is dead");
    }

    #[test]
    fn silent_node_counts_as_dead() {
        let mut nodes = LivingNodes::default();
        nodes.hear(sign("a", 1, true, 0), NOW);
        nodes.hear(sign("b", 2, true, 0), NOW.plus_millis(SAID_EVERY));
        nodes.hear(sign("c", 3, false, 0), NOW.plus_millis(SAID_EVERY));
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER - 1)), ["a", "b"]);
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER)), ["b"]);
        // For trimming the log, a node counts for longer than it is alive.
        let kept = |within, later| nodes.kept(within, NOW.plus_millis(later));
        assert_eq!(
            (kept(DEAD_AFTER, DEAD_AFTER - 1), kept(DEAD_AFTER, DEAD_AFTER)),
            (Some(10), Some(20))
        );
        assert_eq!((kept(DEAD_AFTER * 2, DEAD_AFTER), kept(1, DEAD_AFTER)), (Some(10), None));
        nodes.hear(sign("a", 1, true, 0), NOW.plus_millis(DEAD_AFTER));
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER)), ["a", "b"]);
        nodes.remove(&NodeName::parse("b").unwrap());
        assert_eq!(taking(&nodes, NOW.plus_millis(DEAD_AFTER)), ["a"]);
        nodes.hear(sign("a", 4, true, 0), NOW.plus_millis(DEAD_AFTER));
        assert_eq!(
            nodes.runs().collect::<Vec<_>>(),
            [4, 3],
            "dead nodes too, each in its last run"
        );
    }

    #[test]
    fn full_node_yields_unless_all_are_full() {
        let mut nodes = LivingNodes::default();
        let [a, b] = ["a", "b"].map(|it| NodeName::parse(it).unwrap());
        nodes.hear(sign("a", 1, true, 0), NOW);
        nodes.hear(sign("b", 2, true, 0), NOW);
        assert!(nodes.is_candidate(&a, true, NOW) && !nodes.is_candidate(&a, false, NOW));
        // The other one, which takes all of them by then, becomes full too.
        nodes.hear(sign("a", 1, false, 0), NOW);
        assert!(!nodes.is_candidate(&b, false, NOW), "it is the second by name");
        nodes.hear(sign("b", 2, false, 0), NOW);
        assert!(nodes.is_candidate(&a, false, NOW) && !nodes.is_candidate(&b, false, NOW));
        nodes.hear(sign("a", 1, true, 0), NOW);
        assert!(nodes.is_candidate(&a, false, NOW) && !nodes.is_candidate(&b, false, NOW));
        assert!(
            nodes.is_candidate(&b, false, NOW.plus_millis(DEAD_AFTER)),
            "the first one is dead"
        );
    }

    #[test]
    fn live_node_keeps_its_name() {
        let mut nodes = LivingNodes::default();
        let name = NodeName::parse("a").unwrap();
        nodes.hear(sign("a", 1, true, 0), NOW);
        assert_eq!(nodes.claim(&name, 1, NOW), Ok(()));
        assert_eq!(nodes.claim(&name, 2, NOW), Err(NameTaken(name.clone())));
        assert_eq!(nodes.claim(&name, 2, NOW.plus_millis(DEAD_AFTER)), Ok(()));
    }

    #[test]
    fn position_shown_by_all_ready_nodes_is_known() {
        let mut nodes = LivingNodes::default();
        nodes.hear(sign("a", 1, true, 700), NOW);
        nodes.hear(sign("b", 2, true, 500), NOW);
        nodes.hear(sign("late", 3, false, 64), NOW);
        assert_eq!(nodes.all_show(9, NOW), Some(Cursor::new(500)));
        assert_eq!(nodes.all_show(2, NOW), Some(Cursor::new(700)));
        assert_eq!(nodes.farthest(NOW), Some(Cursor::new(700)));
        // The later position counts, whichever way it was reported first.
        nodes.note_progress(2, Cursor::new(600), true);
        nodes.hear(sign("b", 2, true, 550), NOW);
        assert_eq!(nodes.all_show(9, NOW), Some(Cursor::new(600)));
        nodes.note_progress(2, Cursor::new(600), false);
        assert_eq!(nodes.all_show(9, NOW), Some(Cursor::new(700)));
        nodes.note_progress(4, Cursor::new(600), true);
        assert_eq!(nodes.all(NOW).count(), 3, "nobody lives by that alone");
        assert_eq!(nodes.leader(NOW), Some(2));
        // Nobody waits for a dead node.
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
