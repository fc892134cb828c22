//! Mails that wait and mails that were given up, in JSON, as operators see them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::operators::{self, LONGEST_PAGE, NamedPerson, PAGE};
use crate::schema::scalars::TextId;
use crate::schema::{self, bodies};
use domain::limits::{EMAIL_CHARS, REASON_CHARS};
use domain::mail::MailKind;
use domain::operators::lists::{ListedMail, MailPage, MailPlace, MailQuery, MailState};
use domain::text::{Email, at_most};
use domain::time::Timestamp;

/// A mail that waits or was given up: without its text and its link.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminMail {
    /// The mail's id.
    id: TextId,
    /// What it is about.
    #[schemars(extend("enum" = MailKind::ALL.map(MailKind::name)))]
    kind: &'static str,
    /// The account that it is about; of an invite, the account that invites.
    user: NamedPerson,
    /// The recipient's address.
    to: Email,
    /// `waiting`: the server sends it at `next_attempt_at`. `dead`: the server gave it up.
    #[schemars(extend("enum" = MailState::ALL.map(MailState::as_str)))]
    state: &'static str,
    /// When it was queued. Unix time in seconds.
    created_at: u64,
    /// How many attempts failed.
    attempts: u32,
    /// When the server tries next; null for a dead mail. Unix time in seconds.
    next_attempt_at: Option<u64>,
    /// When the server gave it up; null for a waiting mail. Unix time in seconds.
    dead_at: Option<u64>,
    /// Why the last attempt failed, as the mail server said; null if none did.
    last_error: Option<String>,
    /// Whether it can be sent again: not if its link has ended or nobody needs it any more.
    can_retry: bool,
}

/// The numbers of mails.
#[derive(Debug, Serialize, JsonSchema)]
struct MailCounts {
    /// Mails that wait.
    waiting: usize,
    /// Mails that the server gave up in the last week.
    dead: usize,
}

/// A page of mails.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminMails {
    /// The mails, newest first.
    mails: Vec<AdminMail>,
    /// The `before` of the next page; null if this is the last one. A page may be empty although
    /// more follow.
    before: Option<String>,
    /// The numbers of all mails.
    counts: MailCounts,
    /// Whether the server sends mail: `--smtp-url` and `--mail-from` are set.
    configured: bool,
    /// The sender of all mails; null if the server sends none.
    sender: Option<String>,
}

impl AdminMails {
    /// Builds a page. `sender` is the sender of all mails, if the server sends any.
    pub fn of(page: &MailPage, sender: Option<String>) -> Self {
        let before = page.before.map(|it| format!("{}.{}", it.queued_at.millis(), it.id));
        Self {
            mails: page.mails.iter().map(mail).collect(),
            before,
            counts: MailCounts { waiting: page.waiting, dead: page.dead },
            configured: sender.is_some(),
            sender,
        }
    }
}

fn mail(mail: &ListedMail) -> AdminMail {
    AdminMail {
        id: mail.place.id.into(),
        kind: mail.kind.name(),
        user: operators::person(&mail.user),
        to: mail.to.clone(),
        state: mail.state.as_str(),
        created_at: mail.place.queued_at.seconds(),
        attempts: mail.attempts,
        next_attempt_at: mail.due.map(Timestamp::seconds),
        dead_at: mail.dead_at.map(Timestamp::seconds),
        last_error: mail.error.clone(),
        can_retry: mail.can_retry,
    }
}

/// A test mail that the mail server accepted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SentTestMail {
    /// The recipient's address.
    pub to: Email,
    /// The sender.
    pub sender: String,
}

/// Reads the query of the list.
///
/// # Errors
/// If a parameter is invalid; all problems are reported together.
pub fn read_list(query: &Map<String, Value>) -> Result<MailQuery, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let named = |text: String| MailState::named(&text).ok_or("must be waiting or dead");
    let state = fields.parsed("state", named);
    let before = fields.parsed("before", |text| place(&text).ok_or("must be the before of a page"));
    let limit = fields.page_size("limit", PAGE, LONGEST_PAGE);
    problems.or(Some(MailQuery { state, before, limit }))
}

fn place(text: &str) -> Option<MailPlace> {
    let (millis, id) = text.split_once('.')?;
    let queued_at = Timestamp::from_millis(millis.parse().ok()?);
    Some(MailPlace { queued_at, id: id.parse().ok()? })
}

/// Reads the body of a test: the address, if it is not the operator's own, and the reason.
///
/// # Errors
/// If a field is invalid; all problems are reported together.
pub fn read_test(body: &Map<String, Value>) -> Result<(Option<Email>, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let to = fields.parsed("to", |text| Email::parse(&text));
    let reason = fields.parsed("reason", |text| at_most(text.trim().to_owned(), REASON_CHARS));
    problems.or(Some((to, reason.unwrap_or_default())))
}

/// The schema of the body of a test.
pub fn test_body() -> Value {
    let to = schema::some_words("The recipient; left out, your own address.", EMAIL_CHARS);
    let reason = schema::words("Why, for the audit log.", REASON_CHARS);
    let body = bodies::required([]);
    schema::named("MailTest", schema::with_optional(body, [("to", to), ("reason", reason)]))
}
