//! Changes of group owners in JSON: a list of requests, each of which has its own status.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{self, Fields, Problems};
use domain::group::OwnerRefusal;
use domain::ids::{GroupId, UserId};
use domain::limits::OWNER_REQUESTS;

/// The status of a request that was carried out.
pub const DONE: &str = "200";
/// The status of a request in which a field is missing or is not an id.
pub const MALFORMED: &str = "405";

/// One request of the list, valid or not.
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

    /// Returns the group and its new owner; None unless both are ids.
    pub fn parsed(&self) -> Option<(GroupId, UserId)> {
        let group = self.group.as_deref()?.parse().ok()?;
        Some((group, self.owner.as_deref()?.parse().ok()?))
    }
}

/// Reads `{"requests": […]}`. An invalid item is no error; it gets a status of its own.
///
/// # Errors
/// If the list is missing or too long.
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

/// Returns the status of a refused request (specification, section 4).
pub const fn status(refusal: OwnerRefusal) -> &'static str {
    match refusal {
        OwnerRefusal::Oneself => "400",
        OwnerRefusal::NotTheOwner | OwnerRefusal::Denied(_) => "403",
        OwnerRefusal::NoSuchGroup | OwnerRefusal::NotAMember => "404",
    }
}

/// The result of one request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OwnerResult")]
pub struct OwnerResult {
    /// The group's id as in the request.
    group_id: Option<String>,
    /// The new owner's id as in the request.
    owner_id: Option<String>,
    /// Status of the request, as an HTTP status code; 405 if an id is missing or invalid.
    #[schemars(extend("enum" = [DONE, "400", "403", "404", MALFORMED]))]
    status: &'static str,
}

/// The results of all requests.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnerResults {
    /// The results, in the order of the requests.
    pub results: Vec<OwnerResult>,
}

/// Builds the result of one request.
pub fn result(request: &OwnerRequest, status: &'static str) -> OwnerResult {
    OwnerResult { group_id: request.group.clone(), owner_id: request.owner.clone(), status }
}
