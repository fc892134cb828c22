//! One-time codes (TOTP, RFC 6238), recovery codes, and the other secrets of the second factor.

use sha2::{Digest, Sha256};
use totp_rs::{Builder, Secret, Totp};

use crate::secrets::SecretsKey;
use base::random::random;
use domain::factors::{FactorProof, Factors, SealedSecret, SecretHash};
use domain::ids::UserId;
use domain::time::Timestamp;

/// Bytes of a TOTP secret (RFC 4226, section 4, recommends 20).
const SECRET: usize = 20;
/// Recovery codes that an account gets.
const RECOVERY_CODES: usize = 10;
/// The characters of recovery codes (RFC 4648, base 32).
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Characters of a recovery code, 5 bits each.
const RECOVERY_CHARS: usize = 24;
/// Digits of a one-time code.
pub const CODE_DIGITS: usize = 6;

/// A new TOTP secret, shown to its user once.
#[derive(Debug)]
pub struct NewSecret {
    /// The secret, in base 32, for typing.
    pub text: String,
    /// The address that authenticator applications read from a QR code.
    pub uri: String,
    /// The secret as it is stored.
    pub sealed: SealedSecret,
}

/// Makes a TOTP secret for an account at this host.
pub fn new_secret(key: &SecretsKey, user: UserId, host: &str, email: &str) -> NewSecret {
    let bytes: [u8; SECRET] = random();
    let sealed = SealedSecret::new(key.encrypt(&purpose(user), &bytes));
    // A colon separates the issuer from the account in the address.
    let issuer = format!("Coterie {}", host.replace(':', " "));
    let text = Secret::new(Box::new(bytes)).to_base32();
    let label = format!("{}:{}", encoded(&issuer), encoded(email));
    let uri = format!(
        "otpauth://totp/{label}?secret={text}&issuer={}&algorithm=SHA1&digits=6&period=30",
        encoded(&issuer)
    );
    NewSecret { text, uri, sealed }
}

/// Encodes a text for a URL: every byte but letters, digits, `-`, `.`, `_` and `~`.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn purpose(user: UserId) -> String {
    format!("totp of {user}")
}

/// Returns the time step to which a code belongs, at most one step from now; `None` if it is wrong,
/// or another key encrypted the secret.
pub fn step_of(
    key: &SecretsKey,
    user: UserId,
    secret: &SealedSecret,
    code: &str,
    now: Timestamp,
) -> Option<u64> {
    let bytes = key.decrypt(&purpose(user), secret.as_str())?;
    let totp: Totp = Builder::new().with_secret(Secret::new(bytes.into())).build_noncompliant();
    totp.check(&bare(code), now.seconds())
}

/// Reads what a user typed as second factor: a one-time code, or a recovery code.
pub fn proof(
    key: &SecretsKey,
    user: UserId,
    factors: &Factors,
    typed: &str,
    now: Timestamp,
) -> FactorProof {
    let typed = bare(typed);
    if typed.len() != CODE_DIGITS || !typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return FactorProof::Recovery(secret_hash(&typed));
    }
    let found = factors.totp.as_ref().and_then(|totp| {
        let step = step_of(key, user, &totp.secret, &typed, now)?;
        Some(FactorProof::Totp { secret: totp.secret.clone(), step })
    });
    found.unwrap_or(FactorProof::Wrong)
}

/// A typed code without spaces and hyphens, in lower case.
fn bare(code: &str) -> String {
    let is_part = |sign: &char| !sign.is_whitespace() && *sign != '-';
    code.chars().filter(is_part).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// Makes recovery codes: 120 random bits each, in six groups.
pub fn recovery_codes() -> Vec<String> {
    let code = || {
        let bytes: [u8; RECOVERY_CHARS] = random();
        let signs: Vec<u8> = bytes.iter().map(|byte| ALPHABET[usize::from(byte % 32)]).collect();
        let groups = signs.chunks(4).map(|group| String::from_utf8_lossy(group).into_owned());
        groups.collect::<Vec<_>>().join("-")
    };
    std::iter::repeat_with(code).take(RECOVERY_CODES).collect()
}

/// Hashes a secret that was given out once with SHA-256: each has at least 80 random bits, and
/// 120 since they have 24 characters.
pub fn secret_hash(typed: &str) -> SecretHash {
    SecretHash::new(Sha256::digest(bare(typed).as_bytes()).into())
}

/// Hashes the secret of a trusted device with SHA-256.
pub fn device_hash(secret: &str) -> SecretHash {
    SecretHash::new(Sha256::digest(secret.as_bytes()).into())
}

/// Makes the code of a log-in that waits: 64 hexadecimal digits, which begin with the user's id.
pub fn verification_code(user: UserId) -> String {
    let random: [u8; 24] = random();
    let random: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{:016x}{random}", user.get())
}

/// The user in the code of a log-in; `None` if it is no such code.
pub fn verification_user(code: &str) -> Option<UserId> {
    let code = bare(code);
    if code.len() != 64 || !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(code.get(..16)?, 16).ok().map(UserId::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_rfc_6238_counts_one_step_each_way() {
        let folder = tempfile::tempdir().unwrap();
        let key = SecretsKey::read_or_make(&folder.path().join("secrets.key")).unwrap();
        let user = UserId::new(7);
        let secret = SealedSecret::new(key.encrypt(&purpose(user), b"12345678901234567890"));
        // RFC 6238, appendix B, at 1111111109 seconds: 07081804, of which 6 digits are 081804.
        let step = |code: &str, seconds: u64| {
            step_of(&key, user, &secret, code, Timestamp::from_seconds(seconds))
        };
        let own = 1_111_111_109 / 30;
        for (seconds, found) in [(0, true), (30, true), (60, false)] {
            assert_eq!(step("081 804", 1_111_111_109 + seconds), found.then_some(own));
        }
        assert_eq!(step("081804", 1_111_111_109 - 30), Some(own));
        assert_eq!(step("081804", 1_111_111_109 - 60), None);
        let other = step_of(&key, UserId::new(8), &secret, "081804", Timestamp::from_seconds(0));
        assert_eq!(other, None);
    }

    #[test]
    fn codes_compare_without_case_and_hyphens() {
        let codes = recovery_codes();
        assert_eq!(codes.len(), 10);
        assert!(codes.iter().all(|code| code.len() == 29), "{codes:?}");
        let typed = codes[0].to_ascii_uppercase().replace('-', " ");
        assert_eq!(secret_hash(&codes[0]), secret_hash(&typed));
        let code = verification_code(UserId::new(77));
        assert_eq!(code.len(), 64);
        assert_eq!(verification_user(&code), Some(UserId::new(77)));
        assert_eq!(verification_user("77"), None);
    }

    #[test]
    fn uri_names_issuer_and_account() {
        let folder = tempfile::tempdir().unwrap();
        let key = SecretsKey::read_or_make(&folder.path().join("secrets.key")).unwrap();
        let user = UserId::new(7);
        let NewSecret { text, uri, .. } =
            new_secret(&key, user, "chat.example:8080", "ana+1@example.org");
        assert_eq!(text.len(), 32);
        let start = "otpauth://totp/Coterie%20chat.example%208080:ana%2B1%40example.org?secret=";
        assert!(uri.starts_with(start), "{uri}");
    }
}
