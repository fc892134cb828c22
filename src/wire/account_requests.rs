//! People who ask for an account, in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::operators::{self, AdminUser};
use crate::schema::{self, bodies};
use domain::ids::UserId;
use domain::operators::lists::ListedAccount;
use domain::registration::WaitingReason;
use domain::user::AccountDecision;

/// The actions of a decision.
const ACTIONS: [&str; 2] = ["approve", "refuse"];

/// People who ask for an account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccountRequests {
    /// Who asks, the first one first.
    requests: Vec<AccountRequest>,
    /// Whether more wait after the last of these.
    more: bool,
}

/// Somebody who asks for an account.
#[derive(Debug, Serialize, JsonSchema)]
struct AccountRequest {
    /// The account, which nobody can use yet.
    user: AdminUser,
    /// What they say; null for who came by a provider.
    about: Option<String>,
    /// When they asked first. Unix time in seconds.
    created_at: u64,
}

impl AccountRequests {
    /// Builds the list.
    pub fn of(accounts: &[ListedAccount], more: bool, instance: &Instance) -> Self {
        let request = |account: &ListedAccount| AccountRequest {
            user: operators::user(account, instance),
            about: about(account),
            created_at: account.created_at.seconds(),
        };
        Self { requests: accounts.iter().map(request).collect(), more }
    }
}

fn about(account: &ListedAccount) -> Option<String> {
    match &account.waiting.as_ref()?.reason {
        WaitingReason::Approval { about, .. } => about.as_ref().map(ToString::to_string),
        WaitingReason::Confirmation => None,
    }
}

/// Reads the query of the list: the account after which it begins.
///
/// # Errors
/// If it is no id.
pub fn read_after(query: &Map<String, Value>) -> Result<UserId, Problems> {
    let mut problems = Problems::default();
    let after = Fields::of(query, &mut problems).id("after");
    problems.or(Some(after.unwrap_or(UserId::new(0))))
}

/// Reads the body of a decision: what is decided, and the reason.
///
/// # Errors
/// If a field is missing or invalid; all problems are reported together.
pub fn read_decision(body: &Map<String, Value>) -> Result<(AccountDecision, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let decided = fields.required("action", |name: String| match name.as_str() {
        "approve" => Ok(AccountDecision::Approved),
        "refuse" => Ok(AccountDecision::Refused),
        _ => Err(format!("must be one of {}", ACTIONS.join(", "))),
    });
    let reason = operators::reason(&mut fields);
    problems.or(decided.zip(reason))
}

/// The schema of the body of a decision.
pub fn decision_body() -> Value {
    let fields = [("action", json!({"enum": ACTIONS})), ("reason", bodies::reason())];
    schema::named("AccountDecision", schema::object(fields))
}
