//! Serves the web client, the documentation and the files that they need. In a release build they
//! are inside the binary.

mod bundle;
mod site;
mod source;

use std::sync::Arc;

use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::Bytes;

use crate::http::app_state::AppState;
use crate::http::assets::site::{Asset, PAGE, Site};
use crate::http::compressed::{Coding, accepts};
use crate::http::error::ApiError;
use crate::http::reply::Answer;
use wire::instance::Instance;

/// Caching of files named by their content: a year, the longest time that RFC 9111 asks caches to
/// consider.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// Browsers revalidate the file each time.
const ASK: &str = "no-cache";

/// Modules for programs of others, which pages of any origin may import. What they import belongs
/// here too.
const FOR_ALL: [&str; 2] = ["js/push.js", "js/push_http.js"];

/// Smaller files are not compressed: that would save less than its headers take. The limit is lower
/// than for API responses, since each file is compressed only once.
const SMALLEST_CODED: usize = 1 << 10;

/// The content security policy: everything comes from this server and nothing is inline, so code in
/// a message can never run. Images may also come from the public URL, which names them, if the page
/// was opened under another address of this server.
fn policy(instance: &Instance) -> String {
    format!(
        "default-src 'self'; img-src 'self' data: blob: {}; connect-src 'self' ws: wss:; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        instance.origin()
    )
}

/// The page of the web client.
pub(super) async fn index(app: web::Data<AppState>, request: HttpRequest) -> Answer {
    file(&app, &request, PAGE).await
}

/// The page that explains the API.
pub(super) async fn docs(app: web::Data<AppState>, request: HttpRequest) -> Answer {
    file(&app, &request, "docs/index.html").await
}

/// Answers every path without a route: with a file of the web client or with 404. A browser that
/// asks for a page gets the 404 as a page.
pub(super) async fn any(app: web::Data<AppState>, request: HttpRequest) -> Answer {
    let path = request.path().trim_start_matches('/').to_owned();
    match file(&app, &request, &path).await {
        Err(_) if wants_a_page(&request) => {
            let mut page = file(&app, &request, NOWHERE).await?;
            *page.status_mut() = StatusCode::NOT_FOUND;
            Ok(page)
        }
        answer => answer,
    }
}

/// The page for a path that does not exist.
const NOWHERE: &str = "docs/nowhere.html";

/// Whether a browser asks for a page, as it does for a link.
fn wants_a_page(request: &HttpRequest) -> bool {
    let accepts = request.headers().get(header::ACCEPT).and_then(|it| it.to_str().ok());
    is_read(request) && accepts.is_some_and(|accepts| accepts.contains("text/html"))
}

fn is_read(request: &HttpRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

async fn file(app: &AppState, request: &HttpRequest, path: &str) -> Answer {
    let found = if is_read(request) { Site::now().find(path) } else { None };
    let found = found.ok_or_else(ApiError::no_such_path)?;
    let mut answer = HttpResponse::Ok();
    let coding = coding_for(request, &found);
    let tag = match coding {
        Some(coding) => format!("\"{}-{}\"", found.digest, coding.name()),
        None => format!("\"{}\"", found.digest),
    };
    answer
        .insert_header((header::ETAG, tag.clone()))
        .insert_header((header::CACHE_CONTROL, if found.is_for_good { FOR_GOOD } else { ASK }))
        .insert_header((VARY, "Accept-Encoding"))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy(&app.instance)))
        .content_type(found.mime.clone());
    if FOR_ALL.contains(&path) {
        answer
            .insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
            .insert_header((header::CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"));
    }
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    if known == Some(tag.as_str()) {
        return Ok(answer.status(StatusCode::NOT_MODIFIED).finish());
    }
    let Some(coding) = coding else { return Ok(answer.body(found.body.clone())) };
    let body = coded(&found, coding).await?;
    Ok(answer.insert_header((CONTENT_ENCODING, coding.name())).body(body))
}

/// The best coding that the browser accepts, for files that are worth compressing.
fn coding_for(request: &HttpRequest, file: &Asset) -> Option<Coding> {
    let is_text = file.mime.starts_with("text/") || file.mime.starts_with("image/svg");
    if !is_text || file.body.len() < SMALLEST_CODED {
        return None;
    }
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|it| it.to_str().ok())?;
    [Coding::Brotli, Coding::Gzip].into_iter().find(|coding| accepts(accepted, coding.name()))
}

/// Compresses a file, at its first request, on a thread for blocking work.
async fn coded(file: &Arc<Asset>, coding: Coding) -> Result<Bytes, ApiError> {
    let file = Arc::clone(file);
    let coded = tokio::task::spawn_blocking(move || file.coded(coding)).await;
    coded.map_err(|error| ApiError::fault(&error))
}
