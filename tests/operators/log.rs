//! The log: one line for each event, which people and programs can read.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::program::{Program, coterie};

/// Starts a server and sends it a valid and an invalid request. Returns what the server logs, and
/// the request id of the valid one.
async fn logged(more: &[&str]) -> (String, String) {
    let data = TempDir::new().unwrap();
    let mut command = coterie(&["--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(data.path()).args(more).stderr(Stdio::piped());
    let mut program = Program::spawned(command);
    let mut stderr = program.child.stderr.take().unwrap();
    let answer = reqwest::get(format!("{}/health/live", program.url())).await.unwrap();
    let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    let address = program.url().strip_prefix("http://").unwrap().to_owned();
    for wrong in ["nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n"] {
        let mut socket = TcpStream::connect(&address).await.unwrap();
        socket.write_all(wrong.as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    program.stops();
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    (said, id)
}

#[tokio::test]
async fn log_file_has_no_colours_or_client_errors() {
    let (said, id) = logged(&["--log", "coterie=debug"]).await;
    assert!(!said.contains('\u{1b}') && !said.contains("ERROR"), "{said}");
    let answered = said.lines().find(|line| line.contains(" answered a request ")).unwrap();
    assert!(answered.ends_with(&format!("request.id={id}")), "{answered}");
    assert!(answered.contains("route=\"/health/live\" status=200"), "{answered}");
}

#[tokio::test]
async fn programs_read_the_log_as_json() {
    let (said, id) = logged(&["--log", "coterie=debug", "--log-format", "json"]).await;
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["timestamp"].is_string() && line["level"].is_string()));
    let answered = lines.iter().find(|line| line["message"] == "answered a request").unwrap();
    assert_eq!(answered["request.id"], id.as_str());
    assert_eq!(
        (&answered["level"], &answered["target"]),
        (&"DEBUG".into(), &"coterie::http::request_id".into())
    );
    let targets: Vec<&str> = lines.iter().filter_map(|line| line["target"].as_str()).collect();
    assert!(targets.iter().all(|target| !target.starts_with("coterie_")), "{targets:?}");
    assert_eq!(answered["status"], 200);
    assert!(lines.iter().any(|line| line["message"] == "received a signal; stopping"));
}
