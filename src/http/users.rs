//! Users (specification, section 4, Users).

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;
use serde_json::{Map, Value};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::fresh;
use crate::http::once;
use crate::http::password_check;
use crate::http::pictures::{self, Formats};
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::original::OriginalUser;
use ::wire::user::{self as wire, MissingFactor, UserResource};
use actors::user::protocol::{ChangeProfile, SetSmsMode, UserRefusal, ViewUser};
use domain::group::Contact;
use domain::ids::UserId;
use domain::operators::OperatorRole;
use domain::scopes::{Scope, ScopeSet};
use domain::user::{EnteredAddress, Profile, ProfileChange, User};

/// `GET /users/me`
pub(super) async fn me(app: web::Data<AppState>, caller: Caller, dialect: Dialect) -> Answer {
    let user = app.directory.ask(caller.user, ViewUser).await?;
    let mut shown = resource(&app, &user);
    shown.second_factor = app.factor_deadline(caller.user).await?.map(MissingFactor::from);
    shown.original =
        dialect.original(|| OriginalUser::of(caller.user, &user.factors, &app.instance));
    Ok(reply::ok(&shown))
}

/// `GET /users/:id?include_shared_groups=true`: a user whom the caller knows.
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let with_groups = Fields::of(&query.0, &mut problems).flag("include_shared_groups");
    let with_groups = problems.or(Some(with_groups.unwrap_or(true)))?;
    let id: UserId = path.parse().map_err(|_| UserRefusal::Unknown)?;
    let seen = app.directory.context().accounts.seen_by(id, caller.user).await?;
    let seen = seen.ok_or(UserRefusal::Unknown)?;
    let shared = with_groups.then_some(seen.shared_groups.as_slice());
    let profile = &seen.profile;
    let created_at = seen.created_at;
    Ok(reply::ok(&wire::seen(id, profile, created_at, seen.takes_messages, shared, &app.instance)))
}

/// The user's own view of their account, for JSON.
pub(super) fn resource(app: &AppState, user: &User) -> UserResource {
    let mut shown = wire::resource(user, app.clock.now().wall, &app.instance);
    shown.operator = user.operator.map(OperatorRole::as_str);
    if app.sends_mail() {
        shown.email_verified = Some(user.is_verified());
        shown.entered_email = user.mailbox.entered.clone();
    }
    shown
}

/// `POST /users/update`
pub(super) async fn update(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    change(&app, &act, &caller, &body.fields()?).await
}

/// Changes the caller's profile as the fields say.
pub(super) async fn change(
    app: &web::Data<AppState>,
    act: &Act,
    caller: &Caller,
    fields: &Map<String, Value>,
) -> Answer {
    let mut wanted = wire::read_change(fields, &app.instance)?;
    let proof = Proof { password: wanted.password.take() };
    let change = with_picture(app, caller.user, wanted).await?;
    let is_seen_by_others = change.name.is_some() || change.image.is_some();
    // A step of its own, so that a repeat under the same key after a crash does not set the profile
    // back.
    let step = act.step(0);
    let answer = match step.recall().await? {
        Some(first) => once::replay(&first)?,
        None => change_profile(app, &step, caller, change, proof).await?,
    };
    if is_seen_by_others {
        app.reconciler.settled(caller.user).await;
    }
    Ok(answer)
}

/// Changes the profile. A new email address or phone number is claimed first.
async fn change_profile(
    app: &web::Data<AppState>,
    step: &Act,
    caller: &Caller,
    mut change: ProfileChange,
    proof: Proof,
) -> Answer {
    let user = caller.user;
    let show = {
        let app = app.clone();
        move |user: &Arc<User>| reply::payload(StatusCode::OK, &resource(&app, user))
    };
    let known = app.directory.ask(user, ViewUser).await?;
    let entered = entered(app, step, &mut change, &known.profile);
    let before = &known.profile;
    let after = change.applied_to(&known.profile);
    let is_of_account = (&after.email, &after.phone) != (&before.email, &before.phone);
    let new_address = entered.as_ref().map(|entered| &entered.address);
    let new_address = new_address.filter(|address| address.key() != before.email.key());
    if is_of_account || new_address.is_some() {
        proof.check(app, caller).await?;
    }
    if let Some(address) = new_address {
        let other = Profile { email: address.clone(), phone: None, ..before.clone() };
        if app.directory.context().accounts.is_contact_taken(&other).await? {
            return Err(taken(&[Contact::from(address)]));
        }
    }
    let mut new = after.contacts_beyond(before);
    let taken = taken(&new);
    let mut gone = before.contacts_beyond(&after);
    // A former email address stays its owner's for a while. It is claimed once more, since names of
    // accounts from earlier versions may have no claim.
    let is_email = |contact: &mut Contact| matches!(contact, Contact::Email(_));
    new.extend(gone.extract_if(.., is_email));
    let answer = if new.is_empty() {
        step.ask(user, ChangeProfile { change, claimed: None, entered }, show).await?
    } else {
        let write = async |until| {
            step.ask(user, ChangeProfile { change, claimed: Some(until), entered }, show).await
        };
        let changed = app.names.take(user, new, write).await;
        changed.map_err(|failure| ApiError::not_taken(failure, taken))?
    };
    app.names.give_up(user, &gone).await;
    Ok(answer)
}

/// Takes a new address out of a change where the server sends mail: it waits until it is confirmed.
/// The address of the account in another spelling changes at once.
fn entered(
    app: &AppState,
    step: &Act,
    change: &mut ProfileChange,
    before: &Profile,
) -> Option<EnteredAddress> {
    let language = step.language();
    let note = || app.sends_mail().then(|| recovery::new_note(language));
    let (confirmation, warning) = note().zip(note())?;
    let address = match &change.email {
        Some(email) if email.key() == before.email.key() => email.clone(),
        Some(_) => change.email.take()?,
        None => return None,
    };
    Some(EnteredAddress { address, confirmation, warning })
}

/// The proof that the owner of the account changes its email address or phone number.
struct Proof {
    /// The password, if the body has it.
    password: Option<String>,
}

impl Proof {
    /// Accepts the password, or a log-in or proof of the last ten minutes.
    async fn check(self, app: &AppState, caller: &Caller) -> Result<(), ApiError> {
        if caller.client.is_some() {
            return Err(ApiError::needs_log_in());
        }
        if !caller.scopes.has(Scope::Account) {
            return Err(ApiError::lacks(ScopeSet::of(&[Scope::Account])));
        }
        if let Some(password) = self.password {
            return password_check::confirm(app, caller, password).await.map(drop);
        }
        if fresh::is_fresh(app, caller).await? {
            return Ok(());
        }
        let reason = "password: a change of email or phone_number needs it, unless you logged in \
                      within the last 10 minutes";
        Err(ApiError::new(StatusCode::FORBIDDEN, reason).needs("fresh"))
    }
}

/// The error if another account has one of these.
fn taken(wanted: &[Contact]) -> ApiError {
    let field = |contact: &Contact| match contact {
        Contact::Email(_) => "email",
        Contact::Phone(_) => "phone_number",
    };
    let fields: Vec<&str> = wanted.iter().map(field).collect();
    let told = format!("{} belongs to another account", fields.join(" or "));
    ApiError::new(StatusCode::CONFLICT, told)
}

/// The change, with its picture: one of this server must exist, one from elsewhere is fetched and
/// stored. Done before everything else, since fetching may take long and nothing should be held
/// meanwhile.
async fn with_picture(
    app: &AppState,
    user: UserId,
    wanted: wire::WantedChange,
) -> Result<ProfileChange, ApiError> {
    let wire::WantedChange { mut change, picture, .. } = wanted;
    let image = change.image.iter_mut().map(|image| ("avatar_url".to_owned(), image));
    pictures::look_up(app, Some(user), image).await?;
    if let Some(url) = picture {
        change.image =
            Some(pictures::fetched(app, user, ("avatar_url", &url), Formats::Avatars).await?);
    }
    Ok(change)
}

/// `POST /users/sms_mode`
pub(super) async fn sms_on(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    let mode = wire::read_sms_mode(&body.fields()?, app.clock.now().wall)?;
    let done = act.ask(caller.user, SetSmsMode { mode: Some(mode) }, |()| {
        reply::payload(StatusCode::CREATED, &())
    });
    Ok(done.await?)
}

/// `POST /users/sms_mode/delete`
pub(super) async fn sms_off(act: Act, caller: Caller) -> Answer {
    Ok(act.ask(caller.user, SetSmsMode { mode: None }, reply::done).await?)
}
