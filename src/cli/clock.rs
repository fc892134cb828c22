//! `coterie clock`: tells a running server to accept the machine's clock after a jump.

use std::process::ExitCode;

use crate::admin::protocol::{AdminCommand, AdminResult};
use crate::cli::command::ClockAct;
use crate::cli::reach::{self, CommandError, ReachedInstance};
use crate::cli::say;

/// Makes the server accept the clock, and prints by how much its time moved.
pub(super) fn run(act: &ClockAct) -> Result<ExitCode, String> {
    let ClockAct::Accept(place) = act;
    let Some(server) = reach::running(&place.data_dir) else {
        return Err("no server runs on this data; a new server accepts the clock".to_owned());
    };
    match ReachedInstance::Running(server).ask(AdminCommand::AcceptClock) {
        Ok(AdminResult::Clock { moved_millis }) => {
            say(&format!("the time of the server moved by {} s", moved_millis / 1000))?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(other) => Err(reach::unexpected_reply(&other)),
        Err(CommandError::Refused(why) | CommandError::Failed(why)) => Err(why),
    }
}
