//! Looking up who sees how a user looks, before that changes.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::actors::ask::Fault;
use crate::actors::user::UserActor;
use crate::domain::audience::ChatContacts;

impl UserActor {
    /// Goes on once it is known who has a chat with the user. A chat that begins after
    /// that is added by those who carry the change out.
    pub(super) fn with_chat_contacts(
        &mut self,
        ctx: &mut Context<Self>,
        go_on: impl FnOnce(&mut Self, Result<(), Fault>, &mut Context<Self>) + 'static,
    ) {
        let (archive, id) = (self.context.archive.clone(), self.id);
        let as_of = self.context.clock.now().mono;
        let look = async move { archive.currently(move |archive| archive.index.chats(id)).await };
        ctx.spawn(look.into_actor(self).map(move |found, room: &mut Self, ctx| match found {
            Ok(chats) => {
                let users = chats.into_iter().map(|(other, _)| other).collect();
                room.chat_contacts = Some(ChatContacts { users, as_of });
                go_on(room, Ok(()), ctx);
                // Nobody's any more, if nothing changed.
                room.chat_contacts = None;
            }
            Err(fault) => go_on(room, Err(fault.into()), ctx),
        }));
    }
}
