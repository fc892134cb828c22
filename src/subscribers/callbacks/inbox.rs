//! Handling of commits in the dispatcher: new events, bots that are added, changed and removed, and
//! accounts that are disabled and enabled.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::callbacks::dispatcher::Dispatcher;
use crate::callbacks::event::{self, CallbackEvent};
use crate::callbacks::log_reads::{self, EndpointRecord};
use crate::frames::Numbered;
use domain::event::{Fact, RoomState};
use domain::group::{Bot, GroupFact};
use domain::ids::{GroupId, StreamId, UserId};
use domain::message::ShownMessage;
use domain::user::UserFact;
use index::rows::BotRow;
use journal::Committed;
use outgoing::target::Target;

/// Durable commits of groups with bots, and of users whose accounts are disabled or enabled.
#[derive(Debug, actix::Message)]
#[rtype(result = "()")]
pub struct InboxBatch(pub Vec<Arc<Committed>>);

impl Dispatcher {
    /// Applies a bot that is new or changed.
    fn bot_changed(&mut self, group: GroupId, bot: &Bot, ctx: &mut Context<Self>) {
        let known = self.scheduler.endpoint(bot.number);
        if !bot.is_called_back() {
            self.scheduler.forget(bot.number);
            return self.tell_interest();
        }
        if known.is_some_and(|known| known.bot.callback_url == bot.callback_url) {
            self.scheduler.update_bot(bot);
            return self.fill(bot.number, ctx);
        }
        let row = BotRow { group, bot: bot.clone() };
        let read = log_reads::bot(self.context.archive.clone(), row);
        ctx.wait(read.into_actor(self).map(|record, dispatcher, ctx| match record {
            Ok(records) => dispatcher.register_all(records, ctx),
            Err(fault) => dispatcher.restart_after_fault(&fault, ctx),
        }));
    }

    /// Registers these bots; each continues from its position.
    pub(super) fn register_all(
        &mut self,
        records: impl IntoIterator<Item = EndpointRecord>,
        ctx: &mut Context<Self>,
    ) {
        let mut numbers = Vec::new();
        for (row, so_far, open) in records {
            let host = origin(&row.bot);
            numbers.push(row.bot.number);
            self.scheduler.register(row, host, so_far, open);
        }
        // The groups are registered before the logs are read, so that no event is missed between
        // the read and the first batch.
        self.tell_interest();
        numbers.into_iter().for_each(|number| self.fill(number, ctx));
    }

    /// Stops the bots of a disabled account, or continues those of an enabled one where they
    /// stopped: what happened in their groups meanwhile is in the log. Bots of an account that an
    /// operator or a directory still keeps disabled are not among those that are read.
    fn hear_of_creator(&mut self, creator: UserId, fact: &UserFact, ctx: &mut Context<Self>) {
        if fact.changes_standing() {
            self.scheduler.bots_by(creator).into_iter().for_each(|bot| self.scheduler.forget(bot));
            self.tell_interest();
        }
        if fact.may_enable() {
            let read = log_reads::bots_of(self.context.archive.clone(), creator);
            ctx.wait(read.into_actor(self).map(|records, dispatcher, ctx| match records {
                Ok(records) => dispatcher.register_all(records, ctx),
                Err(fault) => dispatcher.restart_after_fault(&fault, ctx),
            }));
        }
    }

    fn hear(&mut self, commit: &Committed, ctx: &mut Context<Self>) {
        for ((cursor, n, event), entry) in commit.numbered().zip(&commit.entries) {
            match (&entry.event.fact, commit.stream) {
                (Fact::Group(fact), StreamId::Group(group)) => {
                    let told = Numbered::live(commit.stream, cursor, n, event, &entry.state);
                    self.hear_event(group, fact, told);
                    self.hear_of(group, fact, &entry.state, ctx);
                }
                (Fact::User(fact), StreamId::User(user)) => self.hear_of_creator(user, fact, ctx),
                _ => {}
            }
        }
    }

    /// Passes an event to the bots that are called back for its kind.
    fn hear_event(&mut self, group: GroupId, fact: &GroupFact, told: Numbered<'_>) {
        let kind = fact.bot_event().filter(|kind| self.scheduler.wants(group, *kind));
        let json = kind.and_then(|_| event::payload(&told, &self.context.instance));
        let (Some(json), Some(n)) = (json, told.n) else { return };
        let now = self.now();
        let event = Arc::clone(told.event);
        self.scheduler.hear(group, &CallbackEvent { n, event, json }, now);
    }

    fn hear_of(
        &mut self,
        group: GroupId,
        fact: &GroupFact,
        state: &RoomState,
        ctx: &mut Context<Self>,
    ) {
        match fact {
            GroupFact::Revised(_) => {
                if let (Some(message), Some(json)) = (&state.revised, &state.message) {
                    let message = Arc::clone(message);
                    let json = json.clone();
                    self.scheduler.revise(group, &ShownMessage { message, json });
                    let bots = self.scheduler.bots_of(group);
                    bots.into_iter().for_each(|bot| self.fill(bot, ctx));
                }
            }
            GroupFact::BotAdded(bot) | GroupFact::BotChanged(bot) => {
                self.bot_changed(group, bot, ctx)
            }
            GroupFact::BotRemoved(bot) => {
                self.scheduler.forget(bot.number);
                self.tell_interest();
            }
            GroupFact::Disbanded { .. } => {
                self.scheduler
                    .bots_of(group)
                    .into_iter()
                    .for_each(|bot| self.scheduler.forget(bot));
                self.tell_interest();
            }
            // Their bots rest. When they become a member again, each of the bots is changed.
            GroupFact::MemberLeft { member, .. } => {
                let bots = self.scheduler.bots_of(group);
                for bot in bots {
                    let endpoint = self.scheduler.endpoint(bot);
                    if endpoint.is_some_and(|it| it.bot.creator == member.user_id) {
                        self.scheduler.forget(bot);
                    }
                }
                self.tell_interest();
            }
            GroupFact::Posted(_)
            | GroupFact::Created { .. }
            | GroupFact::MembersJoined { .. }
            | GroupFact::MemberChanged { .. }
            | GroupFact::SettingsChanged { .. }
            | GroupFact::OwnerChanged { .. }
            | GroupFact::AddRequested(_)
            | GroupFact::AddSettled { .. }
            | GroupFact::Liked(_)
            | GroupFact::Unliked(_)
            | GroupFact::Polled(_)
            | GroupFact::Planned(_)
            | GroupFact::Invited { .. }
            | GroupFact::InvitesSettled { .. }
            | GroupFact::JoinRequested(_)
            | GroupFact::RequestSettled { .. }
            | GroupFact::Moderated(_)
            | GroupFact::Topic(_) => {}
        }
    }
}

impl Handler<InboxBatch> for Dispatcher {
    type Result = ();

    fn handle(&mut self, heard: InboxBatch, ctx: &mut Context<Self>) {
        heard.0.iter().for_each(|commit| self.hear(commit, ctx));
        self.send_due(ctx);
    }
}

/// Scheme, host and port of the callback URL: bots with the same origin share a breaker.
fn origin(bot: &Bot) -> Arc<str> {
    let target = bot.callback_url.as_ref().and_then(|url| Target::parse(url.as_str()).ok());
    target.map_or_else(|| "".into(), |target| target.origin().into())
}
