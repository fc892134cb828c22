//! The first records of bans.

use super::*;
use crate::domain::group::{Ban, Moderation};
use crate::domain::text::ModerationReason;

/// The first payloads of a ban and of its end.
const BANNED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a642616e6e65649608a342656eab\
    73656c6c7320726f706573cf0000018bd01c568007cf0000018bcfe56800";
const UNBANNED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a8556e62616e6e65649208\
    07";

#[test]
fn first_bans_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    let moderated = |moderation: Moderation| Fact::Group(GroupFact::Moderated(moderation.into()));
    let ban = Ban {
        user: UserId::new(8),
        name: "Ben".to_owned(),
        reason: Some(ModerationReason::parse("sells ropes".to_owned()).unwrap()),
        until: Some(Timestamp::from_seconds(1_700_003_600)),
        by: UserId::new(7),
        at: Timestamp::from_seconds(1_700_000_000),
    };
    is_golden(BANNED, stream, &moderated(Moderation::Banned(ban)));
    let lifted = Moderation::Unbanned { user: UserId::new(8), by: UserId::new(7) };
    is_golden(UNBANNED, stream, &moderated(lifted));
}
