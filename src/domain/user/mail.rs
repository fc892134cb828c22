//! The mails of an account, and what the links in them do: recovery, confirmation, protest.

use serde::{Deserialize, Serialize};

use crate::email_notices::{EmailNotices, MISSED_MILLIS};
use crate::event::{Decision, Fact};
use crate::factors::FactorChange;
use crate::ids::MailId;
use crate::limits::INVITE_EMAILS_OF_USER;
use crate::mail::{
    ACCOUNT_DISABLED, DEADLINE_OVER, DeadMail, Link, LinkHash, LinkPurpose, Mail, MailAttempt,
    MailChange, MailKind, MailLanguage, MailNote, MailOutcome, MailedInvite,
    OPERATOR_RECOVERY_MILLIS, QueuedMail, RetryRefusal, TooManyInvites,
};
use crate::registration::WaitingReason;
use crate::text::{Email, UserName};
use crate::time::Timestamp;
use crate::user::{Profile, User, UserFact};

/// Why a link does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LinkRefusal {
    /// The link is unknown, used or expired.
    #[error("this link is unknown, used or expired; request a new one")]
    Unknown,
    /// An operator disabled the account.
    #[error("this account is disabled; ask those who run this server")]
    Disabled,
    /// The claim of the address is over.
    #[error("this took too long; try again")]
    Late,
    /// The account had too many mails that confirm an address.
    #[error("an account gets three mails an hour that confirm an address; try again later")]
    TooOften,
}

/// Why a user may not invite people by email.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum EmailInviteRefusal {
    /// There is no such account.
    #[error("unauthorized")]
    Unknown,
    /// The server would send mails for an account whose own address is not confirmed.
    #[error("confirm your email address first; only confirmed accounts invite people by email")]
    Unconfirmed,
    /// The user invited too many people within a day.
    #[error(
        "emails are too many: you may invite at most {INVITE_EMAILS_OF_USER} addresses a day, and \
         {left} more now"
    )]
    TooMany {
        /// How many people the user may invite now.
        left: u32,
        /// Milliseconds until the user may invite as many as they wanted to.
        wait_millis: u64,
    },
}

/// A mail that invites the owner of an address to a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteToMail {
    /// The id and the language of the mail.
    pub note: MailNote,
    /// The address.
    pub to: Email,
    /// The link in the mail.
    pub invite: MailedInvite,
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

/// An address that a user entered, and the mails about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnteredAddress {
    /// The address.
    pub address: Email,
    /// The mail to it, with the link that confirms it.
    pub confirmation: MailNote,
    /// The mail to the present address.
    pub warning: MailNote,
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
        if self.is_disabled() || self.mailbox.has_recovered_enough(now) {
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
            return dead(DEADLINE_OVER);
        }
        if self.was_disabled() {
            return dead(ACCOUNT_DISABLED);
        }
        if mail.kind == MailKind::Missed && !self.takes_missed_mail(&mail.to) {
            let outcome = MailOutcome::Unneeded;
            let facts = vec![changed(MailChange::Settled { id, outcome })];
            return Decision { facts, answer: None };
        }
        let issued = mail.link(hash, now).map(MailChange::LinkIssued).map(changed);
        let entered = self.mailbox.entered.clone();
        let present = || self.profile.email.clone();
        let address = match mail.kind {
            MailKind::Confirmation => mail.to.clone(),
            MailKind::AddressChanging => entered.unwrap_or_else(present),
            MailKind::Recovery
            | MailKind::PasswordChanged
            | MailKind::AddressChanged
            | MailKind::Recovered
            | MailKind::FactorAdded
            | MailKind::FactorRemoved
            | MailKind::PasskeyAdded
            | MailKind::PasskeyRemoved
            | MailKind::GroupInvite
            | MailKind::AlreadyRegistered
            | MailKind::Approved
            | MailKind::Missed => present(),
        };
        let name = self.profile.name.clone();
        let facts = issued.into_iter().collect();
        Decision { facts, answer: Some(MailToSend { mail, name, address }) }
    }

    /// Counts people whom the user is about to invite by email. `is_mailed`: whether the server sends
    /// them mails.
    ///
    /// # Errors
    /// If the user may not invite so many, or mails need a confirmed account.
    pub fn count_email_invites(
        &self,
        count: u32,
        is_mailed: bool,
        now: Timestamp,
    ) -> Result<Decision<()>, EmailInviteRefusal> {
        if is_mailed && !self.is_verified() {
            return Err(EmailInviteRefusal::Unconfirmed);
        }
        let permitted = self.mailbox.permit_invites(count, now);
        permitted.map_err(|TooManyInvites { left, wait_millis }| EmailInviteRefusal::TooMany {
            left,
            wait_millis,
        })?;
        Ok(Decision { facts: vec![changed(MailChange::Invited { count })], answer: () })
    }

    /// Queues mails to people whom the user invites. They were counted before.
    pub fn queue_email_invites(&self, invites: Vec<InviteToMail>, now: Timestamp) -> Decision<()> {
        let queued = |InviteToMail { note, to, invite }| {
            changed(MailChange::Queued(note.invite(invite, to, now)))
        };
        Decision { facts: invites.into_iter().map(queued).collect(), answer: () }
    }

    /// Whether this address gets mails about missed messages, unless the default says otherwise.
    fn takes_missed_mail(&self, to: &Email) -> bool {
        let is_off = self.mailbox.notices.choice == Some(EmailNotices::Off);
        !is_off && self.is_verified() && to.key() == self.profile.email.key()
    }

    /// Queues a mail about missed messages, the `in_row`-th without any activity of the user.
    /// Decides nothing for a disabled account, an unconfirmed address or a user who wants none, or
    /// if another such mail waits or was queued within the last half hour.
    pub fn queue_missed(&self, id: MailId, in_row: u32, now: Timestamp) -> Decision<()> {
        let notices = &self.mailbox.notices;
        let to = self.profile.email.clone();
        let waits = self.mailbox.queue.iter().any(|it| it.mail.kind == MailKind::Missed);
        let is_early = notices.last.is_some_and(|it| now < it.at.plus_millis(MISSED_MILLIS));
        if self.is_disabled() || !self.takes_missed_mail(&to) || waits || is_early {
            return Decision::unchanged(());
        }
        let note = MailNote { id, language: notices.language.unwrap_or_default() };
        let Some(queued) = self.queue_mail(note, (MailKind::Missed, to), now) else {
            return Decision::unchanged(());
        };
        Decision { facts: vec![queued, changed(MailChange::Missed { in_row })], answer: () }
    }

    /// Sets when the user gets mails about missed messages; `None` for the default. Decides nothing
    /// if that is set already.
    pub fn choose_email_notices(
        &self,
        choice: Option<EmailNotices>,
        language: Option<MailLanguage>,
    ) -> Decision<Option<EmailNotices>> {
        let notices = &self.mailbox.notices;
        let is_new =
            notices.choice != choice || language.is_some_and(|it| notices.language != Some(it));
        let fact = || changed(MailChange::NoticesChosen { choice, language });
        Decision { facts: is_new.then(fact).into_iter().collect(), answer: choice }
    }

    /// Turns mails about missed messages off, through a link in one of them to this address.
    ///
    /// # Errors
    /// If the account has another address.
    pub fn unsubscribe(
        &self,
        is_present: impl Fn(&Email) -> bool,
    ) -> Result<Decision<()>, LinkRefusal> {
        if !is_present(&self.profile.email) {
            return Err(LinkRefusal::Unknown);
        }
        let Decision { facts, .. } = self.choose_email_notices(Some(EmailNotices::Off), None);
        Ok(Decision { facts, answer: () })
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

    /// Has a waiting or dead mail sent again at once, on behalf of an operator.
    ///
    /// # Errors
    /// If there is no such mail, the account is disabled, the link of the mail would have ended, or
    /// nobody needs the mail any more.
    pub fn retry_mail(&self, id: MailId, now: Timestamp) -> Result<Decision<()>, RetryRefusal> {
        let queued = match (self.mailbox.queued(id), self.mailbox.dead(id, now)) {
            (Some(queued), _) => queued,
            (None, Some(DeadMail { has_ended: true, .. })) => return Err(RetryRefusal::Ended),
            (None, Some(dead)) => &dead.queued,
            (None, None) => return Err(RetryRefusal::Unknown),
        };
        self.permit_retry(queued, now)?;
        let until = now.plus_millis(queued.mail.kind.sending_millis()).max(queued.mail.until);
        let until = queued.link_end().map_or(until, |end| until.min(end));
        Ok(Decision { facts: vec![changed(MailChange::Retried { id, until })], answer: () })
    }

    /// Checks whether a waiting or dead mail may be sent again.
    fn permit_retry(&self, queued: &QueuedMail, now: Timestamp) -> Result<(), RetryRefusal> {
        let QueuedMail { mail, .. } = queued;
        if self.was_disabled() {
            return Err(RetryRefusal::Disabled);
        }
        if queued.link_end().is_some_and(|end| end <= now) {
            return Err(RetryRefusal::Ended);
        }
        let is_present = mail.to.key() == self.profile.email.key();
        let is_needed = match mail.kind {
            MailKind::Recovery | MailKind::AlreadyRegistered | MailKind::Approved => is_present,
            MailKind::Confirmation => {
                let entered = self.mailbox.entered.as_ref();
                (is_present && !self.is_verified())
                    || entered.is_some_and(|it| it.key() == mail.to.key())
            }
            MailKind::Missed => self.takes_missed_mail(&mail.to),
            MailKind::PasswordChanged
            | MailKind::AddressChanging
            | MailKind::AddressChanged
            | MailKind::Recovered
            | MailKind::FactorAdded
            | MailKind::FactorRemoved
            | MailKind::PasskeyAdded
            | MailKind::PasskeyRemoved
            | MailKind::GroupInvite => true,
        };
        if is_needed { Ok(()) } else { Err(RetryRefusal::Unneeded) }
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
        if self.is_disabled() {
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
        match self.is_disabled() {
            true => Err(LinkRefusal::Disabled),
            false => Ok(mailed_to.clone()),
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
        facts.extend(mailed_to.is_none().then(|| changed(MailChange::RecoveredByOperator)));
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
        let (LinkPurpose::Protest { mailed_to }
        | LinkPurpose::FactorProtest { mailed_to }
        | LinkPurpose::PasskeyProtest { mailed_to }) =
            self.mailbox.link(hash, now).ok_or(LinkRefusal::Unknown)?
        else {
            return Err(LinkRefusal::Unknown);
        };
        match self.is_disabled() {
            true => Err(LinkRefusal::Disabled),
            false => Ok(mailed_to.clone()),
        }
    }

    /// The address that a valid link confirms: that of the account, or one that waits for it.
    ///
    /// # Errors
    /// If there is no such link, the address is neither of these any more, or the account is
    /// disabled.
    pub fn confirmation_link(&self, hash: &LinkHash, now: Timestamp) -> Result<Email, LinkRefusal> {
        let Some(LinkPurpose::Confirmation { address }) = self.mailbox.link(hash, now) else {
            return Err(LinkRefusal::Unknown);
        };
        let known = [Some(&self.profile.email), self.mailbox.entered.as_ref()];
        if !known.into_iter().flatten().any(|it| it.key() == address.key()) {
            return Err(LinkRefusal::Unknown);
        }
        match self.was_disabled() {
            true => Err(LinkRefusal::Disabled),
            false => Ok(address.clone()),
        }
    }

    /// Confirms an address with a link. An address that waited for it becomes that of the account,
    /// and the former one is told. An account that waited for the confirmation can be used from now
    /// on. `is_claimed`: whether nobody else can get the address meanwhile.
    ///
    /// # Errors
    /// If there is no such link, the account is disabled, or the address is new and not claimed.
    pub fn confirm_address(
        &self,
        hash: &LinkHash,
        is_claimed: bool,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<Email>, LinkRefusal> {
        let address = self.confirmation_link(hash, now)?;
        let mut facts = Vec::new();
        if address.key() != self.profile.email.key() {
            if !is_claimed {
                return Err(LinkRefusal::Late);
            }
            let profile = Profile { email: address.clone(), ..self.profile.clone() };
            facts.push(Fact::User(UserFact::ProfileChanged { profile }));
        }
        facts.push(changed(MailChange::Confirmed { address: address.clone() }));
        if self.waiting.as_ref().is_some_and(|it| it.reason == WaitingReason::Confirmation) {
            facts.push(Fact::User(UserFact::Admitted));
        }
        if address.key() != self.profile.email.key() {
            let told = (MailKind::AddressChanged, self.profile.email.clone());
            facts.extend(note.and_then(|note| self.queue_mail(note, told, now)));
        }
        Ok(Decision { facts, answer: address })
    }

    /// Queues a mail that confirms the address of the account, or the one that waits for it. Decides
    /// nothing if no address is to be confirmed.
    ///
    /// # Errors
    /// If the account had too many such mails.
    pub fn request_confirmation(
        &self,
        note: MailNote,
        now: Timestamp,
    ) -> Result<Decision<()>, LinkRefusal> {
        let unverified = || (!self.is_verified()).then(|| self.profile.email.clone());
        let Some(to) = self.mailbox.entered.clone().or_else(unverified) else {
            return Ok(Decision::unchanged(()));
        };
        if self.mailbox.has_confirmed_enough(now) {
            return Err(LinkRefusal::TooOften);
        }
        let queued = self.queue_mail(note, (MailKind::Confirmation, to), now);
        Ok(Decision { facts: queued.into_iter().collect(), answer: () })
    }

    /// Notes another address for the account, which waits until it is confirmed, and tells the
    /// present address of it. Entering the present address takes back one that waits.
    ///
    /// # Errors
    /// If the account had too many mails that confirm an address.
    pub fn enter_address(
        &self,
        entered: EnteredAddress,
        now: Timestamp,
    ) -> Result<Vec<Fact>, LinkRefusal> {
        let EnteredAddress { address, confirmation, warning } = entered;
        if address.key() == self.profile.email.key() {
            let waits = self.mailbox.entered.is_some();
            let taken_back = || changed(MailChange::AddressEntered { address: None });
            return Ok(waits.then(taken_back).into_iter().collect());
        }
        if self.mailbox.has_confirmed_enough(now) {
            return Err(LinkRefusal::TooOften);
        }
        let noted = changed(MailChange::AddressEntered { address: Some(address.clone()) });
        let confirm = self.queue_mail(confirmation, (MailKind::Confirmation, address), now);
        let present = (MailKind::AddressChanging, self.profile.email.clone());
        let warn = self.queue_mail(warning, present, now);
        Ok(std::iter::once(noted).chain(confirm).chain(warn).collect())
    }

    /// Undoes what somebody else may have done: removes the second factor or the passkeys if the link
    /// is about them, sets a password that nobody knows, ends every token and every link, and queues a mail with a recovery link to the address that got this one. If
    /// that address is claimed again, it becomes the account's.
    ///
    /// # Errors
    /// If there is no such link, or the account is disabled.
    pub fn protest(
        &self,
        hash: &LinkHash,
        password: String,
        note: MailNote,
        (is_claimed, now): (bool, Timestamp),
    ) -> Result<Decision<()>, LinkRefusal> {
        let mailed_to = self.protest_link(hash, now)?;
        let mut facts = self.change_password(password, None).facts;
        if is_claimed && mailed_to.key() != self.profile.email.key() {
            let profile = Profile { email: mailed_to.clone(), ..self.profile.clone() };
            facts.push(Fact::User(UserFact::ProfileChanged { profile }));
            facts.push(changed(MailChange::Confirmed { address: mailed_to.clone() }));
        }
        let link = self.mailbox.link(hash, now);
        if matches!(link, Some(LinkPurpose::FactorProtest { .. })) && self.factors.is_on() {
            facts.push(Fact::User(UserFact::Factored(FactorChange::Removed)));
        }
        let removes_passkeys = matches!(link, Some(LinkPurpose::PasskeyProtest { .. }));
        if removes_passkeys && !self.factors.passkeys.is_empty() {
            facts.push(Fact::User(UserFact::Factored(FactorChange::PasskeysRemoved)));
        }
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
    use crate::mail::{MailLanguage, RECOVERY_MILLIS};
    use crate::user::fixtures::ana_since;

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
    fn entered_address_waits_until_it_is_confirmed_and_a_protest_takes_it_back() {
        let mut ana = ana_since(at(0));
        let address = Email::parse("ana@example.com").unwrap();
        let entered = EnteredAddress { address, confirmation: note(1), warning: note(2) };
        let facts = ana.enter_address(entered, at(0)).unwrap();
        apply(&mut ana, 0, Decision { facts, answer: () });
        assert_eq!(ana.profile.email.as_str(), "ana@example.org");
        let begun = ana.begin_mail(MailId::new(1), hash(1), at(0));
        apply(&mut ana, 0, begun);
        let late = ana.confirm_address(&hash(1), false, None, at(1));
        assert_eq!(late.err(), Some(LinkRefusal::Late));
        let confirmed = ana.confirm_address(&hash(1), true, Some(note(3)), at(1)).unwrap();
        apply(&mut ana, 1, confirmed);
        assert_eq!(ana.profile.email.as_str(), "ana@example.com");
        assert!(ana.is_verified() && ana.mailbox.entered.is_none());
        let begun = ana.begin_mail(MailId::new(3), hash(3), at(1));
        assert_eq!(apply(&mut ana, 1, begun).unwrap().mail.to.as_str(), "ana@example.org");
        let protested = ana.protest(&hash(3), "unknown".to_owned(), note(4), (true, at(2)));
        apply(&mut ana, 2, protested.unwrap());
        assert_eq!(ana.profile.email.as_str(), "ana@example.org");
        assert!(ana.is_verified());
        assert_eq!(ana.mailbox.queue.last().unwrap().mail.to.as_str(), "ana@example.org");
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
        let protested =
            ana.protest(&hash(2), "unknown".to_owned(), note(2), (false, at(1))).unwrap();
        apply(&mut ana, 1, protested);
        assert_eq!(ana.password, "unknown");
        assert!(ana.tokens.is_empty() && ana.mailbox.links.is_empty());
        let kinds: Vec<_> = ana.mailbox.queue.iter().map(|queued| queued.mail.kind).collect();
        assert_eq!(kinds, [MailKind::Recovered, MailKind::Recovery]);
    }

    #[test]
    fn dead_mail_is_sent_again_until_its_link_would_have_ended() {
        let mut ana = ana_since(at(0));
        let [first, second] = [1, 2].map(MailId::new);
        for (id, kind) in [(first, MailKind::Recovery), (second, MailKind::PasswordChanged)] {
            let mail = note(id.get()).mail(kind, ana.profile.email.clone(), at(0));
            ana.apply(at(0), &UserFact::Mailed(MailChange::Queued(mail)));
            let failed = MailAttempt::Failed { reason: "550".to_owned(), is_final: true };
            let settled = ana.settle_mail(id, failed, at(0));
            apply(&mut ana, 0, settled);
        }
        assert!(ana.mailbox.queue.is_empty());
        let retried = ana.retry_mail(first, at(RECOVERY_MILLIS - 1)).unwrap();
        assert_eq!(
            retried.facts,
            [changed(MailChange::Retried { id: first, until: at(RECOVERY_MILLIS) })]
        );
        let late = ana.retry_mail(first, at(RECOVERY_MILLIS));
        assert_eq!(late.err(), Some(RetryRefusal::Ended));
        let retried = ana.retry_mail(second, at(RECOVERY_MILLIS)).unwrap();
        apply(&mut ana, RECOVERY_MILLIS, retried);
        let begun = ana.begin_mail(second, hash(1), at(RECOVERY_MILLIS));
        assert!(apply(&mut ana, RECOVERY_MILLIS, begun).is_some());
        assert_eq!(ana.retry_mail(MailId::new(3), at(0)).err(), Some(RetryRefusal::Unknown));
        ana.apply(at(RECOVERY_MILLIS), &UserFact::Disabled);
        let disabled = ana.retry_mail(second, at(RECOVERY_MILLIS));
        assert_eq!(disabled.err(), Some(RetryRefusal::Disabled));
    }

    #[test]
    fn mail_that_confirms_is_sent_again_while_its_address_waits() {
        let mut ana = ana_since(at(0));
        let id = MailId::new(1);
        let queued = ana.request_confirmation(note(1), at(0)).unwrap();
        apply(&mut ana, 0, queued);
        assert!(ana.retry_mail(id, at(1)).is_ok());
        let address = ana.profile.email.clone();
        ana.apply(at(1), &UserFact::Mailed(MailChange::Confirmed { address }));
        assert_eq!(ana.retry_mail(id, at(1)).err(), Some(RetryRefusal::Unneeded));
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
