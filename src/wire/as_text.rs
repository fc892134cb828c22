//! How messages write ids that are more than a number: of an author, of whoever pinned, of all
//! who like, of a chat.

use std::fmt::Display;

use serde::{Serialize, Serializer};

use crate::domain::ids::UserId;
use crate::domain::likes::Likers;
use crate::domain::message::Author;
use crate::wire::schema::scalars::TextId;

/// Who wrote it, by their id.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn as_author<S: Serializer>(author: &&Author, out: S) -> Result<S::Ok, S::Error> {
    match author {
        Author::Member(user) | Author::Bot(user) => TextId::from(*user).serialize(out),
        Author::System => out.collect_str(author),
    }
}

/// Who pinned it; an empty text where nobody did.
pub(super) fn as_pinner<S: Serializer>(by: &Option<UserId>, out: S) -> Result<S::Ok, S::Error> {
    match by {
        Some(user) => TextId::from(*user).serialize(out),
        None => out.serialize_str(""),
    }
}

/// Who likes it.
pub(super) fn as_ids<S: Serializer>(likers: &&Likers, out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(likers.ids().map(TextId::from))
}

/// Writes a name of two ids as text.
pub(super) fn as_text<T: Display, S: Serializer>(id: &T, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(id)
}
