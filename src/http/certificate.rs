//! The certificate of the server for HTTPS: read from PEM files, and read again when they change.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, RootCertStore, ServerConfig};

use crate::clock::Clock;
use crate::domain::time::Timestamp;

/// The HTTP versions that clients may choose (RFC 7301).
const PROTOCOLS: [&[u8]; 1] = [b"http/1.1"];

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

/// The certificate that new connections receive.
pub struct ServedCertificate {
    files: CertificateFiles,
    provider: CryptoProvider,
    clock: Arc<dyn Clock>,
    current: RwLock<Current>,
}

struct Current {
    key: Arc<CertifiedKey>,
    /// The result of the last look at the files, so that each change is logged once.
    seen: Result<PemFiles, UnusableFile>,
}

/// The content of both files.
#[derive(PartialEq, Eq)]
struct PemFiles {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// The thread that looks at the files. It ends when this is dropped.
#[derive(Debug)]
pub struct CertificateWatch {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl CertificateFiles {
    fn read(&self) -> Result<PemFiles, UnusableFile> {
        let read = |path: &Path| fs::read(path).map_err(|error| error.to_string());
        Ok(PemFiles {
            certificate: read(&self.certificate).map_err(|reason| self.certificate_error(reason))?,
            key: read(&self.key).map_err(|reason| self.key_error(reason))?,
        })
    }

    fn certificate_error(&self, reason: impl Into<String>) -> UnusableFile {
        let (option, path) = ("--tls-cert", self.certificate.clone());
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
    ) -> Result<CertifiedKey, UnusableFile> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&files.certificate).collect();
        let chain = chain.map_err(|error| self.certificate_error(pem_reason(&error, CERTIFICATE)))?;
        let Some(own) = chain.first() else {
            return Err(self.certificate_error(CERTIFICATE));
        };
        let parsed = ParsedCertificate::try_from(own)
            .map_err(|error| self.certificate_error(format!("its certificate is damaged: {error}")))?;
        validity(&parsed, provider, now).map_err(|reason| self.certificate_error(reason))?;
        let key = PrivateKeyDer::from_pem_slice(&files.key)
            .map_err(|error| self.key_error(pem_reason(&error, KEY)))?;
        let key = provider
            .key_provider
            .load_private_key(key)
            .map_err(|error| self.key_error(format!("its key is damaged or of an unknown kind: {error}")))?;
        let certified = CertifiedKey::new(chain.clone(), key);
        match certified.keys_match() {
            Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::KeyMismatch)) => {
                let path = self.certificate.display();
                Err(self.key_error(format!("it is not the key of the certificate in {path}")))
            }
            // A kind of key whose public half is unknown is compared by the first client.
            Ok(()) | Err(_) => Ok(certified),
        }
    }
}

const CERTIFICATE: &str = "it holds no certificate in PEM format";
const KEY: &str = "it holds no private key in PEM format without a password";

fn pem_reason(error: &pem::Error, none: &str) -> String {
    match error {
        pem::Error::NoItemsFound => none.to_owned(),
        error => format!("it is not in PEM format: {error}"),
    }
}

/// Checks the time in which a certificate is valid. A verification without roots looks at that
/// before it looks for a signer, which does not matter here.
fn validity(
    certificate: &ParsedCertificate<'_>,
    provider: &CryptoProvider,
    now: Timestamp,
) -> Result<(), String> {
    let at = |time: UnixTime| {
        humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + Duration::from_secs(time.as_secs()))
    };
    let time = UnixTime::since_unix_epoch(Duration::from_secs(now.seconds()));
    let (roots, kinds) = (RootCertStore::empty(), provider.signature_verification_algorithms.all);
    match verify_server_cert_signed_by_trust_anchor(certificate, &roots, &[], time, kinds) {
        Err(rustls::Error::InvalidCertificate(CertificateError::ExpiredContext {
            not_after, ..
        })) => Err(format!("its certificate expired at {}", at(not_after))),
        Err(rustls::Error::InvalidCertificate(CertificateError::NotValidYetContext {
            not_before,
            ..
        })) => Err(format!("its certificate is not valid before {}", at(not_before))),
        Ok(()) | Err(_) => Ok(()),
    }
}

impl ServedCertificate {
    /// Reads the files.
    ///
    /// # Errors
    /// If a file cannot be read or used.
    pub fn open(files: CertificateFiles, clock: Arc<dyn Clock>) -> Result<Arc<Self>, UnusableFile> {
        let provider = rustls::crypto::ring::default_provider();
        let seen = files.read()?;
        let key = Arc::new(files.parse(&seen, &provider, clock.now().wall)?);
        let current = RwLock::new(Current { key, seen: Ok(seen) });
        Ok(Arc::new(Self { files, provider, clock, current }))
    }

    /// The settings of TLS with which connections are accepted.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn config(self: &Arc<Self>) -> Result<ServerConfig, rustls::Error> {
        let builder = ServerConfig::builder_with_provider(Arc::new(self.provider.clone()));
        let mut config = builder
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        // Clients that come back need no second full handshake, and the server keeps nothing.
        config.ticketer = rustls::crypto::ring::Ticketer::new()?;
        Ok(config)
    }

    /// Looks at the files this often, in a thread of its own.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn watch(self: &Arc<Self>, every: Duration) -> io::Result<CertificateWatch> {
        let (stop, stopped) = mpsc::channel::<()>();
        let own = Arc::clone(self);
        let look = move || {
            while stopped.recv_timeout(every) == Err(mpsc::RecvTimeoutError::Timeout) {
                own.reload();
            }
        };
        let thread = thread::Builder::new().name("certificate".to_owned()).spawn(look)?;
        Ok(CertificateWatch { stop: Some(stop), thread: Some(thread) })
    }

    /// Reads the files again. A certificate that cannot be used does not replace the one that is
    /// served.
    fn reload(&self) {
        let seen = self.files.read();
        if self.current.read().unwrap_or_else(PoisonError::into_inner).seen == seen {
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
            Ok(key) => {
                current.key = Arc::new(key);
                let path = self.files.certificate.display();
                tracing::info!(%path, "new connections receive the changed certificate");
            }
            Err(error) => tracing::error!(
                %error,
                "the changed certificate was refused; new connections receive the one from before"
            ),
        }
    }
}

impl ResolvesServerCert for ServedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&current.key))
    }
}

impl fmt::Debug for ServedCertificate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ServedCertificate").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Drop for CertificateWatch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that watches the certificate panicked");
        }
    }
}
