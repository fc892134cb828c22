//! Routes that do not belong to the API proper: health, metrics, the API documents, and pages.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::schema::{always, object, one_of};

const HEALTH: &str = "Health";
const PAGES: &str = "Pages";

pub(in crate::http) fn live() -> Operation {
    Operation::bare(HEALTH, "The process answers").plain(
        200,
        "It does.",
        object([("status", always("live"))]),
    )
}

pub(in crate::http) fn ready() -> Operation {
    let told = |status, journal: &[&str], index: &[&str]| {
        object([("status", always(status)), ("journal", one_of(journal)), ("index", one_of(index))])
    };
    Operation::bare(HEALTH, "Everything can be asked and written")
        .plain(200, "It can.", told("ready", &["open"], &["current"]))
        .plain(
            503,
            "Not now. With a full journal, reading and log-ins go on.",
            told(
                "not ready",
                &["open", "full", "stopped"],
                &["current", "in trouble", "stopped", "behind"],
            ),
        )
}

pub(in crate::http) fn metrics() -> Operation {
    Operation::bare(HEALTH, "What the server counts of itself")
        .typed(200, "The text format of Prometheus.", "text/plain", json!({"type": "string"}))
        .refuses(401, "Not the token of `--metrics-token`.")
        .refuses(403, "Without that option, only this machine may read them.")
        .refuses(503, "Not now.")
}

pub(in crate::http) fn openapi() -> Operation {
    Operation::bare(PAGES, "This document").plain(200, "OpenAPI 3.1.", json!({"type": "object"}))
}

pub(in crate::http) fn asyncapi() -> Operation {
    Operation::bare(PAGES, "The frames of push").plain(
        200,
        "AsyncAPI 3.0.",
        json!({"type": "object"}),
    )
}

pub(in crate::http) fn docs() -> Operation {
    page("This document, for people")
}

pub(in crate::http) fn client() -> Operation {
    page("The web client")
}

pub(in crate::http) fn client_head() -> Operation {
    page("The headers of the web client")
}

pub(in crate::http) fn invitation() -> Operation {
    page("The web client, at a group that can be joined")
}

fn page(summary: &'static str) -> Operation {
    Operation::bare(PAGES, summary)
        .typed(200, "The page.", "text/html", json!({"type": "string"}))
        .silent(304, "You have it already.")
}
