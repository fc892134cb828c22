//! The rules of the second factor: setting it up, using it at a log-in, removing it.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::factors::{
    FactorChange, FactorProof, SealedSecret, SecretHash, TrustedDevice, VERIFICATION_MILLIS,
    Verification,
};
use crate::ids::TokenId;
use crate::mail::{MailKind, MailNote};
use crate::passkeys::{PASSKEYS, Passkey, PasskeyUse};
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
    /// The user has no such passkey.
    #[error("there is no such passkey")]
    NoPasskey,
    /// The account has as many passkeys as it may.
    #[error("an account has at most 20 passkeys; remove one first")]
    TooManyPasskeys,
    /// The account has this passkey already.
    #[error("this passkey was added already")]
    PasskeyKnown,
    /// Without the passkey nobody could log in.
    #[error("this passkey is the only way to log in: set a password first")]
    LastWayIn,
    /// The passkey was used before with this challenge, or its counter went back.
    #[error("this passkey is not accepted; try again")]
    PasskeyWrong,
    /// The account needs two factors, and the passkey is only one.
    #[error("this passkey did not verify you: log in with your password, and use the passkey then")]
    Unverified,
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

    /// Removes the second factor and all passkeys, for an operator, and tells the user.
    ///
    /// # Errors
    /// If the account has neither.
    pub fn reset_factors(
        &self,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<()>, FactorRefusal> {
        let totp = self.factors.is_on().then_some((FactorChange::Removed, MailKind::FactorRemoved));
        let passkeys = (!self.factors.passkeys.is_empty())
            .then_some((FactorChange::PasskeysRemoved, MailKind::PasskeyRemoved));
        let Some((_, kind)) = totp.as_ref().or(passkeys.as_ref()) else {
            return Err(FactorRefusal::Off);
        };
        let kind = *kind;
        let removed = totp.into_iter().chain(passkeys).map(|(change, _)| factored(change));
        let facts = removed.chain(self.tell_of_factors(kind, note, now)).collect();
        Ok(Decision { facts, answer: () })
    }

    /// Adds a passkey, and tells the user.
    ///
    /// # Errors
    /// If the account has the passkey already, or too many.
    pub fn add_passkey(
        &self,
        passkey: Passkey,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<()>, FactorRefusal> {
        if self.factors.passkeys.by_credential(&passkey.credential).is_some() {
            return Err(FactorRefusal::PasskeyKnown);
        }
        if self.factors.passkeys.list.len() >= PASSKEYS {
            return Err(FactorRefusal::TooManyPasskeys);
        }
        let mut decision = one(FactorChange::PasskeyAdded(passkey));
        decision.facts.extend(self.tell_of_factors(MailKind::PasskeyAdded, note, now));
        Ok(decision)
    }

    /// Gives a passkey another name.
    ///
    /// # Errors
    /// If the user has no such passkey.
    pub fn rename_passkey(&self, id: u64, name: String) -> Result<Decision<()>, FactorRefusal> {
        let passkey = self.factors.passkeys.get(id).ok_or(FactorRefusal::NoPasskey)?;
        match passkey.name == name {
            true => Ok(Decision::unchanged(())),
            false => Ok(one(FactorChange::PasskeyRenamed { id, name })),
        }
    }

    /// Removes a passkey, and tells the user.
    ///
    /// # Errors
    /// If the user has no such passkey, or no other way to log in.
    pub fn remove_passkey(
        &self,
        id: u64,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<()>, FactorRefusal> {
        self.factors.passkeys.get(id).ok_or(FactorRefusal::NoPasskey)?;
        let is_last = self.factors.passkeys.list.len() == 1;
        if is_last && self.identities.has_no_password && self.identities.linked.is_empty() {
            return Err(FactorRefusal::LastWayIn);
        }
        let mut decision = one(FactorChange::PasskeyRemoved { id });
        decision.facts.extend(self.tell_of_factors(MailKind::PasskeyRemoved, note, now));
        Ok(decision)
    }

    /// Uses a passkey for a log-in without a password. Returns the password hash of the account,
    /// for which a token is issued.
    ///
    /// # Errors
    /// If the account is disabled, the passkey does not count, or the account needs two factors and
    /// the authenticator did not verify its user.
    pub fn log_in_by_passkey(
        &self,
        used: &PasskeyUse,
        now: Timestamp,
    ) -> Result<Decision<String>, FactorRefusal> {
        if self.is_disabled() {
            return Err(FactorRefusal::Disabled);
        }
        if self.factors.is_on() && !used.is_verified {
            return Err(FactorRefusal::Unverified);
        }
        if !self.factors.passkeys.accept(used, now) {
            return Err(FactorRefusal::PasskeyWrong);
        }
        let facts = vec![factored(FactorChange::PasskeyUsed(used.clone()))];
        Ok(Decision { facts, answer: self.password.clone() })
    }

    /// Uses up a one-time code, a recovery code or a passkey. `false` if it is wrong or was used
    /// before.
    pub fn use_factor(&self, proof: &FactorProof, now: Timestamp) -> Decision<bool> {
        let usage = self.factors.usage(proof, now);
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
        if self.is_disabled() {
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
        let Some(usage) = self.factors.usage(proof, now) else {
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
    use crate::passkeys::{CEREMONY_MILLIS, PasskeyBackup, PasskeyKey};
    use crate::user::fixtures::ana_since;

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
            let used = ana.use_factor(&code(step), at(1));
            assert_eq!(apply(&mut ana, 1, used), counts, "{step}");
        }
        for counts in [true, false] {
            let used = ana.use_factor(&FactorProof::Recovery(hash(1)), at(1));
            assert_eq!(apply(&mut ana, 1, used), counts);
        }
        let other = FactorProof::Totp { secret: SealedSecret::new(String::new()), step: 99 };
        assert!(!ana.use_factor(&other, at(1)).answer);
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
    fn passkey(number: u64, counter: u32) -> Passkey {
        Passkey {
            id: number,
            credential: format!("credential {number}"),
            key: PasskeyKey { algorithm: -7, bytes: "key".to_owned() },
            host: "chat.example.org".to_owned(),
            name: "Phone".to_owned(),
            backup: PasskeyBackup::Never,
            counter,
            since: at(0),
            used_at: None,
        }
    }

    fn shown(id: u64, counter: u32, challenge: u8) -> PasskeyUse {
        let challenge = hash(challenge);
        PasskeyUse { id, counter, backup: PasskeyBackup::Never, challenge, is_verified: true }
    }

    fn ana_with_passkeys(counters: &[u32]) -> User {
        let mut ana = ana_since(at(0));
        for (id, counter) in (1..).zip(counters) {
            let added = ana.add_passkey(passkey(id, *counter), None, at(0)).unwrap();
            apply(&mut ana, 0, added);
        }
        ana
    }

    #[test]
    fn counter_goes_forward_or_stays_zero() {
        for (before, after, counts) in
            [(0, 0, true), (0, 1, true), (5, 6, true), (5, 5, false), (5, 4, false), (5, 0, false)]
        {
            let mut ana = ana_with_passkeys(&[before]);
            let used = ana.log_in_by_passkey(&shown(1, after, 1), at(1));
            assert_eq!(used.is_ok(), counts, "{before} {after}");
            let Ok(used) = used else { continue };
            assert_eq!(apply(&mut ana, 1, used), ana.password);
            let noted = ana.factors.passkeys.get(1).unwrap();
            assert_eq!((noted.counter, noted.used_at), (after, Some(at(1))));
        }
    }

    #[test]
    fn challenge_counts_once() {
        let mut ana = ana_with_passkeys(&[0, 0]);
        let proof = |id, challenge| FactorProof::Passkey(shown(id, 0, challenge));
        for (id, challenge, counts) in [(1, 1, true), (2, 1, false), (2, 2, true), (3, 3, false)] {
            let used = ana.use_factor(&proof(id, challenge), at(1));
            assert_eq!(apply(&mut ana, 1, used), counts, "{id} {challenge}");
        }
        for challenge in 3..=64 {
            let used = ana.use_factor(&proof(1, challenge), at(1));
            assert!(apply(&mut ana, 1, used), "{challenge}");
        }
        assert!(!ana.use_factor(&proof(1, 65), at(1)).answer);
        let later = ana.use_factor(&proof(1, 65), at(1 + CEREMONY_MILLIS));
        assert!(apply(&mut ana, 1 + CEREMONY_MILLIS, later));
        assert_eq!(ana.factors.passkeys.challenges.len(), 1);
    }

    #[test]
    fn unverified_passkey_is_one_factor() {
        let mut ana = ana_with_factor();
        let added = ana.add_passkey(passkey(1, 0), None, at(0)).unwrap();
        apply(&mut ana, 0, added);
        let unverified = PasskeyUse { is_verified: false, ..shown(1, 0, 9) };
        let refused = ana.log_in_by_passkey(&unverified, at(1));
        assert_eq!(refused.err(), Some(FactorRefusal::Unverified));
        assert!(ana.use_factor(&FactorProof::Passkey(unverified), at(1)).answer);
        assert!(ana.log_in_by_passkey(&shown(1, 0, 9), at(1)).is_ok());
        let removed = ana.remove_factors(None, at(2)).unwrap();
        apply(&mut ana, 2, removed);
        assert!(!ana.factors.is_on() && !ana.factors.passkeys.is_empty());
        let reset = ana.reset_factors(None, at(3)).unwrap();
        apply(&mut ana, 3, reset);
        assert!(ana.factors.passkeys.is_empty());
        assert_eq!(ana.reset_factors(None, at(3)).err(), Some(FactorRefusal::Off));
    }

    #[test]
    fn account_has_twenty_different_passkeys() {
        let mut ana = ana_with_passkeys(&[0; PASSKEYS]);
        let again = ana.add_passkey(passkey(3, 0), None, at(1));
        assert_eq!(again.err(), Some(FactorRefusal::PasskeyKnown));
        let more = ana.add_passkey(passkey(99, 0), None, at(1));
        assert_eq!(more.err(), Some(FactorRefusal::TooManyPasskeys));
        let renamed = ana.rename_passkey(1, "Key".to_owned()).unwrap();
        apply(&mut ana, 1, renamed);
        assert_eq!(ana.factors.passkeys.get(1).unwrap().name, "Key");
        let removed = ana.remove_passkey(1, None, at(1)).unwrap();
        apply(&mut ana, 1, removed);
        let gone = ana.remove_passkey(1, None, at(1));
        assert_eq!(gone.err(), Some(FactorRefusal::NoPasskey));
        ana.identities.has_no_password = true;
        for id in 2..20 {
            let removed = ana.remove_passkey(id, None, at(1)).unwrap();
            apply(&mut ana, 1, removed);
        }
        let last = ana.remove_passkey(20, None, at(1));
        assert_eq!(last.err(), Some(FactorRefusal::LastWayIn));
    }
}
