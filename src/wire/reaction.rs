//! Reactions in JSON: the users who like a message, grouped by the emoji or picture they chose.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::ids::UserId;
use crate::domain::likes::Likers;
use crate::domain::reaction::Reaction;
use crate::wire::fields::{Fields, Problems};
use crate::wire::schema::scalars::TextId;

/// A reaction to a message, and the users who gave it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schemars(rename = "Reaction")]
pub enum ReactionResource<'a> {
    /// An emoji.
    Unicode {
        /// The emoji.
        code: &'a str,
        /// Ids of the users who gave the reaction, the earliest first.
        user_ids: Vec<TextId>,
    },
    /// A picture of a pack that clients know.
    Emoji {
        /// Id of the picture pack.
        pack_id: i64,
        /// Index of the picture in its pack.
        pack_index: i64,
        /// Ids of the users who gave the reaction, the earliest first.
        user_ids: Vec<TextId>,
    },
}

/// The response to liking a message and to withdrawing a like.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Liked<'a> {
    /// The users who like the message afterwards, grouped by reaction.
    reactions: Vec<ReactionResource<'a>>,
}

impl<'a> Liked<'a> {
    /// Builds the response from the users who like the message.
    pub fn of(likers: &'a Likers) -> Self {
        Self { reactions: resource(likers) }
    }
}

/// Groups the users who like a message by reaction.
pub fn resource(likers: &Likers) -> Vec<ReactionResource<'_>> {
    likers.by_reaction().into_iter().map(|(reaction, users)| one(reaction, users)).collect()
}

/// Builds the JSON of one reaction.
pub fn one(reaction: &Reaction, users: Vec<UserId>) -> ReactionResource<'_> {
    let user_ids = users.into_iter().map(TextId::from).collect();
    match reaction {
        Reaction::Unicode { code } => ReactionResource::Unicode { code, user_ids },
        Reaction::Picture { pack_id, pack_index } => {
            let (pack_id, pack_index) = (*pack_id, *pack_index);
            ReactionResource::Emoji { pack_id, pack_index, user_ids }
        }
    }
}

/// Reads the body of a like: `{"like_icon": {…}}`; without it, the reaction is the heart.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read(body: &Map<String, Value>) -> Result<Reaction, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let read = match top.value("like_icon") {
        Some(_) => top.object("like_icon").and_then(|mut icon| read_icon(&mut icon)),
        None => Some(Reaction::default()),
    };
    problems.or(read)
}

fn read_icon(icon: &mut Fields<'_>) -> Option<Reaction> {
    match icon.required_text("type")?.as_str() {
        "unicode" => icon.required("code", |code| Reaction::emoji(&code)),
        "emoji" => {
            let pack_id = whole(icon, "pack_id");
            let pack_index = whole(icon, "pack_index");
            Some(Reaction::Picture { pack_id: pack_id?, pack_index: pack_index? })
        }
        _ => {
            icon.wrong("type", "must be unicode or emoji");
            None
        }
    }
}

fn whole(icon: &mut Fields<'_>, field: &str) -> Option<i64> {
    if icon.value(field).is_none() {
        icon.wrong(field, "is required");
        return None;
    }
    let number = icon.number(field)?;
    icon.checked(field, number.trim().parse().map_err(|_| "must be a whole number"))
}
