//! Changes of a user's profile and SMS mode. Before the public profile changes, the chat contacts
//! who see it are looked up.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Fault};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{ChangeProfile, NamingRefusal, SetSmsMode, UserRefusal};
use domain::audience::ChatContacts;

impl Answers<ChangeProfile> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ChangeProfile> {
        Some(Err(NamingRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ChangeProfile>, ctx: &mut Context<Self>) {
        let change = &ask.question.change;
        if !self.user.as_ref().is_some_and(|user| user.changes_public_profile(change)) {
            return self.change_profile(ask, ctx);
        }
        self.with_chat_contacts(ctx, |room, looked_up, ctx| match looked_up {
            Ok(()) => room.change_profile(ask, ctx),
            Err(fault) => ask.reply.send(Err(fault.into())),
        });
    }
}

impl UserActor {
    /// Continues once the users who have a chat with this one were looked up. Followers that carry
    /// the change out add chats that begin later.
    pub(super) fn with_chat_contacts(
        &mut self,
        ctx: &mut Context<Self>,
        go_on: impl FnOnce(&mut Self, Result<(), Fault>, &mut Context<Self>) + 'static,
    ) {
        let archive = self.context.archive.clone();
        let id = self.id;
        let as_of = self.context.clock.now().mono;
        let look =
            async move { archive.read_current(id, move |archive| archive.index.chats(id)).await };
        ctx.spawn(look.into_actor(self).map(move |found, room: &mut Self, ctx| match found {
            Ok(chats) => {
                let users = chats.into_iter().map(|(other, _)| other).collect();
                room.chat_contacts = Some(ChatContacts { users, as_of });
                go_on(room, Ok(()), ctx);
                // If nothing changed, the contacts were not used and do not count for a later
                // decision.
                room.chat_contacts = None;
            }
            Err(fault) => go_on(room, Err(fault.into()), ctx),
        }));
    }

    fn change_profile(&mut self, ask: Ask<ChangeProfile>, ctx: &mut Context<Self>) {
        let ChangeProfile { change, claimed, entered } = &ask.question;
        let now = self.context.clock.now();
        let is_late = claimed.is_none_or(|until| now.mono >= until);
        let decided = match &self.user {
            Some(user) if user.adds_contact(change) && is_late => Err(NamingRefusal::Late),
            Some(user) if user.changes_contacts_too_often(change, now.wall) => {
                Err(NamingRefusal::TooOften)
            }
            Some(user) => {
                let entered = entered.clone().map_or_else(
                    || Ok(Vec::new()),
                    |entered| user.enter_address(entered, now.wall),
                );
                entered.map_err(|_| NamingRefusal::TooOften).map(|facts| {
                    let mut decision = user.change_profile(change);
                    decision.facts.extend(facts);
                    decision
                })
            }
            None => Err(NamingRefusal::Unknown),
        };
        self.record_as(decided, now, ask.reply, ctx, |room, ()| room.account_after_decision());
    }
}

impl Answers<SetSmsMode> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<SetSmsMode> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<SetSmsMode>, ctx: &mut Context<Self>) {
        let decided = match (&self.user, ask.question.mode) {
            (Some(user), Some(mode)) => Ok(user.sms_on(mode)),
            (Some(user), None) => Ok(user.sms_off()),
            (None, _) => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
