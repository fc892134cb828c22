//! The results of a scenario: rounds, bars and checks, for people and for programs.

pub mod bar;
pub mod compare;
pub mod curve;
pub mod document;
pub mod machine;
pub mod side;
pub mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::load::audience::Verdict;
use crate::load::meter::Phase;
use crate::world::listing::Listing;
use bar::Bar;
use curve::Curve;
use machine::Machine;
use side::Side;

/// The name of what is counted.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Unit {
    pub one: &'static str,
    pub many: &'static str,
}

pub const POSTS: Unit = Unit { one: "post", many: "posts" };
pub const DELIVERIES: Unit = Unit { one: "delivery", many: "deliveries" };
pub const ACTS: Unit = Unit { one: "act", many: "acts" };
pub const REQUESTS: Unit = Unit { one: "request", many: "requests" };

/// One phase of one round, of the server or of a reference.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub round: usize,
    pub what: Cow<'static, str>,
    #[serde(flatten)]
    pub phase: Phase,
}

/// A figure without a bar.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    pub what: String,
    pub value: Option<f64>,
    pub unit: &'static str,
}

/// A promise that was checked, not measured.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    pub what: &'static str,
    pub passed: bool,
    pub detail: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub scenario: &'static str,
    pub setting: String,
    /// When the report was created, as Unix time in seconds; in most scenarios just before the
    /// first round.
    pub taken_at: u64,
    pub machine: Machine,
    /// Whether the sizes were those of a smoke run, which shows that everything works; its figures
    /// mean nothing.
    pub smoke: bool,
    /// The unit of the rows.
    pub unit: Unit,
    pub rows: Vec<Row>,
    /// The servers that were measured side by side, if the comparison is the point.
    pub sides: Vec<Side>,
    /// Costs over sizes, if their growth is the point.
    pub curves: Vec<Curve>,
    pub figures: Vec<Figure>,
    pub bars: Vec<Bar>,
    pub checks: Vec<Check>,
    /// Unexpected answers, and how often each came.
    pub odd_answers: BTreeMap<String, u64>,
}

impl Report {
    pub fn new(scenario: &'static str, unit: Unit, smoke: bool, setting: String) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            scenario,
            setting,
            taken_at: since_epoch.as_secs(),
            machine: Machine::here(),
            smoke,
            unit,
            rows: Vec::new(),
            sides: Vec::new(),
            curves: Vec::new(),
            figures: Vec::new(),
            bars: Vec::new(),
            checks: Vec::new(),
            odd_answers: BTreeMap::new(),
        }
    }

    pub fn row(&mut self, round: usize, what: impl Into<Cow<'static, str>>, phase: Phase) {
        self.rows.push(Row { round, what: what.into(), phase });
    }

    pub fn figure(&mut self, what: impl Into<String>, value: Option<f64>, unit: &'static str) {
        self.figures.push(Figure { what: what.into(), value, unit });
    }

    /// Returns one value of every row of `what`, in the order of the rounds.
    pub fn each(&self, what: &str, value: impl Fn(&Phase) -> f64) -> Vec<f64> {
        self.rows.iter().filter(|row| row.what == what).map(|row| value(&row.phase)).collect()
    }

    /// Returns the server CPU per unit, in µs, of every row of `what`; rows where it is unknown are
    /// left out.
    pub fn each_cpu(&self, what: &str) -> Vec<f64> {
        let rows = self.rows.iter().filter(|row| row.what == what);
        rows.filter_map(|row| row.phase.server_us_per_unit).collect()
    }

    pub fn check(&mut self, what: &'static str, passed: bool, detail: String) {
        self.checks.push(Check { what, passed, detail });
    }

    pub fn check_listing(&mut self, listing: &Listing) {
        let Listing {
            acknowledged,
            listed,
            missing,
            duplicates,
            unasked,
            out_of_order,
            wrong_counts,
        } = listing;
        let detail = format!(
            "{acknowledged} acknowledged, {listed} listed; {missing} missing, {duplicates} twice, {unasked} unasked, \
             {out_of_order} out of order, {wrong_counts} wrong counts"
        );
        // A run in which nothing was acknowledged proves nothing.
        let passed = listing.is_clean() && *acknowledged > 0;
        self.check(
            "every acknowledged message is listed once, in order, and counted",
            passed,
            detail,
        );
    }

    pub fn check_deliveries(&mut self, verdict: &Verdict) {
        let Verdict { sockets, owed, missing, unasked, faults, ended } = verdict;
        let ended = match ended.first() {
            Some(first) => format!(", {} sockets ended ({first})", ended.len()),
            None => String::new(),
        };
        let detail = format!(
            "{owed} owed to {sockets} sockets; {missing} missing, {} twice, {unasked} unasked, {} gaps and {} steps \
             back in n{ended}",
            faults.duplicates, faults.gaps, faults.out_of_order
        );
        let passed = verdict.is_clean() && *owed > 0;
        self.check(
            "every socket got every acknowledged message once, with n dense",
            passed,
            detail,
        );
    }

    pub fn add_odd_answers(&mut self, odd: &BTreeMap<String, u64>) {
        for (answer, times) in odd {
            *self.odd_answers.entry(answer.clone()).or_default() += times;
        }
    }

    pub fn checks_passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }

    pub fn bars_reached(&self) -> bool {
        self.bars.iter().all(|bar| bar.reached != Some(false))
    }
}
