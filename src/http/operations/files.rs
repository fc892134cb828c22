//! Files of conversations.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use crate::http::operations::least_one;
use crate::http::response_headers::{LOCATION, UPLOAD, UPLOAD_OFFSET};
use wire::schema::{id, list, named, number, object, one_of, seconds, text, with_optional, words};

const TAG: &str = "Files";

pub(in crate::http) fn create() -> Operation {
    Operation::of(TAG, "Uploads a file")
        .detail(
            "The body is the file itself, with any Content-Type; the type is detected from the \
             content. It is stored as it arrives, so it may be as large as `GET /v3/limits` says. \
             The response is sent once the file is on stable storage. Only you see the file until \
             a message of this conversation carries it; it is deleted if none does within a day. A \
             large upload may take as long as it needs, at 64 KiB a minute or faster. Takes no \
             `Idempotency-Key`: the same content again takes no space. With `Upload-Complete: ?0` \
             the request begins a resumable upload (`draft-ietf-httpbis-resumable-upload`): \
             `Upload-Length` announces its size in bytes, and `Location` of the response says \
             where to continue. There are no interim responses, so begin with an empty body. A \
             resumable upload expires after a day.",
        )
        .query("name", words("File name; leading folders are removed.", 255))
        .bytes()
        .gives(201, json!({"anyOf": [named("UploadedFile", object([("file", file())])), partial(), completed()]}))
        .with_headers(201, &UPLOAD)
        .with_headers(201, &[LOCATION])
        .refuses(404, "No such conversation, or you are not in it.")
        .refuses(412, NO_TUS)
        .refuses(413, "A limit is exceeded; the error begins with `file_limit` or `file_quota`.")
        .refuses(429, TOO_MANY)
}

/// The schema of a resumable upload.
fn partial() -> Value {
    named("PartialUpload", upload_fields())
}

fn upload_fields() -> Value {
    object([(
        "upload",
        object([
            ("upload_id", text("The upload's id.")),
            ("offset", number("Bytes received so far: the offset of the next one to send.")),
            (
                "length",
                json!({"type": ["integer", "null"], "description": "Bytes of the file; null if unknown."}),
            ),
            ("file", json!({"anyOf": [file(), {"type": "null"}]})),
        ]),
    )])
}

/// The schema of the response that completes an upload.
fn completed() -> Value {
    named("CompletedUpload", with_file(upload_fields()))
}

fn with_file(mut upload: Value) -> Value {
    upload["properties"]["file"] = file();
    if let Some(required) = upload["required"].as_array_mut() {
        required.push(json!("file"));
    }
    upload
}

const NO_TUS: &str = "The request has `Tus-Resumable`: the tus protocol is not supported.";
const TOO_MANY: &str = "Too many of your requests bring files at this time; the error begins with \
                        `file_uploads`.";
const NO_UPLOAD: &str = "You have no such upload, or it has expired.";

pub(in crate::http) fn upload() -> Operation {
    Operation::of(TAG, "Shows the state of an upload")
        .detail(
            "The state is also in the headers `Upload-Offset`, `Upload-Complete`, `Upload-Length` \
             and `Upload-Limit`. Once the upload is complete, `file` shows the resulting file for \
             a day, in case the response was lost.",
        )
        .gives(200, partial())
        .with_headers(200, &UPLOAD)
        .refuses(404, NO_UPLOAD)
}

pub(in crate::http) fn upload_head() -> Operation {
    Operation::of(TAG, "Shows the state of an upload in headers")
        .without_body(
            200,
            "See `Upload-Offset`, `Upload-Complete`, `Upload-Length` and `Upload-Limit`.",
        )
        .with_headers(200, &UPLOAD)
        .refuses(404, NO_UPLOAD)
}

pub(in crate::http) fn go_on() -> Operation {
    Operation::of(TAG, "Continues an upload")
        .detail(
            "The body is the next part. `Upload-Offset` is the offset at which it begins, and \
             `Upload-Complete` is `?1` if it is the last part, otherwise `?0`. Bytes that arrived \
             before a connection broke are kept, also across a restart of the server. The request \
             ends an earlier one that is still sending. After the last part the response has the \
             file, as after an upload in one request.",
        )
        .bytes()
        .gives(200, partial())
        .with_headers(200, &UPLOAD)
        .gives(201, completed())
        .with_headers(201, &UPLOAD)
        .with_headers(409, &[UPLOAD_OFFSET])
        .refuses(400, "A header is missing or invalid, or the announced length is not met.")
        .refuses(404, NO_UPLOAD)
        .refuses(
            409,
            "The upload is complete, or the offset is wrong; `Upload-Offset` has the right one.",
        )
        .refuses(412, NO_TUS)
        .refuses(413, "A limit is exceeded; the error begins with `file_limit` or `file_quota`.")
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn end_upload() -> Operation {
    Operation::of(TAG, "Cancels an upload")
        .detail("The file of a complete upload is kept.")
        .without_body(204, "The upload is cancelled.")
        .refuses(404, NO_UPLOAD)
}

const SERVICE: &str = "The response has no envelope, as clients of the file service expect. Takes \
                       no `Idempotency-Key`.";

pub(in crate::http) fn service_create() -> Operation {
    Operation::of(TAG, "Uploads a file as a job")
        .detail(SERVICE)
        .query("name", words("File name.", 255))
        .bytes()
        .without_envelope(
            201,
            "The job.",
            object([("status_url", text("URL of the job's status."))]),
        )
        .refuses(404, "No such conversation, or you are not in it.")
        .refuses(412, NO_TUS)
        .refuses(413, "A limit is exceeded; the error begins with `file_limit` or `file_quota`.")
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn service_status() -> Operation {
    let done =
        object([("status", json!({"const": "completed"})), ("file_id", text("The file's id."))]);
    Operation::of(TAG, "Shows the status of an upload job")
        .detail(SERVICE)
        .needs("job", text("The `job` of the `status_url`."))
        .without_envelope(200, "The upload is complete.", done)
        .refuses(404, "No such job.")
}

fn file_data() -> Value {
    let data = object([
        ("file_name", text("File name.")),
        ("file_size", number("Size in bytes.")),
        ("mime_type", text("Media type of the content.")),
    ]);
    let file = object([
        ("file_id", text("The file's id.")),
        ("meta", number("The status of this file, as an HTTP status.")),
        ("file_data", data),
    ]);
    named("ServiceFile", file)
}

pub(in crate::http) fn service_data_of() -> Operation {
    Operation::of(TAG, "Shows name, size and type of a file")
        .detail(SERVICE)
        .without_envelope(200, "The file.", file_data())
        .refuses(404, "No such file in a conversation that you are in.")
}

pub(in crate::http) fn service_data() -> Operation {
    Operation::of(TAG, "Shows names, sizes and types of files")
        .detail(SERVICE)
        .body(named(
            "FileIds",
            with_optional(object([]), [("file_ids", list(text("Id of a file.")))]),
        ))
        .without_envelope(200, "The files that you may see.", list(file_data()))
        .refuses(404, "No such conversation, or you are not in it.")
}

pub(in crate::http) fn service_show() -> Operation {
    download("Downloads a file, at the path of the file service")
}

pub(in crate::http) fn service_show_posted() -> Operation {
    download("Downloads a file by POST, at the path of the file service")
        .detail("Same as GET. Takes no `Idempotency-Key`: it changes nothing.")
}

/// The schema of a file in responses to uploads.
fn file() -> Value {
    let told = object([
        ("type", json!({"const": "file"})),
        ("file_id", text("The file's id in its conversation.")),
        ("name", text("File name.")),
        ("size", number("Size in bytes.")),
        ("mime_type", text("Media type of the content.")),
    ]);
    let told = with_optional(told, [("duration", number("Duration of a recording in seconds."))]);
    named("ConversationFile", told)
}

pub(in crate::http) fn show() -> Operation {
    download("Downloads a file")
}

pub(in crate::http) fn show_head() -> Operation {
    download("Shows the headers of a file")
}

fn download(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .detail(
            "Available to everyone who can see a message with the file, and to its uploader before \
             it is sent; with a token or a signed link. Images, audio, video and PDF may be shown \
             inline, in a sandbox; everything else is a download.",
        )
        .query("signature", text("Signature of a signed link."))
        .query("user_id", id("User for whom a link was signed."))
        .query("expires_at", seconds("When a signed link expires."))
        .with_media_type(200, "The file.", "*/*", json!({}))
        .with_media_type(206, "The part that `Range` requested.", "*/*", json!({}))
        .without_body(304, "The client's copy is current.")
        .refuses(403, "The link has expired or was altered.")
        .refuses(404, "No such file, or you may not see it.")
        .refuses(412, "`If-Match` names other content.")
        .refuses(416, "The file does not have these bytes.")
}

pub(in crate::http) fn link() -> Operation {
    let told = object([
        ("url", text("URL of the file, which needs no token.")),
        ("expires_at", seconds("When the link expires, an hour after it was created.")),
    ]);
    Operation::of(TAG, "Creates a signed link to a file, which needs no token")
        .detail(
            "For `<img>`, `<video>` and the like. The link gives your own access: it stops working \
             once you are out of the conversation or the message is deleted. Takes no \
             `Idempotency-Key`: every request creates another link.",
        )
        .gives(201, told)
        .refuses(404, "No such file, or you may not see it.")
}

pub(in crate::http) fn gallery() -> Operation {
    let told = object([("messages", list(json!({"type": "object"})))]);
    Operation::of(TAG, "Lists messages with images, videos, files or links")
        .detail(
            "Newest first. Each message has `gallery_ts`, its position in the gallery: send that \
             of the last message as `before` for the next page. Without `has`: messages with \
             images or videos.",
        )
        .query("before", text("Only messages before this time (ISO 8601)."))
        .query("after", text("Only messages after this time (ISO 8601)."))
        .query("limit", least_one("Maximum number of messages.", 100, Some(100)))
        .query("has", one_of(&["image", "video", "file", "link"]))
        .gives(200, told)
        .refuses(404, "No such conversation, or you are not in it.")
}

pub(in crate::http) fn limits() -> Operation {
    let told = object([
        ("file_limit", number("Maximum size of one file, in bytes.")),
        ("file_quota", number("Maximum size of all your files together, in bytes.")),
        ("file_used", number("Present size of all your files, in bytes.")),
    ]);
    Operation::of(TAG, "Shows how much you may upload").gives(200, told)
}
