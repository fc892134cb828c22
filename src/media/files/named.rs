//! The contents of files that messages name, read from the whole journal: for tools that compare
//! them with what lies on the disk.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::attachment::Attachment;
use domain::event::Fact;
use domain::ids::{MessageId, StreamId};
use domain::revision::RevisionKind;
use journal::{Cursor, Journal, JournalFault};

/// Bytes of the journal that are read at once.
const STRETCH: usize = 4 << 20;

/// The digests and sizes of the files that messages name, except deleted messages.
///
/// # Errors
/// If the journal cannot be read.
pub fn contents_named(journal: &dyn Journal) -> Result<BTreeMap<String, u64>, JournalFault> {
    let mut named: HashMap<(StreamId, MessageId), BTreeSet<(String, u64)>> = HashMap::new();
    let mut at = Cursor::START;
    let end = journal.end();
    while at < end {
        let scan = journal.scan(at, STRETCH)?;
        for commit in &scan.commits {
            for entry in &commit.entries {
                hear(&mut named, commit.stream, &entry.event.fact);
            }
        }
        if scan.next <= at {
            break;
        }
        at = scan.next;
    }
    Ok(named.into_values().flatten().collect())
}

fn hear(
    named: &mut HashMap<(StreamId, MessageId), BTreeSet<(String, u64)>>,
    stream: StreamId,
    fact: &Fact,
) {
    let carried = |attachments: &[Attachment]| -> Vec<(String, u64)> {
        let files = attachments.iter().filter_map(Attachment::file);
        files.map(|file| (file.digest.clone(), file.size)).collect()
    };
    let (message, contents) = if let Some(message) = fact.message() {
        (message.id, carried(&message.attachments))
    } else if let Some(revision) = fact.revision() {
        match &revision.kind {
            RevisionKind::Edited { attachments, .. } => (revision.message, carried(attachments)),
            RevisionKind::Deleted { .. } => {
                named.remove(&(stream, revision.message));
                return;
            }
            RevisionKind::Pinned | RevisionKind::Unpinned | RevisionKind::Previewed { .. } => {
                return;
            }
        }
    } else {
        return;
    };
    if !contents.is_empty() {
        named.entry((stream, message)).or_default().extend(contents);
    }
}
