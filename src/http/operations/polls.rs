//! Polls.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::message::GroupMessage;
use crate::wire::poll::{ListedPolls, OnePoll, PollResource};
use crate::wire::schema::{bodies, object, of};

const TAG: &str = "Polls";

pub(in crate::http) fn list() -> Operation {
    Operation::of(TAG, "Lists the polls of a group, the newest first, at most a hundred")
        .gives(200, of::<ListedPolls>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn create() -> Operation {
    let made = object([("poll", of::<PollResource>()), ("message", of::<GroupMessage>())]);
    Operation::of(TAG, "Asks a group something")
        .detail(
            "A message of yours carries the poll. It ends by itself, with a line that says what \
             came of it; with its message it is deleted.",
        )
        .body(bodies::poll())
        .gives(201, made)
        .refuses(400, "It would end within a minute, or 50 polls are open.")
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a poll with your vote and everybody's")
        .detail("Of an anonymous poll nobody is told who voted for what.")
        .gives(200, of::<OnePoll>())
        .refuses(404, NO_POLL)
}

pub(in crate::http) fn vote() -> Operation {
    let votes = json!({
        "type": "array", "minItems": 1, "maxItems": 10, "items": {"type": "string"},
        "description": "The `id` of each option; one where the poll takes one.",
    });
    voting("Votes, or votes otherwise").body(object([("votes", votes)]))
}

pub(in crate::http) fn vote_for() -> Operation {
    voting("Votes for one option, and for no other any more")
}

fn voting(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .gives(200, of::<OnePoll>())
        .refuses(400, "The poll has ended, or takes one option.")
        .refuses(404, "No such poll or option in a group that you are in.")
}

pub(in crate::http) fn end() -> Operation {
    Operation::of(TAG, "Ends a poll")
        .gives(200, of::<OnePoll>())
        .refuses(400, "It has ended.")
        .refuses(403, "Only who made it, the owner and admins may.")
        .refuses(404, NO_POLL)
}

const NO_POLL: &str = "No such poll in a group that you are in.";
