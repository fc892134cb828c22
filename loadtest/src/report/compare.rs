//! Two runs side by side: what changed, and whether the change is more than noise.
//!
//! A change is more than noise when every round of one run beats every round of the other (the
//! extreme of the rank test of Mann and Whitney, 1947). For runs that do not differ at all this
//! happens by chance once in ten pairs with three rounds a side, and once in 126 with five. With
//! fewer than three rounds a side no change counts as more than noise.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use super::table::{aligned, number};
use crate::stats::median;

/// The fewest rounds a side that allow a verdict.
const LEAST: usize = 3;

/// Why two files cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error("{0} cannot be read: {1}")]
    Read(String, std::io::Error),
    #[error("{0} is no report of this program: {1}")]
    Form(String, serde_json::Error),
    #[error("the two have no scenario in common")]
    NothingInCommon,
}

/// A file that `--report` or `--json` wrote.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Saved {
    Document { reports: Vec<SavedReport> },
    One(Box<SavedReport>),
}

#[derive(Debug, Deserialize)]
struct SavedReport {
    scenario: String,
    setting: String,
    machine: serde_json::Value,
    unit: SavedUnit,
    rows: Vec<SavedRow>,
}

#[derive(Debug, Deserialize)]
struct SavedUnit {
    one: String,
    many: String,
}

#[derive(Debug, Deserialize)]
struct SavedRow {
    what: String,
    per_second: f64,
    server_us_per_unit: Option<f64>,
    latency: SavedLatency,
}

#[derive(Debug, Deserialize)]
struct SavedLatency {
    p50_ms: f64,
    p99_ms: f64,
}

/// Returns what changed from one file to the other, as text that ends in a newline.
///
/// # Errors
/// If a file cannot be read or is no report of this program, or the two have no scenario in common.
pub fn files(before: &Path, after: &Path) -> Result<String, CompareError> {
    text(&read(before)?, &read(after)?)
}

fn read(path: &Path) -> Result<Vec<SavedReport>, CompareError> {
    let name = || path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| CompareError::Read(name(), error))?;
    match serde_json::from_str(&text).map_err(|error| CompareError::Form(name(), error))? {
        Saved::Document { reports } => Ok(reports),
        Saved::One(report) => Ok(vec![*report]),
    }
}

fn text(before: &[SavedReport], after: &[SavedReport]) -> Result<String, CompareError> {
    let mut text = String::new();
    for old in before {
        let Some(new) = after.iter().find(|new| new.scenario == old.scenario) else { continue };
        writeln!(text, "\n{}: {}", new.scenario, new.setting).expect("a string takes everything");
        if old.setting != new.setting {
            text.push_str("note    the sizes differ\n");
        }
        if old.machine != new.machine {
            text.push_str("note    the machines differ\n");
        }
        let heads = ["what", "figure", "before", "after", "change", "", "rounds"];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        lines.extend(changes(old, new));
        text.push('\n');
        text.push_str(&aligned(&lines));
    }
    if text.is_empty() { Err(CompareError::NothingInCommon) } else { Ok(text) }
}

type Of = fn(&SavedRow) -> Option<f64>;

fn changes(old: &SavedReport, new: &SavedReport) -> Vec<Vec<String>> {
    let SavedUnit { one, many } = &new.unit;
    let figures: [(String, Of); 4] = [
        (format!("{many}/s"), |row| Some(row.per_second)),
        ("p50 ms".to_owned(), |row| Some(row.latency.p50_ms)),
        ("p99 ms".to_owned(), |row| Some(row.latency.p99_ms)),
        (format!("server µs/{one}"), |row| row.server_us_per_unit),
    ];
    let mut names: Vec<&str> = new.rows.iter().map(|row| row.what.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut lines = Vec::new();
    for what in names {
        for (figure, of) in &figures {
            let rounds = |report: &SavedReport| -> Vec<f64> {
                report.rows.iter().filter(|row| row.what == what).filter_map(of).collect()
            };
            lines.extend(
                change(&rounds(old), &rounds(new))
                    .map(|words| [vec![what.to_owned(), figure.clone()], words].concat()),
            );
        }
    }
    lines
}

/// Returns the medians, the change and the verdict on it; `None` if a side has no figures.
fn change(before: &[f64], after: &[f64]) -> Option<Vec<String>> {
    let (old, new) = (median(before)?, median(after)?);
    let percent =
        if old == 0.0 { "–".to_owned() } else { format!("{:+.1} %", 100.0 * (new / old - 1.0)) };
    let verdict = match is_apart(before, after) {
        None => "too few rounds",
        Some(true) => "more than noise",
        Some(false) => "noise",
    };
    let rounds = format!("{} and {}", before.len(), after.len());
    Some(vec![number(Some(old), ""), number(Some(new), ""), percent, verdict.to_owned(), rounds])
}

/// Whether all values of one side are above all of the other; `None` with too few rounds.
fn is_apart(a: &[f64], b: &[f64]) -> Option<bool> {
    if a.len() < LEAST || b.len() < LEAST {
        return None;
    }
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(least(a) > most(b) || least(b) > most(a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::meter::Phase;
    use crate::report::{POSTS, Report};
    use crate::stats::Percentiles;

    fn saved(rates: &[f64]) -> Vec<SavedReport> {
        let mut report = Report::new("posts", POSTS, false, "a test".to_owned());
        for (round, per_second) in rates.iter().enumerate() {
            let phase = Phase {
                units: 1,
                per_second: *per_second,
                server_us_per_unit: None,
                client_us_per_unit: 1.0,
                latency: Percentiles { p50_ms: 1.0, p99_ms: 2.0, ..Percentiles::default() },
                timeline: Vec::new(),
            };
            report.row(round, "coterie", phase);
        }
        vec![serde_json::from_value(serde_json::to_value(&report).unwrap()).unwrap()]
    }

    #[test]
    fn a_change_is_more_than_noise_when_no_round_contradicts_it() {
        let found = text(&saved(&[100.0, 110.0, 90.0]), &saved(&[120.0, 130.0, 121.0])).unwrap();
        let line = found.lines().find(|line| line.contains("posts/s")).unwrap();
        assert!(line.contains("+21.0 %  more than noise"), "{found}");
        assert!(found.lines().any(|line| line.contains("p50 ms") && line.contains("noise")));
        assert!(!found.contains("server"), "what was not measured is not compared: {found}");
        let found = text(&saved(&[100.0, 110.0, 90.0]), &saved(&[120.0, 109.0, 121.0])).unwrap();
        assert!(found.contains("+20.0 %  noise"), "{found}");
    }

    #[test]
    fn two_rounds_prove_nothing() {
        let found = text(&saved(&[1.0, 1.0]), &saved(&[9.0, 9.0, 9.0])).unwrap();
        assert!(found.contains("too few rounds"), "{found}");
    }

    #[test]
    fn runs_of_other_scenarios_are_not_compared() {
        let mut other = saved(&[1.0]);
        other[0].scenario = "idle".to_owned();
        assert!(matches!(text(&saved(&[1.0]), &other), Err(CompareError::NothingInCommon)));
    }
}
