//! The first records of polls.

use super::*;
use domain::ids::PollId;
use domain::named::PollOutcome;
use domain::polls::{MadePoll, NewPoll, PollChange, PollKind, Visibility};

/// The first payload of a poll.
const MADE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f6c6c656481a44d61646594cf025bf6196bd1000107\
    cf0000018bcfe5687b95a57768656e3f92a3736978a5736576656ecf0000018bd01c5680a54d756c7469a9\
    416e6f6e796d6f7573";
/// The first payload of a vote.
const VOTED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f6c6c656481a5566f74656493cf025bf6196bd10001\
    07920102";
/// The first payload of a poll's end.
const ENDED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f6c6c656481a5456e64656492cf025bf6196bd10001\
    c0";
/// The first payload of a message with a poll.
const WITH_A_POLL: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f7065206174207369789181a4506f6c6c91cf025bf6196bd1000103c0";
/// The first payload of a message with a poll and a system message about it.
const SAYING_SO: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f7065206174207369789181a4506f6c6c91cf025bf6196bd100010381\
    ab506f6c6c43726561746564939207a3416e61cf025bf6196bd10001a57768656e3f";
/// The first payload of the system message about a finished poll.
const FINISHED_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f706520617420736978900381ac506f6c6c46696e697368656493cf02\
    5bf6196bd10001a57768656e3f9292a37369780292a5736576656e00";

#[test]
fn the_first_polls_are_read() {
    let group = StreamId::Group(GroupId::new(1));
    let by = UserId::new(7);
    let poll = PollId::new(message().id.get());
    let polled = |change| Fact::Group(GroupFact::Polled(Arc::new(change)));
    let new = NewPoll {
        subject: "when?".to_owned(),
        options: vec!["six".to_owned(), "seven".to_owned()],
        ends: Timestamp::from_millis(1_700_003_600_000),
        kind: PollKind::Multi,
        visibility: Visibility::Anonymous,
    };
    let at = Timestamp::from_millis(1_700_000_000_123);
    let made = MadePoll { id: poll, owner: by, at, poll: new };
    is_golden(MADE, group, &polled(PollChange::Made(made)));
    is_golden(VOTED, group, &polled(PollChange::Voted { poll, by, options: vec![1, 2] }));
    is_golden(ENDED, group, &polled(PollChange::Ended { poll, by: None }));
    let posted = |message| Fact::Group(GroupFact::Posted(Arc::new(message)));
    let attachments = vec![Attachment::Poll { poll }];
    let carrying = Message { attachments, ..message() };
    is_golden(WITH_A_POLL, group, &posted(carrying.clone()));
    let user = NamedUser { id: by, name: "Ana".to_owned() };
    let line = SystemMessage::PollCreated { user, poll, subject: "when?".to_owned() };
    is_golden(SAYING_SO, group, &posted(Message { line: Some(line), ..carrying }));
    let outcome = |title: &str, votes| PollOutcome { title: title.to_owned(), votes };
    let options = vec![outcome("six", 2), outcome("seven", 0)];
    let line = SystemMessage::PollFinished { poll, subject: "when?".to_owned(), options, by: None };
    is_golden(FINISHED_LINE, group, &posted(Message { line: Some(line), ..message() }));
}
