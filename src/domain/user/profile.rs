//! Changing a profile; and SMS mode, which ends by time.

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::event::{Decision, Fact};
use crate::group::Contact;
use crate::guests::AccountKind;
use crate::text::{Email, Phone, UserName};
use crate::time::Timestamp;
use crate::user::{Profile, User, UserFact};

/// The changes that a user wants; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileChange {
    /// The new name.
    pub name: Option<UserName>,
    /// The new email address to log in with.
    pub email: Option<Email>,
    /// The new picture.
    pub image: Option<ImageRef>,
    /// The new zip code.
    pub zip_code: Option<String>,
    /// The change of the phone number. Nodes of an earlier version do not send this field.
    #[serde(default)]
    pub phone: Option<PhoneChange>,
}

/// A change of the phone number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PhoneChange {
    /// The phone number is removed.
    Removed,
    /// The phone number is set to this one.
    To(Phone),
}

impl ProfileChange {
    /// The profile after the change.
    pub fn applied_to(&self, profile: &Profile) -> Profile {
        let mut changed = profile.clone();
        if let Some(name) = &self.name {
            changed.name = name.clone();
        }
        if let Some(email) = &self.email {
            changed.email = email.clone();
        }
        if self.image.is_some() {
            changed.image = self.image.clone();
        }
        if self.zip_code.is_some() {
            changed.zip_code = self.zip_code.clone();
        }
        match &self.phone {
            Some(PhoneChange::To(phone)) => changed.phone = Some(phone.clone()),
            Some(PhoneChange::Removed) => changed.phone = None,
            None => {}
        }
        changed
    }
}

impl Profile {
    /// The kind of the account.
    pub const fn kind(&self) -> AccountKind {
        match self.guest {
            Some(_) => AccountKind::Guest,
            None => AccountKind::Member,
        }
    }

    /// Whether the account is a guest's that has ended.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.guest.is_some_and(|guest| guest.has_ended(now))
    }
}

/// SMS mode: messages go out by SMS until a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmsMode {
    /// When SMS mode ends by itself.
    pub until: Timestamp,
    /// The id of the device that gets no push notices meanwhile.
    pub registration_id: Option<String>,
}

impl User {
    /// Changes the profile; decides nothing if it stays the same.
    pub fn change_profile(&self, change: &ProfileChange) -> Decision<()> {
        let profile = change.applied_to(&self.profile);
        if profile == self.profile {
            return Decision::unchanged(());
        }
        Decision { facts: vec![Fact::User(UserFact::ProfileChanged { profile })], answer: () }
    }

    /// Whether this change alters the public profile that others see.
    pub fn changes_public_profile(&self, change: &ProfileChange) -> bool {
        !change.applied_to(&self.profile).looks_like(&self.profile)
    }

    /// Whether this change gives the account an email address or phone number that it did not have.
    /// No two accounts may have the same.
    pub fn adds_contact(&self, change: &ProfileChange) -> bool {
        !change.applied_to(&self.profile).contacts_beyond(&self.profile).is_empty()
    }

    /// Whether this change alters the email address or the phone number, which changed too often
    /// lately.
    pub fn changes_contacts_too_often(&self, change: &ProfileChange, now: Timestamp) -> bool {
        !change.applied_to(&self.profile).has_contacts_of(&self.profile)
            && self.contact_changes.is_full(now)
    }

    /// Whether no other account may have this contact: it is in the profile, or was until lately.
    pub fn holds(&self, contact: &Contact, now: Timestamp) -> bool {
        self.profile.contacts().any(|own| own == *contact)
            || self.contact_changes.reserves(contact, now)
    }

    /// Switches SMS mode on, or changes its end.
    pub fn sms_on(&self, mode: SmsMode) -> Decision<()> {
        Decision { facts: vec![Fact::User(UserFact::SmsModeOn(mode))], answer: () }
    }

    /// Switches SMS mode off; decides nothing if it is off.
    pub fn sms_off(&self) -> Decision<()> {
        match self.sms {
            Some(_) => Decision { facts: vec![Fact::User(UserFact::SmsModeOff)], answer: () },
            None => Decision::unchanged(()),
        }
    }

    /// Whether SMS mode is on at this time.
    pub fn is_in_sms_mode(&self, now: Timestamp) -> bool {
        self.sms.as_ref().is_some_and(|mode| now < mode.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::fixtures::ana_since;

    fn ana() -> User {
        ana_since(Timestamp::from_seconds(1))
    }

    #[test]
    fn absent_fields_stay_unchanged() {
        let change = ProfileChange { zip_code: Some("10115".to_owned()), ..Default::default() };
        let changed = change.applied_to(&ana().profile);
        assert_eq!(changed.name.as_str(), "Ana");
        assert_eq!(changed.zip_code.as_deref(), Some("10115"));
    }

    #[test]
    fn changing_nothing_records_nothing() {
        assert!(ana().change_profile(&ProfileChange::default()).facts.is_empty());
        assert!(ana().sms_off().facts.is_empty());
    }

    #[test]
    fn only_a_name_or_a_picture_is_another_public_profile() {
        let mut ana = ana();
        let zip = ProfileChange { zip_code: Some("10115".to_owned()), ..Default::default() };
        let name = UserName::parse("Anna".to_owned()).unwrap();
        let name = ProfileChange { name: Some(name), ..Default::default() };
        for (change, looks_other, public_profiles) in [(&zip, false, 0), (&name, true, 1)] {
            assert_eq!(ana.changes_public_profile(change), looks_other);
            for fact in ana.change_profile(change).facts {
                let Fact::User(fact) = fact else { panic!("not of a user: {fact:?}") };
                ana.apply(Timestamp::from_seconds(2), &fact);
            }
            assert_eq!(ana.public_profiles, public_profiles);
        }
        assert!(!ana.changes_public_profile(&name), "it is the same by now");
    }

    #[test]
    fn only_a_new_address_or_number_is_a_name_to_be_claimed() {
        let mut ana = ana();
        let phone = |text: &str| ProfileChange {
            phone: Some(PhoneChange::To(Phone::parse(text).unwrap())),
            ..Default::default()
        };
        assert!(ana.adds_contact(&phone("+1 555 0100")));
        ana.profile = phone("+1 555 0100").applied_to(&ana.profile);
        assert!(!ana.adds_contact(&phone("+1 (555) 0100")), "typed otherwise, the same number");
        assert!(ana.adds_contact(&phone("+1 555 0101")));
        let removed = ProfileChange { phone: Some(PhoneChange::Removed), ..Default::default() };
        assert!(!ana.adds_contact(&removed));
        assert_eq!(removed.applied_to(&ana.profile).phone, None);
        assert!(!ana.adds_contact(&ProfileChange::default()));
    }

    #[test]
    fn sms_mode_expires() {
        let mut ana = ana();
        let until = Timestamp::from_seconds(3600);
        let mode = SmsMode { until, registration_id: None };
        ana.apply(Timestamp::from_seconds(2), &UserFact::SmsModeOn(mode));
        assert!(ana.is_in_sms_mode(Timestamp::from_seconds(3599)));
        assert!(!ana.is_in_sms_mode(until));
    }
}
