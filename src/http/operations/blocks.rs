//! Blocks.

use crate::http::operation::Operation;
use crate::wire::block::{BlockBetween, BlockList, CreatedBlock};
use crate::wire::schema::{self, id, nothing};

const TAG: &str = "Blocks";

fn of(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .needs("user", id("Yourself."))
        .refuses(403, "`user` is not your own id.")
        .refuses(413, "The body, which may hold the same fields, is too large.")
}

fn between_both(summary: &'static str) -> Operation {
    of(summary).needs("otherUser", id("Somebody else."))
}

pub(in crate::http) fn list() -> Operation {
    of("Lists whom you have blocked")
        .query("otherUser", id("Somebody else."))
        .gives(200, schema::of::<BlockList>())
}

pub(in crate::http) fn create() -> Operation {
    between_both("Blocks somebody").gives(201, schema::of::<CreatedBlock>())
}

pub(in crate::http) fn delete() -> Operation {
    between_both("Ends a block").gives(200, nothing())
}

pub(in crate::http) fn between() -> Operation {
    between_both("Asks whether a block stands between two").gives(200, schema::of::<BlockBetween>())
}
