//! When a message is tried again, and when it is given up. Pure; chance comes as a number.

use crate::domain::callback::{Delivery, DeliveryState};
use crate::domain::time::Timestamp;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// How long after one attempt the next one comes; the first comes at once. After the last
/// one nothing comes any more.
const WAITS: [u64; 9] = [
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    6 * HOUR,
    12 * HOUR,
    24 * HOUR,
];
/// Attempts when the listener says that the request itself is wrong.
const ATTEMPTS_IF_REFUSED: u32 = 3;
/// How long a message may hold back those after it.
const HOLD: u64 = 2 * MINUTE;
/// How long it is asked often whether somebody listens again.
const UNHEARD: u64 = HOUR;
/// How long between two such questions, at least, and how much longer by chance.
const UNHEARD_WAIT: u64 = 10 * SECOND;
const UNHEARD_SPREAD: u64 = 5 * SECOND;
/// How long a listener may tell us to wait.
const WAIT_AT_MOST: u64 = HOUR;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptOutcome {
    /// The listener took the message.
    Taken,
    /// It is gone for good (410).
    Gone,
    /// It finds the request wrong.
    Refused,
    /// It wants to be left alone for so many milliseconds.
    Busy(u64),
    /// Nobody listens there: asking costs nobody anything.
    Unheard,
    /// Anything else, or no answer.
    Failed,
}

impl AttemptOutcome {
    /// What a status means; `wait` is what `Retry-After` asks for, in milliseconds.
    pub(super) fn of(status: u16, wait: Option<u64>) -> Self {
        match (status, wait) {
            (200..=299, _) => Self::Taken,
            (410, _) => Self::Gone,
            (400 | 401 | 403 | 404 | 413 | 422, _) => Self::Refused,
            (429 | 503, Some(wait)) => Self::Busy(wait.min(WAIT_AT_MOST)),
            (_, _) => Self::Failed,
        }
    }

    /// How a delivery stands after an attempt that ended so. `chance` is between 0 and 1
    /// and moves the next attempt by up to a fifth, so that what failed together does not
    /// come back together.
    #[must_use]
    pub(super) fn conclude(self, tried: &Delivery, now: Timestamp, chance: f64) -> Delivery {
        if self == Self::Unheard && now.millis_since(tried.began) < UNHEARD {
            return until_heard(tried, now, chance);
        }
        let attempt = tried.attempt + 1;
        let mut next = Delivery { attempt, at: now, next_at: None, ..tried.clone() };
        let wait = match self {
            Self::Taken => {
                next.state = DeliveryState::Delivered;
                return next;
            }
            Self::Gone => None,
            Self::Refused if attempt >= ATTEMPTS_IF_REFUSED => None,
            Self::Refused | Self::Unheard | Self::Failed => wait_after(attempt, chance),
            Self::Busy(wished) => wait_after(attempt, chance).map(|wait| wait.max(wished)),
        };
        let Some(wait) = wait else {
            next.state = DeliveryState::Dead;
            return next;
        };
        let at = Timestamp::from_millis(now.millis().saturating_add(wait));
        next.next_at = Some(at);
        next.out_of_order = tried.out_of_order || at.millis_since(tried.began) > HOLD;
        next.state = if next.out_of_order { DeliveryState::Parked } else { DeliveryState::Failed };
        next
    }
}

/// Nobody listens: it is asked again and again whether somebody does. Attempts that nobody
/// heard count as one, so that the schedule is still there for those that are heard; and
/// nothing is let past, since it would come no further.
fn until_heard(tried: &Delivery, now: Timestamp, chance: f64) -> Delivery {
    let later = UNHEARD_WAIT + (UNHEARD_SPREAD as f64 * chance.clamp(0.0, 1.0)) as u64;
    // Most often it is about to start.
    let wait = wait_after(1, chance).filter(|_| tried.attempt == 0).unwrap_or(later);
    let state = if tried.out_of_order { DeliveryState::Parked } else { DeliveryState::Failed };
    let next_at = Some(Timestamp::from_millis(now.millis().saturating_add(wait)));
    Delivery { attempt: tried.attempt.max(1), at: now, next_at, state, ..tried.clone() }
}

fn wait_after(attempt: u32, chance: f64) -> Option<u64> {
    let wait = WAITS.get(usize::try_from(attempt).ok()?.checked_sub(1)?)?;
    Some((*wait as f64 * (0.8 + 0.4 * chance.clamp(0.0, 1.0))) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bot_event::BotEvent;
    use crate::domain::callback::DeliveredEvent;
    use crate::domain::ids::{DeliveryId, GroupId, MessageId, UserId};

    const START: Timestamp = Timestamp::from_seconds(1_800_000_000);
    const MIDDLE: f64 = 0.5;

    fn fresh() -> Delivery {
        let of = (UserId::new(1), GroupId::new(2));
        Delivery::begun(
            DeliveryId::new(1),
            of,
            DeliveredEvent { n: 3, event: BotEvent::Message, message: Some(MessageId::new(3)) },
            START,
        )
    }

    /// The waits until it is over, in seconds, each attempt ending at once.
    fn waits(verdict: AttemptOutcome, chance: f64) -> (Vec<u64>, Delivery) {
        let (mut delivery, mut now, mut waits) = (fresh(), START, Vec::new());
        loop {
            delivery = verdict.conclude(&delivery, now, chance);
            let Some(next) = delivery.next_at else { return (waits, delivery) };
            waits.push(next.millis_since(now) / SECOND);
            now = next;
        }
    }

    #[test]
    fn a_message_is_tried_ten_times_over_two_days() {
        let (waits, last) = waits(AttemptOutcome::Failed, MIDDLE);
        assert_eq!(waits, [5, 30, 120, 600, 1800, 7200, 21_600, 43_200, 86_400]);
        assert_eq!((last.state, last.attempt), (DeliveryState::Dead, 10));
    }

    #[test]
    fn chance_moves_an_attempt_by_a_fifth() {
        assert_eq!(waits(AttemptOutcome::Failed, 0.0).0[..2], [4, 24]);
        assert_eq!(waits(AttemptOutcome::Failed, 1.0).0[..2], [6, 36]);
    }

    #[test]
    fn a_request_that_is_wrong_is_tried_three_times() {
        for status in [400, 401, 403, 404, 413, 422] {
            let (waits, last) = waits(AttemptOutcome::of(status, None), MIDDLE);
            assert_eq!((waits.len(), last.attempt, last.state), (2, 3, DeliveryState::Dead));
        }
    }

    #[test]
    fn whoever_is_gone_is_not_asked_again() {
        let dead = AttemptOutcome::of(410, None).conclude(&fresh(), START, MIDDLE);
        assert_eq!((dead.state, dead.next_at), (DeliveryState::Dead, None));
    }

    #[test]
    fn a_listener_may_ask_for_an_hour_and_no_more() {
        let wait = |seconds: u64| {
            let verdict = AttemptOutcome::of(429, Some(seconds * SECOND));
            let next = verdict.conclude(&fresh(), START, MIDDLE).next_at.unwrap();
            next.millis_since(START) / SECOND
        };
        assert_eq!((wait(1), wait(60), wait(3600), wait(86_400)), (5, 60, 3600, 3600));
        assert_eq!(AttemptOutcome::of(503, Some(7)), AttemptOutcome::Busy(7));
        assert_eq!(AttemptOutcome::of(500, Some(7)), AttemptOutcome::Failed);
    }

    #[test]
    fn where_nobody_listens_it_is_asked_within_fifteen_seconds_for_an_hour() {
        let (mut delivery, mut now) = (fresh(), START);
        for (chance, waited) in [(0.0, 4), (0.0, 10), (1.0, 15), (MIDDLE, 12)] {
            delivery = AttemptOutcome::Unheard.conclude(&delivery, now, chance);
            let wait = delivery.next_at.unwrap().millis_since(now) / SECOND;
            assert_eq!(wait, waited);
            now = delivery.next_at.unwrap();
        }
        assert_eq!((delivery.state, delivery.attempt), (DeliveryState::Failed, 1));
        assert!(!delivery.out_of_order);
        let hour = Timestamp::from_millis(START.millis() + HOUR);
        let late = AttemptOutcome::Unheard.conclude(&delivery, hour, MIDDLE);
        assert_eq!((late.state, late.attempt), (DeliveryState::Parked, 2));
    }

    #[test]
    fn redirects_and_whatever_else_are_failures() {
        for status in [100, 301, 302, 307, 308, 402, 405, 429, 500, 502, 503, 599] {
            assert_eq!(AttemptOutcome::of(status, None), AttemptOutcome::Failed, "{status}");
        }
        assert!(
            [200, 201, 204, 299]
                .iter()
                .all(|it| AttemptOutcome::of(*it, None) == AttemptOutcome::Taken)
        );
    }

    #[test]
    fn a_message_holds_others_back_for_two_minutes_at_most() {
        let first = AttemptOutcome::Failed.conclude(&fresh(), START, MIDDLE);
        assert_eq!((first.state, first.out_of_order), (DeliveryState::Failed, false));
        let second = AttemptOutcome::Failed.conclude(&first, first.next_at.unwrap(), MIDDLE);
        assert_eq!(second.state, DeliveryState::Failed);
        let third = AttemptOutcome::Failed.conclude(&second, second.next_at.unwrap(), MIDDLE);
        assert_eq!((third.state, third.out_of_order), (DeliveryState::Parked, true));
        let taken = AttemptOutcome::Taken.conclude(&third, third.next_at.unwrap(), MIDDLE);
        assert_eq!((taken.state, taken.out_of_order), (DeliveryState::Delivered, true));
    }
}
