//! Encoded records are decoded again, also those of earlier versions; any other bytes are a flaw.

use super::*;
use base::msgpack;
use domain::attachment::{Attachment, ImageRef};
use domain::chat::ChatFact;
use domain::event::Fact;
use domain::group::{GroupFact, GroupKind, MentionAll, Settings};
use domain::ids::{MessageId, NameId};
use domain::likes::LikeChange;
use domain::message::{Author, Message, SystemMessage};
use domain::name::NameFact;
use domain::named::NamedUser;
use domain::reaction::Reaction;
use domain::revision::{Deleter, MessageState, Revision, RevisionKind, RevisionPolicy};
use domain::text::{Description, GroupName};
use domain::user::{Draft, ReadMark, UserFact};

mod alarms;
mod bans;
mod bots;
mod calendar;
mod conversation_list;
mod factors;
mod files;
mod guests;
mod identities;
mod invite_links;
mod mail;
mod message_requests;
mod notices;
mod operators;
mod permissions;
mod polls;
mod registration;
mod reports;
mod revisions;
mod rules;
mod saved;
mod scim;
mod tokens;
mod topics;
mod trailer;

fn message() -> Message {
    Message {
        id: MessageId::new(170_000_000_000_000_001),
        author: Author::Member(UserId::new(7)),
        name: "Ana".to_owned(),
        avatar: None,
        source_guid: "guid".to_owned(),
        text: Some("rope at six".to_owned()),
        attachments: Vec::new(),
        count: 3,
        line: None,
        written_at: None,
        parent: None,
        state: MessageState::default(),
    }
}

fn commit(stream: StreamId) -> Commit {
    let fact = Fact::Group(GroupFact::Posted(Arc::new(message())));
    let event = Arc::new(Event { at: Timestamp::from_millis(1_700_000_000_123), fact });
    Commit {
        stream,
        head: StreamHead { n: 41, token: 0xdead_beef },
        id: CommitId(0x0123_4567_89ab_cdef_0011_2233_4455_6677),
        at: Timestamp::from_millis(1_700_000_000_456),
        entries: vec![Entry::stored(event)],
    }
}

fn encode(stream: StreamId, at: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    RecordDraft::of(commit(stream), MAX_RECORD).unwrap().place(at, at - 100, &mut bytes);
    bytes
}

/// The record with another payload, and with length and checksum to match.
fn with_payload(record: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = [&record[..HEADER], payload].concat();
    let length = (bytes.len() - PREFIX) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    seal(&mut bytes);
    bytes
}

fn seal(bytes: &mut [u8]) {
    let crc = crc32c::crc32c(&bytes[PREFIX..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
}

#[test]
fn records_round_trip() {
    let pair = Pair::of(UserId::new(9), UserId::new(4)).unwrap();
    let streams = [
        StreamId::Group(GroupId::new(u64::MAX)),
        StreamId::User(UserId::new(0)),
        StreamId::Chat(pair),
        StreamId::Audit,
        StreamId::Instance,
        StreamId::Name(NameId::new([7; 16])),
    ];
    for stream in streams {
        let written = commit(stream);
        let bytes = encode(stream, 5000);
        let read = decode(&bytes, 5000).unwrap();
        assert_eq!((read.stream, read.id, read.at), (written.stream, written.id, written.at));
        assert_eq!((read.before, read.after.n), (written.head, 42));
        assert_eq!(read.entries[0].event, written.entries[0].event);
        assert_eq!(batch_start(&bytes, 5000), 4900);
        assert_eq!(decode(&bytes, 5001).unwrap_err(), Flaw::Misplaced(5000));
    }
}

/// A later version with more fields, in events and inside them, can run beside this one: every node
/// reads what any other wrote.
#[test]
fn fields_of_later_versions_are_passed_by() {
    fn bytes(value: impl Serialize) -> Vec<u8> {
        msgpack::to_vec(&value).unwrap()
    }
    fn with_one_more(mut fields: Vec<u8>) -> Vec<u8> {
        fields[0] += 1;
        [fields, bytes(vec!["later", "fields"])].concat()
    }
    let at = Timestamp::from_millis(1_700_000_000_123);
    // All fields that this version knows are set, so that the next one is new.
    let parent = Some(GroupId::new(8));
    let written = Message { written_at: Some(at), parent, ..message() };
    let message = with_one_more(bytes(&written));
    let fact = [&[0x81], &bytes("Group")[..], &[0x81], &bytes("Posted"), &message].concat();
    let event = with_one_more([&[0x92], &bytes(at)[..], &fact].concat());
    let stream = StreamId::Group(GroupId::new(7));
    let record = with_payload(&encode(stream, 5000), &[vec![0x91], event].concat());
    let read = decode(&record, 5000).unwrap();
    let fact = Fact::Group(GroupFact::Posted(Arc::new(written)));
    assert_eq!(*read.entries[0].event, Event { at, fact });
}

/// These bytes were written by the first version and must stay readable whatever changes.
#[test]
fn records_of_the_first_version_are_read() {
    let first: Vec<u8> = FIRST_RECORD.as_bytes().chunks(2).map(hex).collect();
    let read = decode(&first, 64).unwrap();
    let written = commit(StreamId::Group(GroupId::new(10_000_001)));
    assert_eq!((read.id, read.before, read.at), (written.id, written.head, written.at));
    assert_eq!(read.entries[0].event, written.entries[0].event);
}

fn hex(digits: &[u8]) -> u8 {
    u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()
}

const FIRST_RECORD: &str = "\
    8e0000003e8e5253400000000000000000000000016701008196980000000000000000000000000029000000\
    00000000efbeadde00000000c869e5cf8b0100007766554433221100efcdab89674523019192cf0000018bcf\
    e5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d62657207a3416e61c0a467\
    756964ab726f7065206174207369789003c0";

/// The first record of a name's stream: claimed, confirmed, released.
#[test]
fn records_of_the_first_names_are_read() {
    let first: Vec<u8> = FIRST_NAME.as_bytes().chunks(2).map(hex).collect();
    let stream = StreamId::Name(NameId::new(*b"0123456789abcdef"));
    let by = UserId::new(7);
    let facts = [
        NameFact::Claimed { by, number: 3 },
        NameFact::Confirmed { number: 3 },
        NameFact::Released { number: 3 },
    ];
    let at = Timestamp::from_millis(1_700_000_000_123);
    let entry = |fact| Entry::stored(Arc::new(Event { at, fact: Fact::Name(fact) }));
    let entries: Vec<Entry> = facts.into_iter().map(entry).collect();
    let mut today = Vec::new();
    let written = Commit { entries, ..commit(stream) };
    RecordDraft::of(written.clone(), MAX_RECORD).unwrap().place(64, 64, &mut today);
    let shown = |bytes: &[u8]| bytes.iter().map(|it| format!("{it:02x}")).collect::<String>();
    assert_eq!(shown(&today), shown(&first));
    let read = decode(&first, 64).unwrap();
    assert_eq!(read.stream, stream);
    let events = |entries: &[Entry]| entries.iter().map(|it| it.event.clone()).collect::<Vec<_>>();
    assert_eq!(events(&read.entries), events(&written.entries));
}

const FIRST_NAME: &str = "\
    9e0000008c03ab56400000000000000000000000016e03003736353433323130666564636261393829000000\
    00000000efbeadde00000000c869e5cf8b0100007766554433221100efcdab89674523019392cf0000018bcf\
    e5687b81a44e616d6581a7436c61696d656492070392cf0000018bcfe5687b81a44e616d6581a9436f6e6669\
    726d6564910392cf0000018bcfe5687b81a44e616d6581a852656c65617365649103";

/// The payload of a message that carries the time when it was written, since its id does not tell.
const WRITTEN_AT: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f737465649acf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f7065206174207369789003c0cf0000018bcfe5687b";

#[test]
fn golden_message_with_written_at_is_read() {
    let payload: Vec<u8> = WRITTEN_AT.as_bytes().chunks(2).map(hex).collect();
    let today = encode(StreamId::Group(GroupId::new(1)), 5000);
    let read = decode(&with_payload(&today, &payload), 5000).unwrap();
    let written_at = Some(Timestamp::from_millis(1_700_000_000_123));
    let expected = Message { written_at, ..message() };
    assert_eq!(read.entries[0].event.fact.message().map(|it| &**it), Some(&expected));
    assert_eq!(msgpack::to_vec(&[&*read.entries[0].event]).unwrap(), payload);
}

/// The first payload of pinned conversations.
const PINNED: &str = "\
    9192cf0000018bcfe5687b81a45573657281b3436f6e766572736174696f6e7350696e6e6564919281a547\
    726f7570ce0098968181a443686174920409";

#[test]
fn the_first_pinned_conversations_are_read() {
    let pair = Pair::of(UserId::new(9), UserId::new(4)).unwrap();
    let conversations = vec![GroupId::new(10_000_001).into(), pair.into()];
    let fact = Fact::User(UserFact::ConversationsPinned { conversations });
    is_golden(PINNED, StreamId::User(UserId::new(7)), &fact);
}

/// The first payload of a read mark that was set back.
const SET_BACK: &str = "\
    9192cf0000018bcfe5687b81a45573657281a8526561645570546f9481a547726f7570ce009896810502c3";

#[test]
fn the_first_marks_that_were_set_back_are_read() {
    let mark =
        ReadMark { is_set_back: true, ..ReadMark::forward(GroupId::new(10_000_001).into(), 5, 2) };
    is_golden(SET_BACK, StreamId::User(UserId::new(7)), &Fact::User(UserFact::ReadUpTo(mark)));
}

/// The first payload of a draft.
const DRAFTED: &str = "\
    9192cf0000018bcfe5687b81a45573657281a7447261667465649281a547726f7570ce0098968193a7726f7065\
    20617490cf0000018bcfe5687b";

#[test]
fn the_first_drafts_are_read() {
    let text = "rope at".to_owned();
    let at = Timestamp::from_millis(1_700_000_000_123);
    let draft = Draft { text, attachments: Vec::new(), at };
    let fact = Fact::User(UserFact::Drafted { conv: GroupId::new(10_000_001).into(), draft });
    is_golden(DRAFTED, StreamId::User(UserId::new(7)), &fact);
}

/// The first payload of a message with an `@online` mention, which lists who is here, and with a
/// reply that names whom it answers.
const ADDRESSED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f7065206174207369789281a84d656e74696f6e739391a66f6e6c696e\
    6591920004910981a55265706c7993a135a134a13903c0";

#[test]
fn golden_first_mentions_and_replies_are_read() {
    let mentions = Attachment::Mentions {
        user_ids: vec!["online".to_owned()],
        loci: vec![vec![0, 4]],
        here: vec![UserId::new(9)],
    };
    let reply = Attachment::Reply {
        reply_id: "5".to_owned(),
        base_reply_id: "4".to_owned(),
        user_id: Some("9".to_owned()),
    };
    let posted = Message { attachments: vec![mentions, reply], ..message() };
    let posted = Fact::Group(GroupFact::Posted(Arc::new(posted)));
    is_golden(ADDRESSED, StreamId::Group(GroupId::new(1)), &posted);
}

/// Mentions and replies as versions stored them that did not resolve them yet.
#[derive(Serialize)]
enum OldAttachment {
    Mentions(Vec<String>, Vec<Vec<i64>>),
    Reply(String, String),
}

#[test]
fn golden_unchecked_mentions_and_replies_are_read() {
    let mentions = OldAttachment::Mentions(vec!["7".to_owned()], vec![vec![0, 4]]);
    let old = [mentions, OldAttachment::Reply("5".to_owned(), "4".to_owned())];
    let read: Vec<Attachment> = msgpack::from_slice(&msgpack::to_vec(&old).unwrap()).unwrap();
    assert!(read[0].mentions().is_some_and(|it| it.names("7") && it.here.is_empty()));
    assert!(read[1].reply().is_some_and(|it| it.base_reply_id == "4" && it.user_id.is_none()));
}

/// The first payload of a like with an emoji of its own.
const REACTED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a54c696b656495cf025bf6196bd1000181a64d656d6265720709\
    cf0000018bcfe5687b81a7556e69636f646591a4f09f94a5";

/// The payload of a like from before likes could have an emoji.
const LIKED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a54c696b656494cf025bf6196bd1000181a64d656d6265720709\
    cf0000018bcfe5687b";

#[test]
fn golden_reactions_are_read_and_likes_are_hearts() {
    let liked = |reaction| {
        let message = message().id;
        let author = Author::Member(UserId::new(7));
        let liked_at = Timestamp::from_millis(1_700_000_000_123);
        let change = LikeChange { message, author, by: UserId::new(9), liked_at, reaction };
        Fact::Group(GroupFact::Liked(change))
    };
    let stream = StreamId::Group(GroupId::new(1));
    is_golden(REACTED, stream, &liked(Reaction::emoji("🔥").unwrap()));
    is_golden(LIKED, stream, &liked(Reaction::default()));
}

/// The settings of a group as they were before messages could be revised.
#[derive(Serialize)]
struct OldSettings(GroupName, Option<Description>, Option<ImageRef>, bool, Option<String>);

#[test]
fn golden_old_settings_allow_revision() {
    let name = GroupName::parse("Climbers".to_owned()).unwrap();
    let old = msgpack::to_vec(&OldSettings(name.clone(), None, None, true, None)).unwrap();
    let read: Settings = msgpack::from_slice(&old).unwrap();
    assert_eq!((read.name, read.kind), (name, GroupKind::Closed));
    assert_eq!(read.revising, RevisionPolicy::OPEN);
    assert_eq!(read.mention_all, MentionAll::Admins);
}

/// Checks that a fact's first payload is read as this fact, and that encoding the fact today gives
/// the same payload.
fn is_golden(payload: &str, stream: StreamId, fact: &Fact) {
    let payload: Vec<u8> = payload.as_bytes().chunks(2).map(hex).collect();
    let event = Event { at: Timestamp::from_millis(1_700_000_000_123), fact: fact.clone() };
    let today = msgpack::to_vec(&[event]).unwrap();
    let shown = |bytes: &[u8]| bytes.iter().map(|it| format!("{it:02x}")).collect::<String>();
    assert_eq!(shown(&today), shown(&payload));
    let read = decode(&with_payload(&encode(stream, 5000), &payload), 5000).unwrap();
    assert_eq!(read.entries[0].event.fact, *fact);
}

/// A message as stored before system messages had a structured `line`.
#[derive(Serialize)]
struct OldMessage(
    MessageId,
    Author,
    String,
    Option<ImageRef>,
    String,
    String,
    Vec<Attachment>,
    u64,
);
#[derive(Serialize)]
struct OldEvent(Timestamp, OldFact);
#[derive(Serialize)]
enum OldFact {
    Group(OldGroupFact),
}
#[derive(Serialize)]
enum OldGroupFact {
    Posted(OldMessage),
}

#[test]
fn a_record_from_before_a_field_existed_is_read() {
    let Message { id, author, name, avatar, source_guid, text, attachments, count, .. } = message();
    let text = text.unwrap();
    let old = OldMessage(id, author, name, avatar, source_guid, text, attachments, count);
    let fact = OldFact::Group(OldGroupFact::Posted(old));
    let event = OldEvent(Timestamp::from_millis(1_700_000_000_123), fact);
    let payload = msgpack::to_vec(&[event]).unwrap();
    let stream = StreamId::Group(GroupId::new(1));
    let today = encode(stream, 5000);
    assert!(payload.len() < today.len() - HEADER);
    let read = decode(&with_payload(&today, &payload), 5000).unwrap();
    assert_eq!(read.entries[0].event, commit(stream).entries[0].event);
}

#[test]
fn a_later_version_is_named() {
    let mut bytes = encode(StreamId::Group(GroupId::new(1)), 5000);
    bytes[20] = 9;
    seal(&mut bytes);
    let flaw = decode(&bytes, 5000).unwrap_err();
    assert_eq!(flaw.to_string(), "its payload version 9 is unknown to this version of the server");
}

#[test]
fn random_bytes_are_flaws_not_panics() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let whole = encode(StreamId::Group(GroupId::new(1)), 5000);
    for _ in 0..20_000 {
        let mut spoiled = whole.clone();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(20..whole.len());
            spoiled[at] = random.u8(..);
        }
        // The checksum is made to fit, so that the checks behind it are reached.
        seal(&mut spoiled);
        drop(decode(&spoiled, 5000));
    }
    for length in 0..whole.len() {
        assert_eq!(decode(&whole[..length], 5000).unwrap_err(), Flaw::Cut);
    }
}
