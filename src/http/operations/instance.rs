//! Routes that do not belong to the API proper: health, metrics, the API documents, and pages.

use serde_json::json;

use crate::http::operation::Operation;
use wire::schema::{always, object, one_of};

const HEALTH: &str = "Health";
const PAGES: &str = "Pages";

pub(in crate::http) fn live() -> Operation {
    Operation::bare(HEALTH, "Shows that the process is alive").without_envelope(
        200,
        "The process is alive.",
        object([
            ("status", always("live")),
            ("instance", json!({"type": "string", "pattern": "^[0-9a-f]{8}$"})),
        ]),
    )
}

pub(in crate::http) fn ready() -> Operation {
    let told = |status, journal: &[&str], index: &[&str], reads: &[&str], writes: &[&str]| {
        object([
            ("status", always(status)),
            ("journal", one_of(journal)),
            ("index", one_of(index)),
            ("reads", one_of(reads)),
            ("writes", one_of(writes)),
        ])
    };
    Operation::bare(HEALTH, "Shows whether the server is ready")
        .without_envelope(
            200,
            "The server is ready.",
            told("ready", &["open"], &["current"], &["answered"], &["durable"]),
        )
        .without_envelope(
            503,
            "The server is not ready. With a full journal, reads and log-ins still work.",
            told(
                "not ready",
                &["open", "full", "stopped"],
                &["current", "in trouble", "stopped", "behind"],
                &["answered", "waiting"],
                &["durable", "waiting"],
            ),
        )
}

pub(in crate::http) fn metrics() -> Operation {
    Operation::bare(HEALTH, "Shows the server's metrics")
        .with_media_type(200, "Prometheus text format.", "text/plain", json!({"type": "string"}))
        .refuses(401, "The token is not that of `--metrics-token`.")
        .refuses(403, "Without `--metrics-token`, only the server's own machine may do this.")
        .refuses(503, "The server cannot do this now.")
}

pub(in crate::http) fn openapi() -> Operation {
    Operation::bare(PAGES, "This document").without_envelope(
        200,
        "OpenAPI 3.1.",
        json!({"type": "object"}),
    )
}

pub(in crate::http) fn asyncapi() -> Operation {
    Operation::bare(PAGES, "The frames of the push protocol").without_envelope(
        200,
        "AsyncAPI 3.0.",
        json!({"type": "object"}),
    )
}

pub(in crate::http) fn docs() -> Operation {
    page("This document as a page")
}

pub(in crate::http) fn client() -> Operation {
    page("The web client")
}

pub(in crate::http) fn client_head() -> Operation {
    page("The headers of the web client")
}

pub(in crate::http) fn group_link() -> Operation {
    page("The web client, with a group to join")
}

pub(in crate::http) fn invitation() -> Operation {
    page("The web client, with an invitation to register")
}

pub(in crate::http) fn administration() -> Operation {
    page("The web client, with the pages for operators")
}

pub(in crate::http) fn setup() -> Operation {
    page("The web client, with the first steps of an installation")
}

fn page(summary: &'static str) -> Operation {
    Operation::bare(PAGES, summary)
        .with_media_type(200, "The page.", "text/html", json!({"type": "string"}))
        .without_body(304, "The client's copy is current.")
}
