//! Authenticates bots: which bots may act, and whether the secret that a bot shows is its own.

use crate::auth::accounts::{Accounts, BotOf};
use crate::domain::group::{BotRefusal, Secret, Validity};
use crate::domain::ids::BotId;
use crate::domain::time::Timestamp;
use crate::index::{Index, IndexFault};

/// A bot that showed a valid secret.
#[derive(Debug, Clone)]
pub struct AuthenticatedBot {
    /// The bot and its group.
    pub row: BotOf,
    /// How long the secret is valid.
    pub validity: Validity,
}

/// What was found, or why the bot is refused.
pub type BotCheck<T> = Result<T, BotRefusal>;

/// Returns the bot with this id, if it may act and hear: neither the bot nor the account of its
/// creator was disabled. Blocks on the disk.
///
/// # Errors
/// If the index cannot be read; so for every function here.
pub fn find_active_bot(index: &Index, id: &BotId) -> Result<BotCheck<BotOf>, IndexFault> {
    let Some(row) = index.bot(id)? else { return Ok(Err(BotRefusal::NoBot)) };
    check_active(index, &row).map(|stands| stands.map(|()| row))
}

/// Whether a bot may act and hear, or why not.
pub fn check_active(index: &Index, row: &BotOf) -> Result<BotCheck<()>, IndexFault> {
    if let Some(client) = row.bot.client
        && index.application(client)?.is_none()
    {
        // The application that made the bot is gone, and the bot is about to be removed.
        return Ok(Err(BotRefusal::NoBot));
    }
    if !row.bot.active {
        return Ok(Err(BotRefusal::Inactive));
    }
    Ok(if index.is_shut(row.bot.creator)? { Err(BotRefusal::Shut) } else { Ok(()) })
}

/// Returns the bot with this id, if `said` is a secret that is valid now and the bot may hear. A
/// caller who does not know the secret learns nothing else: an unknown bot and a wrong secret give
/// the same refusal and take the same comparison.
pub fn find_authenticated_bot(
    index: &Index,
    id: &BotId,
    said: &str,
    now: Timestamp,
) -> Result<BotCheck<AuthenticatedBot>, IndexFault> {
    let found = index.bot(id)?;
    let validity = match &found {
        Some(row) => row.bot.secret_validity(said, now),
        None => {
            std::hint::black_box(Secret::of(NOBODYS).is(said));
            None
        }
    };
    let Some((row, validity)) = found.zip(validity) else { return Ok(Err(BotRefusal::NoBot)) };
    check_active(index, &row).map(|stands| stands.map(|()| AuthenticatedBot { row, validity }))
}

/// As long as the secrets of bots, and the secret of none of them.
const NOBODYS: &str = "============================================";

impl Accounts {
    /// Returns the bot that a post names, if it may post.
    pub async fn active_bot(&self, id: BotId) -> Result<BotCheck<BotOf>, IndexFault> {
        self.ask(move |index| find_active_bot(index, &id)).await
    }

    /// Returns the bot with this id, if `said` is a secret that is valid now and the bot may hear.
    pub async fn authenticated_bot(
        &self,
        id: BotId,
        said: String,
        now: Timestamp,
    ) -> Result<BotCheck<AuthenticatedBot>, IndexFault> {
        self.ask(move |index| find_authenticated_bot(index, &id, &said, now)).await
    }

    /// Returns the bot if it may still hear, or why not.
    pub async fn check_bot_active(&self, row: BotOf) -> Result<BotCheck<BotOf>, IndexFault> {
        self.ask(move |index| Ok(check_active(index, &row)?.map(|()| row))).await
    }
}
