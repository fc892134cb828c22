//! Health, for supervisors and load balancers.

use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::http::door::Door;

/// `GET /health/live`: the process answers.
pub(super) async fn live() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "live"}))
}

/// `GET /health/ready`: the index follows the journal, so questions can be answered.
pub(super) async fn ready(door: web::Data<Door>) -> HttpResponse {
    match door.directory.ground().archive.index.current().await {
        Ok(()) => HttpResponse::Ok().json(json!({"status": "ready"})),
        Err(fault) => {
            tracing::error!(%fault, "not ready");
            HttpResponse::ServiceUnavailable().json(json!({"status": "not ready"}))
        }
    }
}
