//! The questions to the room of the audit log. What operators should learn, and no fact of another
//! room tells, is sent as [`Note`] through `Directory::audit`.

use std::convert::Infallible;

use crate::ask::Question;
use domain::audit::{Address, AuditFact};
use domain::ids::UserId;
use domain::text::Email;

/// Records a fact. Sent by the code that did what the fact tells; answered once the fact is
/// durable.
#[derive(Debug)]
pub struct Note(pub AuditFact);

impl Question for Note {
    type Answer = ();
    type Refusal = Infallible;
    const DECIDES: bool = true;
}

/// Records a failed log-in, unless there were too many lately. Sent by `http::audit`.
#[derive(Debug)]
pub struct NoteFailure {
    /// The user whose account it was; `None` if there is none.
    pub user: Option<UserId>,
    /// The email address that was typed, if it has the form of one.
    pub email: Option<Email>,
    /// The network address of the client.
    pub from: Option<Address>,
}

impl Question for NoteFailure {
    type Answer = ();
    type Refusal = Infallible;
    const DECIDES: bool = true;
}
