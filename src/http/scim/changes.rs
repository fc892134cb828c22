//! Writing requests of SCIM: creating, changing, deactivating and deleting accounts.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, LOCATION};
use actix_web::{HttpResponse, web};
use serde_json::{Map, Value};

use super::group_roles::{DirectoryWriter, REASON};
use super::{ScimAnswer, ScimFailure, account, refused, shown_account};
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::error::ApiError;
use crate::http::operators::OperatorCaller;
use ::wire::scim::{self as wire, ScimType, WantedUser};
use actors::ask::AuditNote;
use actors::names::UniqueName;
use actors::user::protocol::Register;
use actors::user::scim::{Provision, Unprovision};
use auth::access_token::AccessToken;
use auth::operators::AdminTurn;
use auth::scim::{DirectoryAccount, DirectoryFilter};
use domain::audit::{AdminAct, AuditFact, DirectoryAct, OperatorDeed};
use domain::canonical::contacts;
use domain::group::Contact;
use domain::ids::UserId;
use domain::operators::OperatorAct;
use domain::scim::{DirectoryNames, FirstProvisioning, user_name_key};
use domain::text::{Email, UserName};
use domain::user::{Profile, ProfileChange, User, WantedProvisioning};

pub(super) fn fields(body: Body) -> Result<Map<String, Value>, ScimFailure> {
    body.fields()
        .map_err(|problems| refused(ScimType::InvalidSyntax, problems.into_list().join("; ")))
}

fn taken(what: &str) -> ScimFailure {
    refused(ScimType::Uniqueness, format!("{what} belongs to another account"))
}

/// `POST /scim/v2/Users`
pub(in crate::http) async fn create(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let projection = wire::read_projection(&query.0).map_err(ScimFailure::Refused)?;
    let mut wanted = wire::read_user(&fields(body)?).map_err(ScimFailure::Refused)?;
    let user_name = wanted.user_name.clone().unwrap_or_default();
    let email = wanted.profile.email.clone().or_else(|| Email::parse(&user_name).ok());
    let email = email.ok_or_else(|| {
        let detail = "emails must have an address, since userName is none";
        refused(ScimType::InvalidValue, detail)
    })?;
    let _turn = app.operators.directory_turn().await;
    let user = match removed(&app, &user_name, &email).await? {
        Some(account) => {
            wanted.profile.email = Some(email);
            let change = Change { wanted, restores: true };
            change.apply(&app, &operator, account).await?
        }
        None => begin(&app, &operator, wanted, email).await?,
    };
    app.reconciler.settled(user.id).await;
    let account = DirectoryAccount::from(&user);
    let mut answer = shown_account(&app, StatusCode::CREATED, &projection, account).await?;
    if let Ok(location) = HeaderValue::from_str(&wire::location(user.id, &app.instance)) {
        answer.headers_mut().insert(LOCATION, location);
    }
    Ok(answer)
}

/// The account with these names whose resource the directory deleted.
///
/// # Errors
/// If an account that the directory sees has one of the names.
async fn removed(
    app: &AppState,
    user_name: &str,
    email: &Email,
) -> Result<Option<DirectoryAccount>, ScimFailure> {
    let accounts = &app.directory.context().accounts;
    let named = accounts.by_directory_name(DirectoryFilter::UserName(user_name.to_owned())).await?;
    let addressed = accounts.by_directory_address(email).await?;
    for (what, found) in [("userName", &named), ("emails", &addressed)] {
        if found.as_ref().is_some_and(|it| !it.provisioning.is_removed) {
            return Err(taken(what));
        }
    }
    match (named, addressed) {
        (Some(one), Some(other)) if one.id != other.id => Err(taken("emails")),
        (named, addressed) => Ok(named.or(addressed)),
    }
}

/// Creates an account without a password.
async fn begin(
    app: &AppState,
    operator: &OperatorCaller,
    wanted: WantedUser,
    email: Email,
) -> Result<User, ScimFailure> {
    let user_name = wanted.user_name.unwrap_or_default();
    let local = user_name.split('@').next().unwrap_or_default().to_owned();
    let name = match wanted.profile.name {
        Some(name) => name,
        None => UserName::parse(local)
            .map_err(|error| refused(ScimType::InvalidValue, format!("displayName {error}")))?,
    };
    let profile = Profile { name, email, phone: None, image: None, zip_code: None, guest: None };
    let names =
        DirectoryNames { user_name: Some(user_name), external_id: wanted.external_id.flatten() };
    let is_active = wanted.is_active.unwrap_or(true);
    let provisioning = Some(FirstProvisioning { names, is_active });
    // Nobody knows this password.
    let password = app.passwords.hash(AccessToken::fresh().reveal().to_owned()).await?;
    let user = app.directory.context().id_generator.user();
    let claimed: Vec<UniqueName> = profile.contacts().map(UniqueName::from).collect();
    let act = AdminAct::Provisioned { user, act: DirectoryAct::Created };
    let audit = operator.audits(act, REASON.to_owned());
    let register = async |until| {
        let register = Register {
            until,
            profile,
            password,
            token: None,
            note: None,
            operator: None,
            identity: None,
            provisioning,
            waiting: None,
        };
        app.directory.ask_audited(user, register, audit).await
    };
    let made = app.names.take(user, claimed, register).await;
    let made = made.map_err(|failure| ApiError::not_taken(failure, address_taken()))?;
    Ok(User::clone(&made))
}

fn address_taken() -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "emails belongs to another account")
}

/// `PUT /scim/v2/Users/:user`. Attributes that the body does not have stay as they are.
pub(in crate::http) async fn replace(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    query: Query,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let wanted = wire::read_user(&fields(body)?).map_err(ScimFailure::Refused)?;
    change(&app, &operator, &path, &query, wanted).await
}

/// `PATCH /scim/v2/Users/:user`
pub(in crate::http) async fn patch(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    query: Query,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let wanted = wire::read_patch(&fields(body)?).map_err(ScimFailure::Refused)?;
    change(&app, &operator, &path, &query, wanted).await
}

async fn change(
    app: &AppState,
    operator: &OperatorCaller,
    path: &str,
    query: &Query,
    wanted: WantedUser,
) -> ScimAnswer {
    let projection = wire::read_projection(&query.0).map_err(ScimFailure::Refused)?;
    let _turn = app.operators.directory_turn().await;
    let found = account(app, path).await?;
    let change = Change { wanted, restores: false };
    let user = change.apply(app, operator, found).await?;
    app.reconciler.settled(user.id).await;
    shown_account(app, StatusCode::OK, &projection, DirectoryAccount::from(&user)).await
}

/// `DELETE /scim/v2/Users/:user`
pub(in crate::http) async fn delete(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let _turn = app.operators.directory_turn().await;
    let user = account(&app, &path).await?.id;
    drop(shutting_out(&app, &operator, user).await?);
    directory(&app, &operator).leave_all(user).await?;
    let admins = shutting_out(&app, &operator, user).await?;
    let act = AdminAct::Provisioned { user, act: DirectoryAct::Deleted };
    let audit = operator.audits(act, REASON.to_owned());
    app.directory.ask_audited(user, Unprovision, audit).await?;
    drop(admins);
    Ok(HttpResponse::NoContent().finish())
}

/// A request of the directory.
pub(super) const fn directory<'a>(
    app: &'a AppState,
    operator: &'a OperatorCaller,
) -> DirectoryWriter<'a> {
    DirectoryWriter { app, operator, is_directory: true, reason: REASON }
}

/// Begins an act after which nobody can log in to an account.
///
/// # Errors
/// If the account is that of the token, or the last admin's.
async fn shutting_out(
    app: &AppState,
    operator: &OperatorCaller,
    user: UserId,
) -> Result<AdminTurn, ScimFailure> {
    if user == operator.user() {
        let detail = "the token of the directory belongs to this account; make one from another \
                      admin's account first";
        return Err(ApiError::new(StatusCode::CONFLICT, detail).into());
    }
    Ok(app.operators.begin_without(user).await?)
}

/// A change of an account.
struct Change {
    wanted: WantedUser,
    /// Whether the resource begins again.
    restores: bool,
}

impl Change {
    async fn apply(
        self,
        app: &AppState,
        operator: &OperatorCaller,
        before: DirectoryAccount,
    ) -> Result<User, ScimFailure> {
        let id = before.id;
        let wanted = self.provisioning(app, &before).await?;
        let was_active = before.provisioning.deactivated_at.is_none();
        let shuts = wanted.is_active == Some(false) && was_active;
        let admins = if shuts { Some(shutting_out(app, operator, id).await?) } else { None };
        let restores = self.restores;
        let profile = before.profile.clone();
        let names = before.provisioning.names.clone();
        let by = operator.user();
        let from = operator.from().cloned();
        let audit: AuditNote<Arc<User>> = Box::new(move |user| {
            let is_active = user.provisioning.deactivated_at.is_none();
            let standing = match (restores, was_active, is_active) {
                (true, ..) => Some(DirectoryAct::Restored),
                (false, true, false) => Some(DirectoryAct::Deactivated),
                (false, false, true) => Some(DirectoryAct::Activated),
                (false, ..) => None,
            };
            let is_changed = user.profile != profile || user.provisioning.names != names;
            let deed = |act, before: Option<String>, after: Option<String>| {
                let act = AdminAct::Provisioned { user: user.id, act };
                let from = from.clone();
                let reason = REASON.to_owned();
                AuditFact::OperatorActed(OperatorDeed { by, from, act, reason, before, after })
            };
            let changed = is_changed.then(|| {
                let after = text(&user.profile, &user.provisioning.names);
                deed(DirectoryAct::Changed, Some(text(&profile, &names)), Some(after))
            });
            standing.map(|act| deed(act, None, None)).into_iter().chain(changed).collect()
        });
        let user = provision(app, &before, wanted, audit).await?;
        drop(admins);
        Ok(user)
    }

    /// What the account's room is asked for.
    ///
    /// # Errors
    /// If another account has the `userName`.
    async fn provisioning(
        &self,
        app: &AppState,
        before: &DirectoryAccount,
    ) -> Result<WantedProvisioning, ScimFailure> {
        let Self { wanted, restores } = self;
        let known = &before.provisioning.names;
        let address = before.profile.email.as_str();
        let former = known.user_name.as_deref().unwrap_or(address);
        let renamed = wanted.user_name.as_deref();
        let renamed = renamed.filter(|name| user_name_key(name) != user_name_key(former));
        if let Some(name) = renamed {
            let filter = DirectoryFilter::UserName(name.to_owned());
            let other = app.directory.context().accounts.by_directory_name(filter).await?;
            if other.is_some_and(|other| other.id != before.id) {
                return Err(taken("userName"));
            }
        }
        // An address that was the userName follows it.
        let follows = contacts::email_key(former) == contacts::email_key(address);
        let followed = renamed.filter(|_| follows).and_then(|name| Email::parse(name).ok());
        let email = wanted.profile.email.clone().or(followed);
        let names = DirectoryNames {
            user_name: wanted.user_name.clone().or_else(|| known.user_name.clone()),
            external_id: wanted.external_id.clone().unwrap_or_else(|| known.external_id.clone()),
        };
        let name = wanted.profile.name.clone();
        let is_active = wanted.is_active.or(restores.then_some(true));
        Ok(WantedProvisioning {
            profile: ProfileChange { name, email, ..ProfileChange::default() },
            names: Some(names),
            is_active,
            restores: *restores,
        })
    }
}

/// Asks the account's room, once a new address is claimed.
async fn provision(
    app: &AppState,
    account: &DirectoryAccount,
    wanted: WantedProvisioning,
    audit: AuditNote<Arc<User>>,
) -> Result<User, ScimFailure> {
    let id = account.id;
    let before = &account.profile;
    let after = wanted.profile.applied_to(before);
    let mut new = after.contacts_beyond(before);
    let mut gone = before.contacts_beyond(&after);
    // A former address stays its owner's for a while, as in `users.rs`.
    new.extend(gone.extract_if(.., |contact| matches!(contact, Contact::Email(_))));
    if new.is_empty() {
        let asked = Provision { wanted, claimed: None };
        let user = app.directory.ask_audited(id, asked, audit).await?;
        return Ok(User::clone(&user));
    }
    let act = async |until| {
        let asked = Provision { wanted, claimed: Some(until) };
        app.directory.ask_audited(id, asked, audit).await
    };
    let user = app.names.take(id, new, act).await;
    let user = user.map_err(|failure| ApiError::not_taken(failure, address_taken()))?;
    app.names.give_up(id, &gone).await;
    Ok(User::clone(&user))
}

/// The names of an account, one on each line, for the audit log.
fn text(profile: &Profile, names: &DirectoryNames) -> String {
    let DirectoryNames { user_name, external_id } = names;
    let lines = [
        Some(format!("name: {}", profile.name)),
        Some(format!("email: {}", profile.email.as_str())),
        user_name.as_ref().map(|name| format!("userName: {name}")),
        external_id.as_ref().map(|id| format!("externalId: {id}")),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}
