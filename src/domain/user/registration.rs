//! New accounts that wait for something before anybody can log in to them.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::mail::{MailChange, MailKind, MailNote};
use crate::registration::AccountWait;
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
    /// The mail to the address.
    pub note: MailNote,
}

impl User {
    /// Takes a registration with the address of this account, of which only a mail tells. An account
    /// that waits for its confirmation gets the new name and password and a new link, so that the
    /// owner of the address need not know what others typed before; any other account stays as it is.
    /// Decides nothing after too many such mails within an hour, or for a disabled account.
    pub fn register_again(&self, again: RepeatedRegistration, now: Timestamp) -> Decision<()> {
        let RepeatedRegistration { name, password, note } = again;
        let to = self.profile.email.clone();
        if self.was_disabled() {
            return Decision::unchanged(());
        }
        if self.waiting.is_none() {
            let is_enough = self.mailbox.has_registered_enough(now);
            let mail = (!is_enough)
                .then(|| self.queue_mail(note, (MailKind::AlreadyRegistered, to), now))
                .flatten();
            return Decision { facts: mail.into_iter().collect(), answer: () };
        }
        let mail = (!self.mailbox.has_confirmed_enough(now))
            .then(|| self.queue_mail(note, (MailKind::Confirmation, to), now))
            .flatten();
        let Some(mail) = mail else { return Decision::unchanged(()) };
        let mut facts = Vec::new();
        if self.profile.name != name {
            let profile = Profile { name, ..self.profile.clone() };
            facts.push(UserFact::ProfileChanged { profile });
        }
        facts.push(UserFact::PasswordChanged { password });
        facts.push(UserFact::Mailed(MailChange::LinksEnded));
        facts.push(UserFact::Waits(AccountWait::for_confirmation(now)));
        let facts = facts.into_iter().map(Fact::User).chain([mail]).collect();
        Decision { facts, answer: () }
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
        RepeatedRegistration { name, password: password.to_owned(), note: note(id) }
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
