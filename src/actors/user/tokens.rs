//! Issuing tokens: by a password, or by an authorization code, which is spent.
//!
//! That a code was spent becomes durable together with the token that was issued for it, as an
//! answer under the code's key. So a code gives one token, whichever nodes are asked, and a node
//! that takes the account over knows of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Fault};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::IssueToken;
use domain::event::Fact;
use domain::first_answer::{AskKey, Fingerprint, FirstAnswer};
use domain::ids::{ClientId, TokenId};
use domain::user::{IssueRefusal, User};
use index::IndexFault;
use index::archive::Archive;

/// Most spent codes that a room remembers by itself, since the index may not have them yet.
const REMEMBERED: usize = 64;

/// Codes that were spent in this room lately, newest first, with the tokens issued for them.
pub(super) type SpentCodes = Vec<(AskKey, TokenId)>;

impl Answers<IssueToken> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<IssueToken> {
        Some(Err(IssueRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<IssueToken>, ctx: &mut Context<Self>) {
        let Some(code) = ask.question.code else { return self.issue_below_limit(ask, ctx) };
        let archive = self.context.archive.clone();
        let user = self.id;
        let look = async move {
            archive.index.reached(archive.journal.newest()).await?;
            archive.blocking(user, move |archive| archive.first_answer(code)).await
        };
        ctx.spawn(look.into_actor(self).map(move |found, room, ctx| match found {
            Ok(Some((_, first))) => {
                let refusal =
                    given_for(&first).map_or(IssueRefusal::Unknown, IssueRefusal::CodeSpent);
                ask.reply.send(Err(Failure::Refused(refusal)));
            }
            Ok(None) => room.issue_below_limit(ask, ctx),
            Err(fault) => ask.reply.send(Err(Fault::from(fault).into())),
        }));
    }
}

impl UserActor {
    /// Issues a token. If the user is at the limit of tokens, drops first those whose application
    /// was removed (the room receives no event for that), so that no valid token is revoked in
    /// their place.
    fn issue_below_limit(&mut self, ask: Ask<IssueToken>, ctx: &mut Context<Self>) {
        let full = self.user.as_ref().filter(|user| user.is_full_of_tokens());
        let clients = full.map(User::token_clients).unwrap_or_default();
        if clients.is_empty() {
            return self.issue(ask, ctx);
        }
        let archive = self.context.archive.clone();
        let user = self.id;
        let look =
            async move { archive.read_current(user, |archive| removed(archive, clients)).await };
        ctx.spawn(look.into_actor(self).map(move |removed, room, ctx| match removed {
            Ok(removed) => {
                room.user.iter_mut().for_each(|user| user.forget_tokens_of(&removed));
                room.issue(ask, ctx);
            }
            Err(fault) => ask.reply.send(Err(Fault::from(fault).into())),
        }));
    }

    fn issue(&mut self, ask: Ask<IssueToken>, ctx: &mut Context<Self>) {
        let IssueToken { token, password, code, identity } = ask.question;
        let id = token.id;
        let now = self.context.clock.now();
        let spent = self.spent.iter().find(|(spent, _)| Some(*spent) == code);
        let mut decided = match (&self.user, spent) {
            (_, Some((_, token))) => Err(IssueRefusal::CodeSpent(*token)),
            (Some(user), None) => match identity {
                Some(by) => user.issue_for_identity(token, &by.identity, by.session),
                None => user.issue(token, &password),
            },
            (None, None) => Err(IssueRefusal::Unknown),
        };
        if let (Ok(decision), Some(code)) = (&mut decided, code) {
            decision.facts.push(Fact::Answered(Arc::new(spending(code, id))));
        }
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| {
            // Only now is the decision staged: a room that cannot write refuses it, and its client
            // tries the code again.
            if let Some(code) = code {
                room.spent.truncate(REMEMBERED - 1);
                room.spent.insert(0, (code, id));
            }
            room.account_after_decision()
        });
    }
}

/// Those of these applications that do not exist any more.
fn removed(
    archive: &Archive,
    clients: BTreeSet<ClientId>,
) -> Result<BTreeSet<ClientId>, IndexFault> {
    let mut removed = BTreeSet::new();
    for client in clients {
        if archive.index.application(client)?.is_none() {
            removed.insert(client);
        }
    }
    Ok(removed)
}

/// The answer that records a code as spent on this token.
fn spending(code: AskKey, token: TokenId) -> FirstAnswer {
    let request = Fingerprint::new(0);
    let body = Some(token.to_string());
    FirstAnswer { key: code, request, status: 200, body, headers: Vec::new() }
}

/// Returns the token that was issued for a code.
pub fn given_for(first: &FirstAnswer) -> Option<TokenId> {
    first.body.as_ref()?.parse().ok()
}
