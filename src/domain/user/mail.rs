//! The mails of an account, and what the links in them do: recovery, confirmation, protest.

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::MailId;
use crate::domain::mail::{
    Link, LinkHash, LinkPurpose, Mail, MailAttempt, MailChange, MailKind, MailNote, MailOutcome,
    OPERATOR_RECOVERY_MILLIS,
};
use crate::domain::text::{Email, UserName};
use crate::domain::time::Timestamp;
use crate::domain::user::{User, UserFact};

/// Why a link does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LinkRefusal {
    /// The link is unknown, used or expired.
    #[error("this link is unknown, used or expired; request a new one")]
    Unknown,
    /// An operator disabled the account.
    #[error("this account is disabled; ask those who run this server")]
    Disabled,
}

/// A mail to be sent now, and what its text needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailToSend {
    /// The mail.
    pub mail: Mail,
    /// The name of the user.
    pub name: UserName,
    /// The address that it is about.
    pub address: Email,
}

fn changed(change: MailChange) -> Fact {
    Fact::User(UserFact::Mailed(change))
}

impl User {
    /// The fact that queues a mail to this address; `None` if too many wait already.
    pub(super) fn queue_mail(
        &self,
        note: MailNote,
        (kind, to): (MailKind, Email),
        now: Timestamp,
    ) -> Option<Fact> {
        let mail = note.mail(kind, to, now);
        self.mailbox.has_room().then(|| changed(MailChange::Queued(mail)))
    }

    /// Queues a mail with a recovery link. Decides nothing for a disabled account, or if the account
    /// had too many of them.
    pub fn request_recovery(&self, note: MailNote, now: Timestamp) -> Decision<()> {
        if self.disabled_at.is_some() || self.mailbox.has_recovered_enough(now) {
            return Decision::unchanged(());
        }
        let mail = (MailKind::Recovery, self.profile.email.clone());
        Decision { facts: self.queue_mail(note, mail, now).into_iter().collect(), answer: () }
    }

    /// Begins an attempt to send a mail, whose link gets this hash. `None` if the mail is settled or
    /// its deadline is over.
    pub fn begin_mail(
        &self,
        id: MailId,
        hash: LinkHash,
        now: Timestamp,
    ) -> Decision<Option<MailToSend>> {
        let Some(queued) = self.mailbox.queued(id) else { return Decision::unchanged(None) };
        let mail = queued.mail.clone();
        let dead = |reason: &str| {
            let outcome = MailOutcome::Dead { reason: reason.to_owned() };
            Decision { facts: vec![changed(MailChange::Settled { id, outcome })], answer: None }
        };
        if now > mail.until {
            return dead("the mail server was not reached before the deadline");
        }
        if self.disabled_at.is_some() {
            return dead("the account was disabled");
        }
        let issued = changed(MailChange::LinkIssued(mail.link(hash, now)));
        let entered = self.mailbox.entered.clone();
        let present = || self.profile.email.clone();
        let address = match mail.kind {
            MailKind::Confirmation => mail.to.clone(),
            MailKind::AddressChanging => entered.unwrap_or_else(present),
            MailKind::Recovery
            | MailKind::PasswordChanged
            | MailKind::AddressChanged
            | MailKind::Recovered => present(),
        };
        let name = self.profile.name.clone();
        Decision { facts: vec![issued], answer: Some(MailToSend { mail, name, address }) }
    }

    /// Records how an attempt to send a mail ended, and returns what becomes of the mail; `None` if
    /// it was settled before.
    pub fn settle_mail(
        &self,
        id: MailId,
        attempt: MailAttempt,
        now: Timestamp,
    ) -> Decision<Option<MailOutcome>> {
        let Some(queued) = self.mailbox.queued(id) else { return Decision::unchanged(None) };
        let outcome = queued.outcome(attempt, now);
        let settled = changed(MailChange::Settled { id, outcome: outcome.clone() });
        Decision { facts: vec![settled], answer: Some(outcome) }
    }

    /// Issues a recovery link on behalf of an operator.
    ///
    /// # Errors
    /// If the account is disabled.
    pub fn make_recovery_link(
        &self,
        hash: LinkHash,
        now: Timestamp,
    ) -> Result<Decision<()>, LinkRefusal> {
        if self.disabled_at.is_some() {
            return Err(LinkRefusal::Disabled);
        }
        let purpose = LinkPurpose::Recovery { mailed_to: None };
        let expires_at = now.plus_millis(OPERATOR_RECOVERY_MILLIS);
        let link = Link { hash, purpose, expires_at };
        Ok(Decision { facts: vec![changed(MailChange::LinkIssued(link))], answer: () })
    }

    /// The address that got a valid recovery link; `None` inside if an operator made it.
    ///
    /// # Errors
    /// If there is no such link, or the account is disabled.
    pub fn recovery_link(
        &self,
        hash: &LinkHash,
        now: Timestamp,
    ) -> Result<Option<Email>, LinkRefusal> {
        let Some(LinkPurpose::Recovery { mailed_to }) = self.mailbox.link(hash, now) else {
            return Err(LinkRefusal::Unknown);
        };
        match self.disabled_at {
            Some(_) => Err(LinkRefusal::Disabled),
            None => Ok(mailed_to.clone()),
        }
    }

    /// Sets another password for somebody with a recovery link, and ends every token and every link.
    /// A user who got the link by mail has confirmed the address. Returns the address with which the
    /// user logs in.
    ///
    /// # Errors
    /// If there is no such link, or the account is disabled.
    pub fn recover(
        &self,
        hash: &LinkHash,
        password: String,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<Email>, LinkRefusal> {
        let mailed_to = self.recovery_link(hash, now)?;
        let email = self.profile.email.clone();
        let mut facts = self.change_password(password, None).facts;
        facts.push(changed(MailChange::LinksEnded));
        if mailed_to.is_some_and(|address| address.key() == email.key()) && !self.is_verified() {
            facts.push(changed(MailChange::Confirmed { address: email.clone() }));
        }
        let mail = (MailKind::Recovered, email.clone());
        facts.extend(note.and_then(|note| self.queue_mail(note, mail, now)));
        Ok(Decision { facts, answer: email })
    }

    /// The address that got a valid link against a change of the account.
    ///
    /// # Errors
    /// If there is no such link, or the account is disabled.
    pub fn protest_link(&self, hash: &LinkHash, now: Timestamp) -> Result<Email, LinkRefusal> {
        let Some(LinkPurpose::Protest { mailed_to }) = self.mailbox.link(hash, now) else {
            return Err(LinkRefusal::Unknown);
        };
        match self.disabled_at {
            Some(_) => Err(LinkRefusal::Disabled),
            None => Ok(mailed_to.clone()),
        }
    }

    /// Undoes what somebody else may have done: sets a password that nobody knows, ends every token
    /// and every link, and queues a mail with a recovery link to the address that got this one.
    ///
    /// # Errors
    /// If there is no such link, or the account is disabled.
    pub fn protest(
        &self,
        hash: &LinkHash,
        password: String,
        note: MailNote,
        now: Timestamp,
    ) -> Result<Decision<()>, LinkRefusal> {
        let mailed_to = self.protest_link(hash, now)?;
        let mut facts = self.change_password(password, None).facts;
        facts.push(changed(MailChange::LinksEnded));
        facts.extend(self.queue_mail(note, (MailKind::Recovery, mailed_to), now));
        Ok(Decision { facts, answer: () })
    }

    /// The fact that tells the owner of a new password; `None` without a note.
    pub(super) fn tell_of_password(&self, note: Option<MailNote>, now: Timestamp) -> Option<Fact> {
        let mail = (MailKind::PasswordChanged, self.profile.email.clone());
        self.queue_mail(note?, mail, now)
    }

    /// Whether the account's address was confirmed.
    pub fn is_verified(&self) -> bool {
        let confirmed = self.mailbox.confirmed.as_ref();
        confirmed.is_some_and(|it| it.key() == self.profile.email.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::mail::{MailLanguage, RECOVERY_MILLIS};
    use crate::domain::user::testing::ana_since;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn note(id: u64) -> MailNote {
        MailNote { id: MailId::new(id), language: MailLanguage::English }
    }

    fn hash(number: u8) -> LinkHash {
        LinkHash::new([number; 32])
    }

    fn apply<T>(user: &mut User, now: u64, decision: Decision<T>) -> T {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(at(now), fact);
        }
        decision.answer
    }

    #[test]
    fn account_gets_three_recovery_mails_in_an_hour() {
        let mut ana = ana_since(at(0));
        for number in 0..5 {
            let requested = ana.request_recovery(note(number), at(number));
            apply(&mut ana, number, requested);
        }
        assert_eq!(ana.mailbox.queue.len(), 3);
        let requested = ana.request_recovery(note(9), at(3_600_000));
        apply(&mut ana, 3_600_000, requested);
        assert_eq!(ana.mailbox.queue.len(), 4);
    }

    #[test]
    fn used_recovery_link_ends_all_links_and_confirms_the_address() {
        let mut ana = ana_since(at(0));
        for number in 1..3 {
            let requested = ana.request_recovery(note(u64::from(number)), at(0));
            apply(&mut ana, 0, requested);
            let id = MailId::new(u64::from(number));
            let begun = ana.begin_mail(id, hash(number), at(0));
            assert!(apply(&mut ana, 0, begun).is_some());
            let sent = ana.settle_mail(id, MailAttempt::Sent, at(0));
            assert_eq!(apply(&mut ana, 0, sent), Some(MailOutcome::Sent));
        }
        assert!(!ana.is_verified());
        let late = ana.recover(&hash(1), "new".to_owned(), None, at(RECOVERY_MILLIS));
        assert_eq!(late.err(), Some(LinkRefusal::Unknown));
        let recovered = ana.recover(&hash(1), "new".to_owned(), Some(note(5)), at(1)).unwrap();
        apply(&mut ana, 1, recovered);
        assert!(ana.is_verified() && ana.password == "new");
        assert_eq!(ana.mailbox.queue[0].mail.kind, MailKind::Recovered);
        for number in 1..3 {
            let again = ana.recover(&hash(number), "x".to_owned(), None, at(2));
            assert_eq!(again.err(), Some(LinkRefusal::Unknown));
        }
    }

    #[test]
    fn protest_ends_tokens_and_links_and_mails_a_recovery_link() {
        let mut ana = ana_since(at(0));
        let made = ana.make_recovery_link(hash(1), at(0)).unwrap();
        apply(&mut ana, 0, made);
        let recovered = ana.recover(&hash(1), "stolen".to_owned(), Some(note(1)), at(0)).unwrap();
        apply(&mut ana, 0, recovered);
        let begun = ana.begin_mail(MailId::new(1), hash(2), at(0));
        apply(&mut ana, 0, begun);
        assert_eq!(ana.recovery_link(&hash(2), at(1)), Err(LinkRefusal::Unknown));
        let made = ana.make_recovery_link(hash(3), at(0)).unwrap();
        apply(&mut ana, 0, made);
        let protested = ana.protest(&hash(2), "unknown".to_owned(), note(2), at(1)).unwrap();
        apply(&mut ana, 1, protested);
        assert_eq!(ana.password, "unknown");
        assert!(ana.tokens.is_empty() && ana.mailbox.links.is_empty());
        let kinds: Vec<_> = ana.mailbox.queue.iter().map(|queued| queued.mail.kind).collect();
        assert_eq!(kinds, [MailKind::Recovered, MailKind::Recovery]);
    }

    #[test]
    fn disabled_account_neither_requests_nor_uses_a_link() {
        let mut ana = ana_since(at(0));
        let made = ana.make_recovery_link(hash(1), at(0)).unwrap();
        apply(&mut ana, 0, made);
        ana.apply(at(1), &UserFact::Disabled);
        assert!(ana.request_recovery(note(1), at(1)).facts.is_empty());
        assert_eq!(ana.recovery_link(&hash(1), at(1)), Err(LinkRefusal::Disabled));
        assert_eq!(ana.make_recovery_link(hash(2), at(1)).err(), Some(LinkRefusal::Disabled));
        ana.apply(at(2), &UserFact::Enabled);
        assert_eq!(ana.recovery_link(&hash(1), at(2)), Ok(None));
        assert!(!ana.is_verified());
    }
}
