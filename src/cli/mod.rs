//! The tools around the server, in the same binary, for operators.
//!
//! A tool prints its result on stdout and exits with 0; with 1 if the answer is no (something is
//! wrong, or the rules refuse); with 2 and one line on stderr if it could not do its work. Only
//! `coterie doctor` has other codes.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

mod audit;
mod backup;
mod check;
pub mod command;
mod copy;
mod disk;
mod doctor;
mod node;
mod prove;
mod reach;
mod rebuild;
mod restore;
mod sets;
mod setup;
mod user;
pub mod when;

use command::{BackupAct, Tool};

use crate::cli::sets::verify as verify_sets;
use domain::visible::{Escaped, EscapedJson};

/// The exit code if the answer is no.
const REFUSED: u8 = 1;

/// Runs a tool to its end.
///
/// # Errors
/// If the tool could not do its work: one line for the operator.
pub fn run(tool: Tool) -> Result<ExitCode, String> {
    match tool {
        Tool::User { act } => user::run(act),
        Tool::Audit(wanted) => audit::run(&wanted),
        Tool::Clock { act } => node::accept_clock(&act),
        Tool::Nodes(wanted) => node::run_nodes(&wanted),
        Tool::Drain(place) => node::drain(&place),
        Tool::Setup(place) => setup::run(&place),
        Tool::Check(wanted) if wanted.json => check::run_json(&wanted.place),
        Tool::Check(wanted) => check::run(&wanted.place),
        Tool::Doctor(wanted) => doctor::run(&wanted),
        Tool::Prove(wanted) => prove::run(&wanted),
        Tool::Rebuild(place) => rebuild::run(&place),
        Tool::Backup { act: Some(BackupAct::Verify { from, access, log }), .. } => {
            verify_sets(&from, &access, &log)
        }
        Tool::Backup { act: None, to, place } => backup::run(&to.unwrap_or_default(), &place),
        Tool::Restore { from, access, place } => restore::run(&from, &access, &place),
    }
}

/// Prints a line on stdout. All tools print through this function or [`say_json`], which escape
/// characters that would end the line or change the terminal.
fn say(line: &str) -> Result<(), String> {
    print(&Escaped(line))
}

/// Prints a line of JSON on stdout.
fn say_json(line: &str) -> Result<(), String> {
    print(&EscapedJson(line))
}

fn print(line: &dyn Display) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}")
        .map_err(|error| format!("writing to stdout failed: {error}"))
}

/// Prints why the program ends, on one line of stderr.
pub fn complain(why: &str) {
    // If stderr is closed, nobody wants to know why.
    drop(writeln!(std::io::stderr(), "coterie: {}", Escaped(why)));
}
