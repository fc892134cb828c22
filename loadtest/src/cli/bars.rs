//! Which scenarios measure which bars.

use crate::cli::{Bars, Scenario};

/// Which scenario measures which bars.
pub(super) const MEASURED_BY: [(&str, &[&str]); 15] = [
    ("posts", &["P1"]),
    ("mixed", &["P1M"]),
    ("fanout", &["P3"]),
    ("burst", &["P4"]),
    ("latency", &["P2", "P5"]),
    ("idle", &["P6"]),
    ("history", &["P7"]),
    ("grow", &["P8", "P9", "P10", "P11"]),
    ("stalled", &["P12"]),
    ("reconnect", &["P13"]),
    ("bots", &["P14"]),
    ("images", &["P15"]),
    ("groups", &["P16"]),
    ("search", &["P17"]),
    ("abuse", &["R8"]),
];

/// Bars that others measure, and who.
const ELSEWHERE: [(&str, &str); 1] =
    [("P18", "the web client, in CPU time of Chromium: npm run measure --prefix tests/browser")];

impl Bars {
    /// What was asked for, in the letters of the list of bars; nothing for all.
    fn asked(&self) -> Vec<String> {
        self.ids.iter().map(|id| id.to_uppercase()).collect()
    }

    /// Bars of those asked for that others measure, and who.
    pub fn elsewhere(&self) -> Vec<(&'static str, &'static str)> {
        let asked = self.asked();
        let is_wanted = |id: &str| asked.is_empty() || asked.iter().any(|it| it == id);
        ELSEWHERE.into_iter().filter(|(id, _)| is_wanted(id)).collect()
    }

    /// The scenarios that measure what was asked for, each with the sizes of its bars.
    ///
    /// # Errors
    /// With the name of a bar that none of them measures.
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
