//! The text format of Prometheus, version 0.0.4: families, samples, histograms.

use std::fmt::{Display, Write};

use crate::metrics::histogram::HistogramReading;

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// A number that only grows.
    Counter,
    /// A number that goes up and down.
    Gauge,
    /// Cumulative counts below each of some bounds.
    Histogram,
}

/// The names and values of labels.
pub type Labels<'a> = &'a [(&'a str, &'a str)];

/// A page of metrics that is being written.
#[derive(Debug, Default)]
pub struct Exposition {
    text: String,
    name: &'static str,
}

impl Exposition {
    /// Begins a family; its samples must follow.
    pub fn family(&mut self, name: &'static str, kind: MetricKind, help: &str) {
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        };
        self.name = name;
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// Writes a sample of the current family.
    pub fn sample(&mut self, labels: Labels<'_>, value: impl Display) {
        self.write("", labels, None, value);
    }

    /// Writes a family with one sample and no labels.
    pub fn single(
        &mut self,
        name: &'static str,
        kind: MetricKind,
        help: &str,
        value: impl Display,
    ) {
        self.family(name, kind, help);
        self.sample(&[], value);
    }

    /// Writes a histogram of the current family. Its numbers are divided by `scale`, which turns
    /// microseconds into seconds, for example.
    pub fn histogram(&mut self, labels: Labels<'_>, reading: &HistogramReading, scale: f64) {
        let mut below = 0;
        for (bound, count) in &reading.buckets {
            below += count;
            let bound = (*bound as f64 / scale).to_string();
            self.write("_bucket", labels, Some(&bound), below);
        }
        let all = below + reading.above;
        self.write("_bucket", labels, Some("+Inf"), all);
        self.write("_sum", labels, None, reading.sum as f64 / scale);
        self.write("_count", labels, None, all);
    }

    /// Returns the finished page.
    pub fn finish(self) -> String {
        self.text
    }

    fn write(&mut self, end: &str, labels: Labels<'_>, le: Option<&str>, value: impl Display) {
        let name = self.name;
        let bound = le.map(|le| ("le", le));
        let labels: Vec<String> = labels
            .iter()
            .copied()
            .chain(bound)
            .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
            .collect();
        if labels.is_empty() {
            self.line(format_args!("{name}{end} {value}\n"));
        } else {
            self.line(format_args!("{name}{end}{{{}}} {value}\n", labels.join(",")));
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("writing to memory cannot fail");
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::histogram::Histogram;

    #[test]
    fn a_page_is_written_as_prometheus_reads_it() {
        let mut page = Exposition::default();
        page.single("up", MetricKind::Gauge, "Whether it is up.", 1);
        page.family("asked_total", MetricKind::Counter, "Requests.");
        page.sample(&[("route", "/a\"b\\c"), ("status", "200")], 7);
        let histogram = Histogram::new(&[1000, 5000]);
        for micros in [500, 1000, 1001, 9000] {
            histogram.note(micros);
        }
        page.family("took_seconds", MetricKind::Histogram, "How long.");
        page.histogram(&[("of", "x")], &histogram.read(), 1e6);
        assert_eq!(
            page.finish(),
            "# HELP up Whether it is up.\n# TYPE up gauge\nup 1\n\
             # HELP asked_total Requests.\n# TYPE asked_total counter\n\
             asked_total{route=\"/a\\\"b\\\\c\",status=\"200\"} 7\n\
             # HELP took_seconds How long.\n# TYPE took_seconds histogram\n\
             took_seconds_bucket{of=\"x\",le=\"0.001\"} 2\n\
             took_seconds_bucket{of=\"x\",le=\"0.005\"} 3\n\
             took_seconds_bucket{of=\"x\",le=\"+Inf\"} 4\n\
             took_seconds_sum{of=\"x\"} 0.011501\n\
             took_seconds_count{of=\"x\"} 4\n"
        );
    }
}
