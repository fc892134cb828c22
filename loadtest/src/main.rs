//! The entry point of the load tester: options in, a report and an exit code out.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use loadtest::cli::{Cli, Command, Common, Scenario};
use loadtest::reference;
use loadtest::report::{Report, table};
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
        Command::Scenario(scenario) => run(&scenario),
    };
    ended.unwrap_or_else(|error| {
        eprintln!("loadtest: {error}");
        ExitCode::from(NO_RUN)
    })
}

/// One thread. Two were tried, in turn with one, three times on two cores: they
/// cost about a tenth more CPU per post and per delivery. In some rounds they
/// drove the trivial server about a tenth faster, in others slower.
fn run(scenario: &Scenario) -> Result<ExitCode, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(async {
        tokio::select! {
            report = scenarios::run(scenario) => report,
            () = interrupted() => Err(RunError::Interrupted),
        }
    })?;
    let options = scenario.common();
    print(&report, options)?;
    Ok(match () {
        () if !report.checks_passed() => ExitCode::from(CHECK_FAILED),
        () if options.strict && !report.bars_reached() => ExitCode::from(BAR_MISSED),
        () => ExitCode::SUCCESS,
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
