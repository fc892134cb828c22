//! Blocks.

use crate::http::operation::Operation;
use wire::block::{BlockBetween, BlockList, CreatedBlock};
use wire::schema::{self, id, nothing};

const TAG: &str = "Blocks";

fn of(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .needs("user", id("Your own user id."))
        .refuses(403, "`user` is not your own id.")
        .refuses(413, "The body, which may hold the same fields as the query, is too large.")
}

fn between_both(summary: &'static str) -> Operation {
    of(summary).needs("otherUser", id("Id of the other user."))
}

pub(in crate::http) fn list() -> Operation {
    of("Lists the users whom you have blocked")
        .query("otherUser", id("Id of another user; the response then has `between`."))
        .gives(200, schema::of::<BlockList>())
}

pub(in crate::http) fn create() -> Operation {
    between_both("Blocks a user").gives(201, schema::of::<CreatedBlock>())
}

pub(in crate::http) fn delete() -> Operation {
    between_both("Unblocks a user").gives(200, nothing())
}

pub(in crate::http) fn between() -> Operation {
    between_both("Shows whether either of two users has blocked the other")
        .gives(200, schema::of::<BlockBetween>())
}
