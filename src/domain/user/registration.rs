//! New accounts that wait for something before anybody can log in to them.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::mail::{MailChange, MailKind, MailNote};
use crate::registration::{AccountWait, WaitingReason};
use crate::text::UserName;
use crate::time::Timestamp;
use crate::user::{Profile, User, UserFact};

/// A registration with the address of an account that exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedRegistration {
    /// The name.
    pub name: UserName,
    /// The hash of the password: Argon2id in PHC form.
    pub password: String,
    /// The mail to the address; `None` if the server sends none.
    pub note: Option<MailNote>,
    /// What a new account would wait for.
    pub wait: AccountWait,
}

/// What an operator does with somebody who asks for an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountDecision {
    /// The account can be used from now on.
    Approved,
    /// The account is deleted, which nobody has ever used.
    Refused,
}

/// Why nothing was decided about an account that asks to be approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AccountDecisionRefusal {
    /// There is no such account, or it does not wait for an approval any more.
    #[error("there is no such request: it was decided, or there never was one")]
    Unknown,
}

impl User {
    /// Takes a registration with the address of this account, of which only a mail tells. An account
    /// that waits for its confirmation gets the new name and password, and waits for what the new
    /// registration waits for, so that the owner of the address need not know what others typed
    /// before. So does one that waits for an approval, if the new registration is to be confirmed. Any
    /// other account stays as it is: what operators read is what they approve. Decides nothing after
    /// too many such mails within an hour, or for a disabled account.
    pub fn register_again(&self, again: RepeatedRegistration, now: Timestamp) -> Decision<()> {
        let RepeatedRegistration { name, password, note, wait } = again;
        if self.was_disabled() {
            return Decision::unchanged(());
        }
        let is_confirmed_by_mail = wait.reason == WaitingReason::Confirmation;
        let mail = |kind, is_enough: bool| {
            let to = self.profile.email.clone();
            note.filter(|_| !is_enough).and_then(|note| self.queue_mail(note, (kind, to), now))
        };
        let Some(waiting) = &self.waiting else {
            let is_enough = self.mailbox.has_registered_enough(now);
            let told = mail(MailKind::AlreadyRegistered, is_enough);
            return Decision { facts: told.into_iter().collect(), answer: () };
        };
        let confirmation = is_confirmed_by_mail
            .then(|| mail(MailKind::Confirmation, self.mailbox.has_confirmed_enough(now)))
            .flatten();
        let is_replaced = match is_confirmed_by_mail {
            true => confirmation.is_some(),
            false => waiting.reason == WaitingReason::Confirmation,
        };
        if !is_replaced {
            return Decision::unchanged(());
        }
        let mut facts = Vec::new();
        if self.profile.name != name {
            let profile = Profile { name, ..self.profile.clone() };
            facts.push(UserFact::ProfileChanged { profile });
        }
        facts.push(UserFact::PasswordChanged { password });
        facts.push(UserFact::Mailed(MailChange::LinksEnded));
        facts.push(UserFact::Waits(wait));
        let facts = facts.into_iter().map(Fact::User).chain(confirmation).collect();
        Decision { facts, answer: () }
    }

    /// Approves or refuses an account that waits for it. `note`: the mail that tells of an approval,
    /// in the language in which the account was requested.
    ///
    /// # Errors
    /// If the account does not wait for an approval.
    pub fn decide_account_request(
        &self,
        decided: AccountDecision,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<()>, AccountDecisionRefusal> {
        let reason = self.waiting.as_ref().map(|it| &it.reason);
        let Some(WaitingReason::Approval { language, .. }) = reason else {
            return Err(AccountDecisionRefusal::Unknown);
        };
        let facts = match decided {
            AccountDecision::Approved => {
                let to = (MailKind::Approved, self.profile.email.clone());
                let note = note.map(|note| MailNote { language: *language, ..note });
                let mail = note.and_then(|note| self.queue_mail(note, to, now));
                std::iter::once(Fact::User(UserFact::Admitted)).chain(mail).collect()
            }
            AccountDecision::Refused => vec![Fact::User(UserFact::Deleted)],
        };
        Ok(Decision { facts, answer: () })
    }

    /// Deletes an account that has waited too long, which nobody has ever used. Decides nothing if it
    /// has not.
    pub fn end_waiting(&self, now: Timestamp) -> Decision<()> {
        let until = self.waiting.as_ref().and_then(|it| it.until);
        let is_over = until.is_some_and(|until| until <= now);
        let ended = is_over.then_some(Fact::User(UserFact::Deleted));
        Decision { facts: ended.into_iter().collect(), answer: () }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::MailId;
    use crate::ids::TokenId;
    use crate::mail::{CONFIRMATION_MILLIS, LinkHash, MailLanguage};
    use crate::text::AboutText;
    use crate::user::fixtures::ana_since;
    use crate::user::{IssueRefusal, LinkRefusal, TokenHash, TokenRecord};

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn note(id: u64) -> MailNote {
        MailNote { id: MailId::new(id), language: MailLanguage::English }
    }

    fn apply<T>(user: &mut User, now: u64, decision: Decision<T>) -> usize {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(at(now), fact);
        }
        decision.facts.len()
    }

    fn again(id: u64, password: &str) -> RepeatedRegistration {
        let name = UserName::parse("Anna".to_owned()).unwrap();
        let wait = AccountWait::for_confirmation(at(0));
        RepeatedRegistration { name, password: password.to_owned(), note: Some(note(id)), wait }
    }

    fn waiting() -> User {
        let mut ana = ana_since(at(0));
        ana.apply(at(0), &UserFact::Waits(AccountWait::for_confirmation(at(0))));
        let mail = note(1).mail(MailKind::Confirmation, ana.profile.email.clone(), at(0));
        ana.apply(at(0), &UserFact::Mailed(MailChange::Queued(mail)));
        ana
    }

    fn sends(user: &mut User, id: u64, hash: LinkHash, now: u64) {
        let begun = user.begin_mail(MailId::new(id), hash, at(now));
        assert!(begun.answer.is_some());
        apply(user, now, begun);
    }

    #[test]
    fn confirmed_account_waits_no_more() {
        let mut ana = waiting();
        let token = TokenRecord {
            id: TokenId::new(1),
            hash: TokenHash::new([1; 32]),
            application: None,
            created_at: at(1),
            expires_at: None,
            client: None,
            last_used_at: None,
            device: None,
            scopes: None,
        };
        let password = ana.password.clone();
        assert_eq!(ana.issue(token.clone(), &password).unwrap_err(), IssueRefusal::Unconfirmed);
        assert!(ana.is_disabled() && !ana.was_disabled());
        let hash = LinkHash::new([1; 32]);
        sends(&mut ana, 1, hash, 1);
        let confirmed = ana.confirm_address(&hash, false, None, at(2)).unwrap();
        apply(&mut ana, 2, confirmed);
        assert!(!ana.is_disabled() && ana.is_verified());
        assert!(ana.issue(token, &password).is_ok());
        assert!(ana.end_waiting(at(2 * CONFIRMATION_MILLIS)).facts.is_empty());
    }

    #[test]
    fn later_registration_replaces_one_that_waits() {
        let mut ana = waiting();
        let [first, second] = [1, 2].map(|it| LinkHash::new([it; 32]));
        sends(&mut ana, 1, first, 1);
        let decision = ana.register_again(again(2, "newer"), at(5));
        apply(&mut ana, 5, decision);
        assert_eq!((ana.password.as_str(), ana.profile.name.as_str()), ("newer", "Anna"));
        assert_eq!(ana.confirmation_link(&first, at(6)), Err(LinkRefusal::Unknown));
        sends(&mut ana, 2, second, 6);
        assert!(ana.confirmation_link(&second, at(7)).is_ok());
        let decision = ana.register_again(again(3, "newest"), at(8));
        assert!(apply(&mut ana, 8, decision) > 0);
        let decision = ana.register_again(again(4, "too much"), at(9));
        assert_eq!(apply(&mut ana, 9, decision), 0, "three mails an hour");
    }

    fn asks(about: &str) -> AccountWait {
        let about = AboutText::parse(about.to_owned()).unwrap();
        AccountWait::for_approval(Some(about), MailLanguage::German)
    }

    #[test]
    fn approved_account_is_told_in_its_language() {
        let mut ana = ana_since(at(0));
        ana.apply(at(0), &UserFact::Waits(asks("I climb")));
        let approved =
            ana.decide_account_request(AccountDecision::Approved, Some(note(1)), at(5)).unwrap();
        assert_eq!(apply(&mut ana, 5, approved), 2);
        assert!(ana.waiting.is_none());
        let mail = &ana.mailbox.queue[0].mail;
        assert_eq!((mail.kind, mail.language), (MailKind::Approved, MailLanguage::German));
        for decided in [AccountDecision::Approved, AccountDecision::Refused] {
            let late = ana.decide_account_request(decided, None, at(6));
            assert_eq!(late.unwrap_err(), AccountDecisionRefusal::Unknown);
        }
    }

    #[test]
    fn refused_account_is_deleted() {
        let mut ana = ana_since(at(0));
        ana.apply(at(0), &UserFact::Waits(asks("I climb")));
        assert!(ana.end_waiting(at(CONFIRMATION_MILLIS * 100)).facts.is_empty());
        let refused =
            ana.decide_account_request(AccountDecision::Refused, Some(note(1)), at(5)).unwrap();
        assert_eq!(refused.facts, [Fact::User(UserFact::Deleted)]);
    }

    #[test]
    fn account_that_waits_for_its_confirmation_is_not_approved() {
        let ana = waiting();
        let refusal =
            ana.decide_account_request(AccountDecision::Approved, None, at(5)).unwrap_err();
        assert_eq!(refusal, AccountDecisionRefusal::Unknown);
    }

    #[test]
    fn request_that_operators_read_is_the_one_they_approve() {
        let mut ana = ana_since(at(0));
        ana.apply(at(0), &UserFact::Waits(asks("I climb")));
        let strange = RepeatedRegistration { wait: asks("I hack"), ..again(1, "strange") };
        let decision = ana.register_again(strange, at(1));
        assert_eq!(apply(&mut ana, 1, decision), 0);
        let decision = ana.register_again(again(2, "newer"), at(2));
        assert!(apply(&mut ana, 2, decision) > 0, "the owner of the address confirms it");
        assert_eq!(ana.password, "newer");
        let decision = ana.decide_account_request(AccountDecision::Approved, None, at(3));
        assert_eq!(decision.unwrap_err(), AccountDecisionRefusal::Unknown);
    }

    #[test]
    fn request_replaces_a_registration_that_nobody_confirmed() {
        let mut ana = waiting();
        let first = LinkHash::new([1; 32]);
        sends(&mut ana, 1, first, 1);
        let asked = RepeatedRegistration { note: None, wait: asks("I climb"), ..again(2, "newer") };
        let decision = ana.register_again(asked, at(5));
        assert!(apply(&mut ana, 5, decision) > 0);
        assert_eq!(ana.password, "newer");
        assert_eq!(ana.confirmation_link(&first, at(6)), Err(LinkRefusal::Unknown));
        assert!(ana.decide_account_request(AccountDecision::Approved, None, at(7)).is_ok());
    }

    #[test]
    fn account_that_waited_too_long_is_deleted() {
        let ana = waiting();
        assert!(ana.end_waiting(at(CONFIRMATION_MILLIS - 1)).facts.is_empty());
        let ended = ana.end_waiting(at(CONFIRMATION_MILLIS));
        assert_eq!(ended.facts, [Fact::User(UserFact::Deleted)]);
    }

    #[test]
    fn known_account_is_told_and_stays() {
        let mut ana = ana_since(at(0));
        for id in 1..=3 {
            let decision = ana.register_again(again(id, "other"), at(id));
            assert_eq!(apply(&mut ana, id, decision), 1);
        }
        let decision = ana.register_again(again(4, "other"), at(4));
        assert_eq!(apply(&mut ana, 4, decision), 0, "three mails an hour");
        assert_ne!(ana.password, "other");
        assert_eq!(ana.mailbox.queue[0].mail.kind, MailKind::AlreadyRegistered);
    }
}
