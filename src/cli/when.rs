//! Reads and formats points in time for operators.

use std::str::FromStr;
use std::time::{Duration, UNIX_EPOCH};

use crate::config::values::Span;
use base::clock::{Clock, SystemClock};
use domain::time::Timestamp;

/// The start of a period: absolute, or relative to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// This moment.
    Moment(Timestamp),
    /// This many seconds ago.
    Ago(u64),
}

impl Since {
    /// The moment at which the period starts.
    pub fn moment(self) -> Timestamp {
        match self {
            Self::Moment(moment) => moment,
            Self::Ago(seconds) => {
                let now = SystemClock::new().now().wall;
                Timestamp::from_millis(now.millis().saturating_sub(seconds.saturating_mul(1000)))
            }
        }
    }
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(Span(seconds)) = text.parse() {
            return Ok(Self::Ago(seconds));
        }
        let whole = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
        let read = humantime::parse_rfc3339_weak(&whole).ok();
        let since = read.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        let millis = since.and_then(|it| u64::try_from(it.as_millis()).ok());
        let help = "must be a date, like 2026-01-31 or 2026-01-31T08:00:00Z, or a time like 7d";
        millis.map(|millis| Self::Moment(Timestamp::from_millis(millis))).ok_or(help)
    }
}

/// Formats a moment as ISO 8601, in UTC.
pub(crate) fn iso8601(at: Timestamp) -> String {
    let moment = UNIX_EPOCH + Duration::from_millis(at.millis());
    humantime::format_rfc3339_seconds(moment).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        let day = Timestamp::from_seconds(1_769_817_600);
        assert_eq!("2026-01-31".parse(), Ok(Since::Moment(day)));
        assert_eq!("2026-01-31T00:00:00Z".parse(), Ok(Since::Moment(day)));
        assert_eq!("7d".parse(), Ok(Since::Ago(604_800)));
        for text in ["", "yesterday", "2026", "2026-13-01", "7"] {
            assert!(text.parse::<Since>().is_err(), "{text:?}");
        }
        assert_eq!(iso8601(day), "2026-01-31T00:00:00Z");
    }
}
