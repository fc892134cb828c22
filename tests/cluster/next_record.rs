//! The program of a later version, whose records have one more field. It is an example target, so
//! that it lies beside the usual program and shares its dependencies with the tests.

use std::process::ExitCode;

#[path = "../../src/main.rs"]
mod program;

fn main() -> ExitCode {
    coterie::journal::write_as_next_version("a field of the next version");
    program::main()
}
