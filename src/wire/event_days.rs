//! The days of events that take whole days. A date is the same everywhere: the one that is written,
//! or, if the times are no midnights where they were written, that of the event's time zone.

use jiff::tz::TimeZone;

use crate::local_moment;
use domain::calendar::details::{EventDetails, LocalMoment};

/// The start and the end of an event in the local time that its dates are read from.
pub(super) fn local_span(details: &EventDetails) -> (LocalMoment, LocalMoment) {
    let starts = details.starts;
    let ends = details.ends;
    if !details.is_all_day || local_moment::is_midnight(starts) {
        return (starts, ends);
    }
    match TimeZone::get(&details.timezone) {
        Ok(zone) => (in_zone(starts, &zone), in_zone(ends, &zone)),
        // Only the form of names is checked, so the zone may be unknown.
        Err(_) => (starts, ends),
    }
}

/// The moment in the local time of a zone.
fn in_zone(moment: LocalMoment, zone: &TimeZone) -> LocalMoment {
    let millis = i64::try_from(moment.at.millis()).unwrap_or(i64::MAX);
    let Ok(at) = jiff::Timestamp::from_millisecond(millis) else { return moment };
    let minutes = i16::try_from(zone.to_offset(at).seconds() / 60);
    LocalMoment { offset: minutes.unwrap_or(moment.offset), ..moment }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(starts: &str, ends: &str, timezone: &str) -> (String, String) {
        let details = EventDetails {
            name: "C".to_owned(),
            description: None,
            starts: local_moment::parse(starts).unwrap(),
            ends: local_moment::parse(ends).unwrap(),
            is_all_day: true,
            timezone: timezone.to_owned(),
            location: None,
            reminders: Vec::new(),
        };
        let (starts, ends) = local_span(&details);
        (local_moment::shown(starts), local_moment::shown(ends))
    }

    #[test]
    fn midnights_of_the_zone_are_found_in_utc() {
        for (starts, ends, zone, local) in [
            // Summer time begins in Berlin on 28 March 2027.
            (
                "2027-03-27T23:00:00Z",
                "2027-03-28T22:00:00Z",
                "Europe/Berlin",
                ("2027-03-28T00:00:00+01:00", "2027-03-29T00:00:00+02:00"),
            ),
            (
                "2027-05-01T04:00:00Z",
                "2027-05-03T04:00:00Z",
                "America/New_York",
                ("2027-05-01T00:00:00-04:00", "2027-05-03T00:00:00-04:00"),
            ),
            (
                "2027-04-30T18:15:00Z",
                "2027-05-01T18:15:00Z",
                "Asia/Kathmandu",
                ("2027-05-01T00:00:00+05:45", "2027-05-02T00:00:00+05:45"),
            ),
        ] {
            let (first, last) = span(starts, ends, zone);
            assert_eq!((first.as_str(), last.as_str()), local);
        }
    }

    #[test]
    fn explicit_midnights_and_unknown_zones_stay() {
        for (starts, ends, zone) in [
            ("2027-05-01T00:00:00Z", "2027-05-02T00:00:00Z", "Europe/Berlin"),
            ("2027-05-01T00:00:00+14:00", "2027-05-02T00:00:00+14:00", "UTC"),
            ("2027-04-30T22:00:00Z", "2027-05-01T22:00:00Z", "Europe/Atlantis"),
        ] {
            assert_eq!(span(starts, ends, zone), (starts.to_owned(), ends.to_owned()));
        }
    }
}
