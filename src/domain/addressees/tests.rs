//! Mentions and replies, in the specified form and as clients from before the specification send
//! them.

use super::*;
use crate::message::Author;
use crate::revision::Deleter;
use crate::time::Timestamp;

const ANA: UserId = UserId::new(1);
const BEN: UserId = UserId::new(2);

/// A conversation of Ana and Ben.
struct Both;

impl Participants for Both {
    fn includes(&self, user: UserId) -> bool {
        user == ANA || user == BEN
    }
}

pub(crate) fn context<'a>(answered: Option<&'a Message>, here: &'a [UserId]) -> AddressContext<'a> {
    AddressContext { people: &Both, may_mention_all: true, answered, here }
}

fn mention(user_ids: &[&str], loci: &[[i64; 2]]) -> Attachment {
    let user_ids = user_ids.iter().map(|it| (*it).to_owned()).collect();
    let loci = loci.iter().map(|it| it.to_vec()).collect();
    Attachment::Mentions { user_ids, loci, here: Vec::new() }
}

fn reply_to(id: &str, base: &str) -> Attachment {
    let reply_id = id.to_owned();
    let base_reply_id = base.to_owned();
    Attachment::Reply { reply_id, base_reply_id, user_id: None }
}

fn said(
    attachment: Attachment,
    text: &str,
    form: AddressForm,
) -> Result<Vec<Attachment>, AddressRefusal> {
    check_attachments(vec![attachment], Some(text), form, &context(None, &[]))
}

fn answering(
    answered: &Message,
    base: &str,
    form: AddressForm,
) -> Result<Vec<Attachment>, AddressRefusal> {
    let reply = reply_to(&answered.id.to_string(), base);
    check_attachments(vec![reply], Some("yes"), form, &context(Some(answered), &[]))
}

fn rope() -> Message {
    Message { author: Author::Member(BEN), ..Message::unlogged(MessageId::new(70)) }
}

#[test]
fn mentions_name_members_at_places_in_the_text() {
    let good = mention(&["2", "all"], &[[0, 4], [5, 0]]);
    assert_eq!(said(good.clone(), "🔥Ben!", AddressForm::Specified), Ok(vec![good]));
    for (wrong, refusal) in [
        (mention(&["3"], &[[0, 1]]), AddressRefusal::NotHere),
        (mention(&["-1"], &[[0, 1]]), AddressRefusal::NotHere),
        (mention(&[], &[]), AddressRefusal::NotHere),
        (mention(&["2"], &[[0, 6]]), AddressRefusal::Outside),
        (mention(&["2"], &[[-1, 2]]), AddressRefusal::Outside),
        (mention(&["2"], &[]), AddressRefusal::Outside),
        (mention(&["2"], &[[i64::MAX, i64::MAX]]), AddressRefusal::Outside),
    ] {
        assert_eq!(said(wrong, "🔥Ben!", AddressForm::Specified), Err(refusal));
    }
}

#[test]
fn older_reply_attachments_are_completed() {
    // The fire emoji is two UTF-16 units and one character.
    let sent = mention(&["3", "2", "-1", "1"], &[[0, 2], [2, 3], [2, 99], [1, 1]]);
    let kept = mention(&["2", "all", "1"], &[[1, 3], [1, 4], [0, 1]]);
    assert_eq!(said(sent, "🔥Ben!", AddressForm::Compatible), Ok(vec![kept]));
    let bare = mention(&["2"], &[]);
    assert_eq!(
        said(bare, "Ben", AddressForm::Compatible),
        Ok(vec![mention(&["2"], &[[0, 0]])]),
        "places that are missing are the beginning"
    );
    assert_eq!(said(mention(&["3"], &[[0, 1]]), "x", AddressForm::Compatible), Ok(vec![]));
    let alone = check_attachments(
        vec![mention(&["3"], &[])],
        None,
        AddressForm::Compatible,
        &context(None, &[]),
    );
    assert_eq!(alone, Err(AddressRefusal::Empty));
}

#[test]
fn places_read_back_in_the_units_in_which_they_came() {
    let loci = [vec![1, 3], vec![0, 1], vec![0, 5]];
    assert_eq!(to_utf16_loci("🔥Ben!", &loci), [vec![2, 3], vec![0, 2], vec![0, 6]]);
}

#[test]
fn mention_all_requires_permission() {
    for word in [EVERYBODY, EVERYBODY_ONLINE] {
        let may_not = AddressContext { may_mention_all: false, ..context(None, &[]) };
        let asked = vec![mention(&[word], &[[0, 1]])];
        let refused = check_attachments(asked, Some("x"), AddressForm::Specified, &may_not);
        assert_eq!(refused, Err(AddressRefusal::NotEverybody));
    }
    let here = [BEN];
    let asked = vec![mention(&[EVERYBODY_ONLINE], &[[0, 1]])];
    let kept =
        check_attachments(asked, Some("x"), AddressForm::Specified, &context(None, &here)).unwrap();
    let addressed = Addressed::of(&kept, Some(ANA));
    assert!(addressed.is_for(BEN) && !addressed.is_for(ANA) && !addressed.everybody);
}

#[test]
fn reply_has_thread_and_addressee() {
    let first = rope();
    let kept = answering(&first, "70", AddressForm::Specified).unwrap();
    let reply = kept[0].reply().unwrap();
    assert_eq!((reply.base_reply_id, reply.user_id), ("70", Some("2")));
    assert!(Addressed::of(&kept, Some(ANA)).is_for(BEN));
    assert!(Addressed::of(&kept, Some(BEN)).is_nobody(), "nobody is notified by their own message");

    let second = Message { attachments: kept, ..Message::unlogged(MessageId::new(80)) };
    for base in ["80", "70"] {
        let kept = answering(&second, base, AddressForm::Specified).unwrap();
        assert_eq!(kept[0].reply().unwrap().base_reply_id, "70");
    }
    let wrong = answering(&second, "60", AddressForm::Specified);
    assert_eq!(wrong, Err(AddressRefusal::Base));
    let corrected = answering(&second, "60", AddressForm::Compatible).unwrap();
    assert_eq!(corrected[0].reply().unwrap().base_reply_id, "70");
}

#[test]
fn reply_to_missing_or_deleted_message_is_refused() {
    let nothing = |form| said(reply_to("71", "71"), "yes", form);
    assert_eq!(nothing(AddressForm::Specified), Err(AddressRefusal::NoMessage));
    assert_eq!(nothing(AddressForm::Compatible), Ok(vec![]));
    let mut deleted = rope();
    deleted.forget((Timestamp::from_seconds(9), Deleter::Sender));
    let refused = answering(&deleted, "70", AddressForm::Compatible);
    assert_eq!(refused, Err(AddressRefusal::Deleted));
    let twice = vec![reply_to("70", "70"); 2];
    let refused =
        check_attachments(twice, None, AddressForm::Specified, &context(Some(&rope()), &[]));
    assert_eq!(refused, Err(AddressRefusal::TwoReplies));
}

#[test]
fn edit_keeps_or_drops_the_reply() {
    let kept = answering(&rope(), "70", AddressForm::Specified).unwrap();
    let message = Message { attachments: kept.clone(), ..Message::unlogged(MessageId::new(80)) };
    let edited = |attachments, form| {
        check_edited_attachments(&message, attachments, Some("yes"), form, &context(None, &[]))
    };
    assert_eq!(edited(vec![reply_to("70", "70")], AddressForm::Specified), Ok(kept));
    assert_eq!(edited(vec![], AddressForm::Specified), Ok(vec![]));
    let moved = edited(vec![reply_to("71", "71")], AddressForm::Specified);
    assert_eq!(moved, Err(AddressRefusal::Moved));
    assert_eq!(edited(vec![reply_to("71", "71")], AddressForm::Compatible), Ok(vec![]));
}

#[test]
fn places_stay_inside_of_a_text_that_becomes_shorter() {
    let kept = fit_mentions_to_text(&[mention(&["2"], &[[4, 3]])], Some("hello"));
    assert_eq!(kept, [mention(&["2"], &[[4, 1]])]);
    assert_eq!(fit_mentions_to_text(&kept, None), [mention(&["2"], &[[0, 0]])]);
}
