//! Which servers of the log a node accepts and how it logs in there: logins, TLS, open servers,
//! and servers that do not report how they sync.

use std::fs;
use std::path::Path;

use base64::Engine as _;

use crate::asking::Person;
use crate::installation::{Installation, place_key};
use crate::nats_server::{self, NatsServers};
use crate::program::{Program, coterie, serving};
use crate::refusals::refused;

/// The lines of a server that reports that it syncs.
const SYNCS: &str = "http: \"127.0.0.1:{reports}\"\nmax_payload: 9MB\n\
                     jetstream { store_dir: \"{store}\", sync_interval: always }\n";

fn server(host: &str, more: &str) -> NatsServers {
    nats_server::one_with(host, &format!("{SYNCS}{more}"))
}

/// The options of one node over this address.
fn options(address: &str) -> [&str; 6] {
    ["--nats", address, "--node", "a", "--replicas", "1"]
}

/// Checks that a node at this address refuses to start, and returns the line that says why.
fn refuses(address: &str, more: &[&str]) -> String {
    let data = tempfile::tempdir().unwrap();
    place_key(&data.path().join("a"));
    refused(coterie(&serving(&data.path().join("a"), &[&options(address), more].concat())))
}

/// Checks that a node starts at this address.
fn starts(address: &str, more: &[&str]) {
    let data = tempfile::tempdir().unwrap();
    place_key(&data.path().join("a"));
    Program::starts(&data.path().join("a"), &[&options(address), more].concat()).stops();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_log_in_and_print_no_password() {
    let users = "authorization { users: [ {user: \"a@b\", password: \"s3cr,t\"} ] }";
    let servers = server("0.0.0.0", users).with_login("a%40b:s3cr%2Ct@");
    let mut all = Installation::starts_by(servers, 2).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ear = crate::ear::Ear::of(&all, &ana, &[0, 1]).await;
    let writers = crate::writers::Writers::begin(&all, &ana, &[0, 1]).await;
    writers.all_go_on().await;
    writers.end(&all, &[0, 1]).await;
    ear.has_heard_everything(&all, 0).await;
    let mut printed = all.tool(1, &["nodes"]);
    assert!(printed.contains("synced before acknowledged"), "{printed}");
    printed.push_str(&all.tool(1, &["nodes", "--json"]));
    all.servers.kill(0);
    all.says(0, "replicated::nats", 1).await;
    all.servers.restart(0);
    all.serves(0).await;
    [0, 1].iter().for_each(|node| printed.push_str(&all.has_said(*node)));
    all.stop(0).await;
    assert!(!printed.contains("s3cr"), "{printed}");
}

#[test]
fn a_token_is_a_login() {
    let server = server("0.0.0.0", "authorization { token: t0ken }").with_login("t0ken@");
    starts(&server.addresses(), &[]);
}

#[test]
fn a_refused_login_ends_the_start() {
    let users = "authorization { users: [ {user: ana, password: word} ] }";
    for (lines, login) in [
        (users, ""),
        (users, "ana:s3cret@"),
        (users, "s3cret@"),
        (users, "ben:s3cret@"),
        ("authorization { token: t0ken }", ""),
        ("authorization { token: t0ken }", "s3cret@"),
    ] {
        let server = server("127.0.0.1", lines).with_login(login);
        let line = refuses(&server.addresses(), &[]);
        let place = format!("127.0.0.1:{}: ", server.port(0));
        assert!(line.contains("--nats") && line.contains(&place), "{line}");
        assert!(line.contains("login") && !line.contains("s3cret"), "{line}");
    }
}

/// Bytes as a PEM file (RFC 7468) has them.
fn pem(label: &str, bytes: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

/// Writes a certificate for `localhost` and its key into this folder.
fn certificate(folder: &Path) -> (String, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (cert, key) = (path("cert.pem"), path("key.pem"));
    fs::write(&cert, pem("CERTIFICATE", made.cert.der())).unwrap();
    fs::write(&key, pem("PRIVATE KEY", &made.signing_key.serialize_der())).unwrap();
    (cert, key)
}

#[test]
fn nodes_log_in_over_tls_and_trust_the_named_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = certificate(folder.path());
    let tls = format!(
        "tls {{ cert_file: \"{cert}\", key_file: \"{key}\" }}\n\
         authorization {{ users: [ {{user: ana, password: word}} ] }}"
    );
    let server = server("0.0.0.0", &tls);
    let address = |scheme: &str, login: &str, host: &str| {
        format!("{scheme}://{login}@{host}:{}", server.port(0))
    };
    starts(&address("tls", "ana:word", "localhost"), &["--nats-ca", &cert]);
    starts(&address("nats", "ana:word", "localhost"), &["--nats-ca", &cert]);
    let line = refuses(&address("tls", "ana:s3cret", "localhost"), &["--nats-ca", &cert]);
    assert!(line.contains("login") && !line.contains("s3cret"), "{line}");
    let line = refuses(&address("tls", "ana:s3cret", "localhost"), &[]);
    assert!(line.contains("--nats-ca") && !line.contains("s3cret"), "{line}");
    let line = refuses(&address("tls", "ana:word", "127.0.0.1"), &["--nats-ca", &cert]);
    assert!(line.contains("not trusted"), "{line}");
    let line = refuses(&address("tls", "ana:word", "localhost"), &["--nats-ca", &key]);
    assert!(line.contains("key.pem"), "{line}");
}

#[test]
fn a_server_that_is_open_to_other_machines_is_refused() {
    let guest = "authorization { users: [ {user: ana, password: word}, {user: guest} ] }\n\
                 no_auth_user: guest";
    for (lines, login) in [("", ""), ("", "ana:word@"), (guest, "ana:word@")] {
        let server = server("0.0.0.0", lines).with_login(login);
        let line = refuses(&server.addresses(), &[]);
        assert!(line.contains("--allow-open-log"), "{line}");
        assert!(line.contains(&server.port(0).to_string()) && !line.contains("word@"), "{line}");
        starts(&server.addresses(), &["--allow-open-log"]);
    }
    starts(&server("127.0.0.1", "").addresses(), &[]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_without_sync_report_is_refused() {
    let hides = || {
        let line = "max_payload: 9MB\njetstream { store_dir: \"{store}\", sync_interval: always }";
        nats_server::one_with("127.0.0.1", line)
    };
    let servers = hides();
    let line = refuses(&servers.addresses(), &[]);
    assert!(line.contains("--allow-unknown-sync") && line.contains("sync_interval"), "{line}");
    let options = |_| vec!["--allow-unknown-sync".to_owned()];
    let all = Installation::starts_by_with(servers, 1, options).await;
    let printed = all.tool(0, &["nodes"]);
    assert!(printed.contains("unknown whether synced"), "{printed}");
    assert_eq!(all.counts(0, "coterie_cluster_log_synced").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_syncs_is_reported() {
    let all = Installation::starts(1, 1).await;
    assert_eq!(all.counts(0, "coterie_cluster_log_synced").await, 1);
}
