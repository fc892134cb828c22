//! The courier: hears of messages, sends what is due, and records how it went.
//!
//! How a delivery stands is decided like every fact: staged, committed, and only then
//! acted upon. Until an end is durable its bot gets nothing more, so a crash repeats at
//! most the attempt that was under way. What ends while a commit is under way gathers
//! for the next one, so a thousand bots cost few commits.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, Handler, Message, WrapFuture,
};

use crate::actors::ask::{Ask, Fault, Reply};
use crate::actors::ground::Ground;
use crate::actors::ledger::{Ledger, Recording, Room, Shown};
use crate::domain::audience::Audience;
use crate::domain::callback::{CallbackFact, Delivery, DeliveryState};
use crate::domain::event::{Decision, Event, Fact};
use crate::domain::ids::{StreamId, UserId};
use crate::domain::time::{Moment, Timestamp};
use crate::index::IndexFault;
use crate::journal::{Committed, Head};
use crate::subscribers::callbacks::attempt::{self, Tried};
use crate::subscribers::callbacks::customer::QUEUE;
use crate::subscribers::callbacks::desk::Desk;
use crate::subscribers::callbacks::protocol::Replay;
use crate::subscribers::callbacks::reading::{self, Stretch};
use crate::subscribers::callbacks::schedule::Verdict;
use crate::subscribers::callbacks::{Callbacks, farewell};

/// How often it looks at the clock.
const TICK: Duration = Duration::from_millis(50);
/// When an end is noted again for which there was no room.
const BUSY: Duration = Duration::from_millis(100);
/// How long it stays away after a failure.
const REST: Duration = Duration::from_secs(1);

/// The actor.
pub struct Courier {
    pub(super) callbacks: Callbacks,
    pub(super) ground: Ground,
    /// When it began: what is due is measured from there.
    begun: Moment,
    pub(super) desk: Desk,
    ledger: Ledger<Self>,
    /// Bots whose newest end became durable since the last look.
    settled: Vec<UserId>,
    own: Option<Addr<Self>>,
}

/// Something became durable: who waited for it may go on.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct GoOn;

impl Courier {
    /// A courier that finds out where bots stand when it starts.
    pub(super) fn new(callbacks: Callbacks) -> Self {
        let ground = callbacks.shared().directory.ground().clone();
        Self {
            callbacks,
            begun: ground.clock.now(),
            ground,
            desk: Desk::default(),
            ledger: Ledger::at(Head::default()),
            settled: Vec::new(),
            own: None,
        }
    }

    /// Now, as schedules and breakers see it: the wall time at the courier's start, gone
    /// on by the clock that never jumps.
    pub(super) fn now(&self) -> Timestamp {
        let gone = self.ground.clock.now().mono.millis_since(self.begun.mono);
        Timestamp::from_millis(self.begun.wall.millis().saturating_add(gone))
    }

    pub(super) fn tell_interest(&self) {
        let mut groups =
            self.callbacks.shared().groups.write().unwrap_or_else(PoisonError::into_inner);
        *groups = self.desk.groups();
    }

    /// Reads the log for a bot that has nothing more at hand.
    pub(super) fn fill(&mut self, number: UserId, ctx: &mut Context<Self>) {
        let Some(customer) = self.desk.customer(number).filter(|it| it.wants_filling()) else {
            return;
        };
        let (group, after) = (customer.group, customer.begin_filling());
        let stretch = Stretch { bot: number, group, after, most: QUEUE };
        let read = reading::messages(self.ground.archive.clone(), stretch);
        ctx.spawn(read.into_actor(self).map(move |page, courier, ctx| match page {
            Ok(page) => {
                let (is_all, now) = (page.len() < stretch.most, courier.now());
                if let Some(customer) = courier.desk.customer(stretch.bot) {
                    customer.fill(&page, is_all, now);
                }
                courier.desk.place(stretch.bot);
                // Nothing but the bot's own words: there may be more behind them.
                courier.fill(stretch.bot, ctx);
                courier.send_due(ctx);
            }
            Err(fault) => courier.give_in(&fault, ctx),
        }));
    }

    fn go_on(&mut self, ctx: &mut Context<Self>) {
        for bot in std::mem::take(&mut self.settled) {
            self.fill(bot, ctx);
        }
        self.send_due(ctx);
    }

    pub(super) fn send_due(&mut self, ctx: &mut Context<Self>) {
        let callbacks = self.callbacks.clone();
        let shared = callbacks.shared();
        // Nothing is sent whose end could not be recorded.
        if shared.is_closing.load(Ordering::SeqCst) || self.refuses_work().is_some() {
            return;
        }
        let now = self.now();
        for host in self.desk.hosts() {
            while let Some(errand) = self.desk.take(&host, now) {
                shared.unsettled.fetch_add(1, Ordering::SeqCst);
                let (callbacks, host) = (self.callbacks.clone(), Arc::clone(&host));
                let sent = async move { attempt::send(callbacks.shared(), errand).await };
                ctx.spawn(sent.into_actor(self).map(move |tried, courier, ctx| {
                    courier.came_back(&host, tried, ctx);
                }));
            }
        }
    }

    fn came_back(&mut self, host: &Arc<str>, tried: Tried, ctx: &mut Context<Self>) {
        let now = self.now();
        self.desk.came_back(host, tried.host_works, now);
        let Some((seen, verdict)) = tried.seen else {
            return self.give_in(&IndexFault::Stopped, ctx);
        };
        let customer = self.desk.customer(seen.bot);
        if customer.as_ref().is_some_and(|it| it.adoption != tried.errand.adoption) {
            // The bot moved, or was switched off and on again: what is not durable of it
            // was begun anew, and this end is of no more use.
            self.callbacks.shared().unsettled.fetch_sub(1, Ordering::SeqCst);
            return self.send_due(ctx);
        }
        let mut delivery = verdict.conclude(&seen, now, (self.callbacks.shared().chance)());
        let has_room = customer.is_none_or(|it| it.has_room_to_park());
        if delivery.state == DeliveryState::Parked && !has_room && !seen.out_of_order {
            (delivery.state, delivery.next_at) = (DeliveryState::Dead, None);
        }
        if verdict == Verdict::Gone && seen.status.is_some() {
            // It gets nothing more, although it is not durable yet that it is off.
            self.desk.forget(delivery.bot);
            let directory = self.callbacks.shared().directory.clone();
            let off = farewell::switch_off(directory, delivery.group, tried.errand.bot);
            ctx.spawn(off.into_actor(self));
        }
        self.note(vec![delivery], ctx);
        self.send_due(ctx);
    }

    /// Records how deliveries stand.
    fn note(&mut self, deliveries: Vec<Delivery>, ctx: &mut Context<Self>) {
        match self.refuses_work() {
            Some(Fault::Busy | Fault::Full) => {
                // It stands as it did until this is noted, so its bot gets nothing more.
                ctx.run_later(BUSY, move |courier, ctx| courier.note(deliveries, ctx));
                return;
            }
            Some(Fault::Gone | Fault::Storage(_) | Fault::Late) => {
                return self.give_in(&IndexFault::Stopped, ctx);
            }
            None => {}
        }
        let now = self.ground.clock.now();
        let fact = |it| Fact::Callback(CallbackFact::Noted(Box::new(it)));
        let facts = deliveries.into_iter().map(fact).collect();
        // What follows from it follows when it is durable, in `settled`.
        let (reply, _) = Reply::<(), std::convert::Infallible>::pair();
        self.record(Ok(Decision { facts, answer: () }), now, reply, ctx);
    }

    /// Begins anew from what is durable, after a rest.
    pub(super) fn give_in(&mut self, fault: &IndexFault, ctx: &mut Context<Self>) {
        tracing::warn!(%fault, "callbacks begin anew");
        self.ledger.close(Fault::Gone);
        ctx.stop();
    }
}

impl Actor for Courier {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        self.own = Some(ctx.address());
        self.callbacks.shared().missed.store(false, Ordering::SeqCst);
        self.callbacks.shared().unsettled.store(0, Ordering::SeqCst);
        let archive = self.ground.archive.clone();
        let load = async move {
            let bots = reading::all_bots(archive.clone()).await?;
            let tail = archive.index.tail(StreamId::Callbacks)?.unwrap_or_default();
            Ok((bots, Head { n: tail.n, token: tail.token }))
        };
        ctx.wait(load.into_actor(self).map(|loaded: Result<_, IndexFault>, courier, ctx| {
            match loaded {
                Ok((bots, head)) => {
                    courier.ledger = Ledger::at(head);
                    courier.welcome(bots, ctx);
                }
                Err(fault) => courier.give_in(&fault, ctx),
            }
        }));
        ctx.run_interval(TICK, |courier, ctx| {
            if courier.callbacks.shared().missed.load(Ordering::SeqCst) {
                return courier.give_in(&IndexFault::Stopped, ctx);
            }
            courier.go_on(ctx);
        });
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        let callbacks = self.callbacks.clone();
        actix::spawn(async move {
            tokio::time::sleep(REST).await;
            callbacks.start_here();
        });
    }
}

impl Handler<GoOn> for Courier {
    type Result = ();

    fn handle(&mut self, _: GoOn, ctx: &mut Context<Self>) {
        self.go_on(ctx);
    }
}

impl Handler<Ask<Replay>> for Courier {
    type Result = ();

    fn handle(&mut self, ask: Ask<Replay>, ctx: &mut Context<Self>) {
        let (now, due) = (self.ground.clock.now(), self.now());
        let wanted = ask.question.deliveries;
        let is_busy = |it: &Delivery, desk: &mut Desk| {
            desk.customer(it.bot).is_some_and(|customer| customer.is_trying(it.id))
        };
        let again: Vec<Delivery> = wanted
            .iter()
            .filter(|it| !is_busy(it, &mut self.desk))
            .map(|it| it.replayed(due))
            .collect();
        let ids = again.iter().map(|it| it.id).collect();
        let fact = |it: &Delivery| Fact::Callback(CallbackFact::Noted(Box::new(it.clone())));
        let fault = self.refuses_work();
        let fault = fault.or_else(|| (!self.has_room(again.len())).then_some(Fault::Busy));
        if let Some(fault) = fault {
            return ask.reply.send(Err(fault.into()));
        }
        // All in one commit, and the answer with them if it is kept: who repeats the wish
        // under its key never gets a part of them twice.
        for part in again.chunks(8) {
            self.stage_all(part.iter().map(fact).collect(), now);
        }
        self.record(Ok(Decision { facts: Vec::new(), answer: ids }), now, ask.reply, ctx);
    }
}

impl Room for Courier {
    fn stream(&self) -> StreamId {
        StreamId::Callbacks
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn ledger(&mut self) -> &mut Ledger<Self> {
        &mut self.ledger
    }

    fn audience_of(&self, _: &Fact) -> Audience {
        Audience::nobody()
    }

    /// Nothing yet: what was seen counts when it is durable.
    fn stage(&mut self, _: &Event, _: Moment) -> Shown {
        Shown::default()
    }

    fn settled(&mut self, commit: &Arc<Committed>) {
        let now = self.now();
        for entry in &commit.entries {
            if let Fact::Callback(CallbackFact::Noted(delivery)) = &entry.event.fact {
                self.desk.settle(delivery, now);
                self.settled.push(delivery.bot);
                if delivery.state != DeliveryState::Pending {
                    self.callbacks.shared().unsettled.fetch_sub(1, Ordering::SeqCst);
                }
            }
        }
        // With a full mailbox the next tick does it.
        if let Some(own) = &self.own {
            drop(own.try_send(GoOn));
        }
    }
}
