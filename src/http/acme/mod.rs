//! Certificates by ACME (RFC 8555): ordered at the start, kept in the data directory, and renewed.
//!
//! `orders.rs` talks to the certificate authority, `renewal.rs` decides when, `store.rs` keeps the
//! files. This file serves the certificate, and the answers to the challenges of the authority.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use rustls::RootCertStore;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

use crate::http::certificate::{CertificateFault, CertificateWithKey, acceptor, write_expiry};
use crate::http::client_stream::{CHALLENGE, HTTP1, HTTP2};
use base::metrics::exposition::{Exposition, MetricKind};

mod orders;
pub mod renewal;
pub mod store;

/// The directory of Let's Encrypt.
pub const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// The path below which the authority looks for answers to HTTP-01 (RFC 8555, section 8.3).
pub const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";

/// Settings of the orders: who wants certificates for which names from whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcmeSettings {
    /// The names of the certificate, in ASCII lower case; at least one.
    pub domains: Vec<String>,
    /// The URL of the authority's directory.
    pub directory: String,
    /// The address to which the authority writes about the account.
    pub email: Option<String>,
    /// The account at the authority to which the new one is bound.
    pub binding: Option<AccountBinding>,
    /// A file with the certificates that sign that of the authority's own server; `None` for those
    /// that browsers trust.
    pub authority: Option<PathBuf>,
}

/// External account binding (RFC 8555, section 7.3.4): an identifier and an HMAC key.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountBinding {
    /// The key identifier.
    pub id: String,
    /// The bytes of the key.
    pub key: Vec<u8>,
}

impl fmt::Debug for AccountBinding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AccountBinding").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The file of `--acme-ca` cannot be used: one line for the operator.
#[derive(Debug, thiserror::Error)]
#[error("--acme-ca {} cannot be used: {reason}", path.display())]
pub struct UnusableAuthority {
    path: PathBuf,
    reason: String,
}

impl AcmeSettings {
    /// The roots in the file of the authority; `None` for those that browsers trust.
    ///
    /// # Errors
    /// If the file cannot be read or has no certificate.
    pub fn roots(&self) -> Result<Option<RootCertStore>, UnusableAuthority> {
        let Some(path) = &self.authority else { return Ok(None) };
        let refused = |reason: String| UnusableAuthority { path: path.clone(), reason };
        read_roots(path).map(Some).map_err(refused)
    }
}

fn read_roots(path: &Path) -> Result<RootCertStore, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|it| format!("it is not in PEM format: {it}"))?;
        let added = roots.add(certificate);
        added.map_err(|error| format!("one of its certificates is damaged: {error}"))?;
    }
    if roots.is_empty() {
        Err("it holds no certificate in PEM format".to_owned())
    } else {
        Ok(roots)
    }
}

/// The certificate by ACME that new connections receive, and the answers to open challenges.
pub struct AcmeCertificate {
    provider: CryptoProvider,
    /// `None` until the first certificate was issued.
    current: RwLock<Option<Current>>,
    challenges: Mutex<Challenges>,
    issued: AtomicU64,
    failed: AtomicU64,
    /// The time of the next order, in Unix seconds.
    next_order: AtomicU64,
}

struct Current {
    key: Arc<CertifiedKey>,
    /// The end of its validity, in Unix seconds.
    expires: u64,
}

/// The answers to open challenges.
#[derive(Default)]
struct Challenges {
    /// For HTTP-01: key authorizations by token.
    files: HashMap<String, String>,
    /// For TLS-ALPN-01: certificates by name.
    certificates: HashMap<String, Arc<CertifiedKey>>,
}

impl AcmeCertificate {
    /// No certificate yet.
    pub fn none() -> Arc<Self> {
        Arc::new(Self {
            provider: rustls::crypto::ring::default_provider(),
            current: RwLock::default(),
            challenges: Mutex::default(),
            issued: AtomicU64::default(),
            failed: AtomicU64::default(),
            next_order: AtomicU64::default(),
        })
    }

    /// Accepts connections with TLS.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn acceptor(self: &Arc<Self>) -> Result<TlsAcceptor, CertificateFault> {
        let resolver = Arc::clone(self) as Arc<dyn ResolvesServerCert>;
        acceptor(&self.provider, resolver, &[HTTP2, HTTP1, CHALLENGE])
    }

    /// Whether there is a certificate.
    pub fn is_issued(&self) -> bool {
        self.current().is_some()
    }

    /// The content of the file that the authority looks for during HTTP-01; `None` if no open
    /// challenge has this token.
    pub fn challenge_file(&self, token: &str) -> Option<String> {
        self.challenges().files.get(token).cloned()
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        write_expiry(page, self.current().as_ref().map_or(0, |it| it.expires));
        let help = "Certificates that were issued by ACME.";
        let issued = self.issued.load(Ordering::Relaxed);
        page.single("coterie_acme_issued_total", MetricKind::Counter, help, issued);
        let help = "Orders by ACME that failed, so that the certificate from before stays.";
        let failed = self.failed.load(Ordering::Relaxed);
        page.single("coterie_acme_failed_total", MetricKind::Counter, help, failed);
        let help = "The time of the next order by ACME, in Unix seconds.";
        let next = self.next_order.load(Ordering::Relaxed);
        page.single("coterie_acme_next_order_seconds", MetricKind::Gauge, help, next);
    }

    /// Serves this certificate to new connections.
    fn serve(&self, read: CertificateWithKey) {
        let current = Current { key: Arc::new(read.certified), expires: read.expires };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(current);
    }

    fn current(&self) -> RwLockReadGuard<'_, Option<Current>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn challenges(&self) -> MutexGuard<'_, Challenges> {
        self.challenges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResolvesServerCert for AcmeCertificate {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let is_challenge = hello.alpn().is_some_and(|protocols| protocols.eq([CHALLENGE]));
        if is_challenge {
            return self.challenges().certificates.get(hello.server_name()?).cloned();
        }
        self.current().as_ref().map(|it| Arc::clone(&it.key))
    }
}

impl fmt::Debug for AcmeCertificate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AcmeCertificate").finish_non_exhaustive()
    }
}
