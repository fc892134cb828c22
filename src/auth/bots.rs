//! Authenticates bots: which bots may act, and whether the secret that a bot shows is its own. Also
//! tells the members of a group which bots are in it, and which of them may receive events.

use crate::accounts::{Accounts, BotOf};
use domain::group::{BotInGroup, BotRefusal, Secret, Validity};
use domain::ids::{BotId, Conversation, GroupId, UserId};
use domain::time::Timestamp;
use index::{Index, IndexFault};

/// A bot that showed a valid secret.
#[derive(Debug, Clone)]
pub struct AuthenticatedBot {
    /// The bot and its group.
    pub row: BotOf,
    /// How long the secret is valid.
    pub validity: Validity,
}

/// The bot that was found, or the reason of the refusal.
pub type BotCheck<T> = Result<T, BotRefusal>;

/// Returns the bot with this id, if it may act and hear: neither the bot nor the account of its
/// creator was disabled, and the creator is in the group. Blocks on the disk.
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
    if index.is_shut(row.bot.creator)? {
        return Ok(Err(BotRefusal::Shut));
    }
    let creator = index.member(row.group, row.bot.creator)?;
    Ok(creator.map(drop).ok_or(BotRefusal::Resting))
}

/// Returns the bot with this id, if `said` is a secret that is valid now and the bot may receive. A
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

/// Adds to a bot the other data that members see.
fn shown_to_members(index: &Index, row: BotOf) -> Result<BotInGroup, IndexFault> {
    let listens = check_active(index, &row)?.is_ok();
    let BotOf { group, bot } = row;
    let member = index.member(group, bot.creator)?;
    let creator_is_member = member.is_some();
    let known = match member {
        Some(member) => Some(member),
        None => index.former_member(group, bot.creator)?.map(|former| former.member),
    };
    // The creator of a bot was a member, so one of the two is there.
    let creator_name = known.map(|it| it.nickname.as_str().to_owned()).unwrap_or_default();
    Ok(BotInGroup { bot, creator_name, creator_is_member, listens })
}

/// As long as the secrets of bots, and the secret of none of them.
const NOBODYS: &str = "============================================";

impl Accounts {
    /// Returns the bot that a post names, if it may post.
    pub async fn active_bot(&self, id: BotId) -> Result<BotCheck<BotOf>, IndexFault> {
        self.ask(move |index| find_active_bot(index, &id)).await
    }

    /// Returns the bot with this id, if `said` is a secret that is valid now and the bot may
    /// receive.
    pub async fn authenticated_bot(
        &self,
        id: BotId,
        said: String,
        now: Timestamp,
    ) -> Result<BotCheck<AuthenticatedBot>, IndexFault> {
        self.ask(move |index| find_authenticated_bot(index, &id, &said, now)).await
    }

    /// Returns the bots of a group by name, for a member; `None` for everybody else.
    pub async fn bots_in_group(
        &self,
        group: GroupId,
        reader: UserId,
    ) -> Result<Option<Vec<BotInGroup>>, IndexFault> {
        self.ask(move |index| {
            if !index.is_in(reader, Conversation::Group(group))? {
                return Ok(None);
            }
            let rows = index.bots_of_group(group)?.into_iter();
            let shown = rows.map(|row| shown_to_members(index, row));
            let mut bots = shown.collect::<Result<Vec<_>, _>>()?;
            let key = |it: &BotInGroup| (it.bot.name.as_str().to_owned(), it.bot.number);
            bots.sort_by_cached_key(key);
            Ok(Some(bots))
        })
        .await
    }

    /// Returns the bot if it may still hear, or why not.
    pub async fn check_bot_active(&self, row: BotOf) -> Result<BotCheck<BotOf>, IndexFault> {
        self.ask(move |index| Ok(check_active(index, &row)?.map(|()| row))).await
    }
}
