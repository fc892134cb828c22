//! The target of a request: a URL, read as browsers read it. They take `0x7f.1`, `127.1` and
//! `2130706433` for 127.0.0.1, and so do resolvers; since this parser does the same, no spelling
//! hides an address.

use std::borrow::Cow;
use std::net::IpAddr;

use url::{Host, Url};

/// A URL to which requests may be sent, provided that its host passes the address guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
    host: String,
    port: u16,
    literal: Option<IpAddr>,
}

/// Why no request is sent to a URL. The texts complete "the URL …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetRefusal {
    /// The text is no URL, or one of another scheme, without a host or with port 0.
    #[error("must be an http or https URL that names a host")]
    Form,
    /// The URL contains a user name or a password.
    #[error("must not contain credentials")]
    Credentials,
    /// The URL leads to a network that only this machine or its neighbours reach.
    #[error("leads to a private network ({host}); an operator can open it with --callback-allow")]
    Private {
        /// The host in the URL.
        host: String,
    },
}

impl Target {
    /// Parses a URL.
    ///
    /// # Errors
    /// If the text is no http or https URL with a host, or contains credentials.
    pub fn parse(text: &str) -> Result<Self, TargetRefusal> {
        let url = Url::parse(text).map_err(|_| TargetRefusal::Form)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TargetRefusal::Form);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetRefusal::Credentials);
        }
        let port =
            url.port_or_known_default().filter(|port| *port > 0).ok_or(TargetRefusal::Form)?;
        let (host, literal) = match url.host() {
            Some(Host::Domain(name)) => (name.to_owned(), None),
            Some(Host::Ipv4(address)) => (address.to_string(), Some(IpAddr::V4(address))),
            Some(Host::Ipv6(address)) => (address.to_string(), Some(IpAddr::V6(address))),
            None => return Err(TargetRefusal::Form),
        };
        Ok(Self { url, host, port, literal })
    }

    /// The URL in its normalized form.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Whether the URL asks for TLS.
    pub fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The URL with the scheme `http`.
    pub fn url_without_tls(&self) -> Cow<'_, str> {
        let url = self.url.as_str();
        match url.strip_prefix("https:") {
            Some(rest) => Cow::Owned(format!("http:{rest}")),
            None => Cow::Borrowed(url),
        }
    }

    /// The host, without the brackets of IPv6.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, or the scheme's default if the URL names none.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host's address, if the URL has an address in place of a name.
    pub fn literal(&self) -> Option<IpAddr> {
        self.literal
    }

    /// Scheme, host and port (RFC 6454).
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The value of the `Host` header.
    pub fn host_header(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The URL to which a redirect from here leads.
    ///
    /// # Errors
    /// If the redirect is not a valid URL.
    pub fn join(&self, place: &str) -> Result<String, TargetRefusal> {
        self.url.join(place).map(String::from).map_err(|_| TargetRefusal::Form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_ways_to_write_an_address_are_that_address() {
        for text in [
            "http://127.1/",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
            "http://0x7F000001/",
            "http://127。0。0。1/",
            "http:127.0.0.1",
            "http://\u{2460}27.0.0.1/",
            "http://%31%32%37.0.0.1/",
            "http:\\\\127.0.0.1\\",
        ] {
            let target = Target::parse(text).unwrap();
            assert_eq!(target.literal(), Some(IpAddr::from([127, 0, 0, 1])), "{text}");
        }
        let mapped = Target::parse("http://[::ffff:7f00:1]/").unwrap();
        assert_eq!(mapped.literal(), "::ffff:127.0.0.1".parse().ok());
    }

    #[test]
    fn only_plain_http_urls_are_targets() {
        for text in [
            "",
            "x",
            "ftp://x/",
            "file:///etc/passwd",
            "http://",
            "http:///",
            "http://x:0/",
            "http://x:99999/",
            "gopher://x/",
            "http://1.2.3.4.5/",
            "http://[fe80::1%25eth0]/",
        ] {
            assert_eq!(Target::parse(text), Err(TargetRefusal::Form), "{text:?}");
        }
        for text in ["http://a@x/", "http://a:b@x/", "http://:b@x/", "http://x@127.0.0.1:80@y/"] {
            assert_eq!(Target::parse(text), Err(TargetRefusal::Credentials), "{text:?}");
        }
    }

    #[test]
    fn host_header_omits_the_default_port() {
        let header = |text| Target::parse(text).unwrap().host_header();
        assert_eq!(header("http://x.org:80/"), "x.org");
        assert_eq!(header("http://x.org:443/"), "x.org:443");
        assert_eq!(header("https://[2606:4700::1]:8443/"), "[2606:4700::1]:8443");
    }
}
