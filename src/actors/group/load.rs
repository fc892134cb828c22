//! Loads a group's room from what is durable.

use std::sync::Arc;

use crate::last_minute::last_minute;
use crate::room_context::RoomContext;
use domain::group::{
    ActivityFromLog, Group, GroupParts, LastPosts, LastPostsFromLog, MemberActivity,
};
use domain::ids::{GroupId, StreamId};
use domain::message::Author;
use domain::operators::rules::OperatorRules;
use domain::time::{Moment, Timestamp};
use index::archive::{Archive, Archived, Page};
use index::{Flow, IndexFault};
use journal::StreamHead;

/// A group, where its stream ends, and its newest message.
pub(super) struct LoadedGroup {
    pub(super) group: Group,
    pub(super) head: StreamHead,
    pub(super) last: Option<Archived>,
}

/// Loads a group; `None` if it does not exist.
pub(super) async fn load(
    id: GroupId,
    context: RoomContext,
) -> Result<Option<LoadedGroup>, IndexFault> {
    let RoomContext { archive, clock, operator_rules, .. } = context;
    let read = archive.read_current(StreamId::Group(id), move |archive| {
        let rules = operator_rules.load(&archive.index)?;
        read(id, archive, &rules, clock.now())
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
    let stream = StreamId::Group(id);
    let tail = index.tail(stream)?.unwrap_or_default();
    let last = archive.page(stream, Page::Newest, 1)?.pop();
    let mut parts = GroupParts {
        members: index.members(id)?,
        former: index.former_members(id)?,
        open_adds: index.open_adds_of(id)?,
        bots: index.bots_of_group(id)?.into_iter().map(|row| row.bot).collect(),
        invites: index.invites(id)?,
        requests: index.join_requests(id)?,
        denials: index.denials(id)?,
        bans: index.bans(id)?,
        timeouts: index.timeouts(id)?,
        open_reports: index.open_reports(id)?,
        rules: index.rules(id)?,
        held: index.held(id)?,
        appeals: index.appeals(id)?,
        invite_links: index.invite_links(id)?,
        pins: index.pinned(stream)?.into_iter().collect(),
        polls: index.open_polls(stream)?.into_iter().collect(),
        calendar: index.open_calendar(stream, now.wall)?.into_iter().collect(),
        guids: last_minute(archive, stream, last.as_ref().map(|it| &*it.message), now, Ok)?,
        last: last.as_ref().map(|it| Arc::clone(&it.message)),
        ..row.parts()
    };
    parts.last_posts = last_posts(archive, stream, &parts, now)?;
    parts.activity = activity(archive, stream, &parts, rules, now)?;
    Ok(Some(LoadedGroup { group: Group::assembled(id, parts), head: tail.head(), last }))
}
