//! When a delivery is retried, and when it is given up. Pure: chance comes in as a number.

use domain::callback::{Delivery, DeliveryState};
use domain::time::Timestamp;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Milliseconds from one attempt to the next; the first attempt is made at once. If the attempt
/// after the last wait fails too, the tenth, the delivery is given up.
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
/// Attempts when the listener answers that the request itself is wrong.
const ATTEMPTS_IF_REFUSED: u32 = 3;
/// Milliseconds for which a delivery may hold back the events after it.
const HOLD: u64 = 2 * MINUTE;
/// Milliseconds for which a listener that refuses connections is tried often.
const REFUSED_FOR: u64 = HOUR;
/// Milliseconds between two such attempts: at least, and how much more by chance.
const REFUSED_WAIT: u64 = 10 * SECOND;
const REFUSED_SPREAD: u64 = 5 * SECOND;
/// The longest wait in milliseconds that a listener may ask for.
const WAIT_AT_MOST: u64 = HOUR;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptOutcome {
    /// The listener accepted the message.
    Taken,
    /// The listener is gone for good (410), or there is nothing to send any more.
    Gone,
    /// The listener finds the request wrong.
    Refused,
    /// The listener asks to wait for this many milliseconds.
    Busy(u64),
    /// The connection was refused: no process listens there, and trying costs nobody anything.
    ConnectionRefused,
    /// Any other answer, or none.
    Failed,
}

impl AttemptOutcome {
    /// The outcome by the status of an answer; `wait` is what `Retry-After` asks for, in
    /// milliseconds.
    pub(super) fn of(status: u16, wait: Option<u64>) -> Self {
        match (status, wait) {
            (200..=299, _) => Self::Taken,
            (410, _) => Self::Gone,
            (400 | 401 | 403 | 404 | 413 | 422, _) => Self::Refused,
            (429 | 503, Some(wait)) => Self::Busy(wait.min(WAIT_AT_MOST)),
            (_, _) => Self::Failed,
        }
    }

    /// The state of a delivery after an attempt with this outcome. `chance` is between 0 and 1 and
    /// shifts the next attempt by up to a fifth, so that deliveries that failed together are not
    /// retried together.
    #[must_use]
    pub(super) fn conclude(self, tried: &Delivery, now: Timestamp, chance: f64) -> Delivery {
        if self == Self::ConnectionRefused && now.millis_since(tried.began) < REFUSED_FOR {
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
            Self::Refused | Self::ConnectionRefused | Self::Failed => wait_after(attempt, chance),
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

/// Retries a delivery often while connections are refused. All such attempts count as one, so that
/// the schedule is still there once the listener is back. Later events keep waiting, since they
/// would be refused too.
fn until_heard(tried: &Delivery, now: Timestamp, chance: f64) -> Delivery {
    let later = REFUSED_WAIT + (REFUSED_SPREAD as f64 * chance.clamp(0.0, 1.0)) as u64;
    // Most often the listener is just about to start.
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
    use domain::bot_event::BotEvent;
    use domain::callback::DeliveredEvent;
    use domain::ids::{DeliveryId, GroupId, MessageId, UserId};

    const START: Timestamp = Timestamp::from_seconds(1_800_000_000);
    const MIDDLE: f64 = 0.5;

    fn fresh() -> Delivery {
        let of = (UserId::new(1), GroupId::new(2));
        Delivery::begun(
            DeliveryId::new(1),
            of.0,
            of.1,
            DeliveredEvent { n: 3, event: BotEvent::Message, message: Some(MessageId::new(3)) },
            START,
        )
    }

    /// The waits in seconds until the delivery is over, each attempt ending at once.
    fn waits(verdict: AttemptOutcome, chance: f64) -> (Vec<u64>, Delivery) {
        let mut delivery = fresh();
        let mut now = START;
        let mut waits = Vec::new();
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
    fn status_410_ends_retries() {
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
    fn refused_connection_is_retried_within_15_s_for_an_hour() {
        let mut delivery = fresh();
        let mut now = START;
        for (chance, waited) in [(0.0, 4), (0.0, 10), (1.0, 15), (MIDDLE, 12)] {
            delivery = AttemptOutcome::ConnectionRefused.conclude(&delivery, now, chance);
            let wait = delivery.next_at.unwrap().millis_since(now) / SECOND;
            assert_eq!(wait, waited);
            now = delivery.next_at.unwrap();
        }
        assert_eq!((delivery.state, delivery.attempt), (DeliveryState::Failed, 1));
        assert!(!delivery.out_of_order);
        let hour = Timestamp::from_millis(START.millis() + HOUR);
        let late = AttemptOutcome::ConnectionRefused.conclude(&delivery, hour, MIDDLE);
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
