//! Messages of groups.

use serde_json::json;

use crate::http::operation::Operation;
use crate::http::response_headers::EXISTING_MESSAGE;
use wire::held::HeldPost;
use wire::message::{DirectMessage, GroupMessage};
use wire::revisions::MessageHistory;
use wire::saved::{self, SavedState};
use wire::schema::{bodies, id, number, object, of, text};

const TAG: &str = "Messages";

pub(in crate::http) fn list() -> Operation {
    let answer = object([
        ("count", number("Number of messages that paging can reach.")),
        ("messages", of::<Vec<GroupMessage>>()),
    ]);
    super::beside(Operation::of(TAG, "Lists the messages of a group, newest first"))
        .gives(200, answer)
        .without_body(304, "There are no such messages.")
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a message")
        .gives(200, object([("message", of::<GroupMessage>())]))
        .refuses(404, "No such message in a group that you are in.")
}

const NO_MESSAGE: &str = "No such conversation that you are in, or no such message.";
/// How mentions and replies are sent and delivered.
const ADDRESSED: &str = "An attachment `mentions` names people of the conversation and, for each \
    of them, a range of the text: `[start, length]` in Unicode scalar values. Instead of an id, \
    `all` mentions everybody, and `online` everybody who is online. An attachment `reply` names \
    the message that it answers by `reply_id`; the server fills in `base_reply_id` and `user_id`. \
    Both notify people despite a mute, and count as `unread_mentions`. Under `/compat/v3` and on a \
    compatibility host, ranges count UTF-16 units, `-1` mentions everybody, and invalid mentions \
    and replies are repaired or dropped.";
const EDITED: &str = "Send `text`, `attachments` or both; absent fields stay unchanged, and so do \
    the message's id, position, `created_at` and likes. An empty `text` removes the text.";
const DELETED: &str = "A field is invalid, or the message was deleted.";

fn edited() -> Operation {
    Operation::of(TAG, "Edits a message")
        .detail(EDITED)
        .body(bodies::edit())
        .gives(200, object([("message", of::<GroupMessage>())]))
        .refuses(400, DELETED)
        .refuses(
            403,
            "Only the sender may, within `message_edit_period` minutes, at most 100 times.",
        )
        .refuses(404, NO_MESSAGE)
        .refuses(422, "A rule of the group does not allow it; `meta.details.rule` is its id.")
}

pub(in crate::http) fn edit_in_group() -> Operation {
    edited()
}

pub(in crate::http) fn edit() -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage>(), of::<DirectMessage>()]});
    edited().gives(200, object([("message", message)])).refuses(
        403,
        "You are not the sender, may not edit it any more, or the other user has blocked you.",
    )
}

pub(in crate::http) fn edit_as_bot() -> Operation {
    edited()
        .detail("Only a message that the bot posted. Needs no token: the `bot_id` is the secret.")
        .open()
        .refuses(404, "No such bot, or no such message of its group.")
}

pub(in crate::http) fn save() -> Operation {
    Operation::of(TAG, "Saves a message, to find it again")
        .detail(
            "Nobody else learns of it; your other devices receive the event `message.saved`. You can \
             save 500 messages. To save one twice is no error.",
        )
        .gives(200, of::<SavedState>())
        .refuses(400, "You have saved too many.")
        .refuses(404, NO_MESSAGE)
}

pub(in crate::http) fn unsave() -> Operation {
    Operation::of(TAG, "Takes a message out of the saved ones")
        .detail(
            "Also one that was deleted, or whose conversation you left. No error if it is not saved.",
        )
        .gives(200, of::<SavedState>())
        .refuses(404, NO_MESSAGE)
}

pub(in crate::http) fn saved() -> Operation {
    Operation::of(TAG, "Lists the messages that you saved, the newest saved first")
        .query("limit", number("How many; at most 100, 20 if absent."))
        .query("before", text("The `id` of the last row of the page before."))
        .gives(200, saved::list_schema())
}

fn deleted() -> Operation {
    Operation::of(TAG, "Deletes a message")
        .detail(
            "The message keeps its position, sender and likes, and gets `deleted_at` and \
             `deletion_actor`; its content remains only in the server's journal and in backups. \
             Deleting a message twice is no error.",
        )
        .without_body(204, "The message is deleted.")
        .refuses(403, "`message_deletion_mode` or `message_deletion_period` forbids it.")
        .refuses(404, NO_MESSAGE)
}

pub(in crate::http) fn delete() -> Operation {
    deleted()
}

pub(in crate::http) fn delete_as_bot() -> Operation {
    deleted().open().refuses(404, "No such bot, or no such message of its group.")
}

pub(in crate::http) fn history() -> Operation {
    Operation::of(TAG, "Lists the earlier versions of a message, newest first")
        .gives(200, of::<MessageHistory>())
        .refuses(403, "Only the sender, the owner and admins may do this.")
        .refuses(404, "No such message, or it was deleted.")
}

pub(in crate::http) fn replies() -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage>(), of::<DirectMessage>()]});
    let answer = object([
        ("count", number("Number of replies in the thread.")),
        ("messages", json!({"type": "array", "items": message})),
    ]);
    Operation::of(TAG, "Lists the replies of a thread, oldest first")
        .detail(
            "A thread consists of the messages whose attachment `reply` names this message as \
             `base_reply_id`. If there are none, the list is empty.",
        )
        .query("limit", super::least_one("Maximum number of replies.", 20, Some(100)))
        .query("after_id", id("Only replies after this message."))
        .gives(200, answer)
        .refuses(404, NO_MESSAGE)
}

fn pinning(summary: &'static str) -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage>(), of::<DirectMessage>()]});
    let shown = json!({"anyOf": [object([("message", message)]), {"type": "null"}]});
    Operation::of(TAG, summary)
        .gives(200, shown)
        .refuses(403, "In office mode, only the owner and admins may do this.")
        .refuses(404, NO_MESSAGE)
}

pub(in crate::http) fn pin() -> Operation {
    pinning("Pins a message")
        .detail("In a group, a system message tells of it. Pinning a message twice is no error.")
        .refuses(400, "The message was deleted, or 50 messages are pinned already.")
}

pub(in crate::http) fn unpin() -> Operation {
    pinning("Unpins a message")
}

const PINNED: &str = "Lists the pinned messages, most recently pinned first";

pub(in crate::http) fn pinned_in_group() -> Operation {
    let answer = object([
        ("count", number("Number of pinned messages.")),
        ("messages", of::<Vec<GroupMessage>>()),
    ]);
    Operation::of(TAG, PINNED).gives(200, answer).refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn pinned_in_chat() -> Operation {
    let answer = object([
        ("count", number("Number of pinned messages.")),
        ("messages", of::<Vec<DirectMessage>>()),
        ("direct_messages", of::<Vec<DirectMessage>>()),
    ]);
    Operation::of(TAG, PINNED)
        .needs("other_user_id", id("Id of the other user."))
        .gives(200, answer)
        .refuses(404, "No such user.")
}

pub(in crate::http) fn create() -> Operation {
    let again =
        "The `source_guid` was sent a minute ago or less; `X-Existing-Message-Id` is that message.";
    Operation::of(TAG, "Posts a message")
        .detail(ADDRESSED)
        .body(bodies::message())
        .gives(201, object([("message", of::<GroupMessage>())]))
        .gives(202, of::<HeldPost>())
        .refuses(
            403,
            "You may not post here, or mention everybody: see the table of permissions. 401 under \
             `/compat/v3` where your role does not allow to post.",
        )
        .refuses(404, super::NO_GROUP)
        .refuses(409, again)
        .with_headers(409, &[EXISTING_MESSAGE])
        .refuses(422, super::BROKEN)
}
