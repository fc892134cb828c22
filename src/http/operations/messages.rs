//! Messages of groups.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::message::{DirectMessage, GroupMessage};
use crate::wire::revising::MessageHistory;
use crate::wire::schema::{bodies, id, number, object, of};

const TAG: &str = "Messages";

pub(in crate::http) fn list() -> Operation {
    let answer = object([
        ("count", number("Messages that paging can reach.")),
        ("messages", of::<Vec<GroupMessage>>()),
    ]);
    super::beside(Operation::of(TAG, "Lists the messages of a group, newest first"))
        .gives(200, answer)
        .silent(304, "There are no such messages.")
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a message")
        .gives(200, object([("message", of::<GroupMessage>())]))
        .refuses(404, "No such message in a group that you are in.")
}

const NO_MESSAGE: &str = "No such conversation that you are in, or no such message.";
/// How mentions and replies are sent and delivered.
const ADDRESSED: &str = "An attachment `mentions` names people of the conversation, and for each \
    of them a place in the text: `[start, length]` in Unicode scalar values. Instead of an id, \
    `all` is everybody, and `online` whoever is here. An attachment `reply` names a message of the \
    conversation by `reply_id`; `base_reply_id` and `user_id` are filled in. Both are told through \
    a mute, and count as `unread_mentions`. Under `/compat/v3` and on a compatibility host places \
    count UTF-16 units, `-1` is everybody, and what is wrong is mended or dropped.";
const EDITED: &str = "`text`, `attachments` or both; what is absent stays, and so do id, place, \
    `created_at` and likes. An empty `text` takes the text away.";
const DELETED: &str = "Something is wrong, or the message was deleted.";

fn edited() -> Operation {
    Operation::of(TAG, "Edits a message")
        .detail(EDITED)
        .body(bodies::edit())
        .gives(200, object([("message", of::<GroupMessage>())]))
        .refuses(400, DELETED)
        .refuses(403, "Only the sender may, within `message_edit_period` minutes, 100 times.")
        .refuses(404, NO_MESSAGE)
}

pub(in crate::http) fn edit_in_group() -> Operation {
    edited()
}

pub(in crate::http) fn edit() -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage>(), of::<DirectMessage>()]});
    edited()
        .gives(200, object([("message", message)]))
        .refuses(403, "It is not yours, too old, or the other one has blocked you.")
}

pub(in crate::http) fn edit_as_bot() -> Operation {
    edited()
        .detail("What the bot wrote. Needs no token: the `bot_id` is the secret.")
        .open()
        .refuses(404, "No such bot, or no such message of its group.")
}

fn deleted() -> Operation {
    Operation::of(TAG, "Deletes a message")
        .detail(
            "Place, sender and likes remain, with `deleted_at` and `deletion_actor`; nothing of \
             what it said does, but in the journal and in backups. Deleting twice is no refusal.",
        )
        .silent(204, "It is deleted.")
        .refuses(403, "`message_deletion_mode` or `message_deletion_period` forbid it.")
        .refuses(404, NO_MESSAGE)
}

pub(in crate::http) fn delete() -> Operation {
    deleted()
}

pub(in crate::http) fn delete_as_bot() -> Operation {
    deleted().open().refuses(404, "No such bot, or no such message of its group.")
}

pub(in crate::http) fn history() -> Operation {
    Operation::of(TAG, "Shows what a message said before, newest first")
        .gives(200, of::<MessageHistory>())
        .refuses(403, "Only the sender, the owner and admins may.")
        .refuses(404, "No such message, or a deleted one.")
}

pub(in crate::http) fn replies() -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage>(), of::<DirectMessage>()]});
    let answer = object([
        ("count", number("Answers of the thread.")),
        ("messages", json!({"type": "array", "items": message})),
    ]);
    Operation::of(TAG, "Lists the answers of a thread, oldest first")
        .detail(
            "A thread is the messages whose attachment `reply` names this one as \
             `base_reply_id`. Where there are none, the list is empty.",
        )
        .query("limit", super::least_one("How many.", 20, Some(100)))
        .query("after_id", id("Those after this message."))
        .gives(200, answer)
        .refuses(404, NO_MESSAGE)
}

fn pinning(summary: &'static str) -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage>(), of::<DirectMessage>()]});
    Operation::of(TAG, summary)
        .gives(200, object([("message", message)]))
        .refuses(403, "Office mode keeps pins for the owner and admins.")
        .refuses(404, NO_MESSAGE)
}

pub(in crate::http) fn pin() -> Operation {
    pinning("Pins a message")
        .detail("A line tells of it in a group. To pin it again is no refusal.")
        .refuses(400, "The message was deleted, or 50 are pinned already.")
}

pub(in crate::http) fn unpin() -> Operation {
    pinning("Takes the pin of a message away")
}

const PINNED: &str = "Lists the pinned messages, the newest pin first";

pub(in crate::http) fn pinned_in_group() -> Operation {
    let answer =
        object([("count", number("Pinned messages.")), ("messages", of::<Vec<GroupMessage>>())]);
    Operation::of(TAG, PINNED).gives(200, answer).refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn pinned_in_chat() -> Operation {
    let answer = object([
        ("count", number("Pinned messages.")),
        ("messages", of::<Vec<DirectMessage>>()),
        ("direct_messages", of::<Vec<DirectMessage>>()),
    ]);
    Operation::of(TAG, PINNED)
        .needs("other_user_id", id("The other one."))
        .gives(200, answer)
        .refuses(404, "No such user.")
}

pub(in crate::http) fn create() -> Operation {
    let again = "The same `source_guid` within a minute; `X-Existing-Message-Id` names it.";
    Operation::of(TAG, "Posts a message")
        .detail(ADDRESSED)
        .body(bodies::message())
        .gives(201, object([("message", of::<GroupMessage>())]))
        .refuses(403, "It mentions everybody, and `mention_all` is for the owner and admins.")
        .refuses(404, super::NO_GROUP)
        .refuses(409, again)
}
