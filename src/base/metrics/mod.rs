//! Metrics: counters and gauges of the server, in the text format of Prometheus.
//!
//! Each part of the server keeps its own numbers, and adds a [`MetricSource`] that writes them when
//! the page is read; nothing is gathered in between. The crate prometheus-client is not used: most
//! numbers are read from where they are anyway (budgets, queues, the journal), for which it would
//! need a collector each, and the format takes a dozen lines.

use std::fmt;

pub mod exposition;
pub mod histogram;
pub mod process;

use exposition::Exposition;

/// Writes the numbers of one part of the server.
pub type MetricSource = Box<dyn Fn(&mut Exposition) + Send + Sync>;

/// The sources of all metrics.
#[derive(Default)]
pub struct Metrics(Vec<MetricSource>);

impl Metrics {
    /// Adds a source.
    #[must_use]
    pub fn with(mut self, source: impl Fn(&mut Exposition) + Send + Sync + 'static) -> Self {
        self.0.push(Box::new(source));
        self
    }

    /// Returns the page with the present numbers.
    pub fn written(&self) -> String {
        let mut page = Exposition::default();
        self.0.iter().for_each(|source| source(&mut page));
        page.finish()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Metrics").field(&self.0.len()).finish()
    }
}
