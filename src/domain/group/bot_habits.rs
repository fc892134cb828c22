//! How a bot takes part: the commands that it offers, whether what its listener answers is
//! said in the group, and from when on it wants to hear of nothing old.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::limits::{COMMAND_ABOUT_CHARS, COMMAND_NAME_CHARS};

/// Something that members can tell a bot to do, by writing `/` and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotCommand {
    /// Small letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for people; may be empty.
    pub about: String,
}

/// Why something is no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BotCommandError {
    /// Another name.
    #[error("must be 1 to {COMMAND_NAME_CHARS} of a to z, 0 to 9, _ and -")]
    Name,
    /// Too many words.
    #[error("has more than {COMMAND_ABOUT_CHARS} characters")]
    About,
}

impl BotCommand {
    /// Checks a name.
    ///
    /// # Errors
    /// When people could not type it after a `/`.
    pub fn name(name: String) -> Result<String, BotCommandError> {
        let fits = |sign: u8| matches!(sign, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        let is_name = (1..=COMMAND_NAME_CHARS).contains(&name.len()) && name.bytes().all(fits);
        if is_name { Ok(name) } else { Err(BotCommandError::Name) }
    }

    /// Checks what it does.
    ///
    /// # Errors
    /// When it is too long for a line.
    pub fn about(about: String) -> Result<String, BotCommandError> {
        let fits = about.chars().count() <= COMMAND_ABOUT_CHARS;
        if fits { Ok(about) } else { Err(BotCommandError::About) }
    }

    /// Whether all have different names.
    pub fn are_apart(commands: &[Self]) -> bool {
        let names: BTreeSet<&str> = commands.iter().map(|it| it.name.as_str()).collect();
        names.len() == commands.len()
    }
}

/// How a bot takes part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotHabits {
    /// What members can tell it to do.
    pub commands: Vec<BotCommand>,
    /// Whether what its listener answers is posted.
    pub post_answers: bool,
    /// What is older than so many seconds is not sent to it any more.
    pub drop_older_than: Option<u32>,
}

impl BotHabits {
    /// Whether nothing of this was said.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Whether something this old is sent no more.
    pub fn drops(&self, age_millis: u64) -> bool {
        self.drop_older_than.is_some_and(|seconds| age_millis > u64::from(seconds) * 1000)
    }
}

/// What is to be different; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HabitsChange {
    /// Other commands.
    pub commands: Option<Vec<BotCommand>>,
    /// Whether answers are posted.
    pub post_answers: Option<bool>,
    /// So many seconds; zero for no end.
    pub drop_older_than: Option<u32>,
}

impl HabitsChange {
    /// The habits after it.
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
    fn a_command_is_what_people_can_type() {
        assert_eq!(BotCommand::name("tide-2".to_owned()), Ok("tide-2".to_owned()));
        for name in ["", "Tide", "ti de", "/tide", "tidé", &"x".repeat(33)] {
            assert_eq!(BotCommand::name(name.to_owned()), Err(BotCommandError::Name), "{name}");
        }
        let command = |name: &str| BotCommand { name: name.to_owned(), about: String::new() };
        assert!(BotCommand::are_apart(&[command("a"), command("b")]));
        assert!(!BotCommand::are_apart(&[command("a"), command("a")]));
    }

    #[test]
    fn what_is_absent_stays_and_zero_is_no_end() {
        let change = HabitsChange { drop_older_than: Some(60), ..Default::default() };
        let habits = change.of(BotHabits { post_answers: true, ..Default::default() });
        assert!(habits.post_answers && habits.drops(60_001) && !habits.drops(60_000));
        let change = HabitsChange { drop_older_than: Some(0), ..Default::default() };
        assert!(!change.of(habits).drops(u64::MAX));
    }
}
