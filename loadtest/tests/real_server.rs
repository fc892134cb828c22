//! The load tester with the server that it is made for, in smoke size: what it relies on is still so.
//!
//! The server is `coterie` beside the program, as for somebody who measures; `cargo test --workspace` and
//! `cargo build` build it.
#![allow(clippy::unwrap_used, reason = "everything here is a test or serves one")]

use std::process::Command;

#[test]
fn scenarios_pass_their_checks() {
    for scenario in ["posts", "fanout", "history"] {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(scenario);
        std::fs::create_dir_all(&folder).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_loadtest"))
            .args([scenario, "--smoke", "--work-dir"])
            .arg(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let progress = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{scenario}: {said}{progress}");
        assert!(said.lines().any(|line| line.starts_with("ok ")), "{scenario}: {said}{progress}");
    }
}
