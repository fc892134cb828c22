//! JSON Schemas of the request bodies. Limits come from `domain/limits.rs`, which also enforces
//! them.

use serde_json::{Value, json};

use crate::group_bodies::{HIDDEN, SEARCHABLE};
use crate::join_request::QUESTION_TYPE;
use crate::schema::{
    Field, flag, id, list, named, number, object, one_of, some_text, some_words, text,
    text_or_null, with_optional, words, words_or_null,
};
use domain::bot_event::BotEvent;
use domain::group::{GroupKind, MentionAll, TopicKind};
use domain::instance::{PasswordLogin, SignUp};
use domain::limits;
use domain::message_requests::DmFrom;
use domain::notices::NoticeLevel;
use domain::operators::OperatorRole;
use domain::polls::{PollKind, Visibility};
use domain::required_factor::FactorRequirement;
use domain::scopes::ScopeSet;

/// An object in which all of these fields are required. The reader of bodies takes an empty text for
/// an absent one (`wire/fields.rs`), so a required text has at least one character.
pub fn required<const N: usize>(fields: [Field; N]) -> Value {
    object(fields.map(|(name, mut schema)| {
        if schema["type"] == "string" && schema.get("minLength").is_none() {
            schema["minLength"] = json!(1);
        }
        (name, schema)
    }))
}

/// `POST /auth/register`
pub fn registration() -> Value {
    let invite = text(
        "A link to join a group, which the account joins, or an invitation of the operators. A link \
         for guests makes the account a guest's.",
    );
    let about = "Who you are, and why you want an account; required in the mode `approval`, not kept in others.";
    let about = some_words(about, limits::ABOUT_CHARS);
    named("NewAccount", with_optional(new_account(), [("invite", invite), ("about", about)]))
}

/// `POST /auth/confirm/{secret}`
pub fn confirmation() -> Value {
    let password = text("The password of a new account that waits for the confirmation.");
    named("Confirmation", with_optional(required([]), [("password", password)]))
}

fn new_account() -> Value {
    let body = required([
        ("name", some_words("First name, space, last name.", limits::USER_NAME_CHARS)),
        ("email", some_words("In the form name@domain.", limits::EMAIL_CHARS)),
        ("password", fresh_password()),
    ]);
    with_optional(body, [("phone_number", text("3 to 15 digits."))])
}

/// `POST /auth/setup`
pub fn setup() -> Value {
    named("FirstAdmin", with_optional(new_account(), [("code", text("The code of the server."))]))
}

fn fresh_password() -> Value {
    let least = limits::PASSWORD_CHARS.start();
    let most = limits::PASSWORD_CHARS.end();
    json!({"type": "string", "minLength": least, "maxLength": most})
}

/// `POST /auth/login`
pub fn login() -> Value {
    let body =
        required([("email", text("The account's email.")), ("password", text("The password."))]);
    let device = "Secret of a trusted device, which needs no second factor.";
    named("LogIn", with_optional(body, [("device", text(device))]))
}

/// A body with at least one of these fields.
pub fn any_of(mut body: Value, names: &[&str]) -> Value {
    body["anyOf"] = names.iter().map(|name| json!({"required": [name]})).collect();
    body
}

/// `POST /access_tokens`
pub fn original_log_in() -> Value {
    let body = required([("password", text("The password."))]);
    let code = with_optional(object([]), [("code", text("Code of a confirmed verification."))]);
    let fields = [
        ("username", some_text("The account's email.")),
        ("email", some_text("The account's email, without `username`.")),
        ("verification", code),
    ];
    let body = any_of(with_optional(body, fields), &["username", "email"]);
    named("OriginalLogInBody", body)
}

/// `POST /verifications/{code}/confirm`
pub fn pin() -> Value {
    let pin = required([("pin", text("A one-time code or a recovery code."))]);
    named("VerificationPin", required([("verification", pin)]))
}

/// `POST /auth/oidc/{provider}/link` and `POST /auth/oidc/{provider}/proof`
pub fn way_back() -> Value {
    let back = ("return", some_text("A path of this server to come back to; `/` if absent."));
    named("WayBack", with_optional(object([]), [back]))
}

/// `POST /auth/oidc/{provider}/logout`
pub fn logout_token() -> Value {
    let token = ("logout_token", text("The log-out token: a signed JSON Web Token."));
    named("ProviderLogout", required([token]))
}

/// `POST /auth/recover`
pub fn recovery() -> Value {
    named("Recovery", required([("email", text("The account's email."))]))
}

/// `POST /auth/recover/{secret}`
pub fn recovered() -> Value {
    named("RecoveredPassword", required([("password", fresh_password())]))
}

/// An act of an operator.
pub fn reasoned() -> Value {
    named("ReasonedAct", required([("reason", reason())]))
}

/// `POST /v3/admin/users/{user}/role`
pub fn operator_role() -> Value {
    let names = OperatorRole::ALL.map(|role| json!(role.as_str()));
    let choices: Vec<Value> = names.into_iter().chain([Value::Null]).collect();
    let role = json!({"enum": choices, "description": "Null takes the role."});
    named("OperatorRole", required([("role", role), ("reason", reason())]))
}

/// `POST /v3/admin/users/{user}/kind`
pub fn account_kind() -> Value {
    let kind = json!({"enum": ["member"]});
    named("AccountKind", required([("kind", kind), ("reason", reason())]))
}

/// `PUT /v3/admin/settings`
pub fn settings() -> Value {
    let removable = |what, most| words_or_null(what, most);
    named(
        "SettingsChange",
        with_optional(
            required([("reason", reason())]),
            [
                (
                    "name",
                    removable("The name of the place; null removes it.", limits::PLACE_NAME_CHARS),
                ),
                (
                    "greeting",
                    removable("Words of greeting; null removes them.", limits::GREETING_CHARS),
                ),
                (
                    "contact",
                    removable("Whom people ask for help; null removes it.", limits::CONTACT_CHARS),
                ),
                ("password_login", password_login()),
                ("second_factor", second_factor()),
                ("dm_from", dm_from()),
                ("directory", switch("Whether there is a directory of searchable groups.")),
                ("guests", switch("Whether links make guests.")),
                ("mail_shows_text", switch("Whether mails about missed messages quote them.")),
            ],
        ),
    )
}

fn switch(told: &str) -> Value {
    json!({"enum": ["on", "off", null], "description": told})
}

fn password_login() -> Value {
    let names = PasswordLogin::ALL.map(|mode| json!(mode.as_str()));
    let choices: Vec<Value> = names.into_iter().chain([Value::Null]).collect();
    json!({"enum": choices, "description": "Who may log in with a password; null is everybody."})
}

fn second_factor() -> Value {
    let names = FactorRequirement::ALL.map(|it| json!(it.as_str()));
    let choices: Vec<Value> = names.into_iter().chain([Value::Null]).collect();
    let told = "Who must have a second factor; null is `operators` on a server with a public URL, else `optional`.";
    json!({"enum": choices, "description": told})
}

fn dm_from() -> Value {
    let names = DmFrom::ALL.map(|it| json!(it.as_str()));
    let choices: Vec<Value> = names.into_iter().chain([Value::Null]).collect();
    let told =
        "From whom people take the first direct message who made no choice; null is `everyone`.";
    json!({"enum": choices, "description": told})
}

/// `PUT /v3/admin/registration`
pub fn registration_mode() -> Value {
    let names = SignUp::ALL.map(|mode| json!(mode.as_str()));
    let choices: Vec<Value> = names.into_iter().chain([Value::Null]).collect();
    let mode = json!({"enum": choices, "description": "Null restores the default."});
    let domains = json!({
        "type": "array",
        "items": some_words("A domain, like example.org.", limits::EMAIL_CHARS),
        "minItems": 1,
        "maxItems": limits::REGISTRATION_DOMAINS,
        "description": "Whose addresses may register in the mode `domain`; if absent, they stay.",
    });
    let shown = "Whether people who are not logged in see the domains; read beside `domains`.";
    let shown = json!({"type": "boolean", "default": false, "description": shown});
    let body = required([("mode", mode), ("reason", reason())]);
    let body = with_optional(body, [("domains", domains), ("show_domains", shown)]);
    named("RegistrationChange", body)
}

pub(crate) fn reason() -> Value {
    some_words("Why; it is written to the audit log.", limits::REASON_CHARS)
}

/// `POST /auth/password`
pub fn password_change() -> Value {
    named(
        "PasswordChange",
        with_optional(
            required([
                ("current_password", text("Current password.")),
                ("new_password", fresh_password()),
            ]),
            [
                ("end_bots", flag("Whether your bots are removed too.")),
                ("end_applications", flag("Whether your applications are removed too.")),
            ],
        ),
    )
}

/// `POST /auth/tokens`
pub fn minted_token() -> Value {
    let about = "Scopes of the token; without it, those of an application.";
    let scopes = scopes(ScopeSet::WHOLE, about);
    named(
        "NewToken",
        with_optional(required([name_of_token()]), [("scopes", scopes), expires_in()]),
    )
}

/// `POST /v3/admin/scim_tokens`
pub fn scim_token() -> Value {
    let body = required([name_of_token(), ("reason", reason())]);
    named("NewScimToken", with_optional(body, [expires_in()]))
}

fn name_of_token() -> Field {
    ("name", some_words("Name of the token, as lists show it.", limits::APPLICATION_NAME_CHARS))
}

fn expires_in() -> Field {
    let schema = json!({
        "type": "integer",
        "minimum": limits::TOKEN_SECONDS.start(),
        "maximum": limits::TOKEN_SECONDS.end(),
        "description": "After how many seconds the token expires, at most as many as the server \
            sets for all tokens; without it, it lives as long as a log-in.",
    });
    ("expires_in", schema)
}

/// A list of scopes, each of them one of these.
fn scopes(of: ScopeSet, about: &str) -> Value {
    json!({
        "type": "array",
        "items": {"type": "string", "enum": of.names()},
        "minItems": 1,
        "description": about,
    })
}

/// `DELETE /auth/account`
pub fn password() -> Value {
    named("OwnPassword", required([("password", text("Your current password."))]))
}

/// `POST /oauth/applications`
pub fn application() -> Value {
    let callback = "URL to which users are redirected: https, or http on localhost.";
    let body = required([
        ("name", some_words("The name that users see.", limits::APPLICATION_NAME_CHARS)),
        ("callback_url", words(callback, limits::CALLBACK_URL_CHARS)),
    ]);
    let about = "Scopes that the application may ask for; without it, all of these.";
    let scopes = scopes(ScopeSet::APPLICATION, about);
    named("NewApplication", with_optional(body, [("scopes", scopes)]))
}

/// `POST /groups`
pub fn group() -> Value {
    let body = required([("name", some_words("The group's name.", limits::GROUP_NAME_CHARS))]);
    named(
        "NewGroup",
        with_optional(
            body,
            [
                ("description", words("What the group is about.", limits::DESCRIPTION_CHARS)),
                ("image_url", text("URL of an image stored on this server.")),
                ("share", flag("Whether to create a share URL, with which anyone can join.")),
                ("group_type", group_type()),
                ("type", group_type()),
                ("office_mode", flag("Closes a private group; must not contradict `group_type`.")),
                ("mention_all", mention_all()),
                ("slow_mode", slow_mode()),
                ("requires_approval", flag(APPROVAL)),
                ("show_join_question", flag(SHOWS_QUESTION)),
                ("join_question", join_question()),
                ("visibility", visibility()),
            ],
        ),
    )
}

/// `POST /groups/:id/update`
pub fn group_change() -> Value {
    named(
        "GroupChange",
        with_optional(
            object([]),
            [
                ("name", some_words("The group's new name.", limits::GROUP_NAME_CHARS)),
                ("description", words("Description; empty removes it.", limits::DESCRIPTION_CHARS)),
                ("image_url", text("URL of an image stored on this server; empty removes it.")),
                ("group_type", group_type()),
                ("type", group_type()),
                ("office_mode", flag("Closes a private group; must not contradict `group_type`.")),
                ("mention_all", mention_all()),
                ("slow_mode", slow_mode()),
                ("requires_approval", flag(APPROVAL)),
                ("show_join_question", flag(SHOWS_QUESTION)),
                ("join_question", join_question()),
                ("visibility", visibility()),
                ("share", flag("Creates or withdraws the share URL, with which anyone can join.")),
                ("message_edit_period", number("Minutes to edit; 0 never, 2147483647 forever.")),
                (
                    "message_deletion_period",
                    number("Seconds to delete; 0 never, 2147483647 forever."),
                ),
                ("message_deletion_mode", list(json!({"enum": ["sender", "admin"]}))),
            ],
        ),
    )
}

/// `POST /groups/:id/copy`
pub fn group_copy() -> Value {
    let name =
        some_words("The copy's name; that of the group if absent.", limits::GROUP_NAME_CHARS);
    let fields = [
        ("name", name),
        ("settings", flag("Whether the settings are copied; true if absent.")),
        ("topics", flag("Whether the topics are copied, without messages; true if absent.")),
        ("members", flag("Whether the members are added; false if absent.")),
    ];
    named("GroupCopy", with_optional(object([]), fields))
}

/// `POST /groups/:id/subgroups`
pub fn topic() -> Value {
    let body = required([("topic", some_words("The topic's name.", limits::GROUP_NAME_CHARS))]);
    named("NewTopic", with_topic_fields(body))
}

/// `PUT /groups/:id/subgroups/:topic`
pub fn topic_update() -> Value {
    let name = some_words("The topic's new name.", limits::GROUP_NAME_CHARS);
    named("TopicChange", with_topic_fields(with_optional(object([]), [("topic", name)])))
}

fn with_topic_fields(body: Value) -> Value {
    let known = TopicKind::ALL.map(TopicKind::as_str);
    let kind = json!({"enum": known, "description": "Whether all members post, or only the owner and admins."});
    with_optional(
        body,
        [
            ("description", words("What the topic is about.", limits::DESCRIPTION_CHARS)),
            ("avatar_url", text("URL of an image stored on this server.")),
            ("group_type", kind),
        ],
    )
}

/// The type of a group.
fn group_type() -> Value {
    let known = GroupKind::ALL.map(GroupKind::as_str);
    json!({"enum": known, "description": "What plain members may do; new groups are `private`."})
}

/// `POST /groups/:id/members/:membership_id/update`
pub fn role() -> Value {
    let role = json!({"enum": ["admin", "user"], "description": "The new role."});
    named("RoleChange", required([("role", role)]))
}

/// The setting of who may mention everybody.
fn mention_all() -> Value {
    let known: Vec<&str> = MentionAll::ALL.iter().map(|(name, _)| *name).collect();
    json!({"enum": known, "description": "Who may mention everybody; new groups have `admins`."})
}

/// What `requires_approval` is.
const APPROVAL: &str = "Whether the owner or an admin decides who joins.";
/// What `show_join_question` is.
const SHOWS_QUESTION: &str = "Whether people who ask to join have to answer the question.";

/// The setting of whether the directory lists a group.
fn visibility() -> Value {
    let told = "Whether strangers find the group in the directory; new groups are `hidden`.";
    json!({"enum": [HIDDEN, SEARCHABLE], "description": told})
}

/// The setting of the question to people who ask to join.
fn join_question() -> Value {
    let text = words("The question; empty for the usual one.", limits::JOIN_QUESTION_CHARS);
    with_optional(object([]), [("type", json!({"const": QUESTION_TYPE})), ("text", text)])
}

/// `POST /groups/:id/join/:share_token`
pub fn join() -> Value {
    let response = some_words("The answer.", limits::JOIN_ANSWER_CHARS);
    let answer = with_optional(object([]), [("response", response)]);
    named("JoinAttempt", with_optional(object([]), [("answer", answer)]))
}

/// The setting of slow mode.
fn slow_mode() -> Value {
    let text = "Seconds between two posts of one plain member; 0 switches slow mode off.";
    json!({"type": "integer", "minimum": 0, "maximum": limits::SLOW_MODE_SECONDS, "description": text})
}

/// `POST /groups/join`
pub fn rejoin() -> Value {
    named("Rejoin", required([("group_id", id("Id of a group that you left."))]))
}

/// `POST /groups/change_owners`
pub fn owner_changes() -> Value {
    // A request with a missing or wrong id is no error: its result has a status of its own.
    let request = with_optional(
        object([]),
        [
            ("group_id", text("Id of a group that you own.")),
            ("owner_id", text("User id of the new owner, who must be a member.")),
        ],
    );
    let mut requests = list(request);
    requests["maxItems"] = json!(limits::OWNER_REQUESTS);
    named("OwnerChanges", required([("requests", requests)]))
}

/// `POST /groups/:id/members/add`
pub fn members() -> Value {
    let item = required([("nickname", some_words("The nickname.", limits::NICKNAME_CHARS))]);
    let mut item = with_optional(
        item,
        [
            ("user_id", id("User id of the person to add.")),
            ("phone_number", some_text("Phone number of a person to add or invite.")),
            ("email", some_text("Email address of a person to add or invite.")),
            ("guid", text("Chosen by the client; returned with the membership.")),
        ],
    );
    item["anyOf"] = json!([
        {"required": ["user_id"], "properties": {"phone_number": false, "email": false}},
        {"required": ["phone_number"], "properties": {"user_id": false, "email": false}},
        {"required": ["email"], "properties": {"user_id": false, "phone_number": false}},
    ]);
    item["description"] = json!("Exactly one of user_id, phone_number and email is required.");
    let mut items = list(item);
    items["maxItems"] = json!(limits::ADD_ITEMS);
    named("NewMembers", required([("members", items)]))
}

/// `POST /groups/:id/memberships/update`
pub fn rename() -> Value {
    let nickname = some_words("Your nickname in this group.", limits::NICKNAME_CHARS);
    named("NicknameChange", required([("membership", required([("nickname", nickname)]))]))
}

/// `POST /groups/:group_id/members/:membership_id/approval`
pub fn approval() -> Value {
    named("Approval", object([("approval", is_approved())]))
}

/// `POST /groups/:group_id/members/approvals`
pub fn approvals() -> Value {
    let mut memberships = list(id("Id of a requested membership."));
    memberships["maxItems"] = json!(limits::ADD_ITEMS);
    let approvals = object([("approval", is_approved())]);
    named("Approvals", with_optional(approvals, [("membership_ids", memberships)]))
}

fn is_approved() -> Value {
    json!({"type": "boolean", "description": "Whether the users become members."})
}

/// `PUT /groups/:group_id/members/:membership_id/timeout`
pub fn timeout() -> Value {
    let most = limits::TIMEOUT_MILLIS / 1000;
    let seconds = json!({
        "type": "integer", "minimum": 1, "maximum": most,
        "description": "How long it lasts, in seconds; or give `until`.",
    });
    let until = json!({
        "type": "integer", "minimum": 0,
        "description": "When it ends, as Unix time in seconds; or give `seconds`.",
    });
    let reason = "Why, for the owner, admins and the user.";
    let reason = ("reason", words_or_null(reason, limits::MODERATION_REASON_CHARS));
    let mut body = with_optional(object([]), [("seconds", seconds), ("until", until), reason]);
    body["anyOf"] = json!([{"required": ["seconds"]}, {"required": ["until"]}]);
    named("NewTimeout", body)
}

/// `PUT /groups/:group_id/bans/:user_id`
pub fn ban() -> Value {
    let since = json!({
        "type": "integer", "minimum": 0, "maximum": limits::BAN_DELETES_SECONDS,
        "description": "Messages of the last so many seconds are deleted.",
    });
    let until = json!({
        "type": ["integer", "null"], "minimum": 0,
        "description": "When the ban ends, as Unix time in seconds; null or absent: never.",
    });
    let reason = "Why, for the owner, admins and the user.";
    let optional = [
        ("reason", words_or_null(reason, limits::MODERATION_REASON_CHARS)),
        ("until", until),
        ("delete_since", since),
    ];
    named("NewBan", with_optional(object([]), optional))
}

/// `POST /groups/:group_id/memberships/mute`
pub fn muting() -> Value {
    let minutes = json!({
        "type": ["integer", "null"], "minimum": 1,
        "description": "How long to mute, in minutes; null or absent: until you unmute.",
    });
    named("Muting", with_optional(object([]), [("duration", minutes)]))
}

/// `PUT /conversations/:conversation_id/notifications`
pub fn level() -> Value {
    let level = one_of(&NoticeLevel::ALL.map(|(name, _)| name));
    let minutes = json!({
        "type": ["integer", "null"], "minimum": 0,
        "description": "Only for chats: how long to mute, in minutes; null: until you unmute; 0: \
            unmutes the chat.",
    });
    let mut body = with_optional(object([]), [("level", level), ("duration", minutes)]);
    body["minProperties"] = json!(1);
    named("NoticeChange", body)
}

/// `POST /poll/:group_id`
pub fn poll() -> Value {
    let option = required([("title", some_words("Text of the option.", limits::POLL_CHARS))]);
    let least = limits::POLL_OPTIONS.start();
    let most = limits::POLL_OPTIONS.end();
    let mut options = list(option);
    options["minItems"] = json!(least);
    options["maxItems"] = json!(most);
    let body = required([
        ("subject", some_words("The question.", limits::POLL_CHARS)),
        ("options", options),
        ("expiration", number("End of the poll, at least a minute ahead. Unix time in seconds.")),
    ]);
    let kind = one_of(&PollKind::ALL.map(|(name, _)| name));
    let visibility = one_of(&Visibility::ALL.map(|(name, _)| name));
    named("NewPoll", with_optional(body, [("type", kind), ("visibility", visibility)]))
}

/// `POST /conversations/:conversation_id/events/create`
pub fn event() -> Value {
    let mut body = event_fields();
    body["required"] = json!(["name", "start_at", "end_at"]);
    for field in ["start_at", "end_at"] {
        body["properties"][field]["minLength"] = json!(1);
    }
    named("NewCalendarEvent", body)
}

/// `POST /conversations/:conversation_id/events/update`
pub fn event_change() -> Value {
    named("CalendarEventChange", event_fields())
}

fn event_fields() -> Value {
    let name = || some_words("Name of the event, or of its place.", limits::EVENT_NAME_CHARS);
    let place = with_optional(
        object([]),
        [
            ("name", name()),
            ("address", some_words("Address of the place.", limits::EVENT_NAME_CHARS)),
            ("lat", json!({"type": "number", "minimum": -90, "maximum": 90})),
            ("lng", json!({"type": "number", "minimum": -180, "maximum": 180})),
        ],
    );
    let second = json!({"type": "integer", "minimum": 0, "maximum": limits::REMINDER_SECONDS});
    let mut reminders = list(second);
    reminders["maxItems"] = json!(limits::EVENT_REMINDERS);
    with_optional(
        object([]),
        [
            ("name", name()),
            ("description", words("What the event is about.", limits::EVENT_WORDS_CHARS)),
            ("start_at", text("When the event begins (ISO 8601).")),
            ("end_at", text("When the event ends (ISO 8601).")),
            ("is_all_day", flag("Whether the event takes whole days, so that only dates count.")),
            ("timezone", text("Name of the event's time zone, such as `Europe/Berlin`.")),
            ("location", place),
            ("reminders", reminders),
        ],
    )
}

/// `POST /groups/:id/messages`
pub fn message() -> Value {
    named("NewMessage", required([("message", written(required([guid()])))]))
}

/// `POST /direct_messages`
pub fn direct_message() -> Value {
    let fields = required([guid(), ("recipient_id", id("User id of the recipient."))]);
    named("NewDirectMessage", required([("direct_message", written(fields))]))
}

/// `POST /messages/:conversation_id/:message_id/like`
pub fn like() -> Value {
    let emoji = required([("type", json!({"const": "unicode"})), ("code", text("One emoji."))]);
    let picture = required([
        ("type", json!({"const": "emoji"})),
        ("pack_id", json!({"type": "integer"})),
        ("pack_index", json!({"type": "integer"})),
    ]);
    named("NewLike", with_optional(object([]), [("like_icon", json!({"anyOf": [emoji, picture]}))]))
}

/// `PUT …/messages/:message_id`
pub fn edit() -> Value {
    let text = words("The new text; empty removes it.", limits::MESSAGE_CHARS);
    let mut change = with_optional(object([]), [("text", text), ("attachments", attachments())]);
    change["anyOf"] = json!([{"required": ["text"]}, {"required": ["attachments"]}]);
    named("MessageChange", change)
}

/// `PUT /drafts/:conversation_id`
pub fn draft() -> Value {
    let text = words("The text so far.", limits::MESSAGE_CHARS);
    let draft = with_optional(object([]), [("text", text), ("attachments", attachments())]);
    named("NewDraft", draft)
}

/// Attachments that only new apps send.
fn forms_of_new_apps() -> [Value; 2] {
    let kind = |kind: &'static str| ("type", json!({"const": kind}));
    let chars = limits::ATTACHMENT_CHARS;
    [
        with_optional(
            required([kind("audio"), ("url", text("URL of a file of the conversation."))]),
            [
                ("duration", json!({"type": "number", "description": "How long it is."})),
                (
                    "peaks",
                    json!({
                        "type": "array", "items": {"type": "number"},
                        "maxItems": limits::ATTACHMENT_ENTRIES,
                        "description": "How loud it is, from its beginning to its end.",
                    }),
                ),
                ("transcript_url", words("Where its transcript is.", chars)),
            ],
        ),
        required([kind("linked_image"), ("url", some_words("An http or https URL.", chars))]),
    ]
}

/// The attachments of a message, in the form in which clients send them.
fn attachments() -> Value {
    let kind = |kind: &'static str| ("type", json!({"const": kind}));
    let degrees = |what: &str| json!({"type": ["string", "number"], "description": what});
    let pairs = |what: &str| {
        let pair = json!({"type": "integer"});
        let pair = json!({"type": "array", "items": pair, "minItems": 2, "maxItems": 2});
        json!({"type": "array", "items": pair, "maxItems": limits::ATTACHMENT_ENTRIES,
            "description": what})
    };
    let chars = limits::ATTACHMENT_CHARS;
    let mut users = list(some_text("Id of a user, `all` or `online`."));
    users["maxItems"] = json!(limits::ATTACHMENT_ENTRIES);
    let forms = [
        with_optional(
            required([kind("image"), ("url", text("URL of an image stored on this server."))]),
            [
                ("source_url", words("Where the image comes from.", chars)),
                ("blur_hash", words("A blurred form of the image.", chars)),
            ],
        ),
        with_optional(
            object([
                kind("location"),
                ("lat", degrees("Latitude.")),
                ("lng", degrees("Longitude.")),
            ]),
            [("name", words("Name of the place.", chars))],
        ),
        object([kind("split"), ("token", words("The token that identifies the bill.", chars))]),
        object([
            kind("emoji"),
            ("placeholder", words("The character that the pictures replace.", chars)),
            ("charmap", pairs("For each placeholder, the pack and the index in it.")),
        ]),
        with_optional(
            object([kind("mentions"), ("loci", pairs("`[start, length]` of each mention."))]),
            [("user_ids", users)],
        ),
        with_optional(
            required([kind("reply"), ("reply_id", words("Id of the message replied to.", chars))]),
            [("base_reply_id", words("Id of the first message of the thread.", chars))],
        ),
        with_optional(
            required([kind("file"), ("file_id", text("Id of a file of the conversation."))]),
            [(
                "duration",
                json!({
                    "type": "number", "minimum": 0, "maximum": limits::RECORDING_SECONDS,
                    "description": "Duration of a recording in seconds.",
                }),
            )],
        ),
        with_optional(
            required([
                kind("video"),
                ("url", text("URL of a file of the conversation.")),
                ("preview_url", text("URL of an image stored on this server.")),
            ]),
            [("blur_hash", words("A blurred form of that image.", chars))],
        ),
    ];
    let forms: Vec<Value> = forms.into_iter().chain(forms_of_new_apps()).collect();
    let mut attachments = list(named("NewAttachment", json!({"oneOf": forms})));
    attachments["maxItems"] = json!(limits::ATTACHMENTS);
    attachments
}

fn guid() -> (&'static str, Value) {
    (
        "source_guid",
        some_words("Chosen by the client; a retry must send the same one.", limits::GUID_CHARS),
    )
}

fn written(fields: Value) -> Value {
    let mut written = with_optional(
        fields,
        [
            ("text", some_words("Required unless there is an attachment.", limits::MESSAGE_CHARS)),
            ("attachments", attachments()),
        ],
    );
    written["anyOf"] = json!([
        {"required": ["text"]},
        {"required": ["attachments"], "properties": {"attachments": {"minItems": 1}}},
    ]);
    written
}

/// The types of event that a bot is called back for.
fn bot_events() -> Value {
    let mut events = list(json!({"enum": BotEvent::ALL.map(BotEvent::as_str)}));
    events["minItems"] = json!(1);
    events["description"] = json!(
        "Types of event that the bot is called back for; only messages by default. If given, \
         callbacks name their type in the header `webhook-event`."
    );
    events
}

/// The optional fields for a bot's habits: commands, posting of responses, age limit.
fn bot_habits() -> [(&'static str, Value); 3] {
    let command = with_optional(
        required([("name", json!({"type": "string", "pattern": "^[a-z0-9_-]{1,32}$"}))]),
        [("description", words("What the command does.", limits::COMMAND_ABOUT_CHARS))],
    );
    let mut commands = list(command);
    commands["maxItems"] = json!(limits::BOT_COMMANDS);
    commands["description"] =
        json!("Commands that members give by writing `/` and the name; replaces earlier ones.");
    [
        ("commands", commands),
        ("post_answers", flag("Whether `{\"text\": …}` in the listener's response is posted.")),
        (
            "drop_older_than",
            number("Age in seconds above which events are not sent to the bot; 0: no limit."),
        ),
    ]
}

/// `POST /bots`, with the fields at the top level or in `bot`
pub fn bot() -> Value {
    let body = required([
        ("name", some_words("The bot's name.", limits::NICKNAME_CHARS)),
        ("group_id", id("The bot's group, of which you must be a member.")),
    ]);
    let body = with_optional(
        body,
        [
            ("avatar_url", text("URL of an image stored on this server.")),
            ("callback_url", words("URL to which events are sent.", limits::CALLBACK_URL_CHARS)),
            ("dm_notification", flag("Stored, but has no effect; false by default.")),
            ("active", flag("Whether the bot may post and is called back; true by default.")),
            (
                "receive_own",
                flag("Whether the bot also receives its own messages; false by default."),
            ),
            ("events", bot_events()),
        ],
    );
    named("NewBot", with_optional(body, bot_habits()))
}

/// `POST /bots/post`
pub fn bot_post() -> Value {
    let body = required([("bot_id", text("The bot's id, which is the secret it posts with."))]);
    let mut body = with_optional(
        body,
        [
            ("text", words("Text; required unless there is an attachment.", limits::MESSAGE_CHARS)),
            ("picture_url", text("URL of an image stored on this server.")),
            ("attachments", attachments()),
        ],
    );
    body["anyOf"] = json!([
        {"required": ["text"], "properties": {"text": {"minLength": 1}}},
        {"required": ["picture_url"], "properties": {"picture_url": {"minLength": 1}}},
        {"required": ["attachments"], "properties": {"attachments": {"minItems": 1}}},
    ]);
    named("BotPost", body)
}

/// `POST /bots/destroy`
pub fn bot_removal() -> Value {
    named("BotRemoval", required([("bot_id", text("Id of the bot to remove."))]))
}

/// `POST /bots/:bot_id/update`
pub fn bot_change() -> Value {
    named("BotChange", bot_change_fields())
}

fn bot_change_fields() -> Value {
    let body = with_optional(
        object([]),
        [
            ("name", some_words("The bot's new name.", limits::NICKNAME_CHARS)),
            ("avatar_url", text("URL of an image stored on this server; empty removes it.")),
            ("callback_url", words("URL for events, empty for none.", limits::CALLBACK_URL_CHARS)),
            ("active", flag("Whether the bot may post and is called back.")),
            ("receive_own", flag("Whether the bot also receives its own messages.")),
            ("events", bot_events()),
            ("keep", flag("True keeps the bot when its application is removed.")),
        ],
    );
    with_optional(body, bot_habits())
}

/// `POST /bots/update`
pub fn named_bot_change() -> Value {
    let mut body = bot_change_fields();
    body["properties"]["bot_id"] = some_text("Id of a bot that you created.");
    body["required"] = json!(["bot_id"]);
    named("NamedBotChange", body)
}

/// `POST /bots/:bot_id/replay`
pub fn replay() -> Value {
    let range =
        required([("from_id", id("The first delivery.")), ("to_id", id("The last delivery."))]);
    let dead = required([("state", json!({"const": "dead"}))]);
    named("Replay", json!({"anyOf": [range, dead]}))
}

/// `POST /users/update`
pub fn profile_change() -> Value {
    named(
        "ProfileChange",
        with_optional(
            object([]),
            [
                ("name", some_words("First name, space, last name.", limits::USER_NAME_CHARS)),
                ("email", some_words("In the form name@domain.", limits::EMAIL_CHARS)),
                ("avatar_url", text("URL of an image here, or of a JPEG, PNG or GIF to fetch.")),
                ("zip_code", words_or_null("Postal code; null removes it.", limits::SHORT_CHARS)),
                ("phone_number", text_or_null("3 to 15 digits; null removes it.")),
                ("password", text("Your password, for a change of the email or the phone number.")),
            ],
        ),
    )
}

/// `POST /users/sms_mode`
pub fn sms_mode() -> Value {
    let mut duration = number("How long SMS mode lasts, in hours.");
    duration["minimum"] = json!(limits::SMS_HOURS.start());
    duration["maximum"] = json!(limits::SMS_HOURS.end());
    let registration = text_or_null("`registration_id` of a device to silence meanwhile.");
    named(
        "SmsMode",
        with_optional(required([("duration", duration)]), [("registration_id", registration)]),
    )
}

/// `POST /push/devices`
pub fn device() -> Value {
    let keys = required([
        ("p256dh", text("The browser's public key: a point of P-256, in base64url.")),
        ("auth", text("The browser's secret: 16 bytes, in base64url.")),
    ]);
    let endpoint = some_words("URL of the device's push service.", limits::ENDPOINT_CHARS);
    let mut device = required([("endpoint", endpoint), ("keys", keys)]);
    device["description"] = json!("A `PushSubscription` as browsers serialize it.");
    named("NewDevice", device)
}
