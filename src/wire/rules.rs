//! Rules of a group or of the operators in JSON, and the bodies that save and try them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::operators::reason;
use crate::schema::scalars::TextId;
use domain::group::{
    AttachmentType, LinkHosts, NewcomerLimit, NewcomerSpan, PostRate, Rule, RuleAction,
    RuleContent, RuleHost, RuleKind, RulePattern, WordList,
};
use domain::ids::GroupId;
use domain::limits::{
    GROUP_TOPICS, NEWCOMER_HOURS, NEWCOMER_MESSAGES, RULE_ALLOWED_WORDS, RULE_COUNT, RULE_HOSTS,
    RULE_MENTIONS, RULE_PATTERNS, RULE_SECONDS, RULE_TIMEOUT_SECONDS, RULE_WORDS,
};
use domain::text::{MessageText, RuleMessage, RuleName, RuleWord};

/// The values of `links`: which links match.
const LINKS: [&str; 3] = ["all", "except", "only"];

/// A rule of a group or of the operators. The fields after `kind` are those of its kind.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Rule")]
pub struct RuleResource<'a> {
    /// The rule's id.
    id: String,
    /// The rule's name.
    name: &'a str,
    /// Whether the rule runs.
    enabled: bool,
    /// What the rule looks for.
    #[schemars(extend("enum" = RuleKind::NAMES))]
    kind: &'static str,
    /// Of `words` and `profile`: the words that match.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<&'a str>>,
    /// Of `words` and `profile`: words inside which nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    allow: Option<Vec<&'a str>>,
    /// Of `patterns`: the regular expressions.
    #[serde(skip_serializing_if = "Option::is_none")]
    patterns: Option<Vec<&'a str>>,
    /// Of `links`: which links match; null for none but those of `invites`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["all", "except", "only", null]))]
    links: Option<Option<&'static str>>,
    /// Of `links`: the hosts of `except` and `only`.
    #[serde(skip_serializing_if = "Option::is_none")]
    hosts: Option<Vec<&'a str>>,
    /// Of `links`: whether links that invite to groups match too.
    #[serde(skip_serializing_if = "Option::is_none")]
    invites: Option<bool>,
    /// Of `mentions`: the number of people that a post may mention.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    /// Of `repeat` and `flood`: the post that matches, counted within `seconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    /// Of `repeat` and `flood`: the seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<u32>,
    /// Of `newcomers`: hours for which a member is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<u32>,
    /// Of `newcomers`: messages until which a member is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<u32>,
    /// Of `newcomers`: what new members may not do.
    #[serde(skip_serializing_if = "Option::is_none")]
    without: Option<Vec<&'static str>>,
    /// Of `attachments`: the types that match.
    #[serde(skip_serializing_if = "Option::is_none")]
    types: Option<Vec<&'static str>>,
    /// What happens to a post that matches.
    #[schemars(extend("enum" = ACTIONS))]
    action: &'static str,
    /// Seconds for which the author is timed out, beside the action; null for no timeout.
    timeout: Option<u32>,
    /// What the author of a refused post reads; null for a usual text.
    message: Option<&'a str>,
    /// What the rule spares, besides the owner, admins and their bots, or besides operators and theirs.
    exempt: Exempt,
    /// Id of the member or operator who saved the rule last.
    updated_by: String,
    /// When the rule was saved last. Unix time in seconds.
    updated_at: u64,
}

/// What a rule spares.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
struct Exempt {
    /// Whether it spares posts of bots.
    bots: bool,
    /// Ids of the topics in which it does not run; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    topics: Vec<TextId>,
}

/// The names of the actions.
const ACTIONS: [&str; RuleAction::ALL.len()] = {
    let mut names = [""; RuleAction::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = RuleAction::ALL[at].as_str();
        at += 1;
    }
    names
};

impl<'a> From<&'a Rule> for RuleResource<'a> {
    fn from(rule: &'a Rule) -> Self {
        let content = &rule.content;
        let resource = Self {
            id: rule.id.to_string(),
            name: content.name.as_str(),
            enabled: content.enabled,
            kind: content.kind.as_str(),
            action: content.action.as_str(),
            timeout: content.timeout,
            message: content.message.as_ref().map(RuleMessage::as_str),
            exempt: Exempt {
                bots: content.exempts_bots,
                topics: content.exempts_topics.iter().copied().map(TextId::from).collect(),
            },
            updated_by: rule.by.to_string(),
            updated_at: rule.at.seconds(),
            ..Self::default()
        };
        resource.with_kind(&content.kind)
    }
}

impl<'a> RuleResource<'a> {
    fn with_kind(self, kind: &'a RuleKind) -> Self {
        match kind {
            RuleKind::Words(list) | RuleKind::Profile(list) => {
                let texts = |words: &'a [RuleWord]| words.iter().map(RuleWord::as_str).collect();
                Self { words: Some(texts(&list.words)), allow: Some(texts(&list.allow)), ..self }
            }
            RuleKind::Patterns(patterns) => {
                Self { patterns: Some(patterns.iter().map(RulePattern::as_str).collect()), ..self }
            }
            RuleKind::Links { hosts, invites } => {
                let none: &[RuleHost] = &[];
                let (links, hosts) = match hosts {
                    None => (None, none),
                    Some(LinkHosts::All) => (Some("all"), none),
                    Some(LinkHosts::Except(hosts)) => (Some("except"), hosts.as_slice()),
                    Some(LinkHosts::Only(hosts)) => (Some("only"), hosts.as_slice()),
                };
                let hosts = Some(hosts.iter().map(RuleHost::as_str).collect());
                Self { links: Some(links), hosts, invites: Some(*invites), ..self }
            }
            RuleKind::Mentions { limit } => Self { limit: Some(*limit), ..self },
            RuleKind::Repeat(pace) | RuleKind::Flood(pace) => {
                Self { count: Some(pace.count), seconds: Some(pace.seconds), ..self }
            }
            RuleKind::Newcomers { span, without } => {
                let without = Some(without.iter().map(|it| it.as_str()).collect());
                match span {
                    NewcomerSpan::Hours(hours) => Self { hours: Some(*hours), without, ..self },
                    NewcomerSpan::Messages(messages) => {
                        Self { messages: Some(*messages), without, ..self }
                    }
                }
            }
            RuleKind::Attachments(types) => {
                Self { types: Some(types.iter().map(|it| it.as_str()).collect()), ..self }
            }
        }
    }
}

/// The rules of a group or of the operators.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleList<'a> {
    /// The rules, the oldest first.
    rules: Vec<RuleResource<'a>>,
}

impl<'a> RuleList<'a> {
    /// Builds the list.
    pub fn of(rules: &'a [Arc<Rule>]) -> Self {
        Self { rules: rules.iter().map(|rule| (&**rule).into()).collect() }
    }
}

/// A rule that was saved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedRule<'a> {
    /// The rule.
    rule: RuleResource<'a>,
}

impl<'a> SavedRule<'a> {
    /// Builds the response.
    pub fn of(rule: &'a Rule) -> Self {
        Self { rule: rule.into() }
    }
}

/// The rules that match a text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchingRules<'a> {
    /// The rules whose words, patterns or links match, also those that are switched off.
    rules: Vec<MatchingRule<'a>>,
}

/// A rule that matches a text.
#[derive(Debug, Serialize, JsonSchema)]
struct MatchingRule<'a> {
    /// The rule's id.
    id: TextId,
    /// The rule's name.
    name: &'a str,
    /// Whether the rule runs.
    enabled: bool,
    /// What would happen to the post.
    #[schemars(extend("enum" = ACTIONS))]
    action: &'static str,
}

impl<'a> MatchingRules<'a> {
    /// Builds the response.
    pub fn of(rules: &'a [Arc<Rule>]) -> Self {
        let rules = rules.iter().map(|rule| MatchingRule {
            id: rule.id.into(),
            name: rule.content.name.as_str(),
            enabled: rule.content.enabled,
            action: rule.content.action.as_str(),
        });
        Self { rules: rules.collect() }
    }
}

/// Characters of a field of a rule that the audit log shows, at most.
const SUMMARY_CHARS: usize = 200;

/// What a rule says, for the audit log: a line for each field. Long lists are cut.
pub fn summary(rule: &Rule) -> String {
    let fields = serde_json::to_value(RuleResource::from(rule)).unwrap_or_default();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(entries) => {
            let texts: Vec<&str> = entries.iter().filter_map(Value::as_str).collect();
            texts.join(", ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    };
    let shown = fields.as_object().into_iter().flatten().filter(|(field, value)| {
        !value.is_null() && !["id", "updated_by", "updated_at"].contains(&field.as_str())
    });
    let lines = shown.map(|(field, value)| {
        let text = text(value);
        match text.char_indices().nth(SUMMARY_CHARS) {
            Some((end, _)) => format!("{field}: {}…", &text[..end]),
            None => format!("{field}: {text}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads the body of a rule.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_rule(body: &Map<String, Value>) -> Result<RuleContent, Problems> {
    let mut problems = Problems::default();
    let content = read_content(&mut Fields::of(body, &mut problems));
    problems.or(content)
}

/// Reads the body of a rule of the operators: the rule, and the reason.
///
/// # Errors
/// As [`read_rule`].
pub fn read_operators_rule(body: &Map<String, Value>) -> Result<(RuleContent, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let content = read_content(&mut fields);
    if content.as_ref().is_some_and(|content| !content.exempts_topics.is_empty()) {
        fields.wrong("exempt.topics", "is for the rules of a group");
    }
    let reason = reason(&mut fields);
    problems.or(content.zip(reason))
}

fn read_content(fields: &mut Fields<'_>) -> Option<RuleContent> {
    let name = fields.required("name", RuleName::parse);
    let enabled = fields.flag("enabled").unwrap_or(true);
    let kind = fields.required("kind", |name| one_of(&name, &RuleKind::NAMES));
    let kind = kind.and_then(|kind| read_kind(fields, kind));
    let action = fields.required("action", |name: String| {
        RuleAction::named(&name).ok_or_else(|| format!("must be one of {}", ACTIONS.join(", ")))
    });
    let timeout = fields
        .value("timeout")
        .is_some()
        .then(|| between(fields, "timeout", &RULE_TIMEOUT_SECONDS));
    let timeout = timeout.flatten();
    if action == Some(RuleAction::TimeOut) && fields.value("timeout").is_none() {
        fields.wrong("timeout", "is required for the action timeout");
    }
    let message = fields.parsed("message", RuleMessage::parse);
    let exempt = fields.object("exempt").map(|mut exempt| read_exempt(&mut exempt));
    let (exempts_bots, exempts_topics) = exempt.unwrap_or_default();
    name.zip(kind).zip(action).map(|((name, kind), action)| RuleContent {
        name,
        enabled,
        kind,
        action,
        timeout,
        message,
        exempts_bots,
        exempts_topics,
    })
}

/// Reads what a rule spares: whether bots, and the topics, at most as many as a group has.
fn read_exempt(exempt: &mut Fields<'_>) -> (bool, Vec<GroupId>) {
    let bots = exempt.flag("bots").unwrap_or(false);
    let listed = exempt.list("topics", GROUP_TOPICS);
    let read = |value: &Value| {
        let number = value.as_u64().map(GroupId::new);
        number.or_else(|| value.as_str().and_then(|id| id.parse().ok()))
    };
    let topics: Option<Vec<GroupId>> = listed.iter().map(read).collect();
    if topics.is_none() {
        exempt.wrong("topics", "must be an array of ids of topics");
    }
    (bots, topics.unwrap_or_default())
}

/// Reads the body of a text to try the rules on.
///
/// # Errors
/// If the text is missing or too long.
pub fn read_test(body: &Map<String, Value>) -> Result<MessageText, Problems> {
    let mut problems = Problems::default();
    let text = Fields::of(body, &mut problems).required("text", MessageText::parse);
    problems.or(text)
}

/// The one of these names that a text is.
fn one_of(name: &str, names: &[&'static str]) -> Result<&'static str, String> {
    let found = names.iter().copied().find(|known| *known == name);
    found.ok_or_else(|| format!("must be one of {}", names.join(", ")))
}

/// Reads a required number within limits.
fn between(fields: &mut Fields<'_>, field: &str, range: &RangeInclusive<u32>) -> Option<u32> {
    let least = range.start();
    let most = range.end();
    let number = fields.value(field).map(|_| fields.amount(field, u64::MAX));
    let number = number.and_then(|number| u32::try_from(number).ok());
    let number = number.filter(|number| range.contains(number));
    if number.is_none() {
        fields.wrong(field, format!("must be between {least} and {most}"));
    }
    number
}

/// Reads a list of texts with at least one entry unless it is `optional`, each of which is parsed.
fn entries<T, E: std::fmt::Display>(
    fields: &mut Fields<'_>,
    field: &str,
    most: usize,
    optional: bool,
    parse: impl Fn(String) -> Result<T, E>,
) -> Vec<T> {
    if fields.value(field).is_none() && !optional {
        fields.wrong(field, "is required");
    }
    let list = fields.list(field, most);
    if list.is_empty() && !optional && fields.is_list_or_absent(field, most) {
        let is_given = fields.value(field).is_some();
        if is_given {
            fields.wrong(field, "must have at least one entry");
        }
    }
    let mut parsed = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let name = format!("{field}[{index}]");
        match value.as_str() {
            Some(text) => parsed.extend(fields.checked(&name, parse(text.to_owned()))),
            None => fields.wrong(&name, "must be a string"),
        }
    }
    parsed
}

/// Reads the fields of a kind.
fn read_kind(fields: &mut Fields<'_>, kind: &str) -> Option<RuleKind> {
    match kind {
        "words" => Some(RuleKind::Words(read_words(fields))),
        "profile" => Some(RuleKind::Profile(read_words(fields))),
        "patterns" => {
            let patterns = entries(fields, "patterns", RULE_PATTERNS, false, RulePattern::parse);
            Some(RuleKind::Patterns(patterns))
        }
        "links" => Some(read_links(fields)),
        "mentions" => {
            between(fields, "limit", &RULE_MENTIONS).map(|limit| RuleKind::Mentions { limit })
        }
        "repeat" => read_pace(fields).map(RuleKind::Repeat),
        "flood" => read_pace(fields).map(RuleKind::Flood),
        "newcomers" => read_newcomers(fields),
        "attachments" => {
            let most = AttachmentType::ALL.len();
            let types = entries(fields, "types", most, false, |name| {
                let names: Vec<&str> = AttachmentType::ALL.iter().map(|it| it.as_str()).collect();
                let unknown = || format!("must be one of {}", names.join(", "));
                AttachmentType::named(&name).ok_or_else(unknown)
            });
            Some(RuleKind::Attachments(types))
        }
        _ => None,
    }
}

fn read_words(fields: &mut Fields<'_>) -> WordList {
    WordList {
        words: entries(fields, "words", RULE_WORDS, false, RuleWord::parse),
        allow: entries(fields, "allow", RULE_ALLOWED_WORDS, true, RuleWord::parse),
    }
}

fn read_pace(fields: &mut Fields<'_>) -> Option<PostRate> {
    let count = between(fields, "count", &RULE_COUNT);
    let seconds = between(fields, "seconds", &RULE_SECONDS);
    count.zip(seconds).map(|(count, seconds)| PostRate { count, seconds })
}

fn read_links(fields: &mut Fields<'_>) -> RuleKind {
    let links = fields.parsed("links", |name: String| one_of(&name, &LINKS));
    let invites = fields.flag("invites").unwrap_or(false);
    let has_hosts = links.is_some_and(|links| links != "all");
    let parse = |host: String| RuleHost::parse(&host);
    let hosts = entries(fields, "hosts", RULE_HOSTS, !has_hosts, parse);
    if !has_hosts && !hosts.is_empty() {
        fields.wrong("hosts", "are only for links except and only");
    }
    if fields.value("links").is_none() && !invites {
        fields.wrong("links", "or invites is required");
    }
    let hosts = match links {
        Some("all") => Some(LinkHosts::All),
        Some("except") => Some(LinkHosts::Except(hosts)),
        Some(_) => Some(LinkHosts::Only(hosts)),
        None => None,
    };
    RuleKind::Links { hosts, invites }
}

fn read_newcomers(fields: &mut Fields<'_>) -> Option<RuleKind> {
    let span = match (fields.value("hours").is_some(), fields.value("messages").is_some()) {
        (true, false) => between(fields, "hours", &NEWCOMER_HOURS).map(NewcomerSpan::Hours),
        (false, true) => {
            between(fields, "messages", &NEWCOMER_MESSAGES).map(NewcomerSpan::Messages)
        }
        (true, true) => {
            fields.wrong("hours", "and messages cannot both be given");
            None
        }
        (false, false) => {
            fields.wrong("hours", "or messages is required");
            None
        }
    };
    let without = entries(fields, "without", NewcomerLimit::ALL.len(), false, |name| {
        let names: Vec<&str> = NewcomerLimit::ALL.iter().map(|it| it.as_str()).collect();
        let unknown = || format!("must be one of {}", names.join(", "));
        NewcomerLimit::named(&name).ok_or_else(unknown)
    });
    span.map(|span| RuleKind::Newcomers { span, without })
}
