//! The first record of an arranged list of conversations.

use super::*;
use domain::ids::Pair;
use domain::user::Folder;

/// The first payload with a pin and a folder, and the first of an empty list.
const ARRANGED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ac4c697374417272616e676564929181a547726f7570ce00989681\
    9192a4576f726b9281a44368617492040981a547726f7570ce00989681";
const EMPTIED: &str = "9192cf0000018bcfe5687b81a45573657281ac4c697374417272616e676564929090";

#[test]
fn the_first_arranged_lists_are_read() {
    let stream = StreamId::User(UserId::new(7));
    let pair = Pair::of(UserId::new(9), UserId::new(4)).unwrap();
    let group = GroupId::new(10_000_001).into();
    let folder = Folder { name: "Work".to_owned(), conversations: vec![pair.into(), group] };
    for (payload, pinned, folders) in
        [(ARRANGED, vec![group], vec![folder]), (EMPTIED, Vec::new(), Vec::new())]
    {
        is_golden(payload, stream, &Fact::User(UserFact::ListArranged { pinned, folders }));
    }
}
