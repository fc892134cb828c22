//! Looks up what a message carries before a room is asked: the files and images that it names and,
//! if it mentions everybody who is online, who they are. Most messages carry nothing.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::pictures;
use domain::addressees::mentions_everybody_online;
use domain::attachment::{Attachment, ImageRef};
use domain::file::AttachedFile;
use domain::ids::{Conversation, UserId};
use domain::message::NewMessage;
use wire::attachment::NO_FILE;
use wire::fields::Problems;

/// Looks up what this user wants to send to a conversation. `path` is the prefix for names of
/// fields in errors.
///
/// # Errors
/// 400 that names every file that the user cannot send there, or every image that does not exist.
pub(super) async fn look_up(
    app: &AppState,
    sender: UserId,
    conversation: Conversation,
    (path, message): (&str, &mut NewMessage),
) -> Result<(), ApiError> {
    let attachments = &mut message.attachments;
    if attachments.is_empty() {
        return Ok(());
    }
    resolve_attachments(app, Some(sender), conversation, (path, attachments)).await?;
    note_images_used(app, sender, attachments).await?;
    message.here = online_users(app, sender, conversation, attachments).await?;
    Ok(())
}

/// Notes that the sender puts these attachments into a message, so that their images no longer
/// count as uploaded but unused.
///
/// # Errors
/// If the note cannot be written.
pub(super) async fn note_images_used(
    app: &AppState,
    sender: UserId,
    attachments: &[Attachment],
) -> Result<(), ApiError> {
    Ok(app.images.used(sender, attachments.iter().filter_map(Attachment::image)).await?)
}

/// Like [`look_up`], for drafts and edits: it neither notes the images as used, which an edit does
/// itself, nor looks up who is online, since an edit notifies nobody again.
///
/// # Errors
/// As [`look_up`].
pub(super) async fn resolve_attachments(
    app: &AppState,
    sender: Option<UserId>,
    conversation: Conversation,
    (path, attachments): (&str, &mut [Attachment]),
) -> Result<(), ApiError> {
    fill_in(app, sender, conversation, (path, attachments)).await?;
    pictures::look_up(app, sender, images(path, attachments)).await
}

/// The file that an attachment needs.
struct WantedFile {
    /// The field that names it.
    field: &'static str,
    is_fit: fn(&AttachedFile) -> bool,
    /// The error for a field that names no such file.
    problem: &'static str,
}

impl WantedFile {
    fn of(attachment: &Attachment) -> Self {
        if matches!(attachment, Attachment::Video { .. }) {
            let problem = "must be the URL of a video of this conversation";
            return Self { field: "url", is_fit: |it| it.mime_type.starts_with("video/"), problem };
        }
        if matches!(attachment, Attachment::Audio { .. }) {
            let problem = "must be the URL of a recording of this conversation";
            return Self { field: "url", is_fit: AttachedFile::is_audio, problem };
        }
        Self { field: "file_id", is_fit: |_| true, problem: NO_FILE }
    }
}

/// Fills in the data of the files that a user sends to a conversation. Without a sender, no file is
/// accepted. `path` is the prefix for names of fields in errors.
///
/// # Errors
/// 400 that names every file that the user cannot send there.
pub(super) async fn fill_in(
    app: &AppState,
    sender: Option<UserId>,
    conversation: Conversation,
    (path, attachments): (&str, &mut [Attachment]),
) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    for (index, attachment) in attachments.iter_mut().enumerate() {
        let wanted = WantedFile::of(attachment);
        let Some(file) = attachment.file_mut() else { continue };
        let found = match sender {
            Some(sender) => app.files.seen_by(sender, conversation, &file.id).await?,
            None => None,
        };
        let Some(found) = found.filter(|found| (wanted.is_fit)(found)) else {
            let WantedFile { field, problem, .. } = wanted;
            problems.add(format!("{path}attachments[{index}].{field} {problem}"));
            continue;
        };
        let duration = file.duration.filter(|_| found.is_audio());
        *file = AttachedFile { duration, ..found };
        if let Attachment::Video { path, file, .. } | Attachment::Audio { path, file, .. } =
            attachment
        {
            *path = format!("/v3/files/{conversation}/{}", file.id);
        }
    }
    Ok(problems.or(Some(()))?)
}

/// The images that a message carries, each with the name of its field.
pub(super) fn images<'a>(
    path: &str,
    attachments: &'a mut [Attachment],
) -> impl Iterator<Item = (String, &'a mut ImageRef)> {
    attachments.iter_mut().enumerate().filter_map(move |(index, attachment)| {
        let (field, image) = attachment.image_mut()?;
        Some((format!("{path}attachments[{index}].{field}"), image))
    })
}

/// The users who are online besides the author, if the attachments mention everybody who is. Empty
/// for groups so large that presence is not shown there.
///
/// # Errors
/// If the index cannot be read.
pub(super) async fn online_users(
    app: &AppState,
    author: UserId,
    conversation: Conversation,
    attachments: &[Attachment],
) -> Result<Vec<UserId>, ApiError> {
    if !mentions_everybody_online(attachments) {
        return Ok(Vec::new());
    }
    let presence = app.subscribers.presence.clone();
    let look = move || presence.others(author, conversation);
    let found = web::block(look).await.map_err(|error| ApiError::fault(&error))?;
    Ok(found?)
}
