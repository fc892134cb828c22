//! Tools print names from old journals so that they change neither the terminal nor the lines.

use std::path::Path;
use std::sync::Arc;

use coterie::domain::event::{Entry, Event, Fact};
use coterie::domain::ids::{StreamId, UserId};
use coterie::domain::time::Timestamp;
use coterie::domain::user::{Profile, UserFact};
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::{Commit, CommitId, Cursor, Journal, Outcome};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::Program;
use crate::tools::{adds, tool};

/// A name as servers stored it before they checked names.
const NAME: &str = "x\u{1b}[2J\nFAKE\u{202e}\u{9b}2J";
/// An email address of the same time.
const EMAIL: &str = "ana\u{202e}\u{85}@example.org";

/// Writes a profile with [`NAME`] into the journal of a stopped server.
fn is_renamed(data: &Path, user: UserId) {
    let options = JournalOptions::default();
    let (journal, _) = FileJournal::open(&data.join("journal"), options).unwrap();
    let stream = StreamId::User(user);
    let commits = journal.scan(Cursor::START, 1 << 20).unwrap().commits;
    let last = commits.iter().rfind(|it| it.stream == stream).unwrap();
    let profile: Profile =
        serde_json::from_value(json!({"name": NAME, "email": EMAIL, "phone": null,
            "image": null, "zip_code": null}))
        .unwrap();
    let fact = Fact::User(UserFact::ProfileChanged { profile });
    let at = Timestamp::from_millis(1_800_000_000_000);
    let entries = vec![Entry::stored(Arc::new(Event { at, fact }))];
    let commit = Commit { stream, head: last.after, id: CommitId(7), at, entries };
    assert!(matches!(journal.submit(commit).unwrap().wait(), Outcome::Committed(_)));
}

#[test]
fn tools_escape_names_of_old_journals() {
    let data = TempDir::new().unwrap();
    let id = adds(data.path(), "Ana", "ana@example.org");
    is_renamed(data.path(), UserId::new(id.parse().unwrap()));
    for place in ["beside a running server", "with a stopped one"] {
        let program =
            (place == "beside a running server").then(|| Program::starts(data.path(), &[]));
        let list = tool(data.path(), &["user", "list"]).fine();
        let audit = tool(data.path(), &["audit"]).fine();
        for printed in [&list, &audit] {
            let is_plain = |sign: char| !sign.is_control() && sign != '\u{202e}';
            assert!(printed.lines().all(|line| line.chars().all(is_plain)), "{place}: {printed:?}");
        }
        assert!(list.contains(r"ana\u{202e}\u{85}@example.org"), "{place}: {list:?}");
        assert!(list.contains(r"x\u{1b}[2J\nFAKE\u{202e}\u{9b}2J"), "{place}: {list:?}");
        assert_eq!(list.lines().count(), 1, "{place}: {list:?}");
        let json = tool(data.path(), &["user", "list", "--json"]).fine();
        assert!(!json.contains(['\u{202e}', '\u{9b}']), "{place}: {json:?}");
        let user: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&user["name"], &user["email"]), (&json!(NAME), &json!(EMAIL)), "{place}");
        drop(program);
    }
}
