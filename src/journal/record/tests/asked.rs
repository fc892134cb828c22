//! The questions of other nodes are stored behind the events that answered them.

use super::*;
use base::msgpack;
use domain::asked::{AnsweredQuestion, QuestionId};

fn asked(number: u64, answer: &[u8]) -> Option<Arc<AnsweredQuestion>> {
    let id = QuestionId { asker: u64::MAX, number };
    Some(Arc::new(AnsweredQuestion { id, answer: answer.to_vec() }))
}

#[test]
fn request_record_is_read_with_its_events() {
    let mut written = commit(StreamId::Group(GroupId::new(7)));
    let bare = written.entries[0].clone();
    written.entries = vec![bare.clone(), bare.clone(), bare];
    written.entries[0].asked = asked(1, &[]);
    written.entries[2].asked = asked(2, &[0, 255, 7]);
    let mut bytes = Vec::new();
    RecordDraft::of(written.clone(), MAX_RECORD).unwrap().place(64, 64, &mut bytes);
    let read = decode(&bytes, 64).unwrap();
    let questions =
        |entries: &[Entry]| entries.iter().map(|it| it.asked.clone()).collect::<Vec<_>>();
    assert_eq!(questions(&read.entries), questions(&written.entries));
    // A version that does not know of questions reads the record like this.
    let events: Vec<Event> = msgpack::from_slice(&bytes[HEADER..]).unwrap();
    assert!(events.iter().zip(&read.entries).all(|(event, entry)| *event == *entry.event));
    assert_eq!(events.len(), 3);
}

#[test]
fn commit_without_request_has_no_trailer() {
    let bytes = encode(StreamId::Group(GroupId::new(10_000_001)), 5000);
    let written = commit(StreamId::Group(GroupId::new(10_000_001)));
    let mut events = Vec::new();
    Events(&written.entries).serialize(&mut rmp_serde::Serializer::new(&mut events)).unwrap();
    assert_eq!(bytes[HEADER..], events);
    assert!(decode(&bytes, 5000).unwrap().entries[0].asked.is_none());
}
