//! With what a node refuses to start, and the one line that it says.

use std::process::{Command, Output, Stdio};

use crate::installation::Installation;
use crate::nats_server;
use crate::program::{Program, coterie, serving};

/// Runs a command that must refuse to start (exit code 2), and returns the last line that it says.
pub(crate) fn refused(mut command: Command) -> String {
    let Output { status, stdout, stderr } =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(stdout.is_empty());
    said.lines().last().unwrap().to_owned()
}

#[test]
fn a_log_on_fewer_servers_than_it_needs_is_refused() {
    let (servers, data) = (nats_server::shared(), tempfile::tempdir().unwrap());
    let path = data.path().join("a");
    let line = refused(coterie(&serving(&path, &["--nats", &servers, "--node", "a"])));
    assert!(line.contains("3 replicas"), "{line}");
    // The machine joined nothing, and can still run alone.
    Program::starts(&path, &[]).stops();
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let refuses = |more: &[&str], why: &str| {
        let line = refused(coterie(&serving(data.path(), more)));
        assert!(line.contains(why), "{line}");
    };
    refuses(&["--nats", "nats://127.0.0.1:1"], "--node");
    refuses(&["--node", "a"], "--nats");
    refuses(&["--nats", "nats://127.0.0.1:1", "--node", "A.b"], "lowercase letters");
    refuses(&["--nats", "nats://127.0.0.1:1", "--node", "a", "--replicas", "2"], "replicas");
    refuses(&["--nats", "nats://no port", "--node", "a"], "log");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_directory_of_other_installation_is_refused() {
    let mut all = Installation::starts(1, 1).await;
    let servers = all.servers.addresses();
    let joined = ["--nats", &servers, "--replicas", "1", "--node"];
    // The name belongs to a node that is alive.
    let other = all.data(1);
    all.has_key(1);
    let line = refused(coterie(&serving(&other, &[&joined[..], &["a"]].concat())));
    assert!(line.contains("have the name a"), "{line}");
    // A machine with a journal of its own belongs to another installation.
    let machine = all.data(2);
    Program::starts(&machine, &[]).stops();
    let line = refused(coterie(&serving(&machine, &[&joined[..], &["c"]].concat())));
    assert!(line.contains("installation"), "{line}");
    Program::starts(&machine, &[]).stops();
    // The data of a node cannot be served without the log.
    all.stop(0).await;
    let line = refused(coterie(&serving(&all.data(0), &[])));
    assert!(line.contains("--nats"), "{line}");
    all.start([0]).await;
}

#[test]
fn a_server_that_syncs_late_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let late = nats_server::late();
    let line = refused(coterie(&serving(
        &data.path().join("a"),
        &["--nats", &late.addresses(), "--node", "a", "--replicas", "1"],
    )));
    assert!(line.contains("sync_interval: always"), "{line}");
    Program::starts(&data.path().join("a"), &[]).stops();
}
