//! Metrics: what the server counts of itself, in the text format of Prometheus.
//!
//! Whoever counts keeps its own numbers, and adds a [`MetricSource`] that writes them down when
//! somebody asks; nothing is gathered meanwhile. Not prometheus-client: most of what is shown is
//! read from where it is anyway (budgets, queues, the journal) when somebody asks, for which it
//! wants a collector each, and the format is a dozen lines.

use std::fmt;

pub mod exposition;
pub mod histogram;
pub mod process;

use exposition::Exposition;

/// Writes down what somebody counted.
pub type MetricSource = Box<dyn Fn(&mut Exposition) + Send + Sync>;

/// Everything that is counted.
#[derive(Default)]
pub struct Metrics(Vec<MetricSource>);

impl Metrics {
    /// With one more source.
    #[must_use]
    pub fn with(mut self, source: impl Fn(&mut Exposition) + Send + Sync + 'static) -> Self {
        self.0.push(Box::new(source));
        self
    }

    /// Everything, as it is now.
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
