//! Installing the peers with npm, and starting one.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Peer;
use crate::process::server::{ServerProcess, StartError};

/// Why the peers could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(
        "peers are compared with Node.js and npm, and {0} is not on this machine (Debian: apt-get install nodejs npm)"
    )]
    Missing(&'static str),
    #[error("npm could not install {wanted} in {directory}: {said}")]
    Failed { wanted: String, directory: PathBuf, said: String },
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A directory with the packages and with our programs that use them.
#[derive(Debug)]
pub struct Installed {
    directory: PathBuf,
}

/// Our programs, which are written beside the packages.
const PROGRAMS: [(&str, &str); 3] = [
    ("message.mjs", include_str!("message.mjs")),
    ("socket.io.mjs", include_str!("socket_io.mjs")),
    ("faye.mjs", include_str!("faye.mjs")),
];

/// The file that npm writes when everything is installed.
const COMPLETE: &str = "node_modules/.package-lock.json";

impl Installed {
    /// Installs what is missing in a directory below `work_dir`; this may take a while and contacts
    /// the npm registry.
    ///
    /// # Errors
    /// If node or npm is missing, npm fails, or a file cannot be written.
    pub fn below(work_dir: &Path) -> Result<Self, InstallError> {
        for program in ["node", "npm"] {
            is_there(program)?;
        }
        let directory = work_dir.join("peers");
        std::fs::create_dir_all(&directory)?;
        for (name, program) in PROGRAMS {
            std::fs::write(directory.join(name), program)?;
        }
        let (wanted, file) = (package_json(), directory.join("package.json"));
        let is_same = std::fs::read_to_string(&file).is_ok_and(|there| there == wanted);
        if !is_same || !directory.join(COMPLETE).is_file() {
            std::fs::write(&file, wanted)?;
            fetch(&directory)?;
        }
        Ok(Self { directory })
    }

    /// Starts a peer on a free port of the loopback.
    ///
    /// # Errors
    /// If the peer does not start to listen.
    pub fn start(&self, peer: Peer) -> Result<ServerProcess, StartError> {
        let program = self.directory.join(format!("{}.mjs", peer.package()));
        ServerProcess::node(&program, &program.with_extension("log"))
    }
}

fn is_there(program: &'static str) -> Result<(), InstallError> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(InstallError::Missing(program)),
        tried => Ok(tried.map(drop)?),
    }
}

fn fetch(directory: &Path) -> Result<(), InstallError> {
    let mut npm = Command::new("npm");
    // No script of a package runs while it is installed.
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(directory)
        .stdin(Stdio::null());
    let output = npm.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', " | ");
    let wanted = Peer::ALL.map(|peer| format!("{}@{}", peer.package(), peer.version())).join(", ");
    Err(InstallError::Failed { wanted, directory: directory.to_owned(), said })
}

fn package_json() -> String {
    let versions = Peer::ALL.map(|peer| (peer.package().to_owned(), peer.version().into()));
    let dependencies: serde_json::Map<String, serde_json::Value> = versions.into_iter().collect();
    format!("{:#}\n", serde_json::json!({ "private": true, "dependencies": dependencies }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_exact() {
        let wanted: serde_json::Value = serde_json::from_str(&package_json()).unwrap();
        for peer in Peer::ALL {
            let version = wanted["dependencies"][peer.package()].as_str().unwrap();
            assert!(version.bytes().all(|it| it.is_ascii_digit() || it == b'.'), "{version}");
            assert!(PROGRAMS.iter().any(|(name, _)| *name == format!("{}.mjs", peer.package())));
        }
    }

    #[test]
    fn missing_tool_is_named() {
        let error = is_there("no-such-program").unwrap_err();
        assert!(error.to_string().contains("no-such-program is not on this machine"), "{error}");
    }
}
