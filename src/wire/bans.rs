//! Bans in JSON, and the bodies that make them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{Fields, Problems};
use crate::schema::scalars::TextId;
use domain::group::Ban;
use domain::limits::BAN_DELETES_SECONDS;
use domain::text::ModerationReason;
use domain::time::Timestamp;

/// A user who is kept out of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ban")]
pub struct BanResource<'a> {
    /// Id of the user.
    user_id: TextId,
    /// The last nickname of the user in the group, or else the name of the account.
    name: &'a str,
    /// Why the user was banned; null without a reason. The owner, admins and the user see it.
    reason: Option<&'a str>,
    /// When the ban ends; null if it lasts until it is lifted. Unix time in seconds.
    until: Option<u64>,
    /// Id of the member who banned the user.
    by: TextId,
    /// When the user was banned. Unix time in seconds.
    created_at: u64,
}

impl<'a> From<&'a Ban> for BanResource<'a> {
    fn from(ban: &'a Ban) -> Self {
        Self {
            user_id: ban.user.into(),
            name: &ban.name,
            reason: ban.reason.as_ref().map(ModerationReason::as_str),
            until: ban.until.map(Timestamp::seconds),
            by: ban.by.into(),
            created_at: ban.at.seconds(),
        }
    }
}

/// The bans of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bans<'a> {
    /// The bans that have not ended, the newest first.
    bans: Vec<BanResource<'a>>,
}

impl<'a> Bans<'a> {
    /// Builds the list.
    pub fn of(bans: &'a [Ban]) -> Self {
        Self { bans: bans.iter().map(BanResource::from).collect() }
    }
}

/// A ban that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeBan<'a> {
    /// The ban.
    pub ban: BanResource<'a>,
    /// Number of messages that were deleted with it.
    pub deleting: usize,
}

/// The body of a ban.
#[derive(Debug)]
pub struct BanBody {
    /// The reason.
    pub reason: Option<ModerationReason>,
    /// When the ban ends.
    pub until: Option<Timestamp>,
    /// Messages of the last so many seconds are deleted.
    pub delete_since: Option<u64>,
}

/// Reads the body of a ban.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_ban(body: &Map<String, Value>) -> Result<BanBody, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let read = BanBody {
        reason: fields.parsed("reason", ModerationReason::parse),
        until: read_time(&mut fields, "until"),
        delete_since: fields.value("delete_since").and_then(|_| {
            let seconds = fields.amount("delete_since", u64::MAX);
            if seconds > BAN_DELETES_SECONDS {
                let most = format!("must be at most {BAN_DELETES_SECONDS} seconds");
                fields.wrong("delete_since", most);
            }
            (seconds > 0).then_some(seconds)
        }),
    };
    problems.or(Some(read))
}

/// Reads a time in Unix seconds.
pub fn read_time(fields: &mut Fields<'_>, field: &str) -> Option<Timestamp> {
    fields.value(field)?;
    // The year 9999; a later time is no time that anybody means.
    let seconds = fields.amount(field, 253_402_300_799);
    Some(Timestamp::from_seconds(seconds))
}

/// The details of a join that a ban refuses, for the banned user.
pub fn rejection(ban: &Ban) -> Value {
    json!({
        "rejection_reason": "banned",
        "reason": ban.reason.as_ref().map(ModerationReason::as_str),
        "until": ban.until.map(Timestamp::seconds),
    })
}
