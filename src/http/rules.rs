//! Rules of a group: the owner and admins list, save, delete and try them.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::rules as wire;
use actors::group::protocol::{DeleteRule, ListRules, SaveRule, TestRules};
use domain::group::{Rule, RuleRefusal};
use domain::ids::RuleId;

/// `GET /groups/:group_id/rules`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let rules = app.directory.ask(group_id(&path)?, ListRules { reader: caller.user }).await?;
    Ok(reply::ok(&wire::RuleList::of(&rules)))
}

/// `POST /groups/:group_id/rules`
pub(super) async fn create(
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let content = wire::read_rule(&body.fields()?)?;
    let show = |rule: &Arc<Rule>| reply::payload(StatusCode::CREATED, &wire::SavedRule::of(rule));
    Ok(act.ask(id, SaveRule { by: caller.user, rule: None, content }, show).await?)
}

/// `PUT /groups/:group_id/rules/:rule_id`
pub(super) async fn replace(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, rule) = path.into_inner();
    let id = group_id(&group)?;
    let rule = Some(rule_id(&rule)?);
    let content = wire::read_rule(&body.fields()?)?;
    let saved = app.directory.ask(id, SaveRule { by: caller.user, rule, content }).await?;
    Ok(reply::ok(&wire::SavedRule::of(&saved)))
}

/// `DELETE /groups/:group_id/rules/:rule_id`
pub(super) async fn delete(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, rule) = path.into_inner();
    let id = group_id(&group)?;
    app.directory.ask(id, DeleteRule { by: caller.user, rule: rule_id(&rule)? }).await?;
    Ok(reply::of_rendered(reply::done(&())))
}

/// `POST /groups/:group_id/rules/test`
pub(super) async fn test(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let text = wire::read_test(&body.fields()?)?.as_str().to_owned();
    let matching = app.directory.ask(id, TestRules { by: caller.user, text }).await?;
    Ok(reply::ok(&wire::MatchingRules::of(&matching)))
}

fn rule_id(text: &str) -> Result<RuleId, RuleRefusal> {
    text.parse().map_err(|_| RuleRefusal::NoRule)
}
