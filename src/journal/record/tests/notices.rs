//! The first records of notice levels and mutes.

use super::*;
use domain::group::{Member, Role};
use domain::ids::{MembershipId, Pair};
use domain::notices::NoticeLevel;
use domain::text::Nickname;

/// The first payloads of a notice level, of muting everything, of muting a chat, and of a member
/// whose mute ends.
const LEVEL_SET: &str = "\
    9192cf0000018bcfe5687b81a45573657281a84c6576656c5365749281a547726f7570ce00989681a84d656e74\
    696f6e73";
const ALL_MUTED: &str =
    "9192cf0000018bcfe5687b81a45573657281a8416c6c4d7574656491cf0000018bcfe5687b";
const CHAT_MUTED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a9436861744d7574656492920708cf0000018bcfe5687b";
const MUTED_FOR_A_TIME: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4d656d6265724368616e6765649298ce042c1d8107a3416e61\
    a3416e61c0a54f776e6572c3cf0000018bcfe5687b07";

#[test]
fn the_first_levels_and_mutes_are_read() {
    let stream = StreamId::User(UserId::new(7));
    let conv = GroupId::new(10_000_001).into();
    let level = Fact::User(UserFact::LevelSet { conv, level: NoticeLevel::Mentions });
    is_golden(LEVEL_SET, stream, &level);
    let until = Some(Timestamp::from_millis(1_700_000_000_123));
    is_golden(ALL_MUTED, stream, &Fact::User(UserFact::AllMuted { until }));
    let chat = Pair::of(UserId::new(7), UserId::new(8)).unwrap();
    is_golden(CHAT_MUTED, stream, &Fact::User(UserFact::ChatMuted { chat, until }));
    let member = Member {
        membership_id: MembershipId::new(70_000_001),
        user_id: UserId::new(7),
        nickname: Nickname::parse("Ana".to_owned()).unwrap(),
        name: "Ana".to_owned(),
        image: None,
        role: Role::Owner,
        muted: true,
        mute_ends: until,
        is_guest: false,
    };
    let changed = Fact::Group(GroupFact::MemberChanged { member, by: UserId::new(7) });
    is_golden(MUTED_FOR_A_TIME, StreamId::Group(GroupId::new(10_000_001)), &changed);
}
