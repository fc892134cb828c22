//! Bodies of polls and events, and their times.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

/// Seconds since the beginning of Unix time, as far as this machine knows.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.as_ref().map_or(0, Duration::as_secs)
}

/// Returns the body of an event that begins at this time, in Unix seconds.
pub(super) fn event(start: u64) -> String {
    json!({ "name": "Climb", "start_at": zulu(start), "end_at": zulu(start + 3600),
        "timezone": "UTC", "is_all_day": false, "reminders": [0] })
    .to_string()
}

/// Returns the body of a poll that ends at this time, in Unix seconds.
pub(super) fn poll(expiration: u64) -> String {
    json!({ "subject": "When?", "options": [{ "title": "six" }, { "title": "seven" }],
        "expiration": expiration, "type": "single", "visibility": "public" })
    .to_string()
}

/// Returns a time in Unix seconds as RFC 3339 writes it. The date is computed as by H. Hinnant,
/// "chrono-compatible low-level date algorithms", for times since 1970.
fn zulu(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::zulu;

    #[test]
    fn unix_seconds_become_dates() {
        assert_eq!(zulu(0), "1970-01-01T00:00:00Z");
        assert_eq!(zulu(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(zulu(1_800_000_000), "2027-01-15T08:00:00Z");
    }
}
