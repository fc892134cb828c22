//! An installation under test: servers of the log and nodes, each of them a process that can be
//! killed.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::asking::Person;
use crate::nats_server::NatsServers;
use crate::network::Network;
use crate::program::{Program, coterie, program, serving_at};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The key of every installation under test.
const KEY: [u8; 32] = *b"the key of an installation (32).";
/// The token with which the metrics are read.
const METRICS: &str = "counted";

/// An installation under test.
pub(crate) struct Installation {
    pub(crate) servers: NatsServers,
    network: Option<Network>,
    data: TempDir,
    nodes: Vec<Option<Program>>,
    options: OptionsOf,
    /// The programs of the nodes that do not run the usual one.
    programs: HashMap<usize, PathBuf>,
    _turn: Turn,
}

/// The additional options with which each node is started.
type OptionsOf = fn(usize) -> Vec<String>;

/// How many installations run at a time. They mostly wait, for leases and elections, so a machine
/// of two cores can run three of them (of six processes each) beside other tests.
const INSTALLATIONS: usize = 3;

/// The permit to run an installation, of which there are only so many.
pub(crate) struct Turn {
    _turn: SemaphorePermit<'static>,
}

static TURNS: Semaphore = Semaphore::const_new(INSTALLATIONS);

impl Turn {
    pub(crate) async fn comes() -> Self {
        Self { _turn: TURNS.acquire().await.unwrap() }
    }
}

/// The names of the nodes.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Places the key of the installation in a data folder, as an operator does.
pub(crate) fn place_key(data: &Path) {
    let path = data.join("installation.key");
    if !path.exists() {
        fs::create_dir_all(data).unwrap();
        fs::write(path, KEY).unwrap();
    }
}

impl Installation {
    /// Starts an installation of so many servers of the log, which keep as many copies of it, and
    /// so many nodes.
    pub(crate) async fn starts(servers: usize, nodes: usize) -> Self {
        Self::starts_with(servers, nodes, |_| Vec::new()).await
    }

    /// As `starts`, with additional options for each node.
    pub(crate) async fn starts_with(servers: usize, nodes: usize, options: OptionsOf) -> Self {
        let turn = Turn::comes().await;
        let servers = NatsServers::start(servers);
        Self::starts_over(servers, None, nodes, options, turn).await
    }

    /// Starts an installation with one server and one node on each machine of this network.
    pub(crate) async fn starts_on(network: Network) -> Self {
        let turn = Turn::comes().await;
        let places: Vec<_> = (0..Network::MACHINES).map(|it| network.server(it)).collect();
        let servers = NatsServers::start_at(places);
        let none: OptionsOf = |_| Vec::new();
        Self::starts_over(servers, Some(network), Network::MACHINES, none, turn).await
    }

    /// Starts so many nodes over these servers.
    pub(crate) async fn starts_by(servers: NatsServers, nodes: usize) -> Self {
        let turn = Turn::comes().await;
        Self::starts_over(servers, None, nodes, |_| Vec::new(), turn).await
    }

    /// The same, with additional options for each node.
    pub(crate) async fn starts_by_with(
        servers: NatsServers,
        nodes: usize,
        options: OptionsOf,
    ) -> Self {
        let turn = Turn::comes().await;
        Self::starts_over(servers, None, nodes, options, turn).await
    }

    async fn starts_over(
        servers: NatsServers,
        network: Option<Network>,
        nodes: usize,
        options: OptionsOf,
        _turn: Turn,
    ) -> Self {
        let data = tempfile::tempdir().unwrap();
        let (nodes_yet, programs) = (Vec::new(), HashMap::new());
        let mut all = Self { servers, network, data, nodes: nodes_yet, options, programs, _turn };
        all.nodes.resize_with(nodes, || None);
        all.start(0..nodes).await;
        all
    }

    /// The network between the machines, in a test where each machine has one of its own.
    pub(crate) fn network(&self) -> &Network {
        self.network.as_ref().expect("every machine has a network of its own")
    }

    /// Sets the program that a node runs from its next start on; None means the usual one.
    pub(crate) fn is_program(&mut self, node: usize, other: Option<&Path>) {
        match other {
            Some(path) => drop(self.programs.insert(node, path.to_owned())),
            None => drop(self.programs.remove(&node)),
        }
    }

    /// The data folder of a node.
    pub(crate) fn data(&self, node: usize) -> PathBuf {
        self.data.path().join(NAMES[node])
    }

    /// Starts these nodes, all at the same time, and waits until they serve.
    pub(crate) async fn start(&mut self, nodes: impl IntoIterator<Item = usize>) {
        let nodes: Vec<usize> = nodes.into_iter().collect();
        let starting: Vec<_> = nodes.iter().map(|node| (*node, self.command(*node))).collect();
        let starting: Vec<_> = starting
            .into_iter()
            .map(|(node, command)| (node, std::thread::spawn(|| Program::spawned(command))))
            .collect();
        for (node, program) in starting {
            if self.nodes.len() <= node {
                self.nodes.resize_with(node + 1, || None);
            }
            self.nodes[node] = Some(program.join().unwrap());
        }
        for node in nodes {
            self.serves(node).await;
        }
    }

    /// Places the key of the installation in a node's data folder.
    pub(crate) fn has_key(&self, node: usize) {
        place_key(&self.data(node));
    }

    /// The command line of a node that has the key of the installation.
    pub(crate) fn command(&self, node: usize) -> Command {
        self.has_key(node);
        let (servers, data) = (self.servers.addresses(), self.data(node));
        let replicas = if servers.contains(',') { "3" } else { "1" };
        let joined = ["--nats", &servers, "--node", NAMES[node], "--replicas", replicas];
        let more = ["--rate-limit", "off", "--public-url", "http://chat.example.org"];
        let own = (self.options)(node);
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let watched = ["--metrics-token", METRICS];
        // Machines of their own reach the servers over a network, which has nobody else.
        let alone: &[&str] = if self.network.is_some() { &["--allow-open-log"] } else { &[] };
        let more = [&joined[..], &more[..], &watched[..], alone, &own].concat();
        let other = self.programs.get(&node);
        let path = other.map_or(Path::new(env!("CARGO_BIN_EXE_coterie")), PathBuf::as_path);
        let address = self.network.as_ref().map(|it| it.listens(node));
        let address = address.as_deref().unwrap_or("127.0.0.1:0");
        let mut command = program(path, &serving_at(address, &data, &more));
        if let Some(network) = &self.network {
            command = network.within(node, &command);
        }
        let log = File::options().create(true).append(true).open(self.log(node)).unwrap();
        command.stderr(log);
        command
    }

    fn log(&self, node: usize) -> PathBuf {
        self.data.path().join(format!("{}.log", NAMES[node]))
    }

    /// What a node has logged so far, in all its runs.
    pub(crate) fn has_said(&self, node: usize) -> String {
        fs::read_to_string(self.log(node)).unwrap()
    }

    /// Waits until a node has logged these words so many times.
    pub(crate) async fn says(&self, node: usize, words: &str, times: usize) {
        let until = Instant::now() + PATIENCE;
        while self.has_said(node).matches(words).count() < times {
            assert!(Instant::now() < until, "{} does not say: {words}", NAMES[node]);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The value of a metric at a node.
    pub(crate) async fn counts(&self, node: usize, metric: &str) -> u64 {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let asked = client.get(format!("{}/metrics", self.url(node))).bearer_auth(METRICS);
        let page = asked.send().await.unwrap().text().await.unwrap();
        let line = page.lines().find_map(|line| line.strip_prefix(metric)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {metric} in {page}")).parse().unwrap()
    }

    /// Waits until a node says that it is ready.
    pub(crate) async fn serves(&self, node: usize) {
        let until = Instant::now() + PATIENCE;
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("{}/health/ready", self.url(node));
        loop {
            // The connection is refused while the node restarts.
            let why = match client.get(&url).send().await {
                Ok(answer) if answer.status() == 200 => return,
                Ok(answer) => answer.text().await.unwrap_or_default(),
                Err(error) => error.to_string(),
            };
            assert!(Instant::now() < until, "{} does not serve: {why}", NAMES[node]);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a node says that it is not ready, and returns the reason.
    pub(crate) async fn serves_no_more(&self, node: usize) -> String {
        let until = Instant::now() + PATIENCE;
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("{}/health/ready", self.url(node));
        loop {
            let answer = client.get(&url).send().await.unwrap();
            if answer.status() == 503 {
                return answer.text().await.unwrap();
            }
            assert!(Instant::now() < until, "{} says that it serves", NAMES[node]);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The number of the server that is the leader of the log.
    pub(crate) async fn leader(&self) -> usize {
        let addresses = self.servers.addresses();
        let servers: Vec<async_nats::ServerAddr> =
            addresses.split(',').map(|it| it.parse().unwrap()).collect();
        let engine = async_nats::jetstream::new(async_nats::connect(servers).await.unwrap());
        let until = Instant::now() + PATIENCE;
        loop {
            let told = engine.get_stream("COTERIE_LOG").await;
            let leader = told.ok().and_then(|it| it.cached_info().cluster.clone()?.leader);
            if let Some(name) = leader {
                return name.strip_prefix('s').unwrap().parse().unwrap();
            }
            assert!(Instant::now() < until, "nobody leads the log");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until every server has the whole log, so that any one of them can fail.
    pub(crate) async fn servers_have_everything(&self) {
        let addresses = self.servers.addresses();
        let servers: Vec<async_nats::ServerAddr> =
            addresses.split(',').map(|it| it.parse().unwrap()).collect();
        let copies = servers.len() - 1;
        let client = async_nats::connect(servers).await.unwrap();
        let engine = async_nats::jetstream::new(client);
        let until = Instant::now() + PATIENCE;
        loop {
            let told = engine.get_stream("COTERIE_LOG").await;
            let cluster = told.ok().and_then(|it| it.cached_info().cluster.clone());
            let others = cluster.map(|it| it.replicas).unwrap_or_default();
            let current = others.iter().filter(|it| it.current && !it.offline).count();
            if current == copies {
                return;
            }
            assert!(Instant::now() < until, "a server does not catch up: {others:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The output of a tool that is run on this node's data while the node runs.
    pub(crate) fn tool(&self, node: usize, words: &[&str]) -> String {
        let data = self.data(node);
        let place = ["--data-dir", data.to_str().unwrap()];
        let told = coterie(&[words, &place].concat()).output().unwrap();
        assert!(told.status.success(), "{words:?}: {}", String::from_utf8_lossy(&told.stderr));
        String::from_utf8(told.stdout).unwrap()
    }

    /// Waits until the journals of these nodes end at the same position, and checks that they are
    /// equal.
    pub(crate) async fn have_the_same_journal(&self, nodes: &[usize]) {
        let until = Instant::now() + PATIENCE;
        loop {
            let told = nodes.iter().map(|node| self.tool(*node, &["check", "--json"]));
            let told: Vec<serde_json::Value> =
                told.map(|it| serde_json::from_str(&it).unwrap()).collect();
            let journal = |it: &serde_json::Value| it["journal"].clone();
            if told.iter().all(|it| journal(it)["end"] == journal(&told[0])["end"]) {
                assert!(told.iter().all(|it| journal(it)["sum"].is_string()), "{told:?}");
                assert!(told.iter().all(|it| it == &told[0]), "{told:?}");
                return;
            }
            assert!(Instant::now() < until, "{told:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the nodes with these names are alive and ready and own all shards between them,
    /// and returns the output of `coterie nodes`.
    pub(crate) async fn nodes_when(&self, node: usize, names: &[&str]) -> serde_json::Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let told = self.tool(node, &["nodes", "--json"]);
            let seen: serde_json::Value = serde_json::from_str(&told).unwrap();
            let nodes = seen["nodes"].as_array().unwrap();
            let living: Vec<&str> = nodes.iter().map(|it| it["name"].as_str().unwrap()).collect();
            let shards: u64 = nodes.iter().map(|it| it["shards"].as_u64().unwrap()).sum();
            let are_ready = nodes.iter().all(|it| it["ready"] == true);
            if living == names && are_ready && Some(shards) == seen["shards"].as_u64() {
                return seen;
            }
            assert!(Instant::now() < until, "{seen}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until one node owns all shards, and returns its number.
    pub(crate) async fn leading_node(&self) -> usize {
        let until = Instant::now() + PATIENCE;
        loop {
            let asked = self.nodes.iter().position(Option::is_some).unwrap();
            let told = self.tool(asked, &["nodes", "--json"]);
            let seen: serde_json::Value = serde_json::from_str(&told).unwrap();
            let mut nodes = seen["nodes"].as_array().unwrap().iter();
            if let Some(leader) = nodes.find(|it| it["shards"] == seen["shards"]) {
                return NAMES.iter().position(|it| leader["name"] == *it).unwrap();
            }
            assert!(Instant::now() < until, "{seen}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until a node has ended by itself, with success.
    pub(crate) async fn ends(&mut self, node: usize) {
        let mut program = self.nodes[node].take().unwrap();
        let status = tokio::task::spawn_blocking(move || program.child.wait()).await.unwrap();
        assert!(status.unwrap().success());
    }

    /// Waits until a node has ended by itself, with a failure.
    pub(crate) async fn fails(&mut self, node: usize) {
        let mut program = self.nodes[node].take().unwrap();
        let status = tokio::task::spawn_blocking(move || program.child.wait()).await.unwrap();
        assert!(!status.unwrap().success());
    }

    /// The process of a running node.
    pub(crate) fn node(&self, node: usize) -> &Program {
        self.nodes[node].as_ref().expect("the node runs")
    }

    /// The address at which a node listens.
    pub(crate) fn url(&self, node: usize) -> &str {
        self.node(node).url()
    }

    /// The same person, as a client of this node.
    pub(crate) fn at(&self, node: usize, person: &Person) -> Person {
        let mut person = person.clone();
        person.goes_to(self.node(node));
        person
    }

    /// Kills a node without a chance to say anything.
    pub(crate) fn kill(&mut self, node: usize) {
        self.nodes[node].take().unwrap().dies();
    }

    /// Stops the process of a node with SIGSTOP, as a machine does that is suspended.
    pub(crate) fn put_to_sleep(&self, node: usize) {
        self.signals(node, "-STOP");
    }

    /// Continues the process of a node that sleeps.
    pub(crate) fn wake(&self, node: usize) {
        self.signals(node, "-CONT");
    }

    fn signals(&self, node: usize, signal: &str) {
        let id = self.node(node).child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Kills a node and deletes its data, as if its machine were lost.
    pub(crate) fn lose(&mut self, node: usize) {
        self.kill(node);
        fs::remove_dir_all(self.data(node)).unwrap();
    }

    /// Asks a node to stop, and waits until it has ended with success.
    pub(crate) async fn stop(&mut self, node: usize) {
        let program = self.nodes[node].take().unwrap();
        tokio::task::spawn_blocking(move || program.stops()).await.unwrap();
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for (node, name) in NAMES.iter().enumerate() {
            let Ok(said) = fs::read_to_string(self.log(node)) else { continue };
            let last: Vec<&str> = said.lines().rev().take(40).collect();
            eprintln!("{name} said:");
            last.iter().rev().for_each(|line| eprintln!("  {line}"));
        }
    }
}
