//! The messages to the service manager, on a socket of the test.

use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::program::{Program, coterie, serving};

/// The interval of the watchdog, in microseconds.
const INTERVAL: &str = "300000";

/// How long a message may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A service manager's socket, and the server that it supervises.
struct Supervised {
    socket: UnixDatagram,
    program: Program,
}

impl Supervised {
    fn starts(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let path = folder.join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut command = coterie(&serving(&folder.join("data"), &[]));
        command.env("NOTIFY_SOCKET", &path).envs(variables.iter().copied());
        Self { socket, program: Program::spawned(command) }
    }

    /// The next message, as its lines.
    fn receives(&self) -> Vec<String> {
        let mut buffer = [0; 1024];
        let length = self.socket.recv(&mut buffer).unwrap();
        str::from_utf8(&buffer[..length]).unwrap().lines().map(str::to_owned).collect()
    }
}

#[test]
fn server_reports_ready_watchdog_and_stopping() {
    let folder = TempDir::new().unwrap();
    let server = Supervised::starts(folder.path(), &[("WATCHDOG_USEC", INTERVAL)]);
    assert_eq!(server.receives(), ["READY=1".to_owned(), format!("WATCHDOG_USEC={INTERVAL}")]);
    for _ in 0..3 {
        assert_eq!(server.receives(), ["WATCHDOG=1"]);
    }
    server.program.is_asked_to_stop();
    let stopping = std::iter::repeat_with(|| server.receives()).find(|it| *it != ["WATCHDOG=1"]);
    assert_eq!(stopping.unwrap(), ["STOPPING=1"]);
    server.program.stops();
}

#[test]
fn server_without_watchdog_reports_ready_and_stopping_only() {
    let folder = TempDir::new().unwrap();
    // The watchdog of another process.
    let other = [("WATCHDOG_USEC", INTERVAL), ("WATCHDOG_PID", "1")];
    let server = Supervised::starts(folder.path(), &other);
    assert_eq!(server.receives(), ["READY=1"]);
    server.program.is_asked_to_stop();
    assert_eq!(server.receives(), ["STOPPING=1"]);
    server.program.stops();
}

#[test]
fn missing_notify_socket_does_not_stop_the_server() {
    let folder = TempDir::new().unwrap();
    let mut command = coterie(&serving(&folder.path().join("data"), &[]));
    command.env("NOTIFY_SOCKET", folder.path().join("nowhere"));
    Program::spawned(command).stops();
}
