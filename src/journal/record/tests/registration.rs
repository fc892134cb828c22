//! The first records of new accounts that wait, and of the domains whose addresses may register.

use super::*;
use domain::audit::{AdminAct, AuditFact, OperatorDeed};
use domain::ids::MailId;
use domain::instance::{InstanceFact, PlaceSettings, SignUp};
use domain::mail::{Mail, MailChange, MailKind, MailLanguage};
use domain::registration::{AccountWait, RegistrationDomains, WaitingReason};
use domain::text::{AboutText, Email};

/// The first payloads of an account that waits for its confirmation and of one that waits no more.
const WAITS: &str = "\
    9192cf0000018bcfe5687b81a45573657281a5576169747392ac436f6e6669726d6174696f6ecf0000018bd0\
    1c5680";
const ADMITTED: &str = "\
    9192cf0000018bcfe5687b81a455736572a841646d6974746564";
/// The first payload of the setting.
const DOMAINS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649199c0c0c0a6\
    446f6d61696ec0c0c0c09291ab6578616d706c652e6f7267c3";

#[test]
fn first_waiting_accounts_are_read() {
    let stream = StreamId::User(UserId::new(7));
    let until = Some(Timestamp::from_seconds(1_700_003_600));
    let waiting = AccountWait { reason: WaitingReason::Confirmation, until };
    is_golden(WAITS, stream, &Fact::User(UserFact::Waits(waiting)));
    is_golden(ADMITTED, stream, &Fact::User(UserFact::Admitted));
    let settings = PlaceSettings {
        sign_up: Some(SignUp::Domain),
        domains: Some(RegistrationDomains::parse(["example.org"], true).unwrap()),
        ..PlaceSettings::default()
    };
    let setting = InstanceFact::SettingsChanged { settings };
    is_golden(DOMAINS, StreamId::Instance, &Fact::Instance(setting));
}

/// The first payloads of an account that waits for an approval, of the mail that tells of one, and of
/// what operators decide.
const ASKS: &str = "\
    9192cf0000018bcfe5687b81a45573657281a557616974739281a8417070726f76616c92a74920636c696d62\
    a64765726d616ec0";
const TOLD: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a65175657565649503af616e61406578616d\
    706c652e6f7267a8417070726f766564a64765726d616ecf0000018bd01c5680";
const APPROVED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649609c081af526571756573\
    74417070726f7665649107a56b6e6f776ec0c0";
const REFUSED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649609c081ae526571756573\
    74526566757365649107a56b6e6f776ec0c0";

#[test]
fn first_requests_for_an_account_are_read() {
    let user = UserId::new(7);
    let stream = StreamId::User(user);
    let about = AboutText::parse("I climb".to_owned()).unwrap();
    let waiting = AccountWait::for_approval(Some(about), MailLanguage::German);
    is_golden(ASKS, stream, &Fact::User(UserFact::Waits(waiting)));
    let mail = Mail {
        id: MailId::new(3),
        to: Email::parse("ana@example.org").unwrap(),
        kind: MailKind::Approved,
        language: MailLanguage::German,
        until: Timestamp::from_seconds(1_700_003_600),
        invite: None,
    };
    is_golden(TOLD, stream, &Fact::User(UserFact::Mailed(MailChange::Queued(mail))));
    let decided = |act| {
        let reason = "known".to_owned();
        let by = UserId::new(9);
        let deed = OperatorDeed { by, from: None, act, reason, before: None, after: None };
        Fact::Audit(AuditFact::OperatorActed(deed))
    };
    let approved = decided(AdminAct::RequestApproved { user });
    is_golden(APPROVED, StreamId::Audit, &approved);
    is_golden(REFUSED, StreamId::Audit, &decided(AdminAct::RequestRefused { user }));
}
