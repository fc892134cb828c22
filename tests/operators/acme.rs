//! Options of ACME that cannot be used, and what tools say of the folder `tls`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::doctor::Findings;
use crate::https::Files;
use crate::program::{Program, coterie};
use crate::waiting::until;

const DIRECTORY: &str = "https://127.0.0.1:9/directory";

/// Checks that a server with these arguments ends with code 2 and one line with all these words.
#[track_caller]
fn refused(arguments: &[&str], words: &[&str]) {
    let data = TempDir::new().unwrap();
    let data = data.path().join("data");
    let mut command = coterie(&["--listen", "127.0.0.1:0", "--data-dir"]);
    let output = command.arg(&data).args(arguments).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(words.iter().all(|word| line.contains(word)), "{words:?} in {line}");
    assert!(!data.exists());
}

#[test]
fn names_that_get_no_certificate_are_refused() {
    let long = "a".repeat(64);
    for (name, words) in [
        ("127.0.0.1", "not an IP address"),
        ("[::1]", "not an IP address"),
        ("*.example.org", "DNS-01"),
        ("", "a name like"),
        ("chat.example.org,", "a name like"),
        ("https://chat.example.org", "without scheme"),
        ("chat.example.org:443", "without scheme, port"),
        ("chat..example.org", "a name like"),
        ("chat_.example.org", "a name like"),
        ("chat-.example.org", "a name like"),
        ("chat.example.org/", "a name like"),
        ("chat example.org", "a name like"),
        (&*long, "a name like"),
    ] {
        refused(&["--domain", name], &["--domain", words]);
    }
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    let files = Files::valid();
    let (certificate, key) = (files.certificate(), files.key());
    let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
    let domain = ["--domain", "chat.example.org"];
    let with = |more: &[&'static str]| [&domain[..], more].concat();
    let own = [&domain[..], &["--tls-cert", certificate, "--tls-key", key]].concat();
    refused(&own, &["--domain", "--tls-cert", "cannot be used with"]);
    refused(&with(&["--nats", "nats://x", "--node", "a"]), &["--domain", "cannot be used with"]);
    refused(&with(&["--public-url", "http://chat.example.org"]), &["--public-url", "https://"]);
    let other = with(&["--public-url", "https://www.example.org"]);
    refused(&other, &["--public-url", "--domain", "www.example.org is not"]);
    refused(&with(&["--acme-directory", "http://x/"]), &["--acme-directory", "https://"]);
    refused(&with(&["--acme-email", "admin"]), &["--acme-email", "admin@example.org"]);
    refused(&with(&["--acme-email", "a@b.c,d@e.f"]), &["--acme-email"]);
    for binding in ["kid", "kid:", ":a2V5", "kid:+/"] {
        refused(&[domain[0], domain[1], "--acme-eab", binding], &["--acme-eab", "KID:KEY"]);
    }
    refused(&with(&["--acme-ca", "/nowhere.pem"]), &["--acme-ca /nowhere.pem", "No such file"]);
    refused(&with(&["--acme-ca", "/dev/null"]), &["--acme-ca", "no certificate"]);
    refused(&[domain[0], domain[1], "--acme-ca", key], &["--acme-ca", "no certificate"]);
    for (option, value) in
        [("--acme-email", "a@b.c"), ("--acme-eab", "kid:a2V5"), ("--acme-directory", DIRECTORY)]
    {
        refused(&[option, value], &["--domain"]);
    }
}

#[test]
fn files_without_a_secret_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("secret");
    let path = file.to_str().unwrap();
    let options: [(&str, &[&str]); 5] = [
        ("--metrics-token-file", &[]),
        ("--nats-file", &["--node", "a"]),
        ("--acme-eab-file", &["--domain", "chat.example.org"]),
        ("--sms-secret-file", &[]),
        ("--smtp-url-file", &["--mail-from", "chat@example.org"]),
    ];
    for (option, others) in options {
        let with = [&[option, path], others].concat();
        drop(fs::remove_file(&file));
        refused(&with, &[option, path, "No such file"]);
        for text in ["", "\n", "one\ntwo\n"] {
            fs::write(&file, text).unwrap();
            refused(&with, &[option, path, "one line"]);
        }
    }
    fs::write(&file, "kid\n").unwrap();
    let domain = ["--domain", "chat.example.org"];
    let binding = ["--acme-eab-file", path];
    refused(&[domain, binding].concat(), &["--acme-eab-file", path, "KID:KEY"]);
    let both = [&domain[..], &binding, &["--acme-eab", "kid:a2V5"]].concat();
    refused(&both, &["--acme-eab-file", "cannot be used with"]);
    let sender = ["--mail-from", "chat@example.org"];
    fs::write(&file, "smtp://mail.example.org\n").unwrap();
    let mail = ["--smtp-url-file", path];
    refused(&[sender, mail].concat(), &["--smtp-url-file", path, "needs ?tls=required"]);
    let both = [&sender[..], &mail, &["--smtp-url", "smtps://mail.example.org"]].concat();
    refused(&both, &["--smtp-url-file", "cannot be used with"]);
    refused(&["--metrics-token", "x", "--metrics-token-file", path], &["cannot be used with"]);
    refused(&["--sms-secret", "x", "--sms-secret-file", path], &["cannot be used with"]);
    refused(&["--nats", "nats://x", "--nats-file", path, "--node", "a"], &["cannot be used with"]);
}

/// A data directory whose server failed to order a certificate, while it runs.
async fn failing(data: &Path) -> Program {
    let arguments = ["--domain", "chat.example.org", "--acme-directory", DIRECTORY];
    let none = ["--http-redirect", "none"];
    let program = Program::starts(data, &[&arguments[..], &none].concat());
    let status = data.join("tls/status.json");
    until("the order fails", async || status.exists()).await;
    program
}

/// Puts a certificate for chat.example.org into the folder.
fn store(data: &Path, files: &Files, failure: Value) {
    let pem = [files.key(), files.certificate()].map(|it| fs::read_to_string(it).unwrap());
    fs::write(data.join("tls/certificate.pem"), pem.concat()).unwrap();
    let status = json!({"directory": DIRECTORY, "domains": ["chat.example.org"],
        "failure": failure});
    fs::write(data.join("tls/status.json"), status.to_string()).unwrap();
}

#[tokio::test]
async fn doctor_reports_the_ordered_certificate() {
    let data = TempDir::new().unwrap();
    let _program = failing(data.path()).await;
    let says = |severity: &str, words: &[&str]| {
        let text = Findings::on(data.path()).has("certificate", severity).to_owned();
        assert!(words.iter().all(|word| text.contains(word)), "{words:?} in {text}");
    };
    let failed = ["no certificate for chat.example.org yet", "failed", "127.0.0.1:9"];
    says("error", &failed);
    store(data.path(), &Files::expiring_in(10), Value::Null);
    says("ok", &["expires in 10 days"]);
    store(data.path(), &Files::expiring_in(9), Value::Null);
    says("warning", &["expires in 9 days"]);
    let failure = json!({"count": 3, "at": 1_800_000_000_u64, "error": "too many (rateLimited)"});
    store(data.path(), &Files::expiring_in(29), failure);
    let words = ["29 days", "2027-01-15T08:00:00Z failed: too many (rateLimited)."];
    says("warning", &words);
}

#[tokio::test]
async fn tools_know_the_folder_of_the_certificate() {
    let data = TempDir::new().unwrap();
    failing(data.path()).await.stops();
    store(data.path(), &Files::valid(), Value::Null);
    let check = || {
        let mut command = coterie(&["check", "--data-dir"]);
        let output = command.arg(data.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = check();
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("tls"), "{text}");
    // A backup has the folder, and a restored server uses it.
    let folder = TempDir::new().unwrap();
    let (backup, restored) = (folder.path().join("backup"), folder.path().join("restored"));
    for (tool, path, place) in
        [("backup", &backup, data.path()), ("restore", &backup, restored.as_path())]
    {
        let mut command = coterie(&[tool]);
        let output = command.arg(path).arg("--data-dir").arg(place).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let read = |place: &Path| fs::read(place.join("tls/certificate.pem")).unwrap();
    assert_eq!(read(&restored), read(data.path()));
    let mode = fs::metadata(restored.join("tls/certificate.pem")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Others may not read the key.
    let certificate = data.path().join("tls/certificate.pem");
    fs::set_permissions(&certificate, Permissions::from_mode(0o644)).unwrap();
    let findings = Findings::on(data.path());
    assert!(findings.has("data-mode", "error").contains("tls/certificate.pem"));
    for (name, text) in [("certificate.pem", "no"), ("status.json", "{"), ("account.json", "{}")] {
        let path = data.path().join("tls").join(name);
        fs::write(&path, text).unwrap();
        let (code, text) = check();
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(name) && text.contains("orders another certificate"), "{text}");
        fs::remove_file(path).unwrap();
    }
}
