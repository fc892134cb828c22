//! Resumable uploads, as in the IETF's draft (`draft-ietf-httpbis-resumable-upload`), without its
//! interim responses: a client that wants to be able to resume begins the upload without any bytes,
//! and then appends them.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, LOCATION};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use serde_json::json;

use crate::http::access;
use crate::http::app_state::AppState;
use crate::http::caller::Caller;
use crate::http::deadlines::ClientDeadline;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::upload_right::{UploadRight, announced_size};
use domain::file::FileId;
use media::files::intake::PIECE;
use media::files::partial::{NewPartial, PartialError, PartialState, PartialUpload, PartialWriter};
use wire::attachment::shown_file;

const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const COMPLETE: HeaderName = HeaderName::from_static("upload-complete");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const LIMIT: HeaderName = HeaderName::from_static("upload-limit");
const TUS: HeaderName = HeaderName::from_static("tus-resumable");

/// The headers of a request about its part of an upload.
pub(super) struct UploadPart {
    /// Whether the upload is complete with this part.
    pub(super) is_last: bool,
    /// The length of the whole upload, if the client gave it.
    length: Option<u64>,
}

impl UploadPart {
    /// Reads the headers; `None` if the request is the whole upload.
    pub(super) fn of(request: &HttpRequest) -> Result<Option<Self>, ApiError> {
        refuse_tus(request)?;
        let Some(complete) = request.headers().get(COMPLETE) else { return Ok(None) };
        let is_last = match complete.as_bytes() {
            b"?1" => true,
            b"?0" => false,
            _ => return Err(bad("upload-complete must be ?0 or ?1")),
        };
        Ok(Some(Self { is_last, length: number(request, &LENGTH)? }))
    }
}

/// Refuses requests of the tus protocol, which begin uploads without bytes and would leave empty
/// files.
///
/// # Errors
/// 412 if the request has the header `Tus-Resumable`.
pub(super) fn refuse_tus(request: &HttpRequest) -> Result<(), ApiError> {
    if !request.headers().contains_key(TUS) {
        return Ok(());
    }
    let reason = "tus-resumable: not supported; uploads resume as in \
                  draft-ietf-httpbis-resumable-upload";
    Err(ApiError::new(StatusCode::PRECONDITION_FAILED, reason))
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

/// Begins an upload with the bytes that a `POST` of a file brought. If they cannot be received, the
/// upload ends, since the client does not know its address.
pub(super) async fn begin(
    right: UploadRight<'_>,
    name: String,
    part: UploadPart,
    request: &HttpRequest,
    payload: web::Payload,
) -> Answer {
    let files = &right.app.files;
    let owner = right.caller.user;
    let place = files.adding_place(owner)?;
    let new = NewPartial { owner, stream: right.conv.into(), name, length: part.length };
    let upload = files.begin_partial(new).await?;
    let received = async {
        let writer = files.add_to_partial(Arc::clone(&upload), 0, place, || false).await?;
        let body = Body { size: announced_size(request), payload, is_last: part.is_last };
        receive(&right, writer, body).await
    };
    let state = match received.await {
        Ok(state) => state,
        Err(error) => {
            files.end_partial(upload).await?;
            return Err(error);
        }
    };
    let mut answer = told(right.app, StatusCode::CREATED, &upload.id, &state)?;
    let path = format!("{}/v3/uploads/{}", right.app.instance.public_url(), upload.id);
    set(&mut answer, LOCATION, &path);
    Ok(answer)
}

/// The body of a request that adds to an upload.
struct Body {
    /// Its size in bytes, if announced.
    size: Option<u64>,
    payload: web::Payload,
    /// Whether the upload is complete with it.
    is_last: bool,
}

/// Appends the body, and completes the upload after the last part. Returns the state afterwards. If
/// the connection breaks or another request resumes the upload, the bytes received so far are kept.
async fn receive(
    right: &UploadRight<'_>,
    mut writer: PartialWriter,
    body: Body,
) -> Result<PartialState, ApiError> {
    let Body { size, payload, is_last } = body;
    let received = match writer.expect(size.unwrap_or_default()).await {
        Ok(()) => pieces(right, &mut writer, payload).await,
        Err(error) => Err(error.into()),
    };
    let received = match received {
        Ok(()) if is_last => writer.finish().await.map_err(ApiError::from),
        other => other,
    };
    // What was received stays, also if the last part was not the last byte.
    let state = writer.stop(received.is_ok()).await?;
    received.map(|()| state)
}

/// Appends the body, and checks the caller's right at each piece and at the end.
async fn pieces(
    right: &UploadRight<'_>,
    writer: &mut PartialWriter,
    mut payload: web::Payload,
) -> Result<(), ApiError> {
    let mut unchecked = 0;
    loop {
        let read = tokio::select! {
            biased;
            () = writer.superseded() => return Err(bad("another request is changing the upload")),
            read = payload.next() => read,
        };
        match read {
            None => return right.check().await,
            Some(Ok(bytes)) => {
                unchecked += bytes.len();
                if unchecked >= PIECE {
                    right.check().await?;
                    unchecked = 0;
                }
                writer.add(&bytes).await?;
            }
            Some(Err(_)) => return Err(bad("the body could not be read")),
        }
    }
}

/// The state of an upload, in headers and in the body. The body of the response that completes an
/// upload has the file as after an upload in one request.
fn told(app: &AppState, status: StatusCode, id: &FileId, state: &PartialState) -> Answer {
    let PartialState { offset, length, file } = state;
    let mut shown = json!({"upload": {
        "upload_id": id.as_str(),
        "offset": offset,
        "length": length,
        "file": file.as_ref().map(shown_file),
    }});
    if status == StatusCode::CREATED
        && let Some(file) = file
    {
        shown["file"] = json!(shown_file(file));
    }
    let mut answer = reply::of(status, &shown)?;
    set(&mut answer, OFFSET, &offset.to_string());
    set(&mut answer, COMPLETE, if file.is_some() { "?1" } else { "?0" });
    set(&mut answer, LIMIT, &format!("max-size={}", app.files.limits.file));
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
            PartialError::Ended => no_upload(),
            PartialError::Length(_) | PartialError::HungUp => {
                Self::new(StatusCode::BAD_REQUEST, error)
            }
            PartialError::File(error) => error.into(),
        }
    }
}

fn no_upload() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "there is no such upload")
}

async fn own(app: &AppState, caller: &Caller, path: &str) -> Result<Arc<PartialUpload>, ApiError> {
    let id = FileId::parse(path).ok_or_else(no_upload)?;
    let upload = app.files.partial(caller.user, &id).await?.ok_or_else(no_upload)?;
    let conversation = upload.conversation().ok_or_else(no_upload)?;
    access::permit_writing(caller, conversation)?;
    Ok(upload)
}

/// `GET /uploads/:upload_id` and `HEAD`: ends a request that still adds to the upload, so that the
/// server accepts the offset that it announces.
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let upload = own(&app, &caller, &path).await?;
    let state = app.files.pause_partial(&upload).await?;
    told(&app, StatusCode::OK, &upload.id, &state)
}

/// `PATCH /uploads/:upload_id`
pub(super) async fn go_on(
    app: web::Data<AppState>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    payload: web::Payload,
) -> Answer {
    let part = UploadPart::of(&request)?;
    let upload = own(&app, &caller, &path).await?;
    let offset = number(&request, &OFFSET)?.ok_or_else(|| bad("upload-offset is required"))?;
    let part = part.ok_or_else(|| bad("upload-complete is required"))?;
    let conv = upload.conversation().ok_or_else(no_upload)?;
    let right = UploadRight { app: &app, caller, conv };
    right.check().await?;
    let place = app.files.adding_place(caller.user)?;
    let connection = request.conn_data::<ClientDeadline>();
    let has_hung_up = || connection.is_some_and(ClientDeadline::is_closed);
    let adding = app.files.add_to_partial(Arc::clone(&upload), offset, place, has_hung_up);
    let writer = adding.await?;
    let body = Body { size: announced_size(&request), payload, is_last: part.is_last };
    let state = receive(&right, writer, body).await?;
    let status = if state.file.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    told(&app, status, &upload.id, &state)
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
