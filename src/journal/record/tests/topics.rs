//! The first records of topics, of the lines about them, of messages in them and of their mutes.

use super::*;
use domain::group::{
    Moderation, Rule, RuleAction, RuleContent, RuleKind, Topic, TopicChange, TopicKind,
};
use domain::ids::RuleId;
use domain::message::TopicLine;
use domain::named::NamedTopic;
use domain::text::{Description, RuleName};

const MADE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a5546f70696381a44d61646598ce00989682a54b6e6f7473c0\
    c0a75072697661746507cf0000018bcfe56800cf0000018bcfe56800";
const CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a5546f70696381a74368616e6765649298ce00989682a54b6e\
    6f7473a5726f706573c0ac416e6e6f756e63656d656e7407cf0000018bcfe56800cf0000018bcfe5835807";
const REMOVED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a5546f70696381a752656d6f76656492ce0098968207";
const MADE_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381a5546f706963939207a3416e6192ce009896\
    82a54b6e6f7473a44d616465";
const RENAMED_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381a5546f706963939207a3416e6192ce009896\
    82a54b6e6f747381a752656e616d656491a5526f706573";
const DESCRIBED_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381a5546f706963939207a3416e6192ce009896\
    82a54b6e6f747381a944657363726962656491a5726f706573";
const AVATAR_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381a5546f706963939207a3416e6192ce009896\
    82a54b6e6f747381ad4176617461724368616e67656491c0";
const KIND_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381a5546f706963939207a3416e6192ce009896\
    82a54b6e6f747381ab4b696e644368616e67656491ac416e6e6f756e63656d656e74";
const REMOVED_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381a5546f706963939207a3416e6192ce009896\
    82a54b6e6f7473a752656d6f766564";
const IN_TOPIC: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f737465649bcf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f7065206174207369789003c0c0ce00989681";
const MUTED: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa546f7069634d7574656492ce00989682cf0000018bcfee8fc0";
const SPARED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a952756c65536176656492945a98\
    a3416473c381a84d656e74696f6e739105a6526566757365c0c0c391ce0098968206cf0000018bcfe56800c3";
const UNMUTED: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa546f7069634d7574656492ce00989682c0";

fn knots() -> Topic {
    Topic {
        id: GroupId::new(10_000_002),
        name: GroupName::parse("Knots".to_owned()).unwrap(),
        description: None,
        image: None,
        kind: TopicKind::Private,
        creator: UserId::new(7),
        created_at: Timestamp::from_seconds(1_700_000_000),
        updated_at: Timestamp::from_seconds(1_700_000_000),
    }
}

#[test]
fn the_first_topics_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    let by = UserId::new(7);
    let is = |payload, change| {
        is_golden(payload, stream, &Fact::Group(GroupFact::Topic(Arc::new(change))));
    };
    is(MADE, TopicChange::Made(knots().into()));
    let changed = Topic {
        description: Description::parse("ropes".to_owned()).ok(),
        kind: TopicKind::Announcement,
        updated_at: Timestamp::from_seconds(1_700_000_007),
        ..knots()
    };
    is(CHANGED, TopicChange::Changed { topic: changed.into(), by });
    is(REMOVED, TopicChange::Removed { topic: knots().id, by });
}

#[test]
fn the_first_lines_about_topics_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    for (payload, change) in [
        (MADE_LINE, TopicLine::Made),
        (RENAMED_LINE, TopicLine::Renamed { name: "Ropes".to_owned() }),
        (DESCRIBED_LINE, TopicLine::Described { description: "ropes".to_owned() }),
        (AVATAR_LINE, TopicLine::AvatarChanged { image: None }),
        (KIND_LINE, TopicLine::KindChanged { kind: TopicKind::Announcement }),
        (REMOVED_LINE, TopicLine::Removed),
    ] {
        let user = NamedUser { id: UserId::new(7), name: "Ana".to_owned() };
        let topic = NamedTopic { id: knots().id, name: "Knots".to_owned() };
        let line = Some(SystemMessage::Topic { user, topic, change });
        let message = Arc::new(Message { line, ..message() });
        is_golden(payload, stream, &Fact::Group(GroupFact::Posted(message)));
    }
}

#[test]
fn the_first_message_in_a_topic_is_read() {
    let parent = Some(GroupId::new(10_000_001));
    let message = Arc::new(Message { parent, ..message() });
    let fact = Fact::Group(GroupFact::Posted(message));
    is_golden(IN_TOPIC, StreamId::Group(knots().id), &fact);
}

#[test]
fn the_first_mutes_of_topics_are_read() {
    let stream = StreamId::User(UserId::new(7));
    let topic = knots().id;
    let muted = |until| Fact::User(UserFact::TopicMuted { topic, until });
    is_golden(MUTED, stream, &muted(Some(Timestamp::from_seconds(1_700_000_600))));
    is_golden(UNMUTED, stream, &muted(None));
}

#[test]
fn the_first_rule_that_spares_a_topic_is_read() {
    let content = RuleContent {
        name: RuleName::parse("Ads".to_owned()).unwrap(),
        enabled: true,
        kind: RuleKind::Mentions { limit: 5 },
        action: RuleAction::Refuse,
        timeout: None,
        message: None,
        exempts_bots: true,
        exempts_topics: vec![knots().id],
    };
    let at = Timestamp::from_seconds(1_700_000_000);
    let rule = Arc::new(Rule { id: RuleId::new(90), content, by: UserId::new(6), at });
    let saved = Moderation::RuleSaved { rule, is_new: true };
    let fact = Fact::Group(GroupFact::Moderated(saved.into()));
    is_golden(SPARED, StreamId::Group(GroupId::new(10_000_001)), &fact);
}
