//! Types of option values (URLs, networks, time spans, sizes, rates), parsed from the form in which
//! people write them.

use std::str::FromStr;

use crate::auth::throttle::Rate;
use crate::domain::user::{FloodLimits, Pace};
use crate::outgoing::network::{Network, NotANetwork};

/// An `http` or `https` URL without query and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(pub String);

impl FromStr for PublicUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let is_plain = rest.is_some_and(|rest| {
            !rest.is_empty()
                && !rest.starts_with('/')
                && !rest.contains(|sign: char| {
                    sign.is_whitespace()
                        || sign.is_control()
                        || matches!(sign, '?' | '#' | '@' | '"')
                })
        });
        if is_plain {
            Ok(Self(text.to_owned()))
        } else {
            Err("must be a URL like https://chat.example.org")
        }
    }
}

/// A comma-separated list of networks, or `none`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Networks(pub Vec<Network>);

impl FromStr for Networks {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim() == "none" {
            return Ok(Self(Vec::new()));
        }
        text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// The URL of the SMS gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmsUrl(pub String);

impl FromStr for SmsUrl {
    type Err = crate::outgoing::target::TargetRefusal;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        crate::outgoing::target::Target::parse(text).map(|target| Self(target.url().to_owned()))
    }
}

/// A time span in seconds, more than 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub u64);

impl FromStr for Span {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be a number with s, m, h or d, like 90d";
        let unit = text.chars().last().ok_or(help)?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return Err(help),
        };
        let count: u64 = text[..text.len() - 1].parse().map_err(|_| help)?;
        count.checked_mul(seconds).filter(|span| *span > 0).map(Self).ok_or(help)
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be a size like 128MiB";
        let digits = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
        let count: u64 = text[..digits].parse().map_err(|_| help)?;
        let unit = match text[digits..].trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" | "kb" => 1 << 10,
            "m" | "mib" | "mb" => 1 << 20,
            "g" | "gib" | "gb" => 1 << 30,
            _ => return Err(help),
        };
        count.checked_mul(unit).map(Self).ok_or(help)
    }
}

/// The rate of requests per token, with a burst of five times the number; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit(pub Option<Rate>);

impl FromStr for RateLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be off or a rate like 1000/s or 600/m";
        if text == "off" {
            return Ok(Self(None));
        }
        let (count, unit) = text.split_once('/').ok_or(help)?;
        let count: u32 = count.parse().map_err(|_| help)?;
        let seconds = match unit {
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(help),
        };
        let per_second = f64::from(count) / seconds;
        let burst = (f64::from(count) * 5.0).max(1.0);
        if count == 0 { Err(help) } else { Ok(Self(Some(Rate { per_second, burst }))) }
    }
}

/// How many direct messages a user may send, and to how many strangers, each per time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DmLimit(pub FloodLimits);

impl FromStr for DmLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be messages and strangers per time, like 300/1m,50/10m";
        let pace = |text: &str| -> Option<Pace> {
            let (most, span) = text.trim().split_once('/')?;
            let most = most.parse().ok().filter(|most| *most > 0)?;
            let Span(seconds) = span.parse().ok()?;
            Some(Pace { most, millis: seconds.checked_mul(1000)? })
        };
        let (messages, strangers) = text.split_once(',').ok_or(help)?;
        let limits = pace(messages).zip(pace(strangers)).ok_or(help)?;
        Ok(Self(FloodLimits { messages: limits.0, strangers: limits.1 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_sizes_are_read_as_people_write_them() {
        assert_eq!("90d".parse(), Ok(Span(7_776_000)));
        assert_eq!("128MiB".parse(), Ok(Bytes(134_217_728)));
        for text in ["", "90", "d", "-1d", "0s", "99999999999999999999d"] {
            assert!(text.parse::<Span>().is_err(), "{text:?}");
        }
        for text in ["", "MiB", "1TiB", "-1"] {
            assert!(text.parse::<Bytes>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_rate_limit_bursts_five_times() {
        let rate = Rate { per_second: 10.0, burst: 3000.0 };
        assert_eq!("600/m".parse(), Ok(RateLimit(Some(rate))));
        assert_eq!("off".parse(), Ok(RateLimit(None)));
        assert!("0/s".parse::<RateLimit>().is_err());
    }
}
