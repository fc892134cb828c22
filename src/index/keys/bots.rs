//! Keys of rows of bots.

use crate::domain::ids::UserId;
use crate::index::keys::key;

/// A bot that there is, by its public number.
pub(in crate::index) fn number(bot: UserId) -> Vec<u8> {
    key(b'G', &[&bot.get().to_be_bytes()])
}
