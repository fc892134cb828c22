//! Servers side by side: what each did in one run, and what its answer promises.

use serde::Serialize;

use super::Report;
use crate::load::meter::Phase;
use crate::stats::{median, median_ratio};

/// The figures of one server, over all rounds.
#[derive(Debug, Clone, Serialize)]
pub struct Side {
    /// The name of the server with its version.
    pub name: String,
    /// What happens to a message once its sender was answered.
    pub durability: &'static str,
    pub per_second: Option<f64>,
    pub p99_ms: Option<f64>,
    pub server_us_per_unit: Option<f64>,
    /// The rate of the first side divided by this one's, round by round.
    pub rate_beside: Option<f64>,
    /// The CPU per unit of the first side divided by this one's, round by round.
    pub cpu_beside: Option<f64>,
}

impl Report {
    /// Adds the rows of `what` as one side, compared with the rows of `first`.
    pub fn side(&mut self, what: &str, name: String, durability: &'static str, first: &str) {
        let rates = |what: &str| self.each(what, |phase: &Phase| phase.per_second);
        let side = Side {
            name,
            durability,
            per_second: median(&rates(what)),
            p99_ms: median(&self.each(what, |phase| phase.latency.p99_ms)),
            server_us_per_unit: median(&self.each_cpu(what)),
            rate_beside: median_ratio(&rates(first), &rates(what)),
            cpu_beside: median_ratio(&self.each_cpu(first), &self.each_cpu(what)),
        };
        self.sides.push(side);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::POSTS;
    use crate::stats::Percentiles;

    #[test]
    fn report_states_double_speed() {
        let mut report = Report::new("peers-posts", POSTS, false, String::new());
        for (what, per_second, micros) in [("ours", 200.0, 10.0), ("theirs", 100.0, 40.0)] {
            let phase = Phase {
                units: 1,
                per_second,
                server_us_per_unit: Some(micros),
                client_us_per_unit: 1.0,
                latency: Percentiles { p99_ms: 3.0, ..Percentiles::default() },
                timeline: Vec::new(),
            };
            report.row(1, what, phase);
        }
        report.side("theirs", "theirs 1.2".to_owned(), "none", "ours");
        let side = &report.sides[0];
        assert_eq!((side.per_second, side.p99_ms), (Some(100.0), Some(3.0)));
        assert_eq!((side.rate_beside, side.cpu_beside), (Some(2.0), Some(0.25)));
    }
}
