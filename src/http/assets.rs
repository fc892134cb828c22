//! The web client's files, as they lie in `static/`; inside the binary when built for
//! release.

use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::domain::hex::hex;
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::reply::Answer;
use crate::wire::instance::Instance;

#[derive(RustEmbed)]
#[folder = "static/"]
struct Static;

/// Only from here, and nothing inline: what a message contains can never run. Images may
/// also come from the public URL, which names them, where the page was opened under
/// another address of this server.
fn policy(instance: &Instance) -> String {
    format!(
        "default-src 'self'; img-src 'self' data: blob: {}; connect-src 'self' ws: wss:; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        instance.origin()
    )
}

/// The page of the web client.
pub(super) async fn index(app: web::Data<AppState>, request: HttpRequest) -> Answer {
    file(&app, &request, "index.html")
}

/// The page that explains the API.
pub(super) async fn docs(app: web::Data<AppState>, request: HttpRequest) -> Answer {
    file(&app, &request, "docs/index.html")
}

/// Everything that no route names: a file of the web client, or nothing. Who looks for a
/// page where there is none is told so by a page.
pub(super) async fn any(app: web::Data<AppState>, request: HttpRequest) -> Answer {
    let path = request.path().trim_start_matches('/').to_owned();
    match file(&app, &request, &path) {
        Err(_) if wants_a_page(&request) => {
            let mut page = file(&app, &request, NOWHERE)?;
            *page.status_mut() = StatusCode::NOT_FOUND;
            Ok(page)
        }
        answer => answer,
    }
}

/// The page for an address that names nothing.
const NOWHERE: &str = "docs/nowhere.html";

/// Whether a browser asks for a page, as it does when somebody follows a link.
fn wants_a_page(request: &HttpRequest) -> bool {
    let accepts = request.headers().get(header::ACCEPT).and_then(|it| it.to_str().ok());
    is_read(request) && accepts.is_some_and(|accepts| accepts.contains("text/html"))
}

fn is_read(request: &HttpRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// The file of this path. A page is also found without its ending, and the page of a folder
/// by the folder's name.
fn find(path: &str) -> Option<EmbeddedFile> {
    let or = |ending: &str| Static::get(&format!("{path}{ending}"));
    Static::get(path).or_else(|| or(".html")).or_else(|| or("/index.html"))
}

fn file(app: &AppState, request: &HttpRequest, path: &str) -> Answer {
    let found = if is_read(request) { find(path) } else { None };
    let found = found.ok_or_else(ApiError::no_such_path)?;
    let digest = hex(&found.metadata.sha256_hash()[..16]);
    let tag = format!("\"{digest}\"");
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((header::ETAG, tag.clone()))
        // Files carry no version in their names, so browsers ask whether they changed.
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy(&app.instance)))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .content_type(found.metadata.mimetype());
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    if known == Some(tag.as_str()) {
        return Ok(answer.status(StatusCode::NOT_MODIFIED).finish());
    }
    Ok(answer.body(found.data.into_owned()))
}
