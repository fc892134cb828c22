//! Ephemeral events: need no log and may be lost (`eph` frames). Somebody types, has read a
//! message, comes online or goes.
//!
//! They go to the readers that watch the conversation (`sub`), on every thread.

use std::sync::Arc;
use std::sync::PoisonError;

use actix::{Context, Handler, Message};

use crate::interest::WatchingReader;
use crate::live_feed::{Feeds, LiveFeed};
use crate::slot::Slot;
use domain::event::{Entry, Fact};
use domain::group::{GroupFact, Moderation, Role};
use domain::ids::{Conversation, StreamId, UserId};
use domain::message::Author;
use domain::time::Monotonic;
use domain::user::UserFact;
use journal::Cursor;
use wire::live::{EncodedEphemeral, EphemeralKind};

/// An ephemeral event for those who watch its conversation, except the user whom it is about. That
/// user's own typing goes to readers that want it.
#[derive(Debug, Clone, Message)]
#[rtype(result = "()")]
pub struct EphemeralEvent(pub EncodedEphemeral);

/// A reader starts or stops watching the ephemeral events of conversations.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct WatchEphemeral {
    /// The reader.
    pub reader: WatchingReader,
    /// The slot for the ephemeral events; `None` stops watching.
    pub slot: Option<Arc<Slot>>,
    /// The conversations.
    pub conversations: Vec<Conversation>,
}

impl Feeds {
    /// Notifies the readers that watch the conversation, on every thread. A feed whose mailbox is
    /// full drops the event.
    pub fn tell_ephemeral_event(&self, frame: &EncodedEphemeral) {
        for local in self.all().read().unwrap_or_else(PoisonError::into_inner).iter() {
            if local.has_readers() {
                drop(local.feed.try_send(EphemeralEvent(frame.clone())));
            }
        }
    }
}

impl Handler<EphemeralEvent> for LiveFeed {
    type Result = ();

    fn handle(&mut self, ephemeral_event: EphemeralEvent, _: &mut Context<Self>) {
        self.interest.tell(&ephemeral_event.0);
    }
}

impl Handler<WatchEphemeral> for LiveFeed {
    type Result = ();

    fn handle(&mut self, ask: WatchEphemeral, _: &mut Context<Self>) {
        match &ask.slot {
            Some(slot) => self.interest.add(ask.reader, slot, &ask.conversations),
            None => self.interest.remove(ask.reader.id, &ask.conversations),
        }
    }
}

impl LiveFeed {
    /// Applies a durable fact to ephemeral events and to waiting frames: users who left a
    /// conversation or have another role stop hearing, and a read mark becomes a receipt for the others.
    pub(super) fn consider(&mut self, entry: &Entry, stream: StreamId, at: (Cursor, Monotonic)) {
        match (&entry.event.fact, stream.conversation(), stream) {
            (Fact::Group(GroupFact::MemberLeft { member, .. }), Some(conversation), _) => {
                self.interest.end_stay(conversation, member.user_id);
                for topic in &entry.state.topics {
                    self.interest.end_stay(Conversation::Group(*topic), member.user_id);
                }
                self.look_again(&[member.user_id], at.0, at.1);
            }
            (Fact::Group(GroupFact::Disbanded { .. }), Some(conversation), _) => {
                self.interest.end(conversation);
                self.look_again(entry.audience.users(), at.0, at.1);
            }
            // What waits for them may be for their former role only.
            (Fact::Group(GroupFact::MemberChanged { member, .. }), ..)
                if member.role != Role::Owner =>
            {
                self.look_again(&[member.user_id], at.0, at.1);
            }
            (Fact::Group(GroupFact::OwnerChanged { old, .. }), ..) => {
                self.look_again(&[*old], at.0, at.1);
            }
            (Fact::Group(GroupFact::Moderated(moderation)), Some(conversation), _) => {
                self.end_typing(conversation, moderation);
            }
            (Fact::User(UserFact::ReadUpTo(mark)), _, StreamId::User(user))
                if !mark.is_set_back =>
            {
                self.interest.tell(&EncodedEphemeral::new(
                    mark.conv,
                    user,
                    EphemeralKind::Receipt { n: mark.n },
                ));
            }
            _ => {}
        }
    }

    /// A member whose post is held no longer types, as after a post.
    fn end_typing(&self, conversation: Conversation, moderation: &Moderation) {
        let Moderation::Held(held) = moderation else { return };
        let Author::Member(user) = held.message.author else { return };
        let what = EphemeralKind::Typing { until: 0 };
        self.interest.tell(&EncodedEphemeral::new(conversation, user, what));
    }

    /// Drops what waits for these users, who may not be allowed to see it any more; they read on
    /// from the journal.
    fn look_again(&self, users: &[UserId], cursor: Cursor, now: Monotonic) {
        let slots = users.iter().flat_map(|user| self.slots_of(*user));
        slots
            .filter(|slot| slot.has_waiting())
            .for_each(|slot| slot.discard_and_fall_behind(cursor, now));
    }
}
