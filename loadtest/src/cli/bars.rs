//! The bars that each scenario measures.

use crate::cli::{Bars, Scenario};

/// The name of each scenario, and the bars that it measures.
pub(super) const MEASURED_BY: [(&str, &[&str]); 16] = [
    ("posts", &["P1"]),
    ("mixed", &["P1M"]),
    ("fanout", &["P3"]),
    ("burst", &["P4"]),
    ("latency", &["P2", "P5"]),
    ("idle", &["P6"]),
    ("history", &["P7"]),
    ("grow", &["P8", "P9", "P10", "P11"]),
    ("growth", &["P20", "P21", "P22", "P23", "P24", "P25", "P26"]),
    ("stalled", &["P12"]),
    ("reconnect", &["P13"]),
    ("bots", &["P14"]),
    ("images", &["P15"]),
    ("groups", &["P16"]),
    ("search", &["P17"]),
    ("abuse", &["R8"]),
];

/// Bars that are not measured by the load tester, and what measures them.
const ELSEWHERE: [(&str, &str); 1] =
    [("P18", "the web client, in CPU time of Chromium: npm run measure --prefix tests/browser")];

impl Bars {
    /// The bars that were asked for, in upper case as in the tables above; empty means all.
    fn asked(&self) -> Vec<String> {
        self.ids.iter().map(|id| id.to_uppercase()).collect()
    }

    /// Returns the wanted bars that are not measured by the load tester, and what measures them.
    pub fn elsewhere(&self) -> Vec<(&'static str, &'static str)> {
        let asked = self.asked();
        let is_wanted = |id: &str| asked.is_empty() || asked.iter().any(|it| it == id);
        ELSEWHERE.into_iter().filter(|(id, _)| is_wanted(id)).collect()
    }

    /// Returns the scenarios that measure the wanted bars, each with its default sizes.
    ///
    /// # Errors
    /// If a wanted bar is unknown; the error names it.
    pub fn scenarios(&self) -> Result<Vec<Scenario>, String> {
        let is_measured = |id: &str| {
            MEASURED_BY.iter().any(|(_, bars)| bars.contains(&id))
                || ELSEWHERE.iter().any(|(bar, _)| *bar == id)
        };
        let ids = self.asked();
        if let Some(unknown) = ids.iter().find(|id| !is_measured(id)) {
            return Err(format!("no scenario measures {unknown}"));
        }
        let is_wanted =
            |bars: &[&str]| ids.is_empty() || bars.iter().any(|bar| ids.iter().any(|id| id == bar));
        let wanted = MEASURED_BY.iter().filter(|(_, bars)| is_wanted(bars));
        Ok(wanted.map(|(name, _)| Scenario::named(name, &self.common)).collect())
    }
}
