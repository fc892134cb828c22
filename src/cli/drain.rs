//! `coterie drain`: shuts down the server that runs on a data directory, as SIGTERM does.

use std::process::ExitCode;

use crate::admin::protocol::{AdminCommand, AdminResult};
use crate::cli::command::DataDirArgs;
use crate::cli::reach;

/// Begins the shutdown. The server's process ends once open requests are answered.
pub(super) fn run(place: &DataDirArgs) -> Result<ExitCode, String> {
    match reach::of_running(&place.data_dir, AdminCommand::Drain) {
        Ok(AdminResult::Draining) => Ok(ExitCode::SUCCESS),
        Ok(other) => Err(reach::unexpected_reply(&other)),
        Err(why) => Err(why),
    }
}
