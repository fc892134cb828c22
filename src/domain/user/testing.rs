//! A user for tests of the rules.

use crate::ids::UserId;
use crate::text::{Email, UserName};
use crate::time::Timestamp;
use crate::user::{Profile, User};

/// Ana, user 1, registered at `at`, with an empty password hash.
pub(super) fn ana_since(at: Timestamp) -> User {
    let profile = Profile {
        name: UserName::parse("Ana".to_owned()).unwrap(),
        email: Email::parse("ana@example.org").unwrap(),
        phone: None,
        image: None,
        zip_code: None,
    };
    User::registered(UserId::new(1), profile, String::new(), at)
}
