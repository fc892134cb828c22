//! Runs a test once more in Linux namespaces of its own, where it may reconfigure the machine: the
//! namespaces end with the test, however it ended.

use std::fmt::Write as _;
use std::process::{Command, Output, Stdio};

use crate::installation::Turn;

/// The environment variable that tells a test that it already runs in namespaces of its own.
const APART: &str = "CLUSTER_APART";

/// The namespaces that a test needs of its own.
pub(crate) struct Apart {
    /// What the test makes there, for the panic message.
    pub(crate) what: &'static str,
    /// The command prefixes to try; the first one with which `needed` succeeds is taken.
    pub(crate) ways: &'static [&'static str],
    /// A shell script that does what the test has to be allowed to do.
    pub(crate) needed: &'static str,
}

/// Whether this process is a test that runs apart.
pub(crate) fn is_apart() -> bool {
    std::env::var_os(APART).is_some()
}

/// Runs the test of this name once more, apart, and returns true. Returns false, and runs nothing,
/// in a process that already runs apart.
pub(crate) async fn runs_apart(test: &'static str, needs: &'static Apart) -> bool {
    if is_apart() {
        return false;
    }
    let _turn = Turn::comes().await;
    let ran = tokio::task::spawn_blocking(move || {
        let mut words = needs.way();
        words.extend(std::env::current_exe().unwrap().into_os_string().into_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args([test, "--exact", "--nocapture"]);
        command.stdin(Stdio::null()).output().unwrap()
    });
    let Output { status, stdout, stderr } = ran.await.unwrap();
    let said = [String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)].concat();
    // Indented, so that nobody who counts the test runner's own lines counts these.
    said.lines().for_each(|line| eprintln!("  | {line}"));
    assert!(status.success() && said.contains(" 1 passed"), "{test} failed where it ran apart");
    true
}

impl Apart {
    /// The command prefix with which a command runs apart and may do what is needed.
    fn way(&self) -> Vec<String> {
        let path = std::env::var("PATH").unwrap_or_default();
        // `ip` is in a sbin folder, which is not in every user's PATH.
        let mut told = vec![format!("{APART}=1"), format!("PATH={path}:/usr/sbin:/sbin")];
        // Variables that `sudo` would not pass on.
        for name in ["CLUSTER_ROUNDS", "TMPDIR", "RUST_BACKTRACE"] {
            told.extend(std::env::var(name).map(|value| format!("{name}={value}")));
        }
        let mut why = String::new();
        for way in self.ways {
            let words = way.split(' ').map(str::to_owned).chain(["env".to_owned()]);
            let words: Vec<String> = words.chain(told.iter().cloned()).collect();
            let mut trial = Command::new(&words[0]);
            let trial = trial.args(&words[1..]).args(["sh", "-c", self.needed]);
            match trial.stdin(Stdio::null()).output() {
                Ok(tried) if tried.status.success() => return words,
                Ok(tried) => {
                    let said = String::from_utf8_lossy(&tried.stderr);
                    write!(why, "\n{way}: {}", said.trim()).unwrap();
                }
                Err(error) => write!(why, "\n{way}: {error}").unwrap(),
            }
        }
        panic!("this test makes {} of its own, and may not here:{why}", self.what);
    }
}
