//! What a user's room can be asked: who asks, what comes back, what is promised.

use std::sync::Arc;

use crate::actors::ask::Question;
use crate::domain::ids::TokenId;
use crate::domain::user::{
    LogoutRefusal, Profile, ProfileChange, SmsMode, TokenHash, TokenRecord, User,
};

/// Why a user's room does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UserRefusal {
    /// No such account.
    #[error("there is no such user")]
    Unknown,
}

/// Makes the account exist, with its first token. Asked by `http::auth::register` of a
/// room with a fresh id, while it holds the names.
#[derive(Debug)]
pub struct Register {
    /// Who they say they are.
    pub profile: Profile,
    /// Argon2id in PHC form.
    pub password: String,
    /// The first token.
    pub token: TokenRecord,
}

impl Question for Register {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Shows the account to its owner. Asked by `http::users::me`.
#[derive(Debug)]
pub struct ViewUser;

impl Question for ViewUser {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Makes a token work. Asked by `http::auth::login`, after the password was checked.
#[derive(Debug)]
pub struct IssueToken {
    /// What is kept of it.
    pub token: TokenRecord,
}

impl Question for IssueToken {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Ends a token. Asked by `http::auth::logout`; answers with its hash, for the cache.
#[derive(Debug)]
pub struct RevokeToken {
    /// Which.
    pub id: TokenId,
}

impl Question for RevokeToken {
    type Answer = TokenHash;
    type Refusal = LogoutRefusal;
}

/// Changes the profile. Asked by `http::users::update`, which holds a new email address
/// while it does; answers with the account, which is on disk by then.
#[derive(Debug)]
pub struct ChangeProfile {
    /// What is to change.
    pub change: ProfileChange,
}

impl Question for ChangeProfile {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Switches SMS mode on or off. Asked by `http::users`.
#[derive(Debug)]
pub struct SetSmsMode {
    /// On like this, or off.
    pub mode: Option<SmsMode>,
}

impl Question for SetSmsMode {
    type Answer = ();
    type Refusal = UserRefusal;
}
