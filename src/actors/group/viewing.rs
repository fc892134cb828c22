//! Showing a group and its messages: only what is durable, and all of it.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::actors::ask::{Ask, Failure, Fault};
use crate::actors::group::GroupActor;
use crate::actors::group::protocol::{
    GroupView, ListMessages, MessagePage, ViewGroup, ViewRefusal,
};
use crate::actors::ledger::{Recording, Room};
use crate::actors::recent::merged;
use crate::domain::ids::UserId;
use crate::index::IndexFault;
use crate::index::archive::Page;

impl GroupActor {
    /// The group as decided so far: to be handed out once all of that is durable.
    pub(super) fn view(&mut self) -> GroupView {
        let group = self.group.as_ref().expect("only a group that exists is viewed");
        let shown = self.shown.get_or_insert_with(|| group.picture());
        GroupView {
            group: Arc::clone(shown),
            count: group.count,
            last: group.last.clone(),
            // What is durable by now. The view may show more; those events come to its
            // reader with higher numbers, and change nothing when applied again.
            n: self.ledger.head().n,
        }
    }

    fn may_read(&self, reader: UserId) -> bool {
        self.group.as_ref().is_some_and(|group| group.member(reader).is_some())
    }
}

impl Handler<Ask<ViewGroup>> for GroupActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<ViewGroup>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let seen = match self.may_read(ask.question.reader) {
            true => Ok(self.view()),
            false => Err(Failure::Refused(ViewRefusal::NotAMember)),
        };
        self.when_durable(move |room| {
            ask.reply.send(match room {
                Ok(_) => seen,
                Err(fault) => Err(Failure::Fault(fault)),
            });
        });
    }
}

impl Handler<Ask<ListMessages>> for GroupActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<ListMessages>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ListMessages { reader, page, limit } = ask.question;
        if !self.may_read(reader) {
            // They may be out by a decision that a crash could still take back.
            return self.when_durable(move |room| {
                ask.reply.send(match room {
                    Ok(_) => Err(Failure::Refused(ViewRefusal::NotAMember)),
                    Err(fault) => Err(Failure::Fault(fault)),
                });
            });
        }
        let count = self.recent.count();
        if let Some(messages) = self.recent.page(page, limit) {
            return ask.reply.send(Ok(MessagePage { count, messages }));
        }
        // The newest page is fetched in full, so that the next reader finds it here.
        let backfills = page == Page::Newest && self.recent.wants_more();
        let (wanted, fetch) = if backfills { (page, 100) } else { (page, limit) };
        let held = self.recent.matching(page, limit);
        let (archive, stream) = (self.ground.archive.clone(), self.stream());
        let liked_at = self.liked_at;
        let read = async move {
            // Likes that were answered are in the rows by then.
            archive.index.reached(liked_at).await?;
            let read = move || archive.page(stream, wanted, fetch);
            tokio::task::spawn_blocking(read).await.map_err(|_| IndexFault::Stopped)?
        };
        ctx.spawn(read.into_actor(self).map(move |read, room, _| {
            let archived = match read {
                Ok(archived) => archived,
                Err(fault) => return ask.reply.send(Err(Fault::from(fault).into())),
            };
            // A like that became durable meanwhile may be missing in what was read.
            if backfills && room.liked_at == liked_at {
                room.recent.backfill(&archived);
            }
            let messages = merged(page, archived, held, limit);
            ask.reply.send(Ok(MessagePage { count, messages }));
        }));
    }
}
