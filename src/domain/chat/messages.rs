//! Writing a direct message: what is stored, and why it may be refused.
//!
//! Pure rules. Text and attachments are valid already; whether one of the two blocked the other is
//! checked before.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::addressees::{AddressRefusal, check_attachments};
use crate::attachment::{Attachment, ImageRef};
use crate::chat::{Chat, ChatFact};
use crate::event::{Decision, Fact};
use crate::group::BrokenRule;
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::message::{Author, Message, NewMessage};
use crate::message_requests::{DmRefusal, REQUEST_MESSAGES};
use crate::revision::MessageState;
use crate::text::UserName;
use crate::time::Moment;

/// Why a direct message was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum WriteRefusal {
    /// The recipient is the sender.
    #[error("recipient_id must name somebody else, not yourself")]
    Oneself,
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
    /// The recipient blocked the sender.
    #[error("this user has blocked you")]
    Blocked,
    /// The sender blocked the recipient.
    #[error("you have blocked this user; unblock them to write to them")]
    Blocking,
    /// The message mentions somebody or answers a message that it cannot.
    #[error(transparent)]
    Address(#[from] AddressRefusal),
    /// The sender sent too many direct messages.
    #[error("you sent too many direct messages and cannot send any for a while")]
    Banned {
        /// Milliseconds until the sender may write again.
        wait_millis: u64,
    },
    /// A rule of the operators refuses the message.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// The recipient does not take it from somebody they do not know.
    #[error(transparent)]
    NotTaken(#[from] DmRefusal),
}

/// The sender, as the recipient sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    /// The sender's id.
    pub id: UserId,
    /// The sender's name.
    pub name: UserName,
    /// The sender's picture.
    pub image: Option<ImageRef>,
}

impl Attachment {
    /// Whether somebody may send the attachment whose request is not accepted: nothing that shows a
    /// picture, a file or a place.
    pub fn fits_a_request(&self) -> bool {
        match self {
            Self::Emoji { .. } | Self::Mentions { .. } | Self::Reply { .. } => true,
            Self::Split { .. }
            | Self::Poll { .. }
            | Self::Image { .. }
            | Self::Location { .. }
            | Self::File(_)
            | Self::Event { .. }
            | Self::Audio { .. }
            | Self::LinkedImage { .. }
            | Self::Video { .. } => false,
        }
    }

    /// Whether a direct message may carry the attachment. Bills and polls are for groups only.
    pub fn fits_a_chat(&self) -> bool {
        match self {
            Self::Split { .. } | Self::Poll { .. } => false,
            Self::Image { .. }
            | Self::Location { .. }
            | Self::Emoji { .. }
            | Self::Mentions { .. }
            | Self::Reply { .. }
            | Self::File(_)
            | Self::Event { .. }
            | Self::Audio { .. }
            | Self::LinkedImage { .. }
            | Self::Video { .. } => true,
        }
    }
}

impl Chat {
    /// Returns the message that this sender stored under this guid less than a minute ago.
    pub fn repeated(&self, sender: UserId, guid: &str, now: Moment) -> Option<&Arc<Message>> {
        self.guids.recall(&Author::Member(sender), guid, now.mono).map(|stored| &stored.0)
    }

    /// Lets a message into a request that its recipient has not accepted. A repeat passes.
    ///
    /// # Errors
    /// If it is more than text, or one message too many.
    pub fn admit_to_request(
        &self,
        sender: UserId,
        new: &NewMessage,
        now: Moment,
    ) -> Result<(), DmRefusal> {
        if self.repeated(sender, new.source_guid.as_str(), now).is_some() {
            return Ok(());
        }
        // To write back is to accept the request, so all messages are the sender's.
        if self.count >= REQUEST_MESSAGES {
            return Err(DmRefusal::Unanswered);
        }
        text_only(&new.attachments)
    }

    /// Writes a message; `answered` is the message of this chat that it answers, if there is one. A
    /// repeat within a minute writes nothing and returns the stored message, so that a client may
    /// safely retry.
    ///
    /// # Errors
    /// If the message mentions somebody or answers a message that it cannot.
    pub fn write(
        &self,
        sender: Sender,
        new: NewMessage,
        answered: Option<&Message>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<Message>>, WriteRefusal> {
        debug_assert!(self.pair.other(sender.id).is_some(), "only the two write here");
        if let Some(stored) = self.repeated(sender.id, new.source_guid.as_str(), now) {
            return Ok(Decision::unchanged(Arc::clone(stored)));
        }
        let NewMessage { text, attachments, form, here, .. } = new;
        let text = text.map(|text| text.as_str().to_owned());
        let context = self.context(answered, &here);
        let attachments = check_attachments(attachments, text.as_deref(), form, &context)?;
        let id = id_generator.message(now.wall);
        let message = Arc::new(Message {
            id,
            author: Author::Member(sender.id),
            name: sender.name.as_str().to_owned(),
            avatar: sender.image,
            source_guid: new.source_guid.as_str().to_owned(),
            text,
            attachments,
            count: self.count + 1,
            line: None,
            written_at: Message::written_at(id, now.wall),
            parent: None,
            state: MessageState::default(),
        });
        let fact = Fact::Chat(ChatFact::Posted(Arc::clone(&message)));
        Ok(Decision { facts: vec![fact], answer: message })
    }
}

/// Lets these attachments into a request that is not accepted.
///
/// # Errors
/// If one of them is more than text.
pub fn text_only(attachments: &[Attachment]) -> Result<(), DmRefusal> {
    match attachments.iter().all(Attachment::fits_a_request) {
        true => Ok(()),
        false => Err(DmRefusal::TextOnly),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attachment::AddressForm;
    use crate::ids::{AddId, BotId, GroupId, MembershipId, MessageId, Pair, TokenId};
    use crate::text::{MessageText, SourceGuid};
    use crate::time::{Monotonic, Timestamp};

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);

    /// Makes ids that equal the time of the request; a chat requests message ids only.
    struct Times;

    impl IdGenerator for Times {
        fn message(&self, at: Timestamp) -> MessageId {
            MessageId::new(at.millis())
        }
        fn user(&self) -> UserId {
            unreachable!("a chat makes no users")
        }
        fn group(&self) -> GroupId {
            unreachable!("a chat makes no groups")
        }
        fn membership(&self) -> MembershipId {
            unreachable!("a chat makes no memberships")
        }
        fn token(&self) -> TokenId {
            unreachable!("a chat makes no tokens")
        }
        fn add(&self) -> AddId {
            unreachable!("a chat adds nobody")
        }
        fn bot(&self) -> BotId {
            unreachable!("a chat makes no bots")
        }
        fn share_token(&self) -> String {
            unreachable!("a chat is not shared")
        }
    }

    fn at(millis: u64) -> Moment {
        Moment { wall: Timestamp::from_millis(millis), mono: Monotonic::from_millis(millis) }
    }

    fn said(chat: &mut Chat, by: UserId, guid: &str, now: Moment) -> Arc<Message> {
        let new = NewMessage {
            source_guid: SourceGuid::parse(guid.to_owned()).unwrap(),
            text: Some(MessageText::parse(guid.to_owned()).unwrap()),
            attachments: Vec::new(),
            form: AddressForm::Specified,
            here: Vec::new(),
        };
        let name = UserName::parse("Somebody".to_owned()).unwrap();
        let sender = Sender { id: by, name, image: None };
        let decision = chat.write(sender, new, None, now, &Times).unwrap();
        for fact in &decision.facts {
            let Fact::Chat(fact) = fact else { panic!("a chat decides facts of chats") };
            chat.apply(now.wall, fact, now);
        }
        decision.answer
    }

    fn chat() -> Chat {
        Chat::silent(Pair::of(ANA, BEN).unwrap())
    }

    #[test]
    fn a_repeat_within_a_minute_is_the_stored_message() {
        let mut chat = chat();
        let first = said(&mut chat, ANA, "a", at(1000));
        assert_eq!(said(&mut chat, ANA, "a", at(60_999)).id, first.id);
        assert_eq!(chat.count, 1);
    }

    #[test]
    fn after_a_minute_the_guid_is_free_again() {
        let mut chat = chat();
        let first = said(&mut chat, ANA, "a", at(1000));
        assert_ne!(said(&mut chat, ANA, "a", at(61_000)).id, first.id);
        assert_eq!(chat.count, 2);
    }

    #[test]
    fn both_may_use_the_same_guid() {
        let mut chat = chat();
        let ana = said(&mut chat, ANA, "a", at(1000));
        assert_ne!(said(&mut chat, BEN, "a", at(1001)).id, ana.id);
    }

    #[test]
    fn a_chat_begins_with_its_first_message() {
        let mut chat = chat();
        assert_eq!(chat.created_at, None);
        said(&mut chat, BEN, "a", at(5000));
        said(&mut chat, ANA, "b", at(6000));
        assert_eq!(chat.created_at, Some(Timestamp::from_millis(5000)));
    }

    #[test]
    fn a_bill_is_not_split_in_a_chat() {
        assert!(!Attachment::Split { token: "t".to_owned() }.fits_a_chat());
        let emoji = Attachment::Emoji { placeholder: "x".to_owned(), charmap: Vec::new() };
        assert!(emoji.fits_a_chat());
    }
}
