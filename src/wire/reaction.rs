//! Reactions in JSON: the users who like a message, grouped by the emoji or picture they chose.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::schema::scalars::TextId;
use domain::ids::UserId;
use domain::likes::{LikeTally, Likers, ToldLikers};
use domain::reaction::Reaction;

/// A reaction to a message, and the users who gave it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schemars(rename = "Reaction")]
pub enum ReactionResource<'a> {
    /// An emoji.
    Unicode {
        /// The emoji.
        code: &'a str,
        /// Ids of the users who gave the reaction, the earliest first. Empty in events about a
        /// message that more than 100 users like, and in the response to a like of it.
        user_ids: Vec<TextId>,
        /// Number of these users; only there.
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<usize>,
    },
    /// A picture of a pack that clients know.
    Emoji {
        /// Id of the picture pack.
        pack_id: i64,
        /// Index of the picture in its pack.
        pack_index: i64,
        /// Ids of the users who gave the reaction, the earliest first. Empty in events about a
        /// message that more than 100 users like, and in the response to a like of it.
        user_ids: Vec<TextId>,
        /// Number of these users; only there.
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<usize>,
    },
}

/// The sign of a like, in the form in which requests name it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schemars(inline)]
pub enum LikeIcon<'a> {
    /// An emoji.
    Unicode {
        /// The emoji.
        code: &'a str,
    },
    /// A picture of a pack that clients know.
    Emoji {
        /// Id of the picture pack.
        pack_id: i64,
        /// Index of the picture in its pack.
        pack_index: i64,
    },
}

impl<'a> From<&'a Reaction> for LikeIcon<'a> {
    fn from(reaction: &'a Reaction) -> Self {
        match reaction {
            Reaction::Unicode { code } => Self::Unicode { code },
            Reaction::Picture { pack_id, pack_index } => {
                Self::Emoji { pack_id: *pack_id, pack_index: *pack_index }
            }
        }
    }
}

/// The users who like a message, as far as JSON shows them: responses name all of them, events
/// count them if they are many.
#[derive(Debug, Clone, Copy)]
pub enum ShownLikers<'a> {
    /// All users.
    Named(&'a Likers),
    /// The number of users.
    Counted(&'a LikeTally),
}

impl<'a> From<&'a Likers> for ShownLikers<'a> {
    fn from(likers: &'a Likers) -> Self {
        Self::Named(likers)
    }
}

impl<'a> From<&'a ToldLikers> for ShownLikers<'a> {
    fn from(told: &'a ToldLikers) -> Self {
        match told {
            ToldLikers::Named(likers) => Self::Named(likers),
            ToldLikers::Counted(tally) => Self::Counted(tally),
        }
    }
}

impl<'a> ShownLikers<'a> {
    /// The users whom an event shows; nobody if it shows none.
    pub fn of(told: Option<&'a ToldLikers>) -> Self {
        told.map_or(Self::Named(Likers::NOBODY), Self::from)
    }

    /// The users who are named; nobody if they are counted.
    pub const fn named(self) -> &'a Likers {
        match self {
            Self::Named(likers) => likers,
            Self::Counted(_) => Likers::NOBODY,
        }
    }

    /// The number of users, if they are counted.
    pub const fn count(self) -> Option<usize> {
        match self {
            Self::Named(_) => None,
            Self::Counted(tally) => Some(tally.count),
        }
    }

    /// Groups the users by reaction.
    pub fn reactions(self) -> Vec<ReactionResource<'a>> {
        match self {
            Self::Named(likers) => resource(likers),
            Self::Counted(tally) => {
                let all = tally.reactions.iter();
                all.map(|(reaction, count)| one(reaction, Vec::new(), Some(*count))).collect()
            }
        }
    }

    /// The users who gave one reaction.
    pub fn with(self, reaction: &'a Reaction) -> ReactionResource<'a> {
        let known = |tally: &LikeTally| {
            let found = tally.reactions.iter().find(|(known, _)| known == reaction);
            found.map(|(_, count)| *count)
        };
        match self {
            Self::Named(likers) => one(reaction, likers.with(reaction).collect(), None),
            Self::Counted(tally) => one(reaction, Vec::new(), known(tally)),
        }
    }
}

/// The response to liking a message and to withdrawing a like.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Liked<'a> {
    /// The users who like the message afterwards, grouped by reaction. If they are more than 100,
    /// only their numbers, as in events; the message itself names all of them.
    reactions: Vec<ReactionResource<'a>>,
}

impl<'a> Liked<'a> {
    /// Builds the response from the users who like the message.
    pub fn of(told: &'a ToldLikers) -> Self {
        Self { reactions: ShownLikers::from(told).reactions() }
    }
}

fn resource(likers: &Likers) -> Vec<ReactionResource<'_>> {
    likers.by_reaction().into_iter().map(|(reaction, users)| one(reaction, users, None)).collect()
}

/// Builds the JSON of one reaction.
fn one(reaction: &Reaction, users: Vec<UserId>, count: Option<usize>) -> ReactionResource<'_> {
    let user_ids = users.into_iter().map(TextId::from).collect();
    match reaction {
        Reaction::Unicode { code } => ReactionResource::Unicode { code, user_ids, count },
        Reaction::Picture { pack_id, pack_index } => {
            let pack_id = *pack_id;
            let pack_index = *pack_index;
            ReactionResource::Emoji { pack_id, pack_index, user_ids, count }
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
