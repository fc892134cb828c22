//! Shows images (`GET /images/…`) to anybody who knows the name. A name stands for its content, so
//! a browser that has the image never has to ask again.

use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::reply::Answer;
use crate::http::stored::{self, Stored};
use domain::attachment::ImageRef;
use media::name::ImageName;

/// The content security policy of images: nothing runs, even if the image is opened as a page.
const POLICY: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";
/// A year, the longest time that caches consider.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// `GET /images/:name` and `HEAD /images/:name`
pub(super) async fn show(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
) -> Answer {
    let name = ImageName::parse(&path).ok_or_else(ApiError::no_such_path)?;
    let image = ImageRef::from_path(&format!("{}{path}", ImageRef::FOLDER));
    if app.images.is_gone(&image.ok_or_else(ApiError::no_such_path)?).await? {
        return Err(ApiError::no_such_path());
    }
    let tag = format!("\"{}\"", name.text());
    let found = app.images.find(name).await?.ok_or_else(ApiError::no_such_path)?;
    let kind = found.name.format.media_type();
    let stored = Stored { file: found.file, length: found.length, tag };
    stored::answer(&request, stored, "image", |status| with_headers(status, kind))
}

fn with_headers(status: StatusCode, kind: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer
        .content_type(kind)
        .insert_header((header::CACHE_CONTROL, FOR_EVER))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY));
    answer
}
