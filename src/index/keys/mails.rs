//! Keys of mails.

use super::key;
use crate::domain::ids::{MailId, UserId};
use crate::domain::time::Timestamp;

/// A mail that waits, by when it is due.
pub(in crate::index) fn due(at: Timestamp, user: UserId, id: MailId) -> Vec<u8> {
    place(b'<', at, user, id)
}

/// The prefix of all mails that wait.
pub(in crate::index) fn all_due() -> Vec<u8> {
    key(b'<', &[])
}

/// A mail that was given up, by when that was.
pub(in crate::index) fn dead(at: Timestamp, user: UserId, id: MailId) -> Vec<u8> {
    place(b'>', at, user, id)
}

/// The prefix of all mails that were given up.
pub(in crate::index) fn all_dead() -> Vec<u8> {
    key(b'>', &[])
}

fn place(prefix: u8, at: Timestamp, user: UserId, id: MailId) -> Vec<u8> {
    let parts = [at.millis(), user.get(), id.get()].map(u64::to_be_bytes);
    key(prefix, &[&parts[0], &parts[1], &parts[2]])
}
