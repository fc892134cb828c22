//! Applications, and the ways in which they get tokens.

use crate::http::operation::Operation;
use crate::wire::schema::{bodies, list, named, nothing};

const TAG: &str = "Applications";

/// What only somebody who logged in does.
fn own(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).refuses(403, "The token is an application's.")
}

pub(in crate::http) fn applications() -> Operation {
    own("Lists your applications").gives(200, list(named("Application")))
}

pub(in crate::http) fn register() -> Operation {
    own("Registers an application")
        .body(bodies::application())
        .gives(201, named("Application"))
        .refuses(404, "The account was deleted meanwhile.")
}

pub(in crate::http) fn remove() -> Operation {
    own("Removes an application; the tokens that it was given are dead at once")
        .gives(200, nothing())
        .refuses(404, "No such application of yours.")
}
