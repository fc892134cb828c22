//! The first records of new accounts that wait, and of the domains whose addresses may register.

use super::*;
use domain::instance::{InstanceFact, PlaceSettings, SignUp};
use domain::registration::{AccountWait, RegistrationDomains, WaitingReason};

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
