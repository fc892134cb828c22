//! The real binary as a process that is started, asked and killed. Shared by the tests that need a
//! process of their own.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A command line of the binary, without the `COTERIE_*` variables of this process.
pub(crate) fn coterie(arguments: &[&str]) -> Command {
    program(Path::new(env!("CARGO_BIN_EXE_coterie")), arguments)
}

/// The same for another program that takes the same options.
pub(crate) fn program(path: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(path);
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("COTERIE_") {
            command.env_remove(name);
        }
    }
    command
}

/// The arguments of a server on a free port of this machine.
pub(crate) fn serving<'a>(data: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    serving_at("127.0.0.1:0", data, more)
}

/// The arguments of a server that listens at this address.
pub(crate) fn serving_at<'a>(address: &'a str, data: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let data = data.to_str().unwrap();
    let fixed = ["--listen", address, "--data-dir", data, "--log", "warn"];
    fixed.iter().chain(more).copied().collect()
}

/// A running server, which is killed when it is dropped.
pub(crate) struct Program {
    /// The first line of its output.
    pub(crate) first_line: String,
    /// The process of the server.
    pub(crate) child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Program {
    /// Starts a server on a free port and waits until it listens.
    pub(crate) fn starts(data: &Path, more: &[&str]) -> Self {
        Self::spawned(coterie(&serving(data, more)))
    }

    /// Starts this command and waits until the server listens.
    pub(crate) fn spawned(mut command: Command) -> Self {
        let program = Self::begun(&mut command);
        program.unwrap_or_else(|code| panic!("it ended with {code:?}"))
    }

    /// Starts this command and waits until the server listens. If it ends instead, the error is its
    /// exit code.
    pub(crate) fn begun(command: &mut Command) -> Result<Self, Option<i32>> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut first_line = String::new();
        stdout.read_line(&mut first_line).unwrap();
        if first_line.is_empty() {
            return Err(child.wait().unwrap().code());
        }
        Ok(Self { first_line, child, stdout })
    }

    /// The address at which the server listens.
    pub(crate) fn url(&self) -> &str {
        self.first_line.trim_end().strip_prefix("coterie listening on ").unwrap()
    }

    /// Asks the server to stop, as an operator does, and checks that it ends with exit code 0.
    pub(crate) fn stops(mut self) {
        if self.child.try_wait().unwrap().is_none() {
            self.is_asked_to_stop();
        }
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }

    /// Sends SIGTERM.
    pub(crate) fn is_asked_to_stop(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    /// Kills the server without a chance to say anything, as in a power failure.
    pub(crate) fn dies(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut more = String::new();
        self.stdout.read_to_string(&mut more).unwrap();
        assert_eq!(more, "", "stdout has one line, for scripts");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The process may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
