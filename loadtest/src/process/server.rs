//! Starting and stopping the processes that a run measures.
//!
//! The tester starts every process itself, knows its pid, and ends it with SIGTERM when its value
//! is dropped, so also when a scenario fails. References additionally end by themselves when their
//! stdin closes, in case the tester is killed.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::target::{Target, TargetError, parse_url};

const START_TIMEOUT: Duration = Duration::from_secs(60);
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(
        "there is no server at {0}; build it with: cargo build --release --bin coterie (or name one with --server-bin)"
    )]
    NoBinary(PathBuf),
    #[error("cannot start {program}: {source}")]
    Spawn { program: PathBuf, source: std::io::Error },
    #[error("{program} printed no listening address{}", log_hint(.log))]
    Silent { program: PathBuf, log: String },
    #[error("{0} did not listen within 60 s")]
    Slow(PathBuf),
    #[error("the first line was {line:?}: {source}")]
    FirstLine { line: String, source: TargetError },
}

fn log_hint(log: &str) -> String {
    match log.trim() {
        "" => String::new(),
        log => format!("; it wrote: {log}"),
    }
}

/// A running child process that listens on a port of the loopback.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    addr: SocketAddr,
    /// Kept open: a server that logs to a closed pipe would get errors.
    _stdout: BufReader<ChildStdout>,
}

impl ServerProcess {
    /// Starts Coterie on a free port, with its data in `data_dir` and its log in `log_file`.
    pub fn coterie(
        program: &Path,
        data_dir: &Path,
        log_file: &Path,
        limits: UserLimits,
    ) -> Result<Self, StartError> {
        if !program.is_file() {
            return Err(StartError::NoBinary(program.to_owned()));
        }
        let spawn = |source| StartError::Spawn { program: program.to_owned(), source };
        let log = std::fs::File::create(log_file).map_err(spawn)?;
        let mut command = Command::new(program);
        command
            .args(["--listen", "127.0.0.1:0", "--rate-limit", limits.rate(), "--data-dir"])
            .arg(data_dir);
        command.stdin(Stdio::null()).stderr(log);
        Self::start(command, program, Some(log_file))
    }

    /// Starts this very program as one of its reference servers.
    pub fn reference(subcommand: &str) -> Result<Self, StartError> {
        let program = std::env::current_exe()
            .map_err(|source| StartError::Spawn { program: PathBuf::from("loadtest"), source })?;
        let mut command = Command::new(&program);
        command.arg(subcommand).stdin(Stdio::piped());
        Self::start(command, &program, None)
    }

    /// Starts a Node.js program, with its stderr in `log_file`. Our programs end when their stdin
    /// closes.
    ///
    /// # Errors
    /// If the program does not start, or does not say where it listens.
    pub fn node(program: &Path, log_file: &Path) -> Result<Self, StartError> {
        let spawn = |source| StartError::Spawn { program: program.to_owned(), source };
        let log = std::fs::File::create(log_file).map_err(spawn)?;
        let mut command = Command::new("node");
        command.arg(program).stdin(Stdio::piped()).stderr(log);
        Self::start(command, program, Some(log_file))
    }

    pub fn target(&self) -> Target {
        Target { addr: self.addr, pid: Some(self.child.id()) }
    }

    fn start(mut command: Command, program: &Path, log: Option<&Path>) -> Result<Self, StartError> {
        let spawn = |source| StartError::Spawn { program: program.to_owned(), source };
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(spawn)?;
        match first_line(&mut child, program, log) {
            Ok((addr, stdout)) => Ok(Self { child, addr, _stdout: stdout }),
            Err(error) => {
                stop(&mut child);
                Err(error)
            }
        }
    }
}

/// Which limits of the server hold for its users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserLimits {
    /// None.
    Off,
    /// Those of what users write, as by default. A limit of requests is never reached.
    OfWrites,
}

impl UserLimits {
    const fn rate(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::OfWrites => "1000000/s",
        }
    }
}

/// How to end a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With SIGTERM, so that it finishes its work.
    Clean,
    /// With SIGKILL, at once.
    Killed,
}

impl ServerProcess {
    /// Ends the process and waits until it is gone.
    pub fn end(mut self, ending: Ending) {
        if ending == Ending::Killed && self.child.kill().is_ok() {
            drop(self.child.wait());
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        stop(&mut self.child);
    }
}

type FirstLine = (SocketAddr, BufReader<ChildStdout>);

/// Reads the first line, on a thread of its own because a pipe has no timeout.
fn first_line(
    child: &mut Child,
    program: &Path,
    log: Option<&Path>,
) -> Result<FirstLine, StartError> {
    let silent = || StartError::Silent {
        program: program.to_owned(),
        log: log.map(tail).unwrap_or_default(),
    };
    let stdout = child.stdout.take().ok_or_else(silent)?;
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stdout);
        let mut line = String::new();
        let read = reader.read_line(&mut line);
        // This fails only after the timeout, when the line is of no use.
        drop(sender.send((read, line, reader)));
    });
    let (read, line, reader) =
        receiver.recv_timeout(START_TIMEOUT).map_err(|_| StartError::Slow(program.to_owned()))?;
    if !matches!(read, Ok(1..)) {
        return Err(silent());
    }
    let addr = parse_first_line(&line)?;
    Ok((addr, reader))
}

/// Parses `coterie listening on http://127.0.0.1:8080`; another name may stand in front.
fn parse_first_line(line: &str) -> Result<SocketAddr, StartError> {
    let url = line.trim().split_once(" listening on ").map_or("", |(_, url)| url);
    parse_url(url).map_err(|source| StartError::FirstLine { line: line.trim().to_owned(), source })
}

fn stop(child: &mut Child) {
    drop(child.stdin.take());
    // The pid of a process that has ended may belong to another process by now.
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // An error means that the process is gone already, as wanted.
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap_or_default();
    }
    let deadline = Instant::now() + STOP_TIMEOUT;
    while Instant::now() < deadline {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    eprintln!("process {} did not end within 20 s of SIGTERM; killing it", child.id());
    if child.kill().is_ok() {
        drop(child.wait());
    }
}

/// Returns the last three lines of a log, joined to one line.
fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(3)..].join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_line_has_the_address() {
        let addr = parse_first_line("coterie listening on http://127.0.0.1:40123\n").unwrap();
        assert_eq!(addr.port(), 40123);
        assert!(parse_first_line("hello\n").is_err());
        assert!(parse_first_line("coterie listening on http://192.0.2.1:80\n").is_err());
    }

    #[test]
    fn a_missing_server_names_the_command_that_builds_it() {
        let nowhere = Path::new("/nonexistent/coterie");
        let error = ServerProcess::coterie(nowhere, nowhere, nowhere, UserLimits::Off).unwrap_err();
        assert!(error.to_string().contains("cargo build --release --bin coterie"), "{error}");
    }

    #[test]
    fn silent_program_times_out() {
        let mut command = Command::new("true");
        command.stdin(Stdio::null());
        let error = ServerProcess::start(command, Path::new("true"), None).unwrap_err();
        assert!(matches!(error, StartError::Silent { .. }), "{error}");
    }
}
