//! Runs rules on what people write, before anything of it is staged: those of a group in the group,
//! and those of the operators in groups and chats.
//!
//! Rules are compiled once per change. Words of a rule become one automaton (Aho-Corasick), which
//! reads a text once, however many words there are. Texts and words are compared as
//! [`comparable`] folds them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use url::Url;

use crate::addressees::{EVERYBODY, EVERYBODY_ONLINE};
use crate::attachment::Attachment;
use crate::canonical::folds::comparable;
use crate::chat::Chat;
use crate::event::{Decision, Fact};
use crate::group::member_activity::{MemberActivity, text_hash};
use crate::group::rules::CompiledPattern;
use crate::group::writings::{Writing, WritingForm};
use crate::group::{
    AttachmentType, BrokenRule, Filing, Group, GroupFact, HeldMessage, LinkHosts, Member,
    Moderation, NewcomerLimit, RefusedPost, ReportReason, Reported, ReportedMessage, Role, Rule,
    RuleAction, RuleKind, Rules, Settings, Timeout, WordList,
};
use crate::id_generator::IdGenerator;
use crate::ids::{ReportId, RuleId, UserId};
use crate::limits::{HELD_MESSAGES, OPEN_REPORTS, REPORT_FILINGS};
use crate::links::links;
use crate::message::{Author, Message};
use crate::operators::rules::OperatorRules;
use crate::text::{ModerationReason, RuleWord};
use crate::time::{Moment, Timestamp};

/// The author of reports of rules, and of rules of the operators, in place of a member: no account has
/// this id.
pub const NOBODY: UserId = UserId::new(0);

/// The rules that run in the room of a group. Those of the operators come first.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunningRules<'a> {
    /// Those of the operators.
    pub of_operators: Option<&'a OperatorRules>,
    /// Those of the group.
    pub of_group: Option<&'a CompiledRules>,
}

/// The enabled rules of a group or of the operators, compiled.
#[derive(Debug, Default)]
pub struct CompiledRules {
    rules: Vec<CompiledRule>,
    bytes: usize,
}

#[derive(Debug)]
struct CompiledRule {
    rule: Arc<Rule>,
    matcher: Matcher,
}

/// What a rule needs to look at a text; `None` for rules that do not look at it.
#[derive(Debug)]
enum Matcher {
    Words(Words),
    Patterns(Vec<CompiledPattern>),
    None,
}

/// The words of a rule, compiled.
#[derive(Debug)]
struct Words {
    automaton: AhoCorasick,
    /// Of each word: whether letters may precede it, and whether they may follow it.
    open_ends: Vec<OpenEnds>,
    /// Words from this one on are those inside which nothing matches.
    allowed_from: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct OpenEnds {
    start: bool,
    end: bool,
}

/// Most occurrences of words that are looked at in a text; one with more breaks the rule. No text that
/// people write has as many, and it bounds the time that a rule takes.
const MOST_OCCURRENCES: usize = 20_000;

/// Most bytes of a folded text that patterns read: some letters become many when they are folded.
const PATTERN_TEXT_BYTES: usize = 4_000;

/// What somebody wrote, as rules look at it.
struct Written<'a> {
    /// The member who wrote it, or who made the bot that did.
    user: UserId,
    /// How many people read it.
    readers: usize,
    /// What the members did lately; `None` in a chat.
    activity: Option<&'a MemberActivity>,
    form: WritingForm,
    texts: Vec<WrittenText<'a>>,
    /// The names of the author, or those that they write.
    names: Vec<WrittenText<'a>>,
    message: Option<&'a Message>,
}

/// A text as typed, and as texts are compared.
struct WrittenText<'a> {
    typed: &'a str,
    comparable: String,
}

impl<'a> WrittenText<'a> {
    fn of(typed: &'a str) -> Self {
        Self { typed, comparable: comparable(typed) }
    }
}

impl CompiledRules {
    /// Compiles the rules that are enabled.
    pub fn of(rules: &Rules) -> Self {
        let enabled = rules.values().filter(|rule| rule.content.enabled);
        Self::of_all(enabled)
    }

    /// Compiles rules whether they are enabled or not, to try them.
    pub fn of_all<'a>(rules: impl Iterator<Item = &'a Arc<Rule>>) -> Self {
        let compile = |rule: &Arc<Rule>| {
            let matcher = Matcher::of(&rule.content.kind);
            CompiledRule { rule: Arc::clone(rule), matcher }
        };
        let rules: Vec<CompiledRule> = rules.map(compile).collect();
        let bytes = rules.iter().map(|rule| rule.matcher.bytes()).sum();
        Self { rules, bytes }
    }

    /// The memory that they take, about.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is nothing to run.
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules that match a text alone, by the text.
    pub fn matching(&self, text: &str) -> Vec<RuleId> {
        let comparable = comparable(text);
        let matching = self.rules.iter().filter(|it| it.matches_text(text, &comparable));
        matching.map(|it| it.rule.id).collect()
    }

    /// The rules that match what somebody wrote.
    fn matched<'a>(
        &'a self,
        written: &'a Written<'_>,
        is_bot: bool,
        now: Timestamp,
    ) -> impl Iterator<Item = &'a Rule> {
        let rules = self.rules.iter().filter(move |it| !(is_bot && it.rule.content.exempts_bots));
        rules.filter(move |it| it.matches(written, now)).map(|it| it.rule.as_ref())
    }

    /// The refusal by the first rule that refuses what somebody wrote.
    fn refusal(&self, written: &Written<'_>, is_bot: bool, now: Timestamp) -> Option<BrokenRule> {
        let mut matched = self.matched(written, is_bot, now);
        matched.find(|rule| rule.content.action == RuleAction::Refuse).map(Rule::broken)
    }
}

impl Matcher {
    fn of(kind: &RuleKind) -> Self {
        match kind {
            RuleKind::Words(list) | RuleKind::Profile(list) => {
                Words::of(list).map_or(Self::None, Self::Words)
            }
            RuleKind::Patterns(patterns) => {
                // They compiled when the rule was saved.
                Self::Patterns(patterns.iter().filter_map(|it| it.compiled().ok()).collect())
            }
            RuleKind::Links { .. }
            | RuleKind::Mentions { .. }
            | RuleKind::Repeat(_)
            | RuleKind::Flood(_)
            | RuleKind::Newcomers { .. }
            | RuleKind::Attachments(_) => Self::None,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Words(words) => {
                let ends = words.open_ends.len() * size_of::<OpenEnds>();
                words.automaton.memory_usage() + ends
            }
            Self::Patterns(patterns) => patterns.iter().map(|pattern| pattern.bytes).sum(),
            Self::None => 0,
        }
    }
}

impl Words {
    /// Compiles words; `None` if there are none.
    fn of(list: &WordList) -> Option<Self> {
        let folded = |word: &RuleWord| {
            let word = word.as_str().trim();
            let ends = OpenEnds { start: word.starts_with('*'), end: word.ends_with('*') };
            (comparable(word.trim_matches('*').trim()), ends)
        };
        let mut words = Vec::new();
        let mut open_ends = Vec::new();
        let mut allowed_from = 0;
        for (index, list) in [&list.words, &list.allow].into_iter().enumerate() {
            let mut known = HashSet::new();
            for (word, ends) in list.iter().map(folded).filter(|it| known.insert(it.clone())) {
                words.push(word);
                open_ends.push(ends);
            }
            if index == 0 {
                allowed_from = words.len();
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&words)
            .ok()?;
        Some(Self { automaton, open_ends, allowed_from })
    }

    /// Whether a text has one of the words, outside those that are allowed.
    fn matches(&self, text: &str) -> bool {
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut allowed: Vec<Range<usize>> = Vec::new();
        let has_allowed = self.allowed_from < self.open_ends.len();
        for (count, found) in self.automaton.find_overlapping_iter(text).enumerate() {
            if count == MOST_OCCURRENCES {
                return true;
            }
            let word = found.pattern().as_usize();
            let OpenEnds { start, end } = self.open_ends[word];
            let before = text[..found.start()].chars().next_back();
            let after = text[found.end()..].chars().next();
            let stands_alone = (start || !before.is_some_and(is_of_word))
                && (end || !after.is_some_and(is_of_word));
            if !stands_alone {
                continue;
            }
            if word >= self.allowed_from {
                allowed.push(found.span().range());
            } else if has_allowed {
                spans.push(found.span().range());
            } else {
                return true;
            }
        }
        !all_inside(spans, allowed)
    }
}

/// Whether each span lies inside one of those that are allowed.
fn all_inside(mut spans: Vec<Range<usize>>, mut allowed: Vec<Range<usize>>) -> bool {
    spans.sort_unstable_by_key(|span| span.start);
    allowed.sort_unstable_by_key(|span| span.start);
    let mut allowed = allowed.into_iter().peekable();
    let mut reach = 0;
    spans.into_iter().all(|span| {
        while let Some(begun) = allowed.next_if(|it| it.start <= span.start) {
            reach = reach.max(begun.end);
        }
        span.end <= reach
    })
}

/// Whether a character belongs to a word.
fn is_of_word(sign: char) -> bool {
    sign == '_' || sign.is_alphanumeric()
}

impl CompiledRule {
    /// Whether the rule matches a text, as far as the text alone decides.
    fn matches_text(&self, text: &str, comparable: &str) -> bool {
        match (&self.rule.content.kind, &self.matcher) {
            (RuleKind::Links { hosts, invites }, _) => {
                links(text).any(|link| is_forbidden(link, hosts.as_ref(), *invites))
            }
            (_, Matcher::Words(words)) => words.matches(comparable),
            (_, Matcher::Patterns(patterns)) => {
                let end = comparable.floor_char_boundary(PATTERN_TEXT_BYTES);
                let comparable = &comparable[..end];
                patterns.iter().any(|it| it.regex.is_match(text) || it.regex.is_match(comparable))
            }
            (_, Matcher::None) => false,
        }
    }

    fn matches_any(&self, texts: &[WrittenText<'_>]) -> bool {
        texts.iter().any(|text| self.matches_text(text.typed, &text.comparable))
    }

    /// Whether the rule matches what somebody wrote.
    fn matches(&self, written: &Written<'_>, now: Timestamp) -> bool {
        let user = written.user;
        match &self.rule.content.kind {
            RuleKind::Words(_) | RuleKind::Patterns(_) | RuleKind::Links { .. } => {
                self.matches_any(&written.texts)
            }
            RuleKind::Profile(_) => self.matches_any(&written.names),
            RuleKind::Mentions { limit } => {
                mentioned(written.attachments(), written.readers) > *limit as usize
            }
            RuleKind::Attachments(types) => {
                written.attachments().iter().filter_map(type_of).any(|it| types.contains(&it))
            }
            RuleKind::Repeat(_) | RuleKind::Flood(_) if !written.form.is_post() => false,
            RuleKind::Flood(pace) => written.activity.is_some_and(|activity| {
                let earlier = activity.posts_within(user, pace.seconds, None, now);
                earlier + 1 >= pace.count as usize
            }),
            RuleKind::Repeat(pace) => written.posted_text().is_some_and(|text| {
                let hash = Some(text_hash(text));
                let earlier =
                    written.activity.map(|it| it.posts_within(user, pace.seconds, hash, now));
                earlier.is_some_and(|earlier| earlier + 1 >= pace.count as usize)
            }),
            RuleKind::Newcomers { span, without } => {
                written.activity.is_some_and(|activity| activity.is_new(user, *span, now))
                    && without.iter().any(|limit| written.is_limited_by(*limit))
            }
        }
    }
}

impl Written<'_> {
    fn attachments(&self) -> &[Attachment] {
        self.message.map_or(&[], |message| &message.attachments)
    }

    /// The text of the message, as the log counts repeats.
    fn posted_text(&self) -> Option<&str> {
        self.message.and_then(|message| message.text.as_deref())
    }

    fn is_limited_by(&self, limit: NewcomerLimit) -> bool {
        match limit {
            NewcomerLimit::Links => {
                self.texts.iter().any(|text| links(text.typed).next().is_some())
            }
            NewcomerLimit::Attachments => {
                let types = self.attachments().iter().filter_map(type_of);
                types.into_iter().any(|it| it != AttachmentType::Emoji)
            }
            NewcomerLimit::Mentions => self.attachments().iter().any(|it| it.mentions().is_some()),
            NewcomerLimit::Posts => self.form.is_post(),
        }
    }
}

/// The type of an attachment, for rules; `None` for those that every message may have.
const fn type_of(attachment: &Attachment) -> Option<AttachmentType> {
    match attachment {
        Attachment::Image { .. } | Attachment::LinkedImage { .. } => Some(AttachmentType::Image),
        Attachment::Video { .. } => Some(AttachmentType::Video),
        Attachment::Audio { .. } => Some(AttachmentType::Audio),
        Attachment::File(_) => Some(AttachmentType::File),
        Attachment::Location { .. } => Some(AttachmentType::Location),
        Attachment::Emoji { .. } => Some(AttachmentType::Emoji),
        Attachment::Split { .. } => Some(AttachmentType::Split),
        Attachment::Mentions { .. }
        | Attachment::Reply { .. }
        | Attachment::Poll { .. }
        | Attachment::Event { .. } => None,
    }
}

/// Whether a link is to a host that the rule forbids, or invites to a group.
fn is_forbidden(link: &str, hosts: Option<&LinkHosts>, invites: bool) -> bool {
    let Ok(url) = Url::parse(link) else { return false };
    let host = url.host_str().unwrap_or_default();
    let is_of_host = match hosts {
        None => false,
        Some(LinkHosts::All) => true,
        Some(LinkHosts::Except(hosts)) => !hosts.iter().any(|it| it.covers(host)),
        Some(LinkHosts::Only(hosts)) => hosts.iter().any(|it| it.covers(host)),
    };
    is_of_host || (invites && url.path().starts_with("/join_group/"))
}

/// How many people attachments mention; `readers` is everybody who may be mentioned.
fn mentioned(attachments: &[Attachment], readers: usize) -> usize {
    let mut users: Vec<&str> = Vec::new();
    for mention in attachments.iter().filter_map(Attachment::mentions) {
        if mention.names(EVERYBODY) {
            return readers;
        }
        if mention.names(EVERYBODY_ONLINE) {
            return mention.here.len().max(1);
        }
        users.extend(mention.user_ids.iter().map(String::as_str));
    }
    users.sort_unstable();
    users.dedup();
    users.len()
}

/// The refusal of a group that its owner creates, by a rule of the operators.
pub fn refused_new_group(
    settings: &Settings,
    owner: &Member,
    rules: &OperatorRules,
    now: Timestamp,
) -> Option<BrokenRule> {
    if rules.spares(owner.user_id) {
        return None;
    }
    let writing = Writing::new_group(settings, owner);
    let written = writing.written(owner.user_id, owner.nickname.as_str(), 1, None);
    rules.compiled().refusal(&written, false, now)
}

impl Chat {
    /// Runs those rules of the operators that refuse on what a decision writes. `edited` is the message
    /// that it edits, or that carries the event that it changes. A refusal leaves no fact: nobody but
    /// the two learns of what was written.
    pub fn screen<T>(
        &self,
        decided: Decision<T>,
        edited: Option<&Message>,
        rules: &OperatorRules,
        now: Timestamp,
    ) -> Decision<Result<T, BrokenRule>> {
        let Decision { facts, answer } = decided;
        let refusal = self.writing(&facts, edited, now).and_then(|writing| {
            let Author::Member(user) = writing.author else { return None };
            if rules.spares(user) {
                return None;
            }
            let name = writing.message.as_ref().map_or("", |message| &message.name);
            rules.compiled().refusal(&writing.written(user, name, 2, None), false, now)
        });
        match refusal {
            Some(broken) => Decision { facts: Vec::new(), answer: Err(broken) },
            None => Decision { facts, answer: Ok(answer) },
        }
    }
}

impl Group {
    /// Runs the rules on what a decision writes. `edited` is the message that it edits, or that
    /// carries the event that it changes. The rules add their acts to the decision, or replace it by a
    /// refusal. Those of the group spare the owner, admins and their bots; those of the operators spare
    /// operators and their bots.
    pub fn screen<T>(
        &self,
        decided: Decision<T>,
        edited: Option<&Message>,
        rules: RunningRules<'_>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Decision<Result<T, BrokenRule>> {
        let Decision { mut facts, answer } = decided;
        let writing = self.writing(&facts, edited, now.wall);
        let outcome = match writing {
            Some(writing) => match self.holds_already(&writing) {
                Some(held) => Outcome { facts: Vec::new(), refusal: Some(held) },
                None => self.run(&writing, edited, rules, now, id_generator),
            },
            None => Outcome::default(),
        };
        match outcome.refusal {
            Some(broken) => Decision { facts: outcome.facts, answer: Err(broken) },
            None => {
                facts.extend(outcome.facts);
                Decision { facts, answer: Ok(answer) }
            }
        }
    }

    /// The answer to a post that its author sent before, and that waits for approval.
    fn holds_already(&self, writing: &Writing) -> Option<BrokenRule> {
        let message = writing.message.as_ref().filter(|_| writing.form.may_wait())?;
        let held = self.held_under(&message.author, &message.source_guid)?;
        Some(BrokenRule { rule: held.rule.id, message: None, held: Some(held.id()) })
    }

    /// The refusal of a held message that is approved, by a rule of the operators: one that was made
    /// since it is held may refuse it.
    pub(super) fn refused_by_operators(
        &self,
        message: &Arc<Message>,
        author: &Member,
        rules: &OperatorRules,
        now: Timestamp,
    ) -> Option<BrokenRule> {
        if rules.spares(author.user_id) {
            return None;
        }
        let writing = Writing::post(message);
        let written = self.written(&writing, author);
        rules.compiled().refusal(&written, message.author.is_bot(), now)
    }

    /// A writing as rules look at it.
    fn written<'a>(&'a self, writing: &'a Writing, author: &'a Member) -> Written<'a> {
        let activity = Some(&self.activity);
        let name = author.nickname.as_str();
        writing.written(author.user_id, name, self.members.len(), activity)
    }

    /// Runs the rules on what somebody writes. Nobody in the group decides about its owner, so what the
    /// owner writes is only refused, also by a rule of the operators that holds.
    fn run(
        &self,
        writing: &Writing,
        edited: Option<&Message>,
        rules: RunningRules<'_>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Outcome {
        let user = self.person_behind(&writing.author);
        let Some(author) = user.and_then(|user| self.member(user)) else {
            return Outcome::default();
        };
        let of_operators = rules.of_operators.filter(|it| !it.spares(author.user_id));
        let of_group = rules.of_group.filter(|_| author.role == Role::Member);
        let running = || of_operators.map(OperatorRules::compiled).into_iter().chain(of_group);
        if running().next().is_none() {
            return Outcome::default();
        }
        let is_owner = author.role == Role::Owner;
        let written = self.written(writing, author);
        let is_bot = writing.author.is_bot();
        let matched: Vec<&Rule> =
            running().flat_map(|it| it.matched(&written, is_bot, now.wall)).collect();
        let mut outcome = Outcome::default();
        let of_action = |action| matched.iter().filter(move |it| it.content.action == action);
        let holding = of_action(RuleAction::Hold).next();
        let waits = writing.message.as_ref().filter(|_| writing.form.may_wait());
        let may_hold = waits.is_some() && !is_owner && self.held.len() < HELD_MESSAGES;
        let refusing = of_action(RuleAction::Refuse).next().or(holding.filter(|_| !may_hold));
        if let Some(rule) = refusing {
            outcome.refusal = Some(rule.broken());
            let refused = RefusedPost {
                rule: rule.named(),
                user: author.user_id,
                author: writing.author.clone(),
                edited: edited.map(|message| message.id),
            };
            outcome.facts.push(moderated(Moderation::RuleRefused(refused)));
        } else if let (Some(rule), Some(message)) = (holding, waits) {
            let held = HeldMessage {
                rule: rule.named(),
                user: author.user_id,
                message: Arc::clone(message),
                at: now.wall,
            };
            outcome.refusal = Some(BrokenRule { held: Some(held.id()), ..rule.broken() });
            outcome.facts.push(moderated(Moderation::Held(held.into())));
        } else if !is_owner && of_action(RuleAction::Report).next().is_some() {
            let reporting = of_action(RuleAction::Report).copied();
            let shown = writing.message.clone();
            let message =
                shown.unwrap_or_else(|| writing.as_message(author, id_generator.message(now.wall)));
            let reports = self.reports_of(reporting, &message, edited, now.wall, id_generator);
            outcome.facts.extend(reports);
        }
        if !is_bot && !is_owner {
            outcome.facts.extend(timeout_of(&matched, author.user_id, now.wall));
        }
        outcome
    }

    /// The reports by rules of a message, each added to the one report of the message. The report of
    /// a change that no message shows has the id of what stands in the place of a message.
    fn reports_of<'a>(
        &self,
        rules: impl Iterator<Item = &'a Rule>,
        message: &Message,
        edited: Option<&Message>,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Vec<Fact> {
        let open = self.open_report_of(message.id);
        let (mut id, mut filings) = match open {
            Some((_, reporters)) if reporters.contains(&NOBODY) => return Vec::new(),
            Some((id, reporters)) => (Some(id), reporters.len()),
            None if self.open_reports.len() >= OPEN_REPORTS => return Vec::new(),
            None => (None, 0),
        };
        let mut facts = Vec::new();
        for rule in rules {
            if filings >= REPORT_FILINGS {
                break;
            }
            filings += 1;
            let copy = id.is_none().then(|| {
                let earlier = edited.and_then(|message| message.text.clone());
                let earlier = earlier.into_iter().collect();
                Box::new(ReportedMessage { message: message.clone(), earlier })
            });
            let report = *id.get_or_insert_with(|| match message.is_in_log() {
                true => ReportId::new(id_generator.message(now).get()),
                false => ReportId::new(message.id.get()),
            });
            let filing = Filing {
                by: NOBODY,
                reason: ReportReason::Rules,
                text: None,
                rule: Some(rule.named()),
            };
            let about = self.person_behind(&message.author);
            let reported = Reported { report, message: message.id, about, filing, copy };
            facts.push(moderated(Moderation::Reported(reported)));
        }
        facts
    }
}

/// What rules do about a message.
#[derive(Debug, Default)]
struct Outcome {
    facts: Vec<Fact>,
    refusal: Option<BrokenRule>,
}

fn moderated(moderation: Moderation) -> Fact {
    Fact::Group(GroupFact::Moderated(moderation.into()))
}

/// The longest of the timeouts of these rules.
fn timeout_of(matched: &[&Rule], user: UserId, now: Timestamp) -> Option<Fact> {
    let with_seconds = matched.iter().filter_map(|it| it.content.timeout.map(|secs| (secs, it)));
    let (seconds, rule) = with_seconds.max_by_key(|(seconds, _)| *seconds)?;
    let timeout = Timeout {
        user,
        reason: ModerationReason::parse(rule.content.name.as_str().to_owned()).ok(),
        until: now.plus_millis(u64::from(seconds) * 1000),
        by: rule.by,
        at: now,
        rule: Some(rule.named()),
    };
    Some(moderated(Moderation::TimedOut(timeout)))
}

impl Writing {
    /// The writing as rules look at it. The name of the author counts as a name in what they post and
    /// change, unless they write names.
    fn written<'a>(
        &'a self,
        user: UserId,
        name: &'a str,
        readers: usize,
        activity: Option<&'a MemberActivity>,
    ) -> Written<'a> {
        let of_all = |texts: &'a [String]| texts.iter().map(|text| WrittenText::of(text)).collect();
        let names = match self.names.is_empty() {
            true => vec![WrittenText::of(name)],
            false => of_all(&self.names),
        };
        let message = self.message.as_deref();
        let texts = of_all(&self.texts);
        Written { user, readers, activity, form: self.form, texts, names, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, Table};
    use crate::group::{
        JoinAttempt, NewcomerSpan, RuleContent, RuleHost, RulePattern, RuleRefusal,
    };
    use crate::message::Author;
    use crate::text::{RuleMessage, RuleName};

    fn words(list: &[&str]) -> Vec<RuleWord> {
        list.iter().map(|word| RuleWord::parse((*word).to_owned()).unwrap()).collect()
    }

    fn list(matching: &[&str], allow: &[&str]) -> RuleKind {
        RuleKind::Words(WordList { words: words(matching), allow: words(allow) })
    }

    fn content(kind: RuleKind, action: RuleAction) -> RuleContent {
        RuleContent {
            name: RuleName::parse("Rule".to_owned()).unwrap(),
            enabled: true,
            kind,
            action,
            timeout: None,
            message: Some(RuleMessage::parse("No.".to_owned()).unwrap()),
            exempts_bots: false,
            exempts_topics: Vec::new(),
        }
    }

    fn saves(table: &mut Table, content: RuleContent) -> Arc<Rule> {
        let rule = table.does(|group, now, ids| group.save_rule(ANA, None, content, now.wall, ids));
        rule.unwrap()
    }

    /// Whether a rule of this kind matches a text.
    fn matches(kind: RuleKind, text: &str) -> bool {
        let mut table = Table::of_two();
        saves(&mut table, content(kind, RuleAction::Refuse));
        !CompiledRules::of(table.group.rules()).matching(text).is_empty()
    }

    fn running(of_group: &CompiledRules) -> RunningRules<'_> {
        RunningRules { of_operators: None, of_group: Some(of_group) }
    }

    /// Posts a text by Ben, and applies what the rules do.
    fn posts(table: &mut Table, text: &str) -> Result<(), BrokenRule> {
        let compiled = CompiledRules::of(table.group.rules());
        let count = table.group.count + 1;
        table
            .does(|group, now, ids| {
                let message = Message {
                    author: Author::Member(BEN),
                    text: Some(text.to_owned()),
                    ..Message::silent(count, count)
                };
                let fact = Fact::Group(GroupFact::Posted(message.into()));
                let decided = Decision { facts: vec![fact], answer: () };
                Ok::<_, ()>(group.screen(decided, None, running(&compiled), now, ids))
            })
            .unwrap()
    }

    #[test]
    fn words_match_whole_words_and_open_ends() {
        let cases = [
            ("rope", "a ROPE.", true),
            ("rope", "ropes", false),
            ("rope*", "ropes", true),
            ("rope*", "tightrope", false),
            ("*rope", "tightrope", true),
            ("*rope*", "tightropes", true),
            ("two words", "say two words", true),
            ("café", "CAFE\u{301}", true),
            ("cafe", "café", true),
            ("rope", "ｒｏｐｅ", true),
            ("rope", "ro\u{200b}pe", true),
            ("🧗", "up 🧗🏽 we go", true),
            ("strasse", "Straße", true),
        ];
        for (word, text, expected) in cases {
            assert_eq!(matches(list(&[word], &[]), text), expected, "{word} in {text}");
        }
    }

    #[test]
    fn allowed_words_spare_what_is_inside_them() {
        let kind = || list(&["*ass*"], &["*class*", "grass"]);
        for (text, expected) in
            [("classes", false), ("grass", false), ("class ass", true), ("grassy", true)]
        {
            assert_eq!(matches(kind(), text), expected, "{text}");
        }
    }

    /// Each place of the text has an occurrence of each of sixty words, none of which stands alone.
    #[test]
    fn texts_with_countless_occurrences_break_a_rule() {
        let lengths: Vec<String> = (1..=60).map(|length| "a".repeat(length)).collect();
        let words: Vec<&str> = lengths.iter().map(String::as_str).collect();
        assert!(!matches(list(&words, &[]), &"a".repeat(300)));
        assert!(matches(list(&words, &[]), &"a".repeat(1_000)));
        let twice = words.repeat(16);
        assert!(!matches(list(&twice, &[]), &"a".repeat(300)), "each word counts once");
    }

    #[test]
    fn spans_lie_inside_or_outside_of_others() {
        let is_inside = |allowed: &[(usize, usize)]| {
            all_inside(vec![5..7, 2..4], allowed.iter().map(|(start, end)| *start..*end).collect())
        };
        for allowed in [&[(0, 9)][..], &[(2, 4), (5, 7)], &[(5, 8), (1, 4)], &[(3, 6), (2, 8)]] {
            assert!(is_inside(allowed), "{allowed:?}");
        }
        for allowed in [&[][..], &[(0, 4)], &[(0, 6)], &[(0, 3), (3, 9)], &[(6, 9), (0, 5)]] {
            assert!(!is_inside(allowed), "{allowed:?}");
        }
    }

    #[test]
    fn rules_of_a_group_have_a_limit_of_patterns() {
        let mut table = Table::of_two();
        let patterns = |count: usize| {
            let pattern = || RulePattern::parse("rope".to_owned()).unwrap();
            content(RuleKind::Patterns((0..count).map(|_| pattern()).collect()), RuleAction::Report)
        };
        let first = saves(&mut table, patterns(6));
        let mut save = |id, count| {
            let content = patterns(count);
            table.does(|group, now, ids| group.save_rule(ANA, id, content, now.wall, ids)).map(drop)
        };
        assert_eq!(save(None, 5), Err(RuleRefusal::TooManyPatterns));
        assert_eq!(save(None, 4), Ok(()));
        assert_eq!(save(Some(first.id), 7), Err(RuleRefusal::TooManyPatterns));
        assert_eq!(save(Some(first.id), 6), Ok(()));
    }

    #[test]
    fn patterns_match_typed_and_comparable_text() {
        let pattern =
            |text: &str| RuleKind::Patterns(vec![RulePattern::parse(text.to_owned()).unwrap()]);
        assert!(matches(pattern("[A-Z]{4}"), "ROPE"));
        assert!(matches(pattern("^rope$"), "Rópe"));
        assert!(!matches(pattern("^rope$"), "ropes"));
    }

    #[test]
    fn links_match_hosts_and_their_subdomains() {
        let host = || vec![RuleHost::parse("Climb.Example").unwrap()];
        let links = |hosts| RuleKind::Links { hosts, invites: false };
        let inside = "at https://www.climb.example/a";
        let outside = "at https://notclimb.example/a";
        assert!(matches(links(Some(LinkHosts::All)), inside));
        assert!(matches(links(Some(LinkHosts::Only(host()))), inside));
        assert!(!matches(links(Some(LinkHosts::Only(host()))), outside));
        assert!(!matches(links(Some(LinkHosts::Except(host()))), inside));
        assert!(matches(links(Some(LinkHosts::Except(host()))), outside));
        let invites = || RuleKind::Links { hosts: None, invites: true };
        assert!(matches(invites(), "https://chat.example/join_group/1/a"));
        assert!(!matches(invites(), inside));
    }

    #[test]
    fn refused_post_leaves_only_the_act_of_the_rule() {
        let mut table = Table::of_two();
        let rule =
            RuleContent { timeout: Some(60), ..content(list(&["rope"], &[]), RuleAction::Refuse) };
        let rule = saves(&mut table, rule);
        let count = table.group.count;
        let broken = posts(&mut table, "a rope").unwrap_err();
        assert_eq!((broken.rule, broken.to_string()), (rule.id, "No.".to_owned()));
        assert_eq!(table.group.count, count);
        assert_eq!(table.facts.len(), 2);
        let timeout = table.group.timeout_of(BEN, Timestamp::from_seconds(1)).unwrap();
        assert_eq!(timeout.rule, Some(rule.named()));
        assert_eq!(posts(&mut table, "a rock"), Ok(()));
    }

    #[test]
    fn several_rules_add_to_one_report() {
        let mut table = Table::of_two();
        for word in ["rope", "rock"] {
            saves(&mut table, content(list(&[word], &[]), RuleAction::Report));
        }
        posts(&mut table, "rope and rock").unwrap();
        assert_eq!(table.facts.len(), 3);
        let message = table.group.last.as_ref().unwrap().id;
        let (_, reporters) = table.group.open_report_of(message).unwrap();
        assert_eq!(reporters, [NOBODY, NOBODY]);
    }

    #[test]
    fn owner_admins_and_switched_off_rules_are_spared() {
        let mut table = Table::of_two();
        let off =
            RuleContent { enabled: false, ..content(list(&["rock"], &[]), RuleAction::Refuse) };
        saves(&mut table, off);
        saves(&mut table, content(list(&["rope"], &[]), RuleAction::Refuse));
        posts(&mut table, "rock").unwrap();
        posts(&mut table, "rope").unwrap_err();
        table.promote(BEN);
        posts(&mut table, "rope").unwrap();
    }

    #[test]
    fn newcomers_are_limited_until_they_posted() {
        let mut table = Table::of_two();
        let without = vec![NewcomerLimit::Posts];
        let span = NewcomerSpan::Hours(1);
        saves(&mut table, content(RuleKind::Newcomers { span, without }, RuleAction::Refuse));
        posts(&mut table, "here before the rule").unwrap();
        table.removes(BEN, BEN);
        let token = table.shares();
        let ben = crate::group::fixtures::newcomer(BEN);
        table.does(|group, now, ids| group.join(ben, JoinAttempt::by(&token), now, ids)).unwrap();
        posts(&mut table, "new").unwrap_err();
    }
}
