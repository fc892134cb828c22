//! Adding people to a group. The request is answered at once; the accounts are looked up
//! afterwards, and again after a crash.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::actors::ask::{AbsentAnswer, Answers, Ask, Failure, Fault, Reply};
use crate::actors::group::GroupActor;
use crate::actors::group::protocol::{RequestAdd, ShowAddResults};
use crate::actors::ledger::{Recording, Room};
use crate::auth::accounts::Accounts;
use crate::domain::group::{AddItem, AddRefusal, LookupResult, ResultsRefusal};
use crate::domain::ids::{AddId, UserId};
use crate::index::IndexFault;

impl Answers<RequestAdd> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RequestAdd> {
        Some(Err(AddRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<RequestAdd>, ctx: &mut Context<Self>) {
        let RequestAdd { by, items } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, AddRefusal::NotAMember, |group, now, id_generator| {
            group.request_add(by.user(), items, now, id_generator)
        });
        let request = decided.as_ref().ok().map(|decision| decision.answer);
        self.record(decided, now, ask.reply, ctx);
        if let Some(request) = request {
            self.look_up(request, ctx);
        }
    }
}

impl Answers<ShowAddResults> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ShowAddResults> {
        Some(Err(ResultsRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ShowAddResults>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ShowAddResults { asker, request } = ask.question;
        self.when_durable(move |room| {
            ask.reply.send(match room {
                Ok(room) => room.results(asker, request).map_err(Failure::Refused),
                Err(fault) => Err(fault.into()),
            });
        });
    }
}

/// After how long a request is taken up again that the room was too busy to settle.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(250);

impl GroupActor {
    /// Takes up the requests whose look-ups a stop interrupted. Returns whether any is open.
    pub(super) fn look_up_open_requests(&mut self, ctx: &mut Context<Self>) -> bool {
        let Some(group) = &self.group else { return false };
        let open = group.adds.values().filter(|it| it.results.is_none()).map(|it| it.id);
        let open: Vec<AddId> = open.collect();
        open.iter().for_each(|request| self.look_up(*request, ctx));
        !open.is_empty()
    }

    /// Looks up the accounts of a request, unless that is under way, then settles the request.
    fn look_up(&mut self, request: AddId, ctx: &mut Context<Self>) {
        let Some(group) = &self.group else { return };
        let Some(known) = group.adds.get(&request) else { return };
        if !self.looked_up.insert(request) {
            return;
        }
        let found = find_all(self.context.accounts.clone(), known.by, known.items.clone());
        ctx.spawn(found.into_actor(self).map(move |found, room, ctx| {
            room.looked_up.remove(&request);
            match found {
                Ok(found) => room.settle_add(request, found, ctx),
                // The request stays open; `subscribers::reconciler` has it taken up again.
                Err(fault) => {
                    tracing::error!(group.id = %room.id, %fault, "accounts cannot be looked up")
                }
            }
        }));
    }

    fn settle_add(&mut self, request: AddId, found: Vec<LookupResult>, ctx: &mut Context<Self>) {
        if matches!(self.refuses_work(), Some(Fault::Busy | Fault::Full)) {
            // The caller has its answer already, so nobody else would ask for this again.
            ctx.run_later(AGAIN, move |room, ctx| room.look_up(request, ctx));
            return;
        }
        let Some(group) = &self.group else { return };
        let now = self.context.clock.now();
        let ids = self.context.ids_for(self.stream());
        let decision = group.settle_add(request, found, now, &ids);
        // Nobody waits for this reply: the results can be asked for later. An account created
        // between the look-up and the invite is let in as well: the reconciler notices that an
        // account has a name that is invited.
        let (reply, _) = Reply::<(), std::convert::Infallible>::pair();
        self.record(Ok(decision), now, reply, ctx);
    }

    fn results(
        &self,
        asker: UserId,
        request: AddId,
    ) -> Result<crate::domain::group::AddResults, ResultsRefusal> {
        let group = self.group.as_ref().ok_or(ResultsRefusal::NotAMember)?;
        group.add_results(asker, request, self.context.clock.now().wall)
    }
}

async fn find_all(
    accounts: Accounts,
    by: UserId,
    items: Vec<AddItem>,
) -> Result<Vec<LookupResult>, IndexFault> {
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        let sought = accounts.invitee(item.who.clone(), by).await?;
        found.push(LookupResult { item, sought });
    }
    Ok(found)
}
