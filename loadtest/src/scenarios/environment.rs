//! Where a scenario takes place: a server, its process and a directory on disk.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use super::{RunError, say};
use crate::cli::Common;
use crate::open_files;
use crate::process::proc_fs;
use crate::process::server::{Ending, ServerProcess};
use crate::process::target::{Target, parse_url};

/// The server under test, and what is left of it when the run is over: nothing.
#[derive(Debug)]
pub struct Environment {
    // Before the directory, so that the server has stopped when that is removed.
    server: Option<ServerProcess>,
    target: Target,
    /// Of a server, its own address; of several, those of all.
    nodes: Vec<SocketAddr>,
    program: PathBuf,
    directory: TempDir,
}

/// Sockets that are open at once, in the tester and in the server.
#[derive(Debug, Clone, Copy)]
pub struct OpenFiles {
    tester: usize,
    server: usize,
}

impl OpenFiles {
    /// The reference, if any, has its sockets at another time or has none.
    pub fn one_side(sockets: usize) -> Self {
        Self { tester: sockets, server: sockets }
    }

    /// The tester holds as many sockets to each of so many servers at the same time.
    pub fn sides(sockets: usize, sides: usize) -> Self {
        Self { tester: sides * sockets, server: sockets }
    }

    /// The tester holds as many sockets to a reference at the same time.
    pub fn both_sides(sockets: usize) -> Self {
        Self::sides(sockets, 2)
    }
}

impl Environment {
    /// Starts a server, or takes the one of `--url`.
    pub fn open(options: &Common, files: OpenFiles) -> Result<Self, RunError> {
        match options.url.len() {
            0 | 1 => Self::open_nodes(options, files),
            _ => Err(RunError::Size("this scenario takes one --url".to_owned())),
        }
    }

    /// The same for a scenario that can load several nodes at once.
    pub fn open_nodes(options: &Common, files: OpenFiles) -> Result<Self, RunError> {
        // Before the server starts, which inherits the limit.
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
                let server = start(&program, directory.path())?;
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
        Ok(Self { server, target, nodes, program, directory })
    }

    pub fn target(&self) -> Target {
        self.target
    }

    /// All nodes, of which the target is the first.
    pub fn nodes(&self) -> &[SocketAddr] {
        &self.nodes
    }

    /// On the same disk as the data of a server that we started.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// What a server that we started stores lies below this.
    pub fn data(&self) -> PathBuf {
        self.directory.path().join(DATA)
    }

    /// Ends the server and starts it again over its data, which `change` may change before;
    /// with the moment in which it was started. A server of others stays as it is.
    pub fn start_again(
        &mut self,
        ending: Ending,
        change: impl FnOnce(&Path) -> std::io::Result<()>,
    ) -> Result<Instant, RunError> {
        let Some(server) = self.server.take() else { return Ok(Instant::now()) };
        server.end(ending);
        change(&self.data())?;
        let began = Instant::now();
        let server = start(&self.program, self.directory.path())?;
        self.target = server.target();
        self.nodes = vec![self.target.addr];
        self.server = Some(server);
        Ok(began)
    }

    /// Stops the server and starts it again over the same data, so that nothing
    /// of the set-up is left in its memory. A server of others stays as it is; then this
    /// is false.
    pub fn restart(&mut self) -> Result<bool, RunError> {
        self.restart_after(|| Ok(()))?;
        Ok(self.server.is_some())
    }

    /// The same, with something that is done while no server runs. Nothing is done to a
    /// server of others.
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

/// A folder of the environment with what the server stores.
const DATA: &str = "data";

fn start(program: &Path, directory: &Path) -> Result<ServerProcess, RunError> {
    let server =
        ServerProcess::coterie(program, &directory.join(DATA), &directory.join("server.log"))?;
    let Target { addr, pid } = server.target();
    say(format_args!("{} listens on {addr} as process {}", program.display(), pid.unwrap_or(0)));
    Ok(server)
}

/// Where temporary data go.
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
