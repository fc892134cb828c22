//! A client's subscriptions, and the reader that supplies their events.
//!
//! The reader is open while the client is connected. For a client that is away only a cursor is
//! kept, from which reading continues.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::auth::keyring::Caller;
use crate::domain::ids::Conversation;
use crate::index::{Index, IndexFault};
use crate::journal::Cursor;
use crate::subscribers::bayeux::BayeuxContext;
use crate::subscribers::bayeux::channel_messages::TranslationContext;
use crate::subscribers::bayeux::channels::Topic;
use crate::subscribers::bayeux::message;
use crate::subscribers::bayeux::translate;
use crate::subscribers::closing::Close;
use crate::subscribers::presence::PresenceGuard;
use crate::subscribers::reader::{EphemeralMode, Reader, ReaderEvent};
use crate::subscribers::slot::Frame;
use crate::wire::live::EncodedEphemeral;

/// A channel that a client subscribed to.
#[derive(Debug, Clone)]
pub(super) struct Subscription {
    /// The channel's name as the client wrote it.
    pub(super) name: String,
    /// The parsed channel.
    pub(super) topic: Topic,
    /// The cursor after which events belong to the subscription: earlier ones were sent on the
    /// channel, or are not for it.
    pub(super) after: Cursor,
}

/// An open reader; the user is present as long as it is open.
struct Listening {
    reader: Reader,
    _being: PresenceGuard,
}

/// The subscriptions and the reader of one client.
pub(super) struct Feed {
    context: BayeuxContext,
    caller: Option<Caller>,
    subscriptions: Vec<Subscription>,
    listening: Option<Listening>,
    is_synced: bool,
    /// The cursor up to which the client has certainly received everything.
    confirmed: Cursor,
    /// The cursor up to which everything was sent.
    position: Cursor,
    pace: FeedPace,
    /// Events that were read and held back because of the pace: no more than a slot holds.
    rest: VecDeque<Frame>,
}

/// How many events are sent in one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeedPace {
    /// As many as there are.
    Together,
    /// One: some clients that know long-polling only read the first message after the reply to
    /// their connect.
    OneByOne,
}

impl Feed {
    /// A feed without subscriptions and without a caller.
    pub(super) const fn new(context: BayeuxContext, pace: FeedPace) -> Self {
        Self {
            pace,
            rest: VecDeque::new(),
            context,
            caller: None,
            subscriptions: Vec::new(),
            listening: None,
            is_synced: false,
            confirmed: Cursor::new(0),
            position: Cursor::new(0),
        }
    }

    /// The caller; `None` until a subscription succeeded.
    pub(super) const fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// The channels.
    pub(super) fn subscriptions(&self) -> &[Subscription] {
        &self.subscriptions
    }

    /// The cursor up to which everything was sent.
    pub(super) const fn position(&self) -> Cursor {
        self.position
    }

    /// The cursor up to which everything was sent, in the form that clients see.
    pub(super) fn cursor(&self) -> String {
        self.context.shared.instance.cursor(self.position)
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
        caller: Caller,
        after: Option<&str>,
    ) -> Result<bool, Close> {
        let reader = Reader::open(&self.context.shared, &self.context.local, caller, after).await?;
        self.caller = Some(caller);
        self.confirmed = reader.position();
        let is_honoured = after.is_none() || reader.is_resumed();
        self.listen_with(reader);
        Ok(is_honoured)
    }

    /// Opens the reader again, if the client has subscribed and the reader is closed.
    pub(super) async fn resume(&mut self) -> Result<(), Close> {
        let Some(caller) = self.caller.filter(|_| self.listening.is_none()) else { return Ok(()) };
        let after = self.context.shared.instance.cursor(self.confirmed);
        let BayeuxContext { shared, local, .. } = &self.context;
        let reader = Reader::open(shared, local, caller, Some(&after)).await?;
        let topics = self.subscriptions.iter().filter_map(|it| it.topic.conversation());
        reader.watch(topics.collect(), EphemeralMode::Yes).await;
        self.listen_with(reader);
        Ok(())
    }

    fn listen_with(&mut self, reader: Reader) {
        let user = reader.subscriber().number();
        self.position = reader.position();
        self.is_synced = false;
        self.listening =
            Some(Listening { reader, _being: self.context.shared.presence.enter(user) });
    }

    /// Notes that the client has received everything up to this cursor.
    pub(super) fn confirm(&mut self, upto: Cursor) {
        self.confirmed = self.confirmed.max(upto);
    }

    /// Closes the reader. What is not confirmed will be sent again.
    pub(super) fn pause(&mut self) {
        self.listening = None;
        self.rest.clear();
        self.position = self.confirmed;
    }

    /// Continues from an earlier cursor, whose events go only to channels added from now on.
    /// Returns whether the cursor is known.
    pub(super) async fn reach_back(&mut self, after: &str) -> Result<bool, Close> {
        let known = self.context.shared.known_cursor(after).await?;
        if let Some(cursor) = known.filter(|it| *it < self.position) {
            for subscription in &mut self.subscriptions {
                subscription.after = subscription.after.max(self.confirmed);
            }
            self.confirmed = cursor;
            self.pause();
            self.resume().await?;
        }
        Ok(known.is_some())
    }

    /// Adds a subscription, if it is new, and watches the conversation for ephemeral events.
    /// Returns `false` and adds nothing if the user was removed from the conversation meanwhile.
    pub(super) async fn add(&mut self, name: &str, topic: Topic) -> Result<bool, IndexFault> {
        if self.subscriptions.iter().any(|it| it.name == name) {
            return Ok(true);
        }
        let after = self.confirmed;
        self.subscriptions.push(Subscription { name: name.to_owned(), topic, after });
        let Some(conversation) = topic.conversation() else { return Ok(true) };
        if let Some(reader) = self.reader() {
            reader.watch(vec![conversation], EphemeralMode::Yes).await;
        }
        self.context.shared.indexed_here().await?;
        let is_own = self.is_own(topic).await?;
        if !is_own {
            self.lose(conversation).await;
        }
        Ok(is_own)
    }

    /// Whether the feed's caller may hear a topic.
    async fn is_own(&self, topic: Topic) -> Result<bool, IndexFault> {
        let Some(caller) = &self.caller else { return Ok(false) };
        self.belongs_to(caller, topic).await
    }

    /// Whether a caller may hear a topic.
    pub(super) async fn belongs_to(
        &self,
        caller: &Caller,
        topic: Topic,
    ) -> Result<bool, IndexFault> {
        let user = caller.user;
        match topic {
            Topic::User(id) => Ok(id == user),
            // Also before the first message of the chat.
            Topic::Conversation(Conversation::Chat(pair)) => Ok(pair.other(user).is_some()),
            Topic::Conversation(conversation) => {
                let archive = &self.context.shared.archive;
                archive.index.current().await?;
                let look = move |index: &Index| index.is_in(user, conversation);
                archive.blocking(move |archive| look(&archive.index)).await
            }
        }
    }

    /// Takes the caller off the feed, as before a subscription that failed.
    pub(super) fn end(&mut self) {
        self.caller = None;
        self.listening = None;
        self.rest.clear();
        self.is_synced = false;
    }

    /// Removes a subscription.
    pub(super) async fn remove(&mut self, name: &str) {
        let Some(place) = self.subscriptions.iter().position(|it| it.name == name) else { return };
        let gone = self.subscriptions.remove(place);
        if let Some(conversation) = gone.topic.conversation() {
            self.watch_no_more(conversation).await;
        }
    }

    /// Removes the subscriptions to a conversation that the user can no longer see.
    async fn lose(&mut self, conversation: Conversation) {
        self.subscriptions.retain(|it| it.topic != Topic::Conversation(conversation));
        self.watch_no_more(conversation).await;
    }

    async fn watch_no_more(&mut self, conversation: Conversation) {
        let topic = Topic::Conversation(conversation);
        let is_wanted = self.subscriptions.iter().any(|it| it.topic == topic);
        if let Some(reader) = self.reader().filter(|_| !is_wanted) {
            reader.watch(vec![conversation], EphemeralMode::No).await;
        }
    }

    /// Turns what the reader supplied into messages on channels.
    pub(super) async fn take(&mut self, told: ReaderEvent) -> Result<Vec<Value>, Close> {
        let mut messages = Vec::new();
        match told {
            ReaderEvent::Events(frames) => match self.pace {
                FeedPace::Together => {
                    for frame in frames {
                        self.take_event(&frame, &mut messages).await?;
                    }
                }
                FeedPace::OneByOne => {
                    self.rest.extend(frames);
                    if let Some(cursor) = self.take_one(&mut messages).await? {
                        self.position = cursor;
                        return Ok(messages);
                    }
                }
            },
            ReaderEvent::EphemeralEvents(frames) => {
                messages.extend(self.ephemeral_events(&frames));
                // An ephemeral event that is held back would be out of date when it is sent.
                if self.pace == FeedPace::OneByOne {
                    messages.truncate(1);
                }
            }
            ReaderEvent::Synced => self.is_synced = true,
            ReaderEvent::Reset(why) => {
                let cursor = self.reader().map(|it| it.cursor()).unwrap_or_default();
                messages.extend(self.on_all(&translate::reset(why, &cursor)));
            }
            ReaderEvent::Over(close) => return Err(close),
        }
        if let Some(position) = self.reader().map(|it| it.position()) {
            self.position = position;
        }
        Ok(messages)
    }

    /// Sends the next event held back that becomes a message for this client. Returns its cursor if
    /// more is held back.
    async fn take_one(&mut self, messages: &mut Vec<Value>) -> Result<Option<Cursor>, Close> {
        while let Some(frame) = self.rest.pop_front() {
            self.take_event(&frame, messages).await?;
            if !messages.is_empty() {
                return Ok(Some(frame.told.cursor).filter(|_| self.has_rest()));
            }
        }
        Ok(None)
    }

    /// Sends events together from now on: the client uses more than long-polling after all.
    pub(super) fn tells_together(&mut self) {
        self.pace = FeedPace::Together;
        if self.has_rest() {
            self.pause();
        }
    }

    /// Whether events are held back that can be sent at once.
    pub(super) fn has_rest(&self) -> bool {
        !self.rest.is_empty()
    }

    async fn take_event(&mut self, frame: &Frame, messages: &mut Vec<Value>) -> Result<(), Close> {
        let (Some(caller), cursor) = (self.caller, frame.told.cursor) else { return Ok(()) };
        let wants = |topic| self.listeners(topic).any(|it| cursor > it.after);
        let reading =
            TranslationContext { shared: &self.context.shared, reader: caller.user, wants: &wants };
        let news = reading.event(&frame.told).await.map_err(|fault| {
            tracing::error!(%fault, "an event cannot be told over Bayeux");
            Close::INTERNAL
        })?;
        let ext = json!({"c": self.context.shared.instance.cursor(cursor)});
        for (topic, mut data) in news.told {
            if frame.is_silent {
                data["alert"] = Value::Null;
            }
            for listener in self.listeners(topic).filter(|it| cursor > it.after) {
                let mut told = message::told(&listener.name, &data);
                told["ext"] = ext.clone();
                messages.push(told);
            }
        }
        if let Some(conversation) = news.lost {
            self.lose(conversation).await;
        }
        Ok(())
    }

    fn ephemeral_events(&self, frames: &[EncodedEphemeral]) -> Vec<Value> {
        let Some(caller) = self.caller else { return Vec::new() };
        let wants = |topic| self.listeners(topic).next().is_some();
        let reading =
            TranslationContext { shared: &self.context.shared, reader: caller.user, wants: &wants };
        let told = frames.iter().filter_map(|frame| reading.ephemeral_event(frame));
        told.flat_map(|(topic, data)| {
            let listeners = self.listeners(topic);
            listeners.map(move |it| message::told(&it.name, &data)).collect::<Vec<_>>()
        })
        .collect()
    }

    fn listeners(&self, topic: Topic) -> impl Iterator<Item = &Subscription> {
        self.subscriptions.iter().filter(move |it| it.topic == topic)
    }

    /// The same data on every channel.
    pub(super) fn on_all(&self, data: &Value) -> Vec<Value> {
        self.subscriptions.iter().map(|it| message::told(&it.name, data)).collect()
    }
}
