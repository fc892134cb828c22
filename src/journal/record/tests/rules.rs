//! The first records of rules.

use std::sync::Arc;

use super::*;
use domain::group::{
    Appeal, AppealSettled, AppealedAct, AttachmentType, Filing, HeldMessage, HeldSettled,
    LinkHosts, Moderation, NamedRule, NewcomerLimit, NewcomerSpan, PostRate, RefusedPost,
    ReportReason, Reported, Rule, RuleAction, RuleContent, RuleHost, RuleKind, RulePattern,
    Timeout, WordList,
};
use domain::ids::{ReportId, RuleId};
use domain::instance::InstanceFact;
use domain::text::{ModerationReason, ReportText, RuleMessage, RuleName, RuleWord};

/// The first payloads of a rule of each kind, of its deletion, and of what it does.
const SAVED: [&str; 9] = [
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a5576f7264739291a663686561702a91a763686561706572a65265667573653ca74e6f206164\
        732ec206cf0000018bcfe56800c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a85061747465726e7391a85b302d395d7b397da65265667573653ca74e6f206164732ec206cf\
        0000018bcfe56800c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a54c696e6b739281a645786365707491ad636c696d622e6578616d706c65c3a6526566757365\
        3ca74e6f206164732ec206cf0000018bcfe56800c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a84d656e74696f6e739105a65265667573653ca74e6f206164732ec206cf0000018bcfe56800\
        c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a652657065617492033ca65265667573653ca74e6f206164732ec206cf0000018bcfe56800c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a5466c6f6f6492090aa65265667573653ca74e6f206164732ec206cf0000018bcfe56800c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a94e6577636f6d6572739281a5486f7572731892a54c696e6b73a5506f737473a65265667573\
        653ca74e6f206164732ec206cf0000018bcfe56800c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381ab4174746163686d656e747391a84c6f636174696f6ea65265667573653ca74e6f206164732e\
        c206cf0000018bcfe56800c3",
    "\
        9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a97\
        a3416473c381a750726f66696c659291a663686561702a91a763686561706572a65265667573653ca74e6f20\
        6164732ec206cf0000018bcfe56800c3",
];
const DELETED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481ab52756c6544656c657465649293\
    5aa34164730607";
const REFUSED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481ab52756c65526566757365649493\
    5aa3416473060781a3426f7408cf025bf6196bd10001";
const REPORTED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a85265706f72746564955bcf025b\
    f6196bd10001079400a552756c6573c0935aa341647306c0";
const TIMED_OUT: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a854696d65644f75749607c0cf00\
    00018bcfe6526006cf0000018bcfe56800935aa341647306";

const HELD: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a448656c6494935aa34164730607\
    99cf025bf6196bd1000181a64d656d62657207a3416e61c0a467756964ab726f7065206174207369789003c0\
    cf0000018bcfe56800";
const HELD_SETTLED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481ab48656c64536574746c656496cf\
    025bf6196bd100010706c3a466696e65cf0000018bcfe56800";

const APPEALED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a841707065616c65649a5c07a342\
    656ea342616ecf0000018bcfe56800a3616473c0a741206a6f6b652ecf0000018bcfe65260c2";
const APPEAL_SETTLED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481ad41707065616c536574746c6564\
    965c07a754696d656f757406c3c0";

fn name() -> RuleName {
    RuleName::parse("Ads".to_owned()).unwrap()
}

fn named() -> NamedRule {
    NamedRule { id: RuleId::new(90), name: name(), by: UserId::new(6) }
}

fn list() -> WordList {
    let word = |text: &str| RuleWord::parse(text.to_owned()).unwrap();
    WordList { words: vec![word("cheap*")], allow: vec![word("cheaper")] }
}

fn kinds() -> [RuleKind; 9] {
    let host = RuleHost::parse("climb.example").unwrap();
    [
        RuleKind::Words(list()),
        RuleKind::Patterns(vec![RulePattern::parse("[0-9]{9}".to_owned()).unwrap()]),
        RuleKind::Links { hosts: Some(LinkHosts::Except(vec![host])), invites: true },
        RuleKind::Mentions { limit: 5 },
        RuleKind::Repeat(PostRate { count: 3, seconds: 60 }),
        RuleKind::Flood(PostRate { count: 9, seconds: 10 }),
        RuleKind::Newcomers {
            span: NewcomerSpan::Hours(24),
            without: vec![NewcomerLimit::Links, NewcomerLimit::Posts],
        },
        RuleKind::Attachments(vec![AttachmentType::Location]),
        RuleKind::Profile(list()),
    ]
}

fn rule(kind: RuleKind) -> Arc<Rule> {
    let content = RuleContent {
        name: name(),
        enabled: true,
        kind,
        action: RuleAction::Refuse,
        timeout: Some(60),
        message: Some(RuleMessage::parse("No ads.".to_owned()).unwrap()),
        exempts_bots: false,
        exempts_topics: Vec::new(),
    };
    let at = Timestamp::from_seconds(1_700_000_000);
    Arc::new(Rule { id: RuleId::new(90), content, by: UserId::new(6), at })
}

#[test]
fn first_rules_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    let moderated = |moderation: Moderation| Fact::Group(GroupFact::Moderated(moderation.into()));
    for (golden, kind) in SAVED.iter().zip(kinds()) {
        let saved = Moderation::RuleSaved { rule: rule(kind), is_new: true };
        is_golden(golden, stream, &moderated(saved));
    }
    let deleted = Moderation::RuleDeleted { rule: named(), by: UserId::new(7) };
    is_golden(DELETED, stream, &moderated(deleted));
    let refused = RefusedPost {
        rule: named(),
        user: UserId::new(7),
        author: Author::Bot(UserId::new(8)),
        edited: Some(message().id),
    };
    is_golden(REFUSED, stream, &moderated(Moderation::RuleRefused(refused)));
    let held = HeldMessage {
        rule: named(),
        user: UserId::new(7),
        message: Arc::new(message()),
        at: Timestamp::from_seconds(1_700_000_000),
    };
    let settled = HeldSettled {
        id: held.id(),
        user: held.user,
        by: Some(UserId::new(6)),
        is_approved: true,
        note: Some(ModerationReason::parse("fine".to_owned()).unwrap()),
        since: held.at,
    };
    is_golden(HELD, stream, &moderated(Moderation::Held(held.into())));
    is_golden(HELD_SETTLED, stream, &moderated(Moderation::HeldSettled(settled)));
    let by = UserId::new(0);
    let filing = Filing { by, reason: ReportReason::Rules, text: None, rule: Some(named()) };
    let reported = Reported {
        report: ReportId::new(91),
        message: message().id,
        about: Some(UserId::new(7)),
        filing,
        copy: None,
    };
    is_golden(REPORTED, stream, &moderated(Moderation::Reported(reported)));
    let timeout = Timeout {
        user: UserId::new(7),
        reason: None,
        until: Timestamp::from_seconds(1_700_000_060),
        by: UserId::new(6),
        at: Timestamp::from_seconds(1_700_000_000),
        rule: Some(named()),
    };
    is_golden(TIMED_OUT, stream, &moderated(Moderation::TimedOut(timeout)));
}

/// The first payloads of a rule of the operators, and of its end.
const OF_OPERATORS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581a952756c655361766564945a97a3416473c381a5576f\
    7264739291a663686561702a91a763686561706572a65265667573653ca74e6f206164732ec206cf0000018b\
    cfe56800";
const NOT_OF_OPERATORS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581ab52756c6544656c65746564915a";

#[test]
fn first_rules_of_operators_are_read() {
    let saved = InstanceFact::RuleSaved(rule(RuleKind::Words(list())));
    is_golden(OF_OPERATORS, StreamId::Instance, &Fact::Instance(saved));
    let deleted = InstanceFact::RuleDeleted { rule: RuleId::new(90) };
    is_golden(NOT_OF_OPERATORS, StreamId::Instance, &Fact::Instance(deleted));
}

#[test]
fn first_appeals_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    let moderated = |moderation: Moderation| Fact::Group(GroupFact::Moderated(moderation.into()));
    let appeal = Appeal {
        id: ReportId::new(92),
        user: UserId::new(7),
        name: "Ben".to_owned(),
        act: AppealedAct::Ban,
        act_at: Timestamp::from_seconds(1_700_000_000),
        reason: Some(ModerationReason::parse("ads".to_owned()).unwrap()),
        until: None,
        text: ReportText::parse("A joke.".to_owned()).unwrap(),
        at: Timestamp::from_seconds(1_700_000_060),
        is_settled: false,
    };
    is_golden(APPEALED, stream, &moderated(Moderation::Appealed(appeal)));
    let settled = AppealSettled {
        id: ReportId::new(92),
        user: UserId::new(7),
        act: AppealedAct::Timeout,
        by: UserId::new(6),
        is_granted: true,
        note: None,
    };
    is_golden(APPEAL_SETTLED, stream, &moderated(Moderation::AppealSettled(settled)));
}
