//! How a bot takes part in its group: the commands that it offers, whether the answers of its
//! listener are posted in the group, and after how long an event is too old to be sent to it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::limits::{COMMAND_ABOUT_CHARS, COMMAND_NAME_CHARS};
use crate::text::{LineText, TextError};

/// A command for a bot: members write `/` and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotCommand {
    /// 1 to [`COMMAND_NAME_CHARS`] small letters, digits, `_` and `-`.
    pub name: String,
    /// Description of the command for people; may be empty.
    pub about: String,
}

/// Why a command is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BotCommandError {
    /// The name is empty, too long or has other characters.
    #[error("must be 1 to {COMMAND_NAME_CHARS} of a to z, 0 to 9, _ and -")]
    Name,
    /// The description is too long.
    #[error("has more than {COMMAND_ABOUT_CHARS} characters")]
    TooLong,
    /// The description is not one visible line.
    #[error(transparent)]
    Line(#[from] TextError),
}

impl BotCommand {
    /// Checks the name of a command.
    ///
    /// # Errors
    /// If the name is empty, too long or has characters other than small letters, digits, `_` and
    /// `-`.
    pub fn name(name: String) -> Result<String, BotCommandError> {
        let fits = |sign: u8| matches!(sign, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        let is_name = (1..=COMMAND_NAME_CHARS).contains(&name.len()) && name.bytes().all(fits);
        if is_name { Ok(name) } else { Err(BotCommandError::Name) }
    }

    /// Checks the description of a command.
    ///
    /// # Errors
    /// If the description is too long, or has characters but is not one visible line.
    pub fn about(about: String) -> Result<String, BotCommandError> {
        match LineText::parse_or_empty(about, COMMAND_ABOUT_CHARS) {
            Err(TextError::TooLong { .. }) => Err(BotCommandError::TooLong),
            checked => Ok(checked?),
        }
    }

    /// Whether all commands have different names.
    pub fn have_distinct_names(commands: &[Self]) -> bool {
        let names: BTreeSet<&str> = commands.iter().map(|it| it.name.as_str()).collect();
        names.len() == commands.len()
    }
}

/// How a bot takes part in its group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotHabits {
    /// The commands that members can give it.
    pub commands: Vec<BotCommand>,
    /// Whether the answers of its listener are posted in the group.
    pub post_answers: bool,
    /// The age in seconds above which an event is not sent to it any more; `None` means no limit.
    pub drop_older_than: Option<u32>,
}

impl BotHabits {
    /// Whether these are the default habits.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an event of this age is too old to be sent.
    pub fn is_too_old(&self, age_millis: u64) -> bool {
        self.drop_older_than.is_some_and(|seconds| age_millis > u64::from(seconds) * 1000)
    }
}

/// Changes of a bot's habits; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HabitsChange {
    /// The new commands, in place of all earlier ones.
    pub commands: Option<Vec<BotCommand>>,
    /// Whether the answers of its listener are posted in the group.
    pub post_answers: Option<bool>,
    /// The new age limit in seconds; zero means no limit.
    pub drop_older_than: Option<u32>,
}

impl HabitsChange {
    /// The habits after the change.
    #[must_use]
    pub fn of(self, before: BotHabits) -> BotHabits {
        let dropped = self.drop_older_than.map(|seconds| Some(seconds).filter(|it| *it > 0));
        BotHabits {
            commands: self.commands.unwrap_or(before.commands),
            post_answers: self.post_answers.unwrap_or(before.post_answers),
            drop_older_than: dropped.unwrap_or(before.drop_older_than),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_names_are_typeable() {
        assert_eq!(BotCommand::name("tide-2".to_owned()), Ok("tide-2".to_owned()));
        for name in ["", "Tide", "ti de", "/tide", "tidé", &"x".repeat(33)] {
            assert_eq!(BotCommand::name(name.to_owned()), Err(BotCommandError::Name), "{name}");
        }
        let command = |name: &str| BotCommand { name: name.to_owned(), about: String::new() };
        assert!(BotCommand::have_distinct_names(&[command("a"), command("b")]));
        assert!(!BotCommand::have_distinct_names(&[command("a"), command("a")]));
    }

    #[test]
    fn absent_habit_stays_and_zero_removes_age_limit() {
        let change = HabitsChange { drop_older_than: Some(60), ..Default::default() };
        let habits = change.of(BotHabits { post_answers: true, ..Default::default() });
        assert!(habits.post_answers && habits.is_too_old(60_001) && !habits.is_too_old(60_000));
        let change = HabitsChange { drop_older_than: Some(0), ..Default::default() };
        assert!(!change.of(habits).is_too_old(u64::MAX));
    }
}
