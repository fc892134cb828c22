//! Finds images that nothing names: uploaded and never used, or replaced since.
//!
//! What names images is read from the whole journal: the present pictures of users, groups, members
//! and bots, and every message that is not deleted. An image in a draft is never reported as
//! missing, since drafts do not name images for ever, nor as unnamed, since it may be about to be
//! sent.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use crate::name::ImageName;
use crate::store::{self, Listed};
use domain::attachment::{Attachment, ImageRef};
use domain::group::{GroupFact, Moderation, Reported};
use domain::ids::{BotId, GroupId, MessageId, StreamId, UserId};
use domain::message::{Message, SystemMessage, TopicLine};
use domain::revision::{Revision, RevisionKind};
use domain::user::UserFact;
use journal::{Committed, Cursor, Journal, JournalFault};

/// Bytes of the journal that are read at once.
const STRETCH: usize = 4 << 20;

/// Why orphans could not be found.
#[derive(Debug, thiserror::Error)]
pub enum OrphansFault {
    /// The journal cannot be read.
    #[error("{0}")]
    Journal(#[from] JournalFault),
    /// The folder cannot be read.
    #[error("the images cannot be listed: {0}")]
    Folder(#[from] std::io::Error),
}

/// A comparison of the images in a folder with those that the journal names.
#[derive(Debug)]
pub struct ImageComparison {
    /// All images in the folder.
    pub listed: Vec<Listed>,
    /// Names that the journal has and the folder does not, sorted.
    pub missing: Vec<String>,
    /// Images in the folder that nothing names, oldest first.
    pub unnamed: Vec<Listed>,
}

/// Returns the images in this folder that nothing in this journal names, oldest first. An image
/// that was stored a moment ago may be about to be named. Reads the whole journal.
///
/// # Errors
/// If the journal or the folder cannot be read.
pub fn orphans(folder: &Path, journal: &dyn Journal) -> Result<Vec<Listed>, OrphansFault> {
    Ok(used(folder, journal)?.unnamed)
}

/// Compares the images in this folder with this journal.
///
/// # Errors
/// If the journal or the folder cannot be read.
pub fn used(folder: &Path, journal: &dyn Journal) -> Result<ImageComparison, OrphansFault> {
    // The folder is read first, so that an image stored and named meanwhile is no orphan.
    used_of(store::list(folder)?, journal)
}

/// Compares these images with this journal.
///
/// # Errors
/// If the journal cannot be read.
pub fn used_of(
    listed: Vec<Listed>,
    journal: &dyn Journal,
) -> Result<ImageComparison, OrphansFault> {
    let mut names = NamedImages::default();
    let mut at = Cursor::START;
    let end = journal.end();
    while at < end {
        let scan = journal.scan(at, STRETCH)?;
        scan.commits.iter().for_each(|commit| names.hear(commit));
        if scan.next <= at {
            break;
        }
        at = scan.next;
    }
    let missing = names.missing(&listed);
    let unnamed = names.unnamed(listed.clone());
    Ok(ImageComparison { listed, missing, unnamed })
}

/// A place that shows one image at a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum ImageOwner {
    Profile,
    Settings,
    Member(UserId),
    Bot(BotId),
    Topic(GroupId),
}

/// Every image that the part of the journal read so far names.
#[derive(Debug, Default)]
pub struct NamedImages {
    /// Images that messages carry now or carried before an edit; deleted messages have no entry.
    messages: HashMap<MessageId, BTreeSet<String>>,
    /// Images that messages show otherwise: avatars of senders, and images in system messages.
    shown: HashSet<String>,
    drafts: HashSet<String>,
    places: HashMap<StreamId, HashMap<ImageOwner, String>>,
}

impl NamedImages {
    /// Applies a commit. Commits must come in the order of the journal.
    pub fn hear(&mut self, commit: &Committed) {
        for entry in &commit.entries {
            let fact = &entry.event.fact;
            if let Some(fact) = fact.group() {
                self.hear_group(commit.stream, fact);
            } else if let Some(fact) = fact.user() {
                self.hear_user(commit.stream, fact);
            } else if let Some(message) = fact.message() {
                self.hear_message(message);
            } else if let Some(revision) = fact.revision() {
                self.hear_revision(revision);
            }
        }
    }

    /// Returns the named images that are not in a list, sorted.
    pub fn missing(&self, listed: &[Listed]) -> Vec<String> {
        let listed: HashSet<String> = listed.iter().map(|it| it.name.text()).collect();
        let named: BTreeSet<&String> = self.named().collect();
        named.into_iter().filter(|name| !listed.contains(*name)).cloned().collect()
    }

    /// Returns the images of a list that nothing names, oldest first.
    pub fn unnamed(&self, listed: Vec<Listed>) -> Vec<Listed> {
        let named = self.named().chain(&self.drafts);
        let named: HashSet<&str> = named.map(String::as_str).collect();
        let mut unnamed = listed;
        unnamed.retain(|it| !named.contains(it.name.text().as_str()));
        unnamed.sort_by_key(|it| it.stored_at);
        unnamed
    }

    fn named(&self) -> impl Iterator<Item = &String> {
        let places = self.places.values().flat_map(HashMap::values);
        self.messages.values().flatten().chain(&self.shown).chain(places)
    }

    fn hear_group(&mut self, group: StreamId, fact: &GroupFact) {
        match fact {
            GroupFact::Created { settings, owner } => {
                self.shows(group, ImageOwner::Settings, settings.image.as_ref());
                self.shows(group, ImageOwner::Member(owner.user_id), owner.image.as_ref());
            }
            GroupFact::SettingsChanged { settings, .. } => {
                self.shows(group, ImageOwner::Settings, settings.image.as_ref());
            }
            GroupFact::MembersJoined { members, .. } => {
                for member in members {
                    self.shows(group, ImageOwner::Member(member.user_id), member.image.as_ref());
                }
            }
            GroupFact::MemberChanged { member, .. } | GroupFact::MemberLeft { member, .. } => {
                self.shows(group, ImageOwner::Member(member.user_id), member.image.as_ref());
            }
            GroupFact::BotAdded(bot) | GroupFact::BotChanged(bot) => {
                self.shows(group, ImageOwner::Bot(bot.id.clone()), bot.avatar.as_ref());
            }
            GroupFact::BotRemoved(bot) => self.shows(group, ImageOwner::Bot(bot.id.clone()), None),
            GroupFact::Posted(message) => self.hear_message(message),
            GroupFact::Revised(revision) => self.hear_revision(revision),
            GroupFact::Moderated(moderation) => {
                if let Moderation::Reported(Reported { report, copy: Some(copy), .. }) =
                    &**moderation
                {
                    let kept = MessageId::new(report.get());
                    self.carries(kept, carried(&copy.message.attachments));
                }
                if let Moderation::Held(held) = &**moderation {
                    self.carries(held.message.id, carried(&held.message.attachments));
                }
            }
            GroupFact::Topic(change) => {
                let image = change.made_or_changed().and_then(|topic| topic.image.as_ref());
                self.shows(group, ImageOwner::Topic(change.topic()), image);
            }
            GroupFact::Disbanded { .. } => drop(self.places.remove(&group)),
            GroupFact::OwnerChanged { .. }
            | GroupFact::AddRequested(_)
            | GroupFact::AddSettled { .. }
            | GroupFact::Liked(_)
            | GroupFact::Unliked(_)
            | GroupFact::Invited { .. }
            | GroupFact::InvitesSettled { .. }
            | GroupFact::JoinRequested(_)
            | GroupFact::RequestSettled { .. }
            | GroupFact::Polled(_)
            | GroupFact::Planned(_) => {}
        }
    }

    fn hear_user(&mut self, user: StreamId, fact: &UserFact) {
        match fact {
            UserFact::Registered { profile, .. } | UserFact::ProfileChanged { profile } => {
                self.shows(user, ImageOwner::Profile, profile.image.as_ref());
            }
            UserFact::TokenIssued(_)
            | UserFact::TokenRevoked { .. }
            | UserFact::SmsModeOn(_)
            | UserFact::SmsModeOff
            | UserFact::Blocked { .. }
            | UserFact::Unblocked { .. }
            | UserFact::DeviceAdded(_)
            | UserFact::DeviceRemoved { .. }
            | UserFact::ReadUpTo(_)
            | UserFact::TokensRevoked { .. }
            | UserFact::TokenUsed { .. }
            | UserFact::PasswordChanged { .. }
            | UserFact::ApplicationRegistered(_)
            | UserFact::ApplicationsRemoved { .. }
            | UserFact::Disabled
            | UserFact::Enabled
            | UserFact::LevelSet { .. }
            | UserFact::ChatMuted { .. }
            | UserFact::TopicMuted { .. }
            | UserFact::AllMuted { .. }
            | UserFact::PictureNamed { .. }
            | UserFact::Mailed(_)
            | UserFact::Factored(_)
            | UserFact::Identified(_)
            | UserFact::Provisioned(_)
            | UserFact::Waits(_)
            | UserFact::Admitted
            | UserFact::DmFromChosen { .. }
            | UserFact::RequestChanged { .. }
            | UserFact::OperatorRoleSet { .. }
            | UserFact::ReportResolved { .. }
            | UserFact::ListArranged { .. }
            | UserFact::MessageSaved(_)
            | UserFact::MessageUnsaved { .. }
            | UserFact::ConversationsPinned { .. } => {}
            UserFact::Drafted { draft, .. } => {
                self.drafts.extend(carried(&draft.attachments).filter_map(stored_name));
            }
            UserFact::Deleted => self.shows(user, ImageOwner::Profile, None),
        }
    }

    fn hear_revision(&mut self, revision: &Revision) {
        match &revision.kind {
            RevisionKind::Edited { attachments, .. } => {
                self.carries(revision.message, carried(attachments));
            }
            RevisionKind::Previewed { previews } => {
                let images = previews.iter().filter_map(|it| it.image.as_ref());
                self.carries(revision.message, images);
            }
            RevisionKind::Deleted { .. } => drop(self.messages.remove(&revision.message)),
            RevisionKind::Pinned | RevisionKind::Unpinned => {}
        }
    }

    fn carries<'a>(&mut self, message: MessageId, images: impl Iterator<Item = &'a ImageRef>) {
        let mut names = images.filter_map(stored_name).peekable();
        if names.peek().is_some() {
            self.messages.entry(message).or_default().extend(names);
        }
    }

    fn hear_message(&mut self, message: &Message) {
        let told = match &message.line {
            Some(
                SystemMessage::AvatarChanged { image, .. }
                | SystemMessage::Topic { change: TopicLine::AvatarChanged { image }, .. },
            ) => image.as_ref(),
            Some(_) | None => None,
        };
        self.carries(message.id, carried(&message.attachments));
        self.shown.extend(message.avatar.iter().chain(told).filter_map(stored_name));
    }

    fn shows(&mut self, stream: StreamId, place: ImageOwner, image: Option<&ImageRef>) {
        let places = self.places.entry(stream).or_default();
        match image.and_then(stored_name) {
            Some(name) => drop(places.insert(place, name)),
            None => drop(places.remove(&place)),
        }
    }
}

/// The name of the original, whichever form the reference means.
fn stored_name(image: &ImageRef) -> Option<String> {
    ImageName::of_ref(image).map(|name| name.original().text())
}
/// The images in attachments.
fn carried(attachments: &[Attachment]) -> impl Iterator<Item = &ImageRef> {
    attachments.iter().filter_map(Attachment::image)
}
