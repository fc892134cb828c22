//! The rules of the second factor: setting it up, using it at a log-in, removing it.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::factors::{
    FactorChange, FactorProof, SealedSecret, SecretHash, TrustedDevice, VERIFICATION_MILLIS,
    Verification,
};
use crate::ids::TokenId;
use crate::mail::{MailKind, MailNote};
use crate::time::Timestamp;
use crate::user::{User, UserFact};

/// Why the second factor was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum FactorRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
    /// The account has the factor already.
    #[error("one-time codes are set up already; remove them first")]
    AlreadyOn,
    /// The account has no second factor.
    #[error("no one-time codes are set up")]
    Off,
    /// No secret waits for its first code, or another one does.
    #[error("no one-time codes are being set up; start again")]
    NotBegun,
    /// No log-in waits under this code.
    #[error("this log-in has expired; log in again")]
    Expired,
    /// The password was changed after it was checked.
    #[error("the password was changed meanwhile")]
    PasswordChanged,
    /// An operator disabled the account.
    #[error("this account is disabled; contact the operators of this server")]
    Disabled,
    /// The user does not trust such a device.
    #[error("there is no such device")]
    NoDevice,
}

/// The outcome of a code for a log-in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerificationOutcome {
    /// The code is right.
    Passed {
        /// The password hash that the log-in was begun with.
        password: String,
    },
    /// The code is wrong.
    Wrong {
        /// How many codes may still be tried for this log-in.
        tries_left: u32,
    },
}

/// What follows on the right code for a log-in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerificationUse {
    /// The log-in is finished, and the device is trusted from now on if there is one.
    Finish(Option<TrustedDevice>),
    /// The log-in waits for its client, which finishes it with another request.
    Keep,
}

fn factored(change: FactorChange) -> Fact {
    Fact::User(UserFact::Factored(change))
}

fn one(change: FactorChange) -> Decision<()> {
    Decision { facts: vec![factored(change)], answer: () }
}

impl User {
    /// Notes a TOTP secret that waits for its first code; an earlier one that waits ends.
    ///
    /// # Errors
    /// If the account has a confirmed one.
    pub fn begin_totp(&self, secret: SealedSecret) -> Result<Decision<()>, FactorRefusal> {
        match self.factors.is_on() {
            true => Err(FactorRefusal::AlreadyOn),
            false => Ok(one(FactorChange::TotpBegun { secret })),
        }
    }

    /// Turns the second factor on, after a code of this step of the secret that waits.
    ///
    /// # Errors
    /// If the account has a factor, or that secret does not wait.
    pub fn confirm_totp(
        &self,
        secret: &SealedSecret,
        step: u64,
        recovery: Vec<SecretHash>,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<()>, FactorRefusal> {
        if self.factors.is_on() {
            return Err(FactorRefusal::AlreadyOn);
        }
        if self.factors.pending.as_ref() != Some(secret) {
            return Err(FactorRefusal::NotBegun);
        }
        let mut decision = one(FactorChange::TotpConfirmed { step, recovery });
        decision.facts.extend(self.tell_of_factors(MailKind::FactorAdded, note, now));
        Ok(decision)
    }

    /// Removes the second factor, its recovery codes and all trusted devices, and tells the user.
    ///
    /// # Errors
    /// If the account has no second factor.
    pub fn remove_factors(
        &self,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<()>, FactorRefusal> {
        if !self.factors.is_on() {
            return Err(FactorRefusal::Off);
        }
        let mut decision = one(FactorChange::Removed);
        decision.facts.extend(self.tell_of_factors(MailKind::FactorRemoved, note, now));
        Ok(decision)
    }

    /// Replaces the recovery codes.
    ///
    /// # Errors
    /// If the account has no second factor.
    pub fn renew_recovery(&self, recovery: Vec<SecretHash>) -> Result<Decision<()>, FactorRefusal> {
        match self.factors.is_on() {
            true => Ok(one(FactorChange::RecoveryRenewed { recovery })),
            false => Err(FactorRefusal::Off),
        }
    }

    /// Uses up a one-time code or a recovery code. `false` if it is wrong or was used before.
    pub fn use_factor(&self, proof: &FactorProof) -> Decision<bool> {
        let usage = self.factors.usage(proof);
        let answer = usage.is_some();
        Decision { facts: usage.map(factored).into_iter().collect(), answer }
    }

    /// Begins a log-in whose password was right and which waits for the second factor. Returns when
    /// it ends.
    ///
    /// # Errors
    /// If the password was changed since it was checked, the account is disabled, or it has no
    /// second factor any more.
    pub fn begin_verification(
        &self,
        hash: SecretHash,
        password: &str,
        now: Timestamp,
    ) -> Result<Decision<Timestamp>, FactorRefusal> {
        if self.password != password {
            return Err(FactorRefusal::PasswordChanged);
        }
        if self.disabled_at.is_some() {
            return Err(FactorRefusal::Disabled);
        }
        if !self.factors.is_on() {
            return Err(FactorRefusal::Expired);
        }
        let expires_at = now.plus_millis(VERIFICATION_MILLIS);
        let begun = Verification { hash, expires_at, failures: 0, is_passed: false };
        let facts = vec![factored(FactorChange::VerificationBegun(begun))];
        Ok(Decision { facts, answer: expires_at })
    }

    /// Tries a code for a log-in that waits.
    ///
    /// # Errors
    /// If no such log-in waits.
    pub fn verify(
        &self,
        hash: SecretHash,
        proof: &FactorProof,
        then: VerificationUse,
        now: Timestamp,
    ) -> Result<Decision<VerificationOutcome>, FactorRefusal> {
        let waiting = self.factors.verification(&hash, now).ok_or(FactorRefusal::Expired)?;
        let Some(usage) = self.factors.usage(proof) else {
            let tries_left = waiting.tries_left() - 1;
            let facts = vec![factored(FactorChange::VerificationFailed { hash })];
            return Ok(Decision { facts, answer: VerificationOutcome::Wrong { tries_left } });
        };
        let mut facts = vec![factored(usage)];
        match then {
            VerificationUse::Keep => {
                facts.push(factored(FactorChange::VerificationPassed { hash }));
            }
            VerificationUse::Finish(device) => {
                facts.push(factored(FactorChange::VerificationEnded { hash }));
                facts.extend(device.map(|it| factored(FactorChange::DeviceTrusted(it))));
            }
        }
        let answer = VerificationOutcome::Passed { password: self.password.clone() };
        Ok(Decision { facts, answer })
    }

    /// Finishes a log-in whose factor passed before; the device is trusted from now on if there is
    /// one.
    ///
    /// # Errors
    /// If there is no such log-in.
    pub fn finish_verification(
        &self,
        hash: SecretHash,
        device: Option<TrustedDevice>,
        now: Timestamp,
    ) -> Result<Decision<()>, FactorRefusal> {
        let passed = self.factors.verification(&hash, now).filter(|it| it.is_passed);
        passed.ok_or(FactorRefusal::Expired)?;
        let mut decision = one(FactorChange::VerificationEnded { hash });
        decision.facts.extend(device.map(|it| factored(FactorChange::DeviceTrusted(it))));
        Ok(decision)
    }

    /// Ends the trust in a device.
    ///
    /// # Errors
    /// If the user trusts no such device.
    pub fn forget_device(&self, id: u64, now: Timestamp) -> Result<Decision<()>, FactorRefusal> {
        let mut known = self.factors.devices.iter();
        match known.any(|device| device.id == id && now < device.expires_at()) {
            true => Ok(one(FactorChange::DeviceForgotten { id })),
            false => Err(FactorRefusal::NoDevice),
        }
    }

    /// Notes that the user of a token showed again who they are.
    pub fn prove(&self, token: TokenId) -> Decision<()> {
        match self.tokens.contains_key(&token) {
            true => one(FactorChange::Proved { token }),
            false => Decision::unchanged(()),
        }
    }

    fn tell_of_factors(
        &self,
        kind: MailKind,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Option<Fact> {
        self.queue_mail(note?, (kind, self.profile.email.clone()), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::VERIFICATION_TRIES;
    use crate::user::testing::ana_since;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn hash(number: u8) -> SecretHash {
        SecretHash::new([number; 32])
    }

    fn secret() -> SealedSecret {
        SealedSecret::new("sealed".to_owned())
    }

    fn code(step: u64) -> FactorProof {
        FactorProof::Totp { secret: secret(), step }
    }

    fn apply<T>(user: &mut User, now: u64, decision: Decision<T>) -> T {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(at(now), fact);
        }
        decision.answer
    }

    fn ana_with_factor() -> User {
        let mut ana = ana_since(at(0));
        let begun = ana.begin_totp(secret()).unwrap();
        apply(&mut ana, 0, begun);
        let recovery = vec![hash(1), hash(2)];
        let confirmed = ana.confirm_totp(&secret(), 7, recovery, None, at(0)).unwrap();
        apply(&mut ana, 0, confirmed);
        ana
    }

    #[test]
    fn code_counts_once_and_only_forward() {
        let mut ana = ana_with_factor();
        for (step, counts) in [(7, false), (8, true), (8, false), (7, false), (9, true)] {
            let used = ana.use_factor(&code(step));
            assert_eq!(apply(&mut ana, 1, used), counts, "{step}");
        }
        for counts in [true, false] {
            let used = ana.use_factor(&FactorProof::Recovery(hash(1)));
            assert_eq!(apply(&mut ana, 1, used), counts);
        }
        let other = FactorProof::Totp { secret: SealedSecret::new(String::new()), step: 99 };
        assert!(!ana.use_factor(&other).answer);
        assert_eq!(ana.begin_totp(secret()).err(), Some(FactorRefusal::AlreadyOn));
    }

    #[test]
    fn verification_ends_after_five_wrong_codes_or_five_minutes() {
        let mut ana = ana_with_factor();
        let password = ana.password.clone();
        let begun = ana.begin_verification(hash(9), &password, at(0)).unwrap();
        assert_eq!(apply(&mut ana, 0, begun), at(VERIFICATION_MILLIS));
        for left in (0..VERIFICATION_TRIES).rev() {
            let wrong =
                ana.verify(hash(9), &FactorProof::Wrong, VerificationUse::Keep, at(1)).unwrap();
            let outcome = apply(&mut ana, 1, wrong);
            assert_eq!(outcome, VerificationOutcome::Wrong { tries_left: left });
        }
        let late = |ana: &User, number, now| {
            ana.verify(hash(number), &code(8), VerificationUse::Keep, at(now)).err()
        };
        assert_eq!(late(&ana, 9, 1), Some(FactorRefusal::Expired));
        let begun = ana.begin_verification(hash(8), &password, at(1)).unwrap();
        apply(&mut ana, 1, begun);
        assert_eq!(late(&ana, 8, VERIFICATION_MILLIS), None);
        assert_eq!(late(&ana, 8, VERIFICATION_MILLIS + 1), Some(FactorRefusal::Expired));
        let refused = ana.begin_verification(hash(7), "another", at(1));
        assert_eq!(refused.err(), Some(FactorRefusal::PasswordChanged));
    }

    #[test]
    fn passed_verification_trusts_a_device_until_the_password_changes() {
        let mut ana = ana_with_factor();
        let password = ana.password.clone();
        let begun = ana.begin_verification(hash(9), &password, at(0)).unwrap();
        apply(&mut ana, 0, begun);
        assert_eq!(
            ana.finish_verification(hash(9), None, at(0)).err(),
            Some(FactorRefusal::Expired)
        );
        let passed = ana.verify(hash(9), &code(8), VerificationUse::Keep, at(1)).unwrap();
        apply(&mut ana, 1, passed);
        let device =
            TrustedDevice { id: 3, hash: hash(4), name: "Firefox".to_owned(), since: at(1) };
        let finished = ana.finish_verification(hash(9), Some(device), at(1)).unwrap();
        apply(&mut ana, 1, finished);
        assert!(ana.factors.device(&hash(4), at(2)).is_some());
        assert_eq!(ana.forget_device(4, at(2)).err(), Some(FactorRefusal::NoDevice));
        let changed = ana.change_password("new".to_owned(), None);
        apply(&mut ana, 2, changed);
        assert!(ana.factors.device(&hash(4), at(2)).is_none() && ana.factors.is_on());
        let removed = ana.remove_factors(None, at(3)).unwrap();
        apply(&mut ana, 3, removed);
        assert!(!ana.factors.is_on() && ana.factors.recovery.is_empty());
        assert_eq!(ana.remove_factors(None, at(3)).err(), Some(FactorRefusal::Off));
    }
}
