//! Files of conversations: uploaded as a stream, and shown to everybody who can see a message with
//! them, by a token or by a link that was signed for a user.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    self, Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue,
};
use actix_web::{FromRequest, HttpRequest, HttpResponse, HttpResponseBuilder, web};
use serde_json::json;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::signed_links::{self, LinkQuery};
use crate::http::stored::{self, Stored};
use crate::http::upload_right::{UploadRight, own_conversation};
use crate::http::uploads::{self, UploadPart};
use ::wire::conversation_list::conversation;
use domain::file::{AttachedFile, FileId, file_name};
use domain::ids::Conversation;
use media::files::kind;
use media::files::links::LinkTarget;
use wire::attachment::shown_file;
use wire::fields::{Fields, Problems};

/// The content security policy of files that a browser shows: no scripts, and nothing is loaded.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; \
    base-uri 'none'; frame-ancestors 'self'; sandbox";
/// Caches must revalidate each time, since a deleted message takes its files with it.
const ASKED_AGAIN: &str = "private, no-cache";

/// `POST /conversations/:conversation_id/files`
pub(super) async fn create(
    app: web::Data<AppState>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    query: Query,
    payload: web::Payload,
) -> Answer {
    let part = UploadPart::of(&request)?;
    let conv = own_conversation(&app, caller.user, &path).await?;
    let name = named(&query)?;
    let right = UploadRight { app: &app, caller, conv };
    if let Some(part) = part {
        return uploads::begin(right, name, part, &request, payload).await;
    }
    let file = right.take_in(&request, name, payload).await?;
    Ok(reply::created(&json!({"file": shown_file(&file)})))
}

/// The file's name, as the query gives it.
pub(super) fn named(query: &Query) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let name = fields.text("name").unwrap_or_default();
    let name = fields.checked("name", file_name(&name));
    problems.or(name)
}

/// The conversation and the file that a path names.
type Place = web::Path<(String, String)>;

pub(super) fn no_file() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "there is no such file")
}

fn parse_path(path: Place) -> Result<(Conversation, FileId), ApiError> {
    let (conv, file) = path.into_inner();
    conversation(&conv).zip(FileId::parse(&file)).ok_or_else(no_file)
}

/// `GET /files/:conversation_id/:file_id` and `HEAD`
pub(super) async fn show(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: Place,
    query: Query,
) -> Answer {
    let place = parse_path(path);
    let reader = match LinkQuery::of(&query) {
        Some(link) => {
            let named = place.as_ref().ok().cloned();
            link.user(&app, named.map(|(conv, id)| LinkTarget::File(conv, id))).await?
        }
        None => Caller::extract(&request).await?.user,
    };
    let (conv, id) = place?;
    let file = app.files.seen_by(reader, conv, &id).await?.ok_or_else(no_file)?;
    let content = app.files.read(&file).await?;
    let tag = format!("\"{}\"", file.digest);
    let stored = Stored { file: content, length: file.size, tag };
    stored::answer(&request, stored, "file", |status| with_headers(status, &file))
}

fn with_headers(status: StatusCode, file: &AttachedFile) -> HttpResponseBuilder {
    let shown = match kind::is_shown(&file.mime_type) {
        true => DispositionType::Inline,
        false => DispositionType::Attachment,
    };
    let disposition = ContentDisposition { disposition: shown, parameters: named_as(&file.name) };
    // `kind` takes for text what begins as UTF-8.
    let charset = if file.mime_type.starts_with("text/") { "; charset=utf-8" } else { "" };
    let mut answer = HttpResponse::build(status);
    answer
        .content_type(format!("{}{charset}", file.mime_type))
        .insert_header(disposition)
        .insert_header((header::CACHE_CONTROL, ASKED_AGAIN))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY));
    answer
}

/// The name under which browsers save a file. A name that is not ASCII comes in two forms, and so
/// does one that browsers would read in different ways: some decode percent signs, some take a
/// backslash as it is (RFC 6266, appendix D).
fn named_as(name: &str) -> Vec<DispositionParam> {
    let is_unclear = |sign: char| !matches!(sign, ' '..='~') || matches!(sign, '%' | '\\');
    if !name.contains(is_unclear) {
        return vec![DispositionParam::Filename(name.to_owned())];
    }
    let plain = name.replace(is_unclear, "_");
    let charset = Charset::Ext("UTF-8".to_owned());
    let value = name.as_bytes().to_vec();
    let whole = ExtendedValue { charset, language_tag: None, value };
    vec![DispositionParam::Filename(plain), DispositionParam::FilenameExt(whole)]
}

/// `POST /files/:conversation_id/:file_id/link`
pub(super) async fn link(app: web::Data<AppState>, caller: Caller, path: Place) -> Answer {
    let (conversation, file) = parse_path(path)?;
    let found = app.files.seen_by(caller.user, conversation, &file).await?;
    found.ok_or_else(no_file)?;
    let grant = signed_links::grant(&app, &caller);
    let expires = grant.expires;
    let path = format!("/v3/files/{conversation}/{file}");
    let query = signed_links::query(&app, &LinkTarget::File(conversation, file), grant);
    let url = format!("{}{path}?{query}", app.instance.public_url());
    Ok(reply::created(&json!({"url": url, "expires_at": expires})))
}

/// `GET /limits`
pub(super) async fn limits(app: web::Data<AppState>, caller: Caller) -> Answer {
    let used = app.files.owned(caller.user).await?;
    let limits = app.files.limits;
    let told = json!({
        "file_limit": limits.file,
        "file_quota": limits.quota,
        "file_used": used,
    });
    Ok(reply::ok(&told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclear_file_names_come_in_two_forms() {
        let header = |name: &str| {
            let disposition = DispositionType::Attachment;
            let parameters = named_as(name);
            ContentDisposition { disposition, parameters }.to_string()
        };
        assert_eq!(header("rope at 6.bin"), "attachment; filename=\"rope at 6.bin\"");
        for (name, plain, whole) in [
            ("a%20b.bin", "a_20b.bin", "a%2520b.bin"),
            ("100%.txt", "100_.txt", "100%25.txt"),
            ("a\\b", "a_b", "a%5Cb"),
            ("\u{e4}.txt", "_.txt", "%C3%A4.txt"),
            ("a\u{7f}", "a_", "a%7F"),
        ] {
            let expected = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}");
            assert_eq!(header(name), expected, "{name:?}");
        }
    }
}
