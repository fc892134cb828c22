//! `coterie nodes`: which nodes are alive, how many shards each owns, and the state of the log.

use std::process::ExitCode;

use crate::admin::protocol::{AdminCommand, AdminResult, NodesView};
use crate::cli::command::NodesArgs;
use crate::cli::{reach, say, say_json};

/// Asks the node that runs on this data, and prints its answer.
pub(super) fn run(wanted: &NodesArgs) -> Result<ExitCode, String> {
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
        let shares = format!("{} of {}", node.shards, view.shards);
        say(&format!("{:<32} {readiness:<9} {shares:>8} {:>16}", node.name, node.position))?;
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
