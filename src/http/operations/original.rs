//! Paths that only clients of the original service call.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use wire::chat::ChatJson;
use wire::message::DirectMessage;
use wire::original::{
    GroupPreview, PendingCounts, ReceivedRequest, Relationship, RequestedGroup, SentRequestResource,
};
use wire::original_login::{
    ConfirmedPin, InitiatedVerification, OriginalChallenge, OriginalLogIn, OwnFactor,
    VerificationState, WrongPin,
};
use wire::schema::bodies::{self, required};
use wire::schema::{
    always, id, list, named, nothing, number, object, of, refusal, text, with_optional,
};
use wire::user::UserResource;

const TAG: &str = "Original clients";
const NO_CONVERSATION: &str = "No such conversation or message, or you are not in it.";

fn receipt() -> Value {
    let receipt = required([
        ("conversation_id", text("The id of a group, or the ids of two users as `a+b`.")),
        ("last_read_message_id", id("The newest message that you have read.")),
    ]);
    named("ReadMark", receipt)
}

pub(in crate::http) fn read_receipts() -> Operation {
    Operation::of(TAG, "Lists how far you have read your conversations")
        .gives(200, object([("receipts", list(receipt()))]))
}

pub(in crate::http) fn mark_in_body() -> Operation {
    let one = required([
        ("chat_id", text("The ids of two users as `a+b`.")),
        ("message_id", id("The newest message that you have read.")),
    ]);
    let body = with_optional(object([]), [("receipts", list(receipt())), ("read_receipt", one)]);
    let body = named("ReadMarks", body);
    Operation::of(TAG, "Marks conversations as read")
        .detail("At most 500 receipts in one request.")
        .body(body)
        .gives(202, json!({"type": "null"}))
        .refuses(404, NO_CONVERSATION)
}

pub(in crate::http) fn mark() -> Operation {
    let body = object([("last_read_message_id", id("The newest message that you have read."))]);
    let body = named("NewReadMark", body);
    let accepted = object([
        ("conversation_id", text("The conversation.")),
        ("last_read_message_id", id("The message.")),
        ("status", always("accepted")),
    ]);
    Operation::of(TAG, "Marks a conversation as read up to a message")
        .body(body)
        .gives(202, accepted)
        .refuses(404, NO_CONVERSATION)
}

pub(in crate::http) fn mark_all() -> Operation {
    Operation::of(TAG, "Marks all conversations as read").without_body(202, "All are read.")
}

pub(in crate::http) fn send_receipt() -> Operation {
    let receipt = object([
        ("conversation_id", text("The conversation.")),
        ("message_id", id("The newest message that you have read.")),
        ("user_id", id("Your id.")),
        ("read_at", number("When you read it. Unix time in seconds.")),
    ]);
    let body = with_optional(
        object([]),
        [("message_id", id("The message; the newest message without it."))],
    );
    let body = named("NewReadReceipt", body);
    Operation::of(TAG, "Marks a conversation as read, and shows the receipt")
        .body(body)
        .gives(200, object([("read_receipt", receipt)]))
        .refuses(404, NO_CONVERSATION)
}

fn none() -> Value {
    json!({"type": "array", "maxItems": 0, "items": {}})
}

pub(in crate::http) fn pending_groups() -> Operation {
    let answer = object([
        ("requests_sent", of::<Vec<SentRequestResource>>()),
        ("requests_received", of::<Vec<RequestedGroup>>()),
    ]);
    Operation::of(TAG, "Lists your requests to join groups, and your groups with such requests")
        .detail(
            "`requests_received` counts the requests that you may decide. Requests of people whom a \
             member added or invited are not shown to these people.",
        )
        .gives(200, answer)
}

pub(in crate::http) fn directories() -> Operation {
    Operation::of(TAG, "Lists your directories; always empty on this server").gives(200, none())
}

pub(in crate::http) fn requests() -> Operation {
    let answer = object([
        ("counts", of::<PendingCounts>()),
        ("dm_requests", of::<Vec<ChatJson>>()),
        ("group_requests_received", of::<Vec<ReceivedRequest>>()),
        ("group_requests_sent", of::<Vec<SentRequestResource>>()),
    ]);
    Operation::of(
        TAG,
        "Lists the open requests to write to you, and to join groups that you may decide or sent",
    )
    .detail("Those that you may decide have the newest first.")
    .gives(200, answer)
}

pub(in crate::http) fn request_counts() -> Operation {
    Operation::of(
        TAG,
        "Counts the open requests to write to you, and to join groups that you may decide or sent",
    )
    .gives(200, object([("counts", of::<PendingCounts>())]))
}

pub(in crate::http) fn begin_pings() -> Operation {
    Operation::of(TAG, "Notes that the web client of the original service is open")
        .detail("Has no effect: presence comes from sockets.")
        .without_body(201, "Noted.")
}

pub(in crate::http) fn end_pings() -> Operation {
    Operation::of(TAG, "Notes that the web client of the original service was closed")
        .detail("Has no effect: presence comes from sockets.")
        .without_body(200, "Noted.")
}

pub(in crate::http) fn relationships() -> Operation {
    let limit = json!({"type": "integer", "minimum": 1, "default": 200});
    let blocked = json!({"type": "boolean", "default": false});
    Operation::of(TAG, "Lists the people with whom you have chats, by their ids")
        .query("include_blocked", blocked)
        .query("limit", limit)
        .query("page", text("The last `id` of the page before, in base64."))
        .gives(200, of::<Vec<Relationship>>())
}

pub(in crate::http) fn update_profile() -> Operation {
    let body = with_optional(object([]), [("user", bodies::profile_change())]);
    let body = named("OwnProfileChange", body);
    Operation::of(TAG, "Changes your profile")
        .body(body)
        .gives(200, of::<UserResource>())
        .refuses(403, "The user is somebody else.")
        .refuses(409, "The email address or the phone number belongs to another account.")
}

pub(in crate::http) fn preview() -> Operation {
    Operation::of(TAG, "Shows the group behind a share link")
        .open()
        .detail("With a token, `membership_state` says what you are to the group.")
        .gives(200, of::<GroupPreview>())
        .refuses(404, "No such group, or not this share token.")
}

pub(in crate::http) fn preview_listed() -> Operation {
    Operation::of(TAG, "Shows a group of yours, or one that the directory lists")
        .detail("`visibility: \"searchable\"` lists a group, unless the server has no directory.")
        .gives(200, of::<GroupPreview>())
        .refuses(
            404,
            "No such group, you neither are in it nor does the directory list it, or it bans you.",
        )
}

pub(in crate::http) fn withdraw() -> Operation {
    Operation::of(TAG, "Withdraws your request to join a group")
        .detail("200 without one, too. You may ask again at once.")
        .gives(200, nothing())
        .refuses(404, "This is no id of a group.")
}

pub(in crate::http) fn group_code() -> Operation {
    code("Shows the QR code of a share link")
        .refuses(404, "No such group, or the share token is not valid.")
}

pub(in crate::http) fn contact_code() -> Operation {
    code("Shows the QR code of a link to a user").refuses(404, "This is no such link.")
}

fn code(summary: &'static str) -> Operation {
    Operation::bare(TAG, summary)
        .with_media_type(200, "The code, as a PNG.", "image/png", json!({}))
        .refuses(503, "The server cannot do this now.")
}

pub(in crate::http) fn join() -> Operation {
    let token = text(
        "The token of the share link; not needed to come back, or where `visibility` is `searchable`.",
    );
    let body = with_optional(bodies::join(), [("share_token", token)]);
    let body = named("NewMembership", body);
    super::groups::join().body(body)
}

pub(in crate::http) fn direct_message() -> Operation {
    Operation::of(TAG, "Shows a message of a chat")
        .needs("other_user_id", id("Id of the other user."))
        .gives(200, object([("message", of::<DirectMessage>())]))
        .refuses(404, "No such message.")
}

pub(in crate::http) fn edit_in_chat() -> Operation {
    super::messages::edit()
}

pub(in crate::http) fn log_in() -> Operation {
    Operation::of(TAG, "Logs in, in the form of the original service")
        .detail(
            "With a second factor, the first request is answered with 202 and a verification. Confirm \
             it, and send the same request again with its `code`. `username` or `email` has the email \
             address. Takes no `Idempotency-Key`: each log-in issues a token.",
        )
        .open()
        .body(bodies::original_log_in())
        .gives(201, of::<OriginalLogIn>())
        .without_envelope(202, "The log-in needs the second factor.", challenge())
        .refuses(401, "Wrong email or password, or the verification has expired.")
        .refuses(403, "The account is disabled, or may not log in with a password.")
        .refuses(429, "Too many failed log-ins for this account, or from this address.")
}

/// The envelope of a challenge, whose code is not the status.
fn challenge() -> Value {
    let meta = object([("code", json!({"const": 20_200}))]);
    named(
        "OriginalChallengeEnvelope",
        object([("response", of::<OriginalChallenge>()), ("meta", meta)]),
    )
}

pub(in crate::http) fn verification() -> Operation {
    Operation::of(TAG, "Shows whether the second factor of a log-in passed")
        .open()
        .gives(200, of::<VerificationState>())
        .refuses(404, NO_VERIFICATION)
}

pub(in crate::http) fn initiate() -> Operation {
    Operation::of(TAG, "Begins a verification; nothing is sent, since an application has the codes")
        .detail("Takes no `Idempotency-Key`: a repeated request changes nothing.")
        .open()
        .gives(200, of::<InitiatedVerification>())
        .refuses(404, NO_VERIFICATION)
}

pub(in crate::http) fn confirm() -> Operation {
    Operation::of(TAG, "Confirms a verification with a one-time code or a recovery code")
        .detail(
            "A wrong `pin` counts as a wrong password. Takes no `Idempotency-Key`: a code works once.",
        )
        .open()
        .body(bodies::pin())
        .gives(200, of::<ConfirmedPin>())
        .without_envelope(
            400,
            "The code is wrong, or the body is invalid.",
            json!({"anyOf": [of::<WrongPin>(), refusal(400)]}),
        )
        .refuses(401, "The verification has expired.")
        .refuses(404, NO_VERIFICATION)
        .refuses(429, "Too many wrong passwords and codes for this account, or from this address.")
}

pub(in crate::http) fn mfa() -> Operation {
    Operation::of(TAG, "Shows your second factor, in the form of the original service")
        .gives(200, of::<OwnFactor>())
        .refuses(403, "The token belongs to an application.")
}

const NO_VERIFICATION: &str = "The verification is unknown, used or expired.";
