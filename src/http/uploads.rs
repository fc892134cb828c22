//! Resumable uploads, as in the IETF's draft (`draft-ietf-httpbis-resumable-upload`), without its
//! interim responses: a client that wants to be able to resume begins the upload without any bytes,
//! and then appends them.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue, LOCATION};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use serde_json::json;

use crate::auth::keyring::Caller;
use crate::domain::file::FileId;
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::media::files::partial::{
    NewPartial, PartialError, PartialState, PartialUpload, PartialWriter,
};
use crate::wire::attachment::shown_file;

const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const COMPLETE: HeaderName = HeaderName::from_static("upload-complete");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const LIMIT: HeaderName = HeaderName::from_static("upload-limit");

/// What the headers of a request say about its part of an upload.
pub(super) struct UploadPart {
    /// Whether the upload is complete with this part.
    pub(super) is_last: bool,
    /// The length of the whole upload, if the client gave it.
    length: Option<u64>,
}

impl UploadPart {
    /// Reads the headers; `None` if the request is the whole upload.
    pub(super) fn of(request: &HttpRequest) -> Result<Option<Self>, ApiError> {
        let Some(complete) = request.headers().get(COMPLETE) else { return Ok(None) };
        let is_last = match complete.as_bytes() {
            b"?1" => true,
            b"?0" => false,
            _ => return Err(bad("upload-complete must be ?0 or ?1")),
        };
        Ok(Some(Self { is_last, length: number(request, &LENGTH)? }))
    }
}

fn bad(reason: &'static str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, reason)
}

fn number(request: &HttpRequest, name: &HeaderName) -> Result<Option<u64>, ApiError> {
    let Some(value) = request.headers().get(name) else { return Ok(None) };
    let read = value.to_str().ok().and_then(|it| it.parse().ok());
    let wrong = || ApiError::new(StatusCode::BAD_REQUEST, format!("{name} must be a number"));
    read.ok_or_else(wrong).map(Some)
}

/// Begins an upload with the bytes that a `POST` of a file brought.
pub(super) async fn begin(
    app: &AppState,
    new: NewPartial,
    (part, payload): (UploadPart, web::Payload),
) -> Answer {
    let new = NewPartial { length: part.length, ..new };
    let upload = app.files.begin_partial(new).await?;
    let writer = app.files.add_to_partial(Arc::clone(&upload), 0).await?;
    receive(writer, payload, part.is_last).await?;
    let mut answer = told(app, StatusCode::CREATED, &upload)?;
    let path = format!("{}/v3/uploads/{}", app.instance.public_url(), upload.id);
    set(&mut answer, LOCATION, &path);
    Ok(answer)
}

/// Appends the body, and completes the upload after the last part. If the connection breaks or
/// another request resumes the upload, the bytes received so far are kept.
async fn receive(
    mut writer: PartialWriter,
    payload: web::Payload,
    is_last: bool,
) -> Result<(), ApiError> {
    match pieces(&mut writer, payload).await {
        Ok(true) if is_last => drop(writer.finish().await?),
        Ok(true) => drop(writer.stop().await?),
        Ok(false) => {
            writer.stop().await?;
            return Err(bad("the body could not be read"));
        }
        Err(error) => {
            writer.stop().await?;
            return Err(error.into());
        }
    }
    Ok(())
}

/// Appends the body; returns whether it arrived completely.
async fn pieces(
    writer: &mut PartialWriter,
    mut payload: web::Payload,
) -> Result<bool, PartialError> {
    loop {
        let read = tokio::select! {
            read = payload.next() => read,
            () = writer.superseded() => return Ok(false),
        };
        match read {
            None => return Ok(true),
            Some(Ok(bytes)) => writer.add(&bytes).await?,
            Some(Err(_)) => return Ok(false),
        }
    }
}

/// The state of an upload, in headers and in the body.
fn told(app: &AppState, status: StatusCode, upload: &PartialUpload) -> Answer {
    let PartialState { offset, length, file } = upload.state();
    let shown = json!({"upload": {
        "upload_id": upload.id.as_str(),
        "offset": offset,
        "length": length,
        "file": file.as_ref().map(shown_file),
    }});
    let mut answer = reply::of(status, &shown)?;
    set(&mut answer, OFFSET, &offset.to_string());
    set(&mut answer, COMPLETE, if file.is_some() { "?1" } else { "?0" });
    set(&mut answer, LIMIT, &format!("max-size={}", app.files.limits.file));
    set(&mut answer, CACHE_CONTROL, "no-store");
    if let Some(length) = length {
        set(&mut answer, LENGTH, &length.to_string());
    }
    Ok(answer)
}

fn set(answer: &mut HttpResponse, name: HeaderName, value: &str) {
    // All values are digits, or URLs that were checked at the start of the server.
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(name, value);
    }
}

impl From<PartialError> for ApiError {
    fn from(error: PartialError) -> Self {
        match error {
            PartialError::Offset(offset) => {
                Self::new(StatusCode::CONFLICT, error).with_header(OFFSET, offset)
            }
            PartialError::Complete => Self::new(StatusCode::CONFLICT, error),
            PartialError::Length(_) => Self::new(StatusCode::BAD_REQUEST, error),
            PartialError::File(error) => error.into(),
        }
    }
}

fn no_upload() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "there is no such upload")
}

async fn own(app: &AppState, caller: &Caller, path: &str) -> Result<Arc<PartialUpload>, ApiError> {
    let id = FileId::parse(path).ok_or_else(no_upload)?;
    app.files.partial(caller.user, &id).await?.ok_or_else(no_upload)
}

/// `GET /uploads/:upload_id` and `HEAD`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    told(&app, StatusCode::OK, &*own(&app, &caller, &path).await?)
}

/// `PATCH /uploads/:upload_id`
pub(super) async fn go_on(
    app: web::Data<AppState>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    payload: web::Payload,
) -> Answer {
    let upload = own(&app, &caller, &path).await?;
    let offset = number(&request, &OFFSET)?.ok_or_else(|| bad("upload-offset is required"))?;
    let part = UploadPart::of(&request)?.ok_or_else(|| bad("upload-complete is required"))?;
    let writer = app.files.add_to_partial(Arc::clone(&upload), offset).await?;
    receive(writer, payload, part.is_last).await?;
    told(&app, StatusCode::OK, &upload)
}

/// `DELETE /uploads/:upload_id`
pub(super) async fn end(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let upload = own(&app, &caller, &path).await?;
    app.files.end_partial(upload).await?;
    Ok(HttpResponse::NoContent().finish())
}
