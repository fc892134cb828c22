//! Versions before the leader stored the answers to other nodes behind the events.

use super::*;

/// One answer, `[0, 255, 7]`, to the first question of a node, with the first event.
const TRAILER: [u8; 20] = [
    0x91, 0x92, 0x00, 0x92, 0x92, 0xcf, 255, 255, 255, 255, 255, 255, 255, 255, 0x01, 0xc4, 3, 0,
    255, 7,
];

#[test]
fn answers_behind_the_events_are_ignored() {
    let written = encode(StreamId::Group(GroupId::new(7)), 5000);
    let bytes = with_payload(&written, &[&written[HEADER..], &TRAILER].concat());
    assert_eq!(verify(&bytes, 5000), Ok(bytes.len()));
    let read = decode(&bytes, 5000).unwrap();
    let events = |commit: &Committed| -> Vec<_> {
        commit.entries.iter().map(|entry| Arc::clone(&entry.event)).collect()
    };
    assert_eq!(events(&read), events(&decode(&written, 5000).unwrap()));
}
