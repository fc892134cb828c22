//! Devices: the push endpoints at which notices reach a user (Web Push, RFC 8030), and the keys
//! that encrypt notices for each (RFC 8291).

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::{StreamId, TokenId};
use crate::limits::DEVICES_PER_USER;
use crate::scopes::ScopeSet;
use crate::time::Timestamp;
use crate::user::{User, UserFact};

/// A browser that receives notices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The device's id, also the `registration_id` of SMS mode.
    pub id: String,
    /// The URL at which its push service takes notices.
    pub endpoint: String,
    /// Its public key: an uncompressed P-256 point.
    pub key: Vec<u8>,
    /// Its authentication secret for the encryption: 16 bytes.
    pub secret: Vec<u8>,
    /// The log-in that it belongs to, and with which it is removed.
    pub token: TokenId,
    /// When it was added.
    pub since: Timestamp,
    /// The scopes of its token if that does not show everything: notices say no more than it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<ScopeSet>,
}

impl Device {
    /// Whether its token shows what is in this stream.
    pub fn shows(&self, stream: StreamId) -> bool {
        let Some(scopes) = self.scopes else { return true };
        stream.conversation().is_some_and(|conversation| scopes.reads(conversation))
    }
}

/// Why a device was not removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum DeviceRefusal {
    /// The device is unknown, or another user's.
    #[error("there is no such device")]
    Unknown,
}

impl User {
    /// Adds a device, or replaces the keys of a known one. Past the limit the oldest device is
    /// removed: browsers come back with other endpoints and never unregister the old ones.
    pub fn add_device(&self, device: Device) -> Decision<()> {
        let is_same = |known: &&Device| Device { since: known.since, ..device.clone() } == **known;
        if self.devices.get(&device.id).as_ref().is_some_and(is_same) {
            return Decision::unchanged(());
        }
        let mut facts = Vec::new();
        if !self.devices.contains_key(&device.id) && self.devices.len() >= DEVICES_PER_USER {
            let oldest = self.devices.values().min_by_key(|known| known.since);
            facts.extend(oldest.map(removed));
        }
        facts.push(Fact::User(UserFact::DeviceAdded(device)));
        Decision { facts, answer: () }
    }

    /// Removes a device.
    ///
    /// # Errors
    /// If this user has no such device.
    pub fn remove_device(&self, id: &str) -> Result<Decision<()>, DeviceRefusal> {
        let device = self.devices.get(id).ok_or(DeviceRefusal::Unknown)?;
        Ok(Decision { facts: vec![removed(device)], answer: () })
    }

    /// The facts that remove the devices of a log-in.
    pub(super) fn devices_of(&self, token: TokenId) -> impl Iterator<Item = Fact> {
        self.devices.values().filter(move |device| device.token == token).map(removed)
    }
}

fn removed(device: &Device) -> Fact {
    Fact::User(UserFact::DeviceRemoved { id: device.id.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::fixtures::ana_since;
    use crate::user::{TokenHash, TokenRecord};

    fn ana() -> User {
        ana_since(Timestamp::from_seconds(1))
    }

    fn device(number: usize) -> Device {
        Device {
            id: format!("device-{number}"),
            endpoint: format!("https://push.example/{number}"),
            key: vec![4; 65],
            secret: vec![7; 16],
            token: TokenId::new(1),
            since: Timestamp::from_seconds(number as u64),
            scopes: None,
        }
    }

    fn takes(user: &mut User, decision: Decision<()>) -> usize {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a fact of a user") };
            user.apply(Timestamp::from_seconds(9), fact);
        }
        decision.facts.len()
    }

    #[test]
    fn the_same_device_again_is_no_change() {
        let mut ana = ana();
        let first = device(1);
        let again = Device { since: Timestamp::from_seconds(5), ..device(1) };
        assert_eq!(ana.add_device(first.clone()).facts.len(), 1);
        let decision = ana.add_device(first);
        takes(&mut ana, decision);
        assert_eq!(ana.add_device(again).facts.len(), 0);
    }

    #[test]
    fn past_the_limit_the_oldest_device_makes_room() {
        let mut ana = ana();
        for number in 0..=DEVICES_PER_USER {
            let decision = ana.add_device(device(number));
            takes(&mut ana, decision);
        }
        assert_eq!(ana.devices.len(), DEVICES_PER_USER);
        assert!(!ana.devices.contains_key("device-0"));
    }

    #[test]
    fn a_device_ends_with_its_log_in() {
        let mut ana = ana();
        let id = TokenId::new(1);
        let hash = TokenHash::new([0; 32]);
        let token = TokenRecord {
            id,
            hash,
            application: None,
            created_at: Timestamp::from_seconds(1),
            expires_at: None,
            client: None,
            last_used_at: None,
            device: None,
            scopes: None,
        };
        let decision = ana.issue(token, "").unwrap();
        takes(&mut ana, decision);
        let decision = ana.add_device(device(1));
        takes(&mut ana, decision);
        let facts = ana.revoke(id).unwrap().facts;
        assert_eq!(facts.len(), 2);
        for fact in facts {
            let Fact::User(fact) = fact else { panic!("a fact of a user") };
            ana.apply(Timestamp::from_seconds(9), &fact);
        }
        assert!(ana.devices.is_empty());
        assert_eq!(ana.remove_device("device-1").unwrap_err(), DeviceRefusal::Unknown);
    }
}
