//! Missed messages: those that are for a user in particular and that the user has not read. They
//! are gathered when a mail about them may be due, so that a post costs nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::archive::{Archive, RecordReader, message_of};
use crate::mentions::EVERYBODY;
use crate::rows::EventPosition;
use crate::runs::LocatedMessage;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::ids::{Conversation, MessageId, StreamId, UserId};
use domain::message::{Author, Message};
use domain::notices::NoticeLevel;
use domain::time::Timestamp;

/// Messages of one conversation that are gathered at most, the newest ones.
const GATHERED: usize = 100;

/// The missed messages of a conversation.
#[derive(Debug, Clone)]
pub struct MissedMessages {
    /// The conversation.
    pub conv: Conversation,
    /// The messages and when they were posted, the oldest first: the newest hundred at most.
    pub messages: Vec<(Timestamp, Arc<Message>)>,
}

impl Archive {
    /// Gathers the missed messages of a user, as far as they are indexed. Left out are muted
    /// conversations, those whose level is `none`, chats with a block or a request that is not accepted, deleted messages, and messages
    /// of people whom the user blocks.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn missed(&self, user: UserId, now: Timestamp) -> Result<Vec<MissedMessages>, IndexFault> {
        let mut missed = Vec::new();
        for conv in self.index.conversations_of(user)? {
            let wanted = self.index.wanted_notices(user, conv)?.at(now);
            let is_silent = wanted.muted.is_some()
                || wanted.all_muted.is_some()
                || wanted.level == NoticeLevel::None;
            if is_silent || self.index.are_kept_apart(conv)? {
                continue;
            }
            let places = match (conv, wanted.level) {
                (Conversation::Chat(_), NoticeLevel::All) => {
                    self.index.unread_places(user, conv)?
                }
                _ => self.index.mention_places(user, conv)?,
            };
            let messages = self.missed_at(user, conv.into(), places)?;
            if !messages.is_empty() {
                missed.push(MissedMessages { conv, messages });
            }
        }
        Ok(missed)
    }

    /// Reads the messages at these places that a mail may be about.
    fn missed_at(
        &self,
        user: UserId,
        stream: StreamId,
        places: Vec<EventPosition>,
    ) -> Result<Vec<(Timestamp, Arc<Message>)>, IndexFault> {
        let mut reader = RecordReader::over(&*self.journal);
        let mut times = Vec::with_capacity(places.len());
        let mut messages = Vec::with_capacity(places.len());
        for at in places {
            let event = reader.event(&at)?;
            times.push(event.at);
            messages.push(message_of(&event, &at)?);
        }
        let messages = self.current(stream, messages)?;
        let mut missed = Vec::with_capacity(messages.len());
        for (at, message) in times.into_iter().zip(messages) {
            let is_foreign = match &message.author {
                Author::Member(author) => {
                    *author != user && !self.index.has_blocked(user, *author)?
                }
                Author::Bot(_) => true,
                Author::System => false,
            };
            if is_foreign && message.state.deleted.is_none() {
                missed.push((at, message));
            }
        }
        Ok(missed)
    }
}

impl Index {
    /// The places of the newest unread messages of a conversation, the oldest first.
    fn unread_places(
        &self,
        user: UserId,
        conv: Conversation,
    ) -> Result<Vec<EventPosition>, IndexFault> {
        let stream = StreamId::from(conv);
        let read_n = self.read_row(user, stream)?.unwrap_or_default().n;
        let mut places = Vec::new();
        let whole = (0, u64::MAX);
        self.messages(stream, whole, Walk::Down, &mut |LocatedMessage { at, .. }| {
            if at.n <= read_n || places.len() >= GATHERED {
                return Ok(Flow::Stop);
            }
            places.push(at);
            Ok(Flow::Continue)
        })?;
        places.reverse();
        Ok(places)
    }

    /// The places of the newest unread messages of a conversation that mention the user or reply to
    /// them, the oldest first.
    fn mention_places(
        &self,
        user: UserId,
        conv: Conversation,
    ) -> Result<Vec<EventPosition>, IndexFault> {
        let stream = StreamId::from(conv);
        let read_n = self.read_row(user, stream)?.unwrap_or_default().n;
        let mut numbers = BTreeSet::new();
        for named in [user, EVERYBODY] {
            let low = keys::mention(named, stream, read_n.saturating_add(1));
            let high = keys::mention(named, stream, u64::MAX);
            let mut listed = 0;
            self.rows.scan(&low, &high, Walk::Down, &mut |key, value| {
                let author: Option<UserId> = rows::decode("mention", value)?;
                if author != Some(user) {
                    numbers.insert(keys::last_number(key));
                    listed += 1;
                }
                Ok(if listed < GATHERED { Flow::Continue } else { Flow::Stop })
            })?;
        }
        let tail = self.tail(stream)?.unwrap_or_default();
        let surplus = numbers.len().saturating_sub(GATHERED);
        let mut places = Vec::with_capacity(numbers.len());
        for n in numbers.into_iter().skip(surplus) {
            let id = self.first_message(stream, &tail, &|at| at.n >= n)?;
            let at = self.message(stream, MessageId::new(id))?;
            places.extend(at.filter(|at| at.n == n));
        }
        Ok(places)
    }

    /// When a user last read or wrote in one of their conversations, as far as read marks show it.
    /// A mark that only shows when somebody added the user to a group does not count.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn last_mark(&self, user: UserId) -> Result<Timestamp, IndexFault> {
        let mut last = Timestamp::default();
        for conv in self.conversations_of(user)? {
            let joined = match conv {
                Conversation::Group(group) => {
                    let seat = self.seat(user, group)?.unwrap_or_default();
                    seat.stays.last().map_or(0, |stay| stay.from_n)
                }
                Conversation::Chat(_) => 0,
            };
            let row = self.read_row(user, conv.into())?.filter(|row| row.n > joined);
            last = last.max(row.unwrap_or_default().at);
        }
        Ok(last)
    }
}
