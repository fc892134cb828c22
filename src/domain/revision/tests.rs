//! Editing, deleting and previewing: who may, until when, and what remains.

use super::*;
use crate::addressees::tests::context;

const ANA: UserId = UserId::new(1);
const BEN: UserId = UserId::new(2);
/// The Unix second in which the message of the tests was written.
const THEN: u64 = 1_700_000_000;

fn rope() -> Message {
    let id = MessageId::new(THEN * 100_000_000);
    Message {
        author: Author::Member(ANA),
        text: Some("rope at six".to_owned()),
        ..Message::unlogged(id)
    }
}

fn who(user: UserId, is_admin: bool) -> Reviser {
    Reviser { author: Author::Member(user), is_admin }
}

fn says(text: &str) -> MessageChange {
    let text = MessageText::parse(text.to_owned()).unwrap();
    MessageChange { text: Some(Some(text)), ..MessageChange::default() }
}

const fn after(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(THEN + seconds)
}

fn edit(by: &Reviser, policy: RevisionPolicy, seconds: u64) -> Result<(), RevisionRefusal> {
    let edited =
        rope().edit(by, says("rope at seven"), (&policy, &context(None, &[])), after(seconds))?;
    assert!(edited.is_some());
    Ok(())
}

fn delete(by: &Reviser, policy: RevisionPolicy, seconds: u64) -> Result<Deleter, RevisionRefusal> {
    match rope().delete(by, &policy, after(seconds))?.unwrap().kind {
        RevisionKind::Deleted { actor } => Ok(actor),
        RevisionKind::Edited { .. }
        | RevisionKind::Pinned
        | RevisionKind::Unpinned
        | RevisionKind::Previewed { .. } => panic!("it was to be deleted"),
    }
}

#[test]
fn only_the_sender_edits_and_only_in_time() {
    let usual = RevisionPolicy::default();
    assert_eq!(edit(&who(ANA, false), usual, 1 << 30), Ok(()));
    assert_eq!(edit(&who(BEN, true), usual, 0), Err(RevisionRefusal::NotTheSender));
    let minutes = |edit_minutes| RevisionPolicy { edit_minutes, ..usual };
    assert_eq!(edit(&who(ANA, true), minutes(15), 900), Ok(()));
    assert_eq!(edit(&who(ANA, true), minutes(15), 901), Err(RevisionRefusal::NoEditing));
    assert_eq!(edit(&who(ANA, true), minutes(0), 0), Err(RevisionRefusal::NoEditing));
}

#[test]
fn edit_keeps_other_fields_and_some_content() {
    let ana = who(ANA, false);
    let policy = RevisionPolicy::default();
    let place = Attachment::Split { token: "t".to_owned() };
    let carrying = Message { attachments: vec![place.clone()], ..rope() };
    let change = says("rope at seven");
    let edited =
        carrying.edit(&ana, change, (&policy, &context(None, &[])), after(5)).unwrap().unwrap();
    let edited = carrying.revised(&edited, after(5));
    assert_eq!(edited.text.as_deref(), Some("rope at seven"));
    assert_eq!(edited.attachments, [place]);
    assert_eq!((edited.created_at(), edited.updated_at()), (THEN, THEN + 5));
    let nothing = MessageChange {
        text: Some(None),
        attachments: Some(Vec::new()),
        ..MessageChange::default()
    };
    assert_eq!(
        carrying.edit(&ana, nothing, (&policy, &context(None, &[])), after(5)),
        Err(RevisionRefusal::Empty)
    );
    let same = rope().edit(&ana, says("rope at six"), (&policy, &context(None, &[])), after(5));
    assert_eq!(same, Ok(None));
}

#[test]
fn deletion_follows_group_settings() {
    let usual = RevisionPolicy::default();
    let ana = who(ANA, false);
    let ben = who(BEN, true);
    assert_eq!(delete(&ana, usual, 1 << 30), Ok(Deleter::Sender));
    assert_eq!(delete(&ben, usual, 1 << 30), Ok(Deleter::Admin));
    let refused = Err(RevisionRefusal::NoDeleting);
    assert_eq!(delete(&who(BEN, false), usual, 0), refused);
    let short = RevisionPolicy { delete_seconds: 60, ..usual };
    assert_eq!(delete(&ana, short, 60), Ok(Deleter::Sender));
    assert_eq!(delete(&ana, short, 61), refused);
    assert_eq!(delete(&who(ANA, true), short, 61), Ok(Deleter::Admin));
    let nobody = RevisionPolicy { by_sender: false, by_admin: false, ..usual };
    assert_eq!((delete(&ana, nobody, 0), delete(&ben, nobody, 0)), (refused.clone(), refused));
}

#[test]
fn deleted_message_has_no_content() {
    let ana = who(ANA, false);
    let policy = RevisionPolicy::default();
    let deletion = rope().delete(&ana, &policy, after(9)).unwrap().unwrap();
    let left = rope().revised(&deletion, after(9));
    assert_eq!((left.text.as_ref(), left.attachments.len()), (None, 0));
    assert_eq!(left.state.deleted, Some((after(9), Deleter::Sender)));
    assert_eq!((left.id, &left.name), (rope().id, &rope().name));
    assert_eq!(left.delete(&ana, &policy, after(10)), Ok(None));
    let edited = left.edit(&ana, says("again"), (&policy, &context(None, &[])), after(10));
    assert_eq!(edited, Err(RevisionRefusal::Deleted));
}

#[test]
fn system_messages_cannot_be_revised() {
    let line = Message { author: Author::System, ..rope() };
    let system = Reviser { author: Author::System, is_admin: true };
    let policy = RevisionPolicy::default();
    assert_eq!(line.delete(&system, &policy, after(0)), Err(RevisionRefusal::NoDeleting));
    let edited = line.edit(&system, says("no"), (&policy, &context(None, &[])), after(0));
    assert_eq!(edited, Err(RevisionRefusal::NotTheSender));
}

const NOW: Timestamp = Timestamp::from_seconds(9);

fn linked(text: &str) -> Message {
    Message { text: Some(text.to_owned()), ..Message::silent_by(UserId::new(1), 1, 1) }
}

fn page_at(url: &str) -> LinkPreview {
    let title = format!("The page {url}");
    LinkPreview { url: url.to_owned(), title, description: None, image: None }
}

fn rewritten(message: &Message, text: &str) -> Message {
    let previews = previews_of(Some(text), &[], &message.state.previews);
    let text = Some(text.to_owned());
    let attachments = Vec::new();
    let kind = RevisionKind::Edited { text, attachments, previews };
    let by = message.author.clone();
    message.revised(&Revision { message: message.id, by, kind }, NOW)
}

#[test]
fn previews_follow_link_order_and_are_sent_once() {
    let message = linked("see http://a and http://b");
    let first = message.preview(&[page_at("http://b"), page_at("http://elsewhere")]).unwrap();
    let message = message.revised(&first, NOW);
    assert_eq!(message.state.previews, [page_at("http://b")]);
    assert_eq!(message.state.edits, 0, "nobody edited it");
    assert_eq!(message.updated_at(), linked("").updated_at(), "it says what it said");
    let second = message.preview(&[page_at("http://a")]).unwrap();
    let message = message.revised(&second, NOW);
    assert_eq!(message.state.previews, [page_at("http://a"), page_at("http://b")]);
    assert_eq!(message.preview(&[page_at("http://b")]), None);
}

#[test]
fn a_preview_goes_with_its_link_and_stays_with_it() {
    let message = linked("see http://a and http://b");
    let both = message.preview(&[page_at("http://a"), page_at("http://b")]).unwrap();
    let message = message.revised(&both, NOW);
    let without = rewritten(&message, "see http://b instead");
    assert_eq!(without.state.previews, [page_at("http://b")]);
    assert_eq!(rewritten(&without, "see http://a").state.previews, []);
}

#[test]
fn deleted_and_system_messages_have_no_previews() {
    let message = linked("see http://a");
    let found = [page_at("http://a")];
    let shown = message.revised(&message.preview(&found).unwrap(), NOW);
    let kind = RevisionKind::Deleted { actor: Deleter::Sender };
    let gone = Revision { message: message.id, by: message.author.clone(), kind };
    let deleted = shown.revised(&gone, NOW);
    assert_eq!((deleted.preview(&found), deleted.state.previews), (None, Vec::new()));
    let line = Message { author: Author::System, ..message };
    assert_eq!(line.preview(&found), None);
}
