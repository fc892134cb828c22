//! The report of a node to operators about all nodes.

use crate::admin::protocol::{EngineView, NodeView, NodesView};
use cluster::liveness::SignOfLife;
use cluster::membership::Membership;
use journal::replicated::shard::SHARDS;

/// Returns the nodes as this node last knew them, and the state of the log if its servers
/// answer within half a second.
pub(super) async fn nodes_view(membership: &Membership) -> NodesView {
    let view = |sign: SignOfLife| NodeView {
        name: sign.name.to_string(),
        ready: sign.is_ready,
        position: sign.shown.get(),
        shards: if sign.leads { SHARDS.into() } else { 0 },
    };
    let engine = match membership.bus().standing().await {
        Some(standing) => EngineView {
            servers: Some(standing.reachable),
            leader: standing.leader,
            replicas: Some(standing.replicas),
            sync_always: standing.sync_always,
        },
        None => EngineView::default(),
    };
    let nodes = membership.nodes().into_iter().map(view).collect();
    NodesView { nodes, shards: SHARDS.into(), engine }
}
