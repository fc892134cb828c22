//! The second factor of an account: one-time codes (TOTP, RFC 6238), recovery codes, trusted devices,
//! and log-ins that wait for the factor.
//!
//! Only hashes and sealed secrets are kept here. The crate `auth` computes which step a code belongs to;
//! the rules here decide whether it still counts.

use serde::{Deserialize, Serialize};

use crate::ids::TokenId;
use crate::limits::FRESH_MILLIS;
use crate::passkeys::{Passkey, PasskeyUse, Passkeys};
pub use crate::secret_hash::SecretHash;
use crate::time::Timestamp;

const MINUTE: u64 = 60_000;

/// Milliseconds in which a log-in must be finished with the second factor.
pub const VERIFICATION_MILLIS: u64 = 5 * MINUTE;
/// Codes that may be tried for one log-in.
pub const VERIFICATION_TRIES: u32 = 5;
/// Log-ins of an account that wait at the same time; the oldest ends first.
const VERIFICATIONS: usize = 8;
/// Milliseconds for which a device is trusted.
const TRUST_MILLIS: u64 = 30 * 24 * 60 * MINUTE;
/// Devices that an account trusts at the same time; the oldest ends first.
const DEVICES: usize = 20;

/// A TOTP secret, encrypted with the key of the installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SealedSecret(String);

impl SealedSecret {
    /// Takes an encrypted secret.
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The encrypted secret.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A confirmed TOTP secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totp {
    /// The secret.
    pub secret: SealedSecret,
    /// The newest time step whose code was used; no code up to it counts.
    pub last_step: u64,
    /// When it was confirmed.
    pub since: Timestamp,
}

/// A device on which a log-in needs no second factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedDevice {
    /// The device's id.
    pub id: u64,
    /// The hash of its secret.
    pub hash: SecretHash,
    /// Its name: the browser and system that it named.
    pub name: String,
    /// When it was trusted.
    pub since: Timestamp,
}

impl TrustedDevice {
    /// When the device is no longer trusted.
    pub const fn expires_at(&self) -> Timestamp {
        self.since.plus_millis(TRUST_MILLIS)
    }
}

/// A log-in whose password was right and which waits for the second factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// The hash of its code.
    pub hash: SecretHash,
    /// When it ends.
    pub expires_at: Timestamp,
    /// How many codes were wrong.
    pub failures: u32,
    /// Whether the second factor passed.
    pub is_passed: bool,
}

impl Verification {
    /// The number of codes that may still be tried.
    pub const fn tries_left(&self) -> u32 {
        VERIFICATION_TRIES.saturating_sub(self.failures)
    }
}

/// What a user showed as second factor, after the cryptography.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactorProof {
    /// A code that belongs to this step of this secret.
    Totp {
        /// The secret.
        secret: SealedSecret,
        /// The time step of the code.
        step: u64,
    },
    /// A recovery code.
    Recovery(SecretHash),
    /// A passkey.
    Passkey(PasskeyUse),
    /// Something that is certainly wrong.
    Wrong,
}

/// A change of an account's second factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactorChange {
    /// A TOTP secret was given out, and waits for its first code.
    TotpBegun {
        /// The secret.
        secret: SealedSecret,
    },
    /// The first code came: log-ins need the factor from now on.
    TotpConfirmed {
        /// The step of the first code.
        step: u64,
        /// The recovery codes.
        recovery: Vec<SecretHash>,
    },
    /// The factor, its recovery codes and all trusted devices were removed.
    Removed,
    /// A code was used.
    TotpUsed {
        /// Its step.
        step: u64,
    },
    /// A recovery code was used.
    RecoveryUsed {
        /// Its hash.
        hash: SecretHash,
    },
    /// The recovery codes were replaced.
    RecoveryRenewed {
        /// The new codes.
        recovery: Vec<SecretHash>,
    },
    /// A log-in waits for the factor.
    VerificationBegun(Verification),
    /// A code for a log-in was wrong.
    VerificationFailed {
        /// The log-in.
        hash: SecretHash,
    },
    /// The factor of a log-in passed.
    VerificationPassed {
        /// The log-in.
        hash: SecretHash,
    },
    /// A log-in is finished.
    VerificationEnded {
        /// The log-in.
        hash: SecretHash,
    },
    /// A device was trusted.
    DeviceTrusted(TrustedDevice),
    /// A device is no longer trusted.
    DeviceForgotten {
        /// The device's id.
        id: u64,
    },
    /// The user of a token showed again who they are.
    Proved {
        /// The token.
        token: TokenId,
    },
    /// A passkey was added.
    PasskeyAdded(Passkey),
    /// A passkey got another name.
    PasskeyRenamed {
        /// The passkey's id.
        id: u64,
        /// Its name.
        name: String,
    },
    /// A passkey was removed.
    PasskeyRemoved {
        /// The passkey's id.
        id: u64,
    },
    /// All passkeys were removed.
    PasskeysRemoved,
    /// A passkey was used.
    PasskeyUsed(PasskeyUse),
}

impl FactorChange {
    /// The name of the change in the audit log; `None` if it concerns the user alone.
    pub const fn audit_act(&self) -> Option<&'static str> {
        match self {
            Self::TotpConfirmed { .. } => Some("totp_added"),
            Self::Removed => Some("factors_removed"),
            Self::RecoveryUsed { .. } => Some("recovery_code_used"),
            Self::RecoveryRenewed { .. } => Some("recovery_codes_renewed"),
            Self::VerificationFailed { .. } => Some("factor_failed"),
            Self::DeviceTrusted(_) => Some("device_trusted"),
            Self::DeviceForgotten { .. } => Some("device_forgotten"),
            Self::PasskeyAdded(_) => Some("passkey_added"),
            Self::PasskeyRemoved { .. } => Some("passkey_removed"),
            Self::PasskeysRemoved => Some("passkeys_removed"),
            Self::TotpBegun { .. }
            | Self::TotpUsed { .. }
            | Self::VerificationBegun(_)
            | Self::VerificationPassed { .. }
            | Self::VerificationEnded { .. }
            | Self::PasskeyRenamed { .. }
            | Self::PasskeyUsed(_)
            | Self::Proved { .. } => None,
        }
    }
}

/// The second factor of an account, and what depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factors {
    /// The confirmed TOTP secret.
    pub totp: Option<Totp>,
    /// A TOTP secret that waits for its first code.
    pub pending: Option<SealedSecret>,
    /// Unused recovery codes.
    pub recovery: Vec<SecretHash>,
    /// Trusted devices, oldest first.
    pub devices: Vec<TrustedDevice>,
    /// Log-ins that wait for the factor, oldest first.
    pub verifications: Vec<Verification>,
    /// Tokens whose users showed again who they are, and when.
    pub proofs: Vec<(TokenId, Timestamp)>,
    /// The passkeys.
    pub passkeys: Passkeys,
}

impl Factors {
    /// Applies a change. Deterministic.
    pub fn apply(&mut self, at: Timestamp, change: &FactorChange) {
        self.verifications.retain(|waiting| at < waiting.expires_at);
        self.devices.retain(|device| at < device.expires_at());
        self.proofs.retain(|(_, proved)| at < proved.plus_millis(FRESH_MILLIS));
        match change {
            FactorChange::TotpBegun { secret } => self.pending = Some(secret.clone()),
            FactorChange::TotpConfirmed { step, recovery } => {
                let secret = self.pending.take();
                self.totp = secret.map(|secret| Totp { secret, last_step: *step, since: at });
                self.recovery.clone_from(recovery);
            }
            FactorChange::Removed => {
                let proofs = std::mem::take(&mut self.proofs);
                let passkeys = std::mem::take(&mut self.passkeys);
                *self = Self { proofs, passkeys, ..Self::default() };
            }
            FactorChange::TotpUsed { step } => {
                self.totp.iter_mut().for_each(|totp| totp.last_step = *step);
            }
            FactorChange::RecoveryUsed { hash } => self.recovery.retain(|code| code != hash),
            FactorChange::RecoveryRenewed { recovery } => self.recovery.clone_from(recovery),
            FactorChange::VerificationBegun(verification) => {
                let surplus = (self.verifications.len() + 1).saturating_sub(VERIFICATIONS);
                self.verifications.drain(..surplus);
                self.verifications.push(verification.clone());
            }
            FactorChange::VerificationFailed { hash } => {
                let failed = self.verifications.iter_mut().filter(|it| it.hash == *hash);
                failed.for_each(|waiting| waiting.failures += 1);
            }
            FactorChange::VerificationPassed { hash } => {
                let passed = self.verifications.iter_mut().filter(|it| it.hash == *hash);
                passed.for_each(|waiting| waiting.is_passed = true);
            }
            FactorChange::VerificationEnded { hash } => {
                self.verifications.retain(|waiting| waiting.hash != *hash);
            }
            FactorChange::DeviceTrusted(device) => {
                let surplus = (self.devices.len() + 1).saturating_sub(DEVICES);
                self.devices.drain(..surplus);
                self.devices.push(device.clone());
            }
            FactorChange::DeviceForgotten { id } => self.devices.retain(|device| device.id != *id),
            FactorChange::Proved { token } => {
                self.proofs.retain(|(proved, _)| proved != token);
                self.proofs.push((*token, at));
            }
            FactorChange::PasskeyAdded(passkey) => self.passkeys.list.push(passkey.clone()),
            FactorChange::PasskeyRenamed { id, name } => {
                let renamed = self.passkeys.list.iter_mut().filter(|passkey| passkey.id == *id);
                renamed.for_each(|passkey| passkey.name.clone_from(name));
            }
            FactorChange::PasskeyRemoved { id } => {
                self.passkeys.list.retain(|passkey| passkey.id != *id);
            }
            FactorChange::PasskeysRemoved => self.passkeys.list.clear(),
            FactorChange::PasskeyUsed(used) => self.passkeys.note_use(at, used),
        }
    }

    /// Ends what a new password ends: log-ins that wait, and the trust in devices.
    pub fn end_trust(&mut self) {
        self.devices.clear();
        self.verifications.clear();
    }

    /// Whether a log-in with a password needs a second factor. Passkeys alone do not turn it on: they
    /// have no recovery codes.
    pub const fn is_on(&self) -> bool {
        self.totp.is_some()
    }

    /// The trusted device with this secret.
    pub fn device(&self, hash: &SecretHash, now: Timestamp) -> Option<&TrustedDevice> {
        self.devices.iter().find(|device| device.hash == *hash && now < device.expires_at())
    }

    /// A log-in that waits, or whose factor passed.
    pub fn verification(&self, hash: &SecretHash, now: Timestamp) -> Option<&Verification> {
        let mut waiting = self.verifications.iter();
        waiting.find(|it| it.hash == *hash && now < it.expires_at && it.tries_left() > 0)
    }

    /// Whether the user of a token showed who they are in the last ten minutes.
    pub fn is_proved(&self, token: TokenId, now: Timestamp) -> bool {
        let mut proofs = self.proofs.iter();
        proofs.any(|(proved, at)| *proved == token && now < at.plus_millis(FRESH_MILLIS))
    }

    /// The change that uses up a proof; `None` if the proof is wrong or was used before.
    pub fn usage(&self, proof: &FactorProof, now: Timestamp) -> Option<FactorChange> {
        match proof {
            FactorProof::Totp { secret, step } => {
                let totp = self.totp.as_ref()?;
                let counts = totp.secret == *secret && *step > totp.last_step;
                counts.then_some(FactorChange::TotpUsed { step: *step })
            }
            FactorProof::Recovery(hash) => {
                let is_known = self.recovery.contains(hash);
                is_known.then_some(FactorChange::RecoveryUsed { hash: *hash })
            }
            FactorProof::Passkey(used) => {
                let counts = self.passkeys.accept(used, now);
                counts.then(|| FactorChange::PasskeyUsed(used.clone()))
            }
            FactorProof::Wrong => None,
        }
    }
}
