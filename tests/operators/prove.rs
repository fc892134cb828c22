//! `coterie prove`.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::coterie;

fn proves(dir: &Path, more: &[&str]) -> Output {
    let fixed = ["prove", dir.to_str().unwrap()];
    let arguments: Vec<&str> = fixed.iter().chain(more).copied().collect();
    coterie(&arguments).output().unwrap()
}

fn report(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn prove_kills_a_server_and_finds_every_message() {
    let place = TempDir::new().unwrap();
    let dir = place.path().join("proof");
    let output = proves(&dir, &["--hours", "0", "--seed", "7", "--json"]);
    let report = report(&output);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(report["kills"], 1, "one kill, however short the time is");
    for fault in ["lost", "repeated", "out_of_order", "wrong_ids"] {
        assert_eq!(report[fault], 0, "{report}");
    }
    assert_eq!((&report["check"], &report["seed"]), (&Value::from(true), &Value::from(7)));
    assert!(report["disk"]["p99_micros"].as_u64() >= report["disk"]["median_micros"].as_u64());
    assert!(!dir.exists(), "nothing is left behind");
}

#[test]
fn prove_uses_no_directory_with_files() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("own"), "mine").unwrap();
    let output = proves(place.path(), &["--hours", "0"]);
    assert_eq!(output.status.code(), Some(2));
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(why.contains("is not empty; prove needs a directory of its own"), "{why}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn prove_refuses_impossible_times() {
    let place = TempDir::new().unwrap();
    for hours in ["-1", "NaN", "soon", "1e9"] {
        let output = proves(&place.path().join("proof"), &[&format!("--hours={hours}")]);
        assert_eq!(output.status.code(), Some(2), "{hours}");
        assert!(!place.path().join("proof").exists());
    }
}
