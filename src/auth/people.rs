//! Looking people up: by id, by email, by phone number.

use std::sync::Arc;

use crate::domain::group::{Starter, Who};
use crate::domain::ids::{BotId, GroupId, UserId};
use crate::domain::text::{Email, Phone};
use crate::index::rows::{BotRow, Seat, UserRow};
use crate::index::{Index, IndexFault};

/// Questions about people. Each sees everything that was answered before it was asked.
#[derive(Debug, Clone)]
pub struct People(Arc<Index>);

impl People {
    /// Over this index.
    pub const fn new(index: Arc<Index>) -> Self {
        Self(index)
    }

    /// Somebody's account.
    ///
    /// # Errors
    /// When the index cannot be read; so for every question here.
    pub async fn account(&self, id: UserId) -> Result<Option<UserRow>, IndexFault> {
        self.ask(move |index| index.user(id)).await
    }

    /// Who comes into a group under this name.
    pub async fn starter(&self, who: Who) -> Result<Option<Starter>, IndexFault> {
        self.ask(move |index| {
            let Some(id) = find(index, &who)? else { return Ok(None) };
            let row = index.user(id)?;
            Ok(row.map(|row| Starter { id, name: row.profile.name, image: row.profile.image }))
        })
        .await
    }

    /// The account with this email address.
    pub async fn by_email(&self, email: Email) -> Result<Option<(UserId, UserRow)>, IndexFault> {
        self.ask(move |index| {
            let Some(id) = index.user_by_email(&email.key())? else { return Ok(None) };
            Ok(index.user(id)?.map(|row| (id, row)))
        })
        .await
    }

    /// Whether an account has this phone number.
    pub async fn has_phone(&self, phone: Phone) -> Result<bool, IndexFault> {
        self.ask(move |index| Ok(index.user_by_phone(&phone.key())?.is_some())).await
    }

    /// Every group that somebody has to do with, or had.
    pub async fn seats(&self, id: UserId) -> Result<Vec<(GroupId, Seat)>, IndexFault> {
        self.ask(move |index| index.seats(id)).await
    }

    /// The group that a bot is in, by the bot's secret id.
    pub async fn group_of_bot(&self, id: BotId) -> Result<Option<GroupId>, IndexFault> {
        self.ask(move |index| Ok(index.bot(&id)?.map(|row| row.group))).await
    }

    /// The bots that somebody made, each with its group.
    pub async fn bots(&self, creator: UserId) -> Result<Vec<BotRow>, IndexFault> {
        self.ask(move |index| index.bots_of_creator(creator)).await
    }

    /// Asks on a thread that may wait for the disk, once the index is current.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Index) -> Result<T, IndexFault> + Send + 'static,
    ) -> Result<T, IndexFault> {
        self.0.current().await?;
        let index = Arc::clone(&self.0);
        let answer = tokio::task::spawn_blocking(move || question(&index)).await;
        answer.map_err(|_| IndexFault::Stopped)?
    }
}

fn find(index: &Index, who: &Who) -> Result<Option<UserId>, IndexFault> {
    match who {
        Who::User(id) => Ok(Some(*id)),
        Who::Email(email) => index.user_by_email(&email.key()),
        Who::Phone(phone) => index.user_by_phone(&phone.key()),
    }
}
