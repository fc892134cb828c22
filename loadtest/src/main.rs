//! The entry point of the load tester: options in, a report and an exit code out.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use loadtest::cli::sizes::Peers;
use loadtest::cli::{Bars, Cli, Command, Common, Scenario};
use loadtest::reference;
use loadtest::report::document::Document;
use loadtest::report::{Report, compare, table};
use loadtest::scenarios::{self, RunError};
use serde::Serialize;

/// Everything was measured, but a check failed: something was lost, doubled or out of order.
const CHECK_FAILED: u8 = 1;
/// The run failed with an error.
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
        Command::Peers(peers) => beside(&peers),
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
    let report = block_on(scenarios::run(scenario))?;
    print(&table::render(&report), &report, scenario.common())?;
    end(&[report], scenario.common())
}

/// Runs one scenario after the other. Results are printed and written after each, since the whole
/// run takes long.
fn all(bars: &Bars) -> Result<ExitCode, RunError> {
    let mut reports = Vec::new();
    for scenario in bars.scenarios().map_err(RunError::Size)? {
        reports.push(block_on(scenarios::run(&scenario))?);
        let newest = &reports[reports.len() - 1];
        tell(&table::render(newest), &bars.common)?;
        write_files(&reports, &bars.common)?;
    }
    let verdicts = table::verdicts(&reports, &bars.elsewhere());
    print(&verdicts, &Document { reports: &reports }, &bars.common)?;
    end(&reports, &bars.common)
}

/// Runs the comparison with peers, which gives two reports.
fn beside(args: &Peers) -> Result<ExitCode, RunError> {
    let reports = block_on(scenarios::peers::run(args))?;
    let tables: String = reports.iter().map(table::render).collect();
    let document = Document { reports: &reports };
    print(&tables, &document, &args.common)?;
    end(&reports, &args.common)
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
        Some(directory) if !reports.is_empty() => Ok(Document { reports }.write(directory)?),
        Some(_) | None => Ok(()),
    }
}

/// Runs on one thread. Two threads were tried, in turn with one, three times on two cores: they
/// cost about a tenth more CPU per post and per delivery. In some rounds they drove the trivial
/// server about a tenth faster, in others slower.
fn block_on<T>(measuring: impl Future<Output = Result<T, RunError>>) -> Result<T, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            found = measuring => found,
            () = interrupted() => Err(RunError::Interrupted),
        }
    })
}

/// Waits for SIGTERM or Ctrl-C, after which the run ends in order, so that the servers that it
/// started are stopped too.
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

/// Prints the text, and writes the results as JSON where `--json` says.
fn print(text: &str, found: &impl Serialize, options: &Common) -> Result<(), RunError> {
    tell(text, options)?;
    let json = serde_json::to_string_pretty(found).map_err(std::io::Error::from)? + "\n";
    match options.json.as_deref() {
        Some("-") => write!(std::io::stdout(), "{json}")?,
        Some(file) => std::fs::write(file, json)?,
        None => {}
    }
    Ok(())
}

/// Prints tables to stdout, or to stderr if `--json -` uses stdout.
fn tell(text: &str, options: &Common) -> Result<(), RunError> {
    match options.json.as_deref() {
        Some("-") => eprint!("{text}"),
        Some(_) | None => write!(std::io::stdout(), "{text}")?,
    }
    Ok(())
}
