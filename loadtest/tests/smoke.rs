//! The whole program, in smoke size: scenarios, reference servers, report.
//!
//! The server is a stub, so these tests need no build of Coterie; the references
//! are the real ones, as processes. With a broken stub the checks must fail.
#![allow(clippy::unwrap_used, reason = "everything here is a test or serves one")]

mod stub;

use std::process::{Command, Output};

use serde_json::Value;
use stub::{Fault, Stub};

fn loadtest(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_loadtest")).args(arguments).output().unwrap()
}

/// Runs a scenario against a stub; returns its exit code and its report.
fn smoke(scenario: &str, fault: Fault) -> (Option<i32>, Value) {
    let stub = Stub::start(fault);
    let pid = std::process::id().to_string();
    let output =
        loadtest(&[scenario, "--smoke", "--url", &stub.url(), "--pid", &pid, "--json", "-"]);
    let progress = String::from_utf8_lossy(&output.stderr);
    let report = serde_json::from_slice(&output.stdout);
    (
        output.status.code(),
        report.unwrap_or_else(|error| panic!("{error} in the report; {progress}")),
    )
}

fn assert_clean(scenario: &str, bars: &[&str]) {
    let (code, report) = smoke(scenario, Fault::None);
    assert_eq!(code, Some(0), "{report:#}");
    assert_eq!(report["scenario"], scenario);
    let found: Vec<&str> =
        report["bars"].as_array().unwrap().iter().map(|bar| bar["id"].as_str().unwrap()).collect();
    assert_eq!(found, bars, "{report:#}");
    for bar in report["bars"].as_array().unwrap() {
        assert!(bar["figure"].is_f64(), "{bar:#}");
    }
    for check in report["checks"].as_array().unwrap() {
        assert_eq!(check["passed"], true, "{check:#}");
    }
}

fn assert_noticed(scenario: &str, fault: Fault) {
    let (code, report) = smoke(scenario, fault);
    assert_eq!(code, Some(1), "{fault:?} went unnoticed: {:#}", report["checks"]);
}

#[test]
fn posts_are_measured() {
    assert_clean("posts", &["P1", "P1", "P1"]);
}

#[test]
fn all_nodes_of_an_installation_are_loaded_and_looked_at() {
    for scenario in ["posts", "fanout", "latency", "mixed"] {
        let one = Stub::start(Fault::None);
        let other = one.node();
        let urls = ["--url", &one.url(), "--url", &other.url()];
        let output = loadtest(&[&[scenario, "--smoke", "--json", "-"], &urls[..]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        let checks = report["checks"].as_array().unwrap().iter();
        let lists = checks.filter(|check| check["what"].as_str().unwrap().contains("is listed"));
        assert!(lists.count() >= 2, "each node's list: {report:#}");
        assert!(other.visits() > 4, "{scenario} came to it {} times", other.visits());
    }
    let (one, other) = (Stub::start(Fault::None), Stub::start(Fault::None));
    let output = loadtest(&["idle", "--smoke", "--url", &one.url(), "--url", &other.url()]);
    assert_eq!(output.status.code(), Some(2), "idle loads one server");
}

#[test]
fn nodes_that_do_not_share_their_messages_are_noticed() {
    let (one, other) = (Stub::start(Fault::None), Stub::start(Fault::None));
    let urls = ["--url", &one.url(), "--url", &other.url()];
    let output = loadtest(&[&["posts", "--smoke"], &urls[..]].concat());
    assert_ne!(output.status.code(), Some(0));
}

#[test]
fn latency_counts_from_due_time() {
    let sizes: [&[&str]; 3] = [
        &["posts", "--rate", "200", "--senders", "4", "--groups", "2"],
        &["fanout", "--rate", "50"],
        &["history", "--rate", "200", "--duration", "1"],
    ];
    for arguments in sizes {
        let stub = Stub::start(Fault::None);
        let options = ["--smoke", "--url", &stub.url(), "--json", "-"];
        let output = loadtest(&[arguments, &options[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["setting"].as_str().unwrap().contains("in an open loop"), "{report:#}");
        assert!(report["rows"][1]["latency"]["count"].as_u64() > Some(0), "{report:#}");
        assert_eq!(report["bars"].as_array().unwrap().len(), 0, "rates are not compared");
    }
}

#[test]
fn a_realistic_day_is_measured() {
    assert_clean("mixed", &["P1m", "P1m"]);
}

#[test]
fn mixed_load_detects_lost_messages() {
    assert_noticed("mixed", Fault::ForgetMessage);
    assert_noticed("mixed", Fault::CloseSocket);
}

#[test]
fn fan_out_is_measured() {
    assert_clean("fanout", &["P3", "P3"]);
}

#[test]
fn bursts_are_measured() {
    assert_clean("burst", &["P4"]);
}

#[test]
fn latency_is_measured() {
    assert_clean("latency", &["P2", "P5"]);
}

#[test]
fn idle_sockets_are_measured() {
    assert_clean("idle", &["P6", "P6"]);
}

#[test]
fn history_is_measured() {
    assert_clean("history", &["P7", "P7", "P7"]);
}

#[test]
fn a_server_that_grows_is_measured() {
    // P9 (starts) and P10 (disk) are measured only with a server that the tester itself started.
    assert_clean("grow", &["P8", "P8", "P11"]);
}

#[test]
fn grow_load_detects_lost_messages() {
    assert_noticed("grow", Fault::ForgetMessage);
}

#[test]
fn costs_are_measured_over_sizes() {
    let (code, report) = smoke("growth", Fault::None);
    assert_eq!(code, Some(0), "{report:#}");
    // P24 needs minutes, P25 and P26 a server that the tester itself started. The kernel counts CPU
    // in hundredths of a second, so a few acts may have none, and then a bar has no figure.
    let bars = report["bars"].as_array().unwrap().iter();
    let ids: Vec<&str> = bars.map(|bar| bar["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["P20", "P20", "P21", "P22", "P22", "P23"]);
    let curves = report["curves"].as_array().unwrap().iter();
    assert!(curves.clone().all(|curve| curve["points"].as_array().unwrap().len() == 2));
    let acts: Vec<&str> = curves.map(|curve| curve["what"].as_str().unwrap()).collect();
    let likes = ["like", "frame of a like", "join"];
    let beside = ["post, all of it", "indexing a post", "memory of a socket"];
    assert_eq!(acts, [&["read mark", "post", "post"][..], &likes, &beside].concat());
}

#[test]
fn chosen_acts_and_sizes_are_measured() {
    let (stub, folder) = (Stub::start(Fault::None), tempfile::tempdir().unwrap());
    let (url, pid) = (stub.url(), std::process::id().to_string());
    let people = folder.path().join("people.json");
    let server = ["--smoke", "--url", &url, "--pid", &pid, "--json", "-"];
    let sizes = ["--only", "posts", "--members", "10,11,12", "--people", people.to_str().unwrap()];
    for _ in 0..2 {
        let output = loadtest(&[&["growth"], &server[..], &sizes[..]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        let curves = report["curves"].as_array().unwrap();
        let sizes = curves[0]["points"].as_array().unwrap().iter();
        let sizes: Vec<u64> = sizes.map(|point| point["size"].as_u64().unwrap()).collect();
        assert_eq!((curves.len(), sizes), (1, vec![10, 11, 12]), "{report:#}");
    }
    let registered: Vec<Value> = serde_json::from_slice(&std::fs::read(&people).unwrap()).unwrap();
    assert_eq!(registered.len(), 20, "the second run registers nobody");
}

#[test]
fn closed_sockets_are_noticed_in_growth() {
    let stub = Stub::start(Fault::CloseSocket);
    let output = loadtest(&["growth", "--smoke", "--only", "posts", "--url", &stub.url()]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("FAILED  every socket stays open: 1 of 10 ended"), "{text}");
}

#[test]
fn uploads_beside_posts_are_measured() {
    assert_clean("images", &["P15", "P15"]);
}

#[test]
fn a_forgotten_image_is_noticed() {
    assert_noticed("images", Fault::ForgetImage);
}

#[test]
fn lists_of_groups_are_measured() {
    assert_clean("groups", &["P16"]);
}

#[test]
fn a_group_that_is_not_listed_is_noticed() {
    assert_noticed("groups", Fault::ForgetGroup);
}

#[test]
fn searches_are_measured() {
    // The cost of indexing is measured only with a server that the tester itself started.
    assert_clean("search", &["P17"]);
}

#[test]
fn stalled_sockets_are_measured() {
    assert_clean("stalled", &["P12", "P12"]);
}

#[test]
fn a_storm_of_reconnecting_sockets_is_measured() {
    assert_clean("reconnect", &["P13"]);
}

#[test]
fn a_message_that_is_not_replayed_is_noticed() {
    assert_noticed("reconnect", Fault::LoseReplay);
}

#[test]
fn bots_are_measured() {
    assert_clean("bots", &["P14", "P14", "P14"]);
}

#[test]
fn a_message_that_a_bot_misses_is_noticed() {
    assert_noticed("bots", Fault::LoseCallback);
}

#[test]
fn a_day_of_everything_is_watched() {
    assert_clean("soak", &[]);
}

#[test]
fn files_that_are_never_closed_are_noticed() {
    assert_noticed("soak", Fault::LeakFiles);
}

#[test]
fn a_message_that_a_socket_misses_while_away_is_noticed() {
    assert_noticed("soak", Fault::LoseReplay);
}

#[test]
fn clients_that_mean_harm_are_measured() {
    assert_clean("abuse", &["R8", "R8", "R8"]);
}

#[test]
fn abuse_load_detects_accepted_garbage() {
    assert_noticed("abuse", Fault::TakeAnything);
}

#[test]
fn a_lost_delivery_is_noticed() {
    assert_noticed("fanout", Fault::LoseDelivery);
}

#[test]
fn a_repeated_delivery_is_noticed() {
    assert_noticed("fanout", Fault::RepeatDelivery);
}

#[test]
fn a_hole_in_the_numbers_is_noticed() {
    assert_noticed("fanout", Fault::SkipNumber);
}

#[test]
fn a_closed_socket_is_noticed() {
    assert_noticed("fanout", Fault::CloseSocket);
}

#[test]
fn a_forgotten_message_is_noticed() {
    assert_noticed("posts", Fault::ForgetMessage);
}

#[test]
fn a_message_listed_twice_is_noticed() {
    assert_noticed("posts", Fault::ListTwice);
}

#[test]
fn a_refused_message_that_is_kept_is_noticed() {
    assert_noticed("posts", Fault::KeepRefused);
    assert_noticed("fanout", Fault::KeepRefused);
}

#[test]
fn a_wrong_count_is_noticed() {
    assert_noticed("posts", Fault::Miscount);
}

/// The packages are installed once and then stay in the target directory.
#[test]
fn peers_are_measured_beside_the_server() {
    let (stub, directory) = (Stub::start(Fault::None), tempfile::tempdir().unwrap());
    let (url, pid) = (stub.url(), std::process::id().to_string());
    let server = ["--smoke", "--url", &url, "--pid", &pid];
    let folder = directory.path().to_str().unwrap();
    let files = ["--work-dir", env!("CARGO_TARGET_TMPDIR"), "--json", "-", "--report", folder];
    let output = loadtest(&[&["peers"], &server[..], &files[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let reports = found["reports"].as_array().unwrap();
    assert_eq!(reports[0]["scenario"], "peers-fanout");
    assert_eq!(reports[1]["scenario"], "peers-posts");
    for report in reports {
        let sides = report["sides"].as_array().unwrap();
        let names = sides.iter().map(|side| side["name"].as_str().unwrap());
        let names: Vec<&str> = names.map(|name| name.split(' ').next().unwrap()).collect();
        assert_eq!(names, ["coterie", "socket.io", "Faye"]);
        for side in sides {
            for figure in ["per_second", "p99_ms", "rate_beside"] {
                assert!(side[figure].as_f64() > Some(0.0), "{figure} of {side:#}");
            }
            // The kernel counts CPU in hundredths of a second, so a short turn may have none.
            assert!(side["server_us_per_unit"].is_f64(), "{side:#}");
        }
        assert!(sides[2]["durability"].as_str().unwrap().starts_with("none"), "{sides:#?}");
    }
    assert!(said.contains("none: stores nothing"), "the table says it: {said}");
    assert!(
        std::fs::read_to_string(directory.path().join("report.html")).unwrap().contains("Faye")
    );
}

#[test]
fn missing_npm_is_reported() {
    let (stub, nothing) = (Stub::start(Fault::None), tempfile::tempdir().unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_loadtest"))
        .args(["peers", "--smoke", "--url", &stub.url()])
        .env("PATH", nothing.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("is not on this machine"), "{message}");
}

#[test]
fn bars_are_measured_by_name_and_written_down() {
    let (stub, directory) = (Stub::start(Fault::None), tempfile::tempdir().unwrap());
    let report = directory.path().join("run");
    let (url, pid) = (stub.url(), std::process::id().to_string());
    let options = ["--smoke", "--url", &url, "--pid", &pid, "--report", report.to_str().unwrap()];
    let output = loadtest(&[&["bars", "P3", "p2"], &options[..]].concat());
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    for id in ["P3", "P2", "P5"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{id}  "))), "{text}");
    }
    let json = std::fs::read(report.join("report.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["reports"].as_array().unwrap().len(), 2);
    let timeline = json["reports"][0]["rows"][0]["timeline"].as_array().unwrap().clone();
    assert!(timeline.iter().any(|point| point["per_second"].as_f64() > Some(0.0)), "{timeline:?}");
    let html = std::fs::read_to_string(report.join("report.html")).unwrap();
    assert!(html.contains("fanout"), "the page has its figures in itself");
    let file = report.join("report.json");
    let compared = loadtest(&["compare", file.to_str().unwrap(), file.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&compared.stdout);
    assert!(text.contains("+0.0 %"), "{text}");
}

#[test]
fn a_file_that_is_no_report_is_not_compared() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.json");
    std::fs::write(&file, "{}").unwrap();
    let output = loadtest(&["compare", file.to_str().unwrap(), file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("is no report of this program"), "{message}");
}

#[test]
fn only_this_machine_is_loaded() {
    let output = loadtest(&["posts", "--smoke", "--url", "http://192.0.2.1:80"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("192.0.2.1 is not a loopback address of this machine"), "{message}");
}

#[test]
fn a_missing_server_names_the_command_that_builds_it() {
    let output = loadtest(&["posts", "--smoke", "--server-bin", "/nonexistent/coterie"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("cargo build --release --bin coterie"), "{message}");
}
