//! Rows of messages that have something to look at: pictures, videos, files and links. Each kind
//! has rows of its own, so that a page of one kind reads nothing else; most messages have none.

use std::collections::BTreeSet;

use crate::draft::BatchDraft;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::attachment::Attachment;
use domain::gallery::{GalleryKind, GalleryRange, gallery_kinds};
use domain::ids::{MessageId, StreamId};
use domain::revision::{Revision, RevisionKind};

/// Writes the rows of a message with this text and these attachments.
pub(super) fn posted(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    message: MessageId,
    text: Option<&str>,
    attachments: &[Attachment],
) {
    for kind in gallery_kinds(text, attachments) {
        draft.put_bytes(keys::gallery(stream, kind, message), Vec::new());
    }
}

/// Updates the rows of a message that is edited or deleted.
pub(super) fn revised(draft: &mut BatchDraft<'_>, stream: StreamId, revision: &Revision) {
    let place = (stream, revision.message);
    let clear = |draft: &mut BatchDraft<'_>| {
        for kind in GalleryKind::ALL {
            draft.delete(keys::gallery(stream, kind, revision.message));
        }
    };
    match &revision.kind {
        RevisionKind::Edited { text, attachments, .. } => {
            clear(draft);
            posted(draft, place.0, place.1, text.as_deref(), attachments);
        }
        RevisionKind::Deleted { .. } => clear(draft),
        RevisionKind::Pinned | RevisionKind::Unpinned | RevisionKind::Previewed { .. } => {}
    }
}

impl Index {
    /// Returns up to `limit` messages in the range that have something of these kinds, newest
    /// first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn gallery(
        &self,
        stream: StreamId,
        kinds: &[GalleryKind],
        range: GalleryRange,
        limit: usize,
    ) -> Result<Vec<MessageId>, IndexFault> {
        let low = MessageId::new(range.after.get().saturating_add(1));
        let high = MessageId::new(range.before.get().saturating_sub(1));
        let mut found = BTreeSet::new();
        for kind in kinds {
            let mut left = limit;
            let low = keys::gallery(stream, *kind, low);
            let high = keys::gallery(stream, *kind, high);
            self.rows.scan(&low, &high, Walk::Down, &mut |key, _| {
                if left == 0 {
                    return Ok(Flow::Stop);
                }
                left -= 1;
                found.insert(keys::gallery_message(key));
                Ok(Flow::Continue)
            })?;
        }
        Ok(found.into_iter().rev().take(limit).collect())
    }
}
