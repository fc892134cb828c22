//! The scenarios: each measures one bar, or several that belong together.

pub mod abuse;
pub mod bots;
pub mod burst;
pub mod crowd;
pub mod environment;
pub mod fanout;
pub mod groups;
pub mod grow;
pub mod growth;
pub mod history;
pub mod idle;
pub mod images;
pub mod latency;
pub mod mixed;
pub mod peers;
pub mod posts;
pub mod reconnect;
pub mod search;
pub mod soak;
pub mod stalled;

use crate::cli::Scenario;
use crate::fdatasync::SyncFile;
use crate::load::closed_loop::LoadError;
use crate::open_files::OpenFilesError;
use crate::peers::install::InstallError;
use crate::process::proc_fs::ProcError;
use crate::process::server::StartError;
use crate::process::target::TargetError;
use crate::push::listener::SocketError;
use crate::report::Report;
use crate::report::compare::CompareError;
use crate::world::rest::CallError;

/// Why a scenario could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    OpenFiles(#[from] OpenFilesError),
    #[error(transparent)]
    Proc(#[from] ProcError),
    #[error("setting up the world: {0}")]
    Call(#[from] CallError),
    #[error("opening sockets: {0}")]
    Socket(#[from] SocketError),
    #[error("while loading: {0}")]
    Load(#[from] LoadError),
    #[error(transparent)]
    Peers(#[from] InstallError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Size(String),
    #[error("interrupted")]
    Interrupted,
}

pub async fn run(scenario: &Scenario) -> Result<Report, RunError> {
    match scenario {
        Scenario::Posts(args) => posts::run(args).await,
        Scenario::Mixed(args) => mixed::run(args).await,
        Scenario::Fanout(args) => fanout::run(args).await,
        Scenario::Burst(args) => burst::run(args).await,
        Scenario::Latency(args) => latency::run(args).await,
        Scenario::Idle(args) => idle::run(args).await,
        Scenario::History(args) => history::run(args).await,
        Scenario::Grow(args) => grow::run(args).await,
        Scenario::Growth(args) => growth::run(args).await,
        Scenario::Images(args) => images::run(args).await,
        Scenario::Groups(args) => groups::run(args).await,
        Scenario::Stalled(args) => stalled::run(args).await,
        Scenario::Reconnect(args) => reconnect::run(args).await,
        Scenario::Bots(args) => bots::run(args).await,
        Scenario::Search(args) => search::run(args).await,
        Scenario::Soak(args) => soak::run(args).await,
        Scenario::Abuse(args) => abuse::run(args).await,
    }
}

/// Prints progress to stderr for the person who waits.
fn say(what: impl std::fmt::Display) {
    eprintln!("loadtest: {what}");
}

/// Returns a number that marks the messages of one run, and of one side of it.
fn run_id() -> u32 {
    let since_epoch =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Even, so that the reference's side can use the next, odd number.
    (since_epoch.as_millis() as u32).wrapping_mul(2)
}

/// Syncs for one turn on a thread of its own, so that the runtime is not blocked.
async fn sync_turn(
    mut file: SyncFile,
    turn: std::time::Duration,
) -> Result<(SyncFile, crate::fdatasync::Synced), RunError> {
    let task = tokio::task::spawn_blocking(move || file.run(turn).map(|synced| (file, synced)));
    Ok(task.await.map_err(std::io::Error::other)??)
}
