//! The binary itself: its first line of output, how it refuses to start, and how it stops
//! (contract, "Start").

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::Message;

use crate::program::{Program, coterie};
use crate::world::PASSWORD;

/// Runs the binary to its end; asserts that it refuses with exit code 2 and one line on stderr, and
/// returns that line.
#[track_caller]
fn refused(arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let mut command = coterie(arguments);
    let Output { status, stdout, stderr } =
        command.envs(settings.iter().copied()).output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(2), "{said}");
    assert_eq!(String::from_utf8(stdout).unwrap(), "");
    assert_eq!(said.lines().count(), 1, "one line: {said}");
    let line = said.trim_end();
    line.strip_prefix("coterie: ").unwrap_or_else(|| panic!("{line}")).to_owned()
}

fn entries(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn first_line_has_the_listening_address() {
    let data = TempDir::new().unwrap();
    let program = Program::starts(data.path(), &[]);
    let line = program.first_line.strip_suffix('\n').unwrap();
    let port = line.strip_prefix("coterie listening on http://127.0.0.1:").unwrap();
    assert_ne!(port.parse::<u16>().unwrap(), 0, "the real port");
    assert!(std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok());
    program.stops();
}

#[test]
fn an_unknown_option_is_refused() {
    let said = refused(&["--nonsense"], &[]);
    assert!(said.contains("--nonsense"), "{said}");
    for arguments in [
        &["dance"][..],
        &["--listen", "nowhere"],
        &["--registration", "maybe"],
        &["--rate-limit", "much"],
        &["--token-ttl", "90"],
        &["--public-url", "chat.example.org"],
        &["--index-cache", "big"],
    ] {
        let said = refused(arguments, &[]);
        assert!(said.contains(arguments.last().unwrap()), "{said}");
    }
}

#[test]
fn an_unknown_variable_is_refused() {
    let said = refused(&[], &[("COTERIE_LISTN", "127.0.0.1:0")]);
    assert!(said.contains("COTERIE_LISTN") && said.contains("COTERIE_LISTEN"), "{said}");
}

#[test]
fn variables_are_options_too() {
    let data = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said =
        refused(&["--data-dir", data.path().to_str().unwrap()], &[("COTERIE_LISTEN", &address)]);
    assert!(said.contains(&address), "{said}");
}

#[test]
fn a_port_in_use_is_refused_and_nothing_is_written() {
    let parent = TempDir::new().unwrap();
    let data = parent.path().join("data");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = refused(&["--listen", &address, "--data-dir", data.to_str().unwrap()], &[]);
    assert!(said.starts_with(&format!("cannot listen on {address}: ")), "{said}");
    assert_eq!(entries(parent.path()), Vec::<String>::new());
}

#[test]
fn a_data_directory_of_another_process_is_refused() {
    let data = TempDir::new().unwrap();
    let path = data.path().to_str().unwrap();
    let program = Program::starts(data.path(), &[]);
    let said = refused(&["--listen", "127.0.0.1:0", "--data-dir", path], &[]);
    assert_eq!(said, format!("the data directory {path} is in use by another process"));
    // A process that was killed no longer holds the lock of its data directory.
    program.dies();
    Program::starts(data.path(), &[]).stops();
}

#[test]
fn a_data_directory_that_is_none_is_refused() {
    let parent = TempDir::new().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "not a directory").unwrap();
    for path in [file.clone(), file.join("below")] {
        let path = path.to_str().unwrap();
        let said = refused(&["--listen", "127.0.0.1:0", "--data-dir", path], &[]);
        let prefix = format!("the data directory {path} cannot be used: ");
        assert!(said.starts_with(&prefix), "{said}");
    }
    let broken = parent.path().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("history"), "not eight digits").unwrap();
    let broken = broken.to_str().unwrap();
    let said = refused(&["--listen", "127.0.0.1:0", "--data-dir", broken], &[]);
    assert!(said.contains("history is damaged"), "{said}");
}

#[test]
fn invalid_log_filter_is_refused_before_writes() {
    let parent = TempDir::new().unwrap();
    let data = parent.path().join("data");
    let arguments =
        ["--listen", "127.0.0.1:0", "--data-dir", data.to_str().unwrap(), "--log", "a=b=c"];
    let said = refused(&arguments, &[]);
    assert!(said.contains("a=b=c"), "{said}");
    assert!(!data.exists());
}

#[test]
fn help_and_version_are_no_errors() {
    for argument in ["--help", "--version"] {
        let output = coterie(&[argument]).output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8(output.stdout).unwrap().contains("coterie"), "{argument}");
    }
}

#[tokio::test]
async fn sigterm_sends_bye_and_exits_with_0() {
    let data = TempDir::new().unwrap();
    let program = Program::starts(data.path(), &[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
    let register = client.post(format!("{}/auth/register", program.url())).json(&body);
    let welcome: Value = register.send().await.unwrap().json().await.unwrap();
    let token = welcome["response"]["access_token"].as_str().unwrap();
    let url = format!("{}/v3/push?token={token}", program.url().replace("http", "ws"));
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    socket.send(Message::text(json!({"t": "hello", "v": 1}).to_string())).await.unwrap();
    let mut heard = Vec::new();
    let since = Instant::now();
    let code = loop {
        let frame = socket.next().await.unwrap().unwrap();
        if let Message::Close(reason) = frame {
            break u16::from(reason.unwrap().code);
        }
        let frame: Value = serde_json::from_str(frame.to_text().unwrap()).unwrap();
        if frame["t"] == "synced" {
            program.is_asked_to_stop();
        }
        heard.push(frame["t"].as_str().unwrap().to_owned());
    };
    assert_eq!((heard, code), (["welcome", "synced", "bye"].map(str::to_owned).to_vec(), 4003));
    drop(socket);
    tokio::task::spawn_blocking(|| program.stops()).await.unwrap();
    assert!(since.elapsed() < Duration::from_secs(9), "it waits for nobody who is gone");
}

#[tokio::test]
async fn sigint_ends_with_0_too() {
    let data = TempDir::new().unwrap();
    let mut program = Program::starts(data.path(), &[]);
    let id = program.child.id().to_string();
    let kill = std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(kill.success());
    assert!(program.child.wait().unwrap().success());
}
