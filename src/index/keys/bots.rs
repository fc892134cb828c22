//! Keys of rows of bots.

use crate::domain::ids::UserId;
use crate::index::keys::key;

/// Whether there is a bot with this public number.
pub(in crate::index) fn number(bot: UserId) -> Vec<u8> {
    key(b'G', &[&bot.get().to_be_bytes()])
}
