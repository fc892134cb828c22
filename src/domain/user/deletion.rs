//! Deleting an account, as far as the user's own state goes. The user leaves their groups before,
//! at the request of the caller.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::ClientId;
use crate::user::{Profile, User, UserFact};

/// Why an account was not deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum DeleteRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
    /// The password was changed after it was checked.
    #[error("the password was changed meanwhile")]
    PasswordChanged,
}

impl User {
    /// Deletes the account and revokes its tokens and applications, for a user who showed the
    /// password that has the hash `checked_hash`.
    ///
    /// # Errors
    /// If the password was changed since.
    pub fn delete(&self, checked_hash: &str) -> Result<Decision<()>, DeleteRefusal> {
        if self.password != checked_hash {
            return Err(DeleteRefusal::PasswordChanged);
        }
        let mut facts = self.revoke_all_but(None);
        let clients: Vec<ClientId> = self.applications.keys().copied().collect();
        if !clients.is_empty() {
            facts.push(Fact::User(UserFact::ApplicationsRemoved { clients }));
        }
        if self.profile.image.is_some() {
            // The name stays beside the messages and the picture is removed. Users who have a chat
            // with this one hear of that, as of any change of a public profile.
            let profile = Profile { image: None, ..self.profile.clone() };
            facts.push(Fact::User(UserFact::ProfileChanged { profile }));
        }
        facts.push(Fact::User(UserFact::Deleted));
        Ok(Decision { facts, answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attachment::ImageRef;
    use crate::ids::TokenId;
    use crate::time::Timestamp;
    use crate::user::fixtures::ana_since;
    use crate::user::{Device, IssueRefusal, PasswordRefusal, TokenHash, TokenRecord};

    fn token(id: u64) -> TokenRecord {
        TokenRecord {
            id: TokenId::new(id),
            hash: TokenHash::new([id as u8; 32]),
            application: None,
            created_at: Timestamp::from_seconds(id),
            expires_at: None,
            client: None,
            last_used_at: None,
            device: None,
            scopes: None,
        }
    }

    /// Ana with the password hash "old" and two tokens.
    fn ana() -> User {
        let at = Timestamp::from_seconds(1);
        let mut ana = ana_since(at);
        ana.password = "old".to_owned();
        (1..=2).for_each(|id| ana.apply(at, &UserFact::TokenIssued(token(id))));
        ana
    }

    fn does<T>(user: &mut User, decision: Decision<T>) -> T {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("not of a user: {fact:?}") };
            user.apply(Timestamp::from_seconds(9), fact);
        }
        decision.answer
    }

    #[test]
    fn another_password_ends_every_other_token() {
        let mut ana = ana();
        let decision = ana
            .change_own_password(
                "old",
                "new".to_owned(),
                TokenId::new(2),
                None,
                Timestamp::default(),
            )
            .unwrap();
        does(&mut ana, decision);
        assert_eq!(ana.tokens.keys().copied().collect::<Vec<_>>(), [TokenId::new(2)]);
        let again = ana.change_own_password(
            "old",
            "newer".to_owned(),
            TokenId::new(2),
            None,
            Timestamp::default(),
        );
        assert_eq!(again.unwrap_err(), PasswordRefusal::ChangedMeanwhile);
    }

    #[test]
    fn ended_token_removes_its_devices() {
        let mut ana = ana();
        for token in [1, 2] {
            let device = Device {
                id: format!("device-{token}"),
                endpoint: "https://push.example/".to_owned(),
                key: vec![4; 65],
                secret: vec![7; 16],
                token: TokenId::new(token),
                since: Timestamp::from_seconds(1),
                scopes: None,
            };
            let decision = ana.add_device(device);
            does(&mut ana, decision);
        }
        let decision = ana
            .change_own_password(
                "old",
                "new".to_owned(),
                TokenId::new(2),
                None,
                Timestamp::default(),
            )
            .unwrap();
        does(&mut ana, decision);
        assert_eq!(ana.devices.keys().collect::<Vec<_>>(), ["device-2"]);
    }

    #[test]
    fn a_reset_password_ends_every_token() {
        let mut ana = ana();
        let decision = ana.change_password("new".to_owned(), None);
        does(&mut ana, decision);
        assert!(ana.tokens.is_empty());
    }

    #[test]
    fn old_password_gives_no_token() {
        let mut ana = ana();
        assert!(ana.issue(token(3), "old").is_ok());
        let decision = ana.change_password("new".to_owned(), None);
        does(&mut ana, decision);
        assert_eq!(ana.issue(token(3), "old").unwrap_err(), IssueRefusal::PasswordChanged);
        assert_eq!(ana.delete("old").unwrap_err(), DeleteRefusal::PasswordChanged);
    }

    #[test]
    fn deleted_account_loses_all_keys() {
        let decision = ana().delete("old").unwrap();
        let [Fact::User(UserFact::TokensRevoked { tokens }), Fact::User(UserFact::Deleted)] =
            &decision.facts[..]
        else {
            panic!("{:?}", decision.facts);
        };
        assert_eq!(tokens.len(), 2);
    }

    #[test]
    fn a_picture_goes_before_its_account() {
        let mut ana = ana();
        ana.profile.image = ImageRef::from_path("/images/1x1.png.0123456789abcdef");
        assert!(ana.profile.image.is_some());
        let facts = ana.delete("old").unwrap().facts;
        let [_, Fact::User(UserFact::ProfileChanged { profile }), Fact::User(UserFact::Deleted)] =
            &facts[..]
        else {
            panic!("{facts:?}");
        };
        assert_eq!((profile.image.as_ref(), &profile.name), (None, &ana.profile.name));
    }
}
