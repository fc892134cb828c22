//! The key of a node, and what it knows of the codes in the log.

use crate::JournalFault;
use crate::replicated::NodeKey;
use crate::replicated::copy::stopped;
use crate::replicated::key::InstallationKey;
use crate::replicated::message::{has_code, is_under};

/// The advice for a node without the right key.
const COPY_THE_KEY: &str = "copy the file installation.key from the data directory of another node \
                            of this installation to the data directory here, or to the path in \
                            --cluster-key-file";

/// The state of a node that decides about codes.
#[derive(Debug)]
pub(super) struct KeyState {
    pub(super) key: Option<InstallationKey>,
    /// Whether the key was made for this run.
    pub(super) is_new: bool,
    /// Whether a message of the log is valid under the key.
    pub(super) is_proven: bool,
    /// Whether every message needs a code from here on.
    pub(super) are_required: bool,
    /// Whether this node begins to write codes.
    pub(super) are_wanted: bool,
    /// The number of the newest message in the copy when it was opened.
    newest: u64,
}

impl KeyState {
    /// Begins with a copy whose newest message has this number.
    pub(super) fn of(key: NodeKey, newest: u64) -> Self {
        let (key, is_new) = match key {
            NodeKey::Absent => (None, false),
            NodeKey::Given(key) => (Some(key), false),
            NodeKey::New(key) => (Some(key), true),
        };
        let is_proven = key.is_some_and(|key| is_under(newest, &key));
        let are_required = has_code(newest);
        let are_wanted = false;
        Self { key, is_new, is_proven, are_required, are_wanted, newest }
    }

    /// Forgets a key that was made for this run, if the log was founded without it.
    pub(super) fn drop_new_key(&mut self) {
        if self.is_new && !self.are_required {
            self.key = None;
        }
    }

    /// Refuses a copy whose newest message was written under another key.
    pub(super) fn check_copy(&self) -> Result<(), JournalFault> {
        match (has_code(self.newest), self.key) {
            (true, None) => Err(no_key()),
            (true, Some(_)) if !self.is_proven => Err(self.other_key()),
            _ => Ok(()),
        }
    }

    /// The fault of a node whose key is not the log's.
    pub(super) fn other_key(&self) -> JournalFault {
        if self.is_new {
            return no_key();
        }
        let reason = format!(
            "the messages of the log were written under another key than the one of this node: \
             {COPY_THE_KEY}"
        );
        stopped("join", &reason)
    }
}

/// The fault of a node without the key of the log.
pub(super) fn no_key() -> JournalFault {
    let reason =
        format!("the log belongs to an installation whose key is not here: {COPY_THE_KEY}");
    stopped("join", &reason)
}
