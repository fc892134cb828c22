//! The API of the file service that existing clients know: an upload is a job whose status is
//! polled, and responses have no envelope. Served below `/v1`, on any host.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::files::{self, no_file};
use crate::http::reply::Answer;
use crate::http::upload_right::{UploadRight, own_conversation};
use crate::http::uploads::refuse_tus;
use domain::file::{AttachedFile, FileId};
use domain::limits::ATTACHMENTS;
use wire::fields::{Fields, Problems, name};

/// `POST /v1/:conversation_id/files`
pub(super) async fn create(
    app: web::Data<AppState>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    query: Query,
    payload: web::Payload,
) -> Answer {
    refuse_tus(&request)?;
    let conv = own_conversation(&app, caller.user, &path).await?;
    let name = files::named(&query)?;
    let right = UploadRight { app: &app, caller, conv };
    let file = right.take_in(&request, name, payload).await?;
    let base = app.instance.public_url();
    let id = &file.id;
    // Clients take everything after the first `=` for the job.
    let status = format!("{base}/v1/{conv}/uploadStatus?job={id}");
    Ok(HttpResponse::Created().json(json!({"status_url": status})))
}

/// `GET /v1/:conversation_id/uploadStatus`: a file that exists is completely uploaded.
pub(super) async fn status(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let conv = own_conversation(&app, caller.user, &path).await?;
    let mut problems = Problems::default();
    let job = Fields::of(&query.0, &mut problems).required_text("job");
    let id = FileId::parse(&problems.or(job)?).ok_or_else(no_file)?;
    app.files.seen_by(caller.user, conv, &id).await?.ok_or_else(no_file)?;
    Ok(HttpResponse::Ok().json(json!({"status": "completed", "file_id": id.as_str()})))
}

/// `POST /v1/:conversation_id/fileData`: leaves out files that the caller cannot see.
pub(super) async fn data(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let conv = own_conversation(&app, caller.user, &path).await?;
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let asked = Fields::of(&fields, &mut problems).list("file_ids", ATTACHMENTS).to_vec();
    problems.or(Some(()))?;
    let mut shown: Vec<Value> = Vec::with_capacity(asked.len());
    for id in asked.iter().filter_map(name) {
        let Some(id) = FileId::parse(&id) else { continue };
        let Some(file) = app.files.seen_by(caller.user, conv, &id).await? else { continue };
        shown.push(file_data(&file));
    }
    Ok(HttpResponse::Ok().json(shown))
}

/// `GET /v1/:conversation_id/fileData/:file_id`
pub(super) async fn data_of(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (conv, id) = path.into_inner();
    let conv = own_conversation(&app, caller.user, &conv).await?;
    let id = FileId::parse(&id).ok_or_else(no_file)?;
    let file = app.files.seen_by(caller.user, conv, &id).await?.ok_or_else(no_file)?;
    Ok(HttpResponse::Ok().json(file_data(&file)))
}

/// A file in the shape of the original service, which sends the status of each file beside it.
fn file_data(file: &AttachedFile) -> Value {
    json!({"file_id": file.id.as_str(), "meta": 200, "file_data": {
        "file_name": file.name,
        "file_size": file.size,
        "mime_type": file.mime_type,
    }})
}

/// `GET` and `POST /v1/:conversation_id/files/:file_id`
pub(super) async fn show(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<(String, String)>,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    files::show(app, request, path, query).await
}
