//! Links that turn mails about missed messages off without a log-in (RFC 8058). A link is sealed with
//! the key for secrets, and works while the account has the address that got the mail.

use sha2::{Digest, Sha256};

use crate::secrets::SecretsKey;
use domain::ids::UserId;
use domain::text::Email;

const PURPOSE: &str = "unsubscribe";

/// The account and the address of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsubscription {
    /// The account.
    pub user: UserId,
    /// A part of the SHA-256 of the address.
    mark: [u8; 16],
}

impl Unsubscription {
    /// The link for mails to this address.
    pub fn of(user: UserId, address: &Email) -> Self {
        Self { user, mark: mark(address) }
    }

    /// Seals the link, as text for a URL.
    pub fn seal(&self, key: &SecretsKey) -> String {
        let bytes = [&self.user.get().to_be_bytes()[..], &self.mark].concat();
        key.encrypt(PURPOSE, &bytes)
    }

    /// Opens a sealed link; `None` if this installation did not seal it.
    pub fn open(key: &SecretsKey, text: &str) -> Option<Self> {
        let bytes = key.decrypt(PURPOSE, text)?;
        let (user, mark) = bytes.split_first_chunk()?;
        let user = UserId::new(u64::from_be_bytes(*user));
        Some(Self { user, mark: mark.try_into().ok()? })
    }

    /// Whether the link is in mails to this address.
    pub fn is_to(&self, address: &Email) -> bool {
        mark(address) == self.mark
    }
}

fn mark(address: &Email) -> [u8; 16] {
    let digest = Sha256::digest(address.key());
    digest.first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_names_account_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let key = SecretsKey::read_or_make(&folder.path().join("secrets.key")).unwrap();
        let email = |text| Email::parse(text).unwrap();
        let link = Unsubscription::of(UserId::new(7), &email("Ana@example.org"));
        let opened = Unsubscription::open(&key, &link.seal(&key)).unwrap();
        assert_eq!(opened.user, UserId::new(7));
        assert!(opened.is_to(&email("ana@example.org")));
        assert!(!opened.is_to(&email("ana@example.com")));
        assert_eq!(Unsubscription::open(&key, "AAAA"), None);
        assert_eq!(Unsubscription::open(&key, &key.encrypt("totp", b"12345678901234567890")), None);
    }
}
