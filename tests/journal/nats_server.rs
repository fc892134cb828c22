//! Real NATS servers, one or three, that end with the test process whatever becomes of it.

use std::fs;
use std::io::{BufRead, BufReader};
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

/// Where `tests/run` puts the server.
fn binary() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/bin/nats-server");
    assert!(path.exists(), "{} is missing: tests/run installs it", path.display());
    path
}

/// Where a server is.
pub(crate) struct Place {
    /// Its address.
    pub(crate) host: String,
    /// Where clients come, and where other servers do.
    pub(crate) ports: [u16; 2],
    /// What goes before its command line, to be there.
    pub(crate) within: Vec<String>,
}

impl Place {
    fn client(&self) -> String {
        format!("{}:{}", self.host, self.ports[0])
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
        // The shell kills the server when its standard input ends: with this process.
        // One whose store is damaged may take all the memory that there is.
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

    /// Nothing of it runs any longer, once this returns, until it is killed.
    #[allow(dead_code, reason = "only tests of several nodes cut the power")]
    fn stands_still(&self) {
        let pid = &self.running.as_ref().expect("the server runs").pid;
        assert!(Command::new("kill").args(["-STOP", pid]).status().unwrap().success());
        let is_stopped = |thread: fs::DirEntry| {
            // One that has ended meanwhile runs no longer either.
            let told = fs::read_to_string(thread.path().join("stat"));
            told.map_or(true, |it| it.rsplit(") ").next().is_some_and(|it| it.starts_with('T')))
        };
        // A thread that waits for the disk stops when it has written.
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

/// Ports of servers: below those that a system gives away by itself (from 32,768 on), so that
/// nobody else has one of a server that is killed and comes again.
const PORTS: Range<u16> = 10_000..32_768;

/// So many places on this machine where nobody listens, and no other test is going to.
fn free_places(count: usize) -> Vec<Place> {
    static NEXT: OnceLock<AtomicU16> = OnceLock::new();
    // Other processes that look for ports begin elsewhere, mostly.
    let width = PORTS.end - PORTS.start;
    let first = || AtomicU16::new((std::process::id() * 97 % u32::from(width)) as u16);
    let next = NEXT.get_or_init(first);
    let port = || PORTS.start + next.fetch_add(1, Ordering::Relaxed) % width;
    let is_ours = |port: &u16| is_free(*port) && claim(*port);
    let ports: Vec<u16> = iter::repeat_with(port).filter(is_ours).take(2 * count).collect();
    let place = |ports: &[u16]| Place {
        host: "127.0.0.1".to_owned(),
        ports: [ports[0], ports[1]],
        within: Vec::new(),
    };
    ports.chunks(2).map(place).collect()
}

/// Takes a port for this process until it ends, unless another test has it: its server listens there
/// later, and not while it is killed. The claim is a name that a network has once, as it has the
/// port; ids of processes say nothing, since tests that run apart count them anew.
fn claim(port: u16) -> bool {
    static CLAIMS: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());
    let name = SocketAddr::from_abstract_name(format!("coterie: port {port} of a test")).unwrap();
    let Ok(claim) = UnixListener::bind_addr(&name) else { return false };
    CLAIMS.lock().unwrap().push(claim);
    true
}

/// Servers that know each other.
pub(crate) struct NatsServers {
    servers: Vec<NatsServer>,
    directory: TempDir,
}

impl NatsServers {
    /// So many on this machine, each synced at every write.
    pub(crate) fn start(count: usize) -> Self {
        Self::start_at(free_places(count))
    }

    /// One over each of these stores, synced as told.
    #[allow(dead_code, reason = "only tests of several nodes cut the power")]
    pub(crate) fn start_over(stores: &[PathBuf], sync: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self::started(free_places(stores.len()), stores, sync, directory)
    }

    /// One at each of these places.
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
                "server_name: s{number}\nlisten: \"{}\"\nmax_payload: 9MB\n\
                 jetstream {{ store_dir: \"{}\", {sync} }}\n{}\n",
                place.client(),
                stores[number].display(),
                if known.len() > 1 { cluster } else { String::new() }
            );
            let config = directory.path().join(format!("s{number}.conf"));
            fs::write(&config, text).unwrap();
            NatsServer { config, place, running: None }
        };
        let mut servers: Vec<_> = places.into_iter().enumerate().map(server).collect();
        servers.iter_mut().for_each(NatsServer::starts);
        Self { servers, directory }
    }

    /// Where they are.
    pub(crate) fn addresses(&self) -> String {
        let address = |it: &NatsServer| format!("nats://{}", it.place.client());
        self.servers.iter().map(address).collect::<Vec<_>>().join(",")
    }

    /// Where one keeps what it holds of the streams.
    pub(crate) fn store(&self, number: usize) -> PathBuf {
        self.directory.path().join(format!("store{number}")).join("jetstream/$G/streams")
    }

    /// One is killed, as by `kill -9`.
    pub(crate) fn kill(&mut self, number: usize) {
        self.servers[number].dies();
    }

    /// All stand still at once, in the middle of whatever they do, until they are killed.
    #[allow(dead_code, reason = "only tests of several nodes cut the power")]
    pub(crate) fn stand_still(&self) {
        self.servers.iter().for_each(NatsServer::stands_still);
    }

    /// One that was killed starts again.
    pub(crate) fn restart(&mut self, number: usize) {
        self.servers[number].starts();
    }
}

impl Drop for NatsServers {
    fn drop(&mut self) {
        self.servers.iter_mut().for_each(NatsServer::dies);
    }
}

/// One that syncs every two minutes, and says so 4000 above its port.
pub(crate) fn late() -> NatsServers {
    let directory = tempfile::tempdir().unwrap();
    let port = (1..1000).map(|_| free_port()).find(|port| is_free(port + 4000)).unwrap();
    let config = directory.path().join("late.conf");
    let store = directory.path().join("store");
    let text = format!(
        "server_name: late\nlisten: \"127.0.0.1:{port}\"\nhttp: \"127.0.0.1:{}\"\n\
         jetstream {{ store_dir: \"{}\" }}\n",
        port + 4000,
        store.display()
    );
    fs::write(&config, text).unwrap();
    let (host, within) = ("127.0.0.1".to_owned(), Vec::new());
    let place = Place { host, ports: [port, port + 4000], within };
    let mut server = NatsServer { config, place, running: None };
    server.starts();
    NatsServers { servers: vec![server], directory }
}

fn free_port() -> u16 {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    // So that there is one so far above it.
    port.min(60_000)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

/// One server for all tests of this process that need only one.
pub(crate) fn shared() -> String {
    static SHARED: OnceLock<NatsServers> = OnceLock::new();
    SHARED.get_or_init(|| NatsServers::start(1)).addresses()
}
