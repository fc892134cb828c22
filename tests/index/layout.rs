//! Rows keep their form as long as [`LAYOUT`] is the same: an index of another form is rebuilt.

use std::sync::Arc;

use coterie::domain::hex::hex;
use coterie::index::indexer;
use coterie::index::memory::MemoryRows;
use coterie::index::rows::LAYOUT;
use coterie::index::{Flow, Rows, Walk};
use coterie::journal::Journal;
use coterie::journal::memory::MemoryJournal;
use sha2::{Digest, Sha256};

use crate::history::History;

/// The layout, the end of the journal of one history, and the digest of all rows that are made
/// from it.
const ROWS: (u64, u64, &str) =
    (56, 241_573, "333b36b48d3e46b22f83dc9eeb923f52b70f6d0199827330a3b60821ac945c5b");

/// Commits of the history.
const COMMITS: usize = 2_000;

#[test]
fn layout_names_the_form_of_all_rows() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    History::of(7).goes_on(&*journal, COMMITS);
    let rows: Arc<dyn Rows> = Arc::new(MemoryRows::default());
    let opened = indexer::open(Arc::clone(&rows), Arc::clone(&journal)).unwrap();
    assert!(opened.replayed > 0);
    let mut digest = Sha256::new();
    let mut add = |key: &[u8], value: &[u8]| {
        for part in [key, value] {
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        }
        Ok(Flow::Continue)
    };
    rows.scan(&[], &[0xff; 8], Walk::Up, &mut add).unwrap();
    let digest = hex(&digest.finalize());
    assert_eq!(
        (LAYOUT, journal.end().get(), digest.as_str()),
        ROWS,
        "the same history makes other rows: raise LAYOUT and write the left values here. If the \
         history itself changed, so that the second value differs, and no row did, keep LAYOUT"
    );
}
