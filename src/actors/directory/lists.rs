//! Many groups or chats at once, as one reader may see them. Rooms that run are asked; the others
//! are read from the index, without starting a room for each.
//!
//! Where no room runs, nothing is being decided, so what is durable is complete.

use std::convert::Infallible;
use std::time::Duration;

use crate::ask::{AskOutcome, Awaited, Failure, Fault};
use crate::chat::protocol::{ChatView, ViewChat};
use crate::directory::Directory;
use crate::group::protocol::{GroupView, ViewGroup};
use crate::recent::LoadedMessage;
use domain::group::TopicLog;
use domain::ids::{GroupId, Pair, StreamId, UserId};
use index::IndexFault;
use index::archive::{Archive, Page};

/// How long all rooms together have for their answers.
const DEADLINE: Duration = Duration::from_secs(30);

impl Directory {
    /// Shows groups to a reader, in the order of `ids`; `None` for groups that the reader is not a
    /// member of. Every change that was answered or delivered before the call is shown.
    ///
    /// # Errors
    /// If a room has a fault or takes too long, or the index cannot be read.
    pub async fn views(
        &self,
        reader: UserId,
        ids: &[GroupId],
    ) -> Result<Vec<Option<GroupView>>, Fault> {
        let ask = |id| Ok(self.ask_running(id, ViewGroup { reader })?.map(heard));
        let read = async |ids| {
            let mut views = self.group_cache().read(reader, ids).await?;
            for view in &mut views {
                view.take_if(|view| view.group.member(reader).is_none());
            }
            Ok(views)
        };
        gathered(ids, ask, read).await
    }

    /// Shows chats to a user, in the order of `pairs`; `None` where no message was ever sent. Every
    /// message that was answered or delivered before the call is shown.
    ///
    /// # Errors
    /// If a room has a fault or takes too long, or the index cannot be read.
    pub async fn chats(
        &self,
        reader: UserId,
        pairs: &[Pair],
    ) -> Result<Vec<Option<ChatView>>, Fault> {
        let ask = |pair| Ok(self.ask_running(pair, ViewChat)?.map(heard_of_chat));
        let archive = &self.context().archive;
        let read = async |pairs| Ok(archive.read_current_each(reader, pairs, chat_at_rest).await?);
        gathered(pairs, ask, read).await
    }

    /// Returns the state of the logs of topics for a member, as it is once everything that was
    /// answered is in the index.
    ///
    /// # Errors
    /// If the index or the journal cannot be read.
    pub async fn topic_logs(
        &self,
        member: UserId,
        topics: Vec<GroupId>,
    ) -> Result<Vec<TopicLog>, Fault> {
        let now = self.context().clock.now().wall;
        let read = move |archive: &Archive| {
            topics.into_iter().map(|topic| archive.topic_log(member, topic, now)).collect()
        };
        Ok(self.context().archive.read_current(member, read).await?)
    }
}

async fn heard_of_chat(
    answer: Awaited<Option<ChatView>, Infallible>,
) -> Result<RoomAnswer<ChatView>, Fault> {
    Ok(match heard(answer).await? {
        RoomAnswer::Answer(view) => RoomAnswer::Answer(view.flatten()),
        RoomAnswer::AtRest => RoomAnswer::AtRest,
    })
}

fn chat_at_rest(archive: &Archive, pair: Pair) -> Result<Option<ChatView>, IndexFault> {
    let stream = StreamId::Chat(pair);
    let Some(row) = archive.index.chat(pair)? else { return Ok(None) };
    let tail = archive.index.tail(stream)?.unwrap_or_default();
    let newest = archive.page(stream, Page::Newest, 1)?.pop();
    Ok(newest.map(|newest| {
        let created_at = row.created_at;
        let count = newest.message.count;
        let n = tail.n;
        ChatView { created_at, count, last: LoadedMessage::archived(newest), n }
    }))
}

/// The result of asking a running room.
enum RoomAnswer<T> {
    /// The answer; `None` if the room refused.
    Answer(Option<T>),
    /// The room stopped without answering, so the index is read.
    AtRest,
}

/// Waits for the answer of a running room.
async fn heard<T: Send + 'static, R: Send + 'static>(
    answer: Awaited<T, R>,
) -> Result<RoomAnswer<T>, Fault> {
    match answer.await {
        AskOutcome::Answer(Ok(answer)) => Ok(RoomAnswer::Answer(Some(answer))),
        AskOutcome::Answer(Err(Failure::Refused(_))) => Ok(RoomAnswer::Answer(None)),
        AskOutcome::Answer(Err(Failure::Fault(fault))) => Err(fault),
        AskOutcome::Back(_) | AskOutcome::Lost => Ok(RoomAnswer::AtRest),
    }
}

/// Returns one answer for each id, in the order of `ids`. `ask` asks a room if it runs; `read`
/// reads the others from the index.
async fn gathered<K: Copy, T, F>(
    ids: &[K],
    ask: impl Fn(K) -> Result<Option<F>, Fault>,
    read: impl AsyncFn(Vec<K>) -> Result<Vec<Option<T>>, Fault>,
) -> Result<Vec<Option<T>>, Fault>
where
    F: Future<Output = Result<RoomAnswer<T>, Fault>>,
{
    let asked: Vec<Option<F>> = ids.iter().map(|id| ask(*id)).collect::<Result<_, _>>()?;
    let at_rest = ids.iter().zip(&asked).filter(|(_, asked)| asked.is_none());
    let mut found = read(at_rest.map(|(id, _)| *id).collect()).await?.into_iter();
    let answers = async {
        let mut answers = Vec::with_capacity(ids.len());
        for (id, asked) in ids.iter().zip(asked) {
            let Some(asked) = asked else {
                answers.push(found.next().flatten());
                continue;
            };
            answers.push(match asked.await? {
                RoomAnswer::Answer(answer) => answer,
                RoomAnswer::AtRest => read(vec![*id]).await?.pop().flatten(),
            });
        }
        Ok(answers)
    };
    tokio::time::timeout(DEADLINE, answers).await.unwrap_or(Err(Fault::Late))
}
