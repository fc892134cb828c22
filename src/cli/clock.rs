//! `coterie clock`: what an operator says when the server does not believe the machine.

use std::process::ExitCode;

use crate::admin::protocol::{Told, Wish};
use crate::cli::command::ClockAct;
use crate::cli::reach::{self, NotDone, Reached};
use crate::cli::say;

/// Does it, and says by how much the time moved.
pub(super) fn run(act: &ClockAct) -> Result<ExitCode, String> {
    let ClockAct::Accept(place) = act;
    let Some(server) = reach::running(&place.data_dir) else {
        return Err("no server runs on this data; one that starts believes the clock".to_owned());
    };
    match Reached::Running(server).ask(Wish::AcceptClock) {
        Ok(Told::Clock { moved_millis }) => {
            say(&format!("the time of the server moved by {} s", moved_millis / 1000))?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(Told::User(_) | Told::Users { .. } | Told::Place { .. }) => {
            Err("the server is confused".to_owned())
        }
        Err(NotDone::Refused(why) | NotDone::Failed(why)) => Err(why),
    }
}
