//! Changes of email address and phone number: how often they are allowed, and for how long a former
//! email address stays reserved for its owner.

use serde::{Deserialize, Serialize};

use crate::group::Contact;
use crate::limits::{CONTACT_CHANGES, CONTACT_CHANGES_MILLIS, FORMER_EMAIL_MILLIS};
use crate::time::Timestamp;
use crate::user::Profile;

/// Changes of contacts that are kept. Those of the reserved time are fewer.
const KEPT: usize = 256;

/// The changes of an account's contacts that still count, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContactChanges(Vec<ContactChange>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ContactChange {
    at: Timestamp,
    /// The email address before the change, if it changed.
    former_email: Option<Contact>,
}

impl ContactChanges {
    /// Notes a change of profile. Deterministic.
    pub fn note(&mut self, before: &Profile, after: &Profile, at: Timestamp) {
        if before.has_contacts_of(after) {
            return;
        }
        let [old, new] = [before, after].map(|profile| Contact::from(&profile.email));
        let former_email = (old != new).then_some(old);
        self.0.retain(|change| at < change.at.plus_millis(FORMER_EMAIL_MILLIS));
        self.0.push(ContactChange { at, former_email });
        let over = self.0.len().saturating_sub(KEPT);
        self.0.drain(..over);
    }

    /// Whether a former email address is still reserved for the account.
    pub fn reserves(&self, contact: &Contact, now: Timestamp) -> bool {
        self.0.iter().any(|change| {
            change.former_email.as_ref() == Some(contact)
                && now < change.at.plus_millis(FORMER_EMAIL_MILLIS)
        })
    }

    /// Whether the contacts changed so often that they may not change now.
    pub fn is_full(&self, now: Timestamp) -> bool {
        let counts = |change: &&ContactChange| now < change.at.plus_millis(CONTACT_CHANGES_MILLIS);
        self.0.iter().filter(counts).count() >= CONTACT_CHANGES
    }
}

impl Profile {
    /// Whether both have the same email address and phone number, however they are written.
    pub fn has_contacts_of(&self, other: &Self) -> bool {
        self.contacts().eq(other.contacts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Email, Phone, UserName};

    fn profile(email: &str, phone: Option<&str>) -> Profile {
        Profile {
            name: UserName::parse("Ana".to_owned()).unwrap(),
            email: Email::parse(email).unwrap(),
            phone: phone.map(|phone| Phone::parse(phone).unwrap()),
            image: None,
            zip_code: None,
            guest: None,
        }
    }

    #[test]
    fn former_email_stays_reserved_for_its_time() {
        let mut changes = ContactChanges::default();
        let [one, two] = ["one@example.org", "two@example.org"].map(|it| profile(it, None));
        let [first, second] = [1, 2].map(Timestamp::from_seconds);
        changes.note(&one, &two, first);
        let old = Contact::from(&one.email);
        assert!(changes.reserves(&old, second));
        assert!(!changes.reserves(&Contact::from(&two.email), second));
        assert!(!changes.reserves(&old, first.plus_millis(FORMER_EMAIL_MILLIS)));
        changes.note(&one, &profile("ONE@example.org", None), second);
        assert_eq!(changes.0.len(), 1, "the same address, written otherwise");
    }

    #[test]
    fn contacts_change_a_few_times_a_day() {
        let mut changes = ContactChanges::default();
        let [with, without] =
            [Some("+1 555 010 0199"), None].map(|phone| profile("one@example.org", phone));
        let at = Timestamp::from_seconds(1);
        for number in 0..CONTACT_CHANGES {
            assert!(!changes.is_full(at), "{number}");
            changes.note(&with, &without, at);
        }
        assert!(changes.is_full(at));
        assert!(!changes.is_full(at.plus_millis(CONTACT_CHANGES_MILLIS)));
    }
}
