//! `coterie doctor`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::https::Files;
use crate::metrics::read;
use crate::program::{Program, coterie, program, serving_at};
use crate::small_disk::{SmallDisk, is_root};
use crate::tools::{adds, posts, tool};

/// The findings of a run by their codes.
pub(crate) struct Findings(BTreeMap<String, Value>);

impl Findings {
    /// Runs the doctor on this data.
    pub(crate) fn on(data: &Path) -> Self {
        Self::of(coterie(&["doctor", "--json", "--data-dir", data.to_str().unwrap()]))
    }

    /// Runs this command, and checks that its exit code is that of the worst finding.
    #[track_caller]
    fn of(mut command: Command) -> Self {
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let findings: BTreeMap<String, Value> =
            findings.map(|it| (it["code"].as_str().unwrap().to_owned(), it.clone())).collect();
        let rank = |it: &Value| {
            ["ok", "warning", "error"].iter().position(|severity| it["severity"] == *severity)
        };
        let worst = findings.values().map(|it| rank(it).unwrap()).max().unwrap();
        assert_eq!(output.status.code(), Some(worst as i32), "{text}");
        for (code, finding) in &findings {
            let is_ok = finding["severity"] == "ok";
            assert_eq!(finding["advice"] == "", is_ok, "{finding}");
            assert_eq!(finding["link"], format!("/docs/operators#{code}"));
        }
        Self(findings)
    }

    /// Checks the severity of a finding; returns its text.
    #[track_caller]
    pub(crate) fn has(&self, code: &str, severity: &str) -> &str {
        let finding = &self.0[code];
        assert_eq!(finding["severity"], severity, "{finding}");
        finding["text"].as_str().unwrap()
    }
}

/// An installation with one account and no running server.
fn installation() -> TempDir {
    let data = TempDir::new().unwrap();
    adds(data.path(), "Ana", "ana@example.org");
    data
}

#[test]
fn operators_page_explains_every_finding() {
    let data = TempDir::new().unwrap();
    let _server = Program::starts(data.path(), &[]);
    let findings = Findings::on(data.path());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("static/docs/operators.html");
    let page = fs::read_to_string(page).unwrap();
    let section = page.split("<dl class=\"fields\" id=\"findings\">").nth(1).unwrap();
    let entries = section.split("</dl>").next().unwrap().split("<dt id=\"").skip(1);
    let explained: BTreeSet<&str> = entries.map(|it| it.split('"').next().unwrap()).collect();
    assert_eq!(explained, findings.0.keys().map(String::as_str).collect());
}

#[test]
fn local_server_has_only_good_settings() {
    let data = TempDir::new().unwrap();
    let server = Program::starts(data.path(), &["--rate-limit", "off"]);
    let findings = Findings::on(data.path());
    for code in ["server", "clock", "address-url", "registration", "rate-limit", "data-owner"] {
        findings.has(code, "ok");
    }
    findings.has("data-mode", "ok");
    findings.has("limit-memory", "ok");
    assert!(findings.has("address-answers", "ok").contains(server.url()));
    assert!(!data.path().join("doctor.probe").exists());
}

#[test]
fn public_server_is_warned_about_strangers() {
    let data = TempDir::new().unwrap();
    let url = "http://chat.invalid";
    let _server = Program::starts(data.path(), &["--rate-limit", "off", "--public-url", url]);
    // The settings of the server count, not those of this environment.
    let findings = Findings::on(data.path());
    findings.has("rate-limit", "warning");
    findings.has("registration", "warning");
    assert!(findings.has("address-url", "warning").contains(url));
    assert!(findings.has("address-answers", "error").contains(url));
}

#[test]
fn foreign_server_at_the_public_url_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let data = TempDir::new().unwrap();
    let _server = Program::starts(data.path(), &["--public-url", &url]);
    let foreign = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = BufReader::new(stream.try_clone().unwrap()).lines();
        assert_eq!(head.next().unwrap().unwrap(), "GET /health/live HTTP/1.1");
        assert!(head.any(|line| line.unwrap().is_empty()));
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").unwrap();
    });
    let findings = Findings::on(data.path());
    foreign.join().unwrap();
    findings.has("address-url", "ok");
    assert!(findings.has("address-answers", "error").starts_with("Another server answers"));
}

#[test]
fn another_installation_at_the_public_url_is_an_error() {
    let [data, other] = [(); 2].map(|()| TempDir::new().unwrap());
    let foreign = Program::starts(other.path(), &[]);
    let server = Program::starts(data.path(), &["--public-url", foreign.url()]);
    let findings = Findings::on(data.path());
    assert!(findings.has("address-answers", "error").starts_with("Another server answers"));
    server.stops();
    // The public URL of a server may be its own.
    let address = foreign.url().strip_prefix("http://").unwrap().to_owned();
    let url = foreign.url().to_owned();
    foreign.stops();
    let own = ["--public-url", &url];
    let _server = Program::spawned(coterie(&serving_at(&address, data.path(), &own)));
    Findings::on(data.path()).has("address-answers", "ok");
}

/// A mail server that accepts no sender.
fn refusing_mail_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.write_all(b"220 mail.example.org\r\n").unwrap();
            for line in BufReader::new(stream.try_clone().unwrap()).lines() {
                let Ok(line) = line else { break };
                let reply = if line.starts_with("MAIL") { "550 5.7.1 no" } else { "250 ok" };
                if stream.write_all(format!("{reply}\r\n").as_bytes()).is_err() {
                    break;
                }
            }
        }
    });
    url
}

#[tokio::test]
async fn unreachable_mail_server_and_dead_mails_are_reported() {
    let data = installation();
    let sender = ["--mail-from", "chat@example.org"];
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("smtp://{closed}");
    let server = Program::starts(data.path(), &["--smtp-url", &url, sender[0], sender[1]]);
    let findings = Findings::on(data.path());
    assert!(findings.has("mail-server", "error").contains(&closed.to_string()));
    findings.has("mail-dead", "ok");
    server.stops();
    let file = data.path().join("smtp.url");
    fs::write(&file, refusing_mail_server() + "\n").unwrap();
    let file = ["--smtp-url-file", file.to_str().unwrap()];
    let server = Program::starts(data.path(), &[file[0], file[1], sender[0], sender[1]]);
    Findings::on(data.path()).has("mail-server", "ok");
    let body = json!({"email": "ana@example.org"});
    assert_eq!(posts(server.url(), "/auth/recover", &body).await.0, 202);
    let dead = "coterie_mails_total{outcome=\"dead\"}";
    while read(&server).await[dead] < 1.0 {
        tokio::task::yield_now().await;
    }
    let findings = Findings::on(data.path());
    let text = findings.has("mail-dead", "warning");
    assert!(text.contains("given up in the last week: 1,") && text.contains("5.7.1 no"), "{text}");
}

#[test]
fn stopped_server_is_judged_by_the_environment() {
    let data = installation();
    let doctor = |name: &str, value: &str| {
        let mut command = coterie(&["doctor", "--json"]);
        command.env("COTERIE_DATA_DIR", data.path()).env(name, value);
        Findings::of(command)
    };
    let findings = doctor("COTERIE_LISTEN", "0.0.0.0:8080");
    findings.has("server", "ok");
    findings.has("address-url", "warning");
    findings.has("registration", "warning");
    findings.has("rate-limit", "ok");
    assert!(!findings.0.contains_key("address-answers"));
    doctor("COTERIE_INDEX_CACHE", "1000000GiB").has("limit-memory", "error");
}

#[test]
fn unusable_certificates_are_reported() {
    let data = installation();
    let doctor = |files: &Files, host: &str| {
        let mut command = coterie(&["doctor", "--json", "--data-dir"]);
        command.arg(data.path());
        command.env("COTERIE_TLS_CERT", files.certificate());
        command.env("COTERIE_TLS_KEY", files.key());
        command.env("COTERIE_PUBLIC_URL", format!("https://{host}"));
        Findings::of(command)
    };
    let host = "chat.example.org";
    let findings = doctor(&Files::valid(), host);
    assert!(findings.has("certificate", "ok").contains("certificate.pem expires in"));
    findings.has("address-url", "ok");
    let findings = doctor(&Files::valid(), "www.example.org");
    let text = findings.has("certificate", "error");
    assert!(text.ends_with("certificate.pem has no certificate for www.example.org."), "{text}");
    doctor(&Files::expiring_in(14), host).has("certificate", "ok");
    let findings = doctor(&Files::expiring_in(13), host);
    assert!(findings.has("certificate", "warning").ends_with("expires in 13 days."));
    let files = Files::valid();
    fs::remove_file(files.key()).unwrap();
    let findings = doctor(&files, host);
    assert!(findings.has("certificate", "error").contains("--tls-key"));
}

#[test]
fn running_server_names_its_certificate() {
    let (data, files) = (TempDir::new().unwrap(), Files::valid());
    let (certificate, key) = (files.certificate(), files.key());
    let url = ["--public-url", "https://chat.example.org"];
    let mut options = url.to_vec();
    options.extend(["--tls-cert", certificate.to_str().unwrap()]);
    options.extend(["--tls-key", key.to_str().unwrap()]);
    let _server = Program::starts(data.path(), &options);
    // The settings of the server count, not those of this environment.
    Findings::on(data.path()).has("certificate", "ok");
    fs::remove_file(&certificate).unwrap();
    let findings = Findings::on(data.path());
    assert!(findings.has("certificate", "error").contains("No such file"));
}

#[test]
fn few_descriptors_are_a_warning() {
    let data = TempDir::new().unwrap();
    let script = "ulimit -n 300; exec \"$0\" --listen 127.0.0.1:0 --data-dir \"$1\"";
    let binary = env!("CARGO_BIN_EXE_coterie");
    let mut shell = program(Path::new("sh"), &["-c", script, binary]);
    shell.arg(data.path());
    let _server = Program::spawned(shell);
    assert!(Findings::on(data.path()).has("limit-files", "warning").contains(" 300 "));
}

#[test]
fn full_disk_in_memory_is_an_error() {
    let disk = SmallDisk::mounted("size=128m,nr_inodes=2000");
    let data = disk.path().join("data");
    adds(&data, "Ana", "ana@example.org");
    let findings = Findings::on(&data);
    findings.has("disk-space", "ok");
    findings.has("disk-inodes", "warning");
    findings.has("disk-type", "error");
    disk.fills();
    let findings = Findings::on(&data);
    findings.has("disk-space", "error");
    findings.has("disk-sync", "error");
    assert!(!data.join("doctor.probe").exists());
}

#[test]
fn unwritable_probe_is_an_error() {
    let data = installation();
    fs::create_dir(data.path().join("doctor.probe")).unwrap();
    assert!(Findings::on(data.path()).has("disk-sync", "error").contains("doctor.probe"));
}

#[test]
fn open_keys_and_folders_are_errors() {
    let data = TempDir::new().unwrap();
    Program::starts(data.path(), &[]).stops();
    Findings::on(data.path()).has("data-mode", "ok");
    for name in ["vapid.key", "files/link.key", "images"] {
        let path = data.path().join(name);
        let mode = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, Permissions::from_mode(mode.mode() | 0o040)).unwrap();
        let findings = Findings::on(data.path());
        assert!(findings.has("data-mode", "error").contains(name), "{name}");
        fs::set_permissions(&path, mode).unwrap();
    }
}

#[test]
fn files_of_another_owner_are_errors() {
    if !is_root() {
        println!("only root can do this");
        return;
    }
    let data = installation();
    chown(data.path().join("history"), Some(12_345), None).unwrap();
    assert!(Findings::on(data.path()).has("data-owner", "error").contains("history"));
}

#[test]
fn locked_data_without_a_server_is_an_error() {
    let data = installation();
    let lock = File::open(data.path().join("lock")).unwrap();
    lock.lock().unwrap();
    Findings::on(data.path()).has("server", "error");
}

#[test]
fn lost_journal_is_an_error() {
    let data = installation();
    fs::remove_dir_all(data.path().join("journal")).unwrap();
    Findings::on(data.path()).has("server", "error");
}

#[test]
fn absent_installation_cannot_be_examined() {
    let data = TempDir::new().unwrap();
    let line = tool(data.path(), &["doctor"]).says_no(3);
    assert!(line.contains("holds no installation"), "{line}");
}

#[test]
fn text_names_severity_advice_and_link() {
    let data = installation();
    fs::create_dir(data.path().join("doctor.probe")).unwrap();
    let ended = tool(data.path(), &["doctor"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (2, ""), "{}", ended.stdout);
    let mut lines = ended.stdout.lines().skip_while(|line| !line.starts_with("error    disk-sync"));
    lines.next().unwrap();
    assert!(lines.next().unwrap().ends_with(" See /docs/operators#disk-sync."), "{}", ended.stdout);
}
