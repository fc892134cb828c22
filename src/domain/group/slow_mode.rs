//! Slow mode: a plain member, together with the bots that they made, waits between two posts. Only
//! posts since the last change of slow mode count, so that the log alone decides.

use std::collections::BTreeMap;

use crate::group::{Bot, Denied, Group, Member, Role};
use crate::ids::{BotId, UserId};
use crate::message::{Author, Message, SystemMessage};
use crate::time::Timestamp;

/// Users above which the last posts that are too old to matter are dropped.
const MANY: usize = 1024;

/// The last post of each user who posted, by themselves or by a bot, since slow mode changed; empty
/// while it is off.
#[derive(Debug, Clone, Default)]
pub struct LastPosts {
    by_user: BTreeMap<UserId, Timestamp>,
}

/// The last posts, read from the newest message backwards.
#[derive(Debug)]
pub struct LastPostsFromLog<'a> {
    last_posts: LastPosts,
    bots: &'a BTreeMap<BotId, Bot>,
    is_complete: bool,
}

impl<'a> LastPostsFromLog<'a> {
    /// Begins with the newest message; `bots` are those of the group.
    pub fn of(bots: &'a BTreeMap<BotId, Bot>) -> Self {
        Self { last_posts: LastPosts::default(), bots, is_complete: false }
    }

    /// Adds the message before those that were added.
    pub fn add(&mut self, message: &Message, at: Timestamp) {
        self.is_complete |= matches!(message.line, Some(SystemMessage::SlowModeChanged { .. }));
        if self.is_complete {
            return;
        }
        if let Some(user) = person_behind(&message.author, self.bots) {
            self.last_posts.by_user.entry(user).or_insert(at);
        }
    }

    /// The result.
    pub fn finish(self) -> LastPosts {
        self.last_posts
    }
}

/// The user behind an author: the user, or the maker of the bot.
fn person_behind(author: &Author, bots: &BTreeMap<BotId, Bot>) -> Option<UserId> {
    match author {
        Author::Member(user) => Some(*user),
        Author::Bot(number) => {
            bots.values().find(|bot| bot.number == *number).map(|bot| bot.creator)
        }
        Author::System => None,
    }
}

impl Group {
    /// Refuses a post of a plain member, or of their bot, that follows the last one too soon.
    ///
    /// # Errors
    /// If slow mode is on and the member has to wait.
    pub(super) fn keep_pace(&self, member: &Member, now: Timestamp) -> Result<(), Denied> {
        let pause = u64::from(self.settings.slow_mode) * 1000;
        if pause == 0 || member.role != Role::Member {
            return Ok(());
        }
        let Some(last) = self.last_posts.by_user.get(&member.user_id) else { return Ok(()) };
        let wait_millis = last.plus_millis(pause).millis_since(now);
        if wait_millis == 0 { Ok(()) } else { Err(Denied::TooSoon { wait_millis }) }
    }

    /// The user who wrote a message, or who made the bot that did; `None` for the server and for
    /// bots that are gone.
    pub(super) fn person_behind(&self, author: &Author) -> Option<UserId> {
        person_behind(author, &self.bots)
    }

    /// Notes when somebody posted, while slow mode is on.
    pub(super) fn note_last_post(&mut self, message: &Message, at: Timestamp) {
        let pause = u64::from(self.settings.slow_mode) * 1000;
        if pause == 0 {
            return;
        }
        let Some(user) = self.person_behind(&message.author) else { return };
        let last_posts = &mut self.last_posts.by_user;
        if last_posts.len() >= MANY {
            last_posts.retain(|_, last| last.plus_millis(pause) > at);
        }
        last_posts.insert(user, at);
    }
}

/// The text of the system message about a change of slow mode.
pub(super) fn slow_mode_line(name: &str, seconds: u32) -> String {
    match seconds {
        0 => format!("{name} switched slow mode off."),
        _ => format!("{name} set slow mode to {}.", duration(seconds)),
    }
}

/// A time in words, in the largest unit that has no rest.
fn duration(seconds: u32) -> String {
    let (count, unit) = match seconds {
        _ if seconds.is_multiple_of(3600) => (seconds / 3600, "hour"),
        _ if seconds.is_multiple_of(60) => (seconds / 60, "minute"),
        _ => (seconds, "second"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, Table};
    use crate::group::{GroupFact, Maker, SettingsChange};
    use std::sync::Arc;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

    /// A group in slow mode.
    fn slow(seconds: u32) -> Table {
        let mut table = Table::of_two();
        sets(&mut table, seconds);
        table
    }

    fn sets(table: &mut Table, seconds: u32) {
        let change = SettingsChange { slow_mode: Some(seconds), ..SettingsChange::default() };
        table.does(|group, now, ids| group.change(ANA, change, now, ids)).unwrap();
    }

    /// A message of this author, applied to the group.
    fn posts(table: &mut Table, author: Author) -> Message {
        let count = table.group.count + 1;
        let message = Message { author, ..Message::silent(count, count) };
        let now = crate::time::Moment { wall: NOW, mono: crate::time::Monotonic::from_millis(0) };
        table.group.apply(NOW, &GroupFact::Posted(Arc::new(message.clone())), now);
        message
    }

    fn wait(table: &Table, user: UserId, at: Timestamp) -> u64 {
        match table.group.keep_pace(&table.group.members[&user], at) {
            Ok(()) => 0,
            Err(Denied::TooSoon { wait_millis }) => wait_millis,
            Err(denied) => panic!("{denied}"),
        }
    }

    #[test]
    fn plain_member_waits_and_an_admin_does_not() {
        let mut table = slow(30);
        for user in [ANA, BEN] {
            posts(&mut table, Author::Member(user));
        }
        assert_eq!((wait(&table, ANA, NOW), wait(&table, BEN, NOW)), (0, 30_000));
        assert_eq!(wait(&table, BEN, NOW.plus_millis(29_999)), 1);
        assert_eq!(wait(&table, BEN, NOW.plus_millis(30_000)), 0);
        table.promote(BEN);
        assert_eq!(wait(&table, BEN, NOW), 0);
    }

    #[test]
    fn posts_before_a_change_of_slow_mode_do_not_count() {
        let mut table = slow(30);
        posts(&mut table, Author::Member(BEN));
        sets(&mut table, 60);
        assert_eq!(wait(&table, BEN, NOW), 0);
    }

    #[test]
    fn log_gives_the_last_posts_of_the_room() {
        let mut table = slow(30);
        let bot = table.adds_bot(Maker { user: BEN, client: None }, None);
        let messages =
            [posts(&mut table, Author::Bot(bot.number)), posts(&mut table, Author::Member(ANA))];
        let mut last_posts = LastPostsFromLog::of(&table.group.bots);
        let line =
            SystemMessage::SlowModeChanged { user: table.group.members[&ANA].named(), seconds: 30 };
        let line = Message { line: Some(line), ..messages[0].clone() };
        let old = Message { author: Author::Member(UserId::new(99)), ..messages[0].clone() };
        for message in messages.iter().rev().chain([&line, &old]) {
            last_posts.add(message, NOW);
        }
        assert_eq!(last_posts.finish().by_user, table.group.last_posts.by_user);
        assert_eq!(wait(&table, BEN, NOW), 30_000);
    }

    #[test]
    fn old_posts_are_dropped_where_there_are_many() {
        let mut table = slow(30);
        for user in 0..MANY as u64 {
            posts(&mut table, Author::Member(UserId::new(100 + user)));
        }
        let long_ago = Timestamp::from_seconds(1);
        table.group.last_posts.by_user.values_mut().for_each(|last| *last = long_ago);
        posts(&mut table, Author::Member(BEN));
        assert_eq!(table.group.last_posts.by_user, BTreeMap::from([(BEN, NOW)]));
    }

    #[test]
    fn words_use_the_largest_unit() {
        let words = [1, 45, 60, 90, 300, 3600, 21_600].map(duration);
        let expected =
            ["1 second", "45 seconds", "1 minute", "90 seconds", "5 minutes", "1 hour", "6 hours"];
        assert_eq!(words, expected);
    }
}
