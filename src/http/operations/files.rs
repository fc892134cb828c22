//! Files of conversations.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use crate::http::operations::least_one;
use crate::wire::schema::{id, list, number, object, one_of, seconds, text, with_optional, words};

const TAG: &str = "Files";

pub(in crate::http) fn create() -> Operation {
    Operation::of(TAG, "Uploads a file")
        .detail(
            "The body is the file itself, under any Content-Type: it is written as it comes, so \
             it may be as large as `GET /v3/limits` says. What it is, its content tells. The \
             answer comes when it is on stable storage; it is yours alone until a message of \
             this conversation carries it, and gone after a day in which none did. A large one \
             may take as long as it needs, at 64 KiB a minute or faster. Takes no \
             `Idempotency-Key`: the same content again takes no room. With `Upload-Complete: ?0` it \
             begins an upload that may be gone on with, after the IETF's draft of resumable \
             uploads: `Location` says where, `Upload-Length` how many bytes it will have. Without \
             interim answers, so begin it with no bytes. It ends after a day.",
        )
        .query("name", words("What it is called; folders in front are left out.", 255))
        .bytes()
        .gives(201, json!({"anyOf": [object([("file", file())]), partial()]}))
        .refuses(404, "No such conversation, or none that you are in.")
        .refuses(413, "`file_limit` or `file_quota`: the reason begins with which it is over.")
}

/// The schema of a resumable upload.
fn partial() -> Value {
    object([(
        "upload",
        object([
            ("upload_id", text("Names it.")),
            ("offset", number("Bytes that are here: the next one to send.")),
            ("length", json!({"type": ["integer", "null"], "description": "All bytes, if known."})),
            ("file", json!({"anyOf": [file(), {"type": "null"}]})),
        ]),
    )])
}

const NO_UPLOAD: &str = "No such upload of yours, or its day is over.";

pub(in crate::http) fn upload() -> Operation {
    Operation::of(TAG, "Tells how an upload stands")
        .detail(
            "Also in the headers `Upload-Offset`, `Upload-Complete`, `Upload-Length` and \
             `Upload-Limit`. Once it is complete, `file` is what it became: for a day, since the \
             answer may have been lost.",
        )
        .gives(200, partial())
        .refuses(404, NO_UPLOAD)
}

pub(in crate::http) fn upload_head() -> Operation {
    Operation::of(TAG, "Tells in headers how an upload stands")
        .silent(
            200,
            "It is in `Upload-Offset`, `Upload-Complete`, `Upload-Length`, `Upload-Limit`.",
        )
        .refuses(404, NO_UPLOAD)
}

pub(in crate::http) fn go_on() -> Operation {
    Operation::of(TAG, "Goes on with an upload")
        .detail(
            "The body is what comes next, with `Upload-Offset`, where it begins, and \
             `Upload-Complete`: `?1` if it is the last of it, else `?0`. What came before a line \
             was cut stays, across a restart of the server too. Whoever goes on ends a request \
             that still adds.",
        )
        .bytes()
        .gives(200, partial())
        .refuses(400, "A header is missing or wrong, or the body does not end where it should.")
        .refuses(404, NO_UPLOAD)
        .refuses(409, "Other bytes come next, as the header `Upload-Offset` tells, or none.")
        .refuses(413, "`file_limit` or `file_quota`: the reason begins with which it is over.")
}

pub(in crate::http) fn end_upload() -> Operation {
    Operation::of(TAG, "Ends an upload")
        .detail("What it became stays.")
        .silent(204, "It is over.")
        .refuses(404, NO_UPLOAD)
}

const SERVICE: &str = "Without an envelope, as clients of the file service know it. Takes no \
                       `Idempotency-Key`.";

pub(in crate::http) fn service_create() -> Operation {
    Operation::of(TAG, "Uploads a file as a job")
        .detail(SERVICE)
        .query("name", words("What it is called.", 255))
        .bytes()
        .plain(201, "Where to ask for it.", object([("status_url", text("With its `job`."))]))
        .refuses(404, "No such conversation, or none that you are in.")
        .refuses(413, "`file_limit` or `file_quota`: the reason begins with which it is over.")
}

pub(in crate::http) fn service_status() -> Operation {
    let done = object([("status", json!({"const": "completed"})), ("file_id", text("Names it."))]);
    Operation::of(TAG, "Tells what became of a job")
        .detail(SERVICE)
        .needs("job", text("Of the `status_url`."))
        .plain(200, "It is complete.", done)
        .refuses(404, "No such job.")
}

pub(in crate::http) fn service_data() -> Operation {
    let data = object([
        ("file_name", text("What it is called.")),
        ("file_size", text("In bytes.")),
        ("mime_type", text("What its content is.")),
    ]);
    let one = object([("file_id", text("Names it.")), ("file_data", data)]);
    Operation::of(TAG, "Tells what files are")
        .detail(SERVICE)
        .body(object([("file_ids", list(text("Names a file.")))]))
        .plain(200, "Those that you see.", list(one))
        .refuses(404, "No such conversation, or none that you are in.")
}

pub(in crate::http) fn service_show() -> Operation {
    shown("Downloads a file as the file service does")
}

pub(in crate::http) fn service_show_posted() -> Operation {
    shown("Downloads a file as the file service does, by POST")
        .detail("As by GET. Takes no `Idempotency-Key`: it changes nothing.")
}

/// The schema of a file in responses to uploads.
fn file() -> Value {
    let told = object([
        ("type", json!({"const": "file"})),
        ("file_id", text("Names it in its conversation.")),
        ("name", text("What it is called.")),
        ("size", number("In bytes.")),
        ("mime_type", text("What its content is.")),
    ]);
    with_optional(told, [("duration", number("Seconds of a recording."))])
}

pub(in crate::http) fn show() -> Operation {
    shown("Downloads a file")
}

pub(in crate::http) fn show_head() -> Operation {
    shown("Shows the headers of a file")
}

fn shown(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .detail(
            "For whoever sees a message with it, and for who uploaded it until it is sent; by a \
             token, or by a link that was signed. Images, sound, video and PDF may be shown in \
             place, in a sandbox; everything else comes as a download.",
        )
        .query("signature", text("Of a link."))
        .query("user_id", id("Of a link."))
        .query("expires_at", seconds("Of a link."))
        .typed(200, "The file.", "*/*", json!({}))
        .typed(206, "The part that `Range` asked for.", "*/*", json!({}))
        .silent(304, "You have it already.")
        .refuses(403, "A link that ended or was changed.")
        .refuses(404, "No such file, or none that you see.")
        .refuses(416, "It does not have these bytes.")
}

pub(in crate::http) fn link() -> Operation {
    let told = object([
        ("url", text("Needs no token.")),
        ("expires_at", seconds("When it ends, an hour after it was made.")),
    ]);
    Operation::of(TAG, "Makes a link to a file that needs no token")
        .detail(
            "For `<img>`, `<video>` and the like. It shows what you see: nothing any more once \
             you are out of the conversation or the message is deleted. Takes no \
             `Idempotency-Key`: every link is another.",
        )
        .gives(201, told)
        .refuses(404, "No such file, or none that you see.")
}

pub(in crate::http) fn gallery() -> Operation {
    let told = object([("messages", list(json!({"type": "object"})))]);
    Operation::of(TAG, "Lists messages that have something to look at")
        .detail(
            "Newest first, each with `gallery_ts`, where it is in the gallery: `before` with that \
             of the last one is the next page.",
        )
        .query("before", text("Older than this moment in ISO 8601."))
        .query("after", text("Newer than this moment in ISO 8601."))
        .query("limit", least_one("How many.", 100, Some(100)))
        .query("has", one_of(&["image", "video", "file", "link"]))
        .gives(200, told)
        .refuses(404, "No such conversation, or none that you are in.")
}

pub(in crate::http) fn limits() -> Operation {
    let told = object([
        ("file_limit", number("Bytes of one file.")),
        ("file_quota", number("Bytes of all your files together.")),
        ("file_used", number("Bytes of your files now.")),
    ]);
    Operation::of(TAG, "Tells how much may be uploaded").gives(200, told)
}
