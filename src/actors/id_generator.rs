//! Fresh ids, counted on from the highest ids in the journal.

use std::sync::atomic::{AtomicU64, Ordering};

use base::random::random;
use domain::event::Fact;
use domain::highest_ids::HighestIds;
use domain::id_generator::IdGenerator;
use domain::ids::{AddId, BotId, GroupId, MembershipId, MessageId, StreamId, TokenId, UserId};
use domain::time::Timestamp;

/// The number before the first user and group id, which have eight digits.
const FIRST: u64 = 10_000_000;
/// The number before the first membership id: so far from user ids that the two never meet, so that
/// clients which mix them up notice.
const FIRST_MEMBERSHIP: u64 = 1_000_000_000_000;
/// Letters and digits of a bot's id: 26 out of 36 characters are more than 128 bits.
const BOT_ID_CHARS: usize = 26;
/// Characters of a share token: 20 out of 36 characters are more than 100 bits.
const SHARE_TOKEN_CHARS: usize = 20;

/// Counters that only grow. An id whose commit failed is not given out again while this process
/// runs.
#[derive(Debug)]
pub struct CountingIdGenerator {
    user: AtomicU64,
    group: AtomicU64,
    membership: AtomicU64,
    message: AtomicU64,
    token: AtomicU64,
}

impl CountingIdGenerator {
    /// Counts on from the highest ids that are in use.
    pub fn after(highs: HighestIds) -> Self {
        Self {
            user: AtomicU64::new(highs.user.max(FIRST)),
            group: AtomicU64::new(highs.group.max(FIRST)),
            membership: AtomicU64::new(highs.membership.max(FIRST_MEMBERSHIP)),
            message: AtomicU64::new(highs.message),
            token: AtomicU64::new(highs.token),
        }
    }
}

fn next(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

impl IdGenerator for CountingIdGenerator {
    fn message(&self, at: Timestamp) -> MessageId {
        let earliest = at.seconds().saturating_mul(MessageId::PER_SECOND);
        // If the wall clock jumped back, ids continue from the last one.
        let step = |last: u64| Some((last + 1).max(earliest));
        let advance = self.message.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        let (Ok(last) | Err(last)) = advance;
        MessageId::new((last + 1).max(earliest))
    }

    fn user(&self) -> UserId {
        UserId::new(next(&self.user))
    }

    fn group(&self) -> GroupId {
        GroupId::new(next(&self.group))
    }

    fn membership(&self) -> MembershipId {
        MembershipId::new(next(&self.membership))
    }

    fn token(&self) -> TokenId {
        TokenId::new(next(&self.token))
    }

    fn add(&self) -> AddId {
        AddId::new(u64::from_be_bytes(random()) >> 1)
    }

    fn bot(&self) -> BotId {
        BotId::new(random_chars(BOT_ID_CHARS))
    }

    fn share_token(&self) -> String {
        random_chars(SHARE_TOKEN_CHARS)
    }

    fn heard_of(&self, stream: StreamId, fact: &Fact) {
        let mut heard = HighestIds::default();
        heard.note(stream, fact);
        let HighestIds { user, group, membership, message, token } = heard;
        let counters = [
            (&self.user, user),
            (&self.group, group),
            (&self.membership, membership),
            (&self.message, message),
            (&self.token, token),
        ];
        for (counter, id) in counters {
            counter.fetch_max(id, Ordering::Relaxed);
        }
    }
}

/// Returns a random number between 0 and 1, both included.
pub fn chance() -> f64 {
    f64::from(u32::from_be_bytes(random())) / f64::from(u32::MAX)
}

/// Returns random lower-case letters and digits.
fn random_chars(count: usize) -> String {
    const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = String::with_capacity(count);
    while text.len() < count {
        // 252 is the largest multiple of 36 in a byte. Larger bytes would make some characters more
        // frequent.
        let even = random::<32>().into_iter().filter(|byte| *byte < 252);
        for byte in even.take(count - text.len()) {
            text.push(char::from(ALPHABET[usize::from(byte % 36)]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_ids_grow_although_the_clock_jumps_back() {
        let id_generator = CountingIdGenerator::after(HighestIds::default());
        let late = id_generator.message(Timestamp::from_seconds(1_700_000_100));
        let early = id_generator.message(Timestamp::from_seconds(1_700_000_000));
        assert!(early > late);
        assert_eq!(early.second(), 1_700_000_100);
    }

    #[test]
    fn ids_continue_after_a_restart() {
        let id_generator =
            CountingIdGenerator::after(HighestIds { user: 10_000_007, ..HighestIds::default() });
        assert_eq!(id_generator.user(), UserId::new(10_000_008));
    }

    #[test]
    fn share_tokens_are_letters_and_digits() {
        let token = random_chars(SHARE_TOKEN_CHARS);
        assert_eq!(token.len(), SHARE_TOKEN_CHARS);
        assert!(token.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
        assert_ne!(token, random_chars(SHARE_TOKEN_CHARS));
    }
}
