//! Options for HTTPS that cannot be used: the server does not start, and one line says why.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coterie::clock::{Clock, SystemClock};
use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;

use crate::program::{Program, coterie};

/// A certificate for chat.example.org and its key in a folder.
pub(crate) struct Files(TempDir);

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

impl Files {
    pub(crate) fn valid() -> Self {
        Self::with(|_| {})
    }

    /// A certificate that is valid between the beginnings of these years.
    fn valid_in(first: i32, last: i32) -> Self {
        Self::with(|params| {
            params.not_before = rcgen::date_time_ymd(first, 1, 1);
            params.not_after = rcgen::date_time_ymd(last, 1, 1);
        })
    }

    /// A certificate that is valid until so many days from now, not counting this one.
    pub(crate) fn expiring_in(days: u64) -> Self {
        let now = SystemClock::new().now().wall.seconds();
        let last = Duration::from_secs(now + days * 86_400 + 3600);
        Self::with(|params| params.not_after = rcgen::date_time_ymd(1970, 1, 1) + last)
    }

    fn with(change: impl FnOnce(&mut CertificateParams)) -> Self {
        let files = Self(TempDir::new().unwrap());
        let mut params = CertificateParams::new(["chat.example.org".to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        fs::write(files.key(), pem("PRIVATE KEY", &key.serialize_der())).unwrap();
        fs::write(files.certificate(), pem("CERTIFICATE", certificate.der())).unwrap();
        files
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.0.path().join("certificate.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.0.path().join("key.pem")
    }

    /// Checks that a server with these files ends with code 2 and one line with all these words.
    #[track_caller]
    fn refused(&self, words: &[&str]) {
        let arguments = ["--public-url", "https://chat.example.org"];
        refused(&arguments, Some(&self.certificate()), Some(&self.key()), words);
    }
}

#[track_caller]
fn refused(arguments: &[&str], certificate: Option<&Path>, key: Option<&Path>, words: &[&str]) {
    let data = TempDir::new().unwrap();
    let data = data.path().join("data");
    let mut command = coterie(&["--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(&data).args(arguments);
    for (option, file) in [("--tls-cert", certificate), ("--tls-key", key)] {
        if let Some(file) = file {
            command.arg(option).arg(file);
        }
    }
    let output = command.output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(words.iter().all(|word| line.contains(word)), "{words:?} in {line}");
    assert!(!data.exists());
}

#[test]
fn https_server_prints_its_url() {
    let (files, data) = (Files::valid(), TempDir::new().unwrap());
    let [certificate, key] = [files.certificate(), files.key()];
    let server = Program::starts(
        data.path(),
        &[
            "--public-url",
            "https://chat.example.org",
            "--tls-cert",
            certificate.to_str().unwrap(),
            "--tls-key",
            key.to_str().unwrap(),
        ],
    );
    assert!(server.url().starts_with("https://127.0.0.1:"), "{}", server.url());
    server.stops();
}

#[test]
fn absent_files_are_named() {
    let files = Files::valid();
    fs::remove_file(files.key()).unwrap();
    files.refused(&["--tls-key", "key.pem", "No such file"]);
    let files = Files::valid();
    fs::remove_file(files.certificate()).unwrap();
    files.refused(&["--tls-cert", "certificate.pem", "No such file"]);
    fs::create_dir(files.certificate()).unwrap();
    files.refused(&["--tls-cert", "certificate.pem", "directory"]);
}

#[test]
fn damaged_files_are_named() {
    for (text, words) in [
        ("", "holds no certificate"),
        ("hello", "holds no certificate"),
        ("-----BEGIN CERTIFICATE-----\nAAAA", "not in PEM format"),
        ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "not in PEM format"),
        (&pem("CERTIFICATE", b"nothing"), "is damaged"),
    ] {
        let files = Files::valid();
        fs::write(files.certificate(), text).unwrap();
        files.refused(&["--tls-cert", "certificate.pem", words]);
    }
    for (text, words) in [
        ("", "holds no private key"),
        (&pem("ENCRYPTED PRIVATE KEY", b"secret"), "without a password"),
        (&pem("PRIVATE KEY", b"nothing"), "damaged or of an unknown kind"),
    ] {
        let files = Files::valid();
        fs::write(files.key(), text).unwrap();
        files.refused(&["--tls-key", "key.pem", words]);
    }
}

#[test]
fn key_of_another_certificate_is_refused() {
    let (files, others) = (Files::valid(), Files::valid());
    fs::copy(others.key(), files.key()).unwrap();
    files.refused(&["--tls-key", "key.pem", "not the key of the certificate", "certificate.pem"]);
}

#[test]
fn certificate_outside_its_validity_is_refused() {
    let words = ["--tls-cert", "certificate.pem", "expired at 2020-01-01T00:00:00Z"];
    Files::valid_in(2019, 2020).refused(&words);
    let words = ["--tls-cert", "certificate.pem", "not valid before 3000-01-01T00:00:00Z"];
    Files::valid_in(3000, 4000).refused(&words);
}

#[test]
fn incomplete_options_are_refused() {
    let files = Files::valid();
    let (certificate, key) = (files.certificate(), files.key());
    let url = ["--public-url", "https://chat.example.org"];
    refused(&url, Some(&certificate), None, &["--tls-key"]);
    refused(&url, None, Some(&key), &["--tls-cert"]);
    refused(&[], Some(&certificate), Some(&key), &["--public-url"]);
    let plain = ["--public-url", "http://chat.example.org"];
    refused(&plain, Some(&certificate), Some(&key), &["--public-url", "https://"]);
    refused(&["--http-redirect", "127.0.0.1:0"], None, None, &["--tls-cert"]);
    let name = [url[0], url[1], "--http-redirect", "localhost:80"];
    refused(&name, Some(&certificate), Some(&key), &["an IP address and a port"]);
}
