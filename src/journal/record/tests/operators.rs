//! The first records of operators: their roles, their acts and their settings.

use super::*;
use domain::audit::{Address, AdminAct, AuditFact, OperatorDeed};
use domain::ids::RuleId;
use domain::instance::{InstanceFact, PasswordLogin, PlaceSettings, SignUp};
use domain::message_requests::DmFrom;
use domain::operators::OperatorRole;
use domain::required_factor::{FactorRequirement, RequiredFactor};

/// The first payloads of a role that is given and taken, and of an act with and without a change.
const GIVEN: &str = "\
    9192cf0000018bcfe5687b81a45573657281af4f70657261746f72526f6c6553657491a541646d696e";
const TAKEN: &str = "\
    9192cf0000018bcfe5687b81a45573657281af4f70657261746f72526f6c6553657491c0";
const ROLE_SET: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605a93132372e302e302e\
    3181a7526f6c655365749207a741756469746f72a9617320616772656564a46e6f6e65a761756469746f72";
const RULE_MADE: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081a852756c654d61\
    6465915aa9617320616772656564c0c0";
const RULE_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab52756c654368\
    616e676564915aa9617320616772656564c0c0";
const RULE_DELETED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab52756c654465\
    6c65746564915aa9617320616772656564c0c0";
const LOGGED_OUT: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ad557365724c6f\
    676765644f75749107a9617320616772656564c0c0";

#[test]
fn first_operators_are_read() {
    let group = GroupId::new(10_000_001);
    let user = UserId::new(7);
    for (payload, role) in [(GIVEN, Some(OperatorRole::Admin)), (TAKEN, None)] {
        let fact = Fact::User(UserFact::OperatorRoleSet { role });
        is_golden(payload, StreamId::User(user), &fact);
    }
    let from = Some(Address::new("127.0.0.1".to_owned()));
    let deed = |act, from, change: Option<(&str, &str)>| {
        let (before, after) = change.map(|(a, b)| (a.to_owned(), b.to_owned())).unzip();
        let by = UserId::new(5);
        let reason = "as agreed".to_owned();
        Fact::Audit(AuditFact::OperatorActed(OperatorDeed { by, from, act, reason, before, after }))
    };
    let role = Some(OperatorRole::Auditor);
    let change = Some(("none", "auditor"));
    let rule = RuleId::new(90);
    for (payload, fact) in [
        (ROLE_SET, deed(AdminAct::RoleSet { user, role }, from, change)),
        (LOGGED_OUT, deed(AdminAct::UserLoggedOut { user }, None, None)),
        (GROUP_FROZEN, deed(AdminAct::GroupFrozen { group }, None, None)),
        (GROUP_UNFROZEN, deed(AdminAct::GroupUnfrozen { group }, None, None)),
        (GROUP_UNLISTED, deed(AdminAct::GroupUnlisted { group }, None, None)),
        (GROUP_DISBANDED, deed(AdminAct::GroupDisbanded { group }, None, None)),
        (RULE_MADE, deed(AdminAct::RuleMade { rule }, None, None)),
        (RULE_CHANGED, deed(AdminAct::RuleChanged { rule }, None, None)),
        (RULE_DELETED, deed(AdminAct::RuleDeleted { rule }, None, None)),
    ] {
        is_golden(payload, StreamId::Audit, &fact);
    }
}

/// The first payloads of settings, and of settings that were removed.
const SETTINGS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649194a8436c69\
    6d62657273a857656c636f6d652eaf616e61406578616d706c652e6f7267a6436c6f736564";
const NO_SETTINGS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649194c0c0c0c0";

/// The first payload of a setting of passwords.
const GROUP_FROZEN: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab47726f757046\
    726f7a656e91ce00989681a9617320616772656564c0c0";
const GROUP_UNFROZEN: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ad47726f757055\
    6e66726f7a656e91ce00989681a9617320616772656564c0c0";
const GROUP_UNLISTED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ad47726f757055\
    6e6c697374656491ce00989681a9617320616772656564c0c0";
const GROUP_DISBANDED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ae47726f757044\
    697362616e64656491ce00989681a9617320616772656564c0c0";
const PASSWORDS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649195c0c0c0c0a9\
    4f70657261746f7273";
const DIRECTORY: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649196c0c0c0c0\
    c0c2";
const SECOND_FACTOR: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e676564919ac0c0c0c0\
    c0c0c0c0c092a845766572796f6e65cf0000018bcfe56800";
const DM_FROM: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e676564919bc0c0c0c0\
    c0c0c0c0c0c0a85265717565737473";
const MAIL_SHOWS_TEXT: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649198c0c0c0c0\
    c0c0c0c2";

#[test]
fn first_settings_are_read() {
    let text = |text: &str| Some(text.to_owned());
    let settings = PlaceSettings {
        name: text("Climbers"),
        greeting: text("Welcome."),
        contact: text("ana@example.org"),
        sign_up: Some(SignUp::Closed),
        password_login: None,
        directory: None,
        guests: None,
        mail_shows_text: None,
        domains: None,
        second_factor: None,
        dm_from: None,
    };
    let password_login = Some(PasswordLogin::Operators);
    let passwords = PlaceSettings { password_login, ..PlaceSettings::default() };
    let directory = PlaceSettings { directory: Some(false), ..PlaceSettings::default() };
    is_golden(
        DIRECTORY,
        StreamId::Instance,
        &Fact::Instance(InstanceFact::SettingsChanged { settings: directory }),
    );
    let mails = PlaceSettings { mail_shows_text: Some(false), ..PlaceSettings::default() };
    is_golden(
        MAIL_SHOWS_TEXT,
        StreamId::Instance,
        &Fact::Instance(InstanceFact::SettingsChanged { settings: mails }),
    );
    let second_factor = RequiredFactor {
        of: FactorRequirement::Everyone,
        since: Timestamp::from_seconds(1_700_000_000),
    };
    let factor = PlaceSettings { second_factor: Some(second_factor), ..PlaceSettings::default() };
    let dm_from = Some(DmFrom::Requests);
    let messages = PlaceSettings { dm_from, ..PlaceSettings::default() };
    for (payload, settings) in [
        (SETTINGS, settings),
        (NO_SETTINGS, PlaceSettings::default()),
        (PASSWORDS, passwords),
        (SECOND_FACTOR, factor),
        (DM_FROM, messages),
    ] {
        let fact = Fact::Instance(InstanceFact::SettingsChanged { settings });
        is_golden(payload, StreamId::Instance, &fact);
    }
}
