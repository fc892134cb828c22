//! Writes the manual pages and the completions of shells into the folder that it is given, from the
//! declaration of the command line.

use std::io::{self, Error};
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;
use coterie::cli::command::CommandLine;

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| Error::other("usage: coterie-manual FOLDER"))?;
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    std::fs::create_dir_all(&pages)?;
    std::fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(CommandLine::command(), pages)?;
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
        clap_complete::generate_to(shell, &mut CommandLine::command(), "coterie", &completions)?;
    }
    Ok(())
}
