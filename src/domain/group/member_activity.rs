//! What members did lately, as far as rules count it: posts, and when they joined.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::canonical::folds::comparable;
use crate::group::{Group, NewcomerSpan, RuleKind, Rules};
use crate::ids::UserId;
use crate::limits::{NEWCOMER_HOURS, RULE_LOG_MESSAGES};
use crate::message::{Author, Message, SystemMessage};
use crate::named::NamedUser;
use crate::time::Timestamp;

/// Members above which those are dropped whose posts are too old to count.
const MANY: usize = 4096;

/// What rules count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counted {
    /// Milliseconds for which posts count; 0 if none do.
    post_millis: u64,
    /// Posts of one member that count, at most.
    posts: usize,
    /// Whether joining counts.
    joins: bool,
}

impl Counted {
    fn of(rules: &Rules) -> Self {
        let mut counted = Self::default();
        for rule in rules.values().filter(|rule| rule.content.enabled) {
            match &rule.content.kind {
                RuleKind::Repeat(pace) | RuleKind::Flood(pace) => {
                    let millis = u64::from(pace.seconds) * 1000;
                    counted.post_millis = counted.post_millis.max(millis);
                    counted.posts = counted.posts.max(pace.count as usize);
                }
                RuleKind::Newcomers { .. } => counted.joins = true,
                RuleKind::Words(_)
                | RuleKind::Patterns(_)
                | RuleKind::Links { .. }
                | RuleKind::Mentions { .. }
                | RuleKind::Attachments(_)
                | RuleKind::Profile(_) => {}
            }
        }
        counted
    }

    /// What either of both counts.
    fn or(self, other: Self) -> Self {
        Self {
            post_millis: self.post_millis.max(other.post_millis),
            posts: self.posts.max(other.posts),
            joins: self.joins || other.joins,
        }
    }
}

/// A post of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CountedPost {
    at: Timestamp,
    /// The hash of the text as rules compare it; `None` without text.
    text: Option<u64>,
}

/// A member who joined lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Newcomer {
    joined_at: Timestamp,
    /// How many messages they have posted since.
    posts: u32,
}

/// What members did lately. Empty while no rule counts anything.
#[derive(Debug, Clone, Default)]
pub struct MemberActivity {
    /// What the rules of the group count.
    of_group: Counted,
    /// What those of the operators count.
    of_operators: Counted,
    /// What either of them counts.
    counted: Counted,
    /// The newest posts of each user, themselves or by a bot; oldest first.
    posts: BTreeMap<UserId, VecDeque<CountedPost>>,
    newcomers: BTreeMap<UserId, Newcomer>,
}

/// The hash of a text as rules compare it.
pub(super) fn text_hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    comparable(text).trim().hash(&mut hasher);
    hasher.finish()
}

impl Group {
    /// Notes a post, while a rule counts them.
    pub(super) fn note_activity(&mut self, message: &Message, at: Timestamp) {
        if self.activity.is_idle() {
            return;
        }
        if let Some(user) = self.person_behind(&message.author) {
            self.activity.note_post(user, message, at);
        }
    }

    /// Counts from now on what these rules of the operators need.
    pub fn watch_operators_rules(&mut self, rules: &Rules) {
        self.activity.watch_operators(rules);
    }
}

impl MemberActivity {
    /// Counts what these rules of the group need from now on.
    pub(super) fn watch(&mut self, rules: &Rules) {
        self.of_group = Counted::of(rules);
        self.count();
    }

    /// Counts what these rules of the operators need from now on.
    fn watch_operators(&mut self, rules: &Rules) {
        self.of_operators = Counted::of(rules);
        self.count();
    }

    fn count(&mut self) {
        self.counted = self.of_group.or(self.of_operators);
        if self.counted.post_millis == 0 {
            self.posts.clear();
        }
        if !self.counted.joins {
            self.newcomers.clear();
        }
    }

    /// Whether no rule counts anything.
    pub fn is_idle(&self) -> bool {
        self.counted.post_millis == 0 && !self.counted.joins
    }

    /// Notes a post of a user.
    pub(super) fn note_post(&mut self, user: UserId, message: &Message, at: Timestamp) {
        if let Some(newcomer) = self.newcomers.get_mut(&user)
            && message.author == Author::Member(user)
        {
            newcomer.posts = newcomer.posts.saturating_add(1);
        }
        let millis = self.counted.post_millis;
        if millis == 0 {
            return;
        }
        if self.posts.len() >= MANY {
            let is_recent = |post: &CountedPost| post.at.plus_millis(millis) > at;
            self.posts.retain(|_, posts| posts.back().is_some_and(is_recent));
        }
        let posts = self.posts.entry(user).or_default();
        if posts.len() >= self.counted.posts {
            posts.pop_front();
        }
        posts.push_back(CountedPost { at, text: message.text.as_deref().map(text_hash) });
    }

    /// Notes that a user joined.
    pub(super) fn note_join(&mut self, user: UserId, at: Timestamp) {
        if !self.counted.joins {
            return;
        }
        if self.newcomers.len() >= MANY {
            let longest = u64::from(*NEWCOMER_HOURS.end()) * 3_600_000;
            self.newcomers.retain(|_, it| it.joined_at.plus_millis(longest) > at);
        }
        self.newcomers.insert(user, Newcomer { joined_at: at, posts: 0 });
    }

    /// How many posts of a user in the last seconds count; with `text`, only those of the same text.
    pub(super) fn posts_within(
        &self,
        user: UserId,
        seconds: u32,
        text: Option<u64>,
        now: Timestamp,
    ) -> usize {
        let millis = u64::from(seconds) * 1000;
        let posts = self.posts.get(&user).into_iter().flatten();
        let recent = posts.filter(|post| post.at.plus_millis(millis) > now);
        recent.filter(|post| text.is_none() || post.text == text).count()
    }

    /// Whether a user is new.
    pub(super) fn is_new(&self, user: UserId, span: NewcomerSpan, now: Timestamp) -> bool {
        let Some(newcomer) = self.newcomers.get(&user) else { return false };
        match span {
            NewcomerSpan::Hours(hours) => {
                newcomer.joined_at.plus_millis(u64::from(hours) * 3_600_000) > now
            }
            NewcomerSpan::Messages(messages) => newcomer.posts < messages,
        }
    }
}

/// The activity, read from the newest message backwards.
#[derive(Debug)]
pub struct ActivityFromLog {
    activity: MemberActivity,
    /// Messages of each user after the message that was added last.
    later_posts: BTreeMap<UserId, u32>,
    left: usize,
}

impl ActivityFromLog {
    /// Begins with the newest message.
    pub fn of(rules: &Rules, of_operators: &Rules) -> Self {
        let mut activity = MemberActivity::default();
        activity.watch(rules);
        activity.watch_operators(of_operators);
        Self { activity, later_posts: BTreeMap::new(), left: RULE_LOG_MESSAGES }
    }

    /// Whether no rule counts anything, so that no message is needed.
    pub fn is_idle(&self) -> bool {
        self.activity.is_idle()
    }

    /// Adds the message before those that were added; `user` wrote it, or made the bot that did.
    /// Returns whether another message is needed.
    pub fn add(
        &mut self,
        message: &Message,
        user: Option<UserId>,
        at: Timestamp,
        now: Timestamp,
    ) -> bool {
        self.left = self.left.saturating_sub(1);
        let Counted { post_millis, posts, joins } = self.activity.counted;
        let is_recent = at.plus_millis(post_millis) > now;
        if let Some(user) = user.filter(|_| is_recent && post_millis > 0) {
            let known = self.activity.posts.entry(user).or_default();
            if known.len() < posts {
                let text = message.text.as_deref().map(text_hash);
                known.push_front(CountedPost { at, text });
            }
        }
        if joins {
            if let Author::Member(user) = message.author {
                *self.later_posts.entry(user).or_default() += 1;
            }
            for user in joined_by(message) {
                let posts = self.later_posts.get(&user.id).copied().unwrap_or_default();
                let newcomer = Newcomer { joined_at: at, posts };
                self.activity.newcomers.entry(user.id).or_insert(newcomer);
            }
        }
        self.left > 0 && (is_recent || joins)
    }

    /// The result.
    pub fn finish(self) -> MemberActivity {
        self.activity
    }
}

/// The users of whom a system message says that they joined.
fn joined_by(message: &Message) -> &[NamedUser] {
    match &message.line {
        Some(SystemMessage::Joined { user, .. } | SystemMessage::Rejoined { user }) => {
            std::slice::from_ref(user)
        }
        Some(SystemMessage::Added { added, .. }) => added,
        Some(_) | None => &[],
    }
}
