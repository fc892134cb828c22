//! The limit of open files: thousands of sockets need more than the usual 1,024.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that a process has open besides its sockets.
const OTHERS: u64 = 200;

#[derive(Debug, thiserror::Error)]
pub enum OpenFilesError {
    #[error(
        "{sockets} sockets need {needed} open files, but this process may have {allowed} at most; raise the hard limit (ulimit -Hn) or ask for fewer sockets"
    )]
    TooFew { sockets: usize, needed: u64, allowed: u64 },
    #[error("cannot raise the limit of open files to {needed}: {source}")]
    Refused { needed: u64, source: rustix::io::Errno },
    #[error(
        "{sockets} sockets need {needed} open files, but the server may have {allowed}; start it with a higher limit (ulimit -n)"
    )]
    Server { sockets: usize, needed: u64, allowed: u64 },
}

/// Raises the soft limit of this process, and of those that it starts, if `sockets` need it.
pub fn allow(sockets: usize) -> Result<(), OpenFilesError> {
    let needed = needed(sockets);
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if let Some(allowed) = limit.maximum.filter(|maximum| *maximum < needed) {
        return Err(OpenFilesError::TooFew { sockets, needed, allowed });
    }
    let raised = Rlimit { current: limit.maximum.or(Some(needed)), maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(|source| OpenFilesError::Refused { needed, source })
}

/// Checks that a server that others started may open enough files for `sockets`.
pub fn check_server(sockets: usize, allowed: u64) -> Result<(), OpenFilesError> {
    match needed(sockets) {
        needed if needed <= allowed => Ok(()),
        needed => Err(OpenFilesError::Server { sockets, needed, allowed }),
    }
}

fn needed(sockets: usize) -> u64 {
    sockets as u64 + OTHERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_sockets_are_always_allowed() {
        allow(10).unwrap();
        check_server(10, 1024).unwrap();
    }

    #[test]
    fn too_few_descriptors_are_reported() {
        let error = check_server(10_000, 1024).unwrap_err().to_string();
        assert!(error.contains("10000 sockets need 10200 open files"), "{error}");
    }
}
