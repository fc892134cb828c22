//! Three machines in network namespaces, so that the connections between them can be cut. Each
//! machine is a switch to which its node and its server of the log are connected, and a wire from
//! there to the switch in the middle. Clients reach a node by a wire of its own, which is never
//! cut.
//!
//! All of this is in a namespace in which the test runs once more, alone: it ends with the test,
//! however the test ended.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Output, Stdio};

use crate::apart::{self, Apart};
use crate::nats_server::Place;

/// What a test with networks has to be allowed to do. The three ways are for an ordinary user, for
/// root, and for a user who may become root.
const NETWORKS: Apart = Apart {
    what: "network namespaces",
    ways: &["unshare --user --map-root-user --net", "unshare --net", "sudo -n unshare --net"],
    needed: "ip link add trial type bridge && ip link add one type veth peer name other \
             && ip link set one master trial && unshare --net ip link set lo up",
};

/// Runs the test of this name once more, in a network namespace of its own, and returns true.
/// Returns false, and runs nothing, in a process that already runs in one.
pub(crate) async fn runs_apart(test: &'static str) -> bool {
    apart::runs_apart(test, &NETWORKS).await
}

/// The machines and the connections between them.
pub(crate) struct Network {
    nodes: Vec<Host>,
    servers: Vec<Host>,
}

/// A network namespace. A process keeps it alive until its stdin is closed.
struct Host {
    keeper: Child,
    alive: Option<ChildStdin>,
}

/// Which direction of a machine's traffic is lost.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lost {
    /// Packets from the machine to the others.
    Said,
    /// Packets from the others to the machine.
    Heard,
}

impl Network {
    /// The number of machines.
    pub(crate) const MACHINES: usize = 3;

    /// Builds the network, with nothing cut. Only for a test that runs apart.
    pub(crate) fn whole() -> Self {
        assert!(apart::is_apart(), "this would be the network of the machine");
        let hosts = || (0..Self::MACHINES).map(|_| Host::alone()).collect::<Vec<_>>();
        let all = Self { nodes: hosts(), servers: hosts() };
        ip("link set lo up\n\
            link add middle type bridge forward_delay 0\n\
            link set middle up\n\
            address add 10.77.0.100/24 dev middle");
        for machine in 0..Self::MACHINES {
            let (node, server) = (&all.nodes[machine], &all.servers[machine]);
            ip(&format!(
                "link add switch{machine} type bridge forward_delay 0\n\
                 link set switch{machine} up\n\
                 link add inner{machine} type veth peer name outer{machine}\n\
                 link set inner{machine} master switch{machine} up\n\
                 link set outer{machine} master middle up\n\
                 link add node{machine} type veth peer name others netns {}\n\
                 link set node{machine} master switch{machine} up\n\
                 link add server{machine} type veth peer name others netns {}\n\
                 link set server{machine} master switch{machine} up\n\
                 link add clients{machine} type veth peer name clients netns {}\n\
                 link set clients{machine} up\n\
                 address add 10.78.{machine}.1/24 dev clients{machine}",
                node.id(),
                server.id(),
                node.id(),
            ));
            node.ip(&format!(
                "link set lo up\n\
                 address add {}/24 dev others\n\
                 link set others up\n\
                 address add {}/24 dev clients\n\
                 link set clients up",
                address(machine),
                clients(machine),
            ));
            server.ip(&format!(
                "link set lo up\n\
                 address add {}/24 dev others\n\
                 link set others up",
                server_address(machine),
            ));
        }
        all
    }

    /// The place of a machine's server of the log.
    pub(crate) fn server(&self, machine: usize) -> Place {
        let within = self.servers[machine].entered();
        Place { host: server_address(machine), ports: [4222, 6222], within }
    }

    /// The address at which a machine's node listens for clients.
    pub(crate) fn listens(&self, machine: usize) -> String {
        format!("{}:0", clients(machine))
    }

    /// The same command, run in the network namespace of a machine's node.
    pub(crate) fn within(&self, machine: usize, command: &Command) -> Command {
        let words = self.nodes[machine].entered();
        let mut entered = Command::new(&words[0]);
        entered.args(&words[1..]).arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => entered.env(name, value),
                None => entered.env_remove(name),
            };
        }
        entered.stdin(Stdio::null());
        entered
    }

    /// Cuts a machine off from the others, in both directions; packets are dropped silently.
    pub(crate) fn cut_off(&self, machine: usize) {
        ip(&format!("link set outer{machine} nomaster"));
    }

    /// Ends [`Network::cut_off`].
    pub(crate) fn join(&self, machine: usize) {
        ip(&format!("link set outer{machine} master middle"));
    }

    /// Cuts a machine's node off from everything but its clients, also from the server beside it.
    pub(crate) fn cut_off_node(&self, machine: usize) {
        ip(&format!("link set node{machine} nomaster"));
    }

    /// Ends [`Network::cut_off_node`].
    pub(crate) fn join_node(&self, machine: usize) {
        ip(&format!("link set node{machine} master switch{machine}"));
    }

    /// Drops the packets between a machine and the others in one direction.
    pub(crate) fn cut_one_way(&self, machine: usize, lost: Lost) {
        // The packets are addressed to a network card that does not exist.
        self.neighbours(machine, lost, |other| {
            format!("neigh replace {other} lladdr 02:00:00:00:00:01 nud permanent dev others\n")
        });
    }

    /// Ends [`Network::cut_one_way`].
    pub(crate) fn join_one_way(&self, machine: usize, lost: Lost) {
        self.neighbours(machine, lost, |other| format!("neigh del {other} dev others\n"));
    }

    fn neighbours(&self, machine: usize, lost: Lost, line: impl Fn(&str) -> String) {
        for other in (0..Self::MACHINES).filter(|it| *it != machine) {
            let (from, to) = match lost {
                Lost::Said => (machine, other),
                Lost::Heard => (other, machine),
            };
            let lines = [address(to), server_address(to)].map(|it| line(&it)).concat();
            self.nodes[from].ip(&lines);
            self.servers[from].ip(&lines);
        }
    }
}

/// The address at which other machines reach a machine's node.
fn address(machine: usize) -> String {
    format!("10.77.0.{}", 1 + machine)
}

/// The address at which other machines reach a machine's server of the log.
fn server_address(machine: usize) -> String {
    format!("10.77.0.{}", 11 + machine)
}

/// The address at which clients reach a machine's node.
fn clients(machine: usize) -> String {
    format!("10.78.{machine}.2")
}

/// Runs these lines as a batch of `ip` commands, in the test's own namespace.
fn ip(lines: &str) {
    done(Command::new("ip").args(["-batch", "-"]), lines);
}

fn done(command: &mut Command, lines: &str) {
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null());
    let mut running = command.spawn().unwrap();
    running.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let Output { status, stderr, .. } = running.wait_with_output().unwrap();
    assert!(status.success(), "{lines}\n{}", String::from_utf8_lossy(&stderr));
}

impl Host {
    fn alone() -> Self {
        let mut command = Command::new("unshare");
        command.args(["--net", "sh", "-c", "echo; exec cat >/dev/null"]);
        let mut keeper = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "\n", "a namespace was made");
        let alive = keeper.stdin.take();
        Self { keeper, alive }
    }

    fn id(&self) -> u32 {
        self.keeper.id()
    }

    /// The command prefix with which a command runs in this namespace.
    fn entered(&self) -> Vec<String> {
        ["nsenter".to_owned(), format!("--net=/proc/{}/ns/net", self.id())].into()
    }

    fn ip(&self, lines: &str) {
        let words = self.entered();
        let mut command = Command::new(&words[0]);
        done(command.args(&words[1..]).args(["ip", "-batch", "-"]), lines);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.alive.take());
        drop(self.keeper.wait());
    }
}
