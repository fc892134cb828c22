//! The bounded places of a server by name: how full each is, and how often it refused a caller.
//! Each bound registers itself where it is created, so that none is missing from the metrics.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::bounds::{Bound, UNBOUNDED};
use crate::metrics::exposition::{Exposition, MetricKind};

/// How full a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fullness {
    /// The current content of the place. For a kind of place of which there are many (`…_of_a_…`),
    /// in the fullest one.
    pub held: Bound,
    /// The limit.
    pub limit: Bound,
    /// How often a caller was refused.
    pub refused: u64,
}

impl Fullness {
    /// The fullness of a place that counts items only.
    pub const fn of_items(held: usize, most: usize, refused: u64) -> Self {
        Self { held: Bound { items: held, bytes: 0 }, limit: Bound::of_items(most), refused }
    }
}

type Read = Box<dyn Fn() -> Fullness + Send + Sync>;

/// The bounded places of one server. Cheap to clone.
#[derive(Clone, Default)]
pub struct Places(Arc<RwLock<Vec<(&'static str, Read)>>>);

impl fmt::Debug for Places {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.names()).finish()
    }
}

impl Places {
    /// Registers a place under this name. `read` is called whenever the metrics are read.
    pub fn add(&self, name: &'static str, read: impl Fn() -> Fullness + Send + Sync + 'static) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push((name, Box::new(read)));
    }

    /// The names of all places.
    pub fn names(&self) -> Vec<&'static str> {
        let places = self.0.read().unwrap_or_else(PoisonError::into_inner);
        places.iter().map(|(name, _)| *name).collect()
    }

    /// Writes the fullness of every place.
    pub fn write(&self, page: &mut Exposition) {
        let places = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let read: Vec<(&str, Fullness)> = places.iter().map(|(name, it)| (*name, it())).collect();
        for (name, kind, help, number) in FAMILIES {
            page.family(name, kind, help);
            for (place, fullness) in &read {
                if let Some(number) = number(fullness) {
                    page.sample(&[("place", place)], number);
                }
            }
        }
    }
}

type Number = fn(&Fullness) -> Option<u64>;

/// Returns `None` for a unit in which the place is not bounded, which leaves out its sample.
const fn bounded(number: usize, limit: usize) -> Option<u64> {
    if limit == UNBOUNDED { None } else { Some(number as u64) }
}

const FAMILIES: [(&str, MetricKind, &str, Number); 5] = [
    ("coterie_held_items", MetricKind::Gauge, "Items that each place holds.", |it| {
        // A place without any limit still reports its items.
        let is_told = it.limit.items != UNBOUNDED || it.limit.bytes == UNBOUNDED;
        is_told.then_some(it.held.items as u64)
    }),
    (
        "coterie_held_items_limit",
        MetricKind::Gauge,
        "Maximum number of items in each place.",
        |it| bounded(it.limit.items, it.limit.items),
    ),
    ("coterie_held_bytes", MetricKind::Gauge, "Bytes that each place holds.", |it| {
        bounded(it.held.bytes, it.limit.bytes)
    }),
    (
        "coterie_held_bytes_limit",
        MetricKind::Gauge,
        "Maximum number of bytes in each place.",
        |it| bounded(it.limit.bytes, it.limit.bytes),
    ),
    (
        "coterie_held_refused_total",
        MetricKind::Counter,
        "Requests refused because a place was full.",
        |it| Some(it.refused),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Budget;

    #[test]
    fn the_metrics_tell_how_full_each_place_is() {
        let places = Places::default();
        let budget = Budget::new(&places, "bodies", Bound { items: 3, bytes: 100 });
        let _held = budget.try_hold(60).unwrap();
        assert!(budget.try_hold(60).is_err());
        places.add("readers_of_a_user", || Fullness::of_items(7, 100, 2));
        let mut page = Exposition::default();
        places.write(&mut page);
        let page = page.finish();
        for line in [
            "coterie_held_items{place=\"bodies\"} 1",
            "coterie_held_bytes{place=\"bodies\"} 60",
            "coterie_held_bytes_limit{place=\"bodies\"} 100",
            "coterie_held_refused_total{place=\"bodies\"} 1",
            "coterie_held_items{place=\"readers_of_a_user\"} 7",
            "coterie_held_items_limit{place=\"readers_of_a_user\"} 100",
            "coterie_held_refused_total{place=\"readers_of_a_user\"} 2",
        ] {
            assert!(page.contains(line), "{line} in {page}");
        }
        assert!(!page.contains("coterie_held_bytes{place=\"readers_of_a_user\"}"), "{page}");
    }
}
