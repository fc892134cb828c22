//! Liking: finds the likes of the message, asks the rule, records. The same for groups
//! and chats.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, WrapFuture};

use crate::actors::ask::{Ask, Failure, Fault, Question};
use crate::actors::ledger::Recording;
use crate::actors::likes::PendingLikes;
use crate::actors::paging::Logging;
use crate::domain::event::{Decision, Fact};
use crate::domain::ids::{MessageId, StreamId, UserId};
use crate::domain::likes::{LikeChange, LikeRefusal, Likes};
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;

/// Gives or takes back a like. Asked by `http::likes`; answers when it is on disk, also
/// when nothing had to change.
#[derive(Debug, Clone, Copy)]
pub struct LikeMessage {
    /// Whose like.
    pub by: UserId,
    /// Of which message.
    pub message: MessageId,
    /// Which of the two.
    pub action: LikeAction,
}

/// What is to become of a like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikeAction {
    /// That it be there.
    Like,
    /// That it be gone.
    Unlike,
}

impl Question for LikeMessage {
    type Answer = ();
    type Refusal = LikeRefusal;
}

/// A room whose messages can be liked.
pub(super) trait LikeableRoom: Logging {
    /// The likes it is working on.
    fn likes(&mut self) -> &mut PendingLikes;

    /// Notes the record of its newest durable like.
    fn set_liked_at(&mut self, record: Cursor);

    /// Whether this user may like here.
    fn may_like(&self, user: UserId) -> bool;

    /// The fact of a change here.
    fn like_fact(&self, change: LikeChange, action: LikeAction) -> Fact;

    /// Does what was asked, or looks the message's likes up first.
    fn like(&mut self, ask: Ask<LikeMessage>, ctx: &mut Self::Context) {
        let LikeMessage { by, message, action } = ask.question;
        if !self.may_like(by) {
            return ask.reply.send(Err(Failure::Refused(LikeRefusal::NotAMember)));
        }
        if self.likes().get(message).is_none()
            && let Some(known) = self.recent().likes_of(message)
        {
            let mark = self.likes().mark();
            self.likes().lay(known, mark);
        }
        let now = self.context().clock.now();
        let applied = self.context().archive.index.applied();
        self.likes().tidy(message, applied);
        let Some(likes) = self.likes().get(message) else {
            return self.look_likes_up(ask, ctx);
        };
        let change = match action {
            LikeAction::Like => likes.give(by, now.wall),
            LikeAction::Unlike => likes.take_back(by),
        };
        let facts = change.map(|change| self.like_fact(change, action)).into_iter().collect();
        self.record(Ok(Decision { facts, answer: () }), now, ask.reply, ctx);
    }

    /// Fetches the likes of an older message, then goes on.
    fn look_likes_up(&mut self, ask: Ask<LikeMessage>, ctx: &mut Self::Context) {
        let mark = self.likes().mark();
        let (archive, stream) = (self.context().archive.clone(), self.stream());
        let find = find_likes(archive, stream, ask.question.message, self.liked_at());
        ctx.spawn(find.into_actor(self).map(move |found, room: &mut Self, ctx| match found {
            Ok(Some(likes)) => {
                // Not laid means stale; then the next attempt looks again.
                room.likes().lay(likes, mark);
                room.like(ask, ctx);
            }
            Ok(None) => ask.reply.send(Err(Failure::Refused(LikeRefusal::NoMessage))),
            Err(fault) => ask.reply.send(Err(Fault::from(fault).into())),
        }));
    }

    /// Makes a change true that was decided just now, if the fact is one. Who likes the
    /// message then.
    fn stage_like(&mut self, fact: &Fact) -> Option<Arc<[UserId]>> {
        let (change, is_given) = fact.like()?;
        Some(self.likes().stage(change, is_given).into())
    }

    /// Learns that a fact is durable; tells whether it was about a like.
    fn settle_like(&mut self, fact: &Fact, record: Cursor) {
        let Some((change, is_given)) = fact.like() else { return };
        let applied = self.context().archive.index.applied();
        self.likes().settle(change, record, applied);
        self.recent().change_like(change, is_given);
        self.set_liked_at(record);
    }
}

async fn find_likes(
    archive: Archive,
    stream: StreamId,
    message: MessageId,
    changed: Cursor,
) -> Result<Option<Likes>, IndexFault> {
    archive.index.reached(changed).await?;
    let find = move |archive: &Archive| {
        let Some(found) = archive.message(stream, message)? else { return Ok(None) };
        let author = found.message.author.clone();
        archive.index.likes(stream, message, author).map(Some)
    };
    archive.blocking(find).await
}
