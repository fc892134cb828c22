//! The messages to the service manager, on a socket of the test.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::https::Files;
use crate::program::{Program, coterie, program, serving};

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

/// Moves standard input and standard error to descriptors 3 and 4, as systemd passes sockets, and
/// becomes the server.
const ACTIVATOR: &str =
    r#"exec 3<&0 4<&2 0</dev/null 2>/dev/null; export LISTEN_PID=$$; exec "$@""#;

/// A command that starts the server with one or two listeners.
fn activated(data: &Path, sockets: [&TcpListener; 2], count: &str, more: &[&str]) -> Command {
    let start = ["-c", ACTIVATOR, "sh", env!("CARGO_BIN_EXE_coterie")];
    let mut command = program(Path::new("/bin/sh"), &[&start, &*serving(data, more)].concat());
    let socket = |socket: &TcpListener| OwnedFd::from(socket.try_clone().unwrap());
    command.stdin(socket(sockets[0])).stderr(socket(sockets[1])).env("LISTEN_FDS", count);
    command
}

fn listener(address: &str) -> TcpListener {
    TcpListener::bind(address).unwrap()
}

#[tokio::test]
async fn server_listens_on_a_passed_socket() {
    let folder = TempDir::new().unwrap();
    let socket = listener("127.0.0.1:0");
    let url = format!("http://{}", socket.local_addr().unwrap());
    // The socket stays open between two servers, a connection of a client does not.
    for _ in 0..2 {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let server = Program::spawned(activated(folder.path(), [&socket, &socket], "1", &[]));
        assert_eq!(server.url(), url);
        let answer = client.get(format!("{url}/health/live")).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        server.stops();
    }
}

#[tokio::test]
async fn passed_socket_for_everybody_needs_the_setup_code() {
    for (address, needs_code) in [("127.0.0.1:0", false), ("0.0.0.0:0", true)] {
        let folder = TempDir::new().unwrap();
        let socket = listener(address);
        let server = Program::spawned(activated(folder.path(), [&socket, &socket], "1", &[]));
        let url = format!("http://127.0.0.1:{}/auth/options", socket.local_addr().unwrap().port());
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer = client.get(url).send().await.unwrap();
        let options: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(options["response"]["setup"]["code"], needs_code, "{address}");
        server.stops();
    }
}

#[tokio::test]
async fn second_passed_socket_leads_to_https() {
    let folder = TempDir::new().unwrap();
    let files = Files::valid();
    let certificate = files.certificate();
    let key = files.key();
    let options = ["--public-url", "https://chat.example.org", "--tls-cert"];
    let more = [certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let more = [&options[..], &more].concat();
    let first = listener("127.0.0.1:0");
    let second = listener("127.0.0.1:0");
    let server = Program::spawned(activated(folder.path(), [&first, &second], "2", &more));
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    let url = format!("http://{}/groups", second.local_addr().unwrap());
    let answer = client.build().unwrap().get(url).send().await.unwrap();
    assert_eq!(answer.status(), 308);
    assert_eq!(answer.headers()["location"], "https://chat.example.org/groups");
    server.stops();
}

#[test]
fn too_many_passed_sockets_are_refused() {
    let folder = TempDir::new().unwrap();
    let socket = listener("127.0.0.1:0");
    let mut command = activated(folder.path(), [&socket, &socket], "3", &[]);
    assert_eq!(Program::begun(&mut command).err(), Some(Some(2)));
}
