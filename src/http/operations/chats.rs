//! Chats and direct messages.

use crate::http::operation::Operation;
use crate::http::response_headers::RETRY_AFTER;
use wire::chat::ChatJson;
use wire::conversation_list::{self, ConversationListResource};
use wire::message::DirectMessage;
use wire::schema::{bodies, id, named, nothing, number, object, of, text, with_optional};

const TAG: &str = "Chats";

pub(in crate::http) fn list() -> Operation {
    let told = Operation::of(TAG, "Lists your chats, the one with the newest message first")
        .detail("Without message requests that you have not accepted.");
    super::numbered(told).gives(200, of::<Vec<ChatJson>>())
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a chat").gives(200, of::<ChatJson>()).refuses(404, "No such chat.")
}

pub(in crate::http) fn accept() -> Operation {
    Operation::of(TAG, "Accepts a message request")
        .detail(
            "Also one that you declined. Writing to the user accepts it too. Takes no \
             `Idempotency-Key`: a repeat changes nothing.",
        )
        .gives(200, of::<ChatJson>())
        .refuses(404, "No such chat.")
}

pub(in crate::http) fn decline() -> Operation {
    Operation::of(TAG, "Declines a message request")
        .detail(
            "The user can write no more to you; their messages stay until you delete the account.",
        )
        .gives(200, nothing())
        .refuses(404, "There is no message request of this user.")
        .refuses(409, "You declined too many.")
}

pub(in crate::http) fn arranged() -> Operation {
    Operation::of(TAG, "Shows how your list of conversations is arranged: pins and folders")
        .gives(200, of::<ConversationListResource>())
}

pub(in crate::http) fn arrange() -> Operation {
    Operation::of(TAG, "Arranges your list of conversations")
        .detail(
            "Replaces the pins, the folders or both, each as a whole. Applies to all of your \
             devices, which receive it as the event `conversation_list`; nobody else can see it. A \
             conversation of the list that you left meanwhile is left out; another one that you \
             are not in is refused.",
        )
        .body(conversation_list::change_schema())
        .gives(200, of::<ConversationListResource>())
        .refuses(404, "You are not in one of the conversations.")
}

pub(in crate::http) fn pinned() -> Operation {
    Operation::of(TAG, "Lists the conversations that you pinned")
        .gives(200, conversation_list::pinned_schema())
}

pub(in crate::http) fn pin() -> Operation {
    Operation::of(TAG, "Replaces your pinned conversations, in this order")
        .detail("Applies to all of your devices; nobody else can see it.")
        .body(conversation_list::pinned_schema())
        .gives(200, conversation_list::pinned_schema())
        .refuses(404, "You are not in one of the conversations.")
}

pub(in crate::http) fn messages() -> Operation {
    let answer = object([
        ("count", number("Number of messages that paging can reach.")),
        ("direct_messages", of::<Vec<DirectMessage>>()),
    ]);
    let receipt = object([
        ("id", text("Always empty.")),
        ("chat_id", text("Ids of both users as `a+b`.")),
        ("message_id", id("The newest message that the other user has read.")),
        ("user_id", id("Id of the other user.")),
        ("read_at", number("When they read it. Unix time in seconds.")),
    ]);
    // Clients of the original service show it below the messages.
    let answer = with_optional(answer, [("read_receipt", named("ReadReceipt", receipt))]);
    let told = Operation::of(TAG, "Lists the messages of a chat, newest first")
        .needs("other_user_id", id("Id of the other user."));
    super::beside(told)
        .gives(200, answer)
        .without_body(304, "There are no such messages.")
        .refuses(404, "No such user.")
}

pub(in crate::http) fn write() -> Operation {
    let answer =
        object([("message", of::<DirectMessage>()), ("direct_message", of::<DirectMessage>())]);
    Operation::of(TAG, "Sends a direct message")
        .detail(
            "Sending the same `source_guid` to the same user again within a minute returns the \
             stored message.",
        )
        .body(bodies::direct_message())
        .gives(201, answer)
        .refuses(403, "The recipient has blocked you, or you sent too many messages.")
        .with_headers(403, &[RETRY_AFTER])
        .refuses(404, "No such user.")
}
