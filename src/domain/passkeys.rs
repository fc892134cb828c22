//! Passkeys: keys of WebAuthn with which a user logs in.
//!
//! The crate `auth` checks what an authenticator signed; the rules here decide whether it still counts.

use serde::{Deserialize, Serialize};

use crate::secret_hash::SecretHash;
use crate::time::Timestamp;

/// Passkeys of an account.
pub const PASSKEYS: usize = 20;
/// Characters of the name of a passkey.
pub const PASSKEY_NAME_CHARS: usize = 60;
/// Milliseconds in which a browser must bring the response of an authenticator.
pub const CEREMONY_MILLIS: u64 = 5 * 60_000;
/// Challenges that an account used in that time; with more, passkeys wait.
const CHALLENGES: usize = 64;

/// Whether other devices have copies of a passkey (flags BE and BS of WebAuthn).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PasskeyBackup {
    /// It never leaves its device.
    Never,
    /// It may be copied, and was not.
    Possible,
    /// It was copied.
    Done,
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasskeyKey {
    /// The algorithm, by its COSE number: -8, -7 or -257.
    pub algorithm: i32,
    /// Base64url. Ed25519: 32 bytes; P-256: the compressed point of SEC 1; RSA: the exponent in 4
    /// bytes, then the modulus.
    pub bytes: String,
}

/// A passkey of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    /// The passkey's id in the API.
    pub id: u64,
    /// The credential's id, which its authenticator chose. Base64url.
    pub credential: String,
    /// The public key.
    pub key: PasskeyKey,
    /// The host for which it was made: it works nowhere else.
    pub host: String,
    /// The name that the user gave it.
    pub name: String,
    /// Whether other devices have copies.
    pub backup: PasskeyBackup,
    /// The signature counter; 0 if the authenticator has none.
    pub counter: u32,
    /// When it was added.
    pub since: Timestamp,
    /// When it was last used.
    pub used_at: Option<Timestamp>,
}

/// A use of a passkey, after the cryptography.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasskeyUse {
    /// The passkey.
    pub id: u64,
    /// The counter that the authenticator signed.
    pub counter: u32,
    /// Whether other devices have copies.
    pub backup: PasskeyBackup,
    /// The hash of the challenge, which counts once.
    pub challenge: SecretHash,
    /// Whether the authenticator verified its user.
    pub is_verified: bool,
}

/// The passkeys of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkeys {
    /// The passkeys, oldest first.
    pub list: Vec<Passkey>,
    /// Challenges that were used, and when.
    pub challenges: Vec<(SecretHash, Timestamp)>,
}

impl Passkeys {
    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The passkey with this id.
    pub fn get(&self, id: u64) -> Option<&Passkey> {
        self.list.iter().find(|passkey| passkey.id == id)
    }

    /// The passkey with this credential.
    pub fn by_credential(&self, credential: &str) -> Option<&Passkey> {
        self.list.iter().find(|passkey| passkey.credential == credential)
    }

    /// Whether a use counts: the passkey is there, the challenge was not used before, and the counter
    /// did not go back.
    pub fn accept(&self, used: &PasskeyUse, now: Timestamp) -> bool {
        let Some(passkey) = self.get(used.id) else { return false };
        let has_no_counter = passkey.counter == 0 && used.counter == 0;
        let mut recent = self.challenges.iter().filter(|(_, at)| is_recent(*at, now));
        let is_full = recent.clone().count() >= CHALLENGES;
        let is_repeated = recent.any(|(challenge, _)| *challenge == used.challenge);
        let counts = has_no_counter || used.counter > passkey.counter;
        counts && !is_full && !is_repeated
    }

    /// Notes a use. Deterministic.
    pub(crate) fn note_use(&mut self, at: Timestamp, used: &PasskeyUse) {
        self.challenges.retain(|(_, used_at)| is_recent(*used_at, at));
        self.challenges.push((used.challenge, at));
        for passkey in self.list.iter_mut().filter(|passkey| passkey.id == used.id) {
            passkey.counter = used.counter;
            passkey.backup = used.backup;
            passkey.used_at = Some(at);
        }
    }
}

fn is_recent(used_at: Timestamp, now: Timestamp) -> bool {
    now < used_at.plus_millis(CEREMONY_MILLIS)
}
