//! Images.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use wire::schema::bodies::required;
use wire::schema::{list, named, object, text, with_optional};

const TAG: &str = "Images";

pub(in crate::http) fn create() -> Operation {
    let payload = object([
        ("url", text("URL of the image, for use in messages, groups and profiles.")),
        ("picture_url", text("The same as `url`.")),
    ]);
    Operation::of(TAG, "Stores an image")
        .detail(
            "The body is the image itself, with any Content-Type, or a form with the image in the \
             field `file`: JPEG, PNG, GIF or WebP of at most 10 MiB and 40 megapixels. The image \
             is turned upright and re-encoded without metadata; WebP becomes PNG or JPEG. GIFs keep \
             moving; animated PNG and WebP images are refused. A missing end marker is added. With \
             `url`, the image is fetched from there instead. The response has no envelope. Takes \
             no `Idempotency-Key`: the same image again has the same URL.",
        )
        .query("url", text("http or https URL of an image to fetch."))
        .bytes()
        .without_envelope(200, "The image is stored.", named("StoredImage", object([("payload", payload)])))
        .refuses(400, "Not an image, a damaged one, or one over a limit other than its bytes.")
        .refuses(413, "The image is larger than 10 MiB.")
        .refuses(503, "Too many images are being processed; `Retry-After` says how long to wait.")
}

pub(in crate::http) fn announce() -> Operation {
    let number = |what: &str| json!({"type": "integer", "minimum": 0, "description": what});
    let body = with_optional(
        required([("extension", text("Format of the image: jpg, jpeg, png, gif or webp."))]),
        [
            ("fileSize", number("Size of the image in bytes, at most 10 MiB.")),
            ("width", number("Width in pixels.")),
            ("height", number("Height in pixels.")),
        ],
    );
    let answer = object([
        ("uploadUrl", text("URL to which the bytes are sent with PUT within an hour.")),
        ("renderUrl", text("URL of the image, once the bytes are there, for use in messages.")),
        ("thumbnailUrl", json!({"type": "null"})),
        ("transcriptUrl", json!({"type": "null"})),
    ]);
    Operation::of(TAG, "Begins to store an image whose bytes follow")
        .detail(
            "For existing clients, which name an image before they send it. The response has no \
             envelope. Takes no `Idempotency-Key`: nothing is stored before the bytes.",
        )
        .body(named("AnnouncedImage", body))
        .without_envelope(201, "The URLs of the image.", named("ImageUpload", answer))
        .refuses(413, "The image is larger than 10 MiB.")
}

pub(in crate::http) fn put() -> Operation {
    Operation::bare(TAG, "Sends the bytes of an image")
        .detail(
            "The body is the image, as for `POST /pictures`. Needs no token: the URL is signed.",
        )
        .query("user_id", text("As in `uploadUrl`."))
        .query("token_id", text("As in `uploadUrl`."))
        .query("expires_at", text("As in `uploadUrl`."))
        .query("signature", text("As in `uploadUrl`."))
        .bytes()
        .without_body(201, "The image is stored.")
        .refuses(400, "Not an image, a damaged one, or one over a limit other than its bytes.")
        .refuses(403, "The URL expired or was changed.")
        .refuses(404, "The user's account was deleted.")
        .refuses(413, "The image is larger than 10 MiB.")
        .refuses(503, "Too many images are being processed; `Retry-After` says how long to wait.")
}

pub(in crate::http) fn show_uploaded() -> Operation {
    Operation::bare(TAG, "Redirects to an uploaded image")
        .detail("`.large` or `.small` in place of `.original` leads to that form of the image.")
        .without_body(302, "The image is at `Location`.")
        .refuses(404, "No such image.")
}

pub(in crate::http) fn page_preview() -> Operation {
    let link = object([
        ("href", text("URL of the image.")),
        ("type", text("`image`.")),
        ("rel", list(text("`thumbnail` or `icon`."))),
        ("media", json!({"type": "object"})),
    ]);
    let meta = object([
        ("title", text("Title of the page; empty if it has none.")),
        ("description", text("Description of the page.")),
        ("site", text("Name of the site.")),
        ("canonical", text("URL under which the page wants to be known.")),
    ]);
    let link = named("PagePreviewLink", link);
    let links = object([("thumbnail", list(link.clone())), ("icon", list(link))]);
    let preview = object([("meta", meta), ("links", links), ("rel", list(text("Unused.")))]);
    let preview = named("PagePreview", preview);
    Operation::of(TAG, "Describes a page elsewhere")
        .detail(
            "For existing clients: the description of a page in its head. Its images are not \
             stored. The response has no envelope.",
        )
        .query("url", text("http or https URL of the page."))
        .without_envelope(200, "The page.", preview)
        .refuses(403, "The URL leads to a private network.")
        .refuses(404, "The page cannot be fetched, or this server has no link previews.")
        .refuses(415, "The content is no HTML.")
        .refuses(503, "Too many pages wait; `Retry-After` says how long to wait.")
}

pub(in crate::http) fn show() -> Operation {
    image("Shows an image")
}

pub(in crate::http) fn show_head() -> Operation {
    image("Shows the headers of an image")
}

fn image(summary: &'static str) -> Operation {
    Operation::bare(TAG, summary)
        .detail(
            "Append `.preview` (200 × 200), `.large` (at most 960 × 960, never enlarged) or \
             `.avatar` (60 × 60) to the name for that form of the image; forms of an animation \
             show its first frame. The image under a name never changes.",
        )
        .with_media_type(200, "The image.", "image/*", bytes())
        .with_media_type(206, "The part that `Range` requested.", "image/*", bytes())
        .without_body(304, "The client's copy is current.")
        .refuses(404, "No such image.")
        .refuses(412, "`If-Match` names other content.")
        .refuses(416, "The image does not have these bytes.")
        .refuses(503, "The form cannot be made now; `Retry-After` says how long to wait.")
}

/// The schema of a body that is not text (OpenAPI 3.1, 4.8.14).
fn bytes() -> Value {
    json!({})
}
