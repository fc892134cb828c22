//! Turns events into messages on channels, looking up what they need besides.

use std::sync::Arc;

use serde_json::json;

use crate::SubscriberContext;
use crate::bayeux::channels::ClientChannel;
use crate::bayeux::translate::{self, LikeUpdate, Push, RevisedMessage};
use crate::slot::DurableEvent;
use domain::calendar::CalendarChange;
use domain::chat::ChatFact;
use domain::event::Fact;
use domain::group::{GroupFact, JoinRequest, Member};
use domain::ids::{Conversation, GroupId, Pair, StreamId, UserId};
use domain::likes::LikeChange;
use domain::message::Message;
use domain::polls::PollChange;
use domain::revision::{Revision, RevisionKind};
use index::IndexFault;
use index::archive::Archive;
use journal::Cursor;
use wire::calendar;
use wire::instance::Instance;
use wire::live::{EncodedEphemeral, EphemeralKind};
use wire::poll;
use wire::reaction::ShownLikers;

/// The messages that an event becomes.
#[derive(Debug, Default)]
pub(super) struct ChannelMessages {
    /// The data to send, each with its channel.
    pub(super) told: Vec<(ClientChannel, Push)>,
    /// A conversation that the user can no longer see.
    pub(super) lost: Option<Conversation>,
}

impl ChannelMessages {
    fn on(channel: ClientChannel, push: Push) -> Self {
        Self { told: vec![(channel, push)], lost: None }
    }

    fn lost(conversation: Conversation) -> Self {
        Self { told: Vec::new(), lost: Some(conversation) }
    }
}

/// The user whose feed it is, and what the client listens to.
pub(super) struct TranslationContext<'a> {
    /// State that all subscribers share.
    pub(super) shared: &'a Arc<SubscriberContext>,
    /// The addresses that the client sees.
    pub(super) instance: &'a Instance,
    /// The user whose feed it is.
    pub(super) reader: UserId,
    /// Whether the client wants messages of a channel.
    pub(super) wants: &'a dyn Fn(ClientChannel) -> bool,
}

/// Milliseconds for which one typing signal counts.
const TYPING_MILLIS: u64 = 5000;

impl TranslationContext<'_> {
    /// The messages that a durable event becomes.
    pub(super) async fn event(&self, told: &DurableEvent) -> Result<ChannelMessages, IndexFault> {
        match (&told.event.fact, told.stream) {
            (Fact::Group(fact), StreamId::Group(group)) => self.of_group(group, fact, told).await,
            (Fact::Chat(fact), StreamId::Chat(pair)) => self.of_chat(pair, fact, told).await,
            _ => Ok(ChannelMessages::default()),
        }
    }

    async fn of_group(
        &self,
        id: GroupId,
        fact: &GroupFact,
        told: &DurableEvent,
    ) -> Result<ChannelMessages, IndexFault> {
        let group = Conversation::Group(id);
        match fact {
            GroupFact::Posted(message) => Ok(self.said(group, message, told)),
            GroupFact::Revised(revision) => self.revised(group, revision, told).await,
            GroupFact::Liked(change) => self.favorite(group, change, true, told).await,
            GroupFact::Unliked(change) => self.favorite(group, change, false, told).await,
            GroupFact::Polled(change) => Ok(self.polled(id, change, told)),
            GroupFact::Planned(change) => Ok(self.planned(group, change, told)),
            GroupFact::Created { owner, .. } => {
                self.joined(id, std::slice::from_ref(owner), owner.user_id, told).await
            }
            GroupFact::MembersJoined { members, by } => self.joined(id, members, *by, told).await,
            GroupFact::MemberLeft { member, .. } if member.user_id == self.reader => {
                Ok(ChannelMessages::lost(group))
            }
            GroupFact::Disbanded { .. } => Ok(ChannelMessages::lost(group)),
            GroupFact::JoinRequested(request) => Ok(self.requested(id, request, told)),
            GroupFact::MemberLeft { .. }
            | GroupFact::MemberChanged { .. }
            | GroupFact::SettingsChanged { .. }
            | GroupFact::OwnerChanged { .. }
            | GroupFact::BotAdded(_)
            | GroupFact::BotRemoved(_)
            | GroupFact::BotChanged(_)
            | GroupFact::AddRequested(_)
            | GroupFact::AddSettled { .. }
            | GroupFact::Invited { .. }
            | GroupFact::InvitesSettled { .. }
            | GroupFact::RequestSettled { .. }
            | GroupFact::Moderated(_)
            | GroupFact::Topic(_) => Ok(ChannelMessages::default()),
        }
    }

    fn requested(
        &self,
        group: GroupId,
        request: &JoinRequest,
        told: &DurableEvent,
    ) -> ChannelMessages {
        let own = ClientChannel::User(self.reader);
        let mut news = ChannelMessages::default();
        if (self.wants)(own) {
            let at = told.event.at;
            let line = translate::pending_member(group, request, at, told.cursor, self.instance);
            news.told.push((own, line));
        }
        news
    }

    async fn of_chat(
        &self,
        pair: Pair,
        fact: &ChatFact,
        told: &DurableEvent,
    ) -> Result<ChannelMessages, IndexFault> {
        let chat = Conversation::Chat(pair);
        match fact {
            ChatFact::Posted(message) => Ok(self.said(chat, message, told)),
            ChatFact::Revised(revision) => self.revised(chat, revision, told).await,
            ChatFact::Planned(change) => Ok(self.planned(chat, change, told)),
            ChatFact::Liked(change) => self.favorite(chat, change, true, told).await,
            ChatFact::Unliked(change) => self.favorite(chat, change, false, told).await,
        }
    }

    /// The message that an ephemeral event becomes. A receipt names the message, which the index
    /// knows.
    pub(super) async fn ephemeral_event(
        &self,
        frame: &EncodedEphemeral,
    ) -> Result<Option<(ClientChannel, Push)>, IndexFault> {
        let channel = ClientChannel::Conversation(frame.conversation);
        if !(self.wants)(channel) {
            return Ok(None);
        }
        match (frame.what, frame.conversation) {
            // Clients of the original service know no end of typing.
            (EphemeralKind::Typing { until: 0 }, _) => Ok(None),
            (EphemeralKind::Typing { until }, _) => {
                let started = until.saturating_sub(TYPING_MILLIS);
                Ok(Some((channel, translate::typing(&frame.user, started))))
            }
            (EphemeralKind::Receipt { .. }, Conversation::Chat(pair)) => {
                let user = frame.user;
                let read = move |archive: &Archive| archive.index.read_receipt(user, pair.into());
                let receipt = self.shared.archive.read_current(self.reader, read).await?;
                Ok(receipt.map(|receipt| (channel, translate::receipt(pair, user, &receipt))))
            }
            // Clients of the original service know no other ephemeral events.
            _ => Ok(None),
        }
    }

    /// A message that was edited, pinned or deleted: on the conversation's channel, and as a system
    /// message on the user's channel.
    async fn revised(
        &self,
        conversation: Conversation,
        revision: &Revision,
        told: &DurableEvent,
    ) -> Result<ChannelMessages, IndexFault> {
        let channel = ClientChannel::Conversation(conversation);
        let own = ClientChannel::User(self.reader);
        let Some(message) = &told.revised else { return Ok(ChannelMessages::default()) };
        // Earlier changes of a deleted message are no news; its deletion comes as an event.
        if message.is_deleted() && !matches!(revision.kind, RevisionKind::Deleted { .. }) {
            return Ok(ChannelMessages::default());
        }
        let likers = ShownLikers::of(told.likers.as_deref());
        let revised = RevisedMessage { conversation, message, revision, likers, at: told.event.at };
        let instance = self.instance;
        let mut news = ChannelMessages::default();
        if (self.wants)(channel) {
            news.told.push((channel, revised.whole(instance)));
        }
        if (self.wants)(own) {
            let by = match revision.by.user().filter(|_| revised.names_reviser()) {
                Some(by) => {
                    let look = move |archive: &Archive| name_of(archive, conversation, by);
                    self.look(told.cursor, look).await?
                }
                None => String::new(),
            };
            news.told.extend(revised.line(&by, told.cursor, instance).map(|line| (own, line)));
        }
        Ok(news)
    }

    /// A changed poll, on the group's channel.
    fn polled(&self, id: GroupId, change: &PollChange, told: &DurableEvent) -> ChannelMessages {
        let channel = ClientChannel::Conversation(Conversation::Group(id));
        match &told.poll {
            Some(poll) if (self.wants)(channel) => {
                let subject = json!(poll::told(id, poll));
                let at = told.event.at;
                ChannelMessages::on(channel, Push::own(change.push_type(), subject, at))
            }
            Some(_) | None => ChannelMessages::default(),
        }
    }

    /// A changed calendar event, on the conversation's channel.
    fn planned(
        &self,
        conversation: Conversation,
        change: &CalendarChange,
        told: &DurableEvent,
    ) -> ChannelMessages {
        let channel = ClientChannel::Conversation(conversation);
        match &told.planned {
            Some(event) if (self.wants)(channel) => {
                let subject = json!(calendar::told(conversation, event));
                let at = told.event.at;
                ChannelMessages::on(channel, Push::own(change.push_type(), subject, at))
            }
            Some(_) | None => ChannelMessages::default(),
        }
    }

    fn said(
        &self,
        conversation: Conversation,
        message: &Message,
        told: &DurableEvent,
    ) -> ChannelMessages {
        let own = ClientChannel::User(self.reader);
        if !(self.wants)(own) {
            return ChannelMessages::default();
        }
        let at = told.event.at;
        let instance = self.instance;
        ChannelMessages::on(own, translate::said(conversation, message, at, instance))
    }

    async fn joined(
        &self,
        id: GroupId,
        members: &[Member],
        by: UserId,
        told: &DurableEvent,
    ) -> Result<ChannelMessages, IndexFault> {
        let own = ClientChannel::User(self.reader);
        if !(self.wants)(own) || members.iter().all(|member| member.user_id != self.reader) {
            return Ok(ChannelMessages::default());
        }
        let by = Some(by).filter(|by| *by != self.reader);
        let look = move |archive: &Archive| {
            let adder = by.map(|by| archive.index.member(id, by)).transpose()?.flatten();
            Ok(archive.index.group(id)?.map(|group| (group, adder)))
        };
        let Some((group, adder)) = self.look(told.cursor, look).await? else {
            return Ok(ChannelMessages::default());
        };
        let name = adder.as_ref().map(|member| member.nickname.as_str());
        let data = translate::added(id, &group, name, told.event.at, self.instance);
        Ok(ChannelMessages::on(own, data))
    }

    async fn favorite(
        &self,
        conversation: Conversation,
        change: &LikeChange,
        liked: bool,
        told: &DurableEvent,
    ) -> Result<ChannelMessages, IndexFault> {
        let channel = ClientChannel::Conversation(conversation);
        let own = ClientChannel::User(self.reader);
        if !(self.wants)(channel) && !(self.wants)(own) {
            return Ok(ChannelMessages::default());
        }
        let message = change.message;
        let by = change.by;
        let look = move |archive: &Archive| {
            let found = archive.message(conversation.into(), message)?;
            Ok((found, name_of(archive, conversation, by)?))
        };
        let (Some(found), liker) = self.look(told.cursor, look).await? else {
            return Ok(ChannelMessages::default());
        };
        let liking = LikeUpdate {
            conversation,
            message: &found.message,
            likers: ShownLikers::of(told.likers.as_deref()),
            reaction: &change.reaction,
            by,
            liked,
            at: told.event.at,
        };
        let instance = self.instance;
        let mut news = ChannelMessages::on(channel, liking.favorite(instance));
        if found.message.author.user() == Some(self.reader) && by != self.reader {
            news.told.push((own, liking.for_author(&liker, instance)));
        }
        Ok(news)
    }

    /// Reads the index once it has everything up to an event.
    async fn look<T: Send + 'static>(
        &self,
        at: Cursor,
        question: impl FnOnce(&Archive) -> Result<T, IndexFault> + Send + 'static,
    ) -> Result<T, IndexFault> {
        self.shared.archive.index.reached(at).await?;
        self.shared.archive.blocking(self.reader, question).await
    }
}

/// A user's name in a conversation: the nickname in a group, else the profile's name.
fn name_of(
    archive: &Archive,
    conversation: Conversation,
    user: UserId,
) -> Result<String, IndexFault> {
    let in_group = match conversation {
        Conversation::Group(id) => archive.index.member(id, user)?,
        Conversation::Chat(_) => None,
    };
    if let Some(member) = in_group {
        return Ok(member.nickname.as_str().to_owned());
    }
    Ok(archive
        .index
        .user(user)?
        .map(|row| row.profile.name.as_str().to_owned())
        .unwrap_or_default())
}
