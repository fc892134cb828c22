//! The first records of files.

use super::*;
use domain::attachment::ImageHints;
use domain::file::{AttachedFile, FileId};

/// The first payload of a message with a file that has a duration.
const WITH_A_FILE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f7065206174207369789181a446696c6597d920616261626162616261\
    6261626162616261626162616261626162616261626162a8706c616e2e7478740baa746578742f706c6169\
    6ed94063646364636463646364636463646364636463646364636463646364636463646364636463646364\
    636463646364636463646364636463646364636463646364070903c0";

#[test]
fn the_first_files_are_read() {
    let file = AttachedFile {
        id: FileId::new([0xab; 16]),
        name: "plan.txt".to_owned(),
        size: 11,
        mime_type: "text/plain".to_owned(),
        digest: "cd".repeat(32),
        owner: Some(UserId::new(7)),
        duration: Some(9),
    };
    let posted = Message { attachments: vec![Attachment::File(file)], ..message() };
    let posted = Fact::Group(GroupFact::Posted(Arc::new(posted)));
    is_golden(WITH_A_FILE, StreamId::Group(GroupId::new(1)), &posted);
}

/// The first payload of a message with a video.
const WITH_A_VIDEO: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f7065206174207369789181a5566964656f93d92c2f76332f66696c65\
    732f312f616261626162616261626162616261626162616261626162616261626162616296d92061626162\
    61626162616261626162616261626162616261626162616261626162a877616c6c2e6d70340ba976696465\
    6f2f6d7034d940636463646364636463646364636463646364636463646364636463646364636463646364\
    6364636463646364636463646364636463646364636463646364636407d9302f696d616765732f3978392e\
    706e672e303132333435363738396162636465663031323334353637383961626364656603c0";

#[test]
fn the_first_videos_are_read() {
    let id = FileId::new([0xab; 16]);
    let path = format!("/v3/files/1/{id}");
    let file = AttachedFile {
        id,
        name: "wall.mp4".to_owned(),
        size: 11,
        mime_type: "video/mp4".to_owned(),
        digest: "cd".repeat(32),
        owner: Some(UserId::new(7)),
        duration: None,
    };
    let preview = ImageRef::from_path("/images/9x9.png.0123456789abcdef0123456789abcdef").unwrap();
    let video = Attachment::Video { path, file, preview, blur_hash: None };
    let posted = Message { attachments: vec![video], ..message() };
    let posted = Fact::Group(GroupFact::Posted(Arc::new(posted)));
    is_golden(WITH_A_VIDEO, StreamId::Group(GroupId::new(1)), &posted);
}

/// The first payload of a message with an image that has hints, and one without.
#[test]
fn images_with_and_without_hints_are_read_back() {
    let url = ImageRef::from_path("/images/9x9.png.0123456789abcdef0123456789abcdef").unwrap();
    let hints = |source_url: Option<&str>, blur_hash: Option<&str>| {
        let [source_url, blur_hash] = [source_url, blur_hash].map(|it| it.map(str::to_owned));
        Some(Box::new(ImageHints { source_url, blur_hash }))
    };
    let all = [None, hints(Some("https://a.example/"), None), hints(None, Some("LEHV6n"))];
    let attachments = all.map(|hints| Attachment::Image { url: url.clone(), hints }).to_vec();
    let packed = base::msgpack::to_vec(&attachments).unwrap();
    assert_eq!(base::msgpack::from_slice::<Vec<Attachment>>(&packed).unwrap(), attachments);
}

/// The first payload of the name of an image that an id was given for.
const PICTURE_NAMED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ac506963747572654e616d656492d920616261626162616261\
    6261626162616261626162616261626162616261626162d9302f696d616765732f3978392e706e672e3031\
    323334353637383961626364656630313233343536373839616263646566";

#[test]
fn golden_names_of_pictures_are_read() {
    let image = ImageRef::from_path("/images/9x9.png.0123456789abcdef0123456789abcdef").unwrap();
    let named = UserFact::PictureNamed { picture: FileId::new([0xab; 16]), image };
    is_golden(PICTURE_NAMED, StreamId::User(UserId::new(7)), &Fact::User(named));
}
