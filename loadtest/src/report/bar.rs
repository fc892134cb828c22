//! Bars: what a figure must reach.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(bound) => figure >= bound,
            Self::AtMost(bound) => figure <= bound,
        }
    }
}

/// One target from the list of bars, and what this run reached.
#[derive(Debug, Clone, Serialize)]
pub struct Bar {
    pub id: &'static str,
    pub what: &'static str,
    pub figure: Option<f64>,
    pub bound: Bound,
    pub unit: &'static str,
    /// Absent without a figure: then nothing is claimed.
    pub reached: Option<bool>,
}

impl Bar {
    pub fn new(
        id: &'static str,
        what: &'static str,
        figure: Option<f64>,
        bound: Bound,
        unit: &'static str,
    ) -> Self {
        let figure = figure.filter(|figure| figure.is_finite());
        let reached = figure.map(|figure| bound.holds(figure));
        Self { id, what, figure, bound, unit, reached }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(figure: Option<f64>, bound: Bound) -> Option<bool> {
        Bar::new("P0", "test", figure, bound, "").reached
    }

    #[test]
    fn a_bar_is_reached_missed_or_unknown() {
        assert_eq!(reached(Some(0.5), Bound::AtLeast(0.5)), Some(true));
        assert_eq!(reached(Some(0.49), Bound::AtLeast(0.5)), Some(false));
        assert_eq!(reached(Some(28.0), Bound::AtMost(28.0)), Some(true));
        assert_eq!(reached(Some(28.1), Bound::AtMost(28.0)), Some(false));
        assert_eq!(reached(None, Bound::AtMost(28.0)), None);
        assert_eq!(reached(Some(f64::NAN), Bound::AtMost(28.0)), None);
    }
}
