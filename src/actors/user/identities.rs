//! Identities at providers: what the user's room does with the questions about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::UserRefusal;
use domain::identities::Identity;
use domain::ids::TokenId;
use domain::time::Monotonic;
use domain::user::{IdentityRefusal, ProviderLogout};

/// Links an identity. Sent by `http::oidc`, which has claimed it.
#[derive(Debug)]
pub struct LinkIdentity {
    /// The identity.
    pub identity: Identity,
    /// The email address that the provider named.
    pub email: Option<String>,
    /// Until when the identity is claimed.
    pub claimed: Monotonic,
}

/// Unlinks an identity; answered with it. Sent by `http::identities`.
#[derive(Debug)]
pub struct UnlinkIdentity {
    /// The id of the identity.
    pub id: String,
    /// The token that stays valid.
    pub keep: TokenId,
}

/// Ends the tokens that a provider logs out. Sent by `http::oidc`, which has checked the log-out
/// token.
#[derive(Debug)]
pub struct LogOutByProvider(pub ProviderLogout);

/// Whether an account has an identity, after everything that was decided before. Sent by
/// `actors::names` before another user gets the identity; the answer is durable.
#[derive(Debug)]
pub struct HoldsIdentity {
    /// The identity.
    pub identity: Identity,
}

impl Question for LinkIdentity {
    type Answer = ();
    type Refusal = IdentityRefusal;
    const DECIDES: bool = true;
}

impl Question for UnlinkIdentity {
    type Answer = Identity;
    type Refusal = IdentityRefusal;
    const DECIDES: bool = true;
}

impl Question for LogOutByProvider {
    type Answer = ();
    type Refusal = IdentityRefusal;
    const DECIDES: bool = true;
}

impl Question for HoldsIdentity {
    type Answer = bool;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

impl Answers<LinkIdentity> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<LinkIdentity> {
        Some(Err(IdentityRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<LinkIdentity>, ctx: &mut Context<Self>) {
        let mono = self.context.clock.now().mono;
        self.record_for_account(ask, ctx, IdentityRefusal::Unknown, |user, question, _| {
            let LinkIdentity { identity, email, claimed } = question;
            match mono >= claimed {
                true => Err(IdentityRefusal::Late),
                false => user.link_identity(identity, email),
            }
        });
    }
}

impl Answers<UnlinkIdentity> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<UnlinkIdentity> {
        Some(Err(IdentityRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<UnlinkIdentity>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, IdentityRefusal::Unknown, |user, question, _| {
            user.unlink_identity(&question.id, question.keep)
        });
    }
}

impl Answers<LogOutByProvider> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<LogOutByProvider> {
        Some(Err(IdentityRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<LogOutByProvider>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, IdentityRefusal::Unknown, |user, question, _| {
            user.log_out_by_provider(&question.0)
        });
    }
}

impl Answers<HoldsIdentity> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<HoldsIdentity> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<HoldsIdentity>, _: &mut Context<Self>) {
        let identity = ask.question.identity;
        let holds = self.user.as_ref().is_some_and(|user| user.holds_identity(&identity));
        self.when_durable(move |room| ask.reply.send(room.map(|_| holds).map_err(Failure::from)));
    }
}
