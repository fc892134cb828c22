//! Reports: members report messages to the owner and admins, who resolve them.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::groups::group_id;
use crate::http::pinned_conversations::conversation;
use crate::http::reply::{self, Answer};
use ::wire::reports as wire;
use actors::group::protocol::{FileAppeal, FileReport, ListAppeals, ListReports, ResolveReport};
use actors::user::protocol::PermitReporting;
use domain::group::{FiledReport, ReportRefusal};
use domain::ids::{Conversation, MessageId, ReportId};

/// Reports on a page, at most.
const PAGE: usize = 20;

/// `POST /conversations/:conversation_id/messages/:message_id/report`
pub(super) async fn file(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (conv, message) = path.into_inner();
    let group = match conversation(&conv).ok_or(ReportRefusal::NotAMember)? {
        Conversation::Group(group) => group,
        Conversation::Chat(_) => return Err(ReportRefusal::InChat.into()),
    };
    let message: MessageId = message.parse().map_err(|_| ReportRefusal::NoMessage)?;
    let (reason, text) = wire::read_report(&body.fields()?)?;
    app.directory.ask(caller.user, PermitReporting).await?;
    let asked = FileReport { by: caller.user, message, reason, text };
    let show = |filed: &FiledReport| {
        let status = if filed.is_new { StatusCode::CREATED } else { StatusCode::OK };
        reply::payload(status, &wire::ShortReport::open(filed.id))
    };
    Ok(act.ask(group, asked, show).await?)
}

/// `GET /groups/:group_id/reports?state=&before=`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let id = group_id(&path)?;
    let (is_open, before) = wire::read_query(&query.0)?;
    let asked = ListReports { reader: caller.user, is_open, before, most: PAGE };
    let found = app.directory.ask(id, asked).await?;
    let appeals = match (is_open, before) {
        (true, None) => app.directory.ask(id, ListAppeals { reader: caller.user }).await?,
        (true, Some(_)) | (false, _) => Vec::new(),
    };
    let appeals = reply::list_json(appeals.iter().map(wire::AppealResource::from))?;
    let shown = found.iter().map(|report| wire::resource(id, report, &app.instance));
    let list = reply::list_json(shown)?;
    Ok(reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"reports\":");
        body.extend_from_slice(&list.json);
        body.extend_from_slice(b",\"appeals\":");
        body.extend_from_slice(&appeals.json);
        body.push(b'}');
    }))
}

/// `POST /groups/:group_id/appeals`
pub(super) async fn appeal(
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let text = wire::read_appeal(&body.fields()?)?;
    let show =
        |filed: &ReportId| reply::payload(StatusCode::CREATED, &wire::ShortAppeal::open(*filed));
    Ok(act.ask(id, FileAppeal { user: caller.user, text }, show).await?)
}

/// `POST /groups/:group_id/reports/:report_id/resolve`
pub(super) async fn resolve(
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, report) = path.into_inner();
    let id = group_id(&group)?;
    let report: ReportId = report.parse().map_err(|_| ReportRefusal::NoReport)?;
    let resolution = wire::read_resolution(&body.fields()?)?;
    let asked = ResolveReport { by: caller.user, report, resolution };
    let show = move |(): &()| reply::payload(StatusCode::OK, &wire::ShortReport::resolved(report));
    Ok(act.ask(id, asked, show).await?)
}
