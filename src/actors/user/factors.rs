//! The second factor: what the user's room does with the questions about it.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::user::UserActor;
use domain::factors::{FactorProof, SealedSecret, SecretHash, TrustedDevice};
use domain::ids::TokenId;
use domain::mail::MailNote;
use domain::passkeys::{Passkey, PasskeyUse};
use domain::time::Timestamp;
use domain::user::{FactorRefusal, VerificationOutcome, VerificationUse};

/// Notes a TOTP secret that waits for its first code. Sent by `http::factors`.
#[derive(Debug)]
pub struct BeginTotp {
    /// The secret.
    pub secret: SealedSecret,
}

/// Turns the second factor on. Sent by `http::factors`, which has checked the first code.
#[derive(Debug)]
pub struct ConfirmTotp {
    /// The secret that the code was checked with.
    pub secret: SealedSecret,
    /// The step of the code.
    pub step: u64,
    /// The recovery codes.
    pub recovery: Vec<SecretHash>,
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

/// Removes the second factor. Sent by `http::factors`.
#[derive(Debug)]
pub struct RemoveFactors {
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

/// Removes the second factor and all passkeys. Sent by `admin::users`.
#[derive(Debug)]
pub struct ResetFactors {
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

/// Adds a passkey. Sent by `http::passkeys`, which has checked it.
#[derive(Debug)]
pub struct AddPasskey {
    /// The passkey.
    pub passkey: Passkey,
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

/// Gives a passkey another name. Sent by `http::passkeys`.
#[derive(Debug)]
pub struct RenamePasskey {
    /// The passkey's id.
    pub id: u64,
    /// The name.
    pub name: String,
}

/// Removes a passkey. Sent by `http::passkeys`.
#[derive(Debug)]
pub struct RemovePasskey {
    /// The passkey's id.
    pub id: u64,
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

/// Uses a passkey for a log-in; answered with the password hash of the account. Sent by
/// `http::passkeys`, which has checked the signature.
#[derive(Debug)]
pub struct LogInByPasskey {
    /// The use.
    pub used: PasskeyUse,
}

/// Replaces the recovery codes. Sent by `http::factors`.
#[derive(Debug)]
pub struct RenewRecovery {
    /// The new codes.
    pub recovery: Vec<SecretHash>,
}

/// Uses up a code outside a log-in; answered with whether it was right. Sent by `http::fresh`.
#[derive(Debug)]
pub struct UseFactor {
    /// The code.
    pub proof: FactorProof,
}

/// Begins a log-in that waits for the second factor; answered with when it ends. Sent by
/// `http::verification`.
#[derive(Debug)]
pub struct BeginVerification {
    /// The hash of the log-in's code.
    pub hash: SecretHash,
    /// The password hash that the typed password was checked against.
    pub password: String,
}

/// Tries a code for a log-in that waits. Sent by `http::verification`.
#[derive(Debug)]
pub struct Verify {
    /// The hash of the log-in's code.
    pub hash: SecretHash,
    /// The code of the second factor.
    pub proof: FactorProof,
    /// What follows if it is right.
    pub then: VerificationUse,
}

/// Finishes a log-in whose factor passed before. Sent by `http::verification`.
#[derive(Debug)]
pub struct FinishVerification {
    /// The hash of the log-in's code.
    pub hash: SecretHash,
    /// The device that is trusted from now on.
    pub device: Option<TrustedDevice>,
}

/// Ends the trust in a device. Sent by `http::factors`.
#[derive(Debug)]
pub struct ForgetDevice {
    /// The device's id.
    pub id: u64,
}

/// Notes that the user of a token showed again who they are. Sent by `http::fresh`.
#[derive(Debug)]
pub struct Prove {
    /// The token.
    pub token: TokenId,
}

/// A question that is decided from the account, its fields and the time alone.
macro_rules! decided_by_account {
    ($($question:ident -> $answer:ty: |$user:ident, $asked:pat_param, $now:ident| $decide:expr;)*) => {$(
        impl Question for $question {
            type Answer = $answer;
            type Refusal = FactorRefusal;
            const DECIDES: bool = true;
        }

        impl Answers<$question> for UserActor {
            fn answer_if_absent() -> AbsentAnswer<$question> {
                Some(Err(FactorRefusal::Unknown))
            }

            fn answer(&mut self, ask: Ask<$question>, ctx: &mut Context<Self>) {
                self.record_for_account(ask, ctx, FactorRefusal::Unknown, |$user, $asked, $now| {
                    $decide
                });
            }
        }
    )*};
}

decided_by_account! {
    BeginTotp -> (): |user, BeginTotp { secret }, _now| user.begin_totp(secret);
    ConfirmTotp -> (): |user, ConfirmTotp { secret, step, recovery, note }, now|
        user.confirm_totp(&secret, step, recovery, note, now);
    RemoveFactors -> (): |user, RemoveFactors { note }, now|
        user.remove_factors(note, now);
    RenewRecovery -> (): |user, RenewRecovery { recovery }, _now|
        user.renew_recovery(recovery);
    UseFactor -> bool: |user, UseFactor { proof }, now|
        Ok(user.use_factor(&proof, now));
    ResetFactors -> (): |user, ResetFactors { note }, now|
        user.reset_factors(note, now);
    AddPasskey -> (): |user, AddPasskey { passkey, note }, now|
        user.add_passkey(passkey, note, now);
    RenamePasskey -> (): |user, RenamePasskey { id, name }, _now|
        user.rename_passkey(id, name);
    RemovePasskey -> (): |user, RemovePasskey { id, note }, now|
        user.remove_passkey(id, note, now);
    LogInByPasskey -> String: |user, LogInByPasskey { used }, now|
        user.log_in_by_passkey(&used, now);
    BeginVerification -> Timestamp:
        |user, BeginVerification { hash, password }, now|
        user.begin_verification(hash, &password, now);
    Verify -> VerificationOutcome: |user, Verify { hash, proof, then }, now|
        user.verify(hash, &proof, then, now);
    FinishVerification -> (): |user, FinishVerification { hash, device }, now|
        user.finish_verification(hash, device, now);
    ForgetDevice -> (): |user, ForgetDevice { id }, now| user.forget_device(id, now);
    Prove -> (): |user, Prove { token }, _now| Ok(user.prove(token));
}
