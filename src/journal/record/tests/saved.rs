//! The first records of saved messages.

use super::*;
use domain::ids::{MessageId, Pair};
use domain::user::SavedMessage;

/// The first payload of a message of a group that was saved, and the first of one of a chat that was
/// taken out.
const SAVED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ac4d657373616765536176656494cf0000018bcfe5687b81a547\
    726f7570ce00989681cf025bf6196bd10001cf0000018bcfe5687b";
const UNSAVED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ae4d657373616765556e73617665649281a443686174920409cf\
    025bf6196bd10001";

#[test]
fn the_first_saved_messages_are_read() {
    let stream = StreamId::User(UserId::new(7));
    let conv = domain::ids::Conversation::from(GroupId::new(10_000_001));
    let message = MessageId::new(170_000_000_000_000_001);
    let at = Timestamp::from_millis(1_700_000_000_123);
    let saved = SavedMessage { id: at.millis(), conv, message, at };
    is_golden(SAVED, stream, &Fact::User(UserFact::MessageSaved(saved)));
    let conv = Pair::of(UserId::new(9), UserId::new(4)).unwrap().into();
    is_golden(UNSAVED, stream, &Fact::User(UserFact::MessageUnsaved { conv, message }));
}
