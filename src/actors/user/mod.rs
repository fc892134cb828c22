//! The room of a user: owns the account, its profile, tokens, devices, applications and blocks, and
//! counts the direct messages that the user sends and the people whom the user adds to groups.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Fault, Posted, Question};
use crate::drain::DrainGuard;
use crate::idle::Idle;
use crate::ledger::{Ledger, Recording, Room};
use crate::room_context::RoomContext;
use crate::user::protocol::{HoldsName, NamingRefusal, Register, UserRefusal, ViewUser};
use crate::user::tokens::SpentCodes;
use domain::audience::{Audience, ChatContacts};
use domain::event::{Decision, Event, Fact, RoomState};
use domain::identities::IdentityChange;
use domain::ids::{Conversation, StreamId, UserId};
use domain::mail::{MailChange, MailKind};
use domain::time::{Moment, Timestamp};
use domain::user::{
    Additions, Flood, ReadMark, RecentReports, User, UserFact, begun_by_directory, begun_with,
};
use index::IndexFault;
use index::archive::Archive;
use journal::{Committed, StreamHead};

mod account_status;
mod applications;
mod blocks;
mod conversation_list;
mod devices;
pub mod drafts;
pub mod factors;
pub mod identities;
mod keys;
pub mod mail;
pub mod message_requests;
pub mod notices;
pub mod own_settings;
pub mod permits;
mod pictures;
mod profile;
pub mod protocol;
mod read_marks;
pub mod registration;
pub mod saved;
pub mod scim;
pub mod tokens;

/// The room's actor. `user` is `None` until the account is registered.
pub struct UserActor {
    id: UserId,
    context: RoomContext,
    user: Option<User>,
    flood: Flood,
    additions: Additions,
    reports: RecentReports,
    /// Read marks that were answered already and become durable together.
    marks: BTreeMap<Conversation, ReadMark>,
    /// Keeps the server from stopping before these marks are durable.
    owed: Option<DrainGuard>,
    /// Authorization codes that were spent on tokens.
    spent: SpentCodes,
    /// The users who see the public profile, looked up for the decision that is being made.
    chat_contacts: Option<ChatContacts>,
    ledger: Ledger<Self>,
    idle: Idle,
}

impl UserActor {
    /// A room that will load itself when it starts.
    pub fn new(id: UserId, context: RoomContext, idle: Idle) -> Self {
        let flood = Flood::default();
        let marks = BTreeMap::new();
        let spent = SpentCodes::new();
        let additions = Additions::default();
        let reports = RecentReports::default();
        let ledger = Ledger::at(StreamHead::default());
        let chat_contacts = None;
        let owed = None;
        Self {
            id,
            context,
            user: None,
            flood,
            additions,
            reports,
            marks,
            owed,
            spent,
            chat_contacts,
            ledger,
            idle,
        }
    }

    /// The account as it is now. To be called only while everything decided is durable.
    fn view(&self) -> Result<Arc<User>, UserRefusal> {
        self.user.clone().map(Arc::new).ok_or(UserRefusal::Unknown)
    }
}

impl Actor for UserActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        self.idle.watch(ctx, |room| (room.is_calm(), &mut room.idle));
        let load = load(self.id, self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok((user, head)) => {
                room.user = user;
                room.ledger = Ledger::at(head);
            }
            Err(fault) => {
                tracing::error!(
                    user.id = %room.id, %fault,
                    "loading an account failed; the next request loads it again"
                );
                room.ledger.close(Fault::from(fault));
                ctx.stop();
            }
        }));
    }
}

async fn load(id: UserId, context: RoomContext) -> Result<(Option<User>, StreamHead), IndexFault> {
    context.archive.read_current(id, move |archive| read(id, archive)).await
}

/// Reads the account, if there is one, and where its stream ends. The stream of a deleted account
/// continues from its end, too.
fn read(id: UserId, archive: &Archive) -> Result<(Option<User>, StreamHead), IndexFault> {
    let head = archive.index.tail(StreamId::User(id))?.unwrap_or_default().head();
    let Some(mut user) = archive.index.account(id)? else { return Ok((None, head)) };
    user.tokens = archive.index.tokens(id)?.into_iter().map(|it| (it.id, it)).collect();
    user.devices = archive.index.devices(id)?.into_iter().map(|it| (it.id.clone(), it)).collect();
    let applications = archive.index.applications(id)?;
    user.applications = applications.into_iter().map(|it| (it.client, it)).collect();
    user.blocks = Arc::new(archive.index.blocks(id)?.into_iter().collect());
    user.dm_rules = archive.index.dm_rules(id)?;
    user.folders = archive.index.folders(id)?;
    user.saved = archive.index.saved(id)?;
    Ok((Some(user), head))
}

impl<Q: Question> Handler<Posted<Q>> for UserActor
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

impl Room for UserActor {
    fn is_alone(&self) -> bool {
        self.idle.is_alone()
    }

    fn stream(&self) -> StreamId {
        StreamId::User(self.id)
    }

    fn context(&self) -> &RoomContext {
        &self.context
    }

    fn ledger(&mut self) -> &mut Ledger<Self> {
        &mut self.ledger
    }

    fn audience_of(&self, fact: &Fact) -> Audience {
        if fact.is_audible() { Audience::of([self.id]) } else { Audience::nobody() }
    }

    fn stage(&mut self, event: &Event, _: Moment) -> RoomState {
        let Fact::User(fact) = &event.fact else { return RoomState::default() };
        let public_profiles = self.user.as_ref().map(|user| user.public_profiles);
        match (&mut self.user, fact) {
            // From here on the room answers as if the account had never existed.
            (user @ Some(_), UserFact::Deleted) => *user = None,
            (Some(user), fact) => user.apply(event.at, fact),
            (None, UserFact::Registered { profile, password }) => {
                let profile = profile.clone();
                let password = password.clone();
                self.user = Some(User::registered(self.id, profile, password, event.at));
            }
            (None, _) => debug_assert!(false, "an account is registered before anything else"),
        }
        let account = self.user.as_ref().filter(|_| fact.shows_account());
        let looks_other = account.is_some_and(|user| Some(user.public_profiles) != public_profiles);
        let chat_contacts = if looks_other { self.chat_contacts.take() } else { None };
        let account = account.map(|user| Arc::new(user.clone()));
        RoomState { account, chat_contacts, ..RoomState::default() }
    }

    fn settled(&mut self, _: &Arc<Committed>) {}
}

impl Answers<Register> for UserActor {
    fn answer(&mut self, ask: Ask<Register>, ctx: &mut Context<Self>) {
        let register = ask.question;
        let now = self.context.clock.now();
        let decided = match &self.user {
            // Ids are fresh, so no caller gets the id of an account that exists.
            Some(_) => Err(NamingRefusal::Unknown),
            None if now.mono >= register.until => Err(NamingRefusal::Late),
            None => Ok(Decision { facts: registration(register, now.wall), answer: () }),
        };
        self.record_as(decided, now, ask.reply, ctx, |room, ()| room.account_after_decision());
    }
}

/// The facts of a new account: its profile, its first token, and the mail that confirms its address.
fn registration(register: Register, now: Timestamp) -> Vec<Fact> {
    let Register {
        profile,
        password,
        token,
        note,
        operator,
        identity,
        provisioning,
        waiting,
        until: _,
    } = register;
    let token = token.map(|token| token.within(&profile));
    let to = profile.email.clone();
    let address = to.clone();
    // A directory vouches for the addresses that it writes.
    let is_confirmed =
        provisioning.is_some() || identity.as_ref().is_some_and(|it| it.is_confirmed);
    let confirmed = is_confirmed.then_some(UserFact::Mailed(MailChange::Confirmed { address }));
    let begun = identity.map(|first| begun_with(first.identity, first.email));
    let mail =
        note.filter(|_| !is_confirmed).map(|note| note.mail(MailKind::Confirmation, to, now));
    let mail = mail.map(|mail| UserFact::Mailed(MailChange::Queued(mail)));
    let is_without_password =
        provisioning.is_some().then_some(IdentityChange::BegunWithoutPassword);
    let role = operator.map(|role| UserFact::OperatorRoleSet { role: Some(role) });
    std::iter::once(UserFact::Registered { profile, password })
        .chain(waiting.map(UserFact::Waits))
        .chain(role)
        .chain(begun.into_iter().flatten())
        .chain(is_without_password.map(UserFact::Identified))
        .chain(provisioning.into_iter().flat_map(begun_by_directory))
        .chain(confirmed)
        .chain(token.map(UserFact::TokenIssued))
        .chain(mail)
        .map(Fact::User)
        .collect()
}

impl Answers<ViewUser> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ViewUser> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ViewUser>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        self.when_durable(move |room| {
            ask.reply.send(match room {
                Ok(room) => room.view().map_err(Failure::Refused),
                Err(fault) => Err(fault.into()),
            });
        });
    }
}

impl Answers<HoldsName> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<HoldsName> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<HoldsName>, _: &mut Context<Self>) {
        let name = ask.question.name;
        let now = self.context.clock.now().wall;
        let holds = self.user.as_ref().is_some_and(|user| user.holds(&name, now));
        self.when_durable(move |room| ask.reply.send(room.map(|_| holds).map_err(Failure::from)));
    }
}

impl UserActor {
    /// The account, right after a decision about it was recorded.
    fn account_after_decision(&self) -> Arc<User> {
        self.view().expect("what was recorded of an account made it exist")
    }
}
