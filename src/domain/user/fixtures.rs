//! A user for tests of the rules.

use crate::ids::{TokenId, UserId};
use crate::text::{Email, UserName};
use crate::time::Timestamp;
use crate::user::{Profile, TokenHash, TokenRecord, User, UserFact};

/// Ana, user 1, registered at `at`, with an empty password hash.
pub(super) fn ana_since(at: Timestamp) -> User {
    let profile = Profile {
        name: UserName::parse("Ana".to_owned()).unwrap(),
        email: Email::parse("ana@example.org").unwrap(),
        phone: None,
        image: None,
        zip_code: None,
        guest: None,
    };
    User::registered(UserId::new(1), profile, String::new(), at)
}

/// Ana, registered at the beginning of time, with token 7.
pub(super) fn ana_with_token() -> User {
    let at = Timestamp::from_millis(0);
    let mut ana = ana_since(at);
    let token = TokenRecord {
        id: TokenId::new(7),
        hash: TokenHash::new([7; 32]),
        application: None,
        created_at: at,
        expires_at: None,
        client: None,
        last_used_at: None,
        device: None,
        scopes: None,
    };
    ana.apply(at, &UserFact::TokenIssued(token));
    ana
}
