//! The requests of a client on its socket that need a look-up: to watch the ephemeral events of
//! conversations, to say that the user types, to mark as read. Only conversations of the user's own
//! are allowed.

use std::sync::Arc;

use bytestring::ByteString;
use serde_json::{Map, Value};

use crate::SubscriberContext;
use crate::ephemeral_queue::EphemeralUpdate;
use actors::ask::Failure;
use actors::errand::Errand;
use auth::keyring::TokenOwner;
use domain::ids::{Conversation, StreamId, UserId};
use index::{Index, IndexFault};
use wire::live::{self, EncodedEphemeral, EphemeralKind};

/// How long a user counts as typing after saying so once.
const TYPING_MILLIS: u64 = 5000;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientRequest {
    /// To hear the ephemeral events of these conversations.
    Watch(Vec<Conversation>),
    /// To hear them no more.
    Unwatch(Vec<Conversation>),
    /// To tell others that the user types in this conversation.
    Type(Conversation),
    /// To mark this conversation as read up to the event with this number.
    Read(Conversation, u64),
}

/// The result of a request.
#[derive(Debug, Default)]
pub struct RequestResult {
    /// Conversations that the client may watch from now on.
    pub watched: Vec<Conversation>,
    /// Conversations to stop watching, because the user is not in them any more.
    pub lost: Vec<Conversation>,
    /// Frames for the client.
    pub frames: Vec<ByteString>,
}

/// Parses a request; `None` if the frame is of another kind.
///
/// # Errors
/// The frame to answer with, if a field is missing or wrong.
pub fn request_of(
    t: &str,
    frame: &Map<String, Value>,
) -> Result<Option<ClientRequest>, ByteString> {
    Ok(Some(match t {
        "sub" => ClientRequest::Watch(conversations(frame)?),
        "unsub" => ClientRequest::Unwatch(conversations(frame)?),
        "typing" => ClientRequest::Type(conversation(frame)?),
        "read" => {
            let n = frame.get("n").and_then(Value::as_u64);
            ClientRequest::Read(conversation(frame)?, n.ok_or_else(|| wrong("n must be a number"))?)
        }
        _ => return Ok(None),
    }))
}

fn wrong(what: &str) -> ByteString {
    live::err("field", what)
}

fn not_yours() -> ByteString {
    live::err("conv", "there is no such conversation of yours")
}

fn parsed(conv: &Value) -> Result<Conversation, ByteString> {
    let text = conv.as_str().ok_or_else(|| wrong("conv must be a text"))?;
    let stream = text.parse::<StreamId>().map_err(|_| not_yours())?;
    stream.conversation().ok_or_else(not_yours)
}

fn conversation(frame: &Map<String, Value>) -> Result<Conversation, ByteString> {
    parsed(frame.get("conv").ok_or_else(|| wrong("conv is required"))?)
}

fn conversations(frame: &Map<String, Value>) -> Result<Vec<Conversation>, ByteString> {
    let list = frame.get("conv").ok_or_else(|| wrong("conv is required"))?;
    let list = list.as_array().ok_or_else(|| wrong("conv must be a list"))?;
    list.iter().map(parsed).collect()
}

/// Carries a request out, as far as the user may do it, and the token of the user.
pub async fn grant(
    shared: Arc<SubscriberContext>,
    caller: TokenOwner,
    request: ClientRequest,
) -> RequestResult {
    let TokenOwner { user, scopes, .. } = caller;
    let is_written = |conversation: &Conversation| scopes.writes(*conversation);
    match request {
        ClientRequest::Watch(wanted) => watch(&shared, caller, wanted).await,
        ClientRequest::Unwatch(_) => RequestResult::default(),
        ClientRequest::Type(at) | ClientRequest::Read(at, _) if !is_written(&at) => {
            RequestResult::only(live::err("scope", "this token does not write there"))
        }
        ClientRequest::Type(conversation) => tell_typing(&shared, user, conversation).await,
        ClientRequest::Read(conversation, n) => read(&shared, user, conversation, n).await,
    }
}

impl RequestResult {
    fn only(frame: ByteString) -> Self {
        Self { frames: vec![frame], ..Self::default() }
    }
}

async fn look<T: Send + 'static>(
    shared: &SubscriberContext,
    user: UserId,
    question: impl FnOnce(&Index) -> Result<T, IndexFault> + Send + 'static,
) -> Result<T, ByteString> {
    let archive = &shared.archive;
    let found = async {
        archive.index.current().await?;
        // A client watches a chat as soon as it has begun it, so the chat must be in the index too.
        archive.index.chats_current().await?;
        archive.blocking(user, move |archive| question(&archive.index)).await
    };
    found.await.map_err(|fault| failed(&fault))
}

fn failed(fault: &dyn std::fmt::Display) -> ByteString {
    tracing::error!(%fault, "reading the index for a client's request failed");
    live::err("fault", "this cannot be done now")
}

async fn watch(
    shared: &SubscriberContext,
    caller: TokenOwner,
    mut wanted: Vec<Conversation>,
) -> RequestResult {
    let TokenOwner { user, scopes, .. } = caller;
    let asked = wanted.len();
    wanted.retain(|conversation| scopes.reads(*conversation));
    let own = move |index: &Index| {
        let mut own = Vec::with_capacity(wanted.len());
        for conversation in wanted {
            if index.is_in(user, conversation)? {
                own.push(conversation);
            }
        }
        Ok(own)
    };
    match look(shared, user, own).await {
        Ok(watched) => {
            let has_all = watched.len() == asked;
            let frames = if has_all { Vec::new() } else { vec![not_yours()] };
            RequestResult { watched, frames, lost: Vec::new() }
        }
        Err(answer) => RequestResult::only(answer),
    }
}

/// State that a reader may have missed that has just begun to watch these conversations: who is
/// online, how far the other user of a chat has read, and which conversations the user left before
/// the feed knew of the watch.
pub async fn company(
    shared: Arc<SubscriberContext>,
    user: UserId,
    watched: Vec<Conversation>,
) -> RequestResult {
    let here = shared.presence.clone();
    if let Err(fault) = shared.indexed_here().await {
        return RequestResult::only(failed(&fault));
    }
    let found = look(&shared, user, move |index| {
        let mut frames = Vec::new();
        let mut lost = Vec::new();
        for conversation in watched {
            if index.is_in(user, conversation)? {
                let tell = |who, kind| EncodedEphemeral::new(conversation, who, kind).text;
                let others = here.others(user, conversation)?.into_iter();
                frames.extend(others.map(|it| tell(it, EphemeralKind::Presence { online: true })));
                frames.extend(
                    read_by_other(index, user, conversation)?
                        .map(|(other, n)| tell(other, EphemeralKind::Receipt { n })),
                );
            } else {
                lost.push(conversation);
            }
        }
        Ok(RequestResult { watched: Vec::new(), lost, frames })
    });
    match found.await {
        Ok(granted) => granted,
        Err(answer) => RequestResult::only(answer),
    }
}

/// The other user of a chat and the number of the newest event that they have read, if any.
fn read_by_other(
    index: &Index,
    user: UserId,
    conversation: Conversation,
) -> Result<Option<(UserId, u64)>, IndexFault> {
    let Conversation::Chat(pair) = conversation else { return Ok(None) };
    let Some(other) = pair.other(user) else { return Ok(None) };
    Ok(index.read_mark(other, conversation)?.map(|mark| (other, mark.n)))
}

async fn tell_typing(
    shared: &SubscriberContext,
    user: UserId,
    conversation: Conversation,
) -> RequestResult {
    let may = move |index: &Index| {
        let is_in = index.is_in(user, conversation)?;
        Ok((is_in, is_in && index.are_kept_apart(conversation)?))
    };
    match look(shared, user, may).await {
        Ok((false, _)) => RequestResult::only(not_yours()),
        // A block and a request are kept secret: it looks as if the other user did not listen.
        Ok((true, true)) => RequestResult::default(),
        Ok((true, false)) => {
            let until = shared.clock.now().wall.millis() + TYPING_MILLIS;
            shared.feeds.tell_ephemeral_event(&EncodedEphemeral::new(
                conversation,
                user,
                EphemeralKind::Typing { until },
            ));
            shared.ephemeral_queue.tell(EphemeralUpdate::Types(conversation, user, until));
            RequestResult::default()
        }
        Err(answer) => RequestResult::only(answer),
    }
}

async fn read(
    shared: &SubscriberContext,
    user: UserId,
    conv: Conversation,
    n: u64,
) -> RequestResult {
    match shared.directory.run(Errand::MarkRead { user, conv, n }).await {
        Ok(()) => RequestResult::default(),
        Err(Failure::Refused(_)) => RequestResult::only(not_yours()),
        Err(Failure::Fault(fault)) => RequestResult::only(failed(&fault)),
    }
}
