//! Curves: what one act costs at several sizes, and whether the cost grows faster than it may.

use serde::Serialize;

/// The cost at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    pub size: usize,
    /// Absent where the server's process is unknown.
    pub figure: Option<f64>,
}

/// A cost over sizes, the smallest size first.
#[derive(Debug, Clone, Serialize)]
pub struct Curve {
    pub what: &'static str,
    /// The name of the size, such as members.
    pub over: &'static str,
    pub unit: &'static str,
    pub points: Vec<Point>,
    /// How much the cost may grow over all sizes, as a factor.
    pub most: f64,
}

impl Curve {
    pub fn new(
        what: &'static str,
        over: &'static str,
        unit: &'static str,
        most: f64,
        points: Vec<Point>,
    ) -> Self {
        Self { what, over, unit, points, most }
    }

    /// Returns the figure of this point as a multiple of that of the smallest size.
    pub fn ratio(&self, point: &Point) -> Option<f64> {
        Some(point.figure? / self.points.first()?.figure?).filter(|ratio| ratio.is_finite())
    }

    /// Returns the largest ratio among the sizes that `wanted` accepts, without the smallest size.
    pub fn growth(&self, wanted: impl Fn(usize) -> bool) -> Option<f64> {
        let larger = self.points.iter().skip(1).filter(|point| wanted(point.size));
        larger.filter_map(|point| self.ratio(point)).reduce(f64::max)
    }

    /// Returns the largest figure of all sizes.
    pub fn largest(&self) -> Option<f64> {
        self.points.iter().filter_map(|point| point.figure).reduce(f64::max)
    }

    /// Returns one sentence on the growth.
    pub fn verdict(&self) -> String {
        let Self { what, over, most, .. } = self;
        let steepest = self
            .points
            .iter()
            .skip(1)
            .filter_map(|point| self.ratio(point).map(|ratio| (point.size, ratio)));
        match steepest.max_by(|one, other| one.1.total_cmp(&other.1)) {
            None => format!("{what}: growth over {over} not measured"),
            Some((size, ratio)) if ratio > *most => format!(
                "{what}: GROWS FASTER THAN IT SHOULD: {ratio:.2} × at {size} {over}, at most {most} ×"
            ),
            Some((size, ratio)) => {
                format!("{what}: at most {ratio:.2} × (at {size} {over}), within {most} ×")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(figures: &[(usize, f64)]) -> Curve {
        let points =
            figures.iter().map(|(size, figure)| Point { size: *size, figure: Some(*figure) });
        Curve::new("post", "members", "µs", 1.2, points.collect())
    }

    #[test]
    fn verdict_names_the_steepest_size() {
        let flat = curve(&[(10, 50.0), (100, 55.0), (1000, 50.0)]);
        assert_eq!(flat.verdict(), "post: at most 1.10 × (at 100 members), within 1.2 ×");
        let steep = curve(&[(10, 50.0), (100, 60.0), (1000, 150.0)]);
        assert_eq!(
            steep.verdict(),
            "post: GROWS FASTER THAN IT SHOULD: 3.00 × at 1000 members, at most 1.2 ×"
        );
        assert_eq!(curve(&[]).verdict(), "post: growth over members not measured");
    }

    #[test]
    fn growth_counts_only_wanted_sizes() {
        let steep = curve(&[(10, 50.0), (100, 60.0), (1000, 150.0)]);
        assert_eq!(steep.growth(|_| true), Some(3.0));
        assert_eq!(steep.growth(|size| size <= 100), Some(1.2));
        assert_eq!(steep.growth(|size| size > 1000), None);
        assert_eq!(steep.largest(), Some(150.0));
    }
}
