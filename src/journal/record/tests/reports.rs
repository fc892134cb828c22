//! The first records of reports.

use super::*;
use domain::audit::{AdminAct, AuditFact, OperatorDeed};
use domain::group::{
    Filing, Moderation, ReportAction, ReportReason, Reported, ReportedMessage, Resolution, Resolved,
};
use domain::ids::{Conversation, ReportId};
use domain::instance::InstanceFact;
use domain::operators::reports::{
    OperatorAction, OperatorFiling, OperatorResolution, ReportSubject,
};
use domain::text::{ModerationReason, ReportText};
use domain::user::UserFact;

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

/// The first payloads of reports to the operators, of their resolutions, and of what operators and
/// reporters read of them.
const TO_OPERATORS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581a85265706f72746564955a81a74d6573736167659281\
    a443686174920708cf025bf6196bd1000107919308a45370616dc09299cf025bf6196bd1000181a64d656d62\
    657207a3416e61c0a467756964ab726f7065206174207369789003c091a5726f706573";
const OF_USER: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581a85265706f72746564955a81a4557365720707919308\
    a45370616dc0c0";
const OF_GROUP: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581a85265706f72746564955a81a547726f7570ce009896\
    8107919308a45370616dc0c0";
const DECIDED: [&str; 4] = [
    "\
    9192cf0000018bcfe5687b81a8496e7374616e636581ae5265706f72745265736f6c766564925a9405a74469\
    736d697373a9617320616772656564cf0000018bcfe56800",
    "\
    9192cf0000018bcfe5687b81a8496e7374616e636581ae5265706f72745265736f6c766564925a9405a44e6f\
    7465a9617320616772656564cf0000018bcfe56800",
    "\
    9192cf0000018bcfe5687b81a8496e7374616e636581ae5265706f72745265736f6c766564925a9405a64465\
    6c657465a9617320616772656564cf0000018bcfe56800",
    "\
    9192cf0000018bcfe5687b81a8496e7374616e636581ae5265706f72745265736f6c766564925a9405a74469\
    7361626c65a9617320616772656564cf0000018bcfe56800",
];
const TOLD: &str = "\
    9192cf0000018bcfe5687b81a45573657281ae5265706f72745265736f6c766564915a";
const READ: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081aa5265706f7274\
    52656164915aa9617320616772656564c0c0";
const CLOSED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ae5265706f7274\
    5265736f6c766564915aa9617320616772656564c0c0";
const ESCALATED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a85265736f6c766564945a079108\
    9406a8457363616c617465c0cf0000018bcfe56800";

#[test]
fn first_reports_to_operators_are_read() {
    let report = ReportId::new(90);
    let about = Some(UserId::new(7));
    let filing = Filing { by: UserId::new(8), reason: ReportReason::Spam, text: None, rule: None };
    let copy = ReportedMessage { message: message(), earlier: vec!["ropes".to_owned()] };
    let filed = |subject, copy| {
        let filings = vec![filing.clone()];
        let filed = OperatorFiling { report, subject, about, filings, copy };
        Fact::Instance(InstanceFact::Reported(filed.into()))
    };
    let chat = Conversation::Chat(Pair::of(UserId::new(7), UserId::new(8)).unwrap());
    let of_message = filed(ReportSubject::Message(chat, message().id), Some(copy));
    is_golden(TO_OPERATORS, StreamId::Instance, &of_message);
    is_golden(OF_USER, StreamId::Instance, &filed(ReportSubject::User(UserId::new(7)), None));
    let group = ReportSubject::Group(GroupId::new(10_000_001));
    is_golden(OF_GROUP, StreamId::Instance, &filed(group, None));
    for (payload, action) in DECIDED.into_iter().zip(OperatorAction::ALL) {
        let by = UserId::new(5);
        let note = "as agreed".to_owned();
        let at = Timestamp::from_seconds(1_700_000_000);
        let resolution = OperatorResolution { by, action, note, at };
        let fact = Fact::Instance(InstanceFact::ReportResolved { report, resolution });
        is_golden(payload, StreamId::Instance, &fact);
    }
    let told = Fact::User(UserFact::ReportResolved { report });
    is_golden(TOLD, StreamId::User(UserId::new(8)), &told);
    let deed = |act| {
        let reason = "as agreed".to_owned();
        let by = UserId::new(5);
        let deed = OperatorDeed { by, from: None, act, reason, before: None, after: None };
        Fact::Audit(AuditFact::OperatorActed(deed))
    };
    is_golden(READ, StreamId::Audit, &deed(AdminAct::ReportRead { report }));
    is_golden(CLOSED, StreamId::Audit, &deed(AdminAct::ReportResolved { report }));
    let resolution = Resolution {
        by: UserId::new(6),
        action: ReportAction::Escalate,
        note: None,
        at: Timestamp::from_seconds(1_700_000_000),
    };
    let resolved = Resolved { report, about, reporters: vec![UserId::new(8)], resolution };
    let fact = Fact::Group(GroupFact::Moderated(Moderation::Resolved(resolved).into()));
    is_golden(ESCALATED, StreamId::Group(GroupId::new(10_000_001)), &fact);
}
