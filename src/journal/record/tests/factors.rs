//! The first records of the second factor.

use super::*;
use domain::factors::{FactorChange, SealedSecret, SecretHash, TrustedDevice, Verification};
use domain::ids::TokenId;
use domain::mail::{Link, LinkHash, LinkPurpose, MailChange};
use domain::passkeys::{Passkey, PasskeyBackup, PasskeyKey, PasskeyUse};
use domain::text::Email;

/// The first payloads of each change of the second factor, and of the link in the mail about it.
const BEGUN: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481a9546f7470426567756e91a67365616c\
    6564";
const CONFIRMED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481ad546f7470436f6e6669726d65649209\
    91dc00200707070707070707070707070707070707070707070707070707070707070707";
const REMOVED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f726564a752656d6f766564";
const TOTP_USED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481a8546f7470557365649109";
const RECOVERY_USED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481ac5265636f766572795573656491dc00\
    200707070707070707070707070707070707070707070707070707070707070707";
const RECOVERY_RENEWED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481af5265636f7665727952656e657765\
    649191dc00200707070707070707070707070707070707070707070707070707070707070707";
const WAITS: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481b1566572696669636174696f6e426567\
    756e94dc00200707070707070707070707070707070707070707070707070707070707070707cf0000018bcf\
    e5687b00c2";
const FAILED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481b2566572696669636174696f6e466169\
    6c656491dc00200707070707070707070707070707070707070707070707070707070707070707";
const PASSED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481b2566572696669636174696f6e506173\
    73656491dc00200707070707070707070707070707070707070707070707070707070707070707";
const ENDED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481b1566572696669636174696f6e456e64\
    656491dc00200707070707070707070707070707070707070707070707070707070707070707";
const TRUSTED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481ad446576696365547275737465649405\
    dc00200707070707070707070707070707070707070707070707070707070707070707a746697265666f78cf\
    0000018bcfe5687b";
const FORGOTTEN: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481af446576696365466f72676f7474656e\
    9105";
const PROVED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481a650726f7665649103";
const PASSKEY_ADDED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481ac506173736b657941646465649905\
    a44151494492f9a442415547ab6578616d706c652e6f7267a550686f6e65a8506f737369626c6509cf0000\
    018bcfe5687bc0";
const PASSKEY_RENAMED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481ae506173736b657952656e616d6564\
    9205a550686f6e65";
const PASSKEY_REMOVED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481ae506173736b657952656d6f766564\
    9105";
const PASSKEYS_REMOVED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f726564af506173736b65797352656d6f766564";
const PASSKEY_USED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8466163746f72656481ab506173736b657955736564950509\
    a4446f6e65dc00200707070707070707070707070707070707070707070707070707070707070707c3";
const FACTOR_LINK: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481aa4c696e6b49737375656493dc0020070707\
    070707070707070707070707070707070707070707070707070707070781ad466163746f7250726f74657374\
    91af616e61406578616d706c652e6f7267cf0000018bcfe5687b";
const PASSKEY_LINK: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481aa4c696e6b49737375656493dc00200707\
    07070707070707070707070707070707070707070707070707070707070781ae506173736b657950726f74\
    65737491af616e61406578616d706c652e6f7267cf0000018bcfe5687b";

#[test]
fn the_first_factors_are_read() {
    let now = Timestamp::from_millis(1_700_000_000_123);
    let hash = SecretHash::new([7; 32]);
    let device = TrustedDevice { id: 5, hash, name: "Firefox".to_owned(), since: now };
    let begun = Verification { hash, expires_at: now, failures: 0, is_passed: false };
    let passkey = Passkey {
        id: 5,
        credential: "AQID".to_owned(),
        key: PasskeyKey { algorithm: -7, bytes: "BAUG".to_owned() },
        host: "example.org".to_owned(),
        name: "Phone".to_owned(),
        backup: PasskeyBackup::Possible,
        counter: 9,
        since: now,
        used_at: None,
    };
    let backup = PasskeyBackup::Done;
    let used = PasskeyUse { id: 5, counter: 9, backup, challenge: hash, is_verified: true };
    for (payload, change) in [
        (BEGUN, FactorChange::TotpBegun { secret: SealedSecret::new("sealed".to_owned()) }),
        (CONFIRMED, FactorChange::TotpConfirmed { step: 9, recovery: vec![hash] }),
        (REMOVED, FactorChange::Removed),
        (TOTP_USED, FactorChange::TotpUsed { step: 9 }),
        (RECOVERY_USED, FactorChange::RecoveryUsed { hash }),
        (RECOVERY_RENEWED, FactorChange::RecoveryRenewed { recovery: vec![hash] }),
        (WAITS, FactorChange::VerificationBegun(begun)),
        (FAILED, FactorChange::VerificationFailed { hash }),
        (PASSED, FactorChange::VerificationPassed { hash }),
        (ENDED, FactorChange::VerificationEnded { hash }),
        (TRUSTED, FactorChange::DeviceTrusted(device)),
        (FORGOTTEN, FactorChange::DeviceForgotten { id: 5 }),
        (PROVED, FactorChange::Proved { token: TokenId::new(3) }),
        (PASSKEY_ADDED, FactorChange::PasskeyAdded(passkey)),
        (PASSKEY_RENAMED, FactorChange::PasskeyRenamed { id: 5, name: "Phone".to_owned() }),
        (PASSKEY_REMOVED, FactorChange::PasskeyRemoved { id: 5 }),
        (PASSKEYS_REMOVED, FactorChange::PasskeysRemoved),
        (PASSKEY_USED, FactorChange::PasskeyUsed(used)),
    ] {
        let fact = Fact::User(UserFact::Factored(change));
        is_golden(payload, StreamId::User(UserId::new(7)), &fact);
    }
}

#[test]
fn the_first_link_against_a_factor_is_read() {
    let mailed_to = Email::parse("ana@example.org").unwrap();
    for (payload, purpose) in [
        (FACTOR_LINK, LinkPurpose::FactorProtest { mailed_to: mailed_to.clone() }),
        (PASSKEY_LINK, LinkPurpose::PasskeyProtest { mailed_to: mailed_to.clone() }),
    ] {
        let link = Link {
            hash: LinkHash::new([7; 32]),
            purpose,
            expires_at: Timestamp::from_millis(1_700_000_000_123),
        };
        let fact = Fact::User(UserFact::Mailed(MailChange::LinkIssued(link)));
        is_golden(payload, StreamId::User(UserId::new(7)), &fact);
    }
}
