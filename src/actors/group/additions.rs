//! Adding people to a group. The request is answered at once; the accounts are looked up
//! afterwards, and again after a crash.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Fault, Reply};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{RequestAdd, ShowAddResults};
use crate::ledger::Recording;
use auth::accounts::Accounts;
use domain::group::{AddItem, AddRefusal, AddResults, LookupResult, ResultsRefusal};
use domain::ids::{AddId, GroupId, UserId};
use domain::time::Timestamp;
use index::IndexFault;
use index::archive::Archive;

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
        self.record_screened(decided, now, ask.reply, ctx, |_, request| request);
        // A request that a rule refused is unknown, and nothing is looked up.
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
        let decided = match &self.group {
            Some(group) => group.may_see_results(asker, request),
            None => Err(ResultsRefusal::NotAMember),
        };
        if let Err(refusal) = decided {
            return self.refuse_once_durable(refusal, ask.reply);
        }
        let archive = self.context.archive.clone();
        let now = self.context.clock.now().wall;
        let known = results(archive, asker, self.id, request, now);
        ctx.spawn(known.into_actor(self).map(move |known, _, _| ask.reply.send(known)));
    }
}

/// Returns the results of a request that is not open; they are not ready until they are durable.
async fn results(
    archive: Archive,
    asker: UserId,
    group: GroupId,
    request: AddId,
    now: Timestamp,
) -> Result<AddResults, Failure<ResultsRefusal>> {
    let read = move |archive: &Archive| archive.index.add_request(group, request);
    let known = archive.read_current(asker, read).await.map_err(Fault::from)?;
    let known = known.filter(|known| !known.is_old(now));
    let known = known.ok_or(Failure::Refused(ResultsRefusal::Gone))?;
    known.results.ok_or(Failure::Refused(ResultsRefusal::NotReady))
}

/// After how long a request is taken up again that the room was too busy to settle.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(250);

impl GroupActor {
    /// Takes up the requests whose look-ups a stop interrupted. Returns whether any is open.
    pub(super) fn look_up_open_requests(&mut self, ctx: &mut Context<Self>) -> bool {
        let Some(group) = &self.group else { return false };
        let open: Vec<AddId> = group.open_adds.keys().copied().collect();
        open.iter().for_each(|request| self.look_up(*request, ctx));
        !open.is_empty()
    }

    /// Looks up the accounts of a request, unless that is under way, then settles the request.
    fn look_up(&mut self, request: AddId, ctx: &mut Context<Self>) {
        let Some(group) = &self.group else { return };
        let Some(known) = group.open_adds.get(&request) else { return };
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
                    tracing::error!(
                        group.id = %room.id, %fault,
                        "looking up the users to add failed; the reconciler retries"
                    )
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
        let ids = Arc::clone(&self.context.id_generator);
        let decision = group.settle_add(request, found, now, &*ids);
        // Nobody waits for this reply: the results can be asked for later. An account created
        // between the look-up and the invite is let in as well: the reconciler notices that an
        // account has a name that is invited.
        let (reply, _) = Reply::<(), std::convert::Infallible>::pair();
        self.record(Ok(decision), now, reply, ctx);
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
