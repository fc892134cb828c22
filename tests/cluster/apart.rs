//! Runs a test once more in namespaces of its own, where it may do to the machine what it
//! likes: with the test they are gone, whatever became of it.

use std::fmt::Write as _;
use std::process::{Command, Output, Stdio};

use crate::installation::Turn;

/// Says to a test that it runs where it may do so.
const APART: &str = "CLUSTER_APART";

/// What a test needs of its own.
pub(crate) struct Apart {
    /// What it makes.
    pub(crate) what: &'static str,
    /// What goes before its command line; the first that may do what is needed is taken.
    pub(crate) ways: &'static [&'static str],
    /// What it has to be allowed to do, as a script.
    pub(crate) needed: &'static str,
}

/// Whether this process is a test that runs apart.
pub(crate) fn is_apart() -> bool {
    std::env::var_os(APART).is_some()
}

/// Runs the test of this name once more, apart; nothing where it does already.
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
    // Not as a runner's own words, which are counted.
    said.lines().for_each(|line| eprintln!("  | {line}"));
    assert!(status.success() && said.contains(" 1 passed"), "{test} failed where it ran apart");
    true
}

impl Apart {
    /// What goes before a command, so that it runs apart and may do what is needed.
    fn way(&self) -> Vec<String> {
        let path = std::env::var("PATH").unwrap_or_default();
        // Where `ip` lies, which not everybody looks for.
        let mut told = vec![format!("{APART}=1"), format!("PATH={path}:/usr/sbin:/sbin")];
        // What `sudo` would leave out.
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
