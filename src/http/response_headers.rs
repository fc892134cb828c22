//! Response headers beside those of every web server, as `/openapi.json` describes them.

use serde_json::{Map, Value, json};

pub(super) const LOCATION: &str = "Location";
pub(super) const CHALLENGED: &str = "WWW-Authenticate";
pub(super) const RETRY_AFTER: &str = "Retry-After";
pub(super) const REPLAYED: &str = "Idempotency-Replayed";
pub(super) const EXISTING_MESSAGE: &str = "X-Existing-Message-Id";
/// How much of the rate limit is left.
pub(super) const RATE_LIMIT: [&str; 3] =
    ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
pub(super) const UPLOAD_OFFSET: &str = "Upload-Offset";
/// The state of a resumable upload.
pub(super) const UPLOAD: [&str; 4] =
    [UPLOAD_OFFSET, "Upload-Complete", "Upload-Length", "Upload-Limit"];

/// Every header with its description and its schema, for the document's components.
pub(super) fn components() -> Map<String, Value> {
    let number = || json!({"type": "integer", "minimum": 0});
    let text = || json!({"type": "string"});
    let [limit, remaining, reset] = RATE_LIMIT;
    let [offset, complete, length, upload_limit] = UPLOAD;
    let headers = [
        (LOCATION, "URL to which this leads.", text()),
        (
            CHALLENGED,
            "How to authenticate (RFC 9110, 11.6.1): `Bearer`, with `error=\"invalid_token\"` if the \
             token that was sent does not work, with `error=\"insufficient_scope\"` and `scope` if \
             it lacks that scope; `Basic` after a client secret.",
            text(),
        ),
        (RETRY_AFTER, "Seconds to wait before the next try.", number()),
        (
            REPLAYED,
            "Present if this is the first answer under the key again.",
            json!({"const": "true"}),
        ),
        (
            EXISTING_MESSAGE,
            "Id of the message with this `source_guid`.",
            json!({"type": "string", "pattern": "^[0-9]+$"}),
        ),
        (
            limit,
            "How many requests the token may send at once; for a bot's post, how many posts the bots of the group. Absent on a server without limits.",
            number(),
        ),
        (remaining, "How many of these are left.", number()),
        (reset, "Seconds until one more may be sent; 0 if one may now.", number()),
        (offset, "Bytes of the upload received so far.", number()),
        (complete, "Whether the upload is complete.", json!({"enum": ["?0", "?1"]})),
        (length, "Bytes of the whole file, if they were announced.", number()),
        (upload_limit, "Maximum size of a file, as `max-size=` and a number of bytes.", text()),
    ];
    let component = |(name, what, schema): (&str, &str, Value)| {
        (name.to_owned(), json!({"description": what, "schema": schema}))
    };
    headers.into_iter().map(component).collect()
}

/// References to these headers, for one response.
pub(super) fn references<'a>(names: impl Iterator<Item = &'a str>) -> Map<String, Value> {
    let reference =
        |name: &str| (name.to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    names.map(reference).collect()
}
