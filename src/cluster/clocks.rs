//! Whether this node's clock agrees with the clocks of the other nodes. The owner of a conversation
//! writes its time into messages, so a node whose clock differs owns none.

use crate::liveness::LivingNodes;
use domain::time::{Moment, Monotonic};

/// By how many milliseconds clocks of nodes may differ.
const APART: u64 = 60_000;
/// For how many milliseconds after its start a node does not count its own clock: nodes that were
/// started together have not heard each other before they are ready.
const NEW: u64 = 5_000;

/// The state of this node's clock.
#[derive(Debug, Default)]
pub(super) struct ClockStanding {
    /// Whether the clock agreed when it was last compared.
    agrees: bool,
    /// When the node began to serve.
    since: Option<Monotonic>,
    /// By how many seconds the clock is ahead of the others', if it differs.
    ahead: Option<i64>,
    /// Wall time minus monotonic time when the clock last differed.
    refused: Option<i64>,
}

impl ClockStanding {
    /// By how many seconds this node's clock is ahead of those of the other nodes; `None` if it
    /// agrees with most of them.
    pub(super) const fn ahead(&self) -> Option<i64> {
        self.ahead
    }

    /// Compares this node's clock with those of the ready nodes, or of all nodes while none is
    /// ready. Without another node, a clock that differed before has to change first.
    pub(super) fn look(&mut self, own: u64, living: &LivingNodes, now: Moment) {
        let since = *self.since.get_or_insert(now.mono);
        let all: Vec<(bool, i64)> = living.clocks(own, now).collect();
        let ready: Vec<i64> = all.iter().filter(|it| it.0).map(|it| it.1).collect();
        let others = match (ready.is_empty(), self.agrees) {
            (false, _) => ready,
            (true, true) => Vec::new(),
            (true, false) => all.into_iter().map(|it| it.1).collect(),
        };
        let is_apart = |ahead: &&i64| ahead.unsigned_abs() > APART;
        let apart = others.iter().filter(is_apart).count();
        let counts_itself = self.agrees && now.mono.millis_since(since) > NEW;
        let near = others.len() - apart + usize::from(counts_itself);
        let offset = offset(now);
        let is_unchanged = self.refused.is_some_and(|it| it.abs_diff(offset) <= APART);
        if apart > near {
            let farthest = others.iter().filter(is_apart).max_by_key(|it| it.unsigned_abs());
            let ahead = -farthest.copied().unwrap_or_default() / 1000;
            if self.ahead.is_none() {
                tracing::error!(
                    seconds_ahead = ahead,
                    "this node's clock differs from the clocks of the other nodes by more than a \
                     minute; the node is not ready until they agree"
                );
            }
            *self = Self { agrees: false, ahead: Some(ahead), refused: Some(offset), ..*self };
        } else if !others.is_empty() || !is_unchanged {
            if self.ahead.is_some() {
                tracing::warn!("this node's clock agrees with the clocks of the other nodes again");
            }
            *self = Self { agrees: true, ahead: None, refused: None, ..*self };
        }
    }
}

/// Wall time minus monotonic time, in milliseconds.
fn offset(now: Moment) -> i64 {
    let signed = |millis: u64| i64::try_from(millis).unwrap_or(i64::MAX);
    signed(now.wall.millis()).saturating_sub(signed(now.mono.millis()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::{NodeName, SignOfLife};
    use domain::time::Timestamp;
    use journal::Cursor;

    const YEARS: i64 = 10 * 365 * 86_400;

    fn moment(millis: u64) -> Moment {
        let wall = Timestamp::from_millis(1_800_000_000_000 + millis);
        Moment { wall, mono: Monotonic::from_millis(1_000_000 + millis) }
    }

    /// Nodes as another one sees them: whether each is ready, and the seconds by which it is ahead.
    fn living(nodes: &[(bool, i64)], now: Moment) -> LivingNodes {
        let mut living = LivingNodes::default();
        for (number, (is_ready, ahead)) in nodes.iter().enumerate() {
            let time = now.wall.millis().saturating_add_signed(ahead * 1000);
            let sign = SignOfLife {
                name: NodeName::parse(&format!("n{number}")).unwrap(),
                run: number as u64 + 1,
                may_lead: *is_ready,
                is_ready: *is_ready,
                shown: Cursor::new(0),
                leads: false,
                kept: 0,
                time: Some(Timestamp::from_millis(time)),
                key: None,
                since: Timestamp::from_millis(0),
                elects: true,
            };
            living.hear(sign, now.mono);
        }
        living
    }

    /// Compares a fresh node's clock with these nodes once.
    fn fresh(nodes: &[(bool, i64)]) -> Option<i64> {
        let mut clock = ClockStanding::default();
        let now = moment(0);
        clock.look(99, &living(nodes, now), now);
        clock.ahead()
    }

    #[test]
    fn a_fresh_node_agrees_with_most_ready_nodes() {
        for agreeing in [&[][..], &[(true, 59)], &[(true, -59), (false, YEARS)]] {
            assert_eq!(fresh(agreeing), None, "{agreeing:?}");
        }
        assert_eq!(fresh(&[(true, 0), (true, YEARS)]), None);
        assert_eq!(fresh(&[(false, 3600), (false, 0)]), None);
        assert_eq!(fresh(&[(true, -YEARS)]), Some(YEARS));
        assert_eq!(fresh(&[(true, 62)]), Some(-62));
        assert_eq!(fresh(&[(true, YEARS), (true, YEARS), (false, 0)]), Some(-YEARS));
        assert_eq!(fresh(&[(false, YEARS), (false, YEARS)]), Some(-YEARS));
    }

    #[test]
    fn a_ready_node_ignores_a_fresh_one_and_yields_to_most() {
        let mut clock = ClockStanding::default();
        let start = moment(0);
        clock.look(99, &living(&[], start), start);
        let now = moment(NEW + 1);
        for agreeing in [&[(false, YEARS)][..], &[(true, YEARS)], &[(false, 99), (false, 99)]] {
            clock.look(99, &living(agreeing, now), now);
            assert_eq!(clock.ahead(), None, "{agreeing:?}");
        }
        clock.look(99, &living(&[(true, 99), (true, 99)], now), now);
        assert_eq!(clock.ahead(), Some(-99));
    }

    #[test]
    fn nodes_that_start_together_with_other_clocks_are_not_ready() {
        let mut clock = ClockStanding::default();
        let start = moment(0);
        clock.look(99, &living(&[], start), start);
        let now = moment(400);
        clock.look(99, &living(&[(true, YEARS)], now), now);
        assert_eq!(clock.ahead(), Some(-YEARS));
    }

    #[test]
    fn a_wrong_clock_stays_wrong_when_the_others_are_gone() {
        let mut clock = ClockStanding::default();
        let now = moment(0);
        clock.look(99, &living(&[(true, 300)], now), now);
        clock.look(99, &living(&[], moment(9000)), moment(9000));
        assert_eq!(clock.ahead(), Some(-300));
        let mut set = moment(9000);
        set.wall = set.wall.plus_millis(300_000);
        clock.look(99, &living(&[], set), set);
        assert_eq!(clock.ahead(), None);
    }

    #[test]
    fn nodes_of_versions_without_a_time_do_not_count() {
        let now = moment(0);
        let mut others = living(&[(true, 0)], now);
        let mut sign = others.all(now.mono).next().unwrap().clone();
        sign.time = None;
        others.hear(sign, now.mono);
        let mut clock = ClockStanding::default();
        clock.look(99, &others, now);
        assert_eq!(clock.ahead(), None);
    }
}
