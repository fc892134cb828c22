//! The room of a group: owns its log, its members and its settings.

use std::collections::HashSet;
use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::actors::ask::{Answers, Fault, Posted, Question};
use crate::actors::calendar::PlanningRoom;
use crate::actors::idle::Idle;
use crate::actors::ledger::{Ledger, Recording, Room};
use crate::actors::likes::LikingRoom;
use crate::actors::message_page::ConversationRoom;
use crate::actors::message_room::MessageRoom;
use crate::actors::pending_messages::PendingMessages;
use crate::actors::recent::Recent;
use crate::actors::room_context::RoomContext;
use crate::domain::audience::Audience;
use crate::domain::event::{Decision, Event, Fact, RoomState};
use crate::domain::group::{Group, GroupFact};
use crate::domain::id_generator::IdGenerator;
use crate::domain::ids::{AddId, Conversation, GroupId, StreamId, UserId};
use crate::domain::likes::Likers;
use crate::domain::time::Moment;
use crate::journal::{Committed, Cursor, StreamHead};
use crate::wire::group::GroupJson;
use crate::wire::message;

mod adding;
mod alarms;
mod bans;
pub mod bots;
mod changing;
mod join_requests;
mod liking;
mod loading;
mod membership;
mod pinning;
mod planning;
pub mod polling;
mod posting;
mod previewing;
pub mod protocol;
pub mod reconciling;
mod revising;
mod timeouts;
mod viewing;

pub use crate::actors::recent::LoadedMessage;

/// The room's actor. `group` is `None` until the group is created.
pub struct GroupActor {
    id: GroupId,
    context: RoomContext,
    group: Option<Group>,
    recent: Recent,
    ledger: Ledger<Self>,
    idle: Idle,
    pending: PendingMessages,
    /// Requests to add people whose accounts are being looked up.
    looked_up: HashSet<AddId>,
    /// The record of the newest durable like, revision or answer to a message.
    newest_change: Cursor,
    /// The group as answers show it; made once per change.
    cached_json: Option<(Arc<Group>, Arc<GroupJson>)>,
}

impl GroupActor {
    /// A room that will load itself when it starts.
    pub fn new(id: GroupId, context: RoomContext, idle: Idle) -> Self {
        Self {
            id,
            context,
            group: None,
            recent: Recent::default(),
            ledger: Ledger::at(StreamHead::default()),
            idle,
            pending: PendingMessages::default(),
            looked_up: HashSet::new(),
            newest_change: Cursor::START,
            cached_json: None,
        }
    }

    /// Asks a rule for its decision. `gone` is the refusal if the group does not exist.
    pub(super) fn decide<T, E>(
        &self,
        now: Moment,
        gone: E,
        rule: impl FnOnce(&Group, Moment, &dyn IdGenerator) -> Result<Decision<T>, E>,
    ) -> Result<Decision<T>, E> {
        match &self.group {
            Some(group) => rule(group, now, &self.context.ids_for(self.stream())),
            None => Err(gone),
        }
    }
}

impl Actor for GroupActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        self.idle.watch(ctx, |room| (room.ledger.is_idle(), &mut room.idle));
        let load = loading::load(self.id, self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok(Some(loaded)) => {
                room.recent = Recent::starting(loaded.group.count, loaded.last);
                room.group = Some(loaded.group);
                room.ledger = Ledger::at(loaded.head);
                room.look_up_open_requests(ctx);
            }
            Ok(None) => {}
            Err(fault) => {
                tracing::error!(
                    group.id = %room.id, %fault,
                    "loading a group failed; the next request loads it again"
                );
                room.ledger.close(Fault::from(fault));
                ctx.stop();
            }
        }));
    }
}

impl<Q: Question> Handler<Posted<Q>> for GroupActor
where
    Self: Answers<Q>,
{
    type Result = ();

    fn handle(&mut self, posted: Posted<Q>, ctx: &mut Context<Self>) {
        if let Some(ask) = posted.open(Some(self.idle.asked())) {
            Answers::<Q>::answer(self, ask, ctx);
        }
    }
}

impl Room for GroupActor {
    fn is_alone(&self) -> bool {
        self.idle.is_alone()
    }

    fn stream(&self) -> StreamId {
        StreamId::Group(self.id)
    }

    fn context(&self) -> &RoomContext {
        &self.context
    }

    fn ledger(&mut self) -> &mut Ledger<Self> {
        &mut self.ledger
    }

    fn audience_of(&self, fact: &Fact) -> Audience {
        match (fact, &self.group) {
            (Fact::Group(fact), Some(group)) => group.audience_of(fact),
            (Fact::Group(GroupFact::Created { owner, .. }), None) => Audience::of([owner.user_id]),
            (
                Fact::Group(_)
                | Fact::User(_)
                | Fact::Chat(_)
                | Fact::Answered(_)
                | Fact::AlarmSettled(_)
                | Fact::Callback(_)
                | Fact::Audit(_)
                | Fact::Instance(_)
                | Fact::Name(_),
                _,
            ) => Audience::nobody(),
        }
    }

    fn maker_of_bot(&self, number: UserId) -> Option<UserId> {
        let bots = &self.group.as_ref()?.bots;
        bots.values().find(|bot| bot.number == number).map(|bot| bot.creator)
    }

    fn stage(&mut self, event: &Event, now: Moment) -> RoomState {
        let Fact::Group(fact) = &event.fact else { return RoomState::default() };
        match (&mut self.group, fact) {
            (Some(group), fact) => group.apply(event.at, fact, now),
            (None, GroupFact::Created { settings, owner }) => {
                let settings = settings.clone();
                let owner = owner.clone();
                self.group = Some(Group::created(self.id, settings, owner, event.at));
            }
            (None, _) => debug_assert!(false, "a group is created before anything else"),
        }
        if let GroupFact::Posted(message) = fact {
            self.stage_reply(&event.fact, event.at);
            let json = message::json(self.id, message, Likers::NOBODY, &self.context.instance);
            let muters = self.group.as_ref().and_then(Group::muters);
            return RoomState { message: Some(json), muters, ..RoomState::default() };
        }
        if let Some(revised) = self.stage_revision(event) {
            return revised;
        }
        if let GroupFact::Polled(change) = fact {
            let polls = self.group.as_ref().map(|group| &group.polls);
            let poll = polls.and_then(|polls| polls.get(change.poll())).cloned();
            return RoomState { poll, ..RoomState::default() };
        }
        if let GroupFact::Planned(change) = fact {
            let planned = self.known_event(change.event());
            return RoomState { planned, ..RoomState::default() };
        }
        let likers = self.stage_like(&event.fact);
        if likers.is_some() {
            return RoomState { likers, ..RoomState::default() };
        }
        self.cached_json = None;
        RoomState {
            group_snapshot: self.group.as_ref().map(Group::shared_copy),
            ..RoomState::default()
        }
    }

    fn settled(&mut self, commit: &Arc<Committed>) {
        let applied = self.context.archive.index.applied();
        for entry in &commit.entries {
            match entry.shown_message() {
                Some(shown) => {
                    self.recent.push(shown, commit.cursor, applied);
                    self.settle_reply(entry, commit.cursor);
                }
                None => {
                    self.settle_like(&entry.event.fact, commit.cursor);
                    self.settle_revision(entry, commit.cursor);
                }
            }
        }
    }
}

impl ConversationRoom for GroupActor {
    fn conversation(&self) -> Conversation {
        Conversation::Group(self.id)
    }

    fn recent(&mut self) -> &mut Recent {
        &mut self.recent
    }

    fn newest_change(&self) -> Cursor {
        self.newest_change
    }
}
