//! The readers of bots on one thread, by the bots' groups.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::domain::event::Fact;
use crate::domain::group::GroupFact;
use crate::domain::ids::{GroupId, StreamId};
use crate::domain::time::Monotonic;
use crate::domain::user::UserFact;
use crate::journal::Cursor;
use crate::subscribers::slot::Slot;
use crate::subscribers::subscriber::SubscribedBot;

/// One reader of a bot.
#[derive(Debug)]
struct BotListener {
    id: u64,
    bot: Arc<SubscribedBot>,
    slot: Arc<Slot>,
}

/// All readers of bots on one thread.
#[derive(Debug, Default)]
pub(super) struct BotListeners(HashMap<GroupId, SmallVec<[BotListener; 1]>>);

impl BotListeners {
    /// Adds a reader, and drops those of its group that are closed.
    pub(super) fn add(&mut self, id: u64, bot: Arc<SubscribedBot>, slot: Arc<Slot>) {
        let listeners = self.0.entry(bot.group).or_default();
        listeners.retain(|listener| listener.slot.over().is_none());
        listeners.push(BotListener { id, bot, slot });
    }

    /// Removes a reader.
    pub(super) fn remove(&mut self, id: u64, group: GroupId) {
        let Some(listeners) = self.0.get_mut(&group) else { return };
        listeners.retain(|listener| listener.id != id);
        if listeners.is_empty() {
            self.0.remove(&group);
        }
    }

    /// The slots of readers that may receive a fact. Each reader decides itself whether it does: it
    /// may be looking up its bot's standing at this moment.
    pub(super) fn hearing(
        &self,
        stream: StreamId,
        fact: &Fact,
    ) -> impl Iterator<Item = &Arc<Slot>> {
        let listeners = match stream {
            StreamId::Group(group) if fact.message().is_some() => self.0.get(&group),
            StreamId::Group(_)
            | StreamId::User(_)
            | StreamId::Chat(_)
            | StreamId::Callbacks
            | StreamId::Audit
            | StreamId::Name(_) => None,
        };
        listeners.into_iter().flatten().map(|listener| &listener.slot)
    }

    /// Makes readers read on from the journal if a fact may have changed what their bots may
    /// receive: they then look it up, and are closed if they may receive no more. Costs nothing for
    /// other facts.
    pub(super) fn reconsider(&self, stream: StreamId, fact: &Fact, at: (Cursor, Monotonic)) {
        match (stream, fact) {
            (StreamId::Group(group), Fact::Group(fact)) if changes_bots(fact) => {
                read_on(self.0.get(&group).into_iter().flatten(), at);
            }
            (StreamId::User(user), Fact::User(fact)) if changes_makers(fact) => {
                let all = self.0.values().flatten();
                read_on(all.filter(|listener| listener.bot.creator == user), at);
            }
            (
                StreamId::Group(_)
                | StreamId::User(_)
                | StreamId::Chat(_)
                | StreamId::Callbacks
                | StreamId::Audit
                | StreamId::Name(_),
                _,
            ) => {}
        }
    }

    /// The slots of all readers.
    pub(super) fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        self.0.values().flatten().map(|listener| &listener.slot)
    }
}

fn read_on<'a>(listeners: impl Iterator<Item = &'a BotListener>, at: (Cursor, Monotonic)) {
    listeners.for_each(|listener| listener.slot.discard_and_fall_behind(at.0, at.1));
}

const fn changes_bots(fact: &GroupFact) -> bool {
    matches!(
        fact,
        GroupFact::BotChanged(_) | GroupFact::BotRemoved(_) | GroupFact::Disbanded { .. }
    )
}

const fn changes_makers(fact: &UserFact) -> bool {
    matches!(fact, UserFact::Disabled | UserFact::Enabled | UserFact::Deleted)
}
