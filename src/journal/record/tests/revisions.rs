//! The first records of revised messages.

use super::*;
use domain::previews::LinkPreview;

fn revision(kind: RevisionKind) -> Arc<Revision> {
    Arc::new(Revision { message: message().id, by: Author::Member(UserId::new(7)), kind })
}

/// The first payloads of link previews, and of an edit that kept one.
const PREVIEWED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a75265766973656493cf025bf6196bd1000181a64d656d62\
    65720781a9507265766965776564919294b268747470733a2f2f612e6578616d706c652fa6412070616765\
    c0d9302f696d616765732f3278332e706e672e303132333435363738396162636465663031323334353637\
    383961626364656694b268747470733a2f2f612e6578616d706c652fa6412070616765a541626f7574d930\
    2f696d616765732f3278332e706e672e303132333435363738396162636465663031323334353637383961\
    6263646566";
const EDITED_WITH_PREVIEWS: &str = "\
    9192cf0000018bcfe5687b81a44368617481a75265766973656493cf025bf6196bd1000181a64d656d6265\
    720781a645646974656493b268747470733a2f2f612e6578616d706c652f909194b268747470733a2f2f61\
    2e6578616d706c652fa6412070616765c0d9302f696d616765732f3278332e706e672e3031323334353637\
    383961626364656630313233343536373839616263646566";

#[test]
fn the_first_previews_are_read() {
    let preview = |description: Option<&str>| LinkPreview {
        url: "https://a.example/".to_owned(),
        title: "A page".to_owned(),
        description: description.map(str::to_owned),
        image: ImageRef::from_path("/images/2x3.png.0123456789abcdef0123456789abcdef"),
    };
    let previews = vec![preview(None), preview(Some("About"))];
    let previewed = revision(RevisionKind::Previewed { previews });
    let group = StreamId::Group(GroupId::new(1));
    is_golden(PREVIEWED, group, &Fact::Group(GroupFact::Revised(previewed)));
    let text = Some("https://a.example/".to_owned());
    let previews = vec![preview(None)];
    let edited = revision(RevisionKind::Edited { text, attachments: Vec::new(), previews });
    let pair = Pair::of(UserId::new(9), UserId::new(4)).unwrap();
    is_golden(EDITED_WITH_PREVIEWS, StreamId::Chat(pair), &Fact::Chat(ChatFact::Revised(edited)));
}

/// The first payload of an edit.
const EDITED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a75265766973656493cf025bf6196bd1000181a64d656d62\
    65720781a645646974656492ad726f706520617420736576656e9181a553706c697491a174";

/// The first payload of a deletion.
const DELETED: &str = "\
    9192cf0000018bcfe5687b81a44368617481a75265766973656493cf025bf6196bd1000181a64d656d6265\
    720781a744656c6574656491a653656e646572";

/// The first payload of a deletion by an operator.
const REMOVED: &str = "\
    9192cf0000018bcfe5687b81a44368617481a75265766973656493cf025bf6196bd10001a653797374656d81a7\
    44656c6574656491a653797374656d";

#[test]
fn the_first_revisions_are_read() {
    let attachments = vec![Attachment::Split { token: "t".to_owned() }];
    let edited = RevisionKind::Edited {
        text: Some("rope at seven".to_owned()),
        attachments,
        previews: Vec::new(),
    };
    let edited = Fact::Group(GroupFact::Revised(revision(edited)));
    is_golden(EDITED, StreamId::Group(GroupId::new(1)), &edited);
    let deleted = RevisionKind::Deleted { actor: Deleter::Sender };
    let deleted = Fact::Chat(ChatFact::Revised(revision(deleted)));
    let pair = Pair::of(UserId::new(9), UserId::new(4)).unwrap();
    is_golden(DELETED, StreamId::Chat(pair), &deleted);
    let kind = RevisionKind::Deleted { actor: Deleter::System };
    let removed = Revision { message: revision(kind.clone()).message, by: Author::System, kind };
    let removed = Fact::Chat(ChatFact::Revised(Arc::new(removed)));
    is_golden(REMOVED, StreamId::Chat(pair), &removed);
}

/// The first payload of a pin.
const PINNED_MESSAGE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a75265766973656493cf025bf6196bd1000181a64d656d626572\
    07a650696e6e6564";

/// The first payload of a pin that was taken away.
const UNPINNED_MESSAGE: &str = "\
    9192cf0000018bcfe5687b81a44368617481a75265766973656493cf025bf6196bd1000181a64d656d62657207\
    a8556e70696e6e6564";

/// The first payload of the system message about a pin.
const PIN_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d62657207\
    a3416e61c0a467756964ab726f706520617420736978900381ad4d65737361676550696e6e6564949207a3416e\
    61cf025bf6196bd10001c3cf0000018bcfe5687b";

#[test]
fn the_first_pins_are_read() {
    let group = StreamId::Group(GroupId::new(1));
    let pinned = Fact::Group(GroupFact::Revised(revision(RevisionKind::Pinned)));
    is_golden(PINNED_MESSAGE, group, &pinned);
    let pair = Pair::of(UserId::new(9), UserId::new(4)).unwrap();
    let unpinned = Fact::Chat(ChatFact::Revised(revision(RevisionKind::Unpinned)));
    is_golden(UNPINNED_MESSAGE, StreamId::Chat(pair), &unpinned);
    let line = SystemMessage::MessagePinned {
        user: NamedUser { id: UserId::new(7), name: "Ana".to_owned() },
        message: message().id,
        is_pinned: true,
        at: Timestamp::from_millis(1_700_000_000_123),
    };
    let line = Message { attachments: Vec::new(), line: Some(line), ..message() };
    is_golden(PIN_LINE, group, &Fact::Group(GroupFact::Posted(Arc::new(line))));
}
