//! Rows of images that messages carry: an image is forgotten once every message that ever
//! carried it is deleted, unless something else showed it, too.
//!
//! What an edit takes out of a message stays in its history, so only a deletion lets go of it.
//! A picture of a person, a group or a bot is never forgotten here: older lines show it on.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::attachment::{Attachment, ImageRef};
use crate::domain::event::Fact;
use crate::domain::group::GroupFact;
use crate::domain::ids::{MessageId, StreamId};
use crate::domain::revision::{Revision, RevisionKind};
use crate::domain::user::UserFact;
use crate::index::draft::BatchDraft;
use crate::index::{Index, IndexFault, keys};

/// Who shows an image.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ImageRow {
    /// Messages that carry it or did, and are there.
    messages: u64,
    /// Whether anything else showed it.
    elsewhere: bool,
}

/// The digests of the images that attachments are.
fn carried(attachments: &[Attachment]) -> BTreeSet<String> {
    attachments.iter().filter_map(|it| Some(it.image()?.1.digest().to_owned())).collect()
}

/// Writes the rows of a message that carries these, or does from now on.
pub(super) fn carries(
    draft: &mut BatchDraft<'_>,
    (stream, message): (StreamId, MessageId),
    attachments: &[Attachment],
) -> Result<(), IndexFault> {
    shows(draft, (stream, message), carried(attachments))
}

fn shows(
    draft: &mut BatchDraft<'_>,
    (stream, message): (StreamId, MessageId),
    carried: BTreeSet<String>,
) -> Result<(), IndexFault> {
    if carried.is_empty() {
        return Ok(());
    }
    let key = keys::past::images(stream, message);
    let mut known: BTreeSet<String> = draft.get("images", &key)?.unwrap_or_default();
    for digest in carried {
        if !known.contains(&digest) {
            change(draft, &digest, |row| row.messages += 1)?;
            known.insert(digest);
        }
    }
    draft.put(key, &known)
}

/// Writes the rows of a message that is revised.
pub(super) fn revised(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    revision: &Revision,
) -> Result<(), IndexFault> {
    match &revision.kind {
        RevisionKind::Edited { attachments, .. } => {
            carries(draft, (stream, revision.message), attachments)
        }
        RevisionKind::Previewed { previews } => {
            let images = previews.iter().filter_map(|it| it.image.as_ref());
            let shown = images.map(|image| image.digest().to_owned()).collect();
            shows(draft, (stream, revision.message), shown)
        }
        RevisionKind::Deleted { .. } => {
            let key = keys::past::images(stream, revision.message);
            let known: Option<BTreeSet<String>> = draft.get("images", &key)?;
            let Some(known) = known else { return Ok(()) };
            for digest in known {
                change(draft, &digest, |row| row.messages = row.messages.saturating_sub(1))?;
            }
            draft.delete(key);
            Ok(())
        }
        RevisionKind::Pinned | RevisionKind::Unpinned => Ok(()),
    }
}

/// Notes the image that a person, a group or a bot shows by a fact.
pub(super) fn shown(draft: &mut BatchDraft<'_>, fact: &Fact) -> Result<(), IndexFault> {
    let image = if let Fact::User(
        UserFact::Registered { profile, .. } | UserFact::ProfileChanged { profile },
    ) = fact
    {
        profile.image.as_ref()
    } else if let Fact::Group(
        GroupFact::Created { settings, .. } | GroupFact::SettingsChanged { settings, .. },
    ) = fact
    {
        settings.image.as_ref()
    } else if let Fact::Group(GroupFact::BotAdded(bot) | GroupFact::BotChanged(bot)) = fact {
        bot.avatar.as_ref()
    } else {
        None
    };
    image.map_or(Ok(()), |image| change(draft, image.digest(), |row| row.elsewhere = true))
}

fn change(
    draft: &mut BatchDraft<'_>,
    digest: &str,
    how: impl FnOnce(&mut ImageRow),
) -> Result<(), IndexFault> {
    let key = keys::past::image(digest);
    let mut row: ImageRow = draft.get("image", &key)?.unwrap_or_default();
    how(&mut row);
    draft.put(key, &row)
}

impl Index {
    /// Whether an image was in messages only, and all of them are deleted.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn is_forgotten(&self, image: &ImageRef) -> Result<bool, IndexFault> {
        let row: Option<ImageRow> = self.row("image", &keys::past::image(image.digest()))?;
        Ok(row.is_some_and(|row| row.messages == 0 && !row.elsewhere))
    }
}
