//! The first records of bans.

use super::*;
use domain::group::{Ban, Moderation, Timeout};
use domain::text::ModerationReason;

/// The first payloads of a ban and of its end.
const BANNED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a642616e6e65649608a342656eab\
    73656c6c7320726f706573cf0000018bd01c568007cf0000018bcfe56800";
const UNBANNED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a8556e62616e6e65649208\
    07";
/// The first payloads of a timeout and of its end.
const TIMED_OUT: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481a854696d65644f75749508c0cf000001\
    8bd01c568007cf0000018bcfe56800";
const TIMEOUT_ENDED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481ac54696d656f7574456e64656492\
    0807";

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
    let timeout = Timeout {
        rule: None,
        user: UserId::new(8),
        reason: None,
        until: Timestamp::from_seconds(1_700_003_600),
        by: UserId::new(7),
        at: Timestamp::from_seconds(1_700_000_000),
    };
    is_golden(TIMED_OUT, stream, &moderated(Moderation::TimedOut(timeout)));
    let ended = Moderation::TimeoutEnded { user: UserId::new(8), by: UserId::new(7) };
    is_golden(TIMEOUT_ENDED, stream, &moderated(ended));
}
