//! Polls.

use serde_json::json;

use crate::http::operation::Operation;
use wire::message::GroupMessage;
use wire::poll::{ListedPolls, OnePoll, PollResource};
use wire::schema::{bodies, named, object, of};

const TAG: &str = "Polls";

pub(in crate::http) fn list() -> Operation {
    Operation::of(TAG, "Lists the polls of a group, newest first, at most 100")
        .gives(200, of::<ListedPolls>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn create() -> Operation {
    let made = object([("poll", of::<PollResource>()), ("message", of::<GroupMessage>())]);
    Operation::of(TAG, "Starts a poll in a group")
        .detail(
            "The poll is posted in a message of yours; deleting the message deletes the poll. When \
             the poll ends, a system message tells the result.",
        )
        .body(bodies::poll())
        .gives(201, made)
        .refuses(400, "The poll would end within a minute, or 50 polls of the group are open.")
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a poll, with your vote and everybody's")
        .detail("In an anonymous poll, nobody can see who voted for what.")
        .gives(200, of::<OnePoll>())
        .refuses(404, NO_POLL)
}

pub(in crate::http) fn vote() -> Operation {
    let votes = json!({
        "type": "array", "maxItems": 10, "items": {"type": "string"},
        "description": "The `id` of each option to vote for; only one in a poll of type `single`. An \
                        empty list withdraws your vote.",
    });
    voting("Votes in a poll, or changes or withdraws your vote")
        .body(named("Votes", object([("votes", votes)])))
}

pub(in crate::http) fn vote_for() -> Operation {
    voting("Votes for one option, in place of your earlier vote")
}

fn voting(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .gives(200, of::<OnePoll>())
        .refuses(400, "The poll has ended, or takes only one option.")
        .refuses(403, super::MAY_NOT)
        .refuses(404, "No such poll or option in a group that you are in.")
}

pub(in crate::http) fn end() -> Operation {
    Operation::of(TAG, "Ends a poll")
        .gives(200, of::<OnePoll>())
        .refuses(400, "The poll has already ended.")
        .refuses(403, "Only the poll's creator, the owner and admins may do this.")
        .refuses(404, NO_POLL)
}

const NO_POLL: &str = "No such poll in a group that you are in.";
