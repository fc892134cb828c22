//! Mentions and replies: for whom a message is in particular, beyond everybody who reads it.
//!
//! Pure rules. Invalid mentions and replies are refused. Those of clients from before the
//! specification are repaired instead, since many of these clients never checked what they sent.

use serde::{Deserialize, Serialize};

use crate::attachment::{AddressForm, Attachment, MentionParts};
use crate::ids::{MessageId, UserId};
use crate::message::Message;
use crate::visible::has_visible;

/// Mentions everybody in the conversation.
pub const EVERYBODY: &str = "all";
/// Mentions the people who are online when the message is posted.
pub const EVERYBODY_ONLINE: &str = "online";
/// How clients from before the specification write [`EVERYBODY`].
pub const OLD_EVERYBODY: &str = "-1";

/// Why the mentions, the reply or the file of a message are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AddressRefusal {
    /// A mention names somebody who is not in the conversation, or nobody at all.
    #[error("attachments: user_ids of mentions must name people of this conversation")]
    NotHere,
    /// A locus lies outside the text, or there is not exactly one locus for each user.
    #[error("attachments: loci of mentions must lie inside the text, one for each of user_ids")]
    Outside,
    /// The conversation has no message with this id.
    #[error("attachments: reply_id must name a message of this conversation")]
    NoMessage,
    /// The file does not belong to this conversation.
    #[error("attachments: file_id must be the id of a file of this conversation")]
    NoFile,
    /// The message to reply to was deleted.
    #[error("attachments: reply_id names a message that was deleted")]
    Deleted,
    /// `base_reply_id` is not the message with which the thread began.
    #[error("attachments: base_reply_id must name the message with which the thread began")]
    Base,
    /// The message carries more than one reply.
    #[error("attachments: only one of type reply is allowed")]
    TwoReplies,
    /// An edit names another message to reply to: that is fixed once the message is posted.
    #[error("attachments: an edit cannot change the message that is replied to")]
    Moved,
    /// The group lets only the owner and admins mention everybody.
    #[error("only the owner and admins may mention everybody here (mention_all)")]
    NotEverybody,
    /// There is no text, and all attachments were dropped.
    #[error("text is required unless there is an attachment")]
    Empty,
}

/// The people who are in a conversation.
pub trait Participants {
    /// Whether the user is in the conversation.
    fn includes(&self, user: UserId) -> bool;
}

/// Data of a message's conversation that the rules of mentions and replies need.
pub struct AddressContext<'a> {
    /// The people who are in the conversation.
    pub people: &'a dyn Participants,
    /// Whether the author may mention everybody.
    pub may_mention_all: bool,
    /// The message that the new message replies to; `None` if it replies to none or that one is
    /// unknown.
    pub answered: Option<&'a Message>,
    /// The people whom a mention of [`EVERYBODY_ONLINE`] reaches.
    pub here: &'a [UserId],
}

/// Returns the id of the message that the attachments reply to, if any.
pub fn replied_to(attachments: &[Attachment]) -> Option<MessageId> {
    replies(attachments).next().and_then(|id| id.parse().ok())
}

fn replies(attachments: &[Attachment]) -> impl Iterator<Item = &str> {
    attachments.iter().filter_map(Attachment::reply).map(|it| it.reply_id)
}

/// Returns the people who were online when the message mentioned [`EVERYBODY_ONLINE`].
pub fn online_when_sent(attachments: &[Attachment]) -> &[UserId] {
    mentions(attachments).map(|it| it.here).find(|here| !here.is_empty()).unwrap_or_default()
}

/// Whether the attachments mention [`EVERYBODY_ONLINE`].
pub fn mentions_everybody_online(attachments: &[Attachment]) -> bool {
    mentions(attachments).any(|it| it.names(EVERYBODY_ONLINE))
}

fn mentions(attachments: &[Attachment]) -> impl Iterator<Item = MentionParts<'_>> {
    attachments.iter().filter_map(Attachment::mentions)
}

/// Checks the attachments of a new message, or repairs them if they come in the compatible form,
/// and returns them as they are stored.
///
/// # Errors
/// If they mention somebody, reply to something or carry a file that they may not, or if neither
/// text nor attachments are left.
pub fn check_attachments(
    attachments: Vec<Attachment>,
    text: Option<&str>,
    form: AddressForm,
    context: &AddressContext<'_>,
) -> Result<Vec<Attachment>, AddressRefusal> {
    let is_lenient = form == AddressForm::Compatible;
    if replies(&attachments).count() > 1 && !is_lenient {
        return Err(AddressRefusal::TwoReplies);
    }
    let mut kept = Vec::with_capacity(attachments.len());
    let mut answers = false;
    for attachment in attachments {
        if let Some(asked) = attachment.reply() {
            if !answers {
                let reply = reply(asked.base_reply_id, form, context)?;
                answers = reply.is_some();
                kept.extend(reply);
            }
        } else if let Attachment::Mentions { user_ids, loci, .. } = attachment {
            let named = Named { user_ids, loci };
            kept.extend(named.kept(text.unwrap_or_default(), form, context)?);
        } else if attachment.file().is_some_and(|file| file.digest.is_empty()) {
            return Err(AddressRefusal::NoFile);
        } else {
            kept.push(attachment);
        }
    }
    let is_empty = kept.is_empty() && !text.is_some_and(has_visible);
    if is_empty { Err(AddressRefusal::Empty) } else { Ok(kept) }
}

/// Returns a reply as it is stored: with the first message of its thread and the author of the
/// message it replies to. `None` if that message is unknown and the form is lenient.
fn reply(
    base: &str,
    form: AddressForm,
    context: &AddressContext<'_>,
) -> Result<Option<Attachment>, AddressRefusal> {
    let is_lenient = form == AddressForm::Compatible;
    let Some(answered) = context.answered else {
        return if is_lenient { Ok(None) } else { Err(AddressRefusal::NoMessage) };
    };
    if answered.is_deleted() {
        return Err(AddressRefusal::Deleted);
    }
    let reply_id = answered.id.to_string();
    let base_reply_id = thread_of(answered).to_string();
    if !is_lenient && base != reply_id && base != base_reply_id {
        return Err(AddressRefusal::Base);
    }
    let user_id = Some(answered.author.to_string());
    Ok(Some(Attachment::Reply { reply_id, base_reply_id, user_id }))
}

/// Returns the message with which the thread of a message began: the message itself if it replies
/// to none. Replies stored before they were checked may name anything, so only an older message
/// counts.
pub fn thread_of(message: &Message) -> MessageId {
    let base = message.attachments.iter().find_map(Attachment::reply);
    let base = base.and_then(|it| it.base_reply_id.parse::<MessageId>().ok());
    base.filter(|base| *base < message.id).unwrap_or(message.id)
}

/// Returns the message that began the thread in which this message is a reply; `None` if it is no
/// reply.
pub fn answer_of(message: &Message) -> Option<MessageId> {
    Some(thread_of(message)).filter(|base| *base != message.id)
}

/// Checks the attachments of an edited message and returns them as they are stored. An edit may
/// keep or drop the reply, but not change it.
///
/// # Errors
/// If they mention somebody or carry a file that they may not, or reply to another message.
pub fn check_edited_attachments(
    message: &Message,
    attachments: Vec<Attachment>,
    text: Option<&str>,
    form: AddressForm,
    context: &AddressContext<'_>,
) -> Result<Vec<Attachment>, AddressRefusal> {
    let answered = replies(&message.attachments).next();
    let mut kept = Vec::with_capacity(attachments.len());
    for attachment in attachments {
        if let Some(reply) = attachment.reply() {
            if Some(reply.reply_id) == answered {
                let is_it = |it: &&Attachment| it.reply().is_some();
                kept.extend(message.attachments.iter().find(is_it).cloned());
            } else if form == AddressForm::Specified {
                return Err(AddressRefusal::Moved);
            }
        } else if let Attachment::Mentions { user_ids, loci, .. } = attachment {
            let named = Named { user_ids, loci };
            kept.extend(named.kept(text.unwrap_or_default(), form, context)?);
        } else if attachment.file().is_some_and(|file| file.digest.is_empty()) {
            return Err(AddressRefusal::NoFile);
        } else {
            kept.push(attachment);
        }
    }
    Ok(kept)
}

/// Returns the attachments of a message whose text changes, with the loci of mentions cut to the
/// new text.
pub fn fit_mentions_to_text(attachments: &[Attachment], text: Option<&str>) -> Vec<Attachment> {
    let end = text.unwrap_or_default().chars().count();
    let mut kept = attachments.to_vec();
    for attachment in &mut kept {
        if let Attachment::Mentions { loci, .. } = attachment {
            loci.iter_mut().for_each(|locus| *locus = cut(locus, end));
        }
    }
    kept
}

/// The users of a mention, and their places in the text.
struct Named {
    user_ids: Vec<String>,
    loci: Vec<Vec<i64>>,
}

impl Named {
    /// Returns the mention as it is stored; `None` if nobody is left in it.
    fn kept(
        self,
        text: &str,
        form: AddressForm,
        context: &AddressContext<'_>,
    ) -> Result<Option<Attachment>, AddressRefusal> {
        let (user_ids, loci) = match form {
            AddressForm::Specified => self.checked(text, context)?,
            AddressForm::Compatible => self.corrected(text, context),
        };
        let has = |word: &str| user_ids.iter().any(|it| it == word);
        if (has(EVERYBODY) || has(EVERYBODY_ONLINE)) && !context.may_mention_all {
            return Err(AddressRefusal::NotEverybody);
        }
        let here = if has(EVERYBODY_ONLINE) { context.here.to_vec() } else { Vec::new() };
        let is_anybody = !user_ids.is_empty();
        Ok(is_anybody.then_some(Attachment::Mentions { user_ids, loci, here }))
    }

    fn checked(
        self,
        text: &str,
        context: &AddressContext<'_>,
    ) -> Result<(Vec<String>, Vec<Vec<i64>>), AddressRefusal> {
        let Self { user_ids, loci } = self;
        if user_ids.is_empty() || !user_ids.iter().all(|id| is_known(id, context)) {
            return Err(AddressRefusal::NotHere);
        }
        let end = text.chars().count();
        let fits = |locus: &Vec<i64>| cut(locus, end) == *locus;
        if loci.len() != user_ids.len() || !loci.iter().all(fits) {
            return Err(AddressRefusal::Outside);
        }
        Ok((user_ids, loci))
    }

    fn corrected(self, text: &str, context: &AddressContext<'_>) -> (Vec<String>, Vec<Vec<i64>>) {
        let Self { user_ids, loci } = self;
        let units = Utf16Index::of(text);
        let places = loci.iter().map(|locus| units.in_scalars(locus));
        let places = places.chain(std::iter::repeat(vec![0, 0]));
        let everybody = |id: String| if id == OLD_EVERYBODY { EVERYBODY.to_owned() } else { id };
        let named = user_ids.into_iter().map(everybody).zip(places);
        named.filter(|(id, _)| is_known(id, context)).unzip()
    }
}

fn is_known(id: &str, context: &AddressContext<'_>) -> bool {
    let user = || id.parse::<UserId>().ok();
    id == EVERYBODY
        || id == EVERYBODY_ONLINE
        || user().is_some_and(|it| context.people.includes(it))
}

/// Clamps a locus to a text of `end` characters.
fn cut(locus: &[i64], end: usize) -> Vec<i64> {
    let end = i64::try_from(end).unwrap_or(i64::MAX);
    let start = locus.first().copied();
    let length = locus.get(1).copied();
    let start = start.unwrap_or_default().clamp(0, end);
    vec![start, length.unwrap_or_default().clamp(0, end - start)]
}

/// Maps UTF-16 units, in which older clients count, to characters: for each unit the index of its
/// character, and at the end the number of characters.
struct Utf16Index(Vec<usize>);

impl Utf16Index {
    fn of(text: &str) -> Self {
        let numbered = text.chars().enumerate();
        let mut units: Vec<usize> =
            numbered.flat_map(|(number, it)| std::iter::repeat_n(number, it.len_utf16())).collect();
        units.push(text.chars().count());
        Self(units)
    }

    fn in_scalars(&self, locus: &[i64]) -> Vec<i64> {
        let place = cut(locus, self.0.len() - 1);
        let unit = |at: i64| usize::try_from(at).ok().and_then(|at| self.0.get(at)).copied();
        let number = |at: i64| unit(at).and_then(|it| i64::try_from(it).ok()).unwrap_or_default();
        let start = number(place[0]);
        let end = number(place[0] + place[1]);
        vec![start, end - start]
    }
}

/// Converts loci from Unicode scalar values to the UTF-16 units that older clients count.
pub fn to_utf16_loci(text: &str, loci: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let mut ends = vec![0_i64];
    for character in text.chars() {
        let end = ends.last().copied().unwrap_or_default();
        ends.push(end + i64::from(character.len_utf16() == 2) + 1);
    }
    let unit = |at: i64| usize::try_from(at).ok().and_then(|at| ends.get(at)).copied();
    let unit = |at: i64| unit(at).unwrap_or_default();
    let place = |locus: &Vec<i64>| {
        let place = cut(locus, ends.len() - 1);
        let start = unit(place[0]);
        let end = unit(place[0] + place[1]);
        vec![start, end - start]
    };
    loci.iter().map(place).collect()
}

/// For whom a message is in particular.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addressed {
    /// Whether it is for everybody in the conversation.
    pub everybody: bool,
    /// The people mentioned or replied to: sorted, each once, without the author.
    pub users: Vec<UserId>,
}

impl Addressed {
    /// Works out for whom a message of this author with these attachments is.
    pub fn of(attachments: &[Attachment], author: Option<UserId>) -> Self {
        let everybody = mentions(attachments).any(|it| it.names(EVERYBODY));
        let named = mentions(attachments).flat_map(|it| {
            it.user_ids.iter().filter_map(|id| id.parse().ok()).chain(it.here.iter().copied())
        });
        let replies = attachments.iter().filter_map(Attachment::reply);
        let answered = replies.filter_map(|it| it.user_id?.parse().ok());
        let mut users: Vec<UserId> =
            named.chain(answered).filter(|user| Some(*user) != author).collect();
        users.sort_unstable();
        users.dedup();
        Self { everybody, users }
    }

    /// Whether the message is for this user.
    pub fn is_for(&self, user: UserId) -> bool {
        self.everybody || self.users.binary_search(&user).is_ok()
    }

    /// Whether the message is for nobody in particular.
    pub fn is_nobody(&self) -> bool {
        !self.everybody && self.users.is_empty()
    }
}

#[cfg(test)]
pub(crate) mod tests;
