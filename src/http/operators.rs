//! `/v3/admin`: what operators see and do from their accounts.
//!
//! Everybody who is no operator gets the 404 of a path that does not exist. Each act asks the table
//! of permissions, and is written to the audit log with its reason before the response.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::audit;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::password_login;
use crate::http::reply::{self, Answer};
use ::wire::operators as wire;
use actors::ask::{AuditNote, Failure};
use actors::audit::protocol::Note;
use actors::directory::rooms::InstanceId;
use actors::instance::SetSettings;
use actors::user::mail::MakeRecoveryLink;
use actors::user::protocol::{Disable, Enable, EndTokens, SetGuest, SetOperatorRole, UserRefusal};
use auth::access_token::AccessToken;
use auth::operators::OperatorFailure;
use domain::audit::{Address, AdminAct, AuditFact, OperatorDeed};
use domain::guests::AccountKind;
use domain::ids::UserId;
use domain::instance::{ChangedSettings, NewSetting, SettingFixed, SignUp};
use domain::operators::lists::ListedAccount;
use domain::operators::{
    self as rules, OperatorAct, OperatorPermission, OperatorRefusal, OperatorRole,
};
use domain::registration::RegistrationDomains;

/// An operator who logged in themselves.
pub(super) struct OperatorCaller {
    user: UserId,
    role: OperatorRole,
    /// Where the request came from, for the audit log.
    from: Option<Address>,
}

impl FromRequest for OperatorCaller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Caller::from_request(request, payload);
        let app = request.app_data::<web::Data<AppState>>().cloned();
        let from = audit::address(request);
        Box::pin(async move {
            let caller = caller.await?;
            let app = app.ok_or_else(ApiError::unavailable)?;
            let role = match caller.client {
                None => app.operators.role_of(caller.user).await?,
                Some(_) => None,
            };
            let role = role.ok_or_else(ApiError::no_such_path)?;
            let deadline = app.factor_deadline(caller.user).await?;
            if deadline.is_some_and(|deadline| deadline <= app.clock.now().wall) {
                return Err(ApiError::needs_factor());
            }
            Ok(Self { user: caller.user, role, from })
        })
    }
}

impl OperatorCaller {
    /// The operator.
    pub(super) const fn user(&self) -> UserId {
        self.user
    }

    /// Where the request came from.
    pub(super) const fn from(&self) -> Option<&Address> {
        self.from.as_ref()
    }

    /// The permission for an act.
    ///
    /// # Errors
    /// If the role never allows it.
    pub(super) fn may(&self, act: OperatorAct) -> Result<OperatorPermission, ApiError> {
        match rules::may(self.role, act) {
            OperatorPermission::Never => Err(OperatorRefusal::Role { role: self.role, act }.into()),
            permission @ (OperatorPermission::Always
            | OperatorPermission::NotToOperators
            | OperatorPermission::OwnActs) => Ok(permission),
        }
    }

    /// Finds the account that an act is done to.
    ///
    /// # Errors
    /// If the role does not allow the act to this account, or there is no such account.
    pub(super) async fn target(
        &self,
        app: &AppState,
        act: OperatorAct,
        path: &str,
    ) -> Result<ListedAccount, ApiError> {
        let permission = self.may(act)?;
        let account = account(app, path).await?;
        if permission == OperatorPermission::NotToOperators && account.role.is_some() {
            return Err(OperatorRefusal::ToOperator(self.role).into());
        }
        Ok(account)
    }

    /// Refuses an act that concerns another operator.
    ///
    /// # Errors
    /// If the user is an operator.
    pub(super) async fn spare_operators(
        &self,
        app: &AppState,
        user: Option<UserId>,
    ) -> Result<(), ApiError> {
        let Some(user) = user else { return Ok(()) };
        match app.operators.role_of(user).await? {
            Some(_) => Err(OperatorRefusal::ToOperator(self.role).into()),
            None => Ok(()),
        }
    }

    /// Writes an act to the audit log.
    pub(super) async fn note(
        &self,
        app: &AppState,
        act: AdminAct,
        reason: String,
        change: Option<(String, String)>,
    ) -> Result<(), ApiError> {
        let (before, after) = change.unzip();
        let from = self.from.clone();
        let deed = OperatorDeed { by: self.user, from, act, reason, before, after };
        match app.directory.audit(Note(AuditFact::OperatorActed(deed))).await {
            Ok(()) => Ok(()),
            Err(Failure::Fault(fault)) => Err(fault.into()),
            Err(Failure::Refused(never)) => match never {},
        }
    }

    /// The same for an act that depends on the answer: `deed` reads the act, what the value was and what
    /// it is; `None` if nothing was changed.
    pub(super) fn audits_each<T: 'static>(
        &self,
        reason: String,
        deed: impl Fn(&T) -> Option<(AdminAct, String, String)> + Send + Sync + 'static,
    ) -> AuditNote<T> {
        let by = self.user;
        let from = self.from.clone();
        Box::new(move |answer| {
            let fact = |(act, before, after)| {
                let reason = reason.clone();
                let before = Some(before);
                let after = Some(after);
                AuditFact::OperatorActed(OperatorDeed {
                    by,
                    from: from.clone(),
                    act,
                    reason,
                    before,
                    after,
                })
            };
            deed(answer).map(fact).into_iter().collect()
        })
    }

    /// The entry of the audit log for an act, which goes into the commit of its decision.
    pub(super) fn audits<T: 'static>(&self, act: AdminAct, reason: String) -> AuditNote<T> {
        let by = self.user;
        let from = self.from.clone();
        let deed = OperatorDeed { by, from, act, reason, before: None, after: None };
        Box::new(move |_| vec![AuditFact::OperatorActed(deed.clone())])
    }

    /// The same for an act that changes a value: `change` reads what it was and what it is from the
    /// answer; `None` if nothing was changed.
    pub(super) fn audits_change<T: 'static>(
        &self,
        act: AdminAct,
        reason: String,
        change: impl Fn(&T) -> Option<(String, String)> + Send + Sync + 'static,
    ) -> AuditNote<T> {
        self.audits_each(reason, move |answer| {
            change(answer).map(|(before, after)| (act.clone(), before, after))
        })
    }
}

async fn account(app: &AppState, path: &str) -> Result<ListedAccount, ApiError> {
    let id: UserId = path.parse().map_err(|_| UserRefusal::Unknown)?;
    let found = app.directory.context().accounts.person(id).await?;
    found.ok_or_else(|| UserRefusal::Unknown.into())
}

impl From<OperatorRefusal> for ApiError {
    fn from(refusal: OperatorRefusal) -> Self {
        let status = match refusal {
            OperatorRefusal::Role { .. } | OperatorRefusal::ToOperator(_) => StatusCode::FORBIDDEN,
            OperatorRefusal::LastAdmin => StatusCode::CONFLICT,
        };
        Self::new(status, refusal)
    }
}

impl From<OperatorFailure> for ApiError {
    fn from(failure: OperatorFailure) -> Self {
        match failure {
            OperatorFailure::Refused(refusal) => refusal.into(),
            OperatorFailure::Index(fault) => fault.into(),
        }
    }
}

/// `GET /admin/version`
pub(super) async fn version(operator: OperatorCaller) -> Answer {
    operator.may(OperatorAct::SeeServer)?;
    let role = operator.role.as_str();
    Ok(reply::ok(&wire::ServerVersion { version: env!("CARGO_PKG_VERSION"), role }))
}

/// `GET /admin/users`
pub(super) async fn users(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> Answer {
    operator.may(OperatorAct::SeePeople)?;
    let query = wire::read_list(&query.0)?;
    let page = app.directory.context().accounts.people(query).await?;
    let users = page.entries.iter().map(|it| wire::user(it, &app.instance)).collect();
    let before = page.before.map(|before| before.to_string());
    Ok(reply::ok(&wire::AdminUsers { users, before }))
}

/// `GET /admin/users/:user`
pub(super) async fn user(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> Answer {
    operator.may(OperatorAct::SeePeople)?;
    show(&app, &path).await
}

async fn show(app: &AppState, path: &str) -> Answer {
    Ok(reply::ok(&wire::user(&account(app, path).await?, &app.instance)))
}

/// `POST /admin/users/:user/disable`
pub(super) async fn disable(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let reason = wire::read_reason(&body.fields()?)?;
    let user = operator.target(&app, OperatorAct::ManagePeople, &path).await?.id;
    let turn = app.operators.begin_without(user).await?;
    let audit = operator.audits(AdminAct::UserDisabled { user }, reason);
    app.directory.ask_audited(user, Disable, audit).await?;
    drop(turn);
    show(&app, &path).await
}

/// `POST /admin/users/:user/enable`
pub(super) async fn enable(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let reason = wire::read_reason(&body.fields()?)?;
    let user = operator.target(&app, OperatorAct::ManagePeople, &path).await?.id;
    let audit = operator.audits(AdminAct::UserEnabled { user }, reason);
    app.directory.ask_audited(user, Enable, audit).await?;
    show(&app, &path).await
}

/// `POST /admin/users/:user/logout`
pub(super) async fn logout(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let reason = wire::read_reason(&body.fields()?)?;
    let user = operator.target(&app, OperatorAct::ManagePeople, &path).await?.id;
    let audit = operator.audits(AdminAct::UserLoggedOut { user }, reason);
    app.directory.ask_audited(user, EndTokens, audit).await?;
    show(&app, &path).await
}

/// `POST /admin/users/:user/recover`
pub(super) async fn recover(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let reason = wire::read_reason(&body.fields()?)?;
    let user = operator.target(&app, OperatorAct::ManagePeople, &path).await?.id;
    let secret = AccessToken::fresh();
    let audit = operator.audits(AdminAct::RecoveryLinkMade { user }, reason);
    let link = MakeRecoveryLink { hash: secret.link_hash() };
    app.directory.ask_audited(user, link, audit).await?;
    let url = app.instance.link_url("recover", user, secret.reveal());
    Ok(reply::ok(&wire::RecoveryLink { url }))
}

/// `POST /admin/users/:user/role`
pub(super) async fn set_role(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let (role, reason) = wire::read_role(&body.fields()?)?;
    let user = operator.target(&app, OperatorAct::ChangeRoles, &path).await?.id;
    let turn = match role {
        Some(OperatorRole::Admin) => None,
        Some(OperatorRole::Moderator | OperatorRole::Auditor) | None => {
            Some(app.operators.begin_without(user).await?)
        }
    };
    let change = move |former: &Option<OperatorRole>| {
        Some([*former, role].map(|role| rules::name_of(role).to_owned()).into())
    };
    let audit = operator.audits_change(AdminAct::RoleSet { user, role }, reason, change);
    app.directory.ask_audited(user, SetOperatorRole { role }, audit).await?;
    drop(turn);
    show(&app, &path).await
}

/// `POST /admin/users/:user/kind`
pub(super) async fn set_kind(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let reason = wire::read_kind(&body.fields()?)?;
    let user = operator.target(&app, OperatorAct::MakeMembers, &path).await?.id;
    let change = |former: &AccountKind| {
        Some([*former, AccountKind::Member].map(|kind| kind.as_str().to_owned()).into())
    };
    let audit = operator.audits_change(AdminAct::KindSet { user }, reason, change);
    app.directory.ask_audited(user, SetGuest { guest: None }, audit).await?;
    app.reconciler.settled(user).await;
    show(&app, &path).await
}

/// `GET /auth/audit`
pub(super) async fn own_acts(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    query: Query,
) -> Answer {
    let query = wire::read_own_acts(&query.0, caller.user)?;
    let page = app.directory.context().accounts.operator_acts(query).await?;
    let entries = page.entries.iter().map(wire::own_act).collect();
    let before = page.before.map(|before| before.to_string());
    Ok(reply::ok(&wire::OwnActs { entries, before }))
}

/// `GET /admin/audit`
pub(super) async fn audit_log(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> Answer {
    let permission = operator.may(OperatorAct::ReadAudit)?;
    let mut query = wire::read_audit(&query.0)?;
    if permission == OperatorPermission::OwnActs {
        query.actor = Some(operator.user);
    }
    let page = app.directory.context().accounts.operator_acts(query).await?;
    let entries = page.entries.iter().map(wire::audit_entry).collect();
    let before = page.before.map(|before| before.to_string());
    Ok(reply::ok(&wire::AuditEntries { entries, before }))
}

/// `GET /admin/settings`
pub(super) async fn settings(app: web::Data<AppState>, operator: OperatorCaller) -> Answer {
    operator.may(OperatorAct::ReadSettings)?;
    Ok(reply::ok(&wire::settings(app.settings().await?)))
}

/// `PUT /admin/settings`
pub(super) async fn change_settings(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ChangeSettings)?;
    let (new, reason) = wire::read_settings(&body.fields()?)?;
    let is_contact = new.iter().any(|setting| matches!(setting, NewSetting::Contact(_)));
    if let (true, Some(fixed)) = (is_contact, &app.fixed_settings.contact) {
        return Err(SettingFixed { name: "contact", fixed_by: fixed.source }.into());
    }
    password_login::check_change(&app, &new)?;
    apply_settings(&app, &operator, new, reason).await?;
    Ok(reply::ok(&wire::settings(app.settings().await?)))
}

/// `GET /admin/registration`
pub(super) async fn registration(app: web::Data<AppState>, operator: OperatorCaller) -> Answer {
    operator.may(OperatorAct::ReadSettings)?;
    Ok(reply::ok(&wire::registration(&app.settings().await?)))
}

/// `PUT /admin/registration`
pub(super) async fn change_registration(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ChangeSettings)?;
    let wire::RegistrationChange { mode, domains, reason } =
        wire::read_registration(&body.fields()?)?;
    if let Some(fixed) = &app.fixed_settings.sign_up {
        return Err(SettingFixed { name: "registration", fixed_by: fixed.source }.into());
    }
    if mode == Some(SignUp::Domain) {
        check_domain_mode(&app, domains.as_ref()).await?;
    }
    let domains = domains.map(|domains| NewSetting::Domains(Some(domains)));
    let new = std::iter::once(NewSetting::SignUp(mode)).chain(domains).collect();
    apply_settings(&app, &operator, new, reason).await?;
    Ok(reply::ok(&wire::registration(&app.settings().await?)))
}

/// Checks that people can register in the mode `domain`.
///
/// # Errors
/// If no domain is named, or the server sends no mail.
async fn check_domain_mode(
    app: &AppState,
    domains: Option<&RegistrationDomains>,
) -> Result<(), ApiError> {
    if domains.is_none() && app.settings().await?.domains.names().is_empty() {
        return Err(ApiError::new(StatusCode::BAD_REQUEST, "domains is required"));
    }
    if app.sends_mail() {
        return Ok(());
    }
    let reason = "mode: domain needs mail, and this server sends none (--smtp-url, --mail-from)";
    Err(ApiError::new(StatusCode::CONFLICT, reason))
}

async fn apply_settings(
    app: &AppState,
    operator: &OperatorCaller,
    new: Vec<NewSetting>,
    reason: String,
) -> Result<(), ApiError> {
    let change = |changed: &ChangedSettings| {
        let ChangedSettings { before, after } = changed;
        (before != after).then(|| (before.beyond(after), after.beyond(before)))
    };
    let audit = operator.audits_change(AdminAct::SettingsChanged, reason, change);
    match app.directory.ask_audited(InstanceId, SetSettings { new }, audit).await {
        Ok(_) => Ok(()),
        Err(Failure::Fault(fault)) => Err(fault.into()),
        Err(Failure::Refused(never)) => match never {},
    }
}

impl From<SettingFixed> for ApiError {
    fn from(refusal: SettingFixed) -> Self {
        Self::new(StatusCode::CONFLICT, refusal)
    }
}
