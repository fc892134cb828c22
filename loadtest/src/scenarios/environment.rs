//! The environment of a scenario: a server, its process and a directory on disk.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use super::{RunError, say};
use crate::cli::Common;
use crate::open_files;
use crate::process::proc_fs;
use crate::process::server::{Ending, ServerProcess, UserLimits};
use crate::process::target::{Target, parse_url};

/// The server under test with its data, none of which is left when the run is over.
#[derive(Debug)]
pub struct Environment {
    // Declared before the directory, so that the server has stopped when the directory is removed.
    server: Option<ServerProcess>,
    target: Target,
    /// The address of every node; with one server, its own.
    nodes: Vec<SocketAddr>,
    program: PathBuf,
    directory: TempDir,
    limits: UserLimits,
}

/// Sockets that are open at once, in the tester and in the server.
#[derive(Debug, Clone, Copy)]
pub struct OpenFiles {
    tester: usize,
    server: usize,
}

impl OpenFiles {
    /// For a reference, if any, that has its sockets at another time or has none.
    pub fn one_side(sockets: usize) -> Self {
        Self { tester: sockets, server: sockets }
    }

    /// For `sides` servers to each of which the tester holds `sockets` sockets at the same time.
    pub fn sides(sockets: usize, sides: usize) -> Self {
        Self { tester: sides * sockets, server: sockets }
    }

    /// For a reference to which the tester holds as many sockets at the same time.
    pub fn both_sides(sockets: usize) -> Self {
        Self::sides(sockets, 2)
    }
}

impl Environment {
    /// Starts a server without limits for its users, or uses the one of `--url`.
    pub fn open(options: &Common, files: OpenFiles) -> Result<Self, RunError> {
        Self::open_with(options, files, UserLimits::Off)
    }

    /// Like [`open`](Self::open), with these limits.
    pub fn open_with(
        options: &Common,
        files: OpenFiles,
        limits: UserLimits,
    ) -> Result<Self, RunError> {
        match options.url.len() {
            0 | 1 => Self::of_nodes(options, files, limits),
            _ => Err(RunError::Size("this scenario takes one --url".to_owned())),
        }
    }

    /// Like [`open`](Self::open), for a scenario that can load several nodes at once.
    pub fn open_nodes(options: &Common, files: OpenFiles) -> Result<Self, RunError> {
        Self::of_nodes(options, files, UserLimits::Off)
    }

    fn of_nodes(options: &Common, files: OpenFiles, limits: UserLimits) -> Result<Self, RunError> {
        // Before the server is started, because it inherits the limit.
        open_files::allow(files.tester)?;
        let beside = beside_this_program()?;
        let work_dir = work_dir(options)?;
        std::fs::create_dir_all(&work_dir)?;
        let directory = tempfile::Builder::new().prefix("run-").tempdir_in(&work_dir)?;
        let program = options.server_bin.clone().unwrap_or_else(|| beside.join("coterie"));
        let nodes = options.url.iter().map(|url| parse_url(url));
        let mut nodes = nodes.collect::<Result<Vec<SocketAddr>, _>>()?;
        let (server, target) = match nodes.first() {
            Some(addr) => (None, Target { addr: *addr, pid: options.pid }),
            None => {
                let server = start(&program, directory.path(), limits)?;
                let target = server.target();
                nodes.push(target.addr);
                (Some(server), target)
            }
        };
        if nodes.len() > 1 && options.pid.is_some() {
            return Err(RunError::Size("--pid goes with one --url".to_owned()));
        }
        if let Some(pid) = target.pid {
            open_files::check_server(files.server, proc_fs::open_files_limit(pid)?)?;
        }
        Ok(Self { server, target, nodes, program, directory, limits })
    }

    pub fn target(&self) -> Target {
        self.target
    }

    /// All nodes; the target is the first.
    pub fn nodes(&self) -> &[SocketAddr] {
        &self.nodes
    }

    /// The run's temporary directory, on the same disk as the data of a server that the tester
    /// started.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The data directory of a server that the tester started.
    pub fn data(&self) -> PathBuf {
        self.directory.path().join(DATA)
    }

    /// Ends the server and starts it again with its data, which `change` may alter in between;
    /// returns the moment of the start. A server that others started stays as it is.
    pub fn start_again(
        &mut self,
        ending: Ending,
        change: impl FnOnce(&Path) -> std::io::Result<()>,
    ) -> Result<Instant, RunError> {
        let Some(server) = self.server.take() else { return Ok(Instant::now()) };
        server.end(ending);
        change(&self.data())?;
        let began = Instant::now();
        let server = start(&self.program, self.directory.path(), self.limits)?;
        self.target = server.target();
        self.nodes = vec![self.target.addr];
        self.server = Some(server);
        Ok(began)
    }

    /// Stops the server and starts it again with the same data, so that nothing of the set-up is
    /// left in its memory. A server that others started stays as it is; then this returns false.
    pub fn restart(&mut self) -> Result<bool, RunError> {
        self.restart_after(|| Ok(()))?;
        Ok(self.server.is_some())
    }

    /// Like [`restart`](Self::restart), and calls `change` while no server runs. With a server that
    /// others started, nothing is done.
    pub fn restart_after(
        &mut self,
        change: impl FnOnce() -> std::io::Result<()>,
    ) -> Result<(), RunError> {
        if self.server.is_some() {
            self.start_again(Ending::Clean, |_| change())?;
        }
        Ok(())
    }
}

/// The directory, below that of the environment, in which the server stores its data.
const DATA: &str = "data";

fn start(program: &Path, directory: &Path, limits: UserLimits) -> Result<ServerProcess, RunError> {
    let (data, log) = (directory.join(DATA), directory.join("server.log"));
    let server = ServerProcess::coterie(program, &data, &log, limits)?;
    let Target { addr, pid } = server.target();
    say(format_args!("{} listens on {addr} as process {}", program.display(), pid.unwrap_or(0)));
    Ok(server)
}

/// Returns the directory for temporary data.
pub(super) fn work_dir(options: &Common) -> Result<PathBuf, RunError> {
    match &options.work_dir {
        Some(directory) => Ok(directory.clone()),
        None => Ok(beside_this_program()?.join("loadtest-data")),
    }
}

fn beside_this_program() -> Result<PathBuf, RunError> {
    let program = std::env::current_exe()?;
    let directory = program.parent().map(Path::to_owned);
    directory.ok_or_else(|| RunError::Size("this program lies in no directory".to_owned()))
}
