//! Whether a figure holds still over a long time, in words and in numbers.
//!
//! The first third of a run does not count, because caches fill. The medians of the other two
//! thirds are compared, so that a moment in which the machine was busy decides nothing.

use crate::stats::median;

/// The fewest samples that allow a verdict.
const LEAST: usize = 6;

/// By how much a figure may grow from the middle third to the last one.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// As a share of the figure in the middle third.
    pub share: f64,
    /// An absolute amount added to the share, since small figures fluctuate.
    pub beside: f64,
}

/// The median of a figure in the middle third of a run and in the last third.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    pub middle: f64,
    pub end: f64,
}

impl Drift {
    /// Computes the drift of samples in the order of time; `None` if there are too few.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let third = samples.len() / 3;
        if samples.len() < LEAST {
            return None;
        }
        let middle = median(&samples[third..2 * third])?;
        Some(Self { middle, end: median(&samples[samples.len() - third..])? })
    }

    /// Whether the figure grew by more than it may.
    pub fn is_over(self, allowed: Allowance) -> bool {
        self.end > self.middle * (1.0 + allowed.share) + allowed.beside
    }

    /// Describes the drift for the reader of the report.
    pub fn words(self, allowed: Allowance, unit: &str) -> String {
        let Self { middle, end } = self;
        let does = if self.is_over(allowed) { "drifts up" } else { "holds still" };
        let percent = if middle > 0.0 { 100.0 * (end - middle) / middle } else { 0.0 };
        format!(
            "{does}: {middle:.2} {unit} in the middle, {end:.2} {unit} at the end ({percent:+.1} %)"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: Allowance = Allowance { share: 0.1, beside: 5.0 };

    fn drift(samples: impl Iterator<Item = f64>) -> Drift {
        Drift::of(&samples.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn steady_growth_counts_as_drift() {
        let grown = drift((0..60).map(|second| 100.0 + f64::from(second)));
        assert!(grown.is_over(ALLOWED));
        assert_eq!(grown, Drift { middle: 129.5, end: 149.5 });
        assert!(grown.words(ALLOWED, "MiB").starts_with("drifts up: 129.50 MiB"));
    }

    #[test]
    fn initial_growth_is_no_drift() {
        let filled = drift((0..60).map(|second| 100.0 + f64::from(second.min(20))));
        assert!(!filled.is_over(ALLOWED));
        assert!(filled.words(ALLOWED, "MiB").starts_with("holds still"));
    }

    #[test]
    fn one_bad_moment_is_no_drift() {
        let jumped = drift((0..60).map(|second| if second == 55 { 9000.0 } else { 100.0 }));
        assert!(!jumped.is_over(ALLOWED));
    }

    #[test]
    fn a_few_samples_say_nothing() {
        assert_eq!(Drift::of(&[1.0; 5]), None);
        assert!(Drift::of(&[1.0; 6]).is_some());
    }
}
