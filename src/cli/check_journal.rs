//! `coterie check --json`: checks the journal alone, and prints a value by which programs can
//! compare it with another node's. Only `coterie check` checks images, files and the index too.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use crate::admin::protocol::AdminCommand;
use crate::cli::command::DataDirArgs;
use crate::cli::{REFUSED, reach, say_json};
use crate::data_dir::DirLock;
use crate::journal::checking::{self, Finding};
use crate::journal::open_error::OpenError;
use crate::journal::view::View;
use crate::journal::{Cursor, Journal};
use crate::log::{self, LogFormat};

/// The JSON that is printed.
#[derive(Debug, Serialize)]
struct Told {
    journal: JournalTold,
}

#[derive(Debug, Serialize)]
struct JournalTold {
    /// The position at which the journal ends; of a stopped server with a damaged journal, where
    /// the damage begins.
    end: u64,
    /// The running check value up to the end, as 16 hexadecimal digits; `None` if the journal is
    /// damaged.
    sum: Option<String>,
    /// The damage that was found.
    findings: Vec<String>,
}

/// Checks the journal, also while a server uses it.
pub(super) fn run(place: &DataDirArgs) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let dir = place.data_dir.as_path();
    let journal = match reach::running(dir) {
        Some(running) => {
            let end = reach::end_of(running, AdminCommand::TellPlace)?.0;
            look(dir, Some(end))?
        }
        None => {
            let _held = DirLock::of_installation(dir).map_err(|error| error.to_string())?;
            look(dir, None)?
        }
    };
    let is_whole = journal.findings.is_empty();
    let text = serde_json::to_string(&Told { journal });
    say_json(&text.map_err(|error| error.to_string())?)?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}

fn look(dir: &Path, end: Option<Cursor>) -> Result<JournalTold, String> {
    let folder = dir.join("journal");
    let view = match View::open(&folder, end) {
        Err(why @ (OpenError::Damaged { .. } | OpenError::Missing { .. })) if end.is_none() => {
            return damaged(&folder, &why);
        }
        opened => opened.map_err(|error| error.to_string())?,
    };
    let checked = checking::check_view(&view);
    let findings: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
    let sum = view.sum().ok().filter(|_| findings.is_empty());
    let sum = sum.map(|sum| format!("{sum:016x}"));
    Ok(JournalTold { end: view.end().get(), sum, findings })
}

/// The output for a journal that does not open.
fn damaged(folder: &Path, why: &OpenError) -> Result<JournalTold, String> {
    let found = checking::check(folder).map_err(|error| error.to_string())?.findings;
    let end = found.first().map_or(0, Finding::position);
    let mut findings: Vec<String> = found.iter().map(ToString::to_string).collect();
    if findings.is_empty() {
        findings.push(why.to_string());
    }
    Ok(JournalTold { end, sum: None, findings })
}
