//! Pending work in groups after a change to an account: a new name or picture to be shown, an
//! invite to become a membership, a deleted user to be taken out.
//!
//! A row exists as long as account and group do not fit together, whichever of them changed last.
//! So no progress has to be recorded: carrying the work out removes the row, and a later change
//! brings it back. Bots whose application ended have rows of their own, and so have requests to add
//! people that are not settled: the group's room takes these up when it starts, but after a crash
//! nobody else may have a reason to start it.

use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::ids::{AddId, BotId, ClientId, GroupId, UserId};

/// A user and a group in which a change to the user's account is still to be carried out.
pub type UserInGroup = (UserId, GroupId);

pub(super) fn key((user, group): UserInGroup) -> Vec<u8> {
    [b"J".as_slice(), &user.get().to_be_bytes(), &group.get().to_be_bytes()].concat()
}

/// The key of a request to add people that is not settled.
pub(super) fn open_add(group: GroupId, request: AddId) -> Vec<u8> {
    [&open_adds_of(group)[..], &request.get().to_be_bytes()].concat()
}

/// The beginning of the keys of a group's requests that are not settled.
pub(super) fn open_adds_of(group: GroupId) -> Vec<u8> {
    [b"Y".as_slice(), &group.get().to_be_bytes()].concat()
}

/// The key of the request itself, from the key of a request that is not settled.
pub(super) fn add_of_open(key: &[u8]) -> Vec<u8> {
    [b"a".as_slice(), &key[1..]].concat()
}

/// A bot whose application ended: its creator, its group, and its id.
pub type OrphanBot = (UserId, GroupId, BotId);

/// The key under which a bot is listed with its application.
pub(super) fn bot_of_client(client: ClientId, place: UserInGroup, bot: &BotId) -> Vec<u8> {
    [&bots_of_client(client)[..], &bot_at(place, bot)].concat()
}

pub(super) fn bots_of_client(client: ClientId) -> Vec<u8> {
    [b"V".as_slice(), client.bytes()].concat()
}

pub(super) fn orphan(place: UserInGroup, bot: &BotId) -> Vec<u8> {
    [b"U".as_slice(), &bot_at(place, bot)].concat()
}

/// Reads a bot from such a key.
pub(super) fn of_bot_of_client(key: &[u8]) -> Option<OrphanBot> {
    bot_in(key.get(17..)?)
}

fn bot_at((user, group): UserInGroup, bot: &BotId) -> Vec<u8> {
    let bot = bot.as_str().as_bytes();
    [&user.get().to_be_bytes(), &group.get().to_be_bytes(), bot].concat()
}

fn bot_in(bytes: &[u8]) -> Option<OrphanBot> {
    let (user, rest) = bytes.split_first_chunk()?;
    let (group, bot) = rest.split_first_chunk()?;
    let bot = String::from_utf8(bot.to_vec()).ok()?;
    let user = u64::from_be_bytes(*user);
    let group = u64::from_be_bytes(*group);
    Some((UserId::new(user), GroupId::new(group), BotId::new(bot)))
}

impl Index {
    /// Returns up to `most` groups after `after` that have a request to add people which is not
    /// settled.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn open_adds(
        &self,
        after: Option<GroupId>,
        most: usize,
    ) -> Result<Vec<GroupId>, IndexFault> {
        let mut found: Vec<GroupId> = Vec::new();
        let low = after.map_or_else(|| b"Y".to_vec(), |it| keys::end_of(&open_adds_of(it)));
        self.rows.scan(&low, &keys::end_of(b"Y"), Walk::Up, &mut |key, _| {
            let group = keys::group_of(&key[..9]);
            if found.last() != Some(&group) {
                if found.len() >= most {
                    return Ok(Flow::Stop);
                }
                found.push(group);
            }
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns up to `most` bots after `after` whose application ended.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn orphans(
        &self,
        after: Option<OrphanBot>,
        most: usize,
    ) -> Result<Vec<OrphanBot>, IndexFault> {
        let mut found = Vec::new();
        let low = after.map_or_else(
            || b"U".to_vec(),
            |(user, group, bot)| [&orphan((user, group), &bot)[..], &[0]].concat(),
        );
        self.rows.scan(&low, &keys::end_of(b"U"), Walk::Up, &mut |key, _| {
            if found.len() >= most {
                return Ok(Flow::Stop);
            }
            found.extend(bot_in(&key[1..]));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns up to `most` due entries after `after`, in the order of users and groups.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn due(
        &self,
        after: Option<UserInGroup>,
        most: usize,
    ) -> Result<Vec<UserInGroup>, IndexFault> {
        let low = after.map_or_else(|| b"J".to_vec(), |after| [&key(after)[..], &[0]].concat());
        self.due_between(&low, &keys::end_of(b"J"), most)
    }

    /// Returns all due entries of a user.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn due_of(&self, user: UserId) -> Result<Vec<UserInGroup>, IndexFault> {
        let all = |group| key((user, GroupId::new(group)));
        self.due_between(&all(0), &all(u64::MAX), usize::MAX)
    }

    fn due_between(
        &self,
        low: &[u8],
        high: &[u8],
        most: usize,
    ) -> Result<Vec<UserInGroup>, IndexFault> {
        let mut found = Vec::new();
        self.rows.scan(low, high, Walk::Up, &mut |key, _| {
            if found.len() >= most {
                return Ok(Flow::Stop);
            }
            let (user, group) = keys::last_two_numbers(key);
            found.push((UserId::new(user), GroupId::new(group)));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }
}
