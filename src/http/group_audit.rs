//! The audit of a group, for its owner and admins.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::group_audit as wire;
use actors::group::protocol::ListAudit;

/// Entries on a page, at most.
const PAGE: usize = 50;

/// `GET /groups/:group_id/audit?before=`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let id = group_id(&path)?;
    let before = wire::read_query(&query.0)?;
    let asked = ListAudit { reader: caller.user, before, most: PAGE };
    let found = app.directory.ask(id, asked).await?;
    let shown = found.iter().map(|(number, entry)| wire::resource(*number, entry));
    reply::named_list("entries", shown)
}
