//! The wording of reminders.

/// Says in words how soon an event begins.
pub fn starting(minutes: u32) -> String {
    let (count, unit) = match minutes {
        0 => return "is starting now".to_owned(),
        1..120 => (minutes, "minute"),
        120..2880 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("starts in {count} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reminder_text_uses_natural_units() {
        let said = [0, 1, 15, 119, 120, 1500, 2880, 20_160].map(starting);
        let expected = [
            "is starting now",
            "starts in 1 minute",
            "starts in 15 minutes",
            "starts in 119 minutes",
            "starts in 2 hours",
            "starts in 25 hours",
            "starts in 2 days",
            "starts in 14 days",
        ];
        assert_eq!(said, expected);
    }
}
