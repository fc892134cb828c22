//! Users and accounts in JSON.

use serde_json::{Map, Value, json};

use crate::domain::ids::UserId;
use crate::domain::limits::PASSWORD_CHARS;
use crate::domain::text::{Email, Phone, UserName};
use crate::domain::time::Timestamp;
use crate::domain::user::Profile;
use crate::wire::fields::{Fields, Problems};
use crate::wire::site::Site;

/// A user as they see themselves (specification, section 2).
pub fn shown(
    id: UserId,
    profile: &Profile,
    created_at: Timestamp,
    updated_at: Timestamp,
    site: &Site,
) -> Value {
    json!({
        "id": id.to_string(),
        "user_id": id.to_string(),
        "phone_number": profile.phone.as_ref().map(Phone::as_str),
        "image_url": profile.image.as_ref().map(|image| site.image_url(image)),
        "name": profile.name,
        "created_at": created_at.seconds(),
        "updated_at": updated_at.seconds(),
        "email": profile.email.as_str(),
        "sms": false,
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
    let password = fields.required("password", |text| {
        let chars = text.chars().count();
        let (least, most) = (PASSWORD_CHARS.start(), PASSWORD_CHARS.end());
        if PASSWORD_CHARS.contains(&chars) {
            Ok(text)
        } else {
            Err(format!("has {chars} characters; {least} to {most} are allowed"))
        }
    });
    let read = name.zip(email).zip(password).map(|((name, email), password)| Registration {
        profile: Profile { name, email, phone, image: None, zip_code: None },
        password,
    });
    problems.or(read)
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
