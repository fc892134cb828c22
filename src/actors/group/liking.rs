//! Liking: finds the likes of the message, asks the rule, records.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::actors::ask::{Ask, Failure, Fault};
use crate::actors::group::GroupActor;
use crate::actors::group::protocol::{LikeMessage, LikesPage, ListLikes, ViewRefusal, Wish};
use crate::actors::ledger::{Recording, Room};
use crate::domain::event::{Decision, Fact};
use crate::domain::group::GroupFact;
use crate::domain::ids::{MessageId, StreamId};
use crate::domain::likes::{LikeRefusal, Likes};
use crate::domain::time::Timestamp;
use crate::index::IndexFault;
use crate::index::archive::{Archive, Archived};
use crate::journal::Cursor;

impl Handler<Ask<LikeMessage>> for GroupActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<LikeMessage>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        self.like(ask, ctx);
    }
}

impl GroupActor {
    fn like(&mut self, ask: Ask<LikeMessage>, ctx: &mut Context<Self>) {
        let LikeMessage { by, message, wish } = ask.question;
        let is_member = self.group.as_ref().is_some_and(|group| group.member(by).is_some());
        if !is_member {
            return ask.reply.send(Err(Failure::Refused(LikeRefusal::NotAMember)));
        }
        if self.likes.get(message).is_none()
            && let Some(known) = self.recent.likes_of(message)
        {
            self.likes.lay(known, self.likes.mark());
        }
        let Some(likes) = self.likes.get(message) else { return self.look_likes_up(ask, ctx) };
        let now = self.ground.clock.now();
        let fact = match wish {
            Wish::Like => likes.give(by, now.wall).map(GroupFact::Liked),
            Wish::Unlike => likes.take_back(by).map(GroupFact::Unliked),
        };
        let facts = fact.map(Fact::Group).into_iter().collect();
        self.record(Ok(Decision { facts, answer: () }), now, ask.reply, ctx);
    }

    /// Fetches the likes of an older message, then goes on.
    fn look_likes_up(&self, ask: Ask<LikeMessage>, ctx: &mut Context<Self>) {
        let mark = self.likes.mark();
        let message = ask.question.message;
        let (archive, stream) = (self.ground.archive.clone(), self.stream());
        let find = find_likes(archive, stream, message, self.liked_at);
        ctx.spawn(find.into_actor(self).map(move |found, room, ctx| match found {
            Ok(Some(likes)) => {
                // Not laid means stale; then the next attempt looks again.
                room.likes.lay(likes, mark);
                room.like(ask, ctx);
            }
            Ok(None) => ask.reply.send(Err(Failure::Refused(LikeRefusal::NoMessage))),
            Err(fault) => ask.reply.send(Err(Fault::from(fault).into())),
        }));
    }
}

async fn find_likes(
    archive: Archive,
    stream: StreamId,
    message: MessageId,
    changed: Cursor,
) -> Result<Option<Likes>, IndexFault> {
    archive.index.reached(changed).await?;
    let find = move || {
        let Some(found) = archive.message(stream, message)? else { return Ok(None) };
        let author = found.message.author.clone();
        archive.index.likes(stream, message, author).map(Some)
    };
    tokio::task::spawn_blocking(find).await.map_err(|_| IndexFault::Stopped)?
}

impl Handler<Ask<ListLikes>> for GroupActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<ListLikes>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ListLikes { reader, page } = ask.question;
        let is_member = self.group.as_ref().is_some_and(|group| group.member(reader).is_some());
        if !is_member {
            return ask.reply.send(Err(Failure::Refused(ViewRefusal::NotAMember)));
        }
        let (archive, stream) = (self.ground.archive.clone(), self.stream());
        let now = self.ground.clock.now().wall;
        let newest = self.ground.archive.journal.newest();
        let list = async move {
            // Also what was posted just now can stand on a leaderboard.
            archive.index.reached(newest).await?;
            let read = move || archive.liked(stream, reader, page, now);
            tokio::task::spawn_blocking(read).await.map_err(|_| IndexFault::Stopped)?
        };
        ctx.spawn(list.into_actor(self).map(move |found, _, _| {
            ask.reply.send(found.map_err(|fault| Fault::from(fault).into()));
        }));
    }
}

impl Archive {
    /// One list of liked messages; each with the time of the reader's like, where the
    /// list is of those.
    fn liked(
        &self,
        stream: StreamId,
        reader: crate::domain::ids::UserId,
        page: LikesPage,
        now: Timestamp,
    ) -> Result<Vec<(Archived, Option<Timestamp>)>, IndexFault> {
        let plain = |ids: Vec<MessageId>| ids.into_iter().map(|id| (id, None)).collect();
        let wanted: Vec<(MessageId, Option<Timestamp>)> = match page {
            LikesPage::Leaders { seconds } => {
                let from = now.seconds().saturating_sub(seconds);
                plain(self.index.leaders(stream, from, now.seconds())?)
            }
            LikesPage::Mine => {
                let mine = self.index.liked_by(reader, stream)?;
                mine.into_iter().map(|(id, liked_at)| (id, Some(liked_at))).collect()
            }
            LikesPage::ForMe => plain(self.index.liked_of(reader, stream)?),
        };
        let mut found = Vec::with_capacity(wanted.len());
        for (id, liked_at) in wanted {
            found.extend(self.message(stream, id)?.map(|message| (message, liked_at)));
        }
        Ok(found)
    }
}

impl GroupActor {
    /// Learns that a like, or the end of one, is durable.
    pub(super) fn settle_like(
        &mut self,
        change: &crate::domain::likes::LikeChange,
        is_given: bool,
        record: Cursor,
    ) {
        let applied = self.ground.archive.index.applied();
        self.likes.settle(change, record, applied);
        self.recent.change_like(change, is_given);
        self.liked_at = record;
    }

    /// Who likes a message after a change that was decided just now.
    pub(super) fn stage_like(
        &mut self,
        fact: &GroupFact,
    ) -> Option<Arc<[crate::domain::ids::UserId]>> {
        match fact {
            GroupFact::Liked(change) => Some(self.likes.stage(change, true).into()),
            GroupFact::Unliked(change) => Some(self.likes.stage(change, false).into()),
            GroupFact::Created { .. }
            | GroupFact::Posted(_)
            | GroupFact::MembersJoined { .. }
            | GroupFact::MemberLeft { .. }
            | GroupFact::MemberChanged { .. }
            | GroupFact::SettingsChanged { .. }
            | GroupFact::OwnerChanged { .. }
            | GroupFact::Disbanded { .. }
            | GroupFact::AddRequested(_)
            | GroupFact::AddSettled { .. }
            | GroupFact::BotAdded(_)
            | GroupFact::BotRemoved(_)
            | GroupFact::Invited { .. }
            | GroupFact::InvitesSettled { .. } => None,
        }
    }
}
