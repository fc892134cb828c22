//! `coterie check` and `coterie rebuild`.

use std::fs;
use std::path::{Path, PathBuf};

use coterie::index::sled_index::SledRows;
use coterie::index::{Flow, Rows, Walk};
use serde_json::json;
use tempfile::TempDir;

use crate::person::{Person, png, starts};
use crate::tools::tool;

/// Makes the data of a stopped server with some history; returns the user who made it.
pub(crate) async fn history(data: &Path) -> Person {
    let program = starts(data);
    let ana = Person::registered(&program).await;
    for name in ["Climbers", "Divers"] {
        let group = ana.creates_group(name).await;
        for number in 0..100 {
            ana.says(&group, &format!("{name}-{number}")).await;
        }
    }
    assert_eq!(ana.posts("/v3/users/update", &json!({"name": "Ana Alba"})).await.0, 200);
    program.stops();
    ana
}

/// Returns all rows but those of messages, whose grouping depends on when they were applied.
fn rows(data: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (store, mut found) = (SledRows::open(&data.join("index"), 1 << 20).unwrap(), Vec::new());
    let mut visit = |key: &[u8], value: &[u8]| {
        if !key.starts_with(b"m") {
            found.push((key.to_vec(), value.to_vec()));
        }
        Ok(Flow::Continue)
    };
    store.scan(&[], &[0xff; 300], Walk::Up, &mut visit).unwrap();
    found
}

fn names(data: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(data).unwrap().map(|it| it.unwrap().path()).collect();
    names.sort();
    names
}

/// Flips a bit of a message's text in the journal.
pub(crate) fn damages(data: &Path) {
    let file = data.join("journal/0000000000000000.log");
    let mut bytes = fs::read(&file).unwrap();
    let said = b"Climbers-42";
    let at = bytes.windows(said.len()).position(|it| it == said).unwrap();
    bytes[at] ^= 0x10;
    fs::write(&file, bytes).unwrap();
}

#[tokio::test]
async fn check_passes_and_changes_nothing_on_intact_data() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    let before = names(data.path());
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.ends_with("no problems\n"), "{told}");
    assert!(told.contains("journal: 1 segments, 20"), "{told}");
    assert_eq!(names(data.path()), before);
    fs::remove_dir_all(data.path().join("index")).unwrap();
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.contains("index: it is missing; the next start builds it"), "{told}");
}

#[tokio::test]
async fn check_compares_a_lagging_index() {
    let data = TempDir::new().unwrap();
    let mut ana = history(data.path()).await;
    let program = starts(data.path());
    ana.goes_to(&program);
    let group = ana.creates_group("Swimmers").await;
    for number in 0..50 {
        ana.says(&group, &number.to_string()).await;
    }
    program.dies();
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.contains("rows match the journal"), "{told}");
}

#[tokio::test]
async fn a_flipped_byte_of_the_journal_is_found() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    damages(data.path());
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("journal: 0000000000000000.log at byte "), "{ended:?}");
    assert!(ended.stdout.contains("its checksum is wrong"), "{ended:?}");
    assert!(ended.stdout.contains("index, images and files: not compared"), "{ended:?}");
}

#[tokio::test]
async fn wrong_rows_are_found_and_rebuilt() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    let before = rows(data.path());
    let of = |table: u8| before.iter().find(|(key, _)| key[0] == table).unwrap().0.clone();
    let message = {
        let (store, mut found) =
            (SledRows::open(&data.path().join("index"), 1 << 20).unwrap(), None);
        let mut visit = |key: &[u8], _: &[u8]| {
            found = Some(key.to_vec());
            Ok(Flow::Stop)
        };
        store.scan(b"m", b"n", Walk::Up, &mut visit).unwrap();
        let changes = vec![
            (of(b'p'), None),
            (of(b'u'), Some(b"something else".to_vec())),
            (b"xnobody".to_vec(), Some(Vec::new())),
            (found.clone().unwrap(), None),
        ];
        store.apply(changes).unwrap();
        store.flush().unwrap();
        found.unwrap()
    };
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let told = |key: &[u8], what: &str| {
        let digits: String = key[1..].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("index: row {}:{digits} {what}\n", char::from(key[0]))
    };
    for line in [
        told(&of(b'p'), "is missing"),
        told(&of(b'u'), "differs from the journal"),
        told(b"xnobody", "is not in the journal"),
        told(&message, "is missing"),
    ] {
        assert!(ended.stdout.contains(&line), "{line}{}", ended.stdout);
    }
    let told = tool(data.path(), &["rebuild"]).fine();
    assert!(told.starts_with("built the index from 20"), "{told}");
    tool(data.path(), &["check"]).fine();
    assert_eq!(rows(data.path()), before, "the rebuilt index equals the old one");
}

#[tokio::test]
async fn index_of_other_layout_is_rebuilt() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    {
        let store = SledRows::open(&data.path().join("index"), 1 << 20).unwrap();
        store.apply(vec![(b"0layout".to_vec(), Some(vec![99]))]).unwrap();
        store.flush().unwrap();
    }
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("layout cannot be read: is 99"), "{ended:?}");
    assert!(ended.stdout.contains("run coterie rebuild"), "{ended:?}");
    let before = names(data.path());
    tool(data.path(), &["rebuild"]).fine();
    assert_eq!(names(data.path()), before, "nothing is left over");
    tool(data.path(), &["check"]).fine();
    // `rebuild` also works where there is no index.
    fs::remove_dir_all(data.path().join("index")).unwrap();
    tool(data.path(), &["rebuild"]).fine();
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.contains("rows match the journal"), "{told}");
}

#[tokio::test]
async fn check_beside_a_server_reads_only_the_journal() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    let program = starts(data.path());
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.contains("index: in use by the running server"), "{told}");
    assert!(told.contains("journal: 1 segments, 20"), "{told}");
    let said = tool(data.path(), &["rebuild"]).says_no(2);
    assert!(said.ends_with("is in use by another process"), "{said}");
    damages(data.path());
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.stdout.contains("its checksum is wrong; nothing behind it was checked"),
        "{ended:?}"
    );
    program.dies();
}

/// Returns the path of every stored image.
fn images(data: &Path) -> Vec<PathBuf> {
    names(&data.join("images")).iter().flat_map(|shelf| names(shelf)).collect()
}

#[tokio::test]
async fn images_are_held_against_their_names_and_the_journal() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    let shown = ana.sends_image(png(40)).await;
    ana.shows(&group, "a picture", &shown).await;
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.contains("images: 1 of them, "), "{told}");
    let orphan = ana.sends_image(png(50)).await;
    program.stops();
    let told = tool(data.path(), &["check"]).fine();
    let name = orphan.rsplit('/').next().unwrap();
    assert!(told.contains(&format!("images: {name} is not used, ")), "{told}");
    assert!(!told.contains(shown.rsplit('/').next().unwrap()), "{told}");

    let named = shown.rsplit('/').next().unwrap();
    let path = images(data.path()).into_iter().find(|it| it.ends_with(named)).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[60] ^= 1;
    fs::write(&path, flipped).unwrap();
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.stdout.contains(&format!("{named} has other content than its name says")),
        "{ended:?}"
    );
    fs::remove_file(&path).unwrap();
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains(&format!("images: {named} is used but missing")), "{ended:?}");
}

#[tokio::test]
async fn check_reports_unknown_files() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    fs::write(data.path().join("notes.txt"), "of somebody").unwrap();
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.contains("notes.txt: this is unknown, and the server does not use it"), "{told}");
    for name in ["vapid.key", "history"] {
        let path = data.path().join(name);
        let whole = fs::read(&path).unwrap();
        let mut other = whole.clone();
        // The changed name must still be valid, so a digit is replaced by another one.
        other[3] = if other[3] == b'1' { b'2' } else { b'1' };
        fs::write(&path, other).unwrap();
        let found = tool(data.path(), &["check"]);
        assert_eq!(found.code, 1, "{found:?}");
        assert!(found.stdout.contains(&format!("{name}: ")), "{}", found.stdout);
        fs::remove_file(&path).unwrap();
        let found = tool(data.path(), &["check"]);
        assert!(found.stdout.contains(&format!("{name}: it is missing")), "{}", found.stdout);
        fs::write(&path, whole).unwrap();
    }
    tool(data.path(), &["check"]).fine();
}

#[tokio::test]
async fn check_names_a_damaged_key_of_file_links() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    let key = data.path().join("files/link.key");
    fs::write(&key, &fs::read(&key).unwrap()[..9]).unwrap();
    let found = tool(data.path(), &["check"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.stdout.contains("files/link.key: "), "{}", found.stdout);
    fs::remove_file(&key).unwrap();
    tool(data.path(), &["check"]).fine();
}

#[tokio::test]
async fn files_are_held_against_their_names_and_the_journal() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    ana.sends_file(&group, b"rope at six").await;
    let told = tool(data.path(), &["check"]).fine();
    assert!(told.contains("files: 1 of them, 11 bytes"), "{told}");
    program.stops();
    let shelves = names(&data.path().join("files")).into_iter();
    let shelf = shelves.into_iter().find(|it| it.file_name().unwrap().len() == 2).unwrap();
    let content = names(&shelf).remove(0);
    fs::write(&content, b"rope at ten").unwrap();
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("has other content than its name says"), "{ended:?}");
    fs::remove_file(&content).unwrap();
    let ended = tool(data.path(), &["check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("is in a message but missing"), "{ended:?}");
    fs::write(shelf.join("0".repeat(64)), b"").unwrap();
    let ended = tool(data.path(), &["check"]);
    assert!(ended.stdout.contains(&format!("files: {} is not used", "0".repeat(64))), "{ended:?}");
}
