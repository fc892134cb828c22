//! Reports: members report messages to the owner and admins, who resolve them; messages in chats and
//! of owners, users and groups are reported to the operators.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::conversation_list::conversation;
use ::wire::reports as wire;
use actors::ask::Failure;
use actors::directory::rooms::InstanceId;
use actors::group::protocol::{
    FileAppeal, FileReport, ListAppeals, ListReports, ResolveReport, ViewGroup, ViewListed,
    ViewReport,
};
use actors::idempotency::Rendered;
use actors::instance::FileOperatorReport;
use actors::user::protocol::{PermitReporting, UserRefusal};
use domain::group::{FiledReport, Filing, Report, ReportAction, ReportRefusal, ReportedMessage};
use domain::ids::{Conversation, GroupId, MessageId, ReportId, StreamId, UserId};
use domain::limits::REPORT_EARLIER_TEXTS;
use domain::message::{Author, Message};
use domain::operators::open_reports::NewOperatorReport;
use domain::operators::reports::ReportSubject;

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
    let conv = conversation(&conv).ok_or(ReportRefusal::NotAMember)?;
    let message: MessageId = message.parse().map_err(|_| ReportRefusal::NoMessage)?;
    let (reason, text) = wire::read_report(&body.fields()?)?;
    app.directory.ask(caller.user, PermitReporting).await?;
    let filing = Filing { by: caller.user, reason, text: text.clone(), rule: None };
    match conv {
        Conversation::Chat(pair) => {
            pair.other(caller.user).ok_or(ReportRefusal::NotAMember)?;
            let about = ReportableMessage { conv, message, owner: None };
            message_to_operators(&app, &act, filing, about).await
        }
        Conversation::Group(group) => {
            let asked = FileReport { by: caller.user, message, reason, text };
            match act.ask(group, asked, filed).await {
                // Nobody in the group resolves reports about its owner.
                Err(Failure::Refused(ReportRefusal::Owner)) => {
                    let behind = app.directory.context().accounts.group_behind(group).await?;
                    let seen = ViewGroup { reader: caller.user };
                    let owner = Some(app.directory.ask(behind, seen).await?.group.creator);
                    let about = ReportableMessage { conv, message, owner };
                    message_to_operators(&app, &act, filing, about).await
                }
                other => Ok(other?),
            }
        }
    }
}

fn filed(filed: &FiledReport) -> Rendered {
    let status = if filed.is_new { StatusCode::CREATED } else { StatusCode::OK };
    reply::payload(status, &wire::ShortReport::open(filed.id))
}

/// A message that is reported to the operators.
struct ReportableMessage {
    conv: Conversation,
    message: MessageId,
    /// The owner of the group, to whom bots in reports belong.
    owner: Option<UserId>,
}

/// Reports a message that the reporter sees to the operators.
async fn message_to_operators(
    app: &AppState,
    act: &Act,
    filing: Filing,
    about: ReportableMessage,
) -> Answer {
    let ReportableMessage { conv, message, owner } = about;
    let archive = &app.directory.context().archive;
    let stream = StreamId::from(conv);
    let found = archive.read_current(filing.by, move |it| it.history(stream, message)).await?;
    let (reported, earlier) = found.ok_or(ReportRefusal::NoMessage)?;
    let about = match &reported.author {
        Author::System => return Err(ReportRefusal::System.into()),
        Author::Member(user) => Some(*user),
        Author::Bot(_) => owner,
    };
    if about == Some(filing.by) {
        return Err(ReportRefusal::Own.into());
    }
    if reported.is_deleted() {
        return Err(ReportRefusal::Deleted.into());
    }
    let earlier = earlier.into_iter().filter_map(|version| version.text);
    let earlier = earlier.take(REPORT_EARLIER_TEXTS).collect();
    let copy = Some(ReportedMessage { message: Message::clone(&reported), earlier });
    let subject = ReportSubject::Message(conv, message);
    let new = NewOperatorReport { subject, about, filings: vec![filing], copy };
    Ok(act.ask(InstanceId, FileOperatorReport { new }, filed).await?)
}

/// `POST /users/:user_id/report`: to the operators.
pub(super) async fn report_user(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let user: UserId = path.parse().map_err(|_| UserRefusal::Unknown)?;
    let (reason, text) = wire::read_report(&body.fields()?)?;
    let seen = app.directory.context().accounts.seen_by(user, caller.user).await?;
    seen.ok_or(UserRefusal::Unknown)?;
    app.directory.ask(caller.user, PermitReporting).await?;
    let filing = Filing { by: caller.user, reason, text, rule: None };
    to_operators(&act, filing, ReportSubject::User(user), user).await
}

/// `POST /groups/:group_id/report`: to the operators, by members and those who see it in the
/// directory.
pub(super) async fn report_group(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let (reason, text) = wire::read_report(&body.fields()?)?;
    let has_directory = app.settings().await?.directory.value;
    let seen = app.directory.ask(id, ViewListed { viewer: caller.user, has_directory }).await?;
    app.directory.ask(caller.user, PermitReporting).await?;
    let filing = Filing { by: caller.user, reason, text, rule: None };
    to_operators(&act, filing, ReportSubject::Group(id), seen.view.group.creator).await
}

/// Reports a user or a group to the operators. `about` is whose account they may disable.
async fn to_operators(act: &Act, filing: Filing, subject: ReportSubject, about: UserId) -> Answer {
    let new = NewOperatorReport { subject, about: Some(about), filings: vec![filing], copy: None };
    Ok(act.ask(InstanceId, FileOperatorReport { new }, filed).await?)
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
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, report) = path.into_inner();
    let id = group_id(&group)?;
    let report: ReportId = report.parse().map_err(|_| ReportRefusal::NoReport)?;
    let resolution = wire::read_resolution(&body.fields()?)?;
    if resolution.action == ReportAction::Escalate {
        escalate(&app, caller.user, id, report).await?;
    }
    let asked = ResolveReport { by: caller.user, report, resolution };
    let show = move |(): &()| reply::payload(StatusCode::OK, &wire::ShortReport::resolved(report));
    Ok(act.ask(id, asked, show).await?)
}

/// Files a report of a group with the operators. The group's report is resolved afterwards, so that
/// a crash in between loses nothing: passing it on again adds nothing.
async fn escalate(
    app: &AppState,
    reader: UserId,
    group: GroupId,
    report: ReportId,
) -> Result<(), ApiError> {
    let report = match app.directory.ask(group, ViewReport { reader, report }).await {
        Ok(report) => report,
        // The room refuses an appeal, and a report that is not there.
        Err(Failure::Refused(ReportRefusal::NoReport)) => return Ok(()),
        Err(failure) => return Err(failure.into()),
    };
    let subject = ReportSubject::Message(Conversation::Group(group), report.copy.message.id);
    let Report { about, filings, copy, .. } = report;
    let new = NewOperatorReport { subject, about, filings, copy: Some(copy) };
    app.directory.ask(InstanceId, FileOperatorReport { new }).await?;
    Ok(())
}
