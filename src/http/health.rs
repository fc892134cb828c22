//! Health, for supervisors and load balancers.

use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::actors::readiness::Readiness;
use crate::http::app_state::AppState;

/// `GET /health/live`: the process answers.
pub(super) async fn live() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "live"}))
}

/// `GET /health/ready`: the journal takes everything, and the index follows it and can be
/// written. Where it does not say so, it says what is wrong.
pub(super) async fn ready(app: web::Data<AppState>) -> HttpResponse {
    let readiness = app.directory.context().readiness().await;
    let Readiness { journal, index } = readiness;
    let told = |status: &str| json!({"status": status, "journal": journal, "index": index});
    if readiness.is_given() {
        return HttpResponse::Ok().json(told("ready"));
    }
    tracing::warn!(journal, index, "not ready");
    HttpResponse::ServiceUnavailable().json(told("not ready"))
}
