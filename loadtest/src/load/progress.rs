//! The progress shown while a window passes: how far it is, and how fast the load goes.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::meter::Point;

/// A line on the terminal that is removed at the end; nothing is shown where stderr is no terminal.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Creates the line for a window of this length.
    pub fn of(measured: Duration) -> Self {
        let bar = ProgressBar::new(u64::try_from(measured.as_millis()).unwrap_or(u64::MAX));
        let style = ProgressStyle::with_template("  {bar:30} {msg}");
        Self(bar.with_style(style.expect("the template is well-formed")))
    }

    /// Shows the newest figures.
    pub fn tell(&self, point: &Point) {
        self.0.set_position((point.at * 1000.0) as u64);
        self.0.set_message(words(point));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn words(point: &Point) -> String {
    let Point { at, per_second, p50_ms, p99_ms, server_cores, server_mib } = point;
    let mut words =
        format!("{at:>4.0} s  {per_second:>8.0}/s  p50 {p50_ms:.2} ms  p99 {p99_ms:.2} ms");
    if let Some((cores, mib)) = server_cores.zip(*server_mib) {
        words += &format!("  server {cores:.2} cores, {mib:.0} MiB");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_the_server_if_known() {
        let point = Point {
            at: 3.0,
            per_second: 12_345.6,
            p50_ms: 1.5,
            p99_ms: 9.25,
            server_cores: Some(1.5),
            server_mib: Some(64.0),
        };
        assert_eq!(
            words(&point),
            "   3 s     12346/s  p50 1.50 ms  p99 9.25 ms  server 1.50 cores, 64 MiB"
        );
        let unknown = Point { server_cores: None, server_mib: None, ..point };
        assert_eq!(words(&unknown), "   3 s     12346/s  p50 1.50 ms  p99 9.25 ms");
    }
}
