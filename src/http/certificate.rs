//! The certificate of the server for HTTPS: read from PEM files, and read again when they change.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::http::client_stream::{HTTP1, HTTP2};
use base::clock::Clock;
use base::metrics::exposition::{Exposition, MetricKind};
use domain::time::Timestamp;

/// The reasons for files without a certificate or key.
const CERTIFICATE: &str = "it holds no certificate in PEM format";
const KEY: &str = "it holds no private key in PEM format without a password";

/// The files that `--tls-cert` and `--tls-key` name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The server's certificate, followed by those that sign it.
    pub certificate: PathBuf,
    /// The private key of the server's certificate.
    pub key: PathBuf,
}

/// Why a file cannot be used for HTTPS: one line for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option} {} cannot be used: {reason}", path.display())]
pub struct UnusableFile {
    option: &'static str,
    path: PathBuf,
    reason: String,
}

/// A certificate that can be used for HTTPS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsableCertificate {
    /// The end of its validity, in Unix seconds.
    pub expires: u64,
    /// Whether the certificate names the host that clients open.
    pub names_host: bool,
}

/// A certificate with its key, as both were read from PEM.
pub struct CertificateWithKey {
    /// The certificate, those that sign it, and the key.
    pub certified: CertifiedKey,
    /// The beginning of its validity, in Unix seconds.
    pub begins: u64,
    /// The end of its validity, in Unix seconds.
    pub expires: u64,
}

/// Why a certificate or its key cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PemFault {
    /// The reason lies in the certificate.
    #[error("{0}")]
    Certificate(String),
    /// The reason lies in the key.
    #[error("{0}")]
    Key(String),
    /// The key belongs to another certificate.
    #[error("its key is not the key of its certificate")]
    OtherKey,
}

/// Why a server cannot speak HTTPS.
#[derive(Debug, thiserror::Error)]
pub enum CertificateFault {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] UnusableFile),
    /// The operating system refused something.
    #[error("HTTPS cannot be started: {0}")]
    System(String),
}

/// The certificate that new connections receive.
pub struct ServedCertificate {
    files: CertificateFiles,
    provider: CryptoProvider,
    clock: Arc<dyn Clock>,
    current: RwLock<Current>,
    /// How many changes of the files were refused.
    refused: AtomicU64,
    /// Ends the thread that looks at the files when it is dropped.
    _stop: mpsc::Sender<()>,
}

struct Current {
    key: Arc<CertifiedKey>,
    /// The end of its validity, in Unix seconds.
    expires: u64,
    /// The result of the last look at the files, so that each change is logged once.
    seen: Result<PemFiles, UnusableFile>,
}

/// The content of both files.
#[derive(PartialEq, Eq)]
struct PemFiles {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl CertificateFiles {
    /// Reads both files as the server does, at this time in Unix seconds, for clients of this host.
    ///
    /// # Errors
    /// If a file cannot be read or used.
    pub fn examine(&self, now: u64, host: &str) -> Result<UsableCertificate, UnusableFile> {
        let provider = rustls::crypto::ring::default_provider();
        let now = Timestamp::from_millis(now.saturating_mul(1000));
        let read = self.parse(&self.read()?, &provider, now)?;
        let names_host = read.names(host);
        let expires = read.expires;
        Ok(UsableCertificate { expires, names_host })
    }

    fn read(&self) -> Result<PemFiles, UnusableFile> {
        let read = |path: &Path| fs::read(path).map_err(|error| error.to_string());
        Ok(PemFiles {
            certificate: read(&self.certificate)
                .map_err(|reason| self.certificate_error(reason))?,
            key: read(&self.key).map_err(|reason| self.key_error(reason))?,
        })
    }

    fn certificate_error(&self, reason: impl Into<String>) -> UnusableFile {
        let option = "--tls-cert";
        let path = self.certificate.clone();
        UnusableFile { option, path, reason: reason.into() }
    }

    fn key_error(&self, reason: impl Into<String>) -> UnusableFile {
        UnusableFile { option: "--tls-key", path: self.key.clone(), reason: reason.into() }
    }

    /// Parses both files, and checks that the key belongs to the certificate and that the
    /// certificate is valid at this time.
    fn parse(
        &self,
        files: &PemFiles,
        provider: &CryptoProvider,
        now: Timestamp,
    ) -> Result<CertificateWithKey, UnusableFile> {
        let read = CertificateWithKey::from_pem(&files.certificate, &files.key, provider);
        read.and_then(|read| read.valid_at(now)).map_err(|fault| match fault {
            PemFault::Certificate(reason) => self.certificate_error(reason),
            PemFault::Key(reason) => self.key_error(reason),
            PemFault::OtherKey => {
                let path = self.certificate.display();
                self.key_error(format!("it is not the key of the certificate in {path}"))
            }
        })
    }
}

impl CertificateWithKey {
    /// Parses a certificate and its key, and checks that they belong together.
    ///
    /// # Errors
    /// If they cannot be used.
    pub fn from_pem(
        certificate: &[u8],
        key: &[u8],
        provider: &CryptoProvider,
    ) -> Result<Self, PemFault> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate).collect();
        let chain =
            chain.map_err(|error| PemFault::Certificate(pem_reason(&error, CERTIFICATE)))?;
        let own = chain.first().ok_or_else(|| PemFault::Certificate(CERTIFICATE.to_owned()))?;
        let parsed = ParsedCertificate::try_from(own).map_err(|error| {
            PemFault::Certificate(format!("its certificate is damaged: {error}"))
        })?;
        let (begins, expires) = validity(&parsed, provider);
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| PemFault::Key(pem_reason(&error, KEY)))?;
        let key = provider.key_provider.load_private_key(key).map_err(|error| {
            PemFault::Key(format!("its key is damaged or of an unknown kind: {error}"))
        })?;
        let certified = CertifiedKey::new(chain.clone(), key);
        match certified.keys_match() {
            Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::KeyMismatch)) => {
                Err(PemFault::OtherKey)
            }
            // A kind of key whose public half is unknown is compared by the first client.
            Ok(()) | Err(_) => Ok(Self { certified, begins, expires }),
        }
    }

    /// Returns the certificate if it is valid at this time.
    ///
    /// # Errors
    /// If it is not valid yet, or not valid any more.
    pub fn valid_at(self, now: Timestamp) -> Result<Self, PemFault> {
        let now = now.seconds();
        let reason = if now > self.expires {
            format!("its certificate expired at {}", date(self.expires))
        } else if now < self.begins {
            format!("its certificate is not valid before {}", date(self.begins))
        } else {
            return Ok(self);
        };
        Err(PemFault::Certificate(reason))
    }

    /// Whether the certificate names this host of a URL.
    pub fn names(&self, host: &str) -> bool {
        let certificate = self.certified.end_entity_cert();
        let certificate = certificate.and_then(ParsedCertificate::try_from);
        // An IPv6 address has brackets in a URL.
        let host = ServerName::try_from(host.trim_matches(['[', ']']));
        let named = certificate.ok().zip(host.ok());
        named.is_some_and(|(certificate, host)| verify_server_name(&certificate, &host).is_ok())
    }
}

fn pem_reason(error: &pem::Error, none: &str) -> String {
    if matches!(error, pem::Error::NoItemsFound) {
        return none.to_owned();
    }
    format!("it is not in PEM format: {error}")
}

/// A time in Unix seconds, in the form of ISO 8601.
pub fn date(seconds: u64) -> String {
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    time.map_or_else(String::new, |it| humantime::format_rfc3339_seconds(it).to_string())
}

/// The beginning and the end of a certificate's validity, in Unix seconds. Verifications at the
/// beginning and at the end of time fail, and their errors contain both.
fn validity(certificate: &ParsedCertificate<'_>, provider: &CryptoProvider) -> (u64, u64) {
    let begins = match verify(certificate, provider, 0) {
        Err(CertificateError::NotValidYetContext { not_before, .. }) => not_before.as_secs(),
        Ok(()) | Err(_) => 0,
    };
    let expires = match verify(certificate, provider, u64::MAX) {
        Err(CertificateError::ExpiredContext { not_after, .. }) => not_after.as_secs(),
        Ok(()) | Err(_) => u64::MAX,
    };
    (begins, expires)
}

/// Verifies a certificate at this time, in Unix seconds. There are no roots, since only clients
/// decide who may sign; the verification looks at the validity first.
fn verify(
    certificate: &ParsedCertificate<'_>,
    provider: &CryptoProvider,
    seconds: u64,
) -> Result<(), CertificateError> {
    let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    let roots = RootCertStore::empty();
    let kinds = provider.signature_verification_algorithms.all;
    match verify_server_cert_signed_by_trust_anchor(certificate, &roots, &[], time, kinds) {
        Err(rustls::Error::InvalidCertificate(error)) => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Accepts connections with TLS, with the certificates of this resolver, for these protocols
/// (RFC 7301).
///
/// # Errors
/// If the system has no randomness.
pub(super) fn acceptor(
    provider: &CryptoProvider,
    resolver: Arc<dyn ResolvesServerCert>,
    protocols: &[&[u8]],
) -> Result<TlsAcceptor, CertificateFault> {
    let refused = |error: rustls::Error| CertificateFault::System(error.to_string());
    let builder = ServerConfig::builder_with_provider(Arc::new(provider.clone()));
    let mut config = builder
        .with_safe_default_protocol_versions()
        .map_err(refused)?
        .with_no_client_auth()
        .with_cert_resolver(resolver);
    config.alpn_protocols = protocols.iter().map(|it| it.to_vec()).collect();
    // Clients that come back need no second full handshake, and the server keeps nothing.
    config.ticketer = rustls::crypto::ring::Ticketer::new().map_err(refused)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Writes the metric of the end of a certificate's validity, in Unix seconds.
pub(super) fn write_expiry(page: &mut Exposition, expires: u64) {
    let help = "The end of the validity of the certificate for HTTPS, in Unix seconds; 0 if there \
                is none yet.";
    page.single("coterie_certificate_expires_seconds", MetricKind::Gauge, help, expires);
}

impl ServedCertificate {
    /// Reads the files, and starts a thread that looks at them this often.
    ///
    /// # Errors
    /// If a file cannot be read or used, or no thread can be started.
    pub fn open(
        files: CertificateFiles,
        clock: Arc<dyn Clock>,
        every: Duration,
    ) -> Result<Arc<Self>, CertificateFault> {
        let provider = rustls::crypto::ring::default_provider();
        let seen = files.read()?;
        let read = files.parse(&seen, &provider, clock.now().wall)?;
        let key = Arc::new(read.certified);
        let expires = read.expires;
        let current = RwLock::new(Current { key, expires, seen: Ok(seen) });
        let (stop, stopped) = mpsc::channel::<()>();
        let refused = AtomicU64::new(0);
        let served = Arc::new(Self { files, provider, clock, current, refused, _stop: stop });
        let watched = Arc::downgrade(&served);
        let look = move || {
            while stopped.recv_timeout(every) == Err(mpsc::RecvTimeoutError::Timeout) {
                watched.upgrade().iter().for_each(|it| it.reload());
            }
        };
        let thread = thread::Builder::new().name("certificate".to_owned());
        thread.spawn(look).map_err(|error| CertificateFault::System(error.to_string()))?;
        Ok(served)
    }

    /// Accepts connections with TLS.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn acceptor(self: &Arc<Self>) -> Result<TlsAcceptor, CertificateFault> {
        let resolver = Arc::clone(self) as Arc<dyn ResolvesServerCert>;
        acceptor(&self.provider, resolver, &[HTTP2, HTTP1])
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        let expires = self.current().expires;
        write_expiry(page, expires);
        let help = "Changed certificates that were refused, so that the one from before stays.";
        let refused = self.refused.load(Ordering::Relaxed);
        page.single("coterie_certificate_refused_total", MetricKind::Counter, help, refused);
    }

    fn current(&self) -> RwLockReadGuard<'_, Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the files again. A certificate that cannot be used does not replace the one that is
    /// served.
    fn reload(&self) {
        let seen = self.files.read();
        if self.current().seen == seen {
            return;
        }
        let now = self.clock.now().wall;
        let parsed = match &seen {
            Ok(files) => self.files.parse(files, &self.provider, now),
            Err(error) => Err(error.clone()),
        };
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.seen = seen;
        match parsed {
            Ok(read) => {
                (current.key, current.expires) = (Arc::new(read.certified), read.expires);
                let path = self.files.certificate.display();
                tracing::info!(%path, "loaded the changed certificate; new connections receive it");
            }
            Err(error) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                tracing::error!(
                    %error,
                    "loading the changed certificate failed; new connections receive the previous one"
                );
            }
        }
    }
}

impl ResolvesServerCert for ServedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current().key))
    }
}

impl fmt::Debug for ServedCertificate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ServedCertificate").field("files", &self.files).finish_non_exhaustive()
    }
}
