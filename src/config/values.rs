//! Types of option values (URLs, networks, time spans, sizes, rates), parsed from the form in which
//! people write them.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};

use crate::http::acme::AccountBinding;
use auth::throttle::Rate;
use auth::write_budgets::WriteRate;
use domain::user::{FloodLimits, Pace};
use outgoing::network::{Network, NotANetwork};

/// Parses the address to listen on. Names are not resolved: a server that listens on whatever a name
/// means at the moment may listen where nobody expects it.
///
/// # Errors
/// If it is not an IP address with a port.
pub fn listening_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "must be an IP address and a port, like 127.0.0.1:8080 or [::1]:8080, no name")
}

/// The address of the listener without TLS, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedirectAddress(pub Option<SocketAddr>);

impl FromStr for RedirectAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be an IP address and a port, like 0.0.0.0:80 or [::]:80, or none";
        match text.trim() {
            "none" => Ok(Self(None)),
            address => address.parse().map(|it| Self(Some(it))).map_err(|_| help),
        }
    }
}

/// A name of the server in the DNS, in ASCII lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain(pub String);

/// The longest name in the DNS, and the longest part of one (RFC 1035, section 2.3.4).
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

impl FromStr for Domain {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be a name like chat.example.org, without scheme, port and path";
        let text = text.trim();
        if text.starts_with("*.") {
            return Err("must be a full name: certificates for all names below one need DNS-01, \
                        which the server does not answer");
        }
        let name = match url::Host::parse(text) {
            Ok(url::Host::Domain(name)) => name,
            Ok(url::Host::Ipv4(_) | url::Host::Ipv6(_)) => {
                return Err("must be a name, not an IP address");
            }
            Err(_) => return Err(help),
        };
        let is_label = |label: &str| {
            let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            (1..=LONGEST_LABEL).contains(&label.len())
                && label.bytes().all(is_sign)
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let is_name = name.len() <= LONGEST_NAME && name.split('.').all(is_label);
        if is_name { Ok(Self(name)) } else { Err(help) }
    }
}

/// The URL of an authority's directory. The protocol requires TLS (RFC 8555, section 6.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryUrl(pub String);

impl FromStr for DirectoryUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = url::Url::parse(text.trim()).ok().filter(|url| url.scheme() == "https");
        let help = "must be an https:// URL, like https://acme-v02.api.letsencrypt.org/directory";
        url.map(|url| Self(url.into())).ok_or(help)
    }
}

/// An email address, as far as one can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailAddress(pub String);

impl FromStr for EmailAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_sign = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b',' | b'?' | b'"');
        let is_address = text.bytes().all(is_sign)
            && text.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && !name.contains(':') && host.parse::<Domain>().is_ok()
            });
        let help = "must be one address like admin@example.org";
        if is_address { Ok(Self(text.to_owned())) } else { Err(help) }
    }
}

/// The account at an authority, as `KID:KEY`; the key is URL-safe base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding(pub AccountBinding);

impl FromStr for Binding {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be KID:KEY, with the key in URL-safe base64, as the authority gave it";
        let (id, key) = text.trim().rsplit_once(':').ok_or(help)?;
        let key = URL_SAFE_NO_PAD.decode(key).or_else(|_| URL_SAFE.decode(key));
        let key = key.ok().filter(|key| !key.is_empty()).ok_or(help)?;
        if id.is_empty() { Err(help) } else { Ok(Self(AccountBinding { id: id.to_owned(), key })) }
    }
}

/// An `http` or `https` URL without query and fragment, with scheme and host in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(pub String);

impl FromStr for PublicUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be a URL like https://chat.example.org";
        let (scheme, rest) = text.trim().split_once("://").ok_or(help)?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") {
            return Err(help);
        }
        let is_strange = |sign: char| {
            sign.is_whitespace() || sign.is_control() || matches!(sign, '?' | '#' | '@' | '"')
        };
        let host = rest.trim_end_matches('/');
        if host.is_empty() || rest.starts_with('/') || rest.contains(is_strange) {
            return Err(help);
        }
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        Ok(Self(format!("{scheme}://{}{path}", host.to_ascii_lowercase())))
    }
}

/// Addresses of the log's servers, not parsed. They may contain a login, so they are not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsAddresses(pub String);

impl From<String> for NatsAddresses {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for NatsAddresses {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("NatsAddresses(…)")
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
    type Err = outgoing::target::TargetRefusal;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        outgoing::target::Target::parse(text).map(|target| Self(target.url().to_owned()))
    }
}

impl PublicUrl {
    /// Whether the URL has a path. Programs can use such a server behind a proxy that takes the path
    /// away; the web client cannot, since it loads everything from the root.
    pub fn has_path(&self) -> bool {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        rest.trim_end_matches('/').contains('/')
    }
}

/// A time span in seconds, more than 0 and at most a hundred years, so that it can be added to any
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub u64);

/// The longest span, in seconds.
const LONGEST: u64 = 36_500 * 86_400;

impl FromStr for Span {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be a number with s, m, h or d, like 90d, and at most 36500d";
        let unit = text.chars().last().ok_or(help)?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return Err(help),
        };
        let count: u64 = text[..text.len() - 1].parse().map_err(|_| help)?;
        let span = count.checked_mul(seconds).filter(|span| (1..=LONGEST).contains(span));
        span.map(Self).ok_or(help)
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

impl Bytes {
    /// The smallest cache of the index: the store cannot be opened with a few hundred bytes, and is
    /// of no use with a few thousand.
    const LEAST_CACHE: u64 = 1 << 20;

    /// Parses the size of the index's cache.
    ///
    /// # Errors
    /// If it is no size or too small.
    pub fn of_cache(text: &str) -> Result<Self, &'static str> {
        let size: Self = text.parse()?;
        if size.0 < Self::LEAST_CACHE { Err("must be at least 1MiB") } else { Ok(size) }
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

/// How many bytes a user may write per second and per day; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteLimit(pub Option<WriteRate>);

impl FromStr for WriteLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = "must be off or bytes per second and per day, like 1MiB/s,1GiB/d";
        if text == "off" {
            return Ok(Self(None));
        }
        let bytes = |text: &str, unit: &str| -> Option<u64> {
            let Bytes(bytes) = text.trim().strip_suffix(unit)?.parse().ok()?;
            (bytes > 0).then_some(bytes)
        };
        let (second, day) = text.split_once(',').ok_or(help)?;
        let rate = bytes(second, "/s").zip(bytes(day, "/d")).ok_or(help)?;
        Ok(Self(Some(WriteRate { per_second: rate.0, per_day: rate.1 })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_sizes_are_read_as_people_write_them() {
        assert_eq!("90d".parse(), Ok(Span(7_776_000)));
        assert_eq!("128MiB".parse(), Ok(Bytes(134_217_728)));
        assert_eq!("36500d".parse(), Ok(Span(LONGEST)));
        for text in
            ["", "90", "d", "-1d", "0s", "36501d", "99999999999999d", "99999999999999999999d"]
        {
            assert!(text.parse::<Span>().is_err(), "{text:?}");
        }
        for text in ["", "MiB", "1TiB", "-1"] {
            assert!(text.parse::<Bytes>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn write_limit_has_a_second_and_a_day() {
        let rate = WriteRate { per_second: 1 << 20, per_day: 1 << 30 };
        assert_eq!("1MiB/s,1GiB/d".parse(), Ok(WriteLimit(Some(rate))));
        assert_eq!("1048576/s, 1024MiB/d".parse(), Ok(WriteLimit(Some(rate))));
        assert_eq!("off".parse(), Ok(WriteLimit(None)));
        for text in
            ["", "1MiB/s", "1MiB,1GiB", "0/s,1GiB/d", "1MiB/s,0/d", "1GiB/d,1MiB/s", "x/s,y/d"]
        {
            assert!(text.parse::<WriteLimit>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_cache_has_a_least_size() {
        assert_eq!(Bytes::of_cache("1MiB"), Ok(Bytes(1 << 20)));
        for text in ["0", "1", "200", "1023KiB", "MiB"] {
            assert!(Bytes::of_cache(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_public_url_names_a_host() {
        for (text, has_path) in [
            ("https://chat.example.org", false),
            ("http://[::1]:8080/", false),
            ("https://example.org/chat", true),
            ("https://example.org/chat/", true),
        ] {
            let url: PublicUrl = text.parse().unwrap();
            assert_eq!((url.0.as_str(), url.has_path()), (text, has_path));
        }
        let url: PublicUrl = " HTTPS://Chat.Example.org/Chat ".parse().unwrap();
        assert_eq!(url.0, "https://chat.example.org/Chat");
        for text in ["", "https://", "https:///", "chat.example.org", "https://a?b", "https://a b"]
        {
            assert!(text.parse::<PublicUrl>().is_err(), "{text:?}");
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
