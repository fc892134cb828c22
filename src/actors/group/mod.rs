//! The room of a group: owns its log, its members and its settings.

use std::collections::HashSet;
use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::ask::{Answers, Fault, Posted, Question};
use crate::conversation::{ConversationRoom, MessageLog};
use crate::group::rules::HeldRules;
use crate::group::topics::TopicTie;
use crate::idle::Idle;
use crate::ledger::{Ledger, Recording, Room};
use crate::operator_rules::KnownOperatorRules;
use crate::room_context::RoomContext;
use domain::audience::Audience;
use domain::event::{Decision, Event, Fact, RoomState};
use domain::group::{BrokenRule, Group, GroupFact, RunningRules};
use domain::id_generator::IdGenerator;
use domain::ids::{AddId, Conversation, GroupId, MessageId, StreamId, UserId};
use domain::time::Moment;
use journal::{Committed, StreamHead};
use wire::group::GroupJson;

pub mod account_changes;
mod additions;
mod audit;
mod bans;
pub mod bots;
mod held;
pub mod invite_links;
mod join_requests;
mod liked_messages;
mod load;
mod membership;
pub mod polls;
mod posts;
pub mod protocol;
mod reports;
mod rules;
mod settings;
mod timeouts;
mod topics;
mod view;

pub use crate::recent::LoadedMessage;

/// The room's actor. `group` is `None` until the group is created.
pub struct GroupActor {
    id: GroupId,
    context: RoomContext,
    group: Option<Group>,
    log: MessageLog,
    ledger: Ledger<Self>,
    idle: Idle,
    /// Requests to add people whose accounts are being looked up.
    looked_up: HashSet<AddId>,
    /// The group as answers show it; made once per change.
    cached_json: Option<(Arc<Group>, Arc<GroupJson>)>,
    /// What answers showed before the newest change.
    earlier_json: Option<Arc<GroupJson>>,
    /// The rules, compiled; made once per change.
    compiled: Option<HeldRules>,
    /// The rules of the operators.
    operator_rules: KnownOperatorRules,
    /// Ties the rooms of a group and its topics together.
    tie: TopicTie,
}

impl GroupActor {
    /// A room that will load itself when it starts.
    pub fn new(id: GroupId, context: RoomContext, idle: Idle) -> Self {
        Self {
            id,
            context,
            group: None,
            log: MessageLog::default(),
            ledger: Ledger::at(StreamHead::default()),
            idle,
            looked_up: HashSet::new(),
            cached_json: None,
            earlier_json: None,
            compiled: None,
            operator_rules: KnownOperatorRules::default(),
            tie: TopicTie::None,
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
            Some(group) => rule(group, now, &*self.context.id_generator),
            None => Err(gone),
        }
    }
}

impl Actor for GroupActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        self.idle.watch(ctx, |room| (room.ledger.is_idle(), &mut room.idle));
        let load = load::load(self.id, self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok(Some(loaded)) => {
                room.log = MessageLog::starting(loaded.group.count, loaded.last);
                room.group = Some(loaded.group);
                room.ledger = Ledger::at(loaded.head);
                room.tie = loaded.parent.map_or(TopicTie::None, TopicTie::Topic);
                room.begin_as_parent();
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
        let Some(ask) = posted.open(Some(self.idle.asked())) else { return };
        if self.is_topic() && !Q::IN_TOPICS {
            return ask.answer_as_absent::<Self>();
        }
        self.follow_parent();
        Answers::<Q>::answer(self, ask, ctx);
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
            _ => Audience::nobody(),
        }
    }

    fn maker_of_bot(&self, number: UserId) -> Option<UserId> {
        let bots = &self.group.as_ref()?.bots;
        bots.values().find(|bot| bot.number == number).map(|bot| bot.creator)
    }

    fn stage(&mut self, event: &Event, now: Moment) -> RoomState {
        let Fact::Group(fact) = &event.fact else { return RoomState::default() };
        self.forget_compiled(fact);
        self.refresh_operator_rules();
        match (&mut self.group, fact) {
            (Some(group), fact) => group.apply(event.at, fact, now),
            (None, GroupFact::Created { settings, owner }) => {
                let settings = settings.clone();
                let owner = owner.clone();
                let mut group = Group::created(self.id, settings, owner, event.at);
                if let Some(rules) = self.operator_rules.known() {
                    group.watch_operators_rules(rules.rules());
                }
                self.group = Some(group);
            }
            (None, _) => debug_assert!(false, "a group is created before anything else"),
        }
        if let Some(shown) = self.stage_in_log(event) {
            let posted = event.fact.message().and(self.group.as_ref());
            let muters = posted.and_then(Group::muters);
            return RoomState { muters, ..shown };
        }
        if let GroupFact::Polled(change) = fact {
            let polls = self.group.as_ref().map(|group| &group.polls);
            let poll = polls.and_then(|polls| polls.get(change.poll())).cloned();
            return RoomState { poll, ..RoomState::default() };
        }
        if let Some((_, earlier)) = self.cached_json.take() {
            self.earlier_json = Some(earlier);
        }
        let group_snapshot = self.group.as_ref().map(Group::shared_copy);
        if let Some(snapshot) = &group_snapshot {
            self.show_topics(fact, snapshot);
        }
        let is_out = matches!(fact, GroupFact::MemberLeft { .. });
        let left = self.group.as_ref().filter(|_| is_out);
        let topics = left.map(Group::topic_ids).unwrap_or_default();
        RoomState { group_snapshot, topics, ..RoomState::default() }
    }

    fn settled(&mut self, commit: &Arc<Committed>) {
        self.settle_in_log(commit);
    }
}

impl ConversationRoom for GroupActor {
    type Rules = Group;

    fn conversation(&self) -> Conversation {
        Conversation::Group(self.id)
    }

    fn rules(&self) -> Option<&Group> {
        self.group.as_ref()
    }

    fn log(&mut self) -> &mut MessageLog {
        &mut self.log
    }

    fn screen<T>(
        &mut self,
        decided: Decision<T>,
        changed: Option<MessageId>,
        now: Moment,
    ) -> Decision<Result<T, BrokenRule>> {
        self.refresh_operator_rules();
        let of_group = self.compiled_rules();
        let of_operators = self.operator_rules.running();
        if of_group.is_none() && of_operators.is_none() {
            return Decision { facts: decided.facts, answer: Ok(decided.answer) };
        }
        let changed = changed.and_then(|message| self.log.pending_message(message));
        let rules = RunningRules { of_operators, of_group: of_group.as_deref() };
        let ids = &*self.context.id_generator;
        match &self.group {
            Some(group) => group.screen(decided, changed.as_deref(), rules, now, ids),
            None => Decision { facts: decided.facts, answer: Ok(decided.answer) },
        }
    }
}
