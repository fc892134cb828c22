//! The program of a later version, whose records have a field more: an example, so that it lies
//! beside the usual one and shares its dependencies with the tests.

use std::process::ExitCode;

#[path = "../../src/main.rs"]
mod program;

fn main() -> ExitCode {
    coterie::journal::write_as_next_version("a field of the next version");
    program::main()
}
