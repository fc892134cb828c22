//! Users and accounts in JSON.

use serde_json::{Map, Value, json};

use crate::domain::attachment::ImageRef;
use crate::domain::ids::UserId;
use crate::domain::limits::{PASSWORD_CHARS, SHORT_CHARS, SMS_HOURS};
use crate::domain::text::{CallbackUrl, Email, Phone, TextError, UserName, at_most};
use crate::domain::time::Timestamp;
use crate::domain::user::{Profile, ProfileChange, SmsMode, User};
use crate::wire::attachment::own_image;
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;

/// A user as they see themselves (specification, section 2).
pub fn shown(user: &User, now: Timestamp, instance: &Instance) -> Value {
    let mut shown = account(user.id, &user.profile, user.updated_at, instance);
    shown["created_at"] = json!(user.created_at.seconds());
    shown["sms"] = json!(user.is_in_sms_mode(now));
    shown
}

/// What of a user follows from their profile alone.
pub fn account(id: UserId, profile: &Profile, updated_at: Timestamp, instance: &Instance) -> Value {
    json!({
        "id": id.to_string(),
        "user_id": id.to_string(),
        "phone_number": profile.phone.as_ref().map(Phone::as_str),
        "image_url": profile.image.as_ref().map(|image| instance.image_url(image)),
        "name": profile.name,
        "updated_at": updated_at.seconds(),
        "email": profile.email.as_str(),
        "zip_code": profile.zip_code,
    })
}

/// What registration needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Who they say they are.
    pub profile: Profile,
    /// In clear, for as long as it takes to hash it.
    pub password: String,
}

/// Reads the body of a registration.
///
/// # Errors
/// With every problem at once.
pub fn read_registration(body: &Map<String, Value>) -> Result<Registration, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("name", UserName::parse);
    let email = fields.required("email", |text| Email::parse(&text));
    let phone = fields.parsed("phone_number", |text| Phone::parse(&text));
    let password = fields.required("password", fresh_password);
    let read = name.zip(email).zip(password).map(|((name, email), password)| Registration {
        profile: Profile { name, email, phone, image: None, zip_code: None },
        password,
    });
    problems.or(read)
}

/// Takes a new password by itself.
///
/// # Errors
/// When it is too short or too long.
pub fn read_password(password: String) -> Result<String, Problems> {
    fresh_password(password).map_err(|problem| Problems::one(format!("password {problem}")))
}

/// A password that somebody chooses.
///
/// # Errors
/// When it is too short or too long.
pub(super) fn fresh_password(text: String) -> Result<String, String> {
    let chars = text.chars().count();
    let (least, most) = (PASSWORD_CHARS.start(), PASSWORD_CHARS.end());
    if PASSWORD_CHARS.contains(&chars) {
        Ok(text)
    } else {
        Err(format!("has {chars} characters; {least} to {most} are allowed"))
    }
}

/// Reads the body of a log-in: email as typed, and password.
///
/// # Errors
/// With every problem at once.
pub fn read_login(body: &Map<String, Value>) -> Result<(String, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let email = fields.required_text("email");
    let password = fields.required_text("password");
    problems.or(email.zip(password))
}

/// What a user wants changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedChange {
    /// As far as it can be done at once.
    pub change: ProfileChange,
    /// Where the new picture lies, if it lies elsewhere.
    pub picture: Option<String>,
}

/// Reads the body of `users/update`; every field may be absent.
///
/// # Errors
/// With every problem at once.
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
        zip_code: short(&mut fields, "zip_code"),
    };
    problems.or(Some(WantedChange { change, picture }))
}

/// Where a picture lies.
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
/// With every problem at once.
pub fn read_sms_mode(body: &Map<String, Value>, now: Timestamp) -> Result<SmsMode, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("duration").is_none() {
        fields.wrong("duration", "is required");
    }
    let hours = fields.number("duration").and_then(|text| {
        let (least, most) = (SMS_HOURS.start(), SMS_HOURS.end());
        // Some languages write every number with a point.
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
