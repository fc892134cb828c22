//! Health, for supervisors and load balancers.

use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::http::app_state::AppState;
use actors::readiness::Readiness;
use cluster::membership::Membership;

/// `GET /health/live`: the process answers. The id shows `coterie doctor` whether it reaches the
/// server that it examines.
pub(super) async fn live(app: web::Data<AppState>) -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "live", "instance": app.instance.id()}))
}

/// `GET /health/ready`: ready if the journal accepts writes and makes them durable, the index follows
/// it and can be written, a read is answered and, with several nodes, this node is one of them. Otherwise the response says what is
/// wrong.
pub(super) async fn ready(app: web::Data<AppState>) -> HttpResponse {
    let readiness = app.directory.context().readiness().await;
    let node = app.membership.as_ref().map(Membership::readiness);
    let Readiness { journal, index, reads, writes } = readiness;
    let mut told = json!({
        "status": "ready", "journal": journal, "index": index, "reads": reads, "writes": writes,
    });
    let reason = node.map(|it| it.err().map(|reason| reason.to_string()));
    if let Some(reason) = &reason {
        told["node"] = json!(reason.as_deref().unwrap_or("serving"));
    }
    let reason = reason.flatten();
    if readiness.is_given() && reason.is_none() {
        return HttpResponse::Ok().json(told);
    }
    if readiness.is_given() {
        // Normal while a node joins or leaves, and polled often meanwhile.
        tracing::debug!(reason, "the server is not ready");
    } else {
        tracing::warn!(journal, index, reads, writes, reason, "the server is not ready");
    }
    told["status"] = json!("not ready");
    HttpResponse::ServiceUnavailable().json(told)
}
