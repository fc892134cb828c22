//! Nodes over one log: their journals, their directories, and the comparison of their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use coterie::domain::ids::StreamId;
use coterie::journal::file::JournalOptions;
use coterie::journal::replicated::log::SharedLog;
use coterie::journal::replicated::nats::NatsLog;
use coterie::journal::replicated::nats_options::NatsOptions;
use coterie::journal::replicated::nats_refusals::LogRefusal;
use coterie::journal::replicated::nats_servers::NatsServers as LogServers;
use coterie::journal::replicated::{NodeIdentity, NodeKey, ReplicatedJournal};
use coterie::journal::{Cursor, Journal, StreamHead};
use coterie::threads::Threads;

use crate::conformance::Hosted;
use crate::nats_server;
use crate::paper_log::PaperLog;
use crate::sample::scan_all;

/// The length of a segment in bytes; small, so that tests fill many.
pub(crate) const SMALL: u64 = 96 << 10;

/// A node's journal, in a directory that outlives it.
pub(crate) struct TestNode {
    pub(crate) journal: Arc<ReplicatedJournal>,
    pub(crate) path: PathBuf,
}

impl TestNode {
    /// The same with a key.
    pub(crate) fn opens_with(path: &Path, log: Arc<dyn SharedLog>, key: NodeKey) -> Self {
        let node = Self::tries_with(path, log, SMALL, None, key);
        node.journal.wait_until_current().unwrap();
        node
    }

    /// Opens the copy in this directory, and waits until it is current.
    pub(crate) fn opens(path: &Path, log: Arc<dyn SharedLog>, segment_bytes: u64) -> Self {
        let node = Self::tries(path, log, segment_bytes, None);
        node.journal.wait_until_current().unwrap();
        node
    }

    /// Opens the copy, and waits for nothing.
    pub(crate) fn tries(
        path: &Path,
        log: Arc<dyn SharedLog>,
        segment_bytes: u64,
        grew_from: Option<u64>,
    ) -> Self {
        Self::tries_with(path, log, segment_bytes, grew_from, NodeKey::Absent)
    }

    /// The same with a key.
    pub(crate) fn tries_with(
        path: &Path,
        log: Arc<dyn SharedLog>,
        segment_bytes: u64,
        grew_from: Option<u64>,
        key: NodeKey,
    ) -> Self {
        let who = NodeIdentity { run: fastrand::u64(..), grew_from, key };
        // Not compressed, so that files can be compared as they are written.
        let options = JournalOptions { segment_bytes, compress: false, ..Default::default() };
        let (journal, _) = ReplicatedJournal::open(path, log, who, options).unwrap();
        Self { journal: Arc::new(journal), path: path.to_owned() }
    }

    /// Takes over.
    pub(crate) fn leads(&self) {
        self.journal.take_over().blocking_recv().unwrap().unwrap();
    }

    /// The end of a stream in this node's copy.
    pub(crate) fn head(&self, stream: StreamId) -> StreamHead {
        let all = scan_all(&*self.journal, 1 << 20);
        let newest = all.iter().rev().find(|commit| commit.stream == stream);
        newest.map(|commit| commit.after).unwrap_or_default()
    }

    /// Waits until the node's copy reaches this position.
    pub(crate) fn reaches(&self, end: Cursor) {
        for _ in 0..60_000 {
            if self.journal.end() >= end {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("{:?} of {end:?}", self.journal.end());
    }

    /// Closes the journal, and returns its files up to the end of its records.
    pub(crate) fn files(self) -> Vec<(String, Vec<u8>)> {
        self.journal.finish();
        files(&self.path, self.journal.end())
    }
}

/// The segments of a directory that hold something before this position.
pub(crate) fn files(path: &Path, end: Cursor) -> Vec<(String, Vec<u8>)> {
    let names = fs::read_dir(path).unwrap().map(|it| it.unwrap().file_name());
    let mut names: Vec<String> = names.map(|it| it.into_string().unwrap()).collect();
    names.retain(|name| {
        let base = u64::from_str_radix(&name[..16], 16).unwrap();
        Cursor::START.further(base) < end
    });
    names.sort();
    names.into_iter().map(|name| (name.clone(), fs::read(path.join(name)).unwrap())).collect()
}

/// Checks that nodes hold the same files, byte for byte.
#[track_caller]
pub(crate) fn assert_same_files(nodes: Vec<TestNode>) {
    let mut nodes = nodes.into_iter().map(TestNode::files);
    let first = nodes.next().unwrap();
    for other in nodes {
        let names = |of: &[(String, Vec<u8>)]| of.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&first), names(&other));
        for ((name, left), (_, right)) in first.iter().zip(&other) {
            let differ = left.iter().zip(right).position(|(left, right)| left != right);
            assert_eq!((left.len(), differ), (right.len(), None), "{name}");
        }
    }
}

fn alone(log: Arc<dyn SharedLog>, segment_bytes: u64) -> Hosted {
    let directory = tempfile::tempdir().unwrap();
    let node = TestNode::opens(&directory.path().join("journal"), log, segment_bytes);
    node.leads();
    Hosted { journal: node.journal, _directory: Some(directory) }
}

/// One node that owns everything, over a log in memory.
pub(crate) fn alone_on_paper() -> Hosted {
    alone(PaperLog::default().handle(), 64 << 20)
}

/// The same, in many segments.
pub(crate) fn alone_in_small_segments() -> Hosted {
    alone(PaperLog::default().handle(), SMALL)
}

/// One node that owns everything, over a stream of its own on a real server.
pub(crate) fn alone_on_nats() -> Hosted {
    alone(on_nats(&nats_server::shared(), &fresh_name(), 1), 64 << 20)
}

/// A name that no other test of this process has.
pub(crate) fn fresh_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("T{}", COUNT.fetch_add(1, Ordering::SeqCst))
}

/// Opens the log of this name on these servers.
pub(crate) fn on_nats(servers: &str, name: &str, replicas: usize) -> Arc<NatsLog> {
    Arc::new(try_nats(servers, name, replicas).unwrap())
}

/// The same; fails if the log refuses these servers.
pub(crate) fn try_nats(servers: &str, name: &str, replicas: usize) -> Result<NatsLog, LogRefusal> {
    let options = NatsOptions {
        stream: name.to_owned(),
        prefix: format!("log.{name}"),
        replicas,
        ..NatsOptions::on(LogServers::parse(servers, None)?, "test")
    };
    NatsLog::connect(options, &Threads::System)
}
