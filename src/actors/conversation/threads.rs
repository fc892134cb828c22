//! Threads: the messages that answer a message.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Fault, Question};
use crate::conversation::{ConversationRoom, MessagePage, absent};
use crate::ledger::Recording;
use crate::recent::LoadedMessage;
use domain::ids::{MessageId, StreamId, UserId};
use domain::likes::LikeRefusal;
use index::IndexFault;
use index::archive::Archive;

/// Lists the answers in a thread, oldest first. Sent by `http::threads`; shows every answer that
/// was posted or delivered before.
#[derive(Debug, Clone, Copy)]
pub struct ListReplies {
    /// The user who wants to see them.
    pub reader: UserId,
    /// The message that began the thread.
    pub message: MessageId,
    /// Only answers after this message are listed.
    pub after: MessageId,
    /// Most answers to list.
    pub limit: usize,
}

impl Question for ListReplies {
    /// Its `count` is the number of answers in the whole thread.
    type Answer = MessagePage;
    type Refusal = LikeRefusal;
    const IN_TOPICS: bool = true;
}

impl<Room: ConversationRoom> Answers<ListReplies> for Room {
    fn answer_if_absent() -> AbsentAnswer<ListReplies> {
        Some(Err(absent::<Room::Rules, _>(LikeRefusal::NotAMember, LikeRefusal::NoMessage)))
    }

    fn answer(&mut self, ask: Ask<ListReplies>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        if !self.is_participant(ask.question.reader) {
            return ask.reply.send(Err(Failure::Refused(LikeRefusal::NotAMember)));
        }
        let archive = self.context().archive.clone();
        let stream = self.stream();
        let asked = ask.question;
        let read = async move {
            archive.read_current(asked.reader, move |it| read_thread(it, stream, asked)).await
        };
        ctx.spawn(read.into_actor(self).map(move |found, room: &mut Self, _| {
            let found = match found {
                Ok(Some(page)) => Ok(page),
                Ok(None) => Err(Failure::Refused(LikeRefusal::NoMessage)),
                Err(fault) => Err(Fault::from(fault).into()),
            };
            room.send_read(asked.reader, found, LikeRefusal::NotAMember, ask.reply);
        }));
    }
}

/// Reads a page of a thread; `None` if there is no such message.
fn read_thread(
    archive: &Archive,
    stream: StreamId,
    asked: ListReplies,
) -> Result<Option<MessagePage>, IndexFault> {
    let Some(base) = archive.message(stream, asked.message)? else { return Ok(None) };
    let ids = archive.index.answers(stream, asked.message, (asked.after, asked.limit))?;
    let mut messages: Vec<Arc<LoadedMessage>> = Vec::with_capacity(ids.len());
    for id in ids {
        messages.extend(archive.message(stream, id)?.map(LoadedMessage::archived));
    }
    Ok(Some(MessagePage { count: base.message.state.thread.count, messages }))
}
