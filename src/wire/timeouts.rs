//! Timeouts in JSON, and the bodies that make them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::bans::read_time;
use crate::fields::{Fields, Problems};
use crate::schema::scalars::TextId;
use domain::group::{NOBODY, NewTimeout, Timeout, TimeoutEnd};
use domain::text::ModerationReason;

/// A member who may only read until a time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Timeout")]
pub struct TimeoutResource<'a> {
    /// Id of the user.
    user_id: TextId,
    /// Why; null without a reason. The owner, admins and the user see it.
    reason: Option<&'a str>,
    /// When the timeout ends. Unix time in seconds.
    until: u64,
    /// Id of the member who timed the user out, or who saved the rule that did; null for a rule of the
    /// operators.
    by: Option<TextId>,
    /// Id of the rule that timed the user out; null if a member did.
    rule: Option<TextId>,
    /// When the user was timed out. Unix time in seconds.
    created_at: u64,
}

impl<'a> From<&'a Timeout> for TimeoutResource<'a> {
    fn from(timeout: &'a Timeout) -> Self {
        Self {
            user_id: timeout.user.into(),
            reason: timeout.reason.as_ref().map(ModerationReason::as_str),
            until: timeout.until.seconds(),
            by: (timeout.by != NOBODY).then(|| timeout.by.into()),
            rule: timeout.rule.as_ref().map(|rule| rule.id.into()),
            created_at: timeout.at.seconds(),
        }
    }
}

/// A timeout that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeTimeout<'a> {
    /// The timeout.
    timeout: TimeoutResource<'a>,
}

impl<'a> MadeTimeout<'a> {
    /// Builds the response.
    pub fn of(timeout: &'a Timeout) -> Self {
        Self { timeout: timeout.into() }
    }
}

/// Reads the body of a timeout: `seconds` or `until`, and `reason`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_timeout(body: &Map<String, Value>) -> Result<NewTimeout, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let reason = fields.parsed("reason", ModerationReason::parse);
    let after = fields.value("seconds").map(|_| fields.amount("seconds", u64::MAX));
    let end = match (after, read_time(&mut fields, "until")) {
        (Some(0), None) => {
            fields.wrong("seconds", "must be above zero");
            None
        }
        (Some(seconds), None) => Some(TimeoutEnd::After(seconds)),
        (None, Some(until)) => Some(TimeoutEnd::At(until)),
        (None, None) => {
            fields.wrong("seconds", "or until is required");
            None
        }
        (Some(_), Some(_)) => {
            fields.wrong("seconds", "and until cannot both be given");
            None
        }
    };
    problems.or(end.map(|end| NewTimeout { end, reason }))
}
