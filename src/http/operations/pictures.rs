//! Images.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use crate::wire::schema::{object, text};

const TAG: &str = "Images";

pub(in crate::http) fn create() -> Operation {
    let payload = object([
        ("url", text("What messages, groups and users name it by.")),
        ("picture_url", text("The same.")),
    ]);
    Operation::of(TAG, "Stores an image")
        .detail(
            "The body is the image itself, under any Content-Type, or a form with it in the \
             field `file`: JPEG, PNG, GIF or WebP of at most 10 MiB and 40 megapixels. It is \
             turned the right way up and written anew without metadata; WebP becomes PNG or \
             JPEG. With `url`, the image is fetched from there instead. The answer has no \
             envelope. Takes no `Idempotency-Key`: the same image again has the same URL.",
        )
        .query("url", text("An image elsewhere, by http or https."))
        .bytes()
        .plain(200, "Stored for good.", object([("payload", payload)]))
        .refuses(400, "No image, a damaged one, or over a limit other than bytes.")
        .refuses(413, "More than 10 MiB.")
        .refuses(503, "Too many images at once; `Retry-After` says how long to wait.")
}

pub(in crate::http) fn show() -> Operation {
    shown("Shows an image")
}

pub(in crate::http) fn show_head() -> Operation {
    shown("Shows the headers of an image")
}

fn shown(summary: &'static str) -> Operation {
    Operation::bare(TAG, summary)
        .detail(
            "With `.preview` (200 × 200), `.large` (at most 960 × 960, never enlarged) or \
             `.avatar` (60 × 60) behind its name, that form of it; forms of an animation show \
             its first picture. An image never changes under its name.",
        )
        .typed(200, "The image.", "image/*", bytes())
        .typed(206, "The part that `Range` asked for.", "image/*", bytes())
        .silent(304, "You have it already.")
        .refuses(404, "No such image.")
        .refuses(416, "It does not have these bytes.")
        .refuses(503, "The form cannot be made now; `Retry-After` says how long to wait.")
}

/// The schema of a body that is not text (OpenAPI 3.1, 4.8.14).
fn bytes() -> Value {
    json!({})
}
