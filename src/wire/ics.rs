//! Calendar events in iCalendar format (RFC 5545), for other calendar programs.

use url::Url;

use crate::instance::Instance;
use crate::{event_days, local_moment};
use domain::calendar::CalendarEvent;
use domain::calendar::details::LocalMoment;
use domain::ids::Conversation;
use domain::time::Timestamp;

/// Maximum bytes of a line; a longer one is folded onto the next line, which begins with a space.
const LINE_BYTES: usize = 75;

/// Returns a calendar that contains one event.
pub fn calendar(conv: Conversation, event: &CalendarEvent, instance: &Instance) -> String {
    let details = &event.details;
    let mut out = Lines::default();
    out.line("BEGIN", "VCALENDAR");
    out.line("VERSION", "2.0");
    out.line("PRODID", "-//Coterie//Coterie//EN");
    out.line("BEGIN", "VEVENT");
    let url = Url::parse(instance.public_url()).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    out.line("UID", &format!("{}.{conv}@{host}", event.id));
    out.line("DTSTAMP", &utc(event.modified));
    if details.is_all_day {
        let (starts, ends) = event_days::local_span(details);
        out.span(";VALUE=DATE", &day(starts), &day(day_after(ends)));
    } else {
        out.span("", &utc(details.starts.at), &utc(details.ends.at));
    }
    out.line("SUMMARY", &escaped(&details.name));
    if let Some(words) = &details.description {
        out.line("DESCRIPTION", &escaped(words));
    }
    if let Some(place) = &details.location {
        let address = place.address.as_deref().filter(|it| *it != place.name);
        let words = [Some(&*place.name), address].into_iter().flatten().collect::<Vec<_>>();
        out.line("LOCATION", &escaped(&words.join(", ")));
        if let Some((lat, lng)) = &place.coordinates {
            // Floats of RFC 5545 have no exponent, which JSON's may.
            let plain = |degrees: &str| degrees.parse::<f64>().map(|it| it.to_string());
            if let (Ok(lat), Ok(lng)) = (plain(lat), plain(lng)) {
                out.line("GEO", &format!("{lat};{lng}"));
            }
        }
    }
    for before in &details.reminders {
        out.line("BEGIN", "VALARM");
        out.line("ACTION", "DISPLAY");
        out.line("DESCRIPTION", &escaped(&details.name));
        out.line("TRIGGER", &format!("-PT{before}S"));
        out.line("END", "VALARM");
    }
    out.line("END", "VEVENT");
    out.line("END", "VCALENDAR");
    out.0
}

/// Returns the exclusive end date of an all-day event. `DTEND` is the day after the last one, so a
/// day is added unless the event ends at midnight.
fn day_after(moment: LocalMoment) -> LocalMoment {
    let more = if local_moment::is_midnight(moment) { 0 } else { 86_400_000 };
    LocalMoment { at: moment.at.plus_millis(more), ..moment }
}

fn utc(at: Timestamp) -> String {
    let clock = local_moment::clock(LocalMoment { at, offset: 0 });
    clock.replace(['-', ':'], "") + "Z"
}

fn day(moment: LocalMoment) -> String {
    local_moment::clock(moment).chars().take("2026-01-31".len()).filter(|it| *it != '-').collect()
}

/// Escapes a text value and removes control characters, so that no character ends the line or the
/// value.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            ',' | ';' | '\\' => out.extend(['\\', char]),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

/// The lines of a calendar, each folded to [`LINE_BYTES`].
#[derive(Default)]
struct Lines(String);

impl Lines {
    /// A start and an end, which is left out unless it is later (RFC 5545, section 3.8.2.2). Without
    /// an end a date is one day, and a time has no duration.
    fn span(&mut self, kind: &str, start: &str, end: &str) {
        self.line(&format!("DTSTART{kind}"), start);
        if end > start {
            self.line(&format!("DTEND{kind}"), end);
        }
    }

    fn line(&mut self, name: &str, value: &str) {
        let mut room = LINE_BYTES;
        for char in name.chars().chain([':']).chain(value.chars()) {
            if char.len_utf8() > room {
                self.0.push_str("\r\n ");
                room = LINE_BYTES - 1;
            }
            room -= char.len_utf8();
            self.0.push(char);
        }
        self.0.push_str("\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_a_line_or_begins_another() {
        let mut lines = Lines::default();
        let words = "Rope, nuts; and \\ a\r\nBEGIN:VALARM ".to_owned() + &"ä".repeat(60);
        lines.line("SUMMARY", &escaped(&words));
        let unfolded = lines.0.replace("\r\n ", "");
        assert!(unfolded.starts_with("SUMMARY:Rope\\, nuts\\; and \\\\ a\\nBEGIN:VALARM ää"));
        assert!(lines.0.split("\r\n").all(|line| line.len() <= LINE_BYTES));
        assert_eq!(unfolded.matches("\r\n").count(), 1);
    }
}
