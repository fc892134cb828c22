//! Moments in ISO 8601 with the UTC offset that was given, as calendar events have them.

use std::time::{Duration, UNIX_EPOCH};

use domain::calendar::details::LocalMoment;
use domain::time::Timestamp;

/// The problem reported for a text that is not a moment.
const NO_MOMENT: &str = "must be a moment in ISO 8601, like 2026-01-31T12:00:00+01:00";
/// Maximum minutes by which local time may be ahead of UTC, or behind it.
const MOST_OFFSET: i16 = 14 * 60;
const MINUTE_MILLIS: u64 = 60_000;
/// The last millisecond of the year 9999, the last one that RFC 3339 can express.
const LAST_MILLIS: u64 = 253_402_300_799_999;

/// Reads a moment; without an offset it is in UTC.
///
/// # Errors
/// If the text is not a moment, or one before 1970.
pub fn parse(text: &str) -> Result<LocalMoment, &'static str> {
    let text = text.trim();
    let (clock, offset) = split(text).ok_or(NO_MOMENT)?;
    // Forms leave the seconds out, and databases put a blank before the offset.
    let clock = clock.trim_end();
    let is_to_the_minute = clock.len() == "2026-01-31T12:00".len();
    let whole = if is_to_the_minute { format!("{clock}:00") } else { clock.to_owned() };
    let read = humantime::parse_rfc3339_weak(&whole).ok();
    let since = read.and_then(|it| it.duration_since(UNIX_EPOCH).ok()).ok_or(NO_MOMENT)?;
    let millis = u64::try_from(since.as_millis()).map_err(|_| NO_MOMENT)?;
    let away = u64::from(offset.unsigned_abs()) * MINUTE_MILLIS;
    let utc = if offset < 0 { millis.checked_add(away) } else { millis.checked_sub(away) };
    Ok(LocalMoment { at: Timestamp::from_millis(utc.ok_or(NO_MOMENT)?), offset })
}

/// Splits a text into the local time and its offset in minutes.
fn split(text: &str) -> Option<(&str, i16)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    // Searches for the offset's sign after the date, which itself contains two hyphens.
    let Some(place) = text.rfind(['+', '-']).filter(|place| *place > "2026-01-31".len()) else {
        return Some((text, 0));
    };
    let (clock, offset) = text.split_at(place);
    let digits: String = offset[1..].chars().filter(|it| *it != ':').collect();
    let digits = if digits.len() == 2 { digits + "00" } else { digits };
    if digits.len() != 4 || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let hours = digits[..2].parse::<i16>().ok()?;
    let minutes = digits[2..].parse::<i16>().ok()?;
    let ahead = hours * 60 + minutes;
    let ahead = if offset.starts_with('-') { -ahead } else { ahead };
    (minutes < 60 && ahead.abs() <= MOST_OFFSET).then_some((clock, ahead))
}

/// Formats a moment in local time with its offset, to the second.
pub fn shown(moment: LocalMoment) -> String {
    let clock = clock(moment);
    if moment.offset == 0 {
        return format!("{clock}Z");
    }
    let sign = if moment.offset < 0 { '-' } else { '+' };
    let ahead = moment.offset.unsigned_abs();
    format!("{clock}{sign}{:02}:{:02}", ahead / 60, ahead % 60)
}

/// Whether it is midnight in the local time of a moment.
pub fn is_midnight(moment: LocalMoment) -> bool {
    clock(moment).ends_with("T00:00:00")
}

/// Formats the local time of a moment without its offset, to the second. Times after the year 9999
/// become its end, so that formatting never fails.
pub fn clock(moment: LocalMoment) -> String {
    let away = u64::from(moment.offset.unsigned_abs()) * MINUTE_MILLIS;
    let utc = moment.at.millis();
    let there = if moment.offset < 0 { utc.saturating_sub(away) } else { utc.saturating_add(away) };
    let there = UNIX_EPOCH + Duration::from_millis(there.min(LAST_MILLIS));
    humantime::format_rfc3339_seconds(there).to_string().trim_end_matches('Z').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_moment_keeps_its_offset() {
        for said in
            ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00", "2026-01-31T12:00:00-05:30"]
        {
            assert_eq!(shown(parse(said).unwrap()), said);
        }
        let at = |said| parse(said).unwrap().at;
        assert_eq!(at("2026-01-31T12:00:00+01:00"), at("2026-01-31T11:00:00Z"));
        assert_eq!(at("2026-01-31T06:30:00-0530"), at("2026-01-31 12:00:00"));
    }

    #[test]
    fn forms_and_databases_write_moments() {
        let utc = parse("2026-01-31T11:00:00Z").unwrap().at;
        for text in [
            "2026-01-31T12:00+01:00",
            "2026-01-31T12:00+0100",
            "2026-01-31 12:00:00+01",
            "2026-01-31 12:00:00 +01:00",
            "2026-01-31T11:00Z",
            "2026-01-31T11:00",
            "2026-01-31 11:00:00.000 Z",
        ] {
            assert_eq!(parse(text).unwrap().at, utc, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn formatting_never_fails(at in proptest::num::u64::ANY, offset in proptest::num::i16::ANY) {
            let text = shown(LocalMoment { at: Timestamp::from_millis(at), offset });
            proptest::prop_assert!(text.len() >= 20);
        }
    }

    #[test]
    fn invalid_moment_is_refused() {
        for wrong in [
            "",
            "soon",
            "2026-01-31T12:00:00+1",
            "2026-01-31T12:00:00+15:00",
            "2026-01-31T12:00:00+01:75",
            "1969-12-31T23:00:00Z",
            "2026-13-31T12:00:00Z",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
