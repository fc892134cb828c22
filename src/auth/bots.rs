//! Authenticating bots: which may act, and which show the secret that they have.

use crate::auth::accounts::{Accounts, BotOf};
use crate::domain::group::{BotRefusal, Secret, Validity};
use crate::domain::ids::BotId;
use crate::domain::time::Timestamp;
use crate::index::{Index, IndexFault};

/// A bot that showed its secret.
#[derive(Debug, Clone)]
pub struct AuthenticatedBot {
    /// The bot, and where it is.
    pub row: BotOf,
    /// How long its secret is good for.
    pub validity: Validity,
}

/// What a look-up says to a bot: come in, or why not.
pub type BotCheck<T> = Result<T, BotRefusal>;

/// The bot with this id, if it may act and hear: it was not switched off, and neither was
/// the account of whoever made it. Blocks on the disk.
///
/// # Errors
/// When the index cannot be read; so for every question here.
pub fn acting(index: &Index, id: &BotId) -> Result<BotCheck<BotOf>, IndexFault> {
    let Some(row) = index.bot(id)? else { return Ok(Err(BotRefusal::NoBot)) };
    standing(index, &row).map(|stands| stands.map(|()| row))
}

/// Whether a bot may act and hear.
pub fn standing(index: &Index, row: &BotOf) -> Result<BotCheck<()>, IndexFault> {
    if let Some(client) = row.bot.client
        && index.application(client)?.is_none()
    {
        // About to be removed.
        return Ok(Err(BotRefusal::NoBot));
    }
    if !row.bot.active {
        return Ok(Err(BotRefusal::Inactive));
    }
    Ok(if index.is_shut(row.bot.creator)? { Err(BotRefusal::Shut) } else { Ok(()) })
}

/// The bot with this id, if `said` opens it now and it may hear. Whoever does not know the
/// secret learns nothing else: an unknown bot and another secret look the same, and take
/// the same comparison.
pub fn opened(
    index: &Index,
    id: &BotId,
    said: &str,
    now: Timestamp,
) -> Result<BotCheck<AuthenticatedBot>, IndexFault> {
    let found = index.bot(id)?;
    let validity = match &found {
        Some(row) => row.bot.opened_by(said, now),
        None => {
            std::hint::black_box(Secret::of(NOBODYS).is(said));
            None
        }
    };
    let Some((row, validity)) = found.zip(validity) else { return Ok(Err(BotRefusal::NoBot)) };
    standing(index, &row).map(|stands| stands.map(|()| AuthenticatedBot { row, validity }))
}

/// As long as the secrets of bots, and none of them.
const NOBODYS: &str = "============================================";

impl Accounts {
    /// The bot that a post names, if it may post.
    pub async fn acting_bot(&self, id: BotId) -> Result<BotCheck<BotOf>, IndexFault> {
        self.ask(move |index| acting(index, &id)).await
    }

    /// The bot with this id, if this secret opens it.
    pub async fn opened_bot(
        &self,
        id: BotId,
        said: String,
        now: Timestamp,
    ) -> Result<BotCheck<AuthenticatedBot>, IndexFault> {
        self.ask(move |index| opened(index, &id, &said, now)).await
    }

    /// Whether a bot may hear.
    pub async fn bot_stands(&self, row: BotOf) -> Result<BotCheck<BotOf>, IndexFault> {
        self.ask(move |index| Ok(standing(index, &row)?.map(|()| row))).await
    }
}
