//! The dispatcher: hears of events, sends the callbacks that are due, and records the outcomes.
//!
//! The state of a delivery is decided like every fact: staged, committed, and only then acted upon.
//! Until an outcome is durable its bot gets nothing more, so a crash repeats at most the attempt
//! that was under way. Outcomes that arrive during a commit are gathered for the next one, so a
//! thousand bots cost few commits.

use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, Handler, Message, WrapFuture,
};

use crate::callbacks::Callbacks;
use crate::callbacks::attempt::{self, FinishedAttempt};
use crate::callbacks::endpoint::QUEUE;
use crate::callbacks::log_reads::{self, LogPage};
use crate::callbacks::protocol::ReplayDeliveries;
use crate::callbacks::schedule::AttemptOutcome;
use crate::callbacks::scheduler::DeliveryScheduler;
use actors::ask::{Ask, Failure, Fault, Reply};
use actors::chat::protocol::WriteMessage;
use actors::directory::Directory;
use actors::group::protocol::DisableBot;
use actors::ledger::{Ledger, Recording, Room};
use actors::room_context::RoomContext;
use actors::user::protocol::{AdmitSender, Register, ViewUser};
use base::random::random;
use domain::attachment::AddressForm;
use domain::audience::Audience;
use domain::callback::{CallbackFact, Delivery, DeliveryState};
use domain::chat::Sender;
use domain::event::{Decision, Event, Fact, RoomState};
use domain::group::Bot;
use domain::ids::{GroupId, Pair, StreamId, UserId};
use domain::message::NewMessage;
use domain::message_requests::Reception;
use domain::text::{Email, MessageText, SourceGuid, UserName};
use domain::time::{Moment, Monotonic, Timestamp};
use domain::user::Profile;
use index::IndexFault;
use journal::{Committed, StreamHead};
use outgoing::kept_connections::{KEPT_FOR, KeptConnections};

/// How often the dispatcher looks for callbacks that are due.
const TICK: Duration = Duration::from_millis(50);
/// The wait before an outcome is recorded again that the ledger or the journal had no room for.
const BUSY: Duration = Duration::from_millis(100);
/// The pause before the dispatcher starts again after it stopped.
const REST: Duration = Duration::from_secs(1);

/// The actor that sends callbacks.
pub struct Dispatcher {
    pub(super) callbacks: Callbacks,
    pub(super) context: RoomContext,
    /// When the dispatcher was made; its own time counts from here.
    begun: Moment,
    pub(super) scheduler: DeliveryScheduler,
    ledger: Ledger<Self>,
    /// Bots whose outcomes became durable since the last look.
    settled: Vec<UserId>,
    own: Option<Addr<Self>>,
    /// Connections to listeners that are kept open.
    kept: Rc<KeptConnections>,
}

/// Tells the dispatcher that outcomes became durable, so that their bots may continue.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct ResumeDeliveries;

impl Dispatcher {
    /// A dispatcher that reads the state of all bots when it starts.
    pub(super) fn new(callbacks: Callbacks) -> Self {
        let context = callbacks.shared().directory.context().clone();
        let budgets = callbacks.shared().budgets.clone();
        Self {
            callbacks,
            begun: context.clock.now(),
            context,
            scheduler: DeliveryScheduler::new(budgets),
            ledger: Ledger::at(StreamHead::default()),
            settled: Vec::new(),
            own: None,
            kept: Rc::default(),
        }
    }

    /// The time for schedules and breakers: the wall time at the dispatcher's start, continued by
    /// the monotonic clock.
    pub(super) fn now(&self) -> Timestamp {
        let gone = self.context.clock.now().mono.millis_since(self.begun.mono);
        Timestamp::from_millis(self.begun.wall.millis().saturating_add(gone))
    }

    pub(super) fn tell_interest(&self) {
        let mut groups =
            self.callbacks.shared().groups.write().unwrap_or_else(PoisonError::into_inner);
        *groups = self.scheduler.groups();
    }

    /// Reads the log for a bot whose queue is empty and that is behind.
    pub(super) fn fill(&mut self, number: UserId, ctx: &mut Context<Self>) {
        let Some(endpoint) = self.scheduler.endpoint(number).filter(|it| it.wants_filling()) else {
            return;
        };
        let bot = endpoint.bot.clone();
        let group = endpoint.group;
        let after = endpoint.begin_filling();
        let generation = endpoint.generation;
        let stretch = LogPage { group, after, most: QUEUE };
        let context = self.context.clone();
        let read = async move { log_reads::events(&context, bot, stretch).await };
        ctx.spawn(read.into_actor(self).map(move |page, dispatcher, ctx| match page {
            Ok(page) => {
                let now = dispatcher.now();
                let endpoint = dispatcher.scheduler.endpoint(number);
                // An endpoint that was added again meanwhile reads by itself.
                if let Some(endpoint) = endpoint.filter(|it| it.generation == generation) {
                    endpoint.fill(&page, now);
                }
                dispatcher.scheduler.enqueue(number);
                // If the page had nothing for this bot, more of the log may follow.
                dispatcher.fill(number, ctx);
                dispatcher.send_due(ctx);
            }
            Err(fault) => dispatcher.restart_after_fault(&fault, ctx),
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
        // Nothing is sent whose outcome could not be recorded.
        if !shared.may_send() || self.refuses_work().is_some() {
            return;
        }
        let now = self.now();
        for host in self.scheduler.due_hosts(now) {
            while let Some(attempt) = self.scheduler.take(&host, now) {
                shared.unsettled.fetch_add(1, Ordering::SeqCst);
                let callbacks = self.callbacks.clone();
                let host = Arc::clone(&host);
                let kept = Rc::clone(&self.kept);
                let sent = async move { attempt::send(callbacks.shared(), &kept, attempt).await };
                ctx.spawn(sent.into_actor(self).map(move |tried, dispatcher, ctx| {
                    dispatcher.came_back(&host, tried, ctx);
                }));
            }
        }
    }

    fn came_back(&mut self, host: &Arc<str>, tried: FinishedAttempt, ctx: &mut Context<Self>) {
        let now = self.now();
        self.scheduler.came_back(host, tried.attempt.bot.creator, tried.host_works, now);
        let Some((seen, verdict)) = tried.seen else {
            return self.restart_after_fault(&Fault::Gone, ctx);
        };
        let endpoint = self.scheduler.endpoint(seen.bot);
        if endpoint.as_ref().is_some_and(|it| it.generation != tried.attempt.generation) {
            // The bot moved, or was switched off and on again: its deliveries that were not durable
            // have started over, so this outcome is of no use.
            self.callbacks.shared().unsettled.fetch_sub(1, Ordering::SeqCst);
            return self.send_due(ctx);
        }
        let mut delivery = verdict.conclude(&seen, now, (self.callbacks.shared().chance)());
        let has_space = endpoint.is_none_or(|it| it.may_park());
        if delivery.state == DeliveryState::Parked && !has_space && !seen.out_of_order {
            (delivery.state, delivery.next_at) = (DeliveryState::Dead, None);
        }
        if verdict == AttemptOutcome::Gone && seen.status.is_some() {
            // The bot gets nothing more, although it is not yet durably switched off.
            self.scheduler.forget(delivery.bot);
            let directory = self.callbacks.shared().directory.clone();
            let off = switch_off(directory, delivery.group, tried.attempt.bot);
            ctx.spawn(off.into_actor(self));
        }
        self.record_deliveries(vec![delivery], ctx);
        self.send_due(ctx);
    }

    /// Records the states of deliveries.
    fn record_deliveries(&mut self, deliveries: Vec<Delivery>, ctx: &mut Context<Self>) {
        match self.refuses_work() {
            Some(Fault::Busy | Fault::Full | Fault::Limited(_)) => {
                // Until the outcome is recorded, the bot gets nothing more.
                ctx.run_later(BUSY, move |dispatcher, ctx| {
                    dispatcher.record_deliveries(deliveries, ctx)
                });
                return;
            }
            Some(Fault::Elsewhere) => return self.restart(ctx),
            Some(fault @ (Fault::Gone | Fault::Storage(_) | Fault::Late)) => {
                return self.restart_after_fault(&fault, ctx);
            }
            None => {}
        }
        let now = self.context.clock.now();
        let fact = |it| Fact::Callback(CallbackFact::Noted(Box::new(it)));
        let facts = deliveries.into_iter().map(fact).collect();
        // What follows from the outcome is done in `settled`, once it is durable.
        let (reply, _) = Reply::<(), std::convert::Infallible>::pair();
        self.record(Ok(Decision { facts, answer: () }), now, reply, ctx);
    }

    /// Restarts from what is durable because something failed.
    pub(super) fn restart_after_fault(
        &mut self,
        fault: &dyn std::error::Error,
        ctx: &mut Context<Self>,
    ) {
        tracing::warn!(%fault, "the callback dispatcher failed; restarting it");
        self.restart(ctx);
    }

    /// Restarts without a failure: another node sends callbacks now, or a batch was missed.
    fn restart(&mut self, ctx: &mut Context<Self>) {
        tracing::debug!("restarting the callback dispatcher");
        self.ledger.close(Fault::Gone);
        ctx.stop();
    }
}

impl Actor for Dispatcher {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        self.own = Some(ctx.address());
        self.callbacks.shared().missed.store(false, Ordering::SeqCst);
        self.callbacks.shared().unsettled.store(0, Ordering::SeqCst);
        let archive = self.context.archive.clone();
        let load = async move {
            let bots = log_reads::all_bots(archive.clone()).await?;
            let tail = archive.index.tail(StreamId::Callbacks)?.unwrap_or_default();
            Ok((bots, StreamHead { n: tail.n, token: tail.token }))
        };
        ctx.wait(load.into_actor(self).map(|loaded: Result<_, IndexFault>, dispatcher, ctx| {
            match loaded {
                Ok((bots, head)) => {
                    dispatcher.ledger = Ledger::at(head);
                    dispatcher.register_all(bots, ctx);
                }
                Err(fault) => dispatcher.restart_after_fault(&fault, ctx),
            }
        }));
        ctx.run_interval(TICK, |dispatcher, ctx| {
            if dispatcher.callbacks.shared().missed.load(Ordering::SeqCst) {
                return dispatcher.restart(ctx);
            }
            dispatcher.go_on(ctx);
        });
        ctx.run_interval(KEPT_FOR, |dispatcher, _| dispatcher.kept.close_idle());
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        let callbacks = self.callbacks.clone();
        actix::spawn(async move {
            tokio::time::sleep(REST).await;
            callbacks.start_here();
        });
    }
}

impl Handler<ResumeDeliveries> for Dispatcher {
    type Result = ();

    fn handle(&mut self, _: ResumeDeliveries, ctx: &mut Context<Self>) {
        self.go_on(ctx);
    }
}

impl Handler<Ask<ReplayDeliveries>> for Dispatcher {
    type Result = ();

    fn handle(&mut self, ask: Ask<ReplayDeliveries>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let due = self.now();
        let wanted = ask.question.deliveries;
        let is_busy = |it: &Delivery, scheduler: &mut DeliveryScheduler| {
            scheduler.endpoint(it.bot).is_some_and(|endpoint| endpoint.is_trying(it.id))
        };
        let again: Vec<Delivery> = wanted
            .iter()
            .filter(|it| !is_busy(it, &mut self.scheduler))
            .map(|it| it.replayed(due))
            .collect();
        let ids = again.iter().map(|it| it.id).collect();
        let fact = |it: &Delivery| Fact::Callback(CallbackFact::Noted(Box::new(it.clone())));
        let fault = self.refuses_work();
        let fault = fault.or_else(|| (!self.fits(again.len())).then_some(Fault::Busy));
        if let Some(fault) = fault {
            return ask.reply.send(Err(fault.into()));
        }
        // All in one commit, with the answer if that is kept: a client that repeats the request
        // under its key never replays a part of the deliveries twice.
        for part in again.chunks(8) {
            self.stage_all(part.iter().map(fact).collect(), now);
        }
        self.record(Ok(Decision { facts: Vec::new(), answer: ids }), now, ask.reply, ctx);
    }
}

impl Room for Dispatcher {
    fn stream(&self) -> StreamId {
        StreamId::Callbacks
    }

    fn context(&self) -> &RoomContext {
        &self.context
    }

    fn ledger(&mut self) -> &mut Ledger<Self> {
        &mut self.ledger
    }

    fn audience_of(&self, _: &Fact) -> Audience {
        Audience::nobody()
    }

    /// Stages nothing: an outcome counts once it is durable.
    fn stage(&mut self, _: &Event, _: Moment) -> RoomState {
        RoomState::default()
    }

    fn settled(&mut self, commit: &Arc<Committed>) {
        let now = self.now();
        for entry in &commit.entries {
            if let Fact::Callback(CallbackFact::Noted(delivery)) = &entry.event.fact {
                self.scheduler.settle(delivery, now);
                self.settled.push(delivery.bot);
                if delivery.state != DeliveryState::Pending {
                    self.callbacks.shared().unsettled.fetch_sub(1, Ordering::SeqCst);
                }
            }
        }
        // If the mailbox is full, the next tick does the same.
        if let Some(own) = &self.own {
            drop(own.try_send(ResumeDeliveries));
        }
    }
}

/// The wait before a group whose room failed is asked again.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(1);
/// The server's own account: its number is below those that users get.
const OURSELVES: UserId = UserId::new(1);
const NAME: &str = "Coterie";
/// An address with which nobody can log in: the domain is reserved (RFC 2606).
const EMAIL: &str = "coterie@server.invalid";

/// Switches a bot off and tells its creator why. Retries until the room answers.
pub(super) async fn switch_off(directory: Directory, group: GroupId, bot: Bot) {
    loop {
        match directory.ask(group, DisableBot { bot: bot.clone() }).await {
            // The bot has another callback URL by now and stays on.
            Ok(now) if now.active => return,
            Ok(_) => break,
            // The bot was removed meanwhile.
            Err(Failure::Refused(_)) => return,
            Err(Failure::Fault(fault)) => {
                tracing::warn!(
                    bot.number = %bot.number, %fault,
                    "switching off a bot failed; retrying"
                );
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    let why = format!(
        "Your bot \u{201c}{}\u{201d} was switched off: its callback URL answered 410 Gone. \
         Switch it on again on its page (Account, Bots), or with POST /v3/bots/<bot_id>/update \
         and active set to true.",
        bot.name.as_str()
    );
    if tell(&directory, bot.creator, &why).await.is_none() {
        tracing::warn!(
            user.id = %bot.creator,
            "notifying the creator of a switched-off bot failed"
        );
    }
}

/// Writes a direct message; `None` if that fails or the recipient does not want it.
async fn tell(directory: &Directory, to: UserId, text: &str) -> Option<()> {
    let sender = ourselves(directory).await?;
    directory.ask(to, AdmitSender { from: OURSELVES }).await.ok()?;
    let text: String = text.chars().take(domain::limits::MESSAGE_CHARS).collect();
    let guid = u128::from_be_bytes(random());
    let message = NewMessage {
        source_guid: SourceGuid::parse(format!("{guid:032x}")).ok()?,
        text: Some(MessageText::parse(text).ok()?),
        attachments: Vec::new(),
        form: AddressForm::Specified,
        here: Vec::new(),
    };
    directory
        .ask(
            Pair::of(OURSELVES, to)?,
            WriteMessage { sender, reception: Reception::Message, message },
        )
        .await
        .ok()?;
    Some(())
}

/// The server's own account, registered when it is first needed.
async fn ourselves(directory: &Directory) -> Option<Sender> {
    let known = directory.ask(OURSELVES, ViewUser).await;
    let user = match known {
        Ok(user) => user,
        Err(Failure::Refused(_)) => register(directory).await?,
        Err(Failure::Fault(_)) => return None,
    };
    let name = user.profile.name.clone();
    let image = user.profile.image.clone();
    Some(Sender { id: OURSELVES, name, image })
}

async fn register(directory: &Directory) -> Option<std::sync::Arc<domain::user::User>> {
    let profile = Profile {
        name: UserName::parse(NAME.to_owned()).ok()?,
        email: Email::parse(EMAIL).ok()?,
        phone: None,
        image: None,
        zip_code: None,
        guest: None,
    };
    // Without a token, and no password matches an empty hash. Nobody else can register the address,
    // so it needs no claim.
    let until = Monotonic::from_millis(u64::MAX);
    let register = Register {
        until,
        profile,
        password: String::new(),
        token: None,
        note: None,
        operator: None,
        identity: None,
        provisioning: None,
        waiting: None,
    };
    directory.ask(OURSELVES, register).await.ok()
}
