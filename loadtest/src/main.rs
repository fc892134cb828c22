//! The entry point of the load tester: options in, a report and an exit code out.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use loadtest::cli::{Bars, Cli, Command, Common, Scenario};
use loadtest::reference;
use loadtest::report::document::Document;
use loadtest::report::{Report, compare, table};
use loadtest::scenarios::{self, RunError};

/// Everything was measured, but a check failed: something was lost, doubled or out of order.
const CHECK_FAILED: u8 = 1;
/// Nothing could be measured.
const NO_RUN: u8 = 2;
/// With `--strict`: a bar was not reached.
const BAR_MISSED: u8 = 3;

fn main() -> ExitCode {
    let ended = match Cli::parse().command {
        Command::ReferenceHttp => {
            reference::http::serve().map(|()| ExitCode::SUCCESS).map_err(RunError::from)
        }
        Command::ReferenceBroadcast => {
            reference::broadcast::serve().map(|()| ExitCode::SUCCESS).map_err(RunError::from)
        }
        Command::Scenario(scenario) => one(&scenario),
        Command::Bars(bars) => all(&bars),
        Command::Compare(compare) => compare::files(&compare.before, &compare.after)
            .map_err(RunError::from)
            .and_then(|text| Ok(write!(std::io::stdout(), "{text}")?))
            .map(|()| ExitCode::SUCCESS),
    };
    ended.unwrap_or_else(|error| {
        eprintln!("loadtest: {error}");
        ExitCode::from(NO_RUN)
    })
}

fn one(scenario: &Scenario) -> Result<ExitCode, RunError> {
    let report = run(scenario)?;
    print(&report, scenario.common())?;
    end(&[report], scenario.common())
}

/// One scenario after the other. What was found is told after each, and written after each:
/// the whole takes long.
fn all(bars: &Bars) -> Result<ExitCode, RunError> {
    let mut reports = Vec::new();
    for scenario in bars.scenarios().map_err(RunError::Size)? {
        reports.push(run(&scenario)?);
        let newest = &reports[reports.len() - 1];
        write!(std::io::stdout(), "{}", table::render(newest))?;
        write_files(&reports, &bars.common)?;
    }
    write!(std::io::stdout(), "{}", table::verdicts(&reports))?;
    end(&reports, &bars.common)
}

fn end(reports: &[Report], options: &Common) -> Result<ExitCode, RunError> {
    write_files(reports, options)?;
    Ok(match () {
        () if !reports.iter().all(Report::checks_passed) => ExitCode::from(CHECK_FAILED),
        () if options.strict && !reports.iter().all(Report::bars_reached) => {
            ExitCode::from(BAR_MISSED)
        }
        () => ExitCode::SUCCESS,
    })
}

fn write_files(reports: &[Report], options: &Common) -> Result<(), RunError> {
    match &options.report {
        Some(directory) => Ok(Document { reports }.write(directory)?),
        None => Ok(()),
    }
}

/// One thread. Two were tried, in turn with one, three times on two cores: they
/// cost about a tenth more CPU per post and per delivery. In some rounds they
/// drove the trivial server about a tenth faster, in others slower.
fn run(scenario: &Scenario) -> Result<Report, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            report = scenarios::run(scenario) => report,
            () = interrupted() => Err(RunError::Interrupted),
        }
    })
}

/// Ends the run in order, so that the servers which it started are stopped too.
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminated.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// The table goes to stdout, or makes room there for `--json -`.
fn print(report: &Report, options: &Common) -> Result<(), RunError> {
    let text = table::render(report);
    let json = serde_json::to_string_pretty(report).map_err(std::io::Error::from)?;
    match options.json.as_deref() {
        Some("-") => {
            eprint!("{text}");
            writeln!(std::io::stdout(), "{json}")?;
        }
        Some(file) => {
            std::fs::write(file, json + "\n")?;
            write!(std::io::stdout(), "{text}")?;
        }
        None => write!(std::io::stdout(), "{text}")?,
    }
    Ok(())
}
