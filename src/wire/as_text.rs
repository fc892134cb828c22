//! Serializers for ids in messages that are not plain numbers: the author, the user who pinned, the
//! users who like, the pair of a chat.

use std::fmt::Display;

use serde::{Serialize, Serializer};

use crate::domain::ids::UserId;
use crate::domain::message::Author;
use crate::wire::reaction::ShownLikers;
use crate::wire::schema::scalars::TextId;

/// Writes the author of a message: the id of the user or bot, or `system`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn as_author<S: Serializer>(author: &&Author, out: S) -> Result<S::Ok, S::Error> {
    match author {
        Author::Member(user) | Author::Bot(user) => TextId::from(*user).serialize(out),
        Author::System => out.collect_str(author),
    }
}

/// Writes the id of the user who pinned a message; an empty string if it is not pinned.
pub(super) fn as_pinner<S: Serializer>(by: &Option<UserId>, out: S) -> Result<S::Ok, S::Error> {
    match by {
        Some(user) => TextId::from(*user).serialize(out),
        None => out.serialize_str(""),
    }
}

/// Writes the ids of the users who like a message, as far as they are named.
pub(super) fn as_ids<S: Serializer>(likers: &ShownLikers<'_>, out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(likers.named().ids().map(TextId::from))
}

/// Writes an id that consists of two ids, such as that of a chat, in its text form.
pub(super) fn as_text<T: Display, S: Serializer>(id: &T, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(id)
}
