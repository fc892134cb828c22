//! The end of a log-in through a provider: to whom the identity belongs, and their token.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::auth::{LOG_IN, welcome};
use crate::http::body::Body;
use crate::http::client_address::network_of;
use crate::http::device_name::device_name;
use crate::http::error::ApiError;
use crate::http::oidc::{address, cookie_of, provider};
use crate::http::reply::{self, Answer};
use crate::http::{audit, new_account, recovery, tokens, verification};
use ::wire::identity::{self as wire, LinkNeed, LinkNeeded, ShownArrival};
use actors::ask::AuditNote;
use actors::names::UniqueName;
use actors::user::factors::UseFactor;
use actors::user::identities::LinkIdentity;
use actors::user::protocol::{IssueToken, Register, SetGuest, SetOperatorRole};
use auth::access_token::AccessToken;
use auth::accounts::LoginAccount;
use auth::logging_in::PasswordVerdict;
use auth::oidc::Provider;
use auth::oidc::flow::Arrival;
use auth::totp;
use domain::audit::{AdminAct, AuditFact, OperatorDeed};
use domain::canonical::contacts;
use domain::guests::{AccountKind, Guest};
use domain::identities::{FirstIdentity, IdentityLogIn};
use domain::ids::UserId;
use domain::instance::SignUp;
use domain::operators::{OperatorRole, name_of};
use domain::registration::AccountWait;
use domain::text::{Email, UserName};
use domain::user::{Profile, User};

/// Why a role or a kind changes at a log-in, in the audit log.
const BY_GROUPS: &str = "by the groups of the provider at a log-in";

/// To whom an identity belongs.
enum Owner {
    /// The account that has it.
    Account(Box<LoginAccount>),
    /// An account with the same address, whose user may link it.
    MayLink(Email),
    /// Nobody yet.
    Nobody,
}

/// `POST /auth/oidc/finish`
pub(in crate::http) async fn finish(
    app: web::Data<AppState>,
    request: HttpRequest,
    body: Body,
) -> Answer {
    let shown = wire::read_arrival(&body.fields()?)?;
    let browser = cookie_of(&app, &request).unwrap_or_default();
    let arrival = app.oidc.flows.taken_over(&shown.code, &browser).ok_or_else(|| {
        let reason = "this log-in has expired or belongs to another browser; start again";
        ApiError::new(StatusCode::UNAUTHORIZED, reason)
    })?;
    let provider = provider(&app, &arrival.provider)?;
    let account = match (owner(&app, provider, &arrival).await?, shown.password.clone()) {
        (Owner::MayLink(email), None) => {
            let provider = provider.settings.name.clone();
            let need = LinkNeed { email: email.as_str().to_owned(), provider };
            return reply::of(StatusCode::ACCEPTED, &LinkNeeded { link: need });
        }
        (Owner::MayLink(email), Some(password)) => {
            let account = proved(&app, &request, &email, password, &shown).await?;
            link(&app, account.user, &arrival).await?;
            account
        }
        (Owner::Account(account), _) => {
            if provider.settings.asks_factor && account.needs_factor {
                set_standing(&app, &request, account.user, &arrival).await?;
                return verification::challenge(&app, &account).await;
            }
            *account
        }
        (Owner::Nobody, _) => create(&app, &request, provider, &arrival).await?,
    };
    set_standing(&app, &request, account.user, &arrival).await?;
    let (user, token) = issue(&app, &request, account, &arrival).await?;
    let mut shown = welcome(&app, &user, &token);
    shown.provider = Some(provider.settings.id.clone());
    Ok(reply::ok(&shown))
}

/// The account of a log-in that leads to the page that asks for consent.
///
/// # Errors
/// If the log-in needs more than the provider.
pub(super) async fn enter(
    app: &AppState,
    request: &HttpRequest,
    provider: &Provider,
    arrival: &Arrival,
) -> Result<LoginAccount, ApiError> {
    let account = match owner(app, provider, arrival).await? {
        Owner::Account(account) if provider.settings.asks_factor && account.needs_factor => {
            let reason = "this account needs a one-time code: log in with email and password";
            return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
        }
        Owner::Account(account) => *account,
        Owner::MayLink(_) => {
            let reason = "another account has this address: log in to it with its password";
            return Err(ApiError::new(StatusCode::CONFLICT, reason));
        }
        Owner::Nobody => create(app, request, provider, arrival).await?,
    };
    set_standing(app, request, account.user, arrival).await?;
    Ok(account)
}

/// Finds the owner of an identity. An account that a directory made, and that nobody can log in to,
/// gets it.
async fn owner(app: &AppState, provider: &Provider, arrival: &Arrival) -> Result<Owner, ApiError> {
    let accounts = &app.directory.context().accounts;
    if let Some(user) = accounts.user_by_identity(arrival.identity.clone()).await?
        && let Some(account) = accounts.own_account(user).await?
    {
        return Ok(Owner::Account(Box::new(account)));
    }
    let Some(email) = address(arrival) else { return Ok(Owner::Nobody) };
    let Some(account) = accounts.account_by_typed_email(email.as_str()).await? else {
        return Ok(Owner::Nobody);
    };
    let is_trusted = provider.settings.trusts_email && arrival.is_email_verified;
    let has_other = account.identities.at_issuer(&arrival.identity.issuer).is_some();
    if is_trusted && account.awaits_identity {
        link(app, account.user, arrival).await?;
        return Ok(Owner::Account(Box::new(account)));
    }
    if is_trusted && account.is_confirmed && !has_other && !account.identities.has_no_password {
        return Ok(Owner::MayLink(email));
    }
    Err(taken())
}

fn taken() -> ApiError {
    let reason =
        "another account has this email address: log in to it, and link the identity there";
    ApiError::new(StatusCode::CONFLICT, reason)
}

/// Checks that somebody can log in to the account to which they want to link an identity. It counts
/// like a log-in.
async fn proved(
    app: &AppState,
    request: &HttpRequest,
    email: &Email,
    password: String,
    shown: &ShownArrival,
) -> Result<LoginAccount, ApiError> {
    let network = network_of(request);
    let checked = app.log_ins.check(email.as_str(), password, None, network).await;
    audit::checked(app, request, email.as_str(), &checked).await;
    let account = checked?;
    if !account.needs_factor {
        return Ok(account);
    }
    let Some(typed) = &shown.factor else {
        let reason = "this account needs a one-time code, too";
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason).needs("factor"));
    };
    let attempt = async {
        let now = app.clock.now().wall;
        let proof = totp::proof(&app.secrets, account.user, &account.factors, typed, now);
        let is_right = app.directory.ask(account.user, UseFactor { proof }).await?;
        let verdict = if is_right { PasswordVerdict::Right } else { PasswordVerdict::Wrong };
        Ok::<_, ApiError>((is_right, verdict))
    };
    let key = contacts::email_key(account.email.as_str());
    match app.log_ins.counted(&key, network_of(request), attempt).await? {
        true => Ok(account),
        false => Err(ApiError::new(StatusCode::UNAUTHORIZED, "the code is wrong")),
    }
}

/// Links the identity of a log-in to an account.
///
/// # Errors
/// If another account has the identity, or this one has another identity of the provider.
pub(super) async fn link(app: &AppState, user: UserId, arrival: &Arrival) -> Result<(), ApiError> {
    let identity = arrival.identity.clone();
    let email = arrival.email.clone();
    let act = async |until| {
        let identity = identity.clone();
        app.directory.ask(user, LinkIdentity { identity, email, claimed: until }).await
    };
    let linked = app.names.take(user, vec![arrival.identity.clone()], act).await;
    let reason = "another account has this identity";
    let taken = ApiError::new(StatusCode::CONFLICT, reason);
    linked.map_err(|failure| ApiError::not_taken(failure, taken))
}

/// Creates the account of an identity, if its provider may.
async fn create(
    app: &AppState,
    request: &HttpRequest,
    provider: &Provider,
    arrival: &Arrival,
) -> Result<LoginAccount, ApiError> {
    let mode = app.settings().await?.sign_up.value;
    let asks = mode == SignUp::Approval;
    if mode != SignUp::Open && !provider.settings.creates {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "registration is closed on this server"));
    }
    new_account::limit(app, request)?;
    let name = &provider.settings.name;
    let email = address(arrival).ok_or_else(|| {
        let reason = format!("{name} sent no email address, which an account here needs");
        ApiError::new(StatusCode::FORBIDDEN, reason)
    })?;
    let named = arrival.name.clone().and_then(|name| UserName::parse(name).ok());
    let local = email.as_str().split('@').next().unwrap_or_default().to_owned();
    let named = named.or_else(|| UserName::parse(local).ok());
    let named = named.ok_or_else(|| {
        let reason = format!("{name} sent no name that an account here may have");
        ApiError::new(StatusCode::FORBIDDEN, reason)
    })?;
    let profile =
        Profile { name: named, email, phone: None, image: None, zip_code: None, guest: None };
    let context = app.directory.context();
    if context.accounts.is_contact_taken(&profile).await? {
        return Err(taken());
    }
    // Nobody knows this password.
    let password = app.passwords.hash(AccessToken::fresh().reveal().to_owned()).await?;
    let user = context.id_generator.user();
    let mut names: Vec<UniqueName> = profile.contacts().map(UniqueName::from).collect();
    names.push(arrival.identity.clone().into());
    let identity = Some(FirstIdentity {
        identity: arrival.identity.clone(),
        email: arrival.email.clone(),
        is_confirmed: provider.settings.trusts_email && arrival.is_email_verified,
    });
    // Whom operators are to approve hears from them first.
    let note = recovery::note(app, request).filter(|_| !asks);
    let register = async |until| {
        let token = None;
        let operator = None;
        let provisioning = None;
        let waiting = asks.then(|| AccountWait::for_approval(None, recovery::language_of(request)));
        let register = Register {
            until,
            profile,
            password,
            token,
            note,
            operator,
            identity,
            provisioning,
            waiting,
        };
        app.directory.ask(user, register).await
    };
    let made = app.names.take(user, names, register).await;
    let made = made.map_err(|failure| ApiError::not_taken(failure, taken()))?;
    app.reconciler.settled(made.id).await;
    let account = context.accounts.own_account(made.id).await?;
    account.ok_or_else(ApiError::unavailable)
}

/// Makes the role and the kind of an account as the groups of its user say.
async fn set_standing(
    app: &AppState,
    request: &HttpRequest,
    user: UserId,
    arrival: &Arrival,
) -> Result<(), ApiError> {
    set_role(app, request, user, arrival).await?;
    set_kind(app, request, user, arrival).await
}

/// Makes a guest of everybody who is not in the group of those who are none, and a member of who is.
/// Operators are no guests.
async fn set_kind(
    app: &AppState,
    request: &HttpRequest,
    user: UserId,
    arrival: &Arrival,
) -> Result<(), ApiError> {
    let Some(is_insider) = arrival.is_insider else { return Ok(()) };
    let row = app.directory.context().accounts.account(user).await?;
    let Some(row) = row.filter(|row| !row.is_disabled()) else { return Ok(()) };
    let kind = match is_insider || row.operator.is_some() {
        true => AccountKind::Member,
        false => AccountKind::Guest,
    };
    if row.profile.kind() == kind {
        return Ok(());
    }
    let guest = (kind == AccountKind::Guest).then_some(Guest { until: None });
    let audit = audited(request, user, AdminAct::KindSet { user }, move |former: &AccountKind| {
        [former.as_str(), kind.as_str()]
    });
    app.directory.ask_audited(user, SetGuest { guest }, audit).await?;
    app.reconciler.settled(user).await;
    Ok(())
}

/// Gives the role of an admin to the members of the group for it, and takes it from others.
async fn set_role(
    app: &AppState,
    request: &HttpRequest,
    user: UserId,
    arrival: &Arrival,
) -> Result<(), ApiError> {
    let Some(is_member) = arrival.is_operator else { return Ok(()) };
    let row = app.directory.context().accounts.account(user).await?;
    let Some(row) = row.filter(|row| !row.is_disabled()) else { return Ok(()) };
    let is_admin = row.operator == Some(OperatorRole::Admin);
    if is_admin == is_member {
        return Ok(());
    }
    let role = is_member.then_some(OperatorRole::Admin);
    let turn = match role {
        Some(_) => None,
        None => match app.operators.begin_without(user).await {
            Ok(turn) => Some(turn),
            Err(failure) => {
                tracing::warn!(
                    user.id = %user, %failure,
                    "the group of admins at the provider has no such member; the role stays"
                );
                return Ok(());
            }
        },
    };
    let act = AdminAct::RoleSet { user, role };
    let audit = audited(request, user, act, move |former: &Option<OperatorRole>| {
        [name_of(*former), name_of(role)]
    });
    app.directory.ask_audited(user, SetOperatorRole { role }, audit).await?;
    drop(turn);
    Ok(())
}

/// The entry of the audit log for a change by the groups of a user; `change` says what was and is.
fn audited<T: 'static>(
    request: &HttpRequest,
    by: UserId,
    act: AdminAct,
    change: impl Fn(&T) -> [&'static str; 2] + Send + Sync + 'static,
) -> AuditNote<T> {
    let from = audit::address(request);
    Box::new(move |former| {
        let [before, after] = change(former).map(|it| Some(it.to_owned()));
        let from = from.clone();
        let act = act.clone();
        let reason = BY_GROUPS.to_owned();
        vec![AuditFact::OperatorActed(OperatorDeed { by, from, act, reason, before, after })]
    })
}

/// Issues the token of a log-in, once.
async fn issue(
    app: &AppState,
    request: &HttpRequest,
    account: LoginAccount,
    arrival: &Arrival,
) -> Result<(Arc<User>, AccessToken), ApiError> {
    let id = app.directory.context().id_generator.token();
    let (token, mut record) = tokens::new_token(app, id, LOG_IN, None);
    record.device = device_name(request);
    let identity = arrival.identity.clone();
    let by = IdentityLogIn { identity, session: arrival.session.clone() };
    let issue = IssueToken {
        token: record,
        password: account.password,
        code: Some(arrival.key()),
        identity: Some(by),
    };
    let user = app.directory.ask(account.user, issue).await?;
    audit::logged_in(app, request, user.id, Some(id)).await;
    Ok((user, token))
}
