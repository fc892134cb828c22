//! Rules of a group: what the server refuses, reports and answers with a timeout by itself. The
//! owner and admins keep them; [`compiled_rules`](super::compiled_rules) runs them. Those of the
//! operators are rules of the same form ([`operators::rules`](crate::operators::rules)).

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::event::{Decision, Fact};
use crate::group::{BrokenRule, Denied, Group, GroupAct, GroupFact, Moderation, NOBODY};
use crate::id_generator::IdGenerator;
use crate::ids::{GroupId, MessageId, RuleId, UserId};
use crate::limits::{
    GROUP_RULES, RULE_HOST_CHARS, RULE_PATTERN_BYTES, RULE_PATTERN_CHARS, RULE_PATTERNS,
    RULE_SMALL_PATTERN_BYTES, RULES_BYTES,
};
use crate::message::Author;
use crate::text::{RuleMessage, RuleName, RuleWord};
use crate::time::Timestamp;

/// A rule of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The rule's id.
    pub id: RuleId,
    /// What it says.
    pub content: RuleContent,
    /// The member who saved it last.
    pub by: UserId,
    /// When it was saved last.
    pub at: Timestamp,
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleContent {
    /// The name, for the owner and admins.
    pub name: RuleName,
    /// Whether it runs.
    pub enabled: bool,
    /// What it looks for.
    pub kind: RuleKind,
    /// What happens to a post that it matches.
    pub action: RuleAction,
    /// Seconds for which the author is timed out, beside the action.
    pub timeout: Option<u32>,
    /// What the author of a refused post reads.
    pub message: Option<RuleMessage>,
    /// Whether it spares posts of bots.
    pub exempts_bots: bool,
    /// The topics in which it does not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exempts_topics: Vec<GroupId>,
}

/// What a rule looks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleKind {
    /// Words in the text.
    Words(WordList),
    /// Regular expressions that match the text.
    Patterns(Vec<RulePattern>),
    /// Links in the text.
    Links {
        /// Links to which hosts; `None` for none but those of `invites`.
        hosts: Option<LinkHosts>,
        /// Whether links that invite to groups match too.
        invites: bool,
    },
    /// Mentions of more people than this.
    Mentions {
        /// The number that is allowed.
        limit: u32,
    },
    /// The same text again and again.
    Repeat(PostRate),
    /// Many posts in a short time.
    Flood(PostRate),
    /// Posts of members who joined lately.
    Newcomers {
        /// How long a member is new.
        span: NewcomerSpan,
        /// What new members may not do.
        without: Vec<NewcomerLimit>,
    },
    /// Attachments of these types.
    Attachments(Vec<AttachmentType>),
    /// Words in the nickname of the author.
    Profile(WordList),
}

/// Words of a rule. A word may begin and end with `*`, which stands for any letters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordList {
    /// The words that match.
    pub words: Vec<RuleWord>,
    /// Words inside which nothing matches.
    pub allow: Vec<RuleWord>,
}

/// So many posts of one member within so many seconds; the last of them matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostRate {
    /// The number of posts.
    pub count: u32,
    /// The seconds.
    pub seconds: u32,
}

/// Links to which hosts match. A host stands for its subdomains too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkHosts {
    /// To all.
    All,
    /// To all but these.
    Except(Vec<RuleHost>),
    /// To these.
    Only(Vec<RuleHost>),
}

/// How long a member is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NewcomerSpan {
    /// For so many hours.
    Hours(u32),
    /// Until they have posted so many messages.
    Messages(u32),
}

macro_rules! named_choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in the API.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),*
                }
            }

            /// The value with this name in the API.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == name)
            }
        }
    };
}

named_choices! {
    /// What happens to a post that a rule matches.
    RuleAction {
        /// It is refused.
        Refuse = "refuse",
        /// It waits until the owner or an admin approves it; edits are refused.
        Hold = "hold",
        /// It is posted and reported.
        Report = "report",
        /// It is posted, and its author is timed out.
        TimeOut = "timeout",
    }
}

named_choices! {
    /// Something that new members may not do.
    NewcomerLimit {
        /// Post links.
        Links = "links",
        /// Attach something.
        Attachments = "attachments",
        /// Mention people.
        Mentions = "mentions",
        /// Post at all.
        Posts = "posts",
    }
}

named_choices! {
    /// A type of attachments.
    AttachmentType {
        /// A picture.
        Image = "image",
        /// A video.
        Video = "video",
        /// A recording.
        Audio = "audio",
        /// A file.
        File = "file",
        /// A location.
        Location = "location",
        /// Pictures in place of characters.
        Emoji = "emoji",
        /// A bill to split.
        Split = "split",
    }
}

/// A regular expression of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RulePattern(String);

/// Why a regular expression was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is empty.
    #[error("must not be empty")]
    Empty,
    /// It has too many characters.
    #[error("is too long: {0} characters, at most {RULE_PATTERN_CHARS} are allowed")]
    TooLong(usize),
    /// It is none.
    #[error("is no regular expression: {0}")]
    Syntax(String),
    /// It is too large when it is compiled.
    #[error("takes more than {RULE_PATTERN_BYTES} bytes when it is compiled")]
    TooLarge,
}

/// A pattern that is ready to search.
#[derive(Debug)]
pub(super) struct CompiledPattern {
    /// The expression.
    pub(super) regex: Regex,
    /// The most memory that it takes.
    pub(super) bytes: usize,
}

impl RulePattern {
    /// Accepts a regular expression in the notation of the crate `regex`, which matches in linear
    /// time.
    ///
    /// # Errors
    /// If it is too long, does not parse, or is too large when it is compiled.
    pub fn parse(raw: String) -> Result<Self, PatternError> {
        match raw.chars().count() {
            0 => return Err(PatternError::Empty),
            chars if chars > RULE_PATTERN_CHARS => return Err(PatternError::TooLong(chars)),
            _ => {}
        }
        let pattern = Self(raw);
        pattern.compiled()?;
        Ok(pattern)
    }

    /// The expression as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compiles it.
    ///
    /// # Errors
    /// If it does not parse, or is too large.
    pub(super) fn compiled(&self) -> Result<CompiledPattern, PatternError> {
        let within = |bytes| {
            let built = RegexBuilder::new(&self.0).size_limit(bytes).dfa_size_limit(bytes).build();
            // The program, and the states that searches keep.
            built.map(|regex| CompiledPattern { regex, bytes: 2 * bytes })
        };
        let small = within(RULE_SMALL_PATTERN_BYTES);
        let built = small.or_else(|_| within(RULE_PATTERN_BYTES));
        built.map_err(|error| {
            if matches!(error, regex::Error::CompiledTooBig(_)) {
                return PatternError::TooLarge;
            }
            // The text of a syntax error has several lines, of which the last one is the reason.
            let text = error.to_string();
            let reason = text.lines().next_back().unwrap_or_default();
            PatternError::Syntax(reason.trim_start_matches("error: ").to_owned())
        })
    }
}

/// A host of a rule, in lower case and ASCII.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleHost(String);

/// The text is no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a host such as example.com, of at most {RULE_HOST_CHARS} characters")]
pub struct NoHost;

impl RuleHost {
    /// Accepts the name or address of a host.
    ///
    /// # Errors
    /// If it is none, or is too long.
    pub fn parse(raw: &str) -> Result<Self, NoHost> {
        let raw = raw.trim().trim_start_matches("*.").trim_end_matches('.');
        let is_plain = !raw.contains(|sign: char| {
            sign.is_whitespace() || matches!(sign, '/' | '\\' | '?' | '#' | '@' | ':')
        });
        if raw.is_empty() || !is_plain || raw.chars().count() > RULE_HOST_CHARS {
            return Err(NoHost);
        }
        let url = Url::parse(&format!("http://{raw}/")).map_err(|_| NoHost)?;
        url.host_str().map(|host| Self(host.to_owned())).ok_or(NoHost)
    }

    /// The host.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this host of a link, or a parent of it.
    pub(super) fn covers(&self, host: &str) -> bool {
        let Some(before) = host.strip_suffix(&self.0) else { return false };
        before.is_empty() || before.ends_with('.')
    }
}

impl RuleKind {
    /// The name in the API.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Words(_) => "words",
            Self::Patterns(_) => "patterns",
            Self::Links { .. } => "links",
            Self::Mentions { .. } => "mentions",
            Self::Repeat(_) => "repeat",
            Self::Flood(_) => "flood",
            Self::Newcomers { .. } => "newcomers",
            Self::Attachments(_) => "attachments",
            Self::Profile(_) => "profile",
        }
    }

    /// How many patterns it has.
    fn patterns(&self) -> usize {
        if let Self::Patterns(patterns) = self { patterns.len() } else { 0 }
    }

    /// The names of every kind.
    pub const NAMES: [&'static str; 9] = [
        "words",
        "patterns",
        "links",
        "mentions",
        "repeat",
        "flood",
        "newcomers",
        "attachments",
        "profile",
    ];
}

/// A rule as its acts name it: they stay readable when it is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRule {
    /// The rule's id.
    pub id: RuleId,
    /// The name that it had.
    pub name: RuleName,
    /// The member who had saved it; [`NOBODY`] of a rule of the operators.
    pub by: UserId,
}

impl NamedRule {
    /// Whether it is a rule of the operators.
    pub fn is_of_operators(&self) -> bool {
        self.by == NOBODY
    }
}

/// What the author of a refused post reads if a rule of the operators has no message.
const REFUSED_BY_OPERATORS: &str = "a rule of this server does not allow this";

impl Rule {
    /// The rule as its acts name it.
    pub fn named(&self) -> NamedRule {
        NamedRule { id: self.id, name: self.content.name.clone(), by: self.by }
    }

    /// The refusal of a post that the rule matches.
    pub(super) fn broken(&self) -> BrokenRule {
        let message = self.content.message.as_ref().map(RuleMessage::as_str);
        let message = message.or((self.by == NOBODY).then_some(REFUSED_BY_OPERATORS));
        BrokenRule { rule: self.id, message: message.map(str::to_owned), held: None }
    }
}

/// A rule refused a post or an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPost {
    /// The rule.
    pub rule: NamedRule,
    /// The user who wrote it, or who made the bot that did.
    pub user: UserId,
    /// The member or bot.
    pub author: Author,
    /// The message that an edit would have changed; `None` for a post.
    pub edited: Option<MessageId>,
}

/// Why rules were not shown, saved or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RuleRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The group has no such rule.
    #[error("there is no such rule")]
    NoRule,
    /// The group has too many rules.
    #[error("a group has at most {GROUP_RULES} rules")]
    Full,
    /// The rules of the group have too many patterns.
    #[error("the rules of a group have at most {RULE_PATTERNS} patterns in all")]
    TooManyPatterns,
    /// The rules of the group would take too much memory.
    #[error(
        "the enabled rules of a group take at most {RULES_BYTES} bytes when they are compiled; \
         use fewer or shorter words and patterns"
    )]
    TooLarge,
    /// A rule spares a topic that the group does not have.
    #[error("exempt.topics: there is no such topic in this group")]
    NoTopic,
    /// The rules of all groups take all the memory that the server has for them.
    #[error("the server has no memory left for more rules; contact its operators")]
    NoMemory,
}

/// The rules of a group, or of the operators.
pub type Rules = Arc<BTreeMap<RuleId, Arc<Rule>>>;

/// Why a list of rules takes no rule as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleListRefusal {
    /// It has no such rule.
    NoRule,
    /// It has too many rules.
    Full,
    /// Its rules have too many patterns.
    TooManyPatterns,
}

impl From<RuleListRefusal> for RuleRefusal {
    fn from(refusal: RuleListRefusal) -> Self {
        match refusal {
            RuleListRefusal::NoRule => Self::NoRule,
            RuleListRefusal::Full => Self::Full,
            RuleListRefusal::TooManyPatterns => Self::TooManyPatterns,
        }
    }
}

/// Makes a rule in a list, or replaces the content of one. Returns the rule as it was, if there was
/// one, and as it is.
///
/// # Errors
/// If there is no such rule, or the list has too many rules or patterns.
pub(crate) fn saved_rule<'a>(
    rules: &'a Rules,
    by: UserId,
    id: Option<RuleId>,
    content: RuleContent,
    now: Timestamp,
    id_generator: &dyn IdGenerator,
) -> Result<(Option<&'a Arc<Rule>>, Arc<Rule>), RuleListRefusal> {
    let known = match id {
        None if rules.len() >= GROUP_RULES => return Err(RuleListRefusal::Full),
        None => None,
        Some(id) => Some(rules.get(&id).ok_or(RuleListRefusal::NoRule)?),
    };
    if let Some(known) = known.filter(|known| known.content == content) {
        return Ok((Some(known), Arc::clone(known)));
    }
    let others = rules.values().filter(|rule| Some(rule.id) != id);
    let patterns: usize = others.map(|rule| rule.content.kind.patterns()).sum();
    if patterns + content.kind.patterns() > RULE_PATTERNS {
        return Err(RuleListRefusal::TooManyPatterns);
    }
    // Ids of rules are taken from the same sequence as those of messages.
    let id = id.unwrap_or_else(|| RuleId::new(id_generator.message(now).get()));
    Ok((known, Arc::new(Rule { id, content, by, at: now })))
}

impl Group {
    /// The rules, for the owner and admins.
    ///
    /// # Errors
    /// If the reader may not see them.
    pub fn rules_for(&self, reader: UserId, now: Timestamp) -> Result<&Rules, RuleRefusal> {
        let member = self.member(reader).ok_or(RuleRefusal::NotAMember)?;
        self.permit(member, GroupAct::ManageRules, now)?;
        Ok(&self.rules)
    }

    /// The rules as the room runs them.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Makes a rule, or replaces the content of one. Decides nothing if that stays the same.
    ///
    /// # Errors
    /// If the caller may not, there is no such rule, or the group has too many rules or patterns.
    pub fn save_rule(
        &self,
        by: UserId,
        id: Option<RuleId>,
        content: RuleContent,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<Rule>>, RuleRefusal> {
        let rules = self.rules_for(by, now)?;
        let before = id.and_then(|id| rules.get(&id)).map(|rule| &rule.content.exempts_topics);
        // A rule may go on to spare a topic that was removed meanwhile.
        let is_known = |topic: &GroupId| {
            self.has_topic(*topic) || before.is_some_and(|before| before.contains(topic))
        };
        if !content.exempts_topics.iter().all(is_known) {
            return Err(RuleRefusal::NoTopic);
        }
        let (known, rule) = saved_rule(rules, by, id, content, now, id_generator)?;
        if known.is_some_and(|known| Arc::ptr_eq(known, &rule)) {
            return Ok(Decision::unchanged(rule));
        }
        let is_new = known.is_none();
        let saved = Moderation::RuleSaved { rule: Arc::clone(&rule), is_new };
        let fact = Fact::Group(GroupFact::Moderated(saved.into()));
        Ok(Decision { facts: vec![fact], answer: rule })
    }

    /// Deletes a rule.
    ///
    /// # Errors
    /// If the caller may not, or there is no such rule.
    pub fn delete_rule(
        &self,
        by: UserId,
        id: RuleId,
        now: Timestamp,
    ) -> Result<Decision<()>, RuleRefusal> {
        let known = self.rules_for(by, now)?.get(&id).ok_or(RuleRefusal::NoRule)?;
        let deleted = Moderation::RuleDeleted { rule: known.named(), by };
        let fact = Fact::Group(GroupFact::Moderated(deleted.into()));
        Ok(Decision { facts: vec![fact], answer: () })
    }

    /// The rules that run here: those that are enabled, and in a topic, do not spare it.
    pub fn running_rules(&self) -> impl Iterator<Item = &Arc<Rule>> {
        let runs = |rule: &&Arc<Rule>| {
            rule.content.enabled && !rule.content.exempts_topics.contains(&self.id)
        };
        self.rules.values().filter(runs)
    }

    /// Applies that a rule was saved.
    pub(super) fn keep_rule(&mut self, rule: &Arc<Rule>) {
        Arc::make_mut(&mut self.rules).insert(rule.id, Arc::clone(rule));
        self.activity.watch(&self.rules);
    }

    /// Applies that a rule was deleted.
    pub(super) fn drop_rule(&mut self, id: RuleId) {
        Arc::make_mut(&mut self.rules).remove(&id);
        self.activity.watch(&self.rules);
    }
}
