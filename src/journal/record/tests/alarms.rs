//! The first records of alarms that rang for nothing.

use super::*;
use domain::alarm::{AlarmSettled, Appointment};
use domain::ids::{CalendarEventId, Conversation, PollId};

/// The first payload of an alarm that was removed.
const REMOVED: &str = "\
    9192cf0000018bcfe5687b81ac416c61726d536574746c65649381a8506f6c6c456e6473920109cf000001\
    8bcfe56800c0";
/// The first payload of an alarm that was moved, in a chat.
const MOVED: &str = "\
    9192cf0000018bcfe5687b81ac416c61726d536574746c65649381a852656d696e6465729281a443686174\
    92070809cf0000018bcfe56800cf0000018bcff323a0";

#[test]
fn first_settled_alarms_are_read() {
    let group = GroupId::new(1);
    let at = Timestamp::from_millis(1_700_000_000_000);
    let fact = |appointment, next| Fact::AlarmSettled(AlarmSettled { appointment, at, next });
    let ended = Appointment::PollEnds { group, poll: PollId::new(9) };
    is_golden(REMOVED, StreamId::Group(group), &fact(ended, None));
    let pair = Pair::of(UserId::new(7), UserId::new(8)).unwrap();
    let event = CalendarEventId::new(9);
    let reminder = Appointment::Reminder { conv: Conversation::Chat(pair), event };
    let next = Some(Timestamp::from_millis(1_700_000_900_000));
    is_golden(MOVED, StreamId::Chat(pair), &fact(reminder, next));
}
