//! Tokens, applications and devices without scopes, as they were before there were scopes, and with
//! them.

use super::*;
use domain::ids::{ClientId, TokenId};
use domain::scopes::{Scope, ScopeSet};
use domain::user::{Application, ApplicationName, Device, RedirectUrl, TokenHash, TokenRecord};

const LOG_IN: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab546f6b656e4973737565649705dc0020070707070707070707\
    0707070707070707070707070707070707070707070707a66c6f672d696ecf0000018bcfe5687bc0c0c0";
const FROM_A_DEVICE: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab546f6b656e4973737565649805dc0020070707070707070707\
    0707070707070707070707070707070707070707070707a66c6f672d696ecf0000018bcfe5687bc0c0c0a746\
    697265666f78";
const WITH_SCOPES: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab546f6b656e4973737565649905dc0020070707070707070707\
    0707070707070707070707070707070707070707070707a6536372697074cf0000018bcfe5687bcf0000018b\
    cfe56c63c0c0c0cd0204";
const APPLICATION: &str = "\
    9192cf0000018bcfe5687b81a45573657281b54170706c69636174696f6e5265676973746572656494dc0010\
    01010101010101010101010101010101a5526f706573ba68747470733a2f2f726f7065732e6578616d706c65\
    2f6261636bcf0000018bcfe5687b";
const APPLICATION_WITH_SCOPES: &str = "\
    9192cf0000018bcfe5687b81a45573657281b54170706c69636174696f6e5265676973746572656495dc0010\
    01010101010101010101010101010101a5526f706573ba68747470733a2f2f726f7065732e6578616d706c65\
    2f6261636bcf0000018bcfe5687b20";
const DEVICE: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab446576696365416464656496a570686f6e65b568747470733a\
    2f2f707573682e6578616d706c652f909005cf0000018bcfe5687b";
const DEVICE_WITH_SCOPES: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab446576696365416464656497a570686f6e65b568747470733a\
    2f2f707573682e6578616d706c652f909005cf0000018bcfe5687bcd0420";

fn is_of_user(payload: &str, fact: UserFact) {
    is_golden(payload, StreamId::User(UserId::new(7)), &Fact::User(fact));
}

#[test]
fn tokens_are_read_with_and_without_scopes() {
    let at = Timestamp::from_millis(1_700_000_000_123);
    let log_in = TokenRecord {
        id: TokenId::new(5),
        hash: TokenHash::new([7; 32]),
        application: Some("log-in".to_owned()),
        created_at: at,
        expires_at: None,
        client: None,
        last_used_at: None,
        device: None,
        scopes: None,
    };
    assert_eq!(log_in.effective_scopes(), ScopeSet::WHOLE);
    let device = Some("Firefox".to_owned());
    let from_a_device = TokenRecord { device, ..log_in.clone() };
    let with_scopes = TokenRecord {
        application: Some("Script".to_owned()),
        expires_at: Some(Timestamp::from_millis(1_700_000_001_123)),
        scopes: Some(ScopeSet::of(&[Scope::GroupsRead, Scope::Bots])),
        ..log_in.clone()
    };
    for (payload, token) in
        [(LOG_IN, log_in), (FROM_A_DEVICE, from_a_device), (WITH_SCOPES, with_scopes)]
    {
        is_of_user(payload, UserFact::TokenIssued(token));
    }
}

#[test]
fn applications_and_devices_are_read_with_and_without_scopes() {
    let at = Timestamp::from_millis(1_700_000_000_123);
    let all = Application {
        client: ClientId::new([1; 16]),
        name: ApplicationName::parse("Ropes").unwrap(),
        callback_url: RedirectUrl::parse("https://ropes.example/back").unwrap(),
        created_at: at,
        scopes: None,
    };
    assert_eq!(all.allowed_scopes(), ScopeSet::APPLICATION);
    let some = Application { scopes: Some(ScopeSet::of(&[Scope::MessagesRead])), ..all.clone() };
    is_of_user(APPLICATION, UserFact::ApplicationRegistered(all));
    is_of_user(APPLICATION_WITH_SCOPES, UserFact::ApplicationRegistered(some));
    let device = Device {
        id: "phone".to_owned(),
        endpoint: "https://push.example/".to_owned(),
        key: Vec::new(),
        secret: Vec::new(),
        token: TokenId::new(5),
        since: at,
        scopes: None,
    };
    let scopes = Some(ScopeSet::of(&[Scope::MessagesRead, Scope::Notices]));
    let shown = Device { scopes, ..device.clone() };
    assert!(device.shows(StreamId::Group(GroupId::new(1))));
    is_of_user(DEVICE, UserFact::DeviceAdded(device));
    is_of_user(DEVICE_WITH_SCOPES, UserFact::DeviceAdded(shown));
}
