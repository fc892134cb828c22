//! Records of files, as they were written first.

use super::*;
use crate::domain::file::{AttachedFile, FileId};

/// The payload of the first file, a recording.
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
