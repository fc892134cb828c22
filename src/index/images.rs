//! Rows of images that messages and drafts carry: an image is forgotten once every message that
//! ever carried it is deleted and no draft has it, unless a profile, a group or a bot showed it,
//! too.
//!
//! What an edit takes out of a message stays in its history, so only a deletion releases an image.
//! A picture of a person, a group or a bot is never forgotten here: older messages still show it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::draft::BatchDraft;
use crate::{Index, IndexFault, keys};
use domain::attachment::{Attachment, ImageRef};
use domain::event::Fact;
use domain::file::FileId;
use domain::group::GroupFact;
use domain::ids::{MessageId, StreamId};
use domain::limits::DRAFT_MILLIS;
use domain::revision::{Revision, RevisionKind};
use domain::time::Timestamp;
use domain::user::{Draft, UserFact};

/// The uses of an image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ImageRow {
    /// How many messages carry the image or carried it before an edit; deleted ones do not count.
    messages: u64,
    /// Whether a profile, a group or a bot ever showed it.
    elsewhere: bool,
    /// Drafts that have the image: the key of each draft's row, and when it was saved.
    drafts: Vec<(Vec<u8>, Timestamp)>,
}

impl ImageRow {
    /// Whether nothing shows the image any more at this time. Drafts count until they expire.
    fn is_forgotten(&self, now: Timestamp) -> bool {
        let is_kept = |at: Timestamp| now < at.plus_millis(DRAFT_MILLIS);
        self.messages == 0 && !self.elsewhere && !self.drafts.iter().any(|it| is_kept(it.1))
    }
}

/// The names of the images in attachments, whichever form of an image an attachment shows.
fn carried(attachments: &[Attachment]) -> BTreeSet<String> {
    attachments.iter().filter_map(|it| Some(it.image()?.stem().to_owned())).collect()
}

/// Writes the rows for images that a message carries, or newly carries after an edit.
pub(super) fn carries(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    message: MessageId,
    attachments: &[Attachment],
) -> Result<(), IndexFault> {
    shows(draft, stream, message, carried(attachments))
}

fn shows(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    message: MessageId,
    carried: BTreeSet<String>,
) -> Result<(), IndexFault> {
    if carried.is_empty() {
        return Ok(());
    }
    let key = keys::images(stream, message);
    let mut known: BTreeSet<String> = draft.get("images", &key)?.unwrap_or_default();
    for name in carried {
        if !known.contains(&name) {
            change(draft, &name, |row| row.messages += 1)?;
            known.insert(name);
        }
    }
    draft.put(key, &known)
}

/// Writes the rows for images of a message that is revised.
pub(super) fn revised(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    at: Timestamp,
    revision: &Revision,
) -> Result<(), IndexFault> {
    match &revision.kind {
        RevisionKind::Edited { attachments, .. } => {
            carries(draft, stream, revision.message, attachments)
        }
        RevisionKind::Previewed { previews } => {
            let images = previews.iter().filter_map(|it| it.image.as_ref());
            let shown = images.map(|image| image.stem().to_owned()).collect();
            shows(draft, stream, revision.message, shown)
        }
        RevisionKind::Deleted { .. } => {
            let key = keys::images(stream, revision.message);
            let known: Option<BTreeSet<String>> = draft.get("images", &key)?;
            let Some(known) = known else { return Ok(()) };
            for name in known {
                change(draft, &name, |row| row.messages = row.messages.saturating_sub(1))?;
                look_again(draft, at, &name);
            }
            draft.delete(key);
            Ok(())
        }
        RevisionKind::Pinned | RevisionKind::Unpinned => Ok(()),
    }
}

/// Writes the rows for images of a draft that replaces the one under this key, or that is removed
/// at this time (`None`).
pub(super) fn drafted(
    draft: &mut BatchDraft<'_>,
    key: &[u8],
    at: Timestamp,
    after: Option<&Draft>,
) -> Result<(), IndexFault> {
    let before: Option<Draft> = draft.get("draft", key)?;
    let names = |of: Option<&Draft>| of.map_or_else(BTreeSet::new, |it| carried(&it.attachments));
    let had = names(before.as_ref());
    let has = names(after);
    for name in had.difference(&has) {
        change(draft, name, |row| row.drafts.retain(|it| it.0 != key))?;
        look_again(draft, at, name);
    }
    let Some(kept) = after.map(|it| it.at) else { return Ok(()) };
    for name in &has {
        change(draft, name, |row| {
            row.drafts.retain(|it| it.0 != key);
            row.drafts.push((key.to_vec(), kept));
        })?;
        look_again(draft, kept.plus_millis(DRAFT_MILLIS), name);
    }
    Ok(())
}

/// Notes that nothing may show an image from this time on, so that it is checked then.
fn look_again(draft: &mut BatchDraft<'_>, at: Timestamp, name: &str) {
    draft.put_bytes(keys::image_let_go(at, name), Vec::new());
}

/// Notes the picture of a person, a group or a bot that a fact sets.
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
    } else if let Fact::Group(GroupFact::Topic(change)) = fact {
        change.made_or_changed().and_then(|topic| topic.image.as_ref())
    } else {
        None
    };
    image.map_or(Ok(()), |image| change(draft, image.stem(), |row| row.elsewhere = true))
}

fn change(
    draft: &mut BatchDraft<'_>,
    name: &str,
    how: impl FnOnce(&mut ImageRow),
) -> Result<(), IndexFault> {
    let key = keys::image(name);
    let mut row: ImageRow = draft.get("image", &key)?.unwrap_or_default();
    how(&mut row);
    draft.put(key, &row)
}

impl Index {
    /// Whether an image was only ever in messages and drafts, and none of them has it any more.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn is_forgotten(&self, image: &ImageRef, now: Timestamp) -> Result<bool, IndexFault> {
        let row: Option<ImageRow> = self.row("image", &keys::image(image.stem()))?;
        Ok(row.is_some_and(|row| row.is_forgotten(now)))
    }

    /// The image that was uploaded under an id which its user had before the bytes.
    pub fn picture(&self, id: &FileId) -> Result<Option<ImageRef>, IndexFault> {
        self.row("picture", &keys::picture(id))
    }

    /// Returns the images that a message or a draft let go of from `since` to `until`, both
    /// included. Something may still show them.
    pub fn images_let_go(
        &self,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<BTreeSet<ImageRef>, IndexFault> {
        let low = keys::image_let_go(since, "");
        let high = keys::image_let_go(until, "~");
        let names = self.names_between(&low, &high)?.into_iter();
        let image = |name| ImageRef::from_path(&format!("{}{name}", ImageRef::FOLDER));
        Ok(names.filter_map(image).collect())
    }
}
