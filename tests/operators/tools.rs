//! Running a tool of the binary to its end.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::coterie;

/// The password of all users.
pub(crate) const PASSWORD: &str = "correct horse";

/// The output of a tool, and its exit code.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Checks that the tool succeeded; returns what it printed.
    #[track_caller]
    pub(crate) fn fine(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Checks that the tool ended with this code and one line on stderr; returns that line.
    #[track_caller]
    pub(crate) fn says_no(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "one line: {self:?}");
        self.stderr.trim_end().strip_prefix("coterie: ").unwrap().to_owned()
    }
}

/// Runs a tool on this data folder.
pub(crate) fn tool(data: &Path, arguments: &[&str]) -> Ended {
    typing(data, arguments, "")
}

/// Runs a tool with this text as its standard input.
pub(crate) fn typing(data: &Path, arguments: &[&str], typed: &str) -> Ended {
    let place = ["--data-dir", data.to_str().unwrap()];
    tool_without_data(&[arguments, &place].concat(), typed)
}

/// Runs a tool that needs no data folder, with this text as its standard input.
pub(crate) fn tool_without_data(arguments: &[&str], typed: &str) -> Ended {
    let mut command = coterie(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A tool that reads nothing may have ended already.
    drop(child.stdin.take().unwrap().write_all(typed.as_bytes()));
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Adds an account with `coterie user add`; returns its id.
pub(crate) fn adds(data: &Path, name: &str, email: &str) -> String {
    let arguments = ["user", "add", "--name", name, "--email", email];
    let told = typing(data, &arguments, &format!("{PASSWORD}\n")).fine();
    told.split_whitespace().next().unwrap().to_owned()
}

/// Sends a POST without a token; returns status and payload.
pub(crate) async fn posts(url: &str, path: &str, body: &Value) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.post(format!("{url}{path}")).json(body).send().await.unwrap();
    let status = answer.status().as_u16();
    let mut envelope: Value = answer.json().await.unwrap();
    (status, envelope["response"].take())
}

/// Logs in; returns status and payload.
pub(crate) async fn logs_in(url: &str, email: &str, password: &str) -> (u16, Value) {
    posts(url, "/auth/login", &json!({"email": email, "password": password})).await
}
