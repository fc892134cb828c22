//! Reaches an installation: through the admin socket of its running server, or by opening the data
//! of a stopped one in this process. Either way an [`Administration`](crate::admin::Administration)
//! carries out the commands.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::admin::protocol::{AdminCommand, AdminReply, AdminRequest, AdminResult, VERSION};
use crate::admin::{Administration, socket};
use crate::boot::data_dir::DataDir;
use crate::boot::nodes::Joined;
use crate::boot::services::{CoreServices, CoreSettings};
use crate::config::Options;
use domain::audit::Operator;
use index::indexer::Indexer;
use journal::Cursor;
use wire::instance::Instance;

/// How long a running server may take for one command.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why a command was not carried out.
#[derive(Debug)]
pub(super) enum CommandError {
    /// The rules refuse the command.
    Refused(String),
    /// The command failed.
    Failed(String),
}

/// A reached installation.
pub(super) enum ReachedInstance {
    /// A running server.
    Running(BufReader<UnixStream>),
    /// The opened data of a stopped server.
    Stopped(Box<Stopped>),
}

/// The data of a stopped server, opened and locked by this process.
pub(super) struct Stopped {
    administration: Administration,
    // Dropped in this order: the rooms end, the index is written out, the lock is released.
    system: actix::SystemRunner,
    _indexer: Indexer,
    _data: DataDir,
}

/// Whether an installation is created if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfAbsent {
    /// Report an error.
    Refuse,
    /// Create an empty installation.
    Begin,
}

impl ReachedInstance {
    /// Reaches the installation in this directory.
    pub(super) fn at(data_dir: &Path, if_absent: IfAbsent) -> Result<Self, String> {
        if let Some(running) = running(data_dir) {
            return Ok(Self::Running(running));
        }
        let data = match if_absent {
            IfAbsent::Refuse => DataDir::existing(data_dir),
            IfAbsent::Begin => DataDir::take(data_dir),
        };
        let data = data.map_err(|error| error.to_string())?;
        Stopped::open(data_dir, data).map(|stopped| Self::Stopped(Box::new(stopped)))
    }

    /// Carries out a command.
    pub(super) fn ask(&mut self, command: AdminCommand) -> Result<AdminResult, CommandError> {
        let reply = match self {
            Self::Running(socket) => ask_running(socket, command).map_err(CommandError::Failed)?,
            Self::Stopped(stopped) => stopped.fulfil(command),
        };
        match reply {
            AdminReply::Done(told) => Ok(told),
            AdminReply::Refused(why) => Err(CommandError::Refused(why)),
            AdminReply::Failed(why) => Err(CommandError::Failed(why)),
        }
    }
}

/// Sends a command that only a running server can carry out to the server that runs on this data.
pub(super) fn of_running(data_dir: &Path, command: AdminCommand) -> Result<AdminResult, String> {
    let server = running(data_dir).ok_or("no server runs on this data")?;
    match ReachedInstance::Running(server).ask(command) {
        Ok(told) => Ok(told),
        Err(CommandError::Refused(why) | CommandError::Failed(why)) => Err(why),
    }
}

/// Connects to the server that runs on this data; `None` if none does.
pub(super) fn running(data_dir: &Path) -> Option<BufReader<UnixStream>> {
    let (_open, path) = socket::short(data_dir).ok()?;
    let stream = UnixStream::connect(path).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    Some(BufReader::new(stream))
}

/// Sends a command whose reply is the end of the durable journal and the number of the history.
pub(super) fn end_of(
    server: BufReader<UnixStream>,
    command: AdminCommand,
) -> Result<(Cursor, u32), String> {
    match ReachedInstance::Running(server).ask(command) {
        Ok(AdminResult::Place { end, history }) => Ok((Cursor::new(end), history)),
        Ok(other) => Err(unexpected_reply(&other)),
        Err(CommandError::Refused(why) | CommandError::Failed(why)) => Err(why),
    }
}

/// The error for a reply that does not fit the command.
pub(super) fn unexpected_reply(answer: &AdminResult) -> String {
    tracing::debug!(?answer, "the server sent an unexpected reply");
    "the server sent an unexpected reply".to_owned()
}

fn ask_running(
    socket: &mut BufReader<UnixStream>,
    command: AdminCommand,
) -> Result<AdminReply, String> {
    let plain = |error: std::io::Error| format!("the running server does not answer: {error}");
    let mut line = serde_json::to_vec(&AdminRequest { v: VERSION, command })
        .map_err(|error| format!("the request cannot be sent: {error}"))?;
    line.push(b'\n');
    socket.get_mut().write_all(&line).map_err(plain)?;
    let mut answer = String::new();
    socket.read_line(&mut answer).map_err(plain)?;
    serde_json::from_str(&answer)
        .map_err(|error| format!("the reply of the running server cannot be read: {error}"))
}

impl Stopped {
    fn open(data_dir: &Path, data: DataDir) -> Result<Self, String> {
        let options = Options::of(data_dir).map_err(|error| error.to_string())?;
        let system = actix::System::new();
        // Tools show no URL, so any address will do.
        let instance = Instance::new("http://localhost", "http://localhost", data.epoch());
        let services = CoreServices::open(
            &options,
            &data,
            instance,
            CoreSettings::machine(),
            Joined::default(),
        )
        .map_err(|error| error.to_string())?;
        let administration = services.administration(data.epoch());
        system.block_on(async {
            administration.directory.add_arbiter(actix::Arbiter::current());
        });
        Ok(Self { administration, system, _indexer: services.indexer, _data: data })
    }

    fn fulfil(&self, command: AdminCommand) -> AdminReply {
        let by = Operator::of_uid(rustix::process::getuid().as_raw());
        self.system.block_on(self.administration.fulfil(command, by))
    }
}
