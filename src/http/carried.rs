//! What a message carries is looked up before a room hears of it: the files and images that
//! it names, and who is here where it mentions whoever is. Most carry nothing.

use actix_web::web;

use crate::domain::addressing::mentions_whoever_is_here;
use crate::domain::attachment::{Attachment, ImageRef};
use crate::domain::file::AttachedFile;
use crate::domain::ids::{Conversation, UserId};
use crate::domain::message::NewMessage;
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::pictures::must_exist;
use crate::wire::attachment::NO_FILE;
use crate::wire::fields::Problems;

/// Looks up what this user wants to send to a conversation. `path` stands in front of the
/// names of fields.
///
/// # Errors
/// 400 that names every file which they cannot send there, or every image that is not here.
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
    must_be_there(app, Some(sender), conversation, (path, attachments)).await?;
    are_used(app, sender, attachments).await?;
    message.here = who_is_here(app, sender, conversation, attachments).await?;
    Ok(())
}

/// Somebody puts these into a message: the images among them wait for them no longer.
///
/// # Errors
/// On our own trouble.
pub(super) async fn are_used(
    app: &AppState,
    sender: UserId,
    attachments: &[Attachment],
) -> Result<(), ApiError> {
    Ok(app.images.used(sender, images("", attachments).map(|(_, image)| image)).await?)
}

/// The same as [`look_up`] of what is sent instead of something else, which reaches nobody anew.
///
/// # Errors
/// The same.
pub(super) async fn must_be_there(
    app: &AppState,
    sender: Option<UserId>,
    conversation: Conversation,
    (path, attachments): (&str, &mut [Attachment]),
) -> Result<(), ApiError> {
    fill_in(app, sender, conversation, (path, attachments)).await?;
    must_exist(app, images(path, attachments)).await
}

/// What is said of a URL that names no video of the conversation.
const NO_VIDEO: &str = "must be the URL of a video of this conversation";

/// Fills in what the files are that somebody sends to a conversation. `path` stands in front
/// of the names of fields.
///
/// # Errors
/// 400 that names every file which they cannot send there.
pub(super) async fn fill_in(
    app: &AppState,
    sender: Option<UserId>,
    conversation: Conversation,
    (path, attachments): (&str, &mut [Attachment]),
) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    for (index, attachment) in attachments.iter_mut().enumerate() {
        let is_video = matches!(attachment, Attachment::Video { .. });
        let field = if is_video { "url" } else { "file_id" };
        let Some(file) = attachment.file_mut() else { continue };
        let found = match sender {
            Some(sender) => app.files.seen_by(sender, conversation, &file.id).await?,
            None => None,
        };
        let found = found.filter(|found| !is_video || found.mime_type.starts_with("video/"));
        let Some(found) = found else {
            let what = if is_video { NO_VIDEO } else { NO_FILE };
            problems.add(format!("{path}attachments[{index}].{field} {what}"));
            continue;
        };
        let duration = file.duration.filter(|_| found.is_audio());
        *file = AttachedFile { duration, ..found };
        if let Attachment::Video { path, file, .. } = attachment {
            *path = format!("/v3/files/{conversation}/{}", file.id);
        }
    }
    Ok(problems.or(Some(()))?)
}

/// The images that a message carries, each with the name of its field.
pub(super) fn images<'a>(
    path: &str,
    attachments: &'a [Attachment],
) -> impl Iterator<Item = (String, &'a ImageRef)> {
    attachments.iter().enumerate().filter_map(move |(index, attachment)| {
        let (field, image) = attachment.image()?;
        Some((format!("{path}attachments[{index}].{field}"), image))
    })
}

/// Who is here besides the author, if attachments mention whoever is. Nobody in a group that
/// is so large that presence is not told there.
///
/// # Errors
/// On our own trouble.
pub(super) async fn who_is_here(
    app: &AppState,
    author: UserId,
    conversation: Conversation,
    attachments: &[Attachment],
) -> Result<Vec<UserId>, ApiError> {
    if !mentions_whoever_is_here(attachments) {
        return Ok(Vec::new());
    }
    let presence = app.subscribers.presence.clone();
    let look = move || presence.others(author, conversation);
    let found = web::block(look).await.map_err(|error| ApiError::fault(&error))?;
    Ok(found?)
}
