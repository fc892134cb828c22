//! `coterie drain`: ends the server that runs on some data, as SIGTERM does.

use std::process::ExitCode;

use crate::admin::protocol::{AdminCommand, AdminResult};
use crate::cli::command::DataDirArgs;
use crate::cli::reach::{self, CommandError, ReachedInstance};

/// Begins it. The server's process ends when everything is answered.
pub(super) fn run(place: &DataDirArgs) -> Result<ExitCode, String> {
    let Some(server) = reach::running(&place.data_dir) else {
        return Err("no server runs on this data".to_owned());
    };
    match ReachedInstance::Running(server).ask(AdminCommand::Drain) {
        Ok(AdminResult::Draining) => Ok(ExitCode::SUCCESS),
        Ok(other) => Err(reach::confused(&other)),
        Err(CommandError::Refused(why) | CommandError::Failed(why)) => Err(why),
    }
}
