//! `/v3/admin/reports`: what people reported to the operators, and how operators resolve it.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::error::ApiError;
use crate::http::operators::OperatorCaller;
use crate::http::reply::{self, Answer};
use ::wire::operator_reports as wire;
use ::wire::reports::ShortReport;
use actors::conversation::revisions::RemoveMessage;
use actors::directory::rooms::InstanceId;
use actors::instance::ResolveOperatorReport;
use actors::user::protocol::{Disable, NoteReportResolved};
use domain::audit::AdminAct;
use domain::ids::{Conversation, ReportId, UserId};
use domain::operators::lists::NamedReport;
use domain::operators::reports::{OperatorAction, OperatorReportRefusal, ReportSubject};
use domain::operators::{OperatorAct, OperatorPermission};

/// Reports on a page, at most.
const PAGE: usize = 20;

/// `GET /admin/reports?state=&subject=&about=&before=`
pub(super) async fn list(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> Answer {
    operator.may(OperatorAct::SeeReports)?;
    let query = wire::read_query(&query.0)?;
    let now = app.clock.now().wall;
    let accounts = &app.directory.context().accounts;
    let page = accounts.operator_reports(query, PAGE, now).await?;
    let reports = page.entries.iter().map(wire::listed).collect();
    let before = page.before.map(|before| before.to_string());
    Ok(reply::ok(&wire::ListedReports { reports, before }))
}

async fn report_of(
    app: &AppState,
    operator: &OperatorCaller,
    id: &str,
) -> Result<NamedReport, ApiError> {
    let id: ReportId = id.parse().map_err(|_| OperatorReportRefusal::NoReport)?;
    let now = app.clock.now().wall;
    let found = app.directory.context().accounts.operator_report(id, now).await?;
    let found = found.ok_or(OperatorReportRefusal::NoReport)?;
    found.report.permit(operator.user())?;
    Ok(found)
}

/// `GET /admin/reports/:report_id`: written to the audit log, since it has what people wrote.
pub(super) async fn show(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> Answer {
    operator.may(OperatorAct::ReadReports)?;
    let found = report_of(&app, &operator, &path).await?;
    let report = found.report.filed.report;
    let act = AdminAct::ReportRead { report };
    operator.note(&app, act, format!("report {report}"), None).await?;
    Ok(reply::ok(&wire::resource(&found, &app.instance)))
}

/// `POST /admin/reports/:report_id/resolve`
pub(super) async fn resolve(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let permission = operator.may(OperatorAct::ResolveReports)?;
    let (action, note) = wire::read_resolution(&body.fields()?)?;
    let turn = app.operators.report_turn().await;
    let report = report_of(&app, &operator, &path).await?.report;
    if report.resolution.is_some() {
        return Err(OperatorReportRefusal::Resolved.into());
    }
    if permission == OperatorPermission::NotToOperators {
        operator.spare_operators(&app, report.filed.about).await?;
    }
    // The act comes first: after a crash in between, the report is still open, and acting again
    // changes nothing.
    match action {
        OperatorAction::Dismiss | OperatorAction::Note => {}
        OperatorAction::Delete => delete(&app, report.filed.subject).await?,
        OperatorAction::Disable => {
            disable(&app, &operator, report.filed.about, &note).await?;
        }
    }
    let id = report.filed.report;
    let asked =
        ResolveOperatorReport { report: id, by: operator.user(), action, note: note.clone() };
    let states = ["open", action.as_str()].map(|state| format!("report {id}: {state}"));
    let act = AdminAct::ReportResolved { report: id };
    let change = move |_: &Vec<UserId>| Some(states.clone().into());
    let audit = operator.audits_change(act, note, change);
    let reporters = app.directory.ask_audited(InstanceId, asked, audit).await?;
    drop(turn);
    for reporter in reporters {
        // The account may be gone by now.
        drop(app.directory.ask(reporter, NoteReportResolved { report: id }).await);
    }
    Ok(reply::ok(&ShortReport::resolved(id)))
}

/// Deletes the reported message.
async fn delete(app: &AppState, subject: ReportSubject) -> Result<(), ApiError> {
    let ReportSubject::Message(conv, message) = subject else {
        return Err(OperatorReportRefusal::NoMessage.into());
    };
    match conv {
        Conversation::Group(group) => app.directory.ask(group, RemoveMessage { message }).await?,
        Conversation::Chat(pair) => app.directory.ask(pair, RemoveMessage { message }).await?,
    }
    Ok(())
}

/// Disables the account that a report is about.
async fn disable(
    app: &AppState,
    operator: &OperatorCaller,
    about: Option<UserId>,
    note: &str,
) -> Result<(), ApiError> {
    let user = about.ok_or(OperatorReportRefusal::NoAccount)?;
    let user = operator.target(app, OperatorAct::ManagePeople, &user.to_string()).await?.id;
    let turn = app.operators.begin_without(user).await?;
    let audit = operator.audits(AdminAct::UserDisabled { user }, note.to_owned());
    app.directory.ask_audited(user, Disable, audit).await?;
    drop(turn);
    Ok(())
}
