//! A bot's hello: which bot, by which secret, and from where on it wants to hear.

use std::sync::Arc;

use crate::auth::bots;
use crate::domain::ids::{BotId, StreamId};
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;
use crate::subscribers::SubscriberContext;
use crate::subscribers::closing::Close;
use crate::subscribers::live_feed::Local;
use crate::subscribers::reader::Reader;
use crate::subscribers::subscriber::{SubscribedBot, Subscriber};
use crate::wire::delivery::PullFrom;

/// What a bot says of itself.
#[derive(Debug)]
pub struct Introduction {
    /// Its id.
    pub id: BotId,
    /// Its secret.
    pub secret: String,
    /// From where on: a cursor or the id of a message. Absent: from now on.
    pub after: Option<String>,
}

/// Opens the reader of a bot.
///
/// # Errors
/// With the reason why it is over before it began.
pub async fn admit(
    shared: &Arc<SubscriberContext>,
    local: &Local,
    bot: Introduction,
) -> Result<Reader, Close> {
    let Introduction { id, secret, after } = bot;
    let (now, said) = (shared.clock.now().wall, secret.clone());
    let look = move |archive: &Archive| bots::opened(&archive.index, &id, &said, now);
    let admitted = shared.archive.currently(look).await.map_err(failed)?;
    let bot = SubscribedBot::new(&admitted.map_err(|_| Close::BOT)?, secret);
    let stream = StreamId::Group(bot.group);
    // What is neither is no cursor either: the reader refuses it.
    let after = match after.map(|text| (PullFrom::parse(&text, &shared.instance), text)) {
        Some((Ok(PullFrom::Message(id)), _)) => {
            let find = move |archive: &Archive| archive.cursor_of(stream, id);
            let found: Cursor = shared.archive.currently(find).await.map_err(failed)?;
            Some(shared.instance.cursor(found))
        }
        Some((Ok(PullFrom::Cursor(_)) | Err(_), text)) => Some(text),
        None => None,
    };
    Reader::open(shared, local, Subscriber::Bot(Arc::new(bot)), after.as_deref()).await
}

fn failed(fault: IndexFault) -> Close {
    tracing::error!(%fault, "a bot's session cannot begin");
    Close::INTERNAL
}
