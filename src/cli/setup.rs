//! `coterie setup`: prints the code for the first admin.

use std::process::ExitCode;

use crate::cli::command::DataDirArgs;
use crate::cli::{REFUSED, complain, say};
use auth::setup;

/// Prints the code; it is refused if there is none.
pub(super) fn run(place: &DataDirArgs) -> Result<ExitCode, String> {
    let folder = place.data_dir.display();
    match setup::code_in(&place.data_dir) {
        Ok(Some(code)) => {
            say(&format!("open /setup of this server and enter the code {code}"))?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(None) => {
            complain(&format!(
                "there is no code in {folder}: the server has an admin or was never started; \
                 coterie user promote makes another admin"
            ));
            Ok(ExitCode::from(REFUSED))
        }
        Err(error) => Err(format!("reading the code in {folder} failed: {error}")),
    }
}
