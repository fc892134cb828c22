//! QR codes of links, at the paths that clients of the original service know. They need no token,
//! since a code shows nothing but the link, which is in its own path.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::reply::Answer;
use actors::group::protocol::ViewShared;
use domain::group::JoinRefusal;
use domain::ids::{GroupId, UserId};
use media::qr;

/// Longest token of a link to a user, in characters.
const TOKEN_CHARS: usize = 64;
/// How long a client may keep a code: a share link can be withdrawn.
const CACHED: &str = "public, max-age=300";

/// `GET /qr/join_group/:group_id/:share_token/preview`
pub(super) async fn group(app: web::Data<AppState>, path: web::Path<(String, String)>) -> Answer {
    let (group, token) = path.into_inner();
    let id: GroupId = group.parse().map_err(|_| JoinRefusal::NoSuchGroup)?;
    app.directory.ask(id, ViewShared { token: token.clone(), viewer: None }).await?;
    code(&app.instance.share_url(id, &token))
}

/// `GET /qr/contact/:user_id/:token/preview`
pub(super) async fn contact(app: web::Data<AppState>, path: web::Path<(String, String)>) -> Answer {
    let (user, token) = path.into_inner();
    let id: UserId = user.parse().map_err(|_| ApiError::no_such_path())?;
    let is_token =
        token.len() <= TOKEN_CHARS && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_token {
        return Err(ApiError::no_such_path());
    }
    code(&app.instance.contact_url(id, &token))
}

fn code(link: &str) -> Answer {
    let png = qr::png(link).ok_or_else(ApiError::no_such_path)?;
    Ok(HttpResponse::Ok()
        .content_type("image/png")
        .insert_header((CACHE_CONTROL, CACHED))
        .body(png))
}
