//! The directory of searchable groups.

use serde_json::json;

use crate::http::operation::Operation;
use domain::limits::QUERY_CHARS;
use wire::group_directory::{DirectoryGroups, DirectoryLists, LARGEST_PAGE, PAGE};
use wire::schema::{of, words};

const TAG: &str = "Groups";
const ORIGINAL: &str = "Original clients";
const OFF: &str = "The server has no directory.";
const HOW: &str = "Finds groups with `visibility: \"searchable\"` whose name or description contains \
    every word, without regard to case and accents; not those that ban you. Groups that are \
    `hidden` never occur.";

fn paged(operation: Operation, field: &'static str) -> Operation {
    let skipped = "How many groups the page leaves out.";
    let skipped = json!({"type": "integer", "minimum": 0, "default": 0, "description": skipped});
    let size = super::least_one("Groups per page.", PAGE as u64, Some(LARGEST_PAGE as u64));
    operation
        .query(field, words("The words; without one every group is found.", QUERY_CHARS))
        .query("from", skipped)
        .query("per_page", size)
        .refuses(404, OFF)
}

pub(in crate::http) fn list() -> Operation {
    let told =
        Operation::of(TAG, "Finds groups in the directory, those with the most members first");
    paged(told, "q").detail(HOW).gives(200, of::<DirectoryGroups>())
}

pub(in crate::http) fn search() -> Operation {
    let told = Operation::of(ORIGINAL, "Finds groups in the directory");
    paged(told, "query").detail(HOW).gives(200, of::<DirectoryLists>())
}

pub(in crate::http) fn popular() -> Operation {
    let told = Operation::of(ORIGINAL, "Lists the groups of the directory with the most members");
    paged(told, "query").detail(HOW).gives(200, of::<DirectoryLists>())
}

pub(in crate::http) fn trending() -> Operation {
    let told =
        Operation::of(ORIGINAL, "Lists the groups of the directory that somebody joined last");
    paged(told, "query").detail(HOW).gives(200, of::<DirectoryLists>())
}

pub(in crate::http) fn nearby() -> Operation {
    Operation::of(ORIGINAL, "Lists groups nearby; always empty, since groups have no locations")
        .gives(200, of::<DirectoryLists>())
        .refuses(404, OFF)
}
