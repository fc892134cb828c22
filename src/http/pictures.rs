//! Receives images (`POST /pictures`): as the whole body under any Content-Type, as a form's field
//! `file`, or as the URL of an image elsewhere.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use serde_json::json;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::multipart;
use crate::http::reply::Answer;
use base::bounds::turns::Owner;
use domain::attachment::ImageRef;
use domain::file::FileId;
use domain::ids::UserId;
use domain::limits::IMAGE_BYTES;
use media::PictureError;
use media::intake::{Intake, IntakeRefusal, Upload};
use outgoing::{FetchLimits, LongerBody, OutgoingFault};
use wire::attachment::NOT_OURS;
use wire::fields::{Fields, Problems};

/// Time limit for fetching an image by URL.
const FETCHED_WITHIN: Duration = Duration::from_secs(20);

/// `POST /pictures`
pub(super) async fn create(
    app: web::Data<AppState>,
    caller: Caller,
    request: HttpRequest,
    query: Query,
    payload: web::Payload,
) -> Answer {
    let mut problems = Problems::default();
    let elsewhere = Fields::of(&query.0, &mut problems).text("url");
    problems.or(Some(()))?;
    let image = match elsewhere {
        Some(url) => fetched(&app, caller.user, ("url", &url), Formats::All).await?,
        None => {
            let upload = sent(&app, caller.user, &request, payload).await?;
            app.images.keep(upload, Some(caller.user)).await?
        }
    };
    let url = app.instance.image_url(&image);
    Ok(HttpResponse::Ok().json(json!({"payload": {"url": url, "picture_url": url}})))
}

/// Receives the image in the body, as an upload of this user.
pub(super) async fn sent(
    app: &AppState,
    user: UserId,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<Upload, ApiError> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    let announced: Option<usize> = announced.and_then(|it| it.parse().ok());
    if announced.is_some_and(|bytes| bytes > IMAGE_BYTES + multipart::WRAPPING) {
        return Err(IntakeRefusal::TooLarge.into());
    }
    let intake = app.images.intake(user)?;
    received(intake, request, payload).await
}

/// The formats that are accepted from a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formats {
    /// Every format that the server can read.
    All,
    /// Those that the specification allows for avatars: JPEG, PNG and GIF.
    Avatars,
}

/// Fetches an image by URL for a user, and stores it.
///
/// # Errors
/// 400 that names the field, if the URL cannot be fetched or is no usable image.
pub(super) async fn fetched(
    app: &AppState,
    sender: UserId,
    (field, url): (&str, &str),
    formats: Formats,
) -> Result<ImageRef, ApiError> {
    let mut intake = app.images.intake(sender)?;
    intake.hold_most()?;
    let limits =
        FetchLimits { bytes: IMAGE_BYTES, time: FETCHED_WITHIN, longer: LongerBody::Refused };
    let fetched = app.outgoing.fetch(sender.into(), url, limits).await.map_err(|fault| {
        if let OutgoingFault::Refused(refusal) = &fault {
            return Problems::one(format!("{field} {refusal}"));
        }
        Problems::one(format!("{field} cannot be fetched: {fault}"))
    })?;
    intake.add(&fetched.body)?;
    let upload = intake.finish(0..fetched.body.len());
    let unusable =
        |why: &dyn std::fmt::Display| Problems::one(format!("{field} cannot be used: {why}"));
    if formats == Formats::Avatars && upload.is_webp() {
        return Err(unusable(&"an avatar is a JPEG, PNG or GIF image").into());
    }
    app.images.keep(upload, Some(sender)).await.map_err(|error| match error {
        PictureError::Refused(refusal) => unusable(&refusal).into(),
        PictureError::Busy | PictureError::Fault(_) => error.into(),
    })
}

/// Reads the body to its end, and finds the image in it.
async fn received(
    mut intake: Intake,
    request: &HttpRequest,
    mut payload: web::Payload,
) -> Result<Upload, ApiError> {
    while let Some(read) = payload.next().await {
        intake.add(&read.map_err(|_| malformed("the body could not be read"))?)?;
    }
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let part = match content_type.and_then(multipart::boundary) {
        Some(boundary) => multipart::file(intake.bytes(), &boundary)
            .ok_or_else(|| malformed("the form has no file in a field called file"))?,
        None => 0..intake.bytes().len(),
    };
    if part.is_empty() {
        return Err(malformed("the body must be the bytes of an image"));
    }
    Ok(intake.finish(part))
}

fn malformed(reason: &str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, reason)
}

/// Looks up images under this server's address, each with the name of its field: replaces those
/// that are named by the id of an upload, and refuses those that were never stored here or were
/// removed with the message that showed them.
///
/// # Errors
/// 400 that names every field with a refused image; if the index cannot be read.
pub(super) async fn look_up<'a>(
    app: &AppState,
    user: Option<UserId>,
    named: impl IntoIterator<Item = (String, &'a mut ImageRef)>,
) -> Result<(), ApiError> {
    let owner = user.map_or(Owner::Server, Owner::User);
    let mut problems = Problems::default();
    for (field, image) in named {
        if let Some(picture) = image.uploaded_as()
            && let Some(stored) = uploaded(app, owner, picture).await?
        {
            *image = stored;
        }
        if !app.images.has(image).await? {
            problems.add(format!("{field} {NOT_OURS}"));
        }
    }
    Ok(problems.or(Some(()))?)
}

/// The image that was uploaded under this id; `None` if there is none.
///
/// # Errors
/// If the index cannot be read.
pub(super) async fn uploaded(
    app: &AppState,
    owner: impl Into<Owner>,
    picture: FileId,
) -> Result<Option<ImageRef>, ApiError> {
    let archive = &app.directory.context().archive;
    Ok(archive.read_current(owner, move |archive| archive.index.picture(&picture)).await?)
}
