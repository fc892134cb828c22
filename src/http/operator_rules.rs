//! `/v3/admin/rules`: the rules of the operators, which run in all rooms.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::operators::OperatorCaller;
use crate::http::reply::{self, Answer};
use ::wire::operators::read_reason;
use ::wire::rules as wire;
use actors::ask::{AuditNote, Failure};
use actors::directory::rooms::InstanceId;
use actors::idempotency::Rendered;
use actors::instance::{DeleteOperatorRule, SaveOperatorRule, TestOperatorRules};
use domain::audit::AdminAct;
use domain::group::Rule;
use domain::ids::RuleId;
use domain::operators::OperatorAct;
use domain::operators::rules::{ChangedRule, OperatorRuleRefusal};

/// `GET /admin/rules`
pub(super) async fn list(app: web::Data<AppState>, operator: OperatorCaller) -> Answer {
    operator.may(OperatorAct::ReadRules)?;
    let rules = app.directory.context().accounts.operator_rules().await?;
    let rules: Vec<Arc<Rule>> = rules.values().cloned().collect();
    Ok(reply::ok(&wire::RuleList::of(&rules)))
}

/// `POST /admin/rules`
pub(super) async fn create(act: Act, operator: OperatorCaller, body: Body) -> Answer {
    operator.may(OperatorAct::ChangeRules)?;
    let (content, reason) = wire::read_operators_rule(&body.fields()?)?;
    let save = SaveOperatorRule { by: operator.user(), rule: None, content };
    let audit = audits(&operator, reason);
    let show = |changed: &ChangedRule| saved(StatusCode::CREATED, changed);
    Ok(act.ask_audited(InstanceId, save, audit, show).await?)
}

/// `PUT /admin/rules/:rule_id`
pub(super) async fn replace(
    act: Act,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ChangeRules)?;
    let rule = Some(rule_id(&path)?);
    let (content, reason) = wire::read_operators_rule(&body.fields()?)?;
    let save = SaveOperatorRule { by: operator.user(), rule, content };
    let audit = audits(&operator, reason);
    let show = |changed: &ChangedRule| saved(StatusCode::OK, changed);
    Ok(act.ask_audited(InstanceId, save, audit, show).await?)
}

/// `DELETE /admin/rules/:rule_id`
pub(super) async fn delete(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ChangeRules)?;
    let rule = rule_id(&path)?;
    let reason = read_reason(&body.fields()?)?;
    let audit = audits(&operator, reason);
    app.directory.ask_audited(InstanceId, DeleteOperatorRule { rule }, audit).await?;
    Ok(reply::of_rendered(reply::done(&())))
}

/// `POST /admin/rules/test`
pub(super) async fn test(app: web::Data<AppState>, operator: OperatorCaller, body: Body) -> Answer {
    operator.may(OperatorAct::ReadRules)?;
    let text = wire::read_test(&body.fields()?)?.as_str().to_owned();
    match app.directory.ask(InstanceId, TestOperatorRules { text }).await {
        Ok(matching) => Ok(reply::ok(&wire::MatchingRules::of(&matching))),
        Err(Failure::Fault(fault)) => Err(fault.into()),
        Err(Failure::Refused(never)) => match never {},
    }
}

fn saved(status: StatusCode, changed: &ChangedRule) -> Rendered {
    let rule = changed.after.as_ref().expect("it was saved");
    reply::payload(status, &wire::SavedRule::of(rule))
}

/// The entry of the audit log for a change of a rule, which has what it says before and after.
fn audits(operator: &OperatorCaller, reason: String) -> AuditNote<ChangedRule> {
    operator.audits_each(reason, |ChangedRule { before, after }| {
        if before == after {
            return None;
        }
        let rule = before.as_ref().or(after.as_ref())?.id;
        let act = match (before, after) {
            (None, _) => AdminAct::RuleMade { rule },
            (_, None) => AdminAct::RuleDeleted { rule },
            (Some(_), Some(_)) => AdminAct::RuleChanged { rule },
        };
        let summary = |rule: &Option<Arc<Rule>>| {
            rule.as_ref().map(|rule| wire::summary(rule)).unwrap_or_default()
        };
        Some((act, summary(before), summary(after)))
    })
}

fn rule_id(text: &str) -> Result<RuleId, OperatorRuleRefusal> {
    text.parse().map_err(|_| OperatorRuleRefusal::NoRule)
}
