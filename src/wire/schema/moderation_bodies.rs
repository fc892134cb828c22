//! JSON Schemas of the request bodies of moderation and invites.

use serde_json::{Value, json};

use crate::schema::bodies::{reason, required};
use crate::schema::{flag, named, number, object, some_words, with_optional, words, words_or_null};
use domain::group::{
    AttachmentType, NewcomerLimit, ReportAction, ReportReason, RuleAction, RuleKind,
};
use domain::limits;

/// `POST /conversations/:conversation_id/messages/:message_id/report`
pub fn report() -> Value {
    let reasons = ReportReason::ALL.map(ReportReason::as_str);
    let reason = json!({"enum": reasons, "description": "Why you report the message."});
    let text = words("What you say about it.", limits::REPORT_TEXT_CHARS);
    named("NewReport", with_optional(required([("reason", reason)]), [("text", text)]))
}

/// `POST /groups/:id/rules` and `PUT /groups/:id/rules/:rule_id`
pub fn rule() -> Value {
    named("NewRule", rule_fields([]))
}

/// `POST /v3/admin/rules` and `PUT /v3/admin/rules/:rule_id`
pub fn operators_rule() -> Value {
    named("NewOperatorsRule", rule_fields([("reason", reason())]))
}

/// What a rule spares.
fn exempt() -> Value {
    let topics = json!({
        "type": "array", "items": {"type": "string"}, "maxItems": limits::GROUP_TOPICS,
        "description": "Of a group: ids of the topics in which it does not run.",
    });
    let bots = flag("Whether it spares posts of bots.");
    with_optional(object([]), [("bots", bots), ("topics", topics)])
}

/// The fields of a rule, and further ones that are required.
fn rule_fields<const N: usize>(further: [(&str, Value); N]) -> Value {
    let range = |range: &std::ops::RangeInclusive<u32>, what: &str| {
        let least = range.start();
        let most = range.end();
        json!({"type": "integer", "minimum": least, "maximum": most, "description": what})
    };
    let lines = |chars: usize, most: usize, what: &str| {
        let entry = json!({"type": "string", "minLength": 1, "maxLength": chars});
        json!({"type": "array", "items": entry, "maxItems": most, "description": what})
    };
    let names = |names: Vec<&str>, what: &str| json!({"type": "array", "items": {"enum": names}, "description": what});
    let words =
        "Of words and profile: the words that match. `*` at either end stands for any letters.";
    let allowed = "Of words and profile: words inside which nothing matches.";
    let patterns = "Of patterns: regular expressions of Rust's crate regex.";
    let links = json!({
        "enum": ["all", "except", "only", null],
        "description": "Of links: which links match."
    });
    let limits = NewcomerLimit::ALL.iter().map(|it| it.as_str()).collect();
    let types = AttachmentType::ALL.iter().map(|it| it.as_str()).collect();
    let actions: Vec<&str> = RuleAction::ALL.iter().map(|it| it.as_str()).collect();
    let timeout = "Seconds for which the author is timed out, beside the action.";
    let name = "The rule's name, for those who keep the rules.";
    let mut body = required([
        ("name", some_words(name, limits::RULE_NAME_CHARS)),
        ("kind", json!({"enum": RuleKind::NAMES, "description": "What the rule looks for."})),
        (
            "action",
            json!({"enum": &actions, "description": "What happens to a post that matches."}),
        ),
    ]);
    for (field, schema) in further {
        body["properties"][field] = schema;
        body["required"].as_array_mut().expect("fields are required").push(json!(field));
    }
    let fields = [
        ("enabled", flag("Whether the rule runs; true if absent.")),
        ("words", lines(limits::RULE_WORD_CHARS, limits::RULE_WORDS, words)),
        ("allow", lines(limits::RULE_WORD_CHARS, limits::RULE_ALLOWED_WORDS, allowed)),
        ("patterns", lines(limits::RULE_PATTERN_CHARS, limits::RULE_PATTERNS, patterns)),
        ("links", links),
        ("hosts", lines(limits::RULE_HOST_CHARS, limits::RULE_HOSTS, "Of links: hosts.")),
        ("invites", flag("Of links: whether links that invite to groups match too.")),
        ("limit", range(&limits::RULE_MENTIONS, "Of mentions: people whom a post may mention.")),
        ("count", range(&limits::RULE_COUNT, "Of repeat and flood: the post that matches.")),
        ("seconds", range(&limits::RULE_SECONDS, "Of repeat and flood: within these seconds.")),
        ("hours", range(&limits::NEWCOMER_HOURS, "Of newcomers: how long a member is new.")),
        ("messages", range(&limits::NEWCOMER_MESSAGES, "Of newcomers: until how many messages.")),
        ("without", names(limits, "Of newcomers: what new members may not do.")),
        ("types", names(types, "Of attachments: the types that match.")),
        ("timeout", range(&limits::RULE_TIMEOUT_SECONDS, timeout)),
        ("message", words_or_null("What the author reads.", limits::RULE_MESSAGE_CHARS)),
        ("exempt", exempt()),
    ];
    let mut body = with_optional(body, fields);
    let timeouts = RuleAction::TimeOut.as_str();
    let others: Vec<&str> = actions.iter().copied().filter(|it| *it != timeouts).collect();
    body["allOf"] = json!([
        {"anyOf": KIND_NEEDS.map(|(kinds, needed)| with_value("kind", kinds, needed))},
        {"anyOf": [
            with_value("action", &others, &[]),
            with_value("action", &[timeouts], &["timeout"]),
        ]},
    ]);
    body
}

/// The fields that rules need by their kinds.
const KIND_NEEDS: [(&[&str], &[&str]); 8] = [
    (&["words", "profile"], &["words"]),
    (&["patterns"], &["patterns"]),
    (&["links"], &[]),
    (&["mentions"], &["limit"]),
    (&["repeat", "flood"], &["count", "seconds"]),
    (&["newcomers"], &["without", "hours"]),
    (&["newcomers"], &["without", "messages"]),
    (&["attachments"], &["types"]),
];

/// An object in which this field has one of these values, and other fields are there.
fn with_value(field: &str, values: &[&str], needed: &[&str]) -> Value {
    json!({"properties": {field: {"enum": values}}, "required": needed})
}

/// `POST /groups/:id/appeals`
pub fn appeal() -> Value {
    let text = some_words("Why the ban or timeout should end.", limits::REPORT_TEXT_CHARS);
    named("NewAppeal", required([("text", text)]))
}

/// `POST /groups/:id/invites`
pub fn invite() -> Value {
    let range = |range: &std::ops::RangeInclusive<u32>, what: &str| {
        let least = range.start();
        let most = range.end();
        json!({"type": "integer", "minimum": least, "maximum": most, "description": what})
    };
    let name = some_words("A name for those who manage invites.", limits::INVITE_NAME_CHARS);
    let max_uses = range(&limits::INVITE_USES, "How many people may use it; any number if absent.");
    let expires_in = range(&limits::INVITE_SECONDS, "Seconds until it ends; never if absent.");
    let approval = json!({
        "enum": ["ask", "skip"],
        "description": "`ask`: people wait for the owner or an admin. `skip`: they never do."
    });
    let guest = flag("Whether people without an account become guests; by the owner and admins.");
    let fields = [
        ("name", name),
        ("max_uses", max_uses),
        ("expires_in", expires_in),
        ("approval", approval),
        ("guest", guest),
    ];
    named("NewInvite", with_optional(object([]), fields))
}

/// `POST /groups/:id/invites/email`
pub fn email_invites() -> Value {
    let address = some_words("An email address.", limits::EMAIL_CHARS);
    let emails = json!({
        "type": "array",
        "items": address,
        "minItems": 1,
        "maxItems": limits::INVITE_EMAILS,
        "description": "The addresses. One that is listed twice counts once."
    });
    named("NewEmailInvites", required([("emails", emails)]))
}

/// `POST /groups/:id/held/:held_id`
pub fn held_verdict() -> Value {
    let approve = required([("approve", flag("Whether the message is posted."))]);
    let note = words("Why, for the author and the audit.", limits::MODERATION_REASON_CHARS);
    named("HeldVerdict", with_optional(approve, [("note", note)]))
}

/// `POST /groups/:id/rules/test`
pub fn rule_test() -> Value {
    named("RuleTest", required([("text", some_words("A text.", limits::MESSAGE_CHARS))]))
}

/// `POST /groups/:id/reports/:report_id/resolve`
pub fn resolution() -> Value {
    let actions = ReportAction::ALL.map(ReportAction::as_str);
    let action = json!({"enum": actions, "description": "What to do about the report."});
    let note = "A note for the owner and admins; also the reason of a timeout or a ban.";
    let until = "End of a timeout, which needs one, or of a ban. Unix time in seconds.";
    let optional =
        [("note", words(note, limits::MODERATION_REASON_CHARS)), ("until", number(until))];
    named("NewResolution", with_optional(required([("action", action)]), optional))
}
