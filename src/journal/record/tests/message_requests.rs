//! The first records of message requests and of whom people take messages from.

use super::*;
use domain::ids::Pair;
use domain::message_requests::{DmFrom, RequestChange};

/// The first payloads of a choice, of the default, and of each change of a request.
const CHOSEN: &str = "\
    9192cf0000018bcfe5687b81a45573657281ac446d46726f6d43686f73656e91ac53686172656447726f7570\
    73";
const DEFAULT: &str = "9192cf0000018bcfe5687b81a45573657281ac446d46726f6d43686f73656e91c0";
const OPENED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ae526571756573744368616e67656492920708a64f70656e6564";
const ACCEPTED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ae526571756573744368616e67656492920708a8416363657074\
    6564";
const DECLINED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ae526571756573744368616e67656492920708a84465636c696e\
    6564";

#[test]
fn the_first_message_requests_are_read() {
    let stream = StreamId::User(UserId::new(7));
    for (payload, choice) in [(CHOSEN, Some(DmFrom::SharedGroups)), (DEFAULT, None)] {
        is_golden(payload, stream, &Fact::User(UserFact::DmFromChosen { choice }));
    }
    let chat = Pair::of(UserId::new(7), UserId::new(8)).unwrap();
    for (payload, change) in [
        (OPENED, RequestChange::Opened),
        (ACCEPTED, RequestChange::Accepted),
        (DECLINED, RequestChange::Declined),
    ] {
        is_golden(payload, stream, &Fact::User(UserFact::RequestChanged { chat, change }));
    }
}
