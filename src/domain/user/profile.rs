//! Changing a profile, and SMS mode with its end by time.

use serde::{Deserialize, Serialize};

use crate::domain::attachment::ImageRef;
use crate::domain::event::{Decision, Fact};
use crate::domain::text::{Email, Phone, UserName};
use crate::domain::time::Timestamp;
use crate::domain::user::{Profile, User, UserFact};

/// What a user wants changed; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileChange {
    /// Called what from now on.
    pub name: Option<UserName>,
    /// Another address to log in with.
    pub email: Option<Email>,
    /// Another picture.
    pub image: Option<ImageRef>,
    /// Where they live.
    pub zip_code: Option<String>,
    /// How to reach them by SMS. Nodes of an earlier version do not say it.
    #[serde(default)]
    pub phone: Option<PhoneChange>,
}

/// What becomes of somebody's phone number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PhoneChange {
    /// They have none any more.
    Removed,
    /// It is this one from now on.
    To(Phone),
}

impl ProfileChange {
    /// The profile after it.
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

/// SMS mode: messages go out by SMS until a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmsMode {
    /// When it ends by itself.
    pub until: Timestamp,
    /// Whose push notices are held back meanwhile.
    pub registration_id: Option<String>,
}

impl User {
    /// Changes the profile; nothing happens when it stays the same.
    pub fn change_profile(&self, change: &ProfileChange) -> Decision<()> {
        let profile = change.applied_to(&self.profile);
        if profile == self.profile {
            return Decision::unchanged(());
        }
        Decision { facts: vec![Fact::User(UserFact::ProfileChanged { profile })], answer: () }
    }

    /// Whether others see another public profile after this change.
    pub fn looks_other_after(&self, change: &ProfileChange) -> bool {
        !change.applied_to(&self.profile).looks_like(&self.profile)
    }

    /// Whether the account has another name after this change that only one may have.
    pub fn is_renamed_by(&self, change: &ProfileChange) -> bool {
        !change.applied_to(&self.profile).contacts_beyond(&self.profile).is_empty()
    }

    /// Switches SMS mode on, also to another end than before.
    pub fn sms_on(&self, mode: SmsMode) -> Decision<()> {
        Decision { facts: vec![Fact::User(UserFact::SmsModeOn(mode))], answer: () }
    }

    /// Switches SMS mode off; nothing happens when it is off.
    pub fn sms_off(&self) -> Decision<()> {
        match self.sms {
            Some(_) => Decision { facts: vec![Fact::User(UserFact::SmsModeOff)], answer: () },
            None => Decision::unchanged(()),
        }
    }

    /// Whether SMS mode is on.
    pub fn is_in_sms_mode(&self, now: Timestamp) -> bool {
        self.sms.as_ref().is_some_and(|mode| now < mode.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::user::testing::ana_since;

    fn ana() -> User {
        ana_since(Timestamp::from_seconds(1))
    }

    #[test]
    fn what_is_absent_stays() {
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
            assert_eq!(ana.looks_other_after(change), looks_other);
            for fact in ana.change_profile(change).facts {
                let Fact::User(fact) = fact else { panic!("not of a user: {fact:?}") };
                ana.apply(Timestamp::from_seconds(2), &fact);
            }
            assert_eq!(ana.public_profiles, public_profiles);
        }
        assert!(!ana.looks_other_after(&name), "it is the same by now");
    }

    #[test]
    fn only_a_new_address_or_number_is_a_name_to_be_claimed() {
        let mut ana = ana();
        let phone = |text: &str| ProfileChange {
            phone: Some(PhoneChange::To(Phone::parse(text).unwrap())),
            ..Default::default()
        };
        assert!(ana.is_renamed_by(&phone("+1 555 0100")));
        ana.profile = phone("+1 555 0100").applied_to(&ana.profile);
        assert!(!ana.is_renamed_by(&phone("+1 (555) 0100")), "typed otherwise, the same number");
        assert!(ana.is_renamed_by(&phone("+1 555 0101")));
        let removed = ProfileChange { phone: Some(PhoneChange::Removed), ..Default::default() };
        assert!(!ana.is_renamed_by(&removed));
        assert_eq!(removed.applied_to(&ana.profile).phone, None);
        assert!(!ana.is_renamed_by(&ProfileChange::default()));
    }

    #[test]
    fn sms_mode_ends_by_itself() {
        let mut ana = ana();
        let until = Timestamp::from_seconds(3600);
        let mode = SmsMode { until, registration_id: None };
        ana.apply(Timestamp::from_seconds(2), &UserFact::SmsModeOn(mode));
        assert!(ana.is_in_sms_mode(Timestamp::from_seconds(3599)));
        assert!(!ana.is_in_sms_mode(until));
    }
}
