//! The first records of reports.

use super::*;
use domain::group::{
    Filing, Moderation, ReportAction, ReportReason, Reported, ReportedMessage, Resolution, Resolved,
};
use domain::ids::ReportId;
use domain::text::{ModerationReason, ReportText};

/// The first payloads of a report with its copy, of one more that adds to it, and of a resolution.
const REPORTED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a85265706f72746564955acf025b\
    f6196bd10001079308a853656c664861726da46c6f6f6b9299cf025bf6196bd1000181a64d656d62657207a3\
    416e61c0a467756964ab726f7065206174207369789003c091a5726f706573";
const ADDED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a85265706f72746564955acf025b\
    f6196bd10001c09309a853656c664861726dc0c0";
const RESOLVED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a85265736f6c766564945a079208\
    099406a754696d654f7574a463616c6dcf0000018bcfe56800";

#[test]
fn first_reports_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    let moderated = |moderation: Moderation| Fact::Group(GroupFact::Moderated(moderation.into()));
    let filing = |by, text: Option<&str>| Filing {
        by: UserId::new(by),
        reason: ReportReason::SelfHarm,
        text: text.map(|text| ReportText::parse(text.to_owned()).unwrap()),
        rule: None,
    };
    let copy = ReportedMessage { message: message(), earlier: vec!["ropes".to_owned()] };
    let reported = Reported {
        report: ReportId::new(90),
        message: message().id,
        about: Some(UserId::new(7)),
        filing: filing(8, Some("look")),
        copy: Some(copy.into()),
    };
    is_golden(REPORTED, stream, &moderated(Moderation::Reported(reported.clone())));
    let added = Reported { filing: filing(9, None), copy: None, about: None, ..reported };
    is_golden(ADDED, stream, &moderated(Moderation::Reported(added)));
    let resolution = Resolution {
        by: UserId::new(6),
        action: ReportAction::TimeOut,
        note: Some(ModerationReason::parse("calm".to_owned()).unwrap()),
        at: Timestamp::from_seconds(1_700_000_000),
    };
    let resolved = Resolved {
        report: ReportId::new(90),
        about: Some(UserId::new(7)),
        reporters: vec![UserId::new(8), UserId::new(9)],
        resolution,
    };
    is_golden(RESOLVED, stream, &moderated(Moderation::Resolved(resolved)));
}
