//! Admits a bot that says hello: checks its id and secret, and finds the cursor from which it is to
//! hear.

use std::sync::Arc;

use crate::auth::bots;
use crate::bounds::turns::Owner;
use crate::domain::ids::{BotId, StreamId};
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;
use crate::subscribers::SubscriberContext;
use crate::subscribers::closing::Close;
use crate::subscribers::live_feed::ThreadFeed;
use crate::subscribers::reader::Reader;
use crate::subscribers::subscriber::{SubscribedBot, Subscriber};
use crate::wire::delivery::PullFrom;

/// The hello of a bot.
#[derive(Debug)]
pub struct BotHello {
    /// The bot's id.
    pub id: BotId,
    /// The bot's secret.
    pub secret: String,
    /// A cursor, or the id of a message of its group, after which the bot receives messages.
    /// `None`: from now on.
    pub after: Option<String>,
}

/// Opens the reader of a bot.
///
/// # Errors
/// The reason to close, if the bot is not admitted or the index cannot be read.
pub async fn admit(
    shared: &Arc<SubscriberContext>,
    local: &ThreadFeed,
    bot: BotHello,
) -> Result<Reader, Close> {
    let BotHello { id, secret, after } = bot;
    let (now, said) = (shared.clock.now().wall, secret.clone());
    let look =
        move |archive: &Archive| bots::find_authenticated_bot(&archive.index, &id, &said, now);
    let admitted = shared.archive.read_current(Owner::Server, look).await.map_err(failed)?;
    let bot = SubscribedBot::new(&admitted.map_err(|_| Close::BOT)?, secret);
    let (group, stream) = (bot.group, StreamId::Group(bot.group));
    // A text that is neither a cursor nor a message id is passed on unchanged: the reader refuses
    // it.
    let after = match after.map(|text| (PullFrom::parse(&text, &shared.instance), text)) {
        Some((Ok(PullFrom::Message(id)), _)) => {
            let find = move |archive: &Archive| archive.cursor_of(stream, id);
            let found: Cursor =
                shared.archive.read_current(Owner::BotsOf(group), find).await.map_err(failed)?;
            Some(shared.instance.cursor(found))
        }
        Some((Ok(PullFrom::Cursor(_)) | Err(_), text)) => Some(text),
        None => None,
    };
    Reader::open(shared, local, Subscriber::Bot(Arc::new(bot)), after.as_deref()).await
}

fn failed(fault: IndexFault) -> Close {
    tracing::error!(%fault, "opening a bot's session failed");
    Close::INTERNAL
}
