//! The first start: who may make the first admin of an installation.
//!
//! While there is no admin, somebody who sees the log or the file `setup.code` may make one, and so
//! may a browser on the machine itself if the server can be reached from there alone.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, MutexGuard};

use crate::accounts::Accounts;
use base::random::random;
use base::secret_file;
use domain::ids::UserId;
use index::{Index, IndexFault};

/// The file with the code, in the data directory.
pub const CODE_FILE: &str = "setup.code";
/// The length of a code: 20 of 32 characters are 100 bits.
const CODE_CHARS: usize = 20;
/// Letters and digits that cannot be mistaken for each other.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// The first start of an installation.
#[derive(Debug)]
pub struct FirstStart {
    accounts: Accounts,
    path: PathBuf,
    code: Option<String>,
    /// Held from the look for an admin until the first one is made.
    turn: Mutex<()>,
    /// Whether the server can be reached from its own machine alone.
    pub is_local: bool,
}

/// Whether an installation waits for its first admin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupState {
    /// There is an admin.
    Over,
    /// There are accounts, and none is an admin's.
    WithoutAdmin,
    /// There is no account.
    Empty,
}

/// The code for the first admin in a data directory; `None` if there is none.
///
/// # Errors
/// If the file cannot be read.
pub fn code_in(data_dir: &Path) -> io::Result<Option<String>> {
    match secret_file::read(&data_dir.join(CODE_FILE)) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl FirstStart {
    /// Begins: writes a code if there is no admin, unless one is there from an earlier start, and
    /// removes it if there is an admin.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn begin(
        accounts: Accounts,
        index: &Index,
        data_dir: &Path,
        is_local: bool,
    ) -> Result<Self, IndexFault> {
        let path = data_dir.join(CODE_FILE);
        let code = index.operators()?.is_empty().then(|| kept_or_fresh(data_dir));
        let first = Self { accounts, path, code, turn: Mutex::default(), is_local };
        if first.code.is_none() {
            first.end();
        }
        Ok(first)
    }

    /// The code, if there was no operator at the start.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// Whether the installation waits for its first admin.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn state(&self) -> Result<SetupState, IndexFault> {
        if self.code.is_none() || !self.accounts.admins().await?.is_empty() {
            return Ok(SetupState::Over);
        }
        let first = self.accounts.users_after(UserId::new(0), 1).await?;
        Ok(if first.is_empty() { SetupState::Empty } else { SetupState::WithoutAdmin })
    }

    /// Waits until nobody else makes the first admin: of two who ask at once, one becomes it.
    pub async fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Whether a text is the code. The comparison of hashes takes the same time for every text.
    pub fn is_code(&self, typed: &str) -> bool {
        let hash = |text: &str| Sha256::digest(text.trim().as_bytes());
        self.code.as_deref().is_some_and(|code| hash(code) == hash(typed))
    }

    /// Removes the file with the code, once there is an admin.
    pub fn end(&self) {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(
                    %error, path = %self.path.display(),
                    "removing the code for the first admin failed; the code no longer works"
                );
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// The code of an earlier start, or a fresh one. A disk that cannot store it, such as a full one, stops
/// no server: the code is in the log.
fn kept_or_fresh(data_dir: &Path) -> String {
    let kept = code_in(data_dir).unwrap_or_default();
    if let Some(code) = kept.filter(|code| code.len() >= CODE_CHARS) {
        return code;
    }
    let bytes: [u8; CODE_CHARS] = random();
    let chars: Vec<char> =
        bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
    let parts: Vec<String> = chars.chunks(5).map(|part| part.iter().collect()).collect();
    let code = parts.join("-");
    let path = data_dir.join(CODE_FILE);
    if let Err(error) = secret_file::write(&path, format!("{code}\n").as_bytes()) {
        tracing::warn!(%error, path = %path.display(), "storing the code for the first admin failed");
    }
    code
}
