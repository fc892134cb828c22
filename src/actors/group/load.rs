//! Loads a group's room from what is durable.

use std::sync::Arc;

use crate::last_minute::last_minute;
use crate::room_context::RoomContext;
use crate::topic_parents::{ParentCell, TopicParents};
use domain::group::{
    ActivityFromLog, Group, GroupParts, LastPosts, LastPostsFromLog, MemberActivity,
};
use domain::ids::{GroupId, StreamId};
use domain::message::Author;
use domain::operators::rules::OperatorRules;
use domain::time::{Moment, Timestamp};
use index::archive::{Archive, Archived, Page};
use index::topics::TopicRow;
use index::{Flow, IndexFault};
use journal::StreamHead;

/// A group or a topic, where its stream ends, and its newest message.
pub(super) struct LoadedGroup {
    pub(super) group: Group,
    pub(super) head: StreamHead,
    pub(super) last: Option<Archived>,
    /// Where a topic finds the state of its group.
    pub(super) parent: Option<Arc<ParentCell>>,
}

/// Loads a group or a topic; `None` if it does not exist.
pub(super) async fn load(
    id: GroupId,
    context: RoomContext,
) -> Result<Option<LoadedGroup>, IndexFault> {
    let RoomContext { archive, clock, operator_rules, topic_parents, .. } = context;
    let read = archive.read_current(StreamId::Group(id), move |archive| {
        let rules = operator_rules.load(&archive.index)?;
        match archive.index.topic(id)? {
            Some(row) => read_topic(&row, archive, &rules, &topic_parents, clock.now()).map(Some),
            None => read(id, archive, &rules, clock.now()),
        }
    });
    read.await
}

/// Reads the last posts of members that slow mode counts.
fn last_posts(
    archive: &Archive,
    stream: StreamId,
    parts: &GroupParts,
    now: Moment,
) -> Result<LastPosts, IndexFault> {
    let pause = u64::from(parts.settings.slow_mode) * 1000;
    if pause == 0 {
        return Ok(LastPosts::default());
    }
    let bots = parts.bots.iter().map(|bot| (bot.id.clone(), bot.clone())).collect();
    let mut posts = LastPostsFromLog::of(&bots);
    let from = Timestamp::from_millis(now.wall.millis().saturating_sub(pause));
    archive.decided_since(stream, from, &mut |at, message| {
        posts.add(&message, at);
        Ok(())
    })?;
    Ok(posts.finish())
}

/// Reads what members did lately, as far as rules count it.
fn activity(
    archive: &Archive,
    stream: StreamId,
    parts: &GroupParts,
    rules: &OperatorRules,
    now: Moment,
) -> Result<MemberActivity, IndexFault> {
    let mut activity = ActivityFromLog::of(&parts.rules, rules.rules());
    if !activity.is_idle() {
        archive.newest_first(stream, &mut |at, message| {
            let user = match message.author {
                Author::Member(user) => Some(user),
                Author::Bot(number) => {
                    let bot = parts.bots.iter().find(|bot| bot.number == number);
                    bot.map(|bot| bot.creator)
                }
                Author::System => None,
            };
            match activity.add(&message, user, at, now.wall) {
                true => Flow::Continue,
                false => Flow::Stop,
            }
        })?;
    }
    Ok(activity.finish())
}

fn read(
    id: GroupId,
    archive: &Archive,
    rules: &OperatorRules,
    now: Moment,
) -> Result<Option<LoadedGroup>, IndexFault> {
    let index = &archive.index;
    let Some(row) = index.group(id)? else { return Ok(None) };
    let parts = GroupParts {
        members: index.members(id)?,
        former: index.former_members(id)?,
        open_adds: index.open_adds_of(id)?,
        bots: index.bots_of_group(id)?.into_iter().map(|row| row.bot).collect(),
        invites: index.invites(id)?,
        requests: index.join_requests(id)?,
        denials: index.denials(id)?,
        bans: index.bans(id)?,
        rules: index.rules(id)?,
        appeals: index.appeals(id)?,
        invite_links: index.invite_links(id)?,
        topics: index.topics(id)?,
        ..row.parts()
    };
    let log = with_log(id, parts, archive, rules, now)?;
    let group = Group::assembled(id, log.parts);
    Ok(Some(LoadedGroup { group, head: log.head, last: log.last, parent: None }))
}

/// Reads a topic. If no room has put the state of its group into the cell, the group is read too.
fn read_topic(
    row: &TopicRow,
    archive: &Archive,
    rules: &OperatorRules,
    parents: &TopicParents,
    now: Moment,
) -> Result<LoadedGroup, IndexFault> {
    let cell = parents.of(row.group);
    let parent = match cell.newest() {
        Some(parent) => parent,
        None => {
            let group = read(row.group, archive, rules, now)?.map(|loaded| loaded.group);
            let gone = || IndexFault::Row {
                table: "topic",
                reason: format!("the group {} is missing", row.group),
            };
            cell.put_if_empty(group.ok_or_else(gone)?.as_parent())
        }
    };
    let TopicRow { topic, .. } = row;
    let settings = topic.settings(&parent.group.settings);
    let parts = GroupParts {
        rules: Arc::clone(&parent.rules),
        ..GroupParts::new(settings, parent.group.creator, topic.created_at)
    };
    let log = with_log(topic.id, parts, archive, rules, now)?;
    let group = Group::of_topic(topic, &parent, log.parts);
    Ok(LoadedGroup { group, head: log.head, last: log.last, parent: Some(cell) })
}

/// The parts of a group with what follows from its log, where its stream ends, and its newest message.
struct PartsWithLog {
    parts: GroupParts,
    head: StreamHead,
    last: Option<Archived>,
}

/// Adds what follows from the log of a group or a topic, and what it has for its messages.
fn with_log(
    id: GroupId,
    parts: GroupParts,
    archive: &Archive,
    rules: &OperatorRules,
    now: Moment,
) -> Result<PartsWithLog, IndexFault> {
    let index = &archive.index;
    let stream = StreamId::Group(id);
    let head = index.tail(stream)?.unwrap_or_default().head();
    let last = archive.page(stream, Page::Newest, 1)?.pop();
    let mut parts = GroupParts {
        timeouts: index.timeouts(id)?,
        open_reports: index.open_reports(id)?,
        held: index.held(id)?,
        pins: index.pinned(stream)?.into_iter().collect(),
        polls: index.open_polls(stream)?.into_iter().collect(),
        calendar: index.open_calendar(stream, now.wall)?.into_iter().collect(),
        guids: last_minute(archive, stream, last.as_ref().map(|it| &*it.message), now, Ok)?,
        last: last.as_ref().map(|it| Arc::clone(&it.message)),
        ..parts
    };
    parts.last_posts = last_posts(archive, stream, &parts, now)?;
    parts.activity = activity(archive, stream, &parts, rules, now)?;
    Ok(PartsWithLog { parts, head, last })
}
