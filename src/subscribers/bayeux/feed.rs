//! What a client hears: its subscriptions, and the reader behind them.
//!
//! The reader is open while the client is here. For one that is away only a cursor is
//! kept, and reading goes on from it.

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

/// A channel that a client listens to.
#[derive(Debug, Clone)]
pub(super) struct Subscription {
    /// As the client wrote it.
    pub(super) name: String,
    /// What it is about.
    pub(super) topic: Topic,
    /// Everything up to here is not for this channel, or was told on it.
    pub(super) after: Cursor,
}

/// An open reader.
struct Listening {
    reader: Reader,
    _being: PresenceGuard,
}

/// What a client hears.
pub(super) struct Feed {
    context: BayeuxContext,
    caller: Option<Caller>,
    subscriptions: Vec<Subscription>,
    listening: Option<Listening>,
    is_synced: bool,
    /// Everything up to here has certainly reached the client.
    confirmed: Cursor,
    /// Everything up to here was told.
    position: Cursor,
    pace: FeedPace,
    /// What the reader gave and the pace has held back: no more than a slot holds.
    rest: VecDeque<Frame>,
}

/// How many events a client is told at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeedPace {
    /// As many as there are.
    Together,
    /// One: some clients that know long-polling only look at the first message behind the
    /// answer of their connect.
    OneByOne,
}

impl Feed {
    /// Nobody's yet.
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

    /// Whose it is, once somebody has subscribed.
    pub(super) const fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// The channels.
    pub(super) fn subscriptions(&self) -> &[Subscription] {
        &self.subscriptions
    }

    /// Everything up to here was told.
    pub(super) const fn position(&self) -> Cursor {
        self.position
    }

    /// Everything up to here was told, as clients see it.
    pub(super) fn cursor(&self) -> String {
        self.context.shared.instance.cursor(self.position)
    }

    /// Whether everything that was missed has been told.
    pub(super) fn is_synced(&self) -> bool {
        self.is_synced || self.caller.is_none()
    }

    /// The open reader.
    pub(super) fn reader(&mut self) -> Option<&mut Reader> {
        self.listening.as_mut().map(|it| &mut it.reader)
    }

    /// Opens it for this caller, after this cursor if there is one. Whether the cursor
    /// can be honoured.
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

    /// Opens the reader again, if somebody has subscribed and it is not open.
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

    /// Everything up to here has arrived.
    pub(super) fn confirm(&mut self, upto: Cursor) {
        self.confirmed = self.confirmed.max(upto);
    }

    /// Closes the reader: what is not confirmed will be told again.
    pub(super) fn pause(&mut self) {
        self.listening = None;
        self.rest.clear();
        self.position = self.confirmed;
    }

    /// Begins to tell everything after a cursor, but only to the channels that are added
    /// from now on. Whether it can be honoured.
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

    /// Adds a channel, if it is not there. Its reader hears ephemeral events too, unless it was
    /// taken out of the conversation before the feed knew of it: then `false`.
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

    /// Whether a topic is this caller's to hear.
    async fn is_own(&self, topic: Topic) -> Result<bool, IndexFault> {
        let Some(caller) = &self.caller else { return Ok(false) };
        self.belongs_to(caller, topic).await
    }

    /// Whether a topic is somebody's to hear.
    pub(super) async fn belongs_to(
        &self,
        caller: &Caller,
        topic: Topic,
    ) -> Result<bool, IndexFault> {
        let user = caller.user;
        match topic {
            Topic::User(id) => Ok(id == user),
            // The first message may still be to come.
            Topic::Conversation(Conversation::Chat(pair)) => Ok(pair.other(user).is_some()),
            Topic::Conversation(conversation) => {
                let archive = &self.context.shared.archive;
                archive.index.current().await?;
                let look = move |index: &Index| index.is_in(user, conversation);
                archive.blocking(move |archive| look(&archive.index)).await
            }
        }
    }

    /// It is nobody's again, as before somebody tried to subscribe.
    pub(super) fn end(&mut self) {
        self.caller = None;
        self.listening = None;
        self.rest.clear();
        self.is_synced = false;
    }

    /// Takes a channel off.
    pub(super) async fn remove(&mut self, name: &str) {
        let Some(place) = self.subscriptions.iter().position(|it| it.name == name) else { return };
        let gone = self.subscriptions.remove(place);
        if let Some(conversation) = gone.topic.conversation() {
            self.watch_no_more(conversation).await;
        }
    }

    /// Takes the channels of a conversation off that the user is out of.
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

    /// What a reader was told, as messages on channels.
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
                // What is held back would be over by the time that it is told.
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

    /// Tells the next event that is held back and means something to this client; the
    /// cursor up to which all is told, if something is still held back.
    async fn take_one(&mut self, messages: &mut Vec<Value>) -> Result<Option<Cursor>, Close> {
        while let Some(frame) = self.rest.pop_front() {
            self.take_event(&frame, messages).await?;
            if !messages.is_empty() {
                return Ok(Some(frame.told.cursor).filter(|_| self.has_rest()));
            }
        }
        Ok(None)
    }

    /// The client knows more than long-polling after all.
    pub(super) fn tells_together(&mut self) {
        self.pace = FeedPace::Together;
        if self.has_rest() {
            self.pause();
        }
    }

    /// Whether something is held back that can be told at once.
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

    /// The same on every channel.
    pub(super) fn on_all(&self, data: &Value) -> Vec<Value> {
        self.subscriptions.iter().map(|it| message::told(&it.name, data)).collect()
    }
}
