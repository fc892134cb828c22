//! The servers of the log as the options name them, and the login with which clients connect.
//!
//! No text made from these values contains the login.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::replicated::nats_refusals::{LogRefusal, Unopened};

/// How often a silent connection is pinged; after three pings without an answer, another server is
/// tried.
const PING: Duration = Duration::from_secs(2);
/// How long connecting to a server may take.
const CONNECTED: Duration = Duration::from_secs(2);

/// The servers of the log.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsServers {
    /// The addresses, without a login.
    addresses: Vec<ServerAddr>,
    login: Option<Login>,
    /// A file with the certificates that sign those of the servers; the system's if absent.
    authority: Option<PathBuf>,
    /// Whether a connection without TLS is refused.
    is_encrypted: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum Login {
    Password { user: String, password: String },
    Token(String),
}

impl NatsServers {
    /// Parses addresses, separated by commas: `nats://host:port` or `tls://host:port`, with
    /// `user:password@` or `token@` before the host. `authority` is a PEM file with the
    /// certificates that sign those of the servers.
    ///
    /// # Errors
    /// If an address or the file is invalid, or two addresses have different logins.
    pub fn parse(text: &str, authority: Option<&Path>) -> Result<Self, LogRefusal> {
        let mut servers = Self {
            addresses: Vec::new(),
            login: None,
            authority: authority.map(Path::to_owned),
            is_encrypted: authority.is_some(),
        };
        for (index, part) in text.split(',').enumerate() {
            let invalid = |reason: String| LogRefusal::Address { number: index + 1, reason };
            let address: ServerAddr =
                part.trim().parse().map_err(|error: std::io::Error| invalid(error.to_string()))?;
            if !["nats", "tls"].contains(&address.scheme()) {
                return Err(invalid("it begins with neither nats:// nor tls://".to_owned()));
            }
            servers.is_encrypted |= address.tls_required();
            let login = Login::of(&address).map_err(|reason| invalid(reason.to_owned()))?;
            if login.is_some()
                && servers.login.as_ref().is_some_and(|it| login.as_ref() != Some(it))
            {
                return Err(invalid("its login is not that of the addresses before it".to_owned()));
            }
            servers.login = servers.login.or(login);
            servers.addresses.push(bare(address).map_err(|reason| invalid(reason.to_owned()))?);
        }
        authority.map_or(Ok(()), check_authority)?;
        Ok(servers)
    }

    /// The addresses, without a login.
    pub(super) fn addresses(&self) -> &[ServerAddr] {
        &self.addresses
    }

    /// How a client of this name connects: a server that is cut off never answers, and is left
    /// within seconds.
    pub fn connecting(&self, name: &str) -> ConnectOptions {
        let options = self.without_login(name);
        match &self.login {
            Some(Login::Password { user, password }) => {
                options.user_and_password(user.clone(), password.clone())
            }
            Some(Login::Token(token)) => options.token(token.clone()),
            None => options,
        }
    }

    /// The same for a client that does not log in.
    pub(super) fn without_login(&self, name: &str) -> ConnectOptions {
        let options = ConnectOptions::new()
            .name(name)
            .ping_interval(PING)
            .connection_timeout(CONNECTED)
            .require_tls(self.is_encrypted);
        match &self.authority {
            Some(path) => options.add_root_certificates(path.clone()),
            None => options,
        }
    }

    /// Connects to any of the servers.
    ///
    /// # Errors
    /// If none can be reached, or one refuses the client.
    pub async fn connect_any(&self, options: ConnectOptions) -> Result<Client, ConnectError> {
        options.connect(self.addresses()).await
    }

    /// Connects to any of the servers, and tells a refusal from an error that may pass.
    ///
    /// # Errors
    /// If none can be reached, or one refuses the login or has an untrusted certificate.
    pub(super) async fn connect(&self, options: ConnectOptions) -> Result<Client, Unopened> {
        match self.connect_any(options).await {
            Ok(client) => Ok(client),
            Err(error) if is_refused_login(&error) => Err(self.refused_login().await.into()),
            Err(error) => match untrusted(&error) {
                Some(reason) => {
                    Err(LogRefusal::Untrusted { servers: self.to_string(), reason }.into())
                }
                None => Err(Unopened::Passing(error.into())),
            },
        }
    }

    /// The refusal that names the servers which refuse the login.
    async fn refused_login(&self) -> LogRefusal {
        let mut refusing = Vec::new();
        for address in &self.addresses {
            let options = self.connecting("coterie").ignore_discovered_servers();
            if options.connect(address.clone()).await.is_err_and(|error| is_refused_login(&error)) {
                refusing.push(place(address));
            }
        }
        let servers = if refusing.is_empty() { self.to_string() } else { refusing.join(", ") };
        let login = if self.login.is_some() { "the login" } else { "a client without a login" };
        LogRefusal::Login { servers, login }
    }
}

impl Login {
    /// The login in an address.
    fn of(address: &ServerAddr) -> Result<Option<Self>, &'static str> {
        let Some(user) = address.username() else {
            let has_password = address.password().is_some();
            return if has_password { Err("it has a password without a user") } else { Ok(None) };
        };
        let user = decoded(user)?;
        Ok(Some(match address.password() {
            Some(password) => Self::Password { user, password: decoded(password)? },
            None => Self::Token(user),
        }))
    }
}

impl fmt::Display for NatsServers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<String> = self.addresses.iter().map(place).collect();
        out.write_str(&places.join(", "))
    }
}

impl fmt::Debug for NatsServers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "NatsServers({self})")
    }
}

/// Host and port of a server.
pub(super) fn place(address: &ServerAddr) -> String {
    let host = address.host();
    let port = address.port();
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Whether a server refused the login, or a client without one.
pub(super) fn is_refused_login(error: &ConnectError) -> bool {
    matches!(
        error.kind(),
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication
    )
}

/// Why a server's certificate is not trusted, if that is the error.
fn untrusted(error: &ConnectError) -> Option<String> {
    let mut cause = error.source();
    while let Some(it) = cause {
        let inner = it.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let tls = inner.and_then(|it| it.downcast_ref::<rustls::Error>());
        if let Some(rustls::Error::InvalidCertificate(reason)) = tls.or(it.downcast_ref()) {
            return Some(reason.to_string());
        }
        cause = it.source();
    }
    None
}

/// The address without its login.
fn bare(address: ServerAddr) -> Result<ServerAddr, &'static str> {
    let mut url = address.into_inner();
    if url.host_str().is_none_or(str::is_empty) {
        return Err("it has no host");
    }
    let cleared = url.set_username("").and_then(|()| url.set_password(None));
    cleared.map_err(|()| "its login cannot be read")?;
    ServerAddr::from_url(url).map_err(|_| "it begins with neither nats:// nor tls://")
}

/// Decodes percent signs (RFC 3986, 2.1).
fn decoded(text: &str) -> Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let byte = digits.and_then(|it| u8::from_str_radix(it, 16).ok());
        bytes.push(byte.ok_or("a % in its login is not followed by two hexadecimal digits")?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).map_err(|_| "its login is not UTF-8")
}

/// Checks that a file has certificates.
fn check_authority(path: &Path) -> Result<(), LogRefusal> {
    let unreadable = |reason: String| LogRefusal::Authority { path: path.to_owned(), reason };
    let certificates =
        CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
    let read: Result<Vec<_>, _> = certificates.collect();
    match read {
        Ok(read) if read.is_empty() => Err(unreadable("it has no certificate".to_owned())),
        Ok(_) => Ok(()),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(user: &str, password: &str) -> Option<Login> {
        let user = user.to_owned();
        let password = password.to_owned();
        Some(Login::Password { user, password })
    }

    #[test]
    fn addresses_give_their_logins_away_to_the_server_alone() {
        for (text, places, expected) in [
            ("nats://10.0.0.1:4223", "10.0.0.1:4223", None),
            ("tls://ana:word@log.example.org", "log.example.org:4222", login("ana", "word")),
            ("localhost", "localhost:4222", None),
            ("ana:word@localhost", "localhost:4222", login("ana", "word")),
            ("nats://t0ken@[::1]:4223", "[::1]:4223", Some(Login::Token("t0ken".to_owned()))),
            ("nats://a%40b:%2C%25%C3%A4@a", "a:4222", login("a@b", ",%ä")),
            ("nats://a:b@one, nats://two:1, c", "one:4222, two:1, c:4222", login("a", "b")),
            ("nats://two:1,nats://a:b@one", "two:1, one:4222", login("a", "b")),
        ] {
            let servers = NatsServers::parse(text, None).unwrap();
            assert!(servers.login == expected, "{text}");
            assert_eq!(servers.to_string(), places);
            assert_eq!(format!("{servers:?}"), format!("NatsServers({places})"));
            assert_eq!(servers.is_encrypted, text.starts_with("tls"));
        }
    }

    #[test]
    fn refusals_of_addresses_name_the_address_and_no_login() {
        for (text, number) in [
            ("nats://ana:s3cret@a:port", 1),
            ("nats://ana:s3cret@one,nats://ana:s3cret2@two", 2),
            ("nats://ana:s3cret@one,nats://s3cret@two", 2),
            ("nats://one,ws://ana:s3cret@two", 2),
            ("nats://ana:s3cret%@one", 1),
            ("nats://ana:s3cret%zz@one", 1),
            ("nats://ana:s3cret%ff@one", 1),
            ("nats://:s3cret@one", 1),
            ("one,", 2),
            ("", 1),
        ] {
            let refusal = NatsServers::parse(text, None).unwrap_err().to_string();
            assert!(refusal.contains(&format!("address {number}")), "{text}: {refusal}");
            assert!(refusal.contains("--nats") && !refusal.contains("s3cret"), "{refusal}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let refusal = || NatsServers::parse("one", Some(&path)).unwrap_err().to_string();
        assert!(refusal().contains("--nats-ca"));
        std::fs::write(&path, "no certificate").unwrap();
        assert!(refusal().contains("ca.pem") && refusal().contains("no certificate"));
    }
}
