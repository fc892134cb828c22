//! The first records of mails, links and confirmed addresses.

use super::*;
use domain::audit::{AdminAct, AuditFact, OperatorDeed};
use domain::email_notices::EmailNotices;
use domain::ids::MailId;
use domain::mail::{
    Link, LinkHash, LinkPurpose, MailChange, MailKind, MailLanguage, MailNote, MailOutcome,
    MailedInvite,
};
use domain::text::{Email, GroupName};

/// The first payloads of a mail that is queued, of its three outcomes, of links for three purposes,
/// of the end of all links, and of addresses that are confirmed or wait for it.
const QUEUED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a65175657565649505af616e61406578616d\
    706c652e6f7267a85265636f76657279a64765726d616ecf0000018bd000dfbb";
const SENT: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a7536574746c65649205a453656e74";
const RETRIED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a7536574746c6564920581a5526574727991\
    cf0000018bcfe5687b";
const DEAD: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a7536574746c6564920581a44465616491a3\
    353530";
const RECOVERY_LINK: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481aa4c696e6b49737375656493dc0020070707\
    070707070707070707070707070707070707070707070707070707070781a85265636f7665727991af616e61\
    406578616d706c652e6f7267cf0000018bcfe5687b";
const OPERATOR_LINK: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481aa4c696e6b49737375656493dc0020070707\
    070707070707070707070707070707070707070707070707070707070781a85265636f7665727991c0cf0000\
    018bcfe5687b";
const CONFIRMATION_LINK: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481aa4c696e6b49737375656493dc0020070707\
    070707070707070707070707070707070707070707070707070707070781ac436f6e6669726d6174696f6e91\
    af616e61406578616d706c652e6f7267cf0000018bcfe5687b";
const PROTEST_LINK: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481aa4c696e6b49737375656493dc0020070707\
    070707070707070707070707070707070707070707070707070707070781a750726f7465737491af616e6140\
    6578616d706c652e6f7267cf0000018bcfe5687b";
const RECOVERED_BY_OPERATOR: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c6564b35265636f766572656442794f7065726174\
    6f72";
const LINKS_ENDED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c6564aa4c696e6b73456e646564";
const CONFIRMED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a9436f6e6669726d656491af616e61406578\
    616d706c652e6f7267";
const ENTERED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481ae41646472657373456e746572656491af61\
    6e61406578616d706c652e6f7267";
const INVITED: &str = "9192cf0000018bcfe5687b81a45573657281a64d61696c656481a7496e76697465649103";
const INVITE_QUEUED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a65175657565649605af616e61406578616d\
    706c652e6f7267ab47726f7570496e76697465a64765726d616ecf0000018bda32207b9309a8436c696d6265\
    7273a3614233";
const LEFT: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481ae41646472657373456e746572656491c0";

#[test]
fn the_first_mails_and_links_are_read() {
    let now = Timestamp::from_millis(1_700_000_000_123);
    let email = || Email::parse("ana@example.org").unwrap();
    let id = MailId::new(5);
    let settled = |outcome| MailChange::Settled { id, outcome };
    let link = |purpose| {
        MailChange::LinkIssued(Link { hash: LinkHash::new([7; 32]), purpose, expires_at: now })
    };
    let note = MailNote { id, language: MailLanguage::German };
    let invite = MailedInvite {
        group: GroupId::new(9),
        group_name: GroupName::parse("Climbers".to_owned()).unwrap(),
        token: "aB3".to_owned(),
    };
    for (payload, change) in [
        (QUEUED, MailChange::Queued(note.mail(MailKind::Recovery, email(), now))),
        (SENT, settled(MailOutcome::Sent)),
        (RETRIED, settled(MailOutcome::Retry { at: now, reason: None })),
        (DEAD, settled(MailOutcome::Dead { reason: "550".to_owned() })),
        (RECOVERY_LINK, link(LinkPurpose::Recovery { mailed_to: Some(email()) })),
        (OPERATOR_LINK, link(LinkPurpose::Recovery { mailed_to: None })),
        (CONFIRMATION_LINK, link(LinkPurpose::Confirmation { address: email() })),
        (PROTEST_LINK, link(LinkPurpose::Protest { mailed_to: email() })),
        (LINKS_ENDED, MailChange::LinksEnded),
        (CONFIRMED, MailChange::Confirmed { address: email() }),
        (ENTERED, MailChange::AddressEntered { address: Some(email()) }),
        (LEFT, MailChange::AddressEntered { address: None }),
        (RECOVERED_BY_OPERATOR, MailChange::RecoveredByOperator),
        (INVITED, MailChange::Invited { count: 3 }),
        (INVITE_QUEUED, MailChange::Queued(note.invite(invite, email(), now))),
    ] {
        let fact = Fact::User(UserFact::Mailed(change));
        is_golden(payload, StreamId::User(UserId::new(7)), &fact);
    }
}

/// The names of the languages, of which "German" is in [`QUEUED`].
#[test]
fn mails_of_each_language_are_read() {
    let now = Timestamp::from_millis(1_700_000_000_123);
    for (name, language) in [
        ("English", MailLanguage::English),
        ("German", MailLanguage::German),
        ("French", MailLanguage::French),
        ("Arabic", MailLanguage::Arabic),
        ("Spanish", MailLanguage::Spanish),
        ("Portuguese", MailLanguage::Portuguese),
        ("Italian", MailLanguage::Italian),
        ("Japanese", MailLanguage::Japanese),
        ("Chinese", MailLanguage::Chinese),
        ("TraditionalChinese", MailLanguage::TraditionalChinese),
    ] {
        let written: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        let written = format!("{:02x}{written}", 0xa0 + name.len());
        let payload = QUEUED.replace("a64765726d616e", &written);
        let note = MailNote { id: MailId::new(5), language };
        let email = Email::parse("ana@example.org").unwrap();
        let fact = Fact::User(UserFact::Mailed(MailChange::Queued(note.mail(
            MailKind::Recovery,
            email,
            now,
        ))));
        is_golden(&payload, StreamId::User(UserId::new(7)), &fact);
    }
}

/// The first payloads of a choice about mails on missed messages, of the default, of such a mail, and
/// of its outcome where nothing was left to write about.
const NOTICES_CHOSEN: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481ad4e6f746963657343686f73656e92a54461\
    696c79a64765726d616e";
const NOTICES_DEFAULT: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481ad4e6f746963657343686f73656e92c0c0";
const MISSED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a64d69737365649102";
const UNNEEDED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a7536574746c65649205a8556e6e65656465\
    64";
const MISSED_QUEUED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a65175657565649505af616e61406578616d\
    706c652e6f7267a64d6973736564a64765726d616ecf0000018bda32207b";

#[test]
fn first_mails_about_missed_messages_are_read() {
    let now = Timestamp::from_millis(1_700_000_000_123);
    let id = MailId::new(5);
    let language = Some(MailLanguage::German);
    let note = MailNote { id, language: MailLanguage::German };
    let email = Email::parse("ana@example.org").unwrap();
    let choice = Some(EmailNotices::Daily);
    for (payload, change) in [
        (NOTICES_CHOSEN, MailChange::NoticesChosen { choice, language }),
        (NOTICES_DEFAULT, MailChange::NoticesChosen { choice: None, language: None }),
        (MISSED, MailChange::Missed { in_row: 2 }),
        (UNNEEDED, MailChange::Settled { id, outcome: MailOutcome::Unneeded }),
        (MISSED_QUEUED, MailChange::Queued(note.mail(MailKind::Missed, email, now))),
    ] {
        let fact = Fact::User(UserFact::Mailed(change));
        is_golden(payload, StreamId::User(UserId::new(7)), &fact);
    }
}

/// The first payloads of a failed attempt with its reason, of a mail that an operator had sent again,
/// and of the acts of operators about mails.
const RETRIED_WITH_REASON: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a7536574746c6564920581a5526574\
    727992cf0000018bcfe5687ba3343531";
const SENT_AGAIN: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a7526574726965649205cf0000018bcfe568\
    7b";
const ACT_RETRIED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab4d61696c5265\
    7472696564920705a9617320616772656564c0c0";
const ACT_TESTED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c0aa4d61696c546573\
    746564a9617320616772656564a0b3746f3a20616e61406578616d706c652e6f7267";

#[test]
fn first_mails_that_operators_send_again_are_read() {
    let now = Timestamp::from_millis(1_700_000_000_123);
    let id = MailId::new(5);
    let reason = Some("451".to_owned());
    for (payload, change) in [
        (
            RETRIED_WITH_REASON,
            MailChange::Settled { id, outcome: MailOutcome::Retry { at: now, reason } },
        ),
        (SENT_AGAIN, MailChange::Retried { id, until: now }),
    ] {
        let fact = Fact::User(UserFact::Mailed(change));
        is_golden(payload, StreamId::User(UserId::new(7)), &fact);
    }
    let deed = |act, change: Option<(&str, &str)>| {
        let (before, after) = change.map(|(a, b)| (a.to_owned(), b.to_owned())).unzip();
        let by = UserId::new(5);
        let reason = "as agreed".to_owned();
        let deed = OperatorDeed { by, from: None, act, reason, before, after };
        Fact::Audit(AuditFact::OperatorActed(deed))
    };
    let retried = AdminAct::MailRetried { user: UserId::new(7), mail: id };
    is_golden(ACT_RETRIED, StreamId::Audit, &deed(retried, None));
    let tested = deed(AdminAct::MailTested, Some(("", "to: ana@example.org")));
    is_golden(ACT_TESTED, StreamId::Audit, &tested);
}
