//! New accounts that wait before anybody can log in: what a user's room does with the questions about
//! them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::user::UserActor;
use crate::user::protocol::UserRefusal;
use domain::mail::MailNote;
use domain::user::{AccountDecision, AccountDecisionRefusal, RepeatedRegistration};

/// Takes a registration with the address of the account, of which only a mail tells. Sent by
/// `http::waiting_accounts`.
#[derive(Debug)]
pub struct RegisterAgain(pub RepeatedRegistration);

impl Question for RegisterAgain {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Approves or refuses an account that waits for it. Sent by `http::account_requests`.
#[derive(Debug)]
pub struct DecideAccountRequest {
    /// What the operator decided.
    pub decided: AccountDecision,
    /// The mail that tells of an approval; `None` if the server sends none.
    pub note: Option<MailNote>,
}

impl Question for DecideAccountRequest {
    type Answer = ();
    type Refusal = AccountDecisionRefusal;
    const DECIDES: bool = true;
}

/// Deletes the account if it has waited too long. Sent by `subscribers::waiting_accounts`.
#[derive(Debug)]
pub struct EndWaiting;

impl Question for EndWaiting {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

impl Answers<RegisterAgain> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RegisterAgain> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<RegisterAgain>, ctx: &mut Context<Self>) {
        self.record_for_account(
            ask,
            ctx,
            UserRefusal::Unknown,
            |user, RegisterAgain(again), now| Ok(user.register_again(again, now)),
        );
    }
}

impl Answers<DecideAccountRequest> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<DecideAccountRequest> {
        Some(Err(AccountDecisionRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<DecideAccountRequest>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, AccountDecisionRefusal::Unknown, |user, decide, now| {
            user.decide_account_request(decide.decided, decide.note, now)
        });
    }
}

impl Answers<EndWaiting> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<EndWaiting> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<EndWaiting>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, UserRefusal::Unknown, |user, EndWaiting, now| {
            Ok(user.end_waiting(now))
        });
    }
}
