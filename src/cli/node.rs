//! `coterie nodes`, `coterie drain` and `coterie clock`: the state of the nodes, the shutdown of one, and
//! the acceptance of its clock after a jump.

use std::process::ExitCode;

use crate::admin::protocol::{AdminCommand, AdminResult, NodesView};
use crate::cli::command::{ClockAct, DataDirArgs, NodesArgs};
use crate::cli::reach::{self, CommandError, ReachedInstance};
use crate::cli::{say, say_json};

/// Asks the node that runs on this data, and prints its answer.
pub(super) fn run_nodes(wanted: &NodesArgs) -> Result<ExitCode, String> {
    match reach::of_running(&wanted.place.data_dir, AdminCommand::TellNodes) {
        Ok(AdminResult::Nodes(view)) if wanted.json => {
            let text = serde_json::to_string(&view);
            say_json(&text.map_err(|error| error.to_string())?)?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(AdminResult::Nodes(view)) => show(&view).map(|()| ExitCode::SUCCESS),
        Ok(other) => Err(reach::unexpected_reply(&other)),
        Err(why) => Err(why),
    }
}

fn show(view: &NodesView) -> Result<(), String> {
    for node in &view.nodes {
        let readiness = if node.ready { "ready" } else { "not ready" };
        let role = if node.shards == view.shards { "leads" } else { "" };
        say(&format!("{:<32} {readiness:<9} {role:>8} {:>16}", node.name, node.position))?;
    }
    let engine = &view.engine;
    let (Some(servers), Some(replicas)) = (engine.servers, engine.replicas) else {
        return say("the servers of the log do not answer");
    };
    let leader = engine.leader.as_deref().unwrap_or("nobody");
    let synced = match engine.sync_always {
        Some(true) => ", synced before acknowledged",
        Some(false) => ", NOT synced before acknowledged",
        None => ", unknown whether synced before acknowledged",
    };
    say(&format!("log on {servers} of {replicas} servers, led by {leader}{synced}"))
}

/// Begins the shutdown. The server's process ends once open requests are answered.
pub(super) fn drain(place: &DataDirArgs) -> Result<ExitCode, String> {
    match reach::of_running(&place.data_dir, AdminCommand::Drain) {
        Ok(AdminResult::Draining) => Ok(ExitCode::SUCCESS),
        Ok(other) => Err(reach::unexpected_reply(&other)),
        Err(why) => Err(why),
    }
}

/// Makes the server accept the clock, and prints by how much its time moved.
pub(super) fn accept_clock(act: &ClockAct) -> Result<ExitCode, String> {
    let ClockAct::Accept(place) = act;
    let Some(server) = reach::running(&place.data_dir) else {
        return Err("no server runs on this data; a new server accepts the clock".to_owned());
    };
    match ReachedInstance::Running(server).ask(AdminCommand::AcceptClock) {
        Ok(AdminResult::Clock { moved_millis }) => {
            say(&format!("the time of the server moved by {} s", moved_millis / 1000))?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(other) => Err(reach::unexpected_reply(&other)),
        Err(CommandError::Refused(why) | CommandError::Failed(why)) => Err(why),
    }
}
