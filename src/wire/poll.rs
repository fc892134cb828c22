//! Polls in JSON, as their reader sees them and as everybody is told of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::domain::ids::{GroupId, UserId};
use crate::domain::limits::{POLL_CHARS, POLL_OPTIONS, TOLD_VOTERS};
use crate::domain::message::MessageJson;
use crate::domain::polls::{NewPoll, Poll, PollKind, Visibility};
use crate::domain::text::at_most;
use crate::domain::time::Timestamp;
use crate::wire::fields::{Fields, Problems};
use crate::wire::schema::scalars::TextId;

/// A poll as you see it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Poll")]
pub struct PollResource<'a> {
    /// The poll.
    data: PollData<'a>,
    /// The option that you voted for, where one can be; null before.
    user_vote: Option<String>,
    /// All options that you voted for; null before.
    user_votes: Option<Vec<String>>,
}

/// A poll as everybody is told of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ToldPoll<'a> {
    /// Without `votes` while it is open and anonymous, and without `voter_ids` from the
    /// hundred-and-first vote on.
    data: PollData<'a>,
}

/// What a poll says.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PollData")]
struct PollData<'a> {
    /// Names it; its message has the same number.
    id: TextId,
    /// What is asked; empty once its message is deleted.
    subject: &'a str,
    /// Who made it.
    owner_id: TextId,
    /// In which group.
    conversation_id: TextId,
    /// When. Unix time in seconds.
    created_at: u64,
    /// When it ends by itself. Unix time in seconds.
    expiration: u64,
    /// Whether it is over.
    #[schemars(extend("enum" = ["active", "past", "deleted"]))]
    status: &'static str,
    /// What can be answered.
    options: Vec<OptionResource<'a>>,
    /// When anything of it last changed. Unix time in seconds.
    last_modified: u64,
    /// How many options a vote may name.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["single", "multi"]))]
    kind: &'static str,
    /// Who is told how somebody voted: everybody, or nobody.
    #[schemars(extend("enum" = ["public", "anonymous"]))]
    visibility: &'static str,
}

/// What can be answered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct OptionResource<'a> {
    /// Names it in its poll.
    id: String,
    /// The words.
    title: &'a str,
    /// How many voted for it; absent where nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    votes: Option<u32>,
    /// Who did; never of an anonymous poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    voter_ids: Option<Vec<TextId>>,
}

/// One poll.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OnePoll<'a> {
    /// The poll.
    pub poll: PollResource<'a>,
}

/// The polls of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ListedPolls<'a> {
    /// The newest first, at most a hundred.
    polls: Vec<PollResource<'a>>,
    /// Always null.
    continuation_token: Option<String>,
}

/// A poll that was made, with the message that carries it.
#[derive(Debug, Serialize)]
pub struct PollAndMessage<'a> {
    poll: PollResource<'a>,
    message: &'a RawValue,
}

/// What of the votes is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownVotes {
    /// Nothing.
    None,
    /// How many there are.
    Counted,
    /// Who gave them, too.
    Named,
}

/// A poll as one reader sees it.
pub fn shown(group: GroupId, poll: &Poll, reader: UserId) -> PollResource<'_> {
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

/// A poll as everybody is told of it: nothing by which one could tell who gave the vote that
/// came just now, and no list that grows with the group.
pub fn told(group: GroupId, poll: &Poll) -> ToldPoll<'_> {
    let votes = match poll.made.poll.visibility {
        Visibility::Anonymous if poll.ended.is_none() => ShownVotes::None,
        Visibility::Public if poll.votes.len() <= TOLD_VOTERS => ShownVotes::Named,
        Visibility::Public | Visibility::Anonymous => ShownVotes::Counted,
    };
    ToldPoll { data: data(group, poll, votes) }
}

/// What of a poll that was made is answered.
pub fn made<'a>(
    group: GroupId,
    poll: &'a Poll,
    reader: UserId,
    message: &'a MessageJson,
) -> PollAndMessage<'a> {
    PollAndMessage { poll: shown(group, poll, reader), message: message.raw() }
}

/// Polls as one reader sees them.
pub fn listed(group: GroupId, polls: &[Poll], reader: UserId) -> ListedPolls<'_> {
    let polls = polls.iter().map(|poll| shown(group, poll, reader)).collect();
    ListedPolls { polls, continuation_token: None }
}

fn data(group: GroupId, poll: &Poll, votes: ShownVotes) -> PollData<'_> {
    let (made, asked) = (&poll.made, &poll.made.poll);
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
/// With every problem at once.
pub fn read_new(body: &Map<String, Value>) -> Result<NewPoll, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let subject = fields.required("subject", |text| at_most(text, POLL_CHARS));
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

/// One of these words; the first where nothing is said.
fn named<T: Copy>(fields: &mut Fields<'_>, field: &str, all: &[(&str, T); 2], what: &str) -> T {
    let word = fields.text(field);
    let found = word.as_deref().map(|word| all.iter().find(|(name, _)| *name == word));
    if matches!(found, Some(None)) {
        fields.wrong(field, what);
    }
    found.flatten().unwrap_or(&all[0]).1
}

fn read_options(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let list = fields.list("options", *POLL_OPTIONS.end());
    if list.len() < *POLL_OPTIONS.start() {
        fields.wrong("options", "must have 2 to 10 entries");
        return None;
    }
    let mut titles = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let mut option = fields.entry("options", index, value)?;
        titles.push(option.required("title", |text| at_most(text, POLL_CHARS))?);
    }
    Some(titles)
}

/// Reads `{votes}`: the options of a vote.
///
/// # Errors
/// When it is no list of numbers.
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

/// The number of an option; one that no poll has where it is none.
fn number(value: &Value) -> Option<u8> {
    let name = crate::wire::fields::name(value)?;
    Some(name.parse().unwrap_or(u8::MAX))
}
