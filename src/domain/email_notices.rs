//! Mails about missed messages: the user's choice, and when the next mail is due.
//!
//! A missed message is one that is for the user in particular (a direct message, a mention, a reply)
//! and that the user has not read. Messages that came before the last mail or before the user's last
//! activity make no mail due; the text of a mail still lists them while they are unread.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;

/// Milliseconds after a missed message before a mail about it.
pub const MISSED_MILLIS: u64 = 30 * MINUTE;
/// Milliseconds from one mail to the next while the user stays away; the last one repeats.
const PAUSES: [u64; 3] = [6 * HOUR, 24 * HOUR, 72 * HOUR];
/// Milliseconds after its mail was due for which a message still makes a mail due. Without this
/// limit, a server that begins to send mail would write about messages of years.
const LATE_MILLIS: u64 = 4 * 24 * HOUR;

/// When a user wants mails about missed messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EmailNotices {
    /// Never.
    Off,
    /// After half an hour without the user.
    Missed,
    /// Once a day, for what is unread.
    Daily,
    /// Once a week, for what is unread.
    Weekly,
}

impl EmailNotices {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::Off, Self::Missed, Self::Daily, Self::Weekly];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Missed => "missed",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
        }
    }

    /// The choice with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }

    /// The choice of a user who made none: devices with notices make mails needless.
    pub const fn default_with(has_devices: bool) -> Self {
        if has_devices { Self::Off } else { Self::Missed }
    }

    /// Milliseconds from the first missed message to the mail; `None` if no mail is wanted.
    const fn delay(self) -> Option<u64> {
        match self {
            Self::Off => None,
            Self::Missed => Some(MISSED_MILLIS),
            Self::Daily => Some(24 * HOUR),
            Self::Weekly => Some(7 * 24 * HOUR),
        }
    }

    /// When the next mail is due, and its number; `None` if no message makes one due. `came`: when
    /// the missed messages came. `seen_at`: the user's last activity.
    pub fn due(
        self,
        came: impl IntoIterator<Item = Timestamp>,
        last: Option<MissedMail>,
        seen_at: Timestamp,
        now: Timestamp,
    ) -> Option<(Timestamp, MissedMail)> {
        let delay = self.delay()?;
        let counts = |at: &Timestamp| {
            last.is_none_or(|last| last.at < *at)
                && (self != Self::Missed || seen_at <= *at)
                && now <= at.plus_millis(delay + LATE_MILLIS)
        };
        let first = came.into_iter().filter(counts).min()?;
        let due = first.plus_millis(delay);
        let away = last.filter(|last| seen_at <= last.at);
        let Some(last) = away else { return Some((due, MissedMail { at: due, in_row: 0 })) };
        let in_row = last.in_row.saturating_add(1);
        let pause = PAUSES.get(last.in_row as usize).or(PAUSES.last()).copied().unwrap_or_default();
        let due = match self {
            Self::Missed => due.max(last.at.plus_millis(pause)),
            Self::Off | Self::Daily | Self::Weekly => due,
        };
        Some((due, MissedMail { at: due, in_row }))
    }
}

/// A mail about missed messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedMail {
    /// When it was queued.
    pub at: Timestamp,
    /// How many such mails came before it without any activity of the user.
    pub in_row: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64) -> Timestamp {
        Timestamp::from_millis(minutes * MINUTE)
    }

    fn due(
        choice: EmailNotices,
        came: &[u64],
        last: Option<(u64, u32)>,
        seen: u64,
    ) -> Option<(u64, u32)> {
        let last = last.map(|(minute, in_row)| MissedMail { at: at(minute), in_row });
        let came = came.iter().copied().map(at);
        let next = choice.due(came, last, at(seen), at(0));
        next.map(|(due, mail)| (due.millis() / MINUTE, mail.in_row))
    }

    #[test]
    fn mail_is_due_half_an_hour_after_the_first_missed_message() {
        use EmailNotices::Missed;
        assert_eq!(due(Missed, &[], None, 0), None);
        assert_eq!(due(Missed, &[20, 10], None, 5), Some((40, 0)));
        assert_eq!(due(Missed, &[10, 20], None, 15), Some((50, 0)), "the user was here at 15");
        assert_eq!(due(Missed, &[10, 20], None, 21), None);
        assert_eq!(due(EmailNotices::Off, &[10], None, 0), None);
    }

    #[test]
    fn pauses_grow_while_the_user_stays_away() {
        use EmailNotices::Missed;
        for (in_row, pause) in [(0, 6), (1, 24), (2, 72), (3, 72)] {
            assert_eq!(
                due(Missed, &[90, 200], Some((100, in_row)), 50),
                Some((100 + pause * 60, in_row + 1))
            );
        }
        assert_eq!(due(Missed, &[90], Some((100, 0)), 50), None, "nothing new");
        assert_eq!(due(Missed, &[200], Some((100, 2)), 150), Some((230, 0)), "the user came back");
        assert_eq!(due(Missed, &[5000], Some((100, 0)), 50), Some((5030, 1)));
    }

    #[test]
    fn digests_come_once_a_day_or_week_for_unread_messages() {
        use EmailNotices::{Daily, Weekly};
        assert_eq!(due(Daily, &[10, 20], None, 15), Some((10 + 1440, 0)));
        assert_eq!(due(Weekly, &[10], None, 15), Some((10 + 7 * 1440, 0)));
        assert_eq!(due(Daily, &[10, 2000], Some((1450, 0)), 1500), Some((2000 + 1440, 0)));
        assert_eq!(due(Daily, &[10], Some((1450, 0)), 0), None);
    }

    #[test]
    fn old_messages_make_no_mail_due() {
        let now = at(0).plus_millis(MISSED_MILLIS + LATE_MILLIS);
        let next = |now| EmailNotices::Missed.due([at(0)], None, at(0), now);
        assert!(next(now).is_some());
        assert_eq!(next(now.plus_millis(1)), None);
    }
}
