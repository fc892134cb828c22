//! The web client's files, as they lie in `static/`; inside the binary when built for
//! release.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use rust_embed::RustEmbed;

use crate::http::error::ApiError;

#[derive(RustEmbed)]
#[folder = "static/"]
struct Static;

/// Only from here, and nothing inline: what a message contains can never run.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";

/// The page of the web client.
pub(super) async fn index(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    file(&request, "index.html")
}

/// The page that explains the API.
pub(super) async fn docs(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    file(&request, "docs/index.html")
}

/// Everything that no route names: a file of the web client, or nothing.
pub(super) async fn any(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let path = request.path().trim_start_matches('/').to_owned();
    file(&request, &path)
}

fn file(request: &HttpRequest, path: &str) -> Result<HttpResponse, ApiError> {
    let is_read =
        matches!(*request.method(), actix_web::http::Method::GET | actix_web::http::Method::HEAD);
    let found = if is_read { Static::get(path) } else { None };
    let found = found.ok_or_else(ApiError::no_such_path)?;
    let digest: String =
        found.metadata.sha256_hash().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{digest}\"");
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((header::ETAG, tag.clone()))
        // Files carry no version in their names, so browsers ask whether they changed.
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .content_type(found.metadata.mimetype());
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    if known == Some(tag.as_str()) {
        return Ok(answer.status(actix_web::http::StatusCode::NOT_MODIFIED).finish());
    }
    Ok(answer.body(found.data.into_owned()))
}
