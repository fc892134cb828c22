//! Reactions: the sign that a like gives to a message.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The sign of a like that names none.
pub const HEART: &str = "❤️";

/// All emoji, one per line, after header lines that begin with `# `.
const EMOJI: &str = include_str!("emoji.txt");
/// The characters of an emoji without the selectors that ask for a picture or for plain text. Not
/// every client sends them.
fn plain(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|character| !matches!(character, '\u{fe0e}' | '\u{fe0f}'))
}

/// The sign of a like.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reaction {
    /// One emoji, in the form that Unicode recommends for general interchange.
    Unicode {
        /// The characters of the emoji.
        code: String,
    },
    /// A picture of a pack that clients know; the server does not know the packs.
    Picture {
        /// The number of the pack.
        pack_id: i64,
        /// The index of the picture in the pack.
        pack_index: i64,
    },
}

impl Default for Reaction {
    fn default() -> Self {
        Self::Unicode { code: HEART.to_owned() }
    }
}

impl fmt::Display for Reaction {
    /// Writes the sign as it appears in a sentence.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unicode { code } => out.write_str(code),
            Self::Picture { .. } => out.write_str("a picture"),
        }
    }
}

/// The text is not exactly one emoji.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be exactly one emoji")]
pub struct NotAnEmoji;

impl Reaction {
    /// Parses one emoji: a sequence that Unicode recommends for general interchange, with any or no
    /// variation selectors.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn emoji(text: &str) -> Result<Self, NotAnEmoji> {
        // Searching four thousand short lines takes a few microseconds, so no table is kept.
        let is_it = |known: &&str| plain(known).eq(plain(text));
        let known = EMOJI.lines().filter(|line| !line.starts_with("# ")).find(is_it);
        let known = known.filter(|_| !text.is_empty()).ok_or(NotAnEmoji)?;
        Ok(Self::Unicode { code: known.to_owned() })
    }

    /// Whether it is the sign of a like that names none.
    pub fn is_heart(&self) -> bool {
        matches!(self, Self::Unicode { code } if code == HEART)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<String> {
        let Ok(Reaction::Unicode { code }) = Reaction::emoji(text) else { return None };
        Some(code)
    }

    #[test]
    fn one_emoji_is_a_reaction_and_nothing_else_is() {
        for one in ["🔥", "👍🏽", "🇨🇭", "👩‍🚀", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣"]
        {
            assert_eq!(code(one).as_deref(), Some(one), "{one}");
        }
        for other in ["", "a", "1", "🔥🔥", "🔥 ", "fire", "\u{200d}", "🏽👍", "<b>"] {
            assert_eq!(code(other), None, "{other}");
        }
    }

    #[test]
    fn every_emoji_is_known_with_each_selector() {
        for known in EMOJI.lines().filter(|line| !line.starts_with("# ")) {
            let bare: String = plain(known).collect();
            let mut signs = bare.chars();
            let first = signs.next().unwrap();
            let rest = signs.as_str();
            for form in [bare.clone(), format!("{first}\u{fe0e}{rest}"), format!("{bare}\u{fe0f}")]
            {
                assert_eq!(code(&form).as_deref(), Some(known), "{form:?}");
            }
        }
        for other in ["\u{fe0e}", "\u{fe0f}\u{fe0f}"] {
            assert_eq!(code(other), None, "{other:?}");
        }
    }

    #[test]
    fn the_heart_is_one_in_every_form() {
        for heart in ["\u{2764}", "\u{2764}\u{fe0e}", "\u{2764}\u{fe0f}"] {
            assert_eq!(code(heart).as_deref(), Some(HEART), "{heart:?}");
        }
        assert!(Reaction::emoji(HEART).unwrap().is_heart() && Reaction::default().is_heart());
    }
}
