//! A certificate with its key in files, as an operator has them, and the clients that trust it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

/// A PEM file with one item.
pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

/// An authority, and the files of a certificate that it signed for this machine.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    /// Makes an authority and its first certificate.
    pub(crate) fn begins() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let authority = Self { issuer, folder: TempDir::new().unwrap() };
        authority.renews();
        authority
    }

    /// The file for `--tls-cert`.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.path().join("certificate.pem")
    }

    /// The file for `--tls-key`.
    pub(crate) fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    /// A file with the certificate of the authority itself.
    pub(crate) fn root(&self) -> PathBuf {
        let path = self.folder.path().join("root.pem");
        replace(&path, &pem("CERTIFICATE", self.issuer.der()));
        path
    }

    /// TLS for a server of the test with a certificate for this machine.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().der().clone();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let config = builder.with_no_client_auth().with_single_cert(vec![certificate], key);
        TlsAcceptor::from(Arc::new(config.unwrap()))
    }

    /// Writes a new certificate and its key; returns the certificate.
    pub(crate) fn renews(&self) -> Vec<u8> {
        self.renews_until(4000)
    }

    /// The same for a certificate that is valid until the beginning of this year.
    pub(crate) fn renews_until(&self, year: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().der().to_vec();
        replace(&self.key(), &pem("PRIVATE KEY", &key.serialize_der()));
        replace(&self.certificate(), &pem("CERTIFICATE", &certificate));
        certificate
    }

    /// The settings of a client that trusts this authority alone.
    pub(crate) fn client(&self) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
    }
}

/// Replaces a file at once, as tools that renew certificates do.
pub(crate) fn replace(path: &Path, text: &str) {
    let draft = path.with_extension("new");
    fs::write(&draft, text).unwrap();
    fs::rename(draft, path).unwrap();
}
