//! Changes of owners in JSON: each request has a status of its own.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::group::OwnerRefusal;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::limits::OWNER_REQUESTS;
use crate::wire::fields::{self, Fields, Problems};

/// The status of a request that was granted.
pub const DONE: &str = "200";
/// The status of a request without a field that it needs, or with one that is no id.
pub const MALFORMED: &str = "405";

/// One request as it came, right or wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerRequest {
    group: Option<String>,
    owner: Option<String>,
}

impl OwnerRequest {
    fn read(item: &Value) -> Self {
        let named = |field: &str| item.get(field).and_then(fields::name);
        Self { group: named("group_id"), owner: named("owner_id") }
    }

    /// Which group goes to whom, if both are ids.
    pub fn ids(&self) -> Option<(GroupId, UserId)> {
        let group = self.group.as_deref()?.parse().ok()?;
        Some((group, self.owner.as_deref()?.parse().ok()?))
    }
}

/// Reads `{"requests": […]}`. What is wrong with one item is its own result.
///
/// # Errors
/// When there is no such list, or it is too long.
pub fn read_requests(body: &Map<String, Value>) -> Result<Vec<OwnerRequest>, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("requests").is_none() {
        fields.wrong("requests", "is required");
    }
    let items = fields.list("requests", OWNER_REQUESTS);
    let requests = items.iter().map(OwnerRequest::read).collect();
    problems.or(Some(requests))
}

/// The status of a request that was refused (specification, section 4).
pub const fn status(refusal: OwnerRefusal) -> &'static str {
    match refusal {
        OwnerRefusal::Oneself => "400",
        OwnerRefusal::NotTheOwner => "403",
        OwnerRefusal::NoSuchGroup | OwnerRefusal::NotAMember => "404",
    }
}

/// The result of one request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OwnerResult")]
pub struct OwnerResult {
    /// As it was asked.
    group_id: Option<String>,
    /// As it was asked.
    owner_id: Option<String>,
    /// What came of it, as a status of HTTP; 405: an id is missing or no id.
    #[schemars(extend("enum" = [DONE, "400", "403", "404", MALFORMED]))]
    status: &'static str,
}

/// All results.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OwnerResults {
    /// In the order of the requests.
    pub results: Vec<OwnerResult>,
}

/// The result of one request.
pub fn result(request: &OwnerRequest, status: &'static str) -> OwnerResult {
    OwnerResult { group_id: request.group.clone(), owner_id: request.owner.clone(), status }
}
