//! Account status: whether operators allow an account to be used.

use crate::event::{Decision, Fact};
use crate::guests::{AccountKind, Guest};
use crate::mail::MailNote;
use crate::operators::OperatorRole;
use crate::time::Timestamp;
use crate::user::{Profile, User, UserFact};

impl User {
    /// Disables the account: it cannot log in, its tokens are revoked, and it gets no notices.
    /// Decides nothing if it is disabled already.
    pub fn disable(&self) -> Decision<()> {
        if self.disabled_at.is_some() {
            return Decision::unchanged(());
        }
        let mut facts = self.shut_out();
        facts.push(Fact::User(UserFact::Disabled));
        Decision { facts, answer: () }
    }

    /// The facts that come before every disabling: the end of all tokens and of SMS mode.
    pub(super) fn shut_out(&self) -> Vec<Fact> {
        let mut facts = self.revoke_all_but(None);
        facts.extend(self.sms.as_ref().map(|_| Fact::User(UserFact::SmsModeOff)));
        facts
    }

    /// Enables a disabled account: it may log in again. Its old tokens stay revoked.
    pub fn enable(&self) -> Decision<()> {
        match self.disabled_at {
            Some(_) => Decision { facts: vec![Fact::User(UserFact::Enabled)], answer: () },
            None => Decision::unchanged(()),
        }
    }

    /// Gives the account another role of an operator, or takes it. Decides nothing if the account
    /// has that role already; answers with the former one. An operator is no guest any more.
    pub fn set_operator_role(&self, role: Option<OperatorRole>) -> Decision<Option<OperatorRole>> {
        if self.operator == role {
            return Decision::unchanged(role);
        }
        let mut facts = vec![Fact::User(UserFact::OperatorRoleSet { role })];
        if role.is_some() {
            facts.extend(self.set_guest(None).facts);
        }
        Decision { facts, answer: self.operator }
    }

    /// Makes a guest or a member of the account. Decides nothing if it is that already; answers with
    /// the former kind.
    pub fn set_guest(&self, guest: Option<Guest>) -> Decision<AccountKind> {
        let answer = self.profile.kind();
        if self.profile.guest == guest {
            return Decision::unchanged(answer);
        }
        let profile = Profile { guest, ..self.profile.clone() };
        Decision { facts: vec![Fact::User(UserFact::ProfileChanged { profile })], answer }
    }

    /// Revokes every token.
    pub fn end_tokens(&self) -> Decision<()> {
        Decision { facts: self.revoke_all_but(None), answer: () }
    }

    /// Sets another password and revokes every token, so that anybody who knew the old password is
    /// locked out. Tells the user by mail if there is a note.
    pub fn reset_password(
        &self,
        password: String,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Decision<()> {
        let mut decision = self.change_password(password, None);
        decision.facts.extend(self.tell_of_password(note, now));
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::fixtures::ana_with_token;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn apply<T>(user: &mut User, now: u64, decision: Decision<T>) -> T {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(at(now), fact);
        }
        decision.answer
    }

    #[test]
    fn reenabled_account_has_no_tokens() {
        let mut ana = ana_with_token();
        let shut = ana.disable();
        apply(&mut ana, 5, shut);
        assert_eq!((ana.disabled_at, ana.tokens.len()), (Some(at(5)), 0));
        assert!(ana.disable().facts.is_empty(), "shut once");
        let opened = ana.enable();
        apply(&mut ana, 9, opened);
        assert_eq!((ana.disabled_at, ana.tokens.len()), (None, 0));
        assert!(ana.enable().facts.is_empty());
    }

    #[test]
    fn operator_role_is_set_once_and_taken() {
        let mut ana = ana_with_token();
        let admin = Some(OperatorRole::Admin);
        let given = ana.set_operator_role(admin);
        assert_eq!(apply(&mut ana, 5, given), None);
        assert!(ana.set_operator_role(admin).facts.is_empty(), "given once");
        let taken = ana.set_operator_role(None);
        assert_eq!(apply(&mut ana, 6, taken), admin);
        assert_eq!(ana.operator, None);
    }

    #[test]
    fn ended_tokens_leave_the_account_enabled() {
        let mut ana = ana_with_token();
        let ended = ana.end_tokens();
        apply(&mut ana, 5, ended);
        assert_eq!((ana.disabled_at, ana.tokens.len()), (None, 0));
    }

    #[test]
    fn another_password_ends_every_token() {
        let mut ana = ana_with_token();
        let reset = ana.reset_password("hash".to_owned(), None, at(5));
        apply(&mut ana, 5, reset);
        assert_eq!((ana.password.as_str(), ana.tokens.len()), ("hash", 0));
    }
}
