//! Image uploads in two steps, as clients of the original service make them: a request tells the
//! addresses of an image before its bytes are sent. Responses have no envelope.
//!
//! The address for the bytes is signed, and nothing is stored before they come. Then the name of
//! the image, which is its digest, is noted with the user under the id in the addresses.

use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::pictures;
use crate::http::reply::Answer;
use crate::http::signed_links::{self, LinkQuery};
use actors::errand::Errand;
use actors::user::protocol::UserRefusal;
use base::bounds::turns::Owner;
use domain::file::FileId;
use domain::limits::IMAGE_BYTES;
use media::files::fresh_id;
use media::files::links::LinkTarget;
use media::intake::IntakeRefusal;
use wire::fields::{Fields, Problems};

/// Endings that clients give to images.
const EXTENSIONS: [&str; 5] = ["jpg", "jpeg", "png", "gif", "webp"];
/// Largest width and height in pixels that an address names.
const SIDE: u64 = 999_999;

/// `POST /uploads`
pub(super) async fn create(app: web::Data<AppState>, caller: Caller, body: Body) -> Answer {
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let mut fields = Fields::of(&fields, &mut problems);
    let extension = fields.required("extension", |named| {
        let named = named.trim_start_matches('.').to_ascii_lowercase();
        let known = EXTENSIONS.contains(&named.as_str());
        known.then_some(named).ok_or("must be jpg, jpeg, png, gif or webp")
    });
    let bytes = fields.amount("fileSize", u64::MAX);
    let width = fields.amount("width", SIDE);
    let height = fields.amount("height", SIDE);
    let extension = problems.or(extension)?;
    if bytes > IMAGE_BYTES as u64 {
        return Err(IntakeRefusal::TooLarge.into());
    }
    let picture = fresh_id();
    let place = format!("{}/uploads/{picture}", app.instance.public_url());
    let grant = signed_links::grant(&app, &caller);
    let query = signed_links::query(&app, &LinkTarget::Picture(picture), grant);
    Ok(HttpResponse::Created().json(json!({
        "uploadUrl": format!("{place}?{query}"),
        "renderUrl": format!("{place}/{width}x{height}.original.{extension}"),
        "thumbnailUrl": null,
        "transcriptUrl": null,
    })))
}

/// `PUT /uploads/:picture_id`: takes no token, since the address is signed.
pub(super) async fn put(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
    query: Query,
    payload: web::Payload,
) -> Answer {
    let link = LinkQuery::of(&query).ok_or_else(signed_links::refused)?;
    let picture = FileId::parse(&path).ok_or_else(signed_links::refused)?;
    let user = link.user(&app, Some(LinkTarget::Picture(picture.clone()))).await?;
    let upload = pictures::sent(&app, user, &request, payload).await?;
    // A client that got no response sends the bytes again.
    if pictures::uploaded(&app, user, picture.clone()).await?.is_none() {
        let image = app.images.keep(upload, Some(user)).await?;
        let named = app.directory.run(Errand::NamePicture { user, picture, image }).await;
        named.map_err(|failure| failure.map(|_| UserRefusal::Unknown))?;
    }
    Ok(HttpResponse::Created().finish())
}

/// `GET /uploads/:picture_id/:name`: leads to the image.
pub(super) async fn show(app: web::Data<AppState>, path: web::Path<(String, String)>) -> Answer {
    let (picture, name) = path.into_inner();
    let picture = FileId::parse(&picture).ok_or_else(ApiError::no_such_path)?;
    let image = pictures::uploaded(&app, Owner::Server, picture)
        .await?
        .ok_or_else(ApiError::no_such_path)?;
    let form = match name.split('.').nth(1) {
        Some("large") => ".large",
        Some("small") => ".preview",
        Some(_) | None => "",
    };
    let place = format!("{}{form}", app.instance.image_url(&image));
    Ok(HttpResponse::Found().insert_header((LOCATION, place)).finish())
}
