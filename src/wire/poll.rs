//! Polls in JSON: as a reader sees one, and as it is sent to the whole group.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::schema::scalars::TextId;
use domain::ids::{GroupId, UserId};
use domain::limits::{POLL_CHARS, POLL_OPTIONS, TOLD_VOTERS};
use domain::message::MessageJson;
use domain::polls::{NewPoll, Poll, PollKind, Visibility};
use domain::text::{LineText, TextError};
use domain::time::Timestamp;

/// A poll as you see it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Poll")]
pub struct PollResource<'a> {
    /// The poll.
    data: PollData<'a>,
    /// Id of the option that you voted for; null before you vote, and if the type is `multi`.
    user_vote: Option<String>,
    /// Ids of all options that you voted for; null before you vote.
    user_votes: Option<Vec<String>>,
}

/// A poll in an event for the whole group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToldPoll<'a> {
    /// The poll: without `votes` while it is open and anonymous, and without `voter_ids` when more
    /// than 100 users have voted.
    data: PollData<'a>,
}

/// A poll without the reader's own vote.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PollData")]
struct PollData<'a> {
    /// The poll's id, which is also the id of the message that carries it.
    id: TextId,
    /// The question; empty once the message is deleted.
    subject: &'a str,
    /// Id of the user who created the poll.
    owner_id: TextId,
    /// Id of the group.
    conversation_id: TextId,
    /// When the poll was created. Unix time in seconds.
    created_at: u64,
    /// When the poll ends unless it is ended earlier. Unix time in seconds.
    expiration: u64,
    /// Whether the poll is open (`active`), ended (`past`), or its message is deleted (`deleted`).
    #[schemars(extend("enum" = ["active", "past", "deleted"]))]
    status: &'static str,
    /// The options to vote for.
    options: Vec<OptionResource<'a>>,
    /// When the poll last changed, votes included. Unix time in seconds.
    last_modified: u64,
    /// Whether a vote may name one option (`single`) or several (`multi`).
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["single", "multi"]))]
    kind: &'static str,
    /// Whether everybody can see who voted for what (`public`) or nobody can (`anonymous`).
    #[schemars(extend("enum" = ["public", "anonymous"]))]
    visibility: &'static str,
}

/// An option of a poll.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PollOption")]
struct OptionResource<'a> {
    /// The option's id in its poll.
    id: String,
    /// Text of the option.
    title: &'a str,
    /// Number of votes for the option; absent if there are none or they are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    votes: Option<u32>,
    /// Ids of the users who voted for the option; absent if there are none or they are not shown,
    /// as always in an anonymous poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    voter_ids: Option<Vec<TextId>>,
}

/// One poll.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OnePoll<'a> {
    /// The poll.
    pub poll: PollResource<'a>,
}

/// The polls of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedPolls<'a> {
    /// The polls, newest first; at most 100.
    polls: Vec<PollResource<'a>>,
    /// Always null.
    continuation_token: Option<String>,
}

/// A poll that was created, with the message that carries it.
#[derive(Debug, Serialize)]
pub struct PollAndMessage<'a> {
    poll: PollResource<'a>,
    message: &'a RawValue,
}

/// How much of the votes is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownVotes {
    /// No votes.
    None,
    /// The number of votes.
    Counted,
    /// The number of votes, and who voted.
    Named,
}

/// Builds the JSON of a poll for one reader.
pub fn resource(group: GroupId, poll: &Poll, reader: UserId) -> PollResource<'_> {
    let votes = match poll.made.poll.visibility {
        Visibility::Public => ShownVotes::Named,
        Visibility::Anonymous => ShownVotes::Counted,
    };
    let own = poll.votes.get(&reader);
    let user_votes = own.map(|own| own.iter().map(u8::to_string).collect::<Vec<_>>());
    let user_vote = match poll.made.poll.kind {
        PollKind::Single => user_votes.as_ref().and_then(|own| own.first().cloned()),
        PollKind::Multi => None,
    };
    PollResource { data: data(group, poll, votes), user_vote, user_votes }
}

/// Builds the JSON of a poll for the whole group. It does not reveal who gave the latest vote of an
/// open anonymous poll, and names no voters if there are more than [`TOLD_VOTERS`], so that it does
/// not grow with the group.
pub fn told(group: GroupId, poll: &Poll) -> ToldPoll<'_> {
    let votes = match poll.made.poll.visibility {
        Visibility::Anonymous if poll.ended.is_none() => ShownVotes::None,
        Visibility::Public if poll.votes.len() <= TOLD_VOTERS => ShownVotes::Named,
        Visibility::Public | Visibility::Anonymous => ShownVotes::Counted,
    };
    ToldPoll { data: data(group, poll, votes) }
}

/// Builds the response to creating a poll.
pub fn made<'a>(
    group: GroupId,
    poll: &'a Poll,
    reader: UserId,
    message: &'a MessageJson,
) -> PollAndMessage<'a> {
    PollAndMessage { poll: resource(group, poll, reader), message: message.raw() }
}

/// Builds the JSON of a list of polls for one reader.
pub fn listed(group: GroupId, polls: &[Poll], reader: UserId) -> ListedPolls<'_> {
    let polls = polls.iter().map(|poll| resource(group, poll, reader)).collect();
    ListedPolls { polls, continuation_token: None }
}

fn data(group: GroupId, poll: &Poll, votes: ShownVotes) -> PollData<'_> {
    let made = &poll.made;
    let asked = &poll.made.poll;
    let status = match (poll.is_deleted, poll.ended) {
        (true, _) => "deleted",
        (false, Some(_)) => "past",
        (false, None) => "active",
    };
    PollData {
        id: made.id.into(),
        subject: &asked.subject,
        owner_id: made.owner.into(),
        conversation_id: group.into(),
        created_at: made.at.seconds(),
        expiration: asked.ends.seconds(),
        status,
        options: options(poll, votes),
        last_modified: poll.modified.seconds(),
        kind: asked.kind.as_str(),
        visibility: asked.visibility.as_str(),
    }
}

fn options(poll: &Poll, votes: ShownVotes) -> Vec<OptionResource<'_>> {
    let mut voters: BTreeMap<u8, Vec<TextId>> = BTreeMap::new();
    if votes == ShownVotes::Named {
        for (user, options) in &poll.votes {
            options.iter().for_each(|it| voters.entry(*it).or_default().push((*user).into()));
        }
    }
    let tally = poll.tally();
    let option = |((number, title), count): ((u8, _), u32)| OptionResource {
        id: number.to_string(),
        title,
        votes: (votes != ShownVotes::None && count > 0).then_some(count),
        voter_ids: voters.remove(&number),
    };
    let titles = poll.made.poll.options.iter().map(String::as_str);
    (1..).zip(titles).zip(tally).map(option).collect()
}

/// Reads the body of a new poll.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>) -> Result<NewPoll, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let subject = fields.required("subject", line);
    let seconds = match fields.value("expiration") {
        Some(_) => Some(fields.amount("expiration", u64::MAX)),
        None => {
            fields.wrong("expiration", "is required");
            None
        }
    };
    let kind = named(&mut fields, "type", &PollKind::ALL, "must be single or multi");
    let visibility =
        named(&mut fields, "visibility", &Visibility::ALL, "must be public or anonymous");
    let options = read_options(&mut fields);
    let new = subject.zip(seconds).zip(options).map(|((subject, seconds), options)| NewPoll {
        subject,
        options,
        ends: Timestamp::from_seconds(seconds),
        kind,
        visibility,
    });
    problems.or(new)
}

/// Reads one of two words; the first one is the default.
fn named<T: Copy>(fields: &mut Fields<'_>, field: &str, all: &[(&str, T); 2], what: &str) -> T {
    let word = fields.text(field);
    let found = word.as_deref().map(|word| all.iter().find(|(name, _)| *name == word));
    if matches!(found, Some(None)) {
        fields.wrong(field, what);
    }
    found.flatten().unwrap_or(&all[0]).1
}

fn line(text: String) -> Result<String, TextError> {
    LineText::parse(text, POLL_CHARS).map(Into::into)
}

fn read_options(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let list = fields.list("options", *POLL_OPTIONS.end());
    if list.len() < *POLL_OPTIONS.start() {
        // Another problem with the list was told already.
        if fields.is_list_or_absent("options", *POLL_OPTIONS.end()) {
            fields.wrong("options", "must have 2 to 10 entries");
        }
        return None;
    }
    let mut titles = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let mut option = fields.entry("options", index, value)?;
        titles.push(option.required("title", line)?);
    }
    Some(titles)
}

/// Reads `{votes}`: the numbers of the options that are voted for.
///
/// # Errors
/// If the field is missing, or is not a list of option ids.
pub fn read_votes(body: &Map<String, Value>) -> Result<Vec<u8>, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("votes").is_none() {
        fields.wrong("votes", "is required");
    }
    let list = fields.list("votes", *POLL_OPTIONS.end());
    let votes: Option<Vec<u8>> = list.iter().map(number).collect();
    if votes.is_none() {
        fields.wrong("votes", "must be an array of ids of options");
    }
    problems.or(votes)
}

/// Returns the number of an option. An id that is not a number gives `u8::MAX`, which no poll has.
fn number(value: &Value) -> Option<u8> {
    let name = crate::fields::name(value)?;
    Some(name.parse().unwrap_or(u8::MAX))
}
