//! Users and accounts in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::attachment::own_image;
use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::original::OriginalUser;
use crate::schema::scalars::TextId;
use domain::attachment::ImageRef;
use domain::canonical::password;
use domain::group::Settings;
use domain::ids::{GroupId, UserId};
use domain::limits::{PASSWORD_CHARS, SHORT_CHARS, SMS_HOURS};
use domain::text::{AboutText, CallbackUrl, Email, GroupName, Phone, TextError, UserName, at_most};
use domain::time::Timestamp;
use domain::user::{PhoneChange, Profile, ProfileChange, SmsMode, User};

/// A user as they see themselves.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub struct UserResource {
    /// The user's id.
    id: TextId,
    /// The same as `id`.
    user_id: TextId,
    /// Phone number, as the user gave it; null if there is none.
    phone_number: Option<Phone>,
    /// URL of the user's picture; null if there is none.
    image_url: Option<String>,
    /// The user's name.
    name: UserName,
    /// When the user registered. Unix time in seconds.
    created_at: u64,
    /// When the user last changed their profile. Unix time in seconds.
    updated_at: u64,
    /// Email address, with which the user logs in.
    email: Email,
    /// Whether the email address was confirmed; only where the server sends mail, and only in
    /// answers about your own profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    /// An email address that you entered and that is not confirmed yet; in the same answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entered_email: Option<Email>,
    /// Your role of an operator, `admin`, `moderator` or `auditor`, if you are one; in the same
    /// answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<&'static str>,
    /// Until when you have to set up a second factor, if this server requires one that you lack; only
    /// in the responses of `GET /users/me` and `GET /sync`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_factor: Option<MissingFactor>,
    /// `guest` if the user is a guest; absent for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["guest"]))]
    kind: Option<&'static str>,
    /// When the account of a guest ends; absent if it does not. Unix time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    /// Zip code, as the user gave it; null if there is none.
    zip_code: Option<String>,
    /// Whether SMS mode is on at present.
    sms: bool,
    /// Fields for existing clients.
    #[serde(flatten)]
    pub original: Option<OriginalUser>,
}

/// A second factor that a user has to set up.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissingFactor {
    /// Until when. Unix time in seconds.
    until: u64,
}

impl From<Timestamp> for MissingFactor {
    fn from(until: Timestamp) -> Self {
        Self { until: until.seconds() }
    }
}

/// Builds the JSON of a user for themselves (specification, section 2).
pub fn resource(user: &User, now: Timestamp, instance: &Instance) -> UserResource {
    let profile = &user.profile;
    UserResource {
        id: user.id.into(),
        user_id: user.id.into(),
        phone_number: profile.phone.clone(),
        image_url: profile.image.as_ref().map(|image| instance.image_url(image)),
        name: profile.name.clone(),
        created_at: user.created_at.seconds(),
        updated_at: user.updated_at.seconds(),
        email: profile.email.clone(),
        email_verified: None,
        entered_email: None,
        operator: None,
        second_factor: None,
        kind: profile.kind().mark(),
        expires_at: profile.guest.and_then(|it| it.until).map(Timestamp::seconds),
        zip_code: profile.zip_code.clone(),
        sms: user.is_in_sms_mode(now),
        original: None,
    }
}

/// A user as others see them, in the form for later clients.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeenProfile {
    user: OtherProfile,
    /// Always null.
    relationship: (),
    /// The groups that both of you are in; null if they were not requested.
    shared_groups: Option<Vec<SharedGroup>>,
}

/// Another user.
#[derive(Debug, Serialize, JsonSchema)]
struct OtherProfile {
    /// The user's id.
    id: TextId,
    /// The same as `id`.
    user_id: TextId,
    /// The user's name.
    name: UserName,
    /// `guest` if the user is a guest; absent for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["guest"]))]
    kind: Option<&'static str>,
    /// URL of the user's picture; null if they have none.
    avatar_url: Option<String>,
    /// When the user registered. Unix time in seconds.
    created_at: u64,
    /// Always true on this server.
    app_installed: bool,
    /// Whether you may send direct messages to the user.
    direct_message_capable: bool,
}

/// A group that both users are in.
#[derive(Debug, Serialize, JsonSchema)]
struct SharedGroup {
    /// The group's id, as a number.
    group_id: u64,
    /// The group's name.
    group_name: GroupName,
    /// URL of the group's picture; null if it has none.
    group_avatar: Option<String>,
}

/// Builds the JSON of a user for others, with the groups that both are in if these were requested.
pub fn seen(
    id: UserId,
    profile: &Profile,
    created_at: Timestamp,
    takes_messages: bool,
    shared: Option<&[(GroupId, Settings)]>,
    instance: &Instance,
) -> SeenProfile {
    let group = |(id, settings): &(GroupId, Settings)| SharedGroup {
        group_id: id.get(),
        group_name: settings.name.clone(),
        group_avatar: settings.image.as_ref().map(|image| instance.image_url(image)),
    };
    let user = OtherProfile {
        id: id.into(),
        user_id: id.into(),
        name: profile.name.clone(),
        kind: profile.kind().mark(),
        avatar_url: profile.image.as_ref().map(|image| instance.image_url(image)),
        created_at: created_at.seconds(),
        app_installed: true,
        direct_message_capable: takes_messages,
    };
    let shared_groups = shared.map(|shared| shared.iter().map(group).collect());
    SeenProfile { user, relationship: (), shared_groups }
}

/// The body of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The new account's profile.
    pub profile: Profile,
    /// The password in clear text, kept only until it is hashed.
    pub password: String,
    /// The browser and system, which the request names outside its body.
    pub device: Option<String>,
    /// The link by which somebody comes.
    pub invite: Option<InviteUrl>,
    /// What somebody says who asks for an account.
    pub about: Option<AboutText>,
}

/// The link by which somebody comes to register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InviteUrl {
    /// A link to join a group.
    Group(GroupLink),
    /// An invitation of the operators: the secret part of its URL.
    Account(String),
}

impl InviteUrl {
    /// Reads a link, or the end of one: `…/ID/TOKEN` of a group, `…/invite/TOKEN` of the operators.
    ///
    /// # Errors
    /// If it ends like neither.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = path_of(text).rsplit('/');
        match (parts.next(), parts.next()) {
            (Some(token), Some("invite")) if !token.is_empty() => {
                Ok(Self::Account(token.to_owned()))
            }
            _ => {
                let link = GroupLink::parse(text).map(Self::Group);
                link.map_err(|_| "must be an invitation to this server, or a link to join a group")
            }
        }
    }
}

/// The path of a URL, without a slash at its end.
fn path_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default().trim().trim_end_matches('/')
}

/// The link of a group, as people copy it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupLink {
    /// The group.
    pub group: GroupId,
    /// The share token.
    pub token: String,
}

impl GroupLink {
    /// Reads a link, or the end of one: `…/ID/TOKEN`.
    ///
    /// # Errors
    /// If it does not end with the id of a group and a token.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = path_of(text).rsplit('/');
        let token = parts.next().filter(|token| !token.is_empty()).map(str::to_owned);
        let group = parts.next().and_then(|group| group.parse().ok());
        let both = group.zip(token).map(|(group, token)| Self { group, token });
        both.ok_or("must be a link to join a group")
    }
}

/// Reads the body of a registration.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_registration(body: &Map<String, Value>) -> Result<Registration, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("name", UserName::parse);
    let email = fields.required("email", |text| Email::parse(&text));
    let phone = fields.parsed("phone_number", |text| Phone::parse(&text));
    let password = fields.required("password", fresh_password);
    let invite = fields.parsed("invite", |text| InviteUrl::parse(&text));
    let about = fields.parsed("about", AboutText::parse);
    let read = name.zip(email).zip(password).map(|((name, email), password)| Registration {
        device: None,
        invite,
        about,
        profile: Profile { name, email, phone, image: None, zip_code: None, guest: None },
        password,
    });
    problems.or(read)
}

/// Checks a new password outside of a request body.
///
/// # Errors
/// If the password is too short or too long.
pub fn check_new_password(password: String) -> Result<String, Problems> {
    fresh_password(password).map_err(|problem| Problems::one(format!("password {problem}")))
}

/// Checks the length of a new password, in the form that is hashed.
///
/// # Errors
/// If the password is too short or too long.
pub(super) fn fresh_password(text: String) -> Result<String, String> {
    let chars = password::opaque(&text).chars().count();
    let least = PASSWORD_CHARS.start();
    let most = PASSWORD_CHARS.end();
    if PASSWORD_CHARS.contains(&chars) {
        Ok(text)
    } else {
        Err(format!("has {chars} characters; {least} to {most} are allowed"))
    }
}

/// The parsed body of `POST /auth/login`.
#[derive(Debug)]
pub struct LogIn {
    /// The email address, as typed.
    pub email: String,
    /// The password.
    pub password: String,
    /// The secret of a trusted device.
    pub device: Option<String>,
}

/// Reads the body of a log-in: the email address, as typed, and the password.
///
/// # Errors
/// If a field is missing or is not text.
pub fn read_login(body: &Map<String, Value>) -> Result<LogIn, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let email = fields.required_text("email");
    let password = fields.required_text("password");
    let device = fields.text("device").filter(|text| !text.is_empty());
    problems.or(email.zip(password).map(|(email, password)| LogIn { email, password, device }))
}

/// A requested change of a user's profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedChange {
    /// The change, without a picture that must be fetched first.
    pub change: ProfileChange,
    /// URL of a new picture that is not on this server and must be fetched.
    pub picture: Option<String>,
    /// The password, which a new email address or phone number needs unless the log-in is fresh.
    pub password: Option<String>,
}

/// Reads the body of `users/update`. Every field is optional, and an empty text changes nothing:
/// existing clients send empty texts for the fields that a form leaves out.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_change(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<WantedChange, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let picture = fields.parsed("avatar_url", |url| read_picture(url, instance));
    let (image, picture) = match picture {
        Some(Picture::Here(image)) => (Some(image), None),
        Some(Picture::Elsewhere(url)) => (None, Some(url)),
        None => (None, None),
    };
    let change = ProfileChange {
        name: fields.parsed("name", UserName::parse),
        email: fields.parsed("email", |text| Email::parse(&text)),
        image,
        zip_code: read_zip_code(&mut fields),
        phone: read_phone(&mut fields),
    };
    let password = fields.text("password");
    problems.or(Some(WantedChange { change, picture, password }))
}

/// Reads a postal code; `null` removes it.
fn read_zip_code(fields: &mut Fields<'_>) -> Option<String> {
    if fields.is_null("zip_code") {
        return Some(String::new());
    }
    short(fields, "zip_code")
}

/// Reads a phone number; `null` removes it.
fn read_phone(fields: &mut Fields<'_>) -> Option<PhoneChange> {
    if fields.is_null("phone_number") {
        return Some(PhoneChange::Removed);
    }
    fields.parsed("phone_number", |text| Phone::parse(&text)).map(PhoneChange::To)
}

/// The place of a picture: on this server, or a URL elsewhere.
enum Picture {
    Here(ImageRef),
    Elsewhere(String),
}

fn read_picture(url: String, instance: &Instance) -> Result<Picture, TextError> {
    match own_image(&url, instance) {
        Ok(image) => Ok(Picture::Here(image)),
        Err(_) => CallbackUrl::parse(&url).map(|_| Picture::Elsewhere(url)),
    }
}

/// Reads the body of `users/sms_mode`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_sms_mode(body: &Map<String, Value>, now: Timestamp) -> Result<SmsMode, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("duration").is_none() {
        fields.wrong("duration", "is required");
    }
    let hours = fields.number("duration").and_then(|text| {
        let least = SMS_HOURS.start();
        let most = SMS_HOURS.end();
        // Some languages write every number with a decimal point.
        let text = text.trim();
        let hours: Option<u64> = text.strip_suffix(".0").unwrap_or(text).parse().ok();
        let within = hours.filter(|hours| SMS_HOURS.contains(hours));
        let problem = || format!("must be a whole number of hours from {least} to {most}");
        fields.checked("duration", within.ok_or_else(problem))
    });
    let registration_id = short(&mut fields, "registration_id");
    let until = hours.map(|hours| Timestamp::from_millis(now.millis() + hours * 3_600_000));
    problems.or(until.map(|until| SmsMode { until, registration_id }))
}

fn short(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    fields.parsed(field, |text| at_most(text, SHORT_CHARS))
}
