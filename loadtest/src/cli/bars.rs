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

impl Bars {
    /// The scenarios that measure what was asked for, each with the sizes of its bars.
    ///
    /// # Errors
    /// With the name of a bar that none of them measures.
    pub fn scenarios(&self) -> Result<Vec<Scenario>, String> {
        let is_measured = |id: &str| MEASURED_BY.iter().any(|(_, bars)| bars.contains(&id));
        let ids: Vec<String> = self.ids.iter().map(|id| id.to_uppercase()).collect();
        if let Some(unknown) = ids.iter().find(|id| !is_measured(id)) {
            return Err(format!("no scenario measures {unknown}"));
        }
        let is_wanted =
            |bars: &[&str]| ids.is_empty() || bars.iter().any(|bar| ids.iter().any(|id| id == bar));
        let wanted = MEASURED_BY.iter().filter(|(_, bars)| is_wanted(bars));
        Ok(wanted.map(|(name, _)| Scenario::named(name, &self.common)).collect())
    }
}
