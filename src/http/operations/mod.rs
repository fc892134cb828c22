//! The descriptions of all routes, one file for each section of the document. The table in
//! [`routes`](crate::http::routes) names them beside their handlers.

pub(super) mod accounts;
pub(super) mod bayeux;
pub(super) mod blocks;
pub(super) mod bots;
pub(super) mod calendar;
pub(super) mod chats;
pub(super) mod devices;
pub(super) mod factors;
pub(super) mod files;
pub(super) mod group_directory;
pub(super) mod groups;
pub(super) mod instance;
pub(super) mod likes;
pub(super) mod members;
pub(super) mod messages;
pub(super) mod oauth;
pub(super) mod oidc;
pub(super) mod operators;
pub(super) mod original;
pub(super) mod pictures;
pub(super) mod polls;
pub(super) mod push;
pub(in crate::http) mod read_marks;
pub(super) mod scim;
pub(super) mod search;
pub(super) mod users;

use serde_json::{Value, json};

use crate::http::operation::Operation;
use wire::schema::id;

const MAY_NOT: &str =
    "The table of permissions does not allow this to you; 401 under `/compat/v3`.";
const BROKEN: &str = "A rule of the group does not allow it: the text is the rule's, and \
                      `meta.details.rule` its id. Or the `Idempotency-Key` was already used for \
                      another request.";
const NO_GROUP: &str = "No such group, or you are not in it.";

/// The query of a list whose pages are numbered from 1.
fn numbered(told: Operation) -> Operation {
    told.query("page", least_one("Number of the page, counted from 1.", 1, None))
        .query("per_page", least_one("Number of entries per page.", 10, Some(500)))
}

/// The query of a list of messages: the newest ones, or those before or after a message.
fn beside(told: Operation) -> Operation {
    told.query("before_id", id("Only messages before this one, newest first."))
        .query("after_id", id("Only messages right after this one, oldest first."))
        .query("since_id", id("Only the newest messages after this one, newest first."))
        .query("limit", least_one("Maximum number of messages.", 20, Some(100)))
        .detail("At most one of before_id, after_id and since_id may be given.")
}

fn least_one(what: &str, usual: u64, most: Option<u64>) -> Value {
    let cut = most.map_or(String::new(), |most| format!(" Values above {most} are reduced to it."));
    let what = format!("{what}{cut}");
    json!({"type": "integer", "minimum": 1, "default": usual, "description": what})
}
