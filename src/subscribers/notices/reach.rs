//! How somebody is reached: by which of their devices, or by SMS.

use crate::domain::message::Author;
use crate::domain::text::Phone;
use crate::domain::time::Timestamp;
use crate::domain::user::{Device, SmsMode, UserFact};

/// What is known of how to reach a user.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// Their number.
    pub(super) phone: Option<Phone>,
    /// SMS mode, if it was switched on.
    pub(super) sms: Option<SmsMode>,
    /// Their devices.
    pub(super) devices: Vec<Device>,
}

/// One way to reach somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way<'a> {
    /// By SMS.
    Sms(&'a Phone),
    /// By Web Push.
    Device(&'a Device),
}

impl Reach {
    /// Makes a fact true.
    pub(super) fn apply(&mut self, fact: &UserFact) {
        match fact {
            UserFact::ProfileChanged { profile } => self.phone = profile.phone.clone(),
            UserFact::SmsModeOn(mode) => self.sms = Some(mode.clone()),
            UserFact::SmsModeOff => self.sms = None,
            UserFact::DeviceAdded(device) => {
                self.devices.retain(|known| known.id != device.id);
                self.devices.push(device.clone());
            }
            UserFact::DeviceRemoved { id } => self.devices.retain(|known| known.id != *id),
            UserFact::Deleted => *self = Self::default(),
            UserFact::Disabled
            | UserFact::Enabled
            | UserFact::Registered { .. }
            | UserFact::TokenIssued(_)
            | UserFact::TokenRevoked { .. }
            | UserFact::Blocked { .. }
            | UserFact::Unblocked { .. }
            | UserFact::ReadUpTo(_)
            | UserFact::TokensRevoked { .. }
            | UserFact::TokenUsed { .. }
            | UserFact::PasswordChanged { .. }
            | UserFact::ApplicationRegistered(_)
            | UserFact::ApplicationsRemoved { .. } => {}
        }
    }

    /// The ways of a message of this author. In SMS mode the device that asked for it
    /// stays silent; bots are not worth an SMS (see decisions).
    pub(super) fn ways(&self, author: &Author, now: Timestamp) -> impl Iterator<Item = Way<'_>> {
        let mode = self.sms.as_ref().filter(|mode| now < mode.until);
        let is_person = matches!(author, Author::Member(_));
        let phone = self.phone.as_ref().filter(|_| mode.is_some() && is_person);
        let silent = mode.and_then(|mode| mode.registration_id.as_deref());
        let devices = self.devices.iter().filter(move |device| Some(&*device.id) != silent);
        phone.map(Way::Sms).into_iter().chain(devices.map(Way::Device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{TokenId, UserId};

    const BEN: Author = Author::Member(UserId::new(2));

    fn device(id: &str) -> Device {
        Device {
            id: id.to_owned(),
            endpoint: "https://push.example/".to_owned(),
            key: Vec::new(),
            secret: Vec::new(),
            token: TokenId::new(1),
            since: Timestamp::from_seconds(1),
        }
    }

    fn reach(silent: Option<&str>) -> Reach {
        let until = Timestamp::from_seconds(100);
        Reach {
            phone: Phone::parse("+1 555 010 1234").ok(),
            sms: Some(SmsMode { until, registration_id: silent.map(str::to_owned) }),
            devices: vec![device("phone"), device("laptop")],
        }
    }

    fn names(reach: &Reach, author: &Author, second: u64) -> Vec<String> {
        let ways = reach.ways(author, Timestamp::from_seconds(second));
        let name = |way| match way {
            Way::Sms(_) => "sms".to_owned(),
            Way::Device(device) => device.id.clone(),
        };
        ways.map(name).collect()
    }

    #[test]
    fn in_sms_mode_the_named_device_stays_silent() {
        assert_eq!(names(&reach(Some("phone")), &BEN, 99), ["sms", "laptop"]);
        assert_eq!(names(&reach(None), &BEN, 99), ["sms", "phone", "laptop"]);
    }

    #[test]
    fn sms_mode_ends_by_itself() {
        assert_eq!(names(&reach(Some("phone")), &BEN, 100), ["phone", "laptop"]);
    }

    #[test]
    fn bots_are_not_sent_by_sms() {
        let bot = Author::Bot(UserId::new(7));
        assert_eq!(names(&reach(Some("phone")), &bot, 99), ["laptop"]);
    }
}
