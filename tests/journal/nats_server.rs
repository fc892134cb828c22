//! Real NATS servers, one or three, that end with the test process, however it ends.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::iter;
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// The server binary that `tests/run` installs.
fn binary() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/bin/nats-server");
    assert!(path.exists(), "{} is missing: tests/run installs it", path.display());
    path
}

/// Where a server runs.
pub(crate) struct Place {
    /// The server's IP address.
    pub(crate) host: String,
    /// The ports for clients and for other servers.
    pub(crate) ports: [u16; 2],
    /// The command prefix that runs the server in its namespace; empty for the test's own.
    pub(crate) within: Vec<String>,
}

impl Place {
    fn client(&self) -> String {
        format!("{}:{}", self.host, self.ports[0])
    }

    /// Where the server reports how it is set.
    fn reports(&self) -> String {
        format!("{}:{}", self.host, self.ports[0] + REPORTS_ABOVE)
    }

    fn route(&self) -> String {
        format!("{}:{}", self.host, self.ports[1])
    }
}

/// A server that can be killed and started again over its store.
pub(crate) struct NatsServer {
    config: PathBuf,
    place: Place,
    running: Option<Running>,
}

struct Running {
    pid: String,
    shell: Child,
    _alive: ChildStdin,
}

impl NatsServer {
    fn starts(&mut self) {
        // The shell kills the server when its standard input ends, that is, when this process ends.
        // The memory is limited because a server with a damaged store may take all of it.
        let script = "ulimit -v 8388608; \"$0\" -c \"$1\" >\"$1.log\" 2>&1 & echo $!; \
                      cat >/dev/null; kill -9 $! 2>/dev/null";
        let words = self.place.within.iter().map(String::as_str).chain(["sh", "-c", script]);
        let words: Vec<&str> = words.collect();
        let mut shell = Command::new(words[0]);
        shell.args(&words[1..]).arg(binary()).arg(&self.config);
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut pid = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut pid).unwrap();
        let alive = shell.stdin.take().unwrap();
        self.running = Some(Running { pid: pid.trim().to_owned(), shell, _alive: alive });
        for _ in 0..3000 {
            if TcpStream::connect(self.place.client()).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{}", fs::read_to_string(self.config.with_extension("conf.log")).unwrap());
    }

    /// Stops the server with SIGSTOP until it is killed; none of its threads runs any more when
    /// this returns.
    #[allow(dead_code, reason = "only tests of several nodes cut the power")]
    fn stands_still(&self) {
        let pid = &self.running.as_ref().expect("the server runs").pid;
        assert!(Command::new("kill").args(["-STOP", pid]).status().unwrap().success());
        let is_stopped = |thread: fs::DirEntry| {
            // A thread that has ended does not run either.
            let told = fs::read_to_string(thread.path().join("stat"));
            told.map_or(true, |it| it.rsplit(") ").next().is_some_and(|it| it.starts_with('T')))
        };
        // A thread that waits for the disk stops only when it has written.
        for _ in 0..120_000 {
            if fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten().all(is_stopped) {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("a server of the log does not stand still");
    }

    fn dies(&mut self) {
        let Some(mut running) = self.running.take() else { return };
        assert!(Command::new("kill").args(["-9", &running.pid]).status().unwrap().success());
        drop(running._alive);
        running.shell.wait().unwrap();
    }
}

/// Ports of servers: below those that the system assigns by itself (from 32,768 on), so that no
/// other process gets the port of a server that is killed and restarted.
const PORTS: Range<u16> = 10_000..32_768;

/// So many places on this machine, with ports of ours.
fn free_places(count: usize) -> Vec<Place> {
    let ports: Vec<u16> = candidates().filter(takes_pair).take(2 * count).collect();
    let place = |ports: &[u16]| Place {
        host: "127.0.0.1".to_owned(),
        ports: [ports[0], ports[1]],
        within: Vec::new(),
    };
    ports.chunks(2).map(place).collect()
}

/// Ports that may be taken, in the order in which this process tries them.
fn candidates() -> impl Iterator<Item = u16> {
    static NEXT: OnceLock<AtomicU16> = OnceLock::new();
    // Each process starts its search at another port, in most cases.
    let width = PORTS.end - PORTS.start;
    let first = || AtomicU16::new((std::process::id() * 97 % u32::from(width)) as u16);
    let next = NEXT.get_or_init(first);
    iter::repeat_with(move || PORTS.start + next.fetch_add(1, Ordering::Relaxed) % width)
}

/// Takes a port, and the one on which a server of that port reports how it is set.
fn takes_pair(port: &u16) -> bool {
    port + REPORTS_ABOVE < PORTS.end && takes(*port) && takes(port + REPORTS_ABOVE)
}

/// Takes a port on which nobody listens and that no other test will take; false if it is not free.
fn takes(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok() && claim(port)
}

/// Claims a port for this process until it ends; false if another test has claimed it. That a port
/// is free does not tell, since a server listens on it later, and not while it is killed. The claim
/// is an abstract socket name, which is unique per network namespace, as ports are. Process ids
/// would not do: tests that run apart count them again.
fn claim(port: u16) -> bool {
    static CLAIMS: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());
    let name = SocketAddr::from_abstract_name(format!("coterie: port {port} of a test")).unwrap();
    let Ok(claim) = UnixListener::bind_addr(&name) else { return false };
    CLAIMS.lock().unwrap().push(claim);
    true
}

/// Servers of one cluster.
pub(crate) struct NatsServers {
    servers: Vec<NatsServer>,
    directory: TempDir,
    /// What stands before the host in addresses.
    login: String,
}

impl NatsServers {
    /// Starts so many servers on this machine, which sync at every write.
    pub(crate) fn start(count: usize) -> Self {
        Self::start_at(free_places(count))
    }

    /// Starts one server over each of these stores, with this sync setting.
    #[allow(dead_code, reason = "only tests of several nodes cut the power")]
    pub(crate) fn start_over(stores: &[PathBuf], sync: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self::started(free_places(stores.len()), stores, sync, directory)
    }

    /// Starts one server at each of these places.
    pub(crate) fn start_at(places: Vec<Place>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = |number| directory.path().join(format!("store{number}"));
        let stores: Vec<PathBuf> = (0..places.len()).map(store).collect();
        Self::started(places, &stores, "sync_interval: always", directory)
    }

    fn started(places: Vec<Place>, stores: &[PathBuf], sync: &str, directory: TempDir) -> Self {
        let known: Vec<String> =
            places.iter().map(|it| format!("\"nats://{}\"", it.route())).collect();
        let server = |(number, place): (usize, Place)| {
            let cluster = format!(
                "cluster {{ name: test, listen: \"{}\", routes: [{}], \
                 ping_interval: \"2s\" }}",
                place.route(),
                known.join(", ")
            );
            let text = format!(
                "server_name: s{number}\nlisten: \"{}\"\nhttp: \"{}\"\nmax_payload: 9MB\n\
                 jetstream {{ store_dir: \"{}\", {sync} }}\n{}\n",
                place.client(),
                place.reports(),
                stores[number].display(),
                if known.len() > 1 { cluster } else { String::new() }
            );
            let config = directory.path().join(format!("s{number}.conf"));
            fs::write(&config, text).unwrap();
            NatsServer { config, place, running: None }
        };
        let mut servers: Vec<_> = places.into_iter().enumerate().map(server).collect();
        servers.iter_mut().for_each(NatsServer::starts);
        Self { servers, directory, login: String::new() }
    }

    /// The addresses of all servers, separated by commas.
    pub(crate) fn addresses(&self) -> String {
        let address = |it: &NatsServer| format!("nats://{}{}", self.login, it.place.client());
        self.servers.iter().map(address).collect::<Vec<_>>().join(",")
    }

    /// The same servers, with this login in their addresses, like `user:password@`.
    pub(crate) fn with_login(mut self, login: &str) -> Self {
        login.clone_into(&mut self.login);
        self
    }

    /// The port of a server for clients.
    pub(crate) fn port(&self, number: usize) -> u16 {
        self.servers[number].place.ports[0]
    }

    /// The folder in which a server keeps the streams.
    pub(crate) fn store(&self, number: usize) -> PathBuf {
        self.directory.path().join(format!("store{number}")).join("jetstream/$G/streams")
    }

    /// Kills a server, as by `kill -9`.
    pub(crate) fn kill(&mut self, number: usize) {
        self.servers[number].dies();
    }

    /// Stops all servers in the middle of whatever they do, until they are killed.
    #[allow(dead_code, reason = "only tests of several nodes cut the power")]
    pub(crate) fn stand_still(&self) {
        self.servers.iter().for_each(NatsServer::stands_still);
    }

    /// Restarts a server that was killed.
    pub(crate) fn restart(&mut self, number: usize) {
        self.servers[number].starts();
    }
}

impl Drop for NatsServers {
    fn drop(&mut self) {
        self.servers.iter_mut().for_each(NatsServer::dies);
    }
}

/// How far above its own port a server reports how it is set.
const REPORTS_ABOVE: u16 = 4000;

/// Starts one server at this address of this machine, with these lines in its file; `{reports}` in
/// them is the port on which nodes ask how it is set.
pub(crate) fn one_with(host: &str, lines: &str) -> NatsServers {
    let directory = tempfile::tempdir().unwrap();
    let port = candidates().find(takes_pair).unwrap();
    let reports = port + REPORTS_ABOVE;
    let config = directory.path().join("one.conf");
    let lines = lines.replace("{reports}", &reports.to_string());
    let lines = lines.replace("{store}", &directory.path().join("store").display().to_string());
    fs::write(&config, format!("server_name: one\nlisten: \"{host}:{port}\"\n{lines}\n")).unwrap();
    let (host, within) = ("127.0.0.1".to_owned(), Vec::new());
    let place = Place { host, ports: [port, reports], within };
    let mut server = NatsServer { config, place, running: None };
    server.starts();
    NatsServers { servers: vec![server], directory, login: String::new() }
}

/// Starts a server that syncs every two minutes, and reports this on a port above its own.
pub(crate) fn late() -> NatsServers {
    let lines = "http: \"127.0.0.1:{reports}\"\njetstream { store_dir: \"{store}\" }";
    one_with("127.0.0.1", lines)
}

/// The address of a server that is shared by all tests of this process that need only one.
pub(crate) fn shared() -> String {
    static SHARED: OnceLock<NatsServers> = OnceLock::new();
    SHARED.get_or_init(|| NatsServers::start(1)).addresses()
}

/// Publishes a message with these headers, as no client library would, and waits until the server
/// has it.
pub(crate) fn publish_with_headers(server: &str, subject: &str, headers: &[u8]) {
    let mut socket = TcpStream::connect(server.trim_start_matches("nats://")).unwrap();
    let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
    let mut waits_for = |word: &str| while !lines.next().unwrap().unwrap().starts_with(word) {};
    waits_for("INFO");
    let (length, payload) = (headers.len(), b"foreign");
    let total = length + payload.len();
    let connect = "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\n";
    let publish = format!("HPUB {subject} {length} {total}\r\n");
    for part in [connect.as_bytes(), publish.as_bytes(), headers, payload, b"\r\nPING\r\n"] {
        socket.write_all(part).unwrap();
    }
    waits_for("PONG");
}
