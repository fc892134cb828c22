//! A client's subscriptions, and the reader that supplies their events.
//!
//! The reader is open while the client is connected. For a client that is away only a cursor is
//! kept, from which reading continues.

use serde_json::Value;

use crate::bayeux::channel_messages::TranslationContext;
use crate::bayeux::channels::ClientChannel;
use crate::bayeux::translate::{self, Push};
use crate::bayeux::{BayeuxContext, message};
use crate::close::Close;
use crate::presence::PresenceGuard;
use crate::reader::{EphemeralMode, Reader, ReaderEvent};
use crate::resume::Portion;
use crate::slot::Frame;
use auth::keyring::TokenOwner;
use domain::ids::Conversation;
use index::{Index, IndexFault};
use journal::Cursor;
use wire::live::EncodedEphemeral;
use wire::old_form::MessageForm;

/// A channel that a client subscribed to.
#[derive(Debug, Clone)]
pub(super) struct Subscription {
    /// The channel's name as the client wrote it.
    pub(super) name: String,
    /// The parsed channel.
    pub(super) channel: ClientChannel,
    /// The cursor after which events belong to the subscription: earlier ones were sent on the
    /// channel, or are not for it.
    pub(super) after: Cursor,
    /// The types of messages that the client wants on the channel.
    pub(super) types: TypeSet,
}

/// The types of messages that a client wants on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeSet {
    /// The types of the service for which existing clients were made.
    Original,
    /// Also the types that only this server has; for clients that ask for them.
    All,
}

/// How far a client has come: everything up to a cursor, and the first messages of a later event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FeedPosition {
    /// The cursor up to which all messages were sent.
    cursor: Cursor,
    /// An event of which some messages were sent; it has no meaning while `sent` is 0.
    event: Cursor,
    /// The number of messages of that event that were sent.
    sent: usize,
}

impl FeedPosition {
    /// The position after all events up to this cursor.
    pub(super) const fn after(cursor: Cursor) -> Self {
        Self { cursor, event: Cursor::START, sent: 0 }
    }

    /// The position after the first messages of an event.
    const fn within(event: Cursor, sent: usize) -> Self {
        Self { cursor: event.just_before(), event, sent }
    }

    /// The position once everything up to this cursor was sent.
    fn advanced_to(self, cursor: Cursor) -> Self {
        if cursor >= self.event { Self::after(cursor) } else { Self { cursor, ..self } }
    }

    /// The number of messages of an event that were sent before.
    fn sent_of(self, event: Cursor) -> usize {
        if event == self.event { self.sent } else { 0 }
    }
}

/// An open reader; the user is present as long as it is open.
struct Listening {
    reader: Reader,
    _being: PresenceGuard,
}

/// The subscriptions and the reader of one client.
pub(super) struct Feed {
    context: BayeuxContext,
    caller: Option<TokenOwner>,
    subscriptions: Vec<Subscription>,
    listening: Option<Listening>,
    is_synced: bool,
    /// The position up to which the client has certainly received everything.
    confirmed: FeedPosition,
    /// The position up to which everything was sent.
    position: FeedPosition,
    /// The number of messages that were sent without being in the log, for their ids.
    unlogged: u64,
}

impl Feed {
    /// A feed without subscriptions and without a caller.
    pub(super) const fn new(context: BayeuxContext) -> Self {
        Self {
            context,
            caller: None,
            subscriptions: Vec::new(),
            listening: None,
            is_synced: false,
            confirmed: FeedPosition::after(Cursor::START),
            position: FeedPosition::after(Cursor::START),
            unlogged: 0,
        }
    }

    /// The caller; `None` until a subscription succeeded.
    pub(super) const fn caller(&self) -> Option<&TokenOwner> {
        self.caller.as_ref()
    }

    /// The channels.
    pub(super) fn subscriptions(&self) -> &[Subscription] {
        &self.subscriptions
    }

    /// The position up to which everything was sent.
    pub(super) const fn position(&self) -> FeedPosition {
        self.position
    }

    /// The cursor up to which everything was sent, in the form that clients see.
    pub(super) fn cursor(&self) -> String {
        self.context.shared.instance.cursor(self.position.cursor)
    }

    /// Whether all missed events were sent.
    pub(super) fn is_synced(&self) -> bool {
        self.is_synced || self.caller.is_none()
    }

    /// The reader, if it is open.
    pub(super) fn reader(&mut self) -> Option<&mut Reader> {
        self.listening.as_mut().map(|it| &mut it.reader)
    }

    /// Opens the feed for this caller, after this cursor if there is one. Returns whether reading
    /// starts where the client asked.
    pub(super) async fn begin(
        &mut self,
        caller: TokenOwner,
        after: Option<&str>,
    ) -> Result<bool, Close> {
        let reader = Reader::open(&self.context.shared, &self.context.local, caller, after).await?;
        self.caller = Some(caller);
        self.confirmed = FeedPosition::after(reader.position());
        let is_honoured = after.is_none() || reader.is_resumed();
        self.listen_with(reader);
        Ok(is_honoured)
    }

    /// Opens the reader again, if the client has subscribed and the reader is closed.
    pub(super) async fn resume(&mut self) -> Result<(), Close> {
        let Some(caller) = self.caller.filter(|_| self.listening.is_none()) else { return Ok(()) };
        let after = self.context.shared.instance.cursor(self.confirmed.cursor);
        let BayeuxContext { shared, local, .. } = &self.context;
        let reader = Reader::open(shared, local, caller, Some(&after)).await?;
        let channels = self.subscriptions.iter().filter_map(|it| it.channel.conversation());
        reader.watch(channels.collect(), EphemeralMode::WithOwn).await;
        self.listen_with(reader);
        Ok(())
    }

    fn listen_with(&mut self, reader: Reader) {
        let user = reader.subscriber().number();
        self.position = self.confirmed.advanced_to(reader.position());
        self.is_synced = false;
        self.listening =
            Some(Listening { reader, _being: self.context.shared.presence.enter(user) });
    }

    /// Notes that the client has received everything up to this position.
    pub(super) fn confirm(&mut self, upto: FeedPosition) {
        self.confirmed = self.confirmed.max(upto);
    }

    /// Closes the reader. What is not confirmed will be sent again.
    pub(super) fn pause(&mut self) {
        self.listening = None;
        self.position = self.confirmed;
    }

    /// Continues from an earlier cursor, whose events go only to channels added from now on.
    /// Returns whether the cursor is known.
    pub(super) async fn reach_back(&mut self, after: &str) -> Result<bool, Close> {
        let known = self.context.shared.known_cursor(after).await?;
        if let Some(cursor) = known.filter(|it| *it < self.position.cursor) {
            for subscription in &mut self.subscriptions {
                subscription.after = subscription.after.max(self.confirmed.cursor);
            }
            self.confirmed = FeedPosition::after(cursor);
            self.pause();
            self.resume().await?;
        }
        Ok(known.is_some())
    }

    /// Adds a subscription and watches the conversation for ephemeral events.
    /// Returns `false` and adds nothing if the user was removed from the conversation meanwhile.
    pub(super) async fn add(
        &mut self,
        name: &str,
        channel: ClientChannel,
        types: TypeSet,
    ) -> Result<bool, IndexFault> {
        let after = self.position.cursor.max(self.position.event);
        self.subscriptions.push(Subscription { name: name.to_owned(), channel, after, types });
        let Some(conversation) = channel.conversation() else { return Ok(true) };
        if let Some(reader) = self.reader() {
            reader.watch(vec![conversation], EphemeralMode::WithOwn).await;
        }
        self.context.shared.indexed_here().await?;
        let is_own = self.is_own(channel).await?;
        if !is_own {
            self.lose(conversation).await;
        }
        Ok(is_own)
    }

    /// Whether the feed's caller may receive a channel.
    async fn is_own(&self, channel: ClientChannel) -> Result<bool, IndexFault> {
        let Some(caller) = &self.caller else { return Ok(false) };
        self.belongs_to(caller, channel).await
    }

    /// Whether a caller may receive a channel, with the token that they sent.
    pub(super) async fn belongs_to(
        &self,
        caller: &TokenOwner,
        channel: ClientChannel,
    ) -> Result<bool, IndexFault> {
        let user = caller.user;
        if channel.conversation().is_some_and(|conversation| !caller.scopes.reads(conversation)) {
            return Ok(false);
        }
        match channel {
            ClientChannel::User(id) => Ok(id == user),
            // Also before the first message of the chat.
            ClientChannel::Conversation(Conversation::Chat(pair)) => Ok(pair.other(user).is_some()),
            ClientChannel::Conversation(conversation) => {
                let archive = &self.context.shared.archive;
                archive.index.current().await?;
                let look = move |index: &Index| index.is_in(user, conversation);
                archive.blocking(user, move |archive| look(&archive.index)).await
            }
        }
    }

    /// Takes the caller off the feed, as before a subscription that failed.
    pub(super) fn end(&mut self) {
        self.caller = None;
        self.listening = None;
        self.is_synced = false;
    }

    /// Sets the types of messages that a client wants on a channel.
    pub(super) fn set_types(&mut self, name: &str, types: TypeSet) {
        let named = self.subscriptions.iter_mut().filter(|it| it.name == name);
        named.for_each(|it| it.types = types);
    }

    /// Removes a subscription.
    pub(super) async fn remove(&mut self, name: &str) {
        let Some(place) = self.subscriptions.iter().position(|it| it.name == name) else { return };
        let gone = self.subscriptions.remove(place);
        if let Some(conversation) = gone.channel.conversation() {
            self.watch_no_more(conversation).await;
        }
    }

    /// Removes the subscriptions to a conversation that the user can no longer see.
    async fn lose(&mut self, conversation: Conversation) {
        self.subscriptions.retain(|it| it.channel != ClientChannel::Conversation(conversation));
        self.watch_no_more(conversation).await;
    }

    async fn watch_no_more(&mut self, conversation: Conversation) {
        let channel = ClientChannel::Conversation(conversation);
        let is_wanted = self.subscriptions.iter().any(|it| it.channel == channel);
        if let Some(reader) = self.reader().filter(|_| !is_wanted) {
            reader.watch(vec![conversation], EphemeralMode::No).await;
        }
    }

    /// Turns what the reader supplied into messages on channels: at most one message for
    /// [`Portion::One`].
    pub(super) async fn take(
        &mut self,
        told: ReaderEvent,
        portion: Portion,
    ) -> Result<Vec<Value>, Close> {
        let mut messages = Vec::new();
        match told {
            ReaderEvent::Events(frames) => {
                let before = self.position;
                for frame in &frames {
                    messages.extend(self.take_event(frame, portion).await?);
                }
                // Look-ups take time, in which a message may be deleted.
                let first = frames.first().map(|frame| frame.told.cursor.just_before());
                if let (Some(reader), Some(first)) = (self.reader(), first)
                    && reader.are_outdated(&frames)
                {
                    reader.rewind(first);
                    self.position = before;
                    return Ok(Vec::new());
                }
            }
            ReaderEvent::EphemeralEvents(frames) => {
                messages = self.ephemeral_events(&frames).await?;
                // An ephemeral event that is held back would be out of date when it is sent.
                if portion == Portion::One {
                    messages.truncate(1);
                }
            }
            ReaderEvent::Synced => self.is_synced = true,
            ReaderEvent::Reset(why) => {
                let cursor = self.reader().map(|it| it.cursor()).unwrap_or_default();
                messages = self.resets(&translate::reset(why, &cursor));
                if portion == Portion::One {
                    messages.truncate(1);
                }
            }
            ReaderEvent::Over(close) => return Err(close),
        }
        if let Some(cursor) = self.reader().map(|it| it.position()) {
            self.position = self.position.advanced_to(cursor);
        }
        Ok(messages)
    }

    /// The messages of an event that were not sent yet. For [`Portion::One`] the first of them; the
    /// event is read again for the others.
    async fn take_event(&mut self, frame: &Frame, portion: Portion) -> Result<Vec<Value>, Close> {
        let cursor = frame.told.cursor;
        let sent = self.position.sent_of(cursor);
        let mut messages = self.messages_of(frame).await?;
        messages.drain(..sent.min(messages.len()));
        if portion == Portion::One && messages.len() > 1 {
            messages.truncate(1);
            self.position = FeedPosition::within(cursor, sent + 1);
            if let Some(reader) = self.reader() {
                reader.rewind(cursor.just_before());
            }
        } else {
            self.position = self.position.advanced_to(cursor);
        }
        Ok(messages)
    }

    /// All messages of an event for this client, in an order that does not change.
    async fn messages_of(&mut self, frame: &Frame) -> Result<Vec<Value>, Close> {
        let (Some(caller), cursor) = (self.caller, frame.told.cursor) else {
            return Ok(Vec::new());
        };
        let wants = |channel| self.listeners(channel).any(|it| cursor > it.after);
        let reading = TranslationContext {
            shared: &self.context.shared,
            instance: &self.context.instance,
            reader: caller.user,
            wants: &wants,
        };
        let news = reading.event(&frame.told).await.map_err(|fault| {
            tracing::error!(
                %fault, ?cursor,
                "translating an event for Bayeux failed; closing the session"
            );
            Close::INTERNAL
        })?;
        let mut pushes: Vec<(String, Push)> = Vec::new();
        for (channel, mut push) in news.told {
            if frame.is_silent {
                push.data["alert"] = Value::Null;
            }
            let listeners = self.listeners(channel).filter(|it| cursor > it.after);
            let names = listeners.filter(|it| it.takes(&push)).map(|it| it.name.clone());
            pushes.extend(names.map(|name| (name, push.clone())).collect::<Vec<_>>());
        }
        if let Some(conversation) = news.lost {
            self.lose(conversation).await;
        }
        let count = pushes.len();
        let numbered = pushes.into_iter().enumerate();
        Ok(numbered
            .map(|(index, (name, push))| {
                // A client that continues from a message that is not the last gets the event again.
                let reached = if index + 1 == count { cursor } else { cursor.just_before() };
                let number = cursor.get().wrapping_mul(31).wrapping_add(index as u64);
                let mut message = message::push(&name, number, &push.data);
                if self.context.form == MessageForm::Specified {
                    message["ext"]["c"] = self.context.shared.instance.cursor(reached).into();
                }
                message
            })
            .collect())
    }

    async fn ephemeral_events(&mut self, frames: &[EncodedEphemeral]) -> Result<Vec<Value>, Close> {
        let Some(caller) = self.caller else { return Ok(Vec::new()) };
        let wants = |channel| self.listeners(channel).next().is_some();
        let reading = TranslationContext {
            shared: &self.context.shared,
            instance: &self.context.instance,
            reader: caller.user,
            wants: &wants,
        };
        let mut pushes: Vec<(String, Value)> = Vec::new();
        for frame in frames {
            let told = reading.ephemeral_event(frame).await.map_err(|fault| {
                tracing::error!(
                    %fault,
                    "translating a receipt for Bayeux failed; closing the session"
                );
                Close::INTERNAL
            })?;
            let Some((channel, push)) = told else { continue };
            let listeners = self.listeners(channel);
            pushes.extend(listeners.map(|it| (it.name.clone(), push.data.clone())));
        }
        Ok(pushes.into_iter().map(|(name, data)| self.unlogged(&name, &data)).collect())
    }

    /// A message that is not in the log.
    pub(super) fn unlogged(&mut self, channel: &str, data: &Value) -> Value {
        self.unlogged += 1;
        message::push(channel, self.unlogged, data)
    }

    fn listeners(&self, channel: ClientChannel) -> impl Iterator<Item = &Subscription> {
        self.subscriptions.iter().filter(move |it| it.channel == channel)
    }

    /// A message that shows that the connection works, on the channel of the user if the client
    /// subscribed to it; `None` without subscriptions.
    pub(super) fn ping(&mut self) -> Option<Value> {
        let is_own = |it: &&Subscription| matches!(it.channel, ClientChannel::User(_));
        let subscription =
            self.subscriptions.iter().find(is_own).or_else(|| self.subscriptions.first());
        let name = subscription?.name.clone();
        Some(self.unlogged(&name, &translate::ping().data))
    }

    /// The notice that events are missing, on each channel whose client knows it.
    fn resets(&mut self, reset: &Push) -> Vec<Value> {
        let listeners = self.subscriptions.iter().filter(|it| it.takes(reset));
        let names: Vec<String> = listeners.map(|it| it.name.clone()).collect();
        names.iter().map(|name| self.unlogged(name, &reset.data)).collect()
    }
}

impl Subscription {
    /// Whether the client wants messages of this type on the channel.
    fn takes(&self, push: &Push) -> bool {
        push.kind.is_original() || self.types == TypeSet::All
    }
}
