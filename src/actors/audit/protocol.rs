//! What the room of the audit log can be asked. Whoever has something to tell operators
//! that is no fact of another room asks [`Note`] through `Directory::audit`.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Question, Travel};
use crate::domain::audit::{Address, AuditFact};
use crate::domain::ids::UserId;
use crate::domain::text::Email;

/// Writes a fact down. Asked by whoever just did what it tells; the answer is durable.
#[derive(Debug, Serialize, Deserialize)]
pub struct Note(pub AuditFact);

impl Question for Note {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("Note"));
}

/// Writes a failed log-in down, unless there were too many of them lately. Asked by
/// `http::auth::login`.
#[derive(Debug, Serialize, Deserialize)]
pub struct NoteFailure {
    /// Whose account it was about, if there is one.
    pub user: Option<UserId>,
    /// What was typed as the email address, if it has the form of one.
    pub email: Option<Email>,
    /// From where.
    pub from: Option<Address>,
}

impl Question for NoteFailure {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("NoteFailure"));
}
