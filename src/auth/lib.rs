//! Authentication: passwords, tokens, look-ups of people, throttles. Reads the index; changes to an
//! account are decided by the user's room.

pub mod access_token;
pub mod accounts;
pub mod bots;
pub mod browser_sessions;
pub mod codes;
pub mod deleted_words;
pub mod first_answers;
pub mod keyring;
pub mod logging_in;
pub mod oidc;
pub mod operators;
pub mod passkeys;
pub mod password;
pub mod scim;
pub mod seal;
pub mod secrets;
pub mod setup;
pub mod throttle;
pub mod totp;
pub mod unsubscribe;
pub mod write_budgets;
