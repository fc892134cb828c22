//! The folder `tls` of the data directory: the account at the authority, the certificate with its
//! key, and the state of the orders.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use instant_acme::AccountCredentials;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::http::certificate::CertificateWithKey;
use base::secret_file;

/// The file with the certificate, those that sign it, and its key: one file, so that a crash never
/// leaves a certificate with the key of another one.
const CERTIFICATE: &str = "certificate.pem";
/// The file with the account and its key.
const ACCOUNT: &str = "account.json";
/// The file with the state of the orders.
const STATUS: &str = "status.json";

/// The folder.
#[derive(Debug, Clone)]
pub struct AcmeStore(PathBuf);

/// The account at an authority.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredAccount {
    /// The URL of the authority's directory.
    pub(super) directory: String,
    /// The addresses to which the authority writes, as `mailto:` URLs.
    pub(super) contact: Vec<String>,
    /// The URL of the account, and its key.
    pub(super) credentials: AccountCredentials,
}

/// The state of the orders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcmeStatus {
    /// The URL of the directory from which the stored certificate was ordered.
    #[serde(default)]
    pub directory: String,
    /// The names for which it was ordered.
    #[serde(default)]
    pub domains: Vec<String>,
    /// The last order, if it failed.
    #[serde(default)]
    pub failure: Option<OrderFailure>,
}

/// The failure of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderFailure {
    /// The number of orders that failed, one after the other.
    pub count: u32,
    /// The time of the last one, in Unix seconds.
    pub at: u64,
    /// The reason of the last one.
    pub error: String,
    /// The time before which the authority wants no other order, in Unix seconds; 0 if it said
    /// nothing.
    #[serde(default)]
    pub asked_until: u64,
}

/// Why a file of the folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct StoreFault {
    path: PathBuf,
    reason: String,
}

impl AcmeStore {
    /// The folder `tls` of this data directory.
    pub fn of(data: &Path) -> Self {
        Self(data.join("tls"))
    }

    /// Creates the folder if there is none. Only its owner may access it.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(&self) -> Result<(), StoreFault> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        made.map_err(|error| fault(&self.0, error))
    }

    /// The file with the certificate.
    pub fn certificate_path(&self) -> PathBuf {
        self.0.join(CERTIFICATE)
    }

    /// Reads the certificate; `None` if there is none. It may have expired.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn certificate(&self) -> Result<Option<CertificateWithKey>, StoreFault> {
        let path = self.certificate_path();
        let Some(bytes) = read(&path)? else { return Ok(None) };
        let provider = rustls::crypto::ring::default_provider();
        let read = CertificateWithKey::from_pem(&bytes, &bytes, &provider);
        read.map(Some).map_err(|error| fault(&path, error))
    }

    /// Writes the certificate with its key, both in PEM format.
    pub(super) fn write_certificate(&self, pem: &str) -> Result<(), StoreFault> {
        self.write(CERTIFICATE, pem.as_bytes())
    }

    /// Reads the state of the orders; that of an empty folder if there is none.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn status(&self) -> Result<AcmeStatus, StoreFault> {
        Ok(self.parse(STATUS)?.unwrap_or_default())
    }

    pub(super) fn write_status(&self, status: &AcmeStatus) -> Result<(), StoreFault> {
        let text = serde_json::to_vec_pretty(status);
        self.write(STATUS, &text.map_err(|error| fault(&self.0.join(STATUS), error))?)
    }

    pub(super) fn account(&self) -> Result<Option<StoredAccount>, StoreFault> {
        self.parse(ACCOUNT)
    }

    pub(super) fn write_account(&self, account: &StoredAccount) -> Result<(), StoreFault> {
        let text = serde_json::to_vec_pretty(account);
        self.write(ACCOUNT, &text.map_err(|error| fault(&self.0.join(ACCOUNT), error))?)
    }

    /// Removes the account, so that the next order makes another one.
    pub(super) fn remove_account(&self) -> Result<(), StoreFault> {
        let path = self.0.join(ACCOUNT);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(fault(&path, error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Checks that every file which exists can be used; returns what is wrong.
    pub fn check(&self) -> Vec<StoreFault> {
        let faults = [self.certificate().err(), self.account().err(), self.status().err()];
        faults.into_iter().flatten().collect()
    }

    fn parse<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreFault> {
        let path = self.0.join(name);
        let Some(bytes) = read(&path)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| fault(&path, error))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreFault> {
        let path = self.0.join(name);
        secret_file::write(&path, bytes).map_err(|error| fault(&path, error))
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreFault> {
    match secret_file::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(path, error)),
    }
}

fn fault(path: &Path, reason: impl ToString) -> StoreFault {
    StoreFault { path: path.to_owned(), reason: reason.to_string() }
}

impl From<StoreFault> for io::Error {
    fn from(fault: StoreFault) -> Self {
        Self::other(fault)
    }
}
