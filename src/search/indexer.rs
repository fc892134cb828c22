//! Indexes messages for search, from the journal into the engine's folder, on a thread of its own.
//!
//! It reads the journal as far as the index of rows has followed it, a stretch at a time, so its
//! use of memory is bounded. Each commit is marked with the position to continue from, the format's
//! version and the installation's history; a damaged or differently marked folder is rebuilt.

use std::fs;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use crate::candidates::{EngineFault, IndexedMessage};
use crate::engine::{Engine, EngineWriter, Tidy};
use crate::{Search, SearchFault, SearchShared, kind_number, name_of};
use base::space::Space;
use base::threads::cpu_throttle::{CpuThrottle, Deference, NICENESS};
use base::threads::{RunningThread, Threads};
use domain::event::Fact;
use domain::gallery::gallery_kinds;
use domain::ids::{Conversation, StreamId};
use domain::message::{Author, Message};
use domain::revision::RevisionKind;
use index::revisions::ShownText;
use journal::{Committed, Cursor, Follower, Scan};

/// The version of the folder's content and of how words are made; a folder of another version is
/// rebuilt.
const VERSION: u32 = 3;
/// How often it is checked whether background work is done.
const LOOK: Duration = Duration::from_millis(20);
/// How long indexing pauses after a fault.
const REST: Duration = Duration::from_secs(2);
/// Bytes of the journal that are read at once.
const STRETCH: usize = 1 << 20;
/// Bytes of the journal for one commit at most.
const COMMIT_BYTES: u64 = 64 << 20;
/// Bytes of the journal that may wait for a free core; with more, a search would wait too long.
const MOST_BEHIND: u64 = 256 << 20;
/// Leaves nearly the whole machine to others in a rush, since the words can be written after it.
const DEFERENCE: Deference = Deference { rest: 32, part: 60 };

/// The indexing thread. Dropping it stops the thread.
pub struct SearchIndexer {
    wake: SyncSender<()>,
    is_over: Arc<AtomicBool>,
    thread: Option<RunningThread>,
}

impl SearchIndexer {
    /// Starts the thread, which opens the folder and follows the journal from now on.
    ///
    /// # Errors
    /// If the operating system cannot start a thread.
    pub fn start(
        search: &Search,
        folder: PathBuf,
        history: u32,
        space: Space,
        threads: &Threads,
    ) -> io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let is_over = Arc::new(AtomicBool::new(false));
        let found = Arc::clone(&search.0);
        found.archive.journal.follow(Box::new(SearchFollower(wake.clone())));
        let worker = Worker {
            folder: Folder { path: folder, history },
            found,
            space,
            is_over: Arc::clone(&is_over),
            threads: threads.clone(),
        };
        let thread = threads.start("search", move || worker.run(&woken))?;
        Ok(Self { wake, is_over, thread: Some(thread) })
    }
}

impl Drop for SearchIndexer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // If the queue is full, a wake-up is already on its way.
        self.wake.try_send(()).ok();
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// Rebuilds the folder, on the calling thread. Returns how many messages are in it.
///
/// # Errors
/// If the folder cannot be written, or the journal or the index cannot be read.
pub fn rebuild(search: &Search, folder: PathBuf, history: u32) -> Result<u64, SearchFault> {
    let folder = Folder { path: folder, history };
    folder.remove()?;
    let mut writing = folder.open(&search.0)?;
    while writing.index_stretch(&search.0, &mut || true)? {}
    while writing.writer.tidy()? == Tidy::GoesOn {
        std::thread::sleep(LOOK);
    }
    Ok(search.0.engine().map_or(0, |engine| engine.messages()))
}

/// Wakes the thread whenever something became durable.
struct SearchFollower(SyncSender<()>);

impl Follower for SearchFollower {
    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {
        // If this fails, the thread is awake already, or over.
        self.0.try_send(()).ok();
    }
}

/// The engine's folder, and the history of the installation that it belongs to.
struct Folder {
    path: PathBuf,
    history: u32,
}

impl Folder {
    fn remove(&self) -> Result<(), EngineFault> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => Ok(done?),
        }
    }

    /// Opens the folder; rebuilds it if it cannot be used.
    fn open(&self, found: &SearchShared) -> Result<Writing, EngineFault> {
        let opened = Self::engine(&self.path);
        let end = found.archive.journal.end();
        let (engine, from) = match opened {
            Ok((engine, mark)) => match mark.map(|mark| self.read_mark(&mark)) {
                Some(Some(from)) if from <= end => (engine, from),
                None if engine.messages() == 0 => (engine, Cursor::START),
                Some(_) | None => self.rebuild("it is of another version or history")?,
            },
            Err(fault) => self.rebuild(&fault.to_string())?,
        };
        let writer = EngineWriter::new(Arc::clone(&engine))?;
        found.pace.reach(from);
        found.engine.send_replace(Some(Arc::clone(&engine)));
        let mark = self.mark();
        Ok(Writing { mark, engine, writer, from, committed: from, is_changed: false })
    }

    fn engine(path: &Path) -> Result<(Arc<Engine>, Option<String>), EngineFault> {
        fs::create_dir_all(path)?;
        Engine::open(path)
    }

    fn rebuild(&self, why: &str) -> Result<(Arc<Engine>, Cursor), EngineFault> {
        tracing::warn!(why, "the search index is unusable; rebuilding it");
        self.remove()?;
        Ok((Self::engine(&self.path)?.0, Cursor::START))
    }

    /// The prefix of the mark of a commit; the position follows.
    fn mark(&self) -> String {
        format!("{VERSION}:{:08x}:", self.history)
    }

    fn read_mark(&self, mark: &str) -> Option<Cursor> {
        let from = mark.strip_prefix(&self.mark())?;
        from.parse().ok().map(Cursor::new)
    }
}

struct Worker {
    folder: Folder,
    found: Arc<SearchShared>,
    space: Space,
    is_over: Arc<AtomicBool>,
    threads: Threads,
}

impl Worker {
    fn run(self, woken: &Receiver<()>) {
        self.threads.give_way(NICENESS);
        // Whether the last attempt got nowhere; after a second fault or panic the folder is blamed.
        let mut failed = false;
        while !self.is_over() {
            let mut got_on = false;
            let served = catch_unwind(AssertUnwindSafe(|| self.serve(woken, &mut got_on)));
            let panicked = |_| Err(SearchFault::Words("indexing panicked".to_owned()));
            let Err(fault) = served.unwrap_or_else(panicked) else { return };
            tracing::warn!(%fault, "indexing messages for search failed; retrying");
            self.found.engine.send_replace(None);
            let is_of_folder = matches!(fault, SearchFault::Words(_)) && failed && !got_on;
            if is_of_folder && !self.space.is_low() {
                self.make_anew();
            }
            failed = !got_on;
            self.wait(|rested| rested >= REST);
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Waits until the time waited is enough, or the thread is to stop.
    fn wait(&self, is_enough: impl Fn(Duration) -> bool) {
        let mut waited = Duration::ZERO;
        while !is_enough(waited) && !self.is_over() {
            self.threads.sleep(LOOK);
            waited += LOOK;
        }
    }

    /// Indexes what there is while the disk has room. Sets `got_on` when there is progress.
    fn catch_up(&self, writing: &mut Writing, got_on: &mut bool) -> Result<(), SearchFault> {
        let mut throttle = CpuThrottle::begin(&self.threads);
        let mut goes_on = || {
            self.rest_for_others(&throttle);
            throttle = CpuThrottle::begin(&self.threads);
            !self.is_over()
        };
        let began = writing.from;
        while !self.space.is_low() && writing.index_stretch(&self.found, &mut goes_on)? {
            *got_on = true;
        }
        *got_on |= writing.from > began;
        Ok(())
    }

    /// Rests if the work kept others from a core, unless somebody searches or it is far behind.
    fn rest_for_others(&self, throttle: &CpuThrottle) {
        let rest = throttle.rest(DEFERENCE);
        let end = self.found.archive.journal.end();
        let pace = &self.found.pace;
        let is_far = end.bytes_since(pace.reached()) > MOST_BEHIND;
        self.wait(|rested| rested >= rest || is_far || pace.somebody_searches());
    }

    fn make_anew(&self) {
        self.found.made_anew.fetch_add(1, Ordering::Relaxed);
        if let Err(fault) = self.folder.remove() {
            tracing::warn!(%fault, "removing the search index failed");
        }
    }

    /// Follows the journal; returns only when the thread is to stop, or with a fault.
    fn serve(&self, woken: &Receiver<()>, got_on: &mut bool) -> Result<(), SearchFault> {
        let mut writing = self.folder.open(&self.found)?;
        if writing.engine.damaged()? > 0 {
            self.found.engine.send_replace(None);
            drop(writing);
            tracing::warn!("the search index is damaged; rebuilding it");
            self.make_anew();
            writing = self.folder.open(&self.found)?;
        }
        self.catch_up(&mut writing, got_on)?;
        self.found.pace.written();
        let mut tidy = Tidy::GoesOn;
        loop {
            let is_behind = writing.from < self.found.archive.journal.end();
            if tidy == Tidy::GoesOn && !is_behind {
                self.threads.sleep(LOOK);
            } else if !is_behind {
                self.threads.receive(woken);
            }
            if self.found.is_damaged.swap(false, Ordering::Relaxed) {
                return Err(SearchFault::Words("a search found damage in its folder".to_owned()));
            }
            if self.is_over() {
                return Ok(());
            }
            let gathers = is_behind || woken.try_recv().is_ok() || tidy == Tidy::Done;
            if gathers {
                self.wait(|gathered| self.found.pace.is_time(gathered));
            }
            self.catch_up(&mut writing, got_on)?;
            if gathers {
                self.found.pace.written();
            }
            tidy = writing.writer.tidy()?;
        }
    }
}

/// The open folder with its writer.
struct Writing {
    mark: String,
    engine: Arc<Engine>,
    writer: EngineWriter,
    /// The position in the journal to continue from.
    from: Cursor,
    /// The position in the mark of the last commit.
    committed: Cursor,
    /// Whether messages were added or removed since that commit.
    is_changed: bool,
}

impl Writing {
    /// Indexes a stretch of the journal and commits it: up to where rows are there, and while
    /// `goes_on`, asked before each part, returns true. Returns whether there may be more.
    fn index_stretch(
        &mut self,
        found: &SearchShared,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, SearchFault> {
        let begin = self.from;
        let upto = found.archive.index.applied();
        let mut from = begin;
        let mut is_end = from > upto;
        while !is_end && from.bytes_since(begin) < COMMIT_BYTES && goes_on() {
            let Scan { commits, next } = found.archive.scan_past_damage(from, STRETCH)?;
            let ready = commits.iter().take_while(|commit| commit.cursor <= upto);
            for commit in ready.clone() {
                self.index(found, commit)?;
            }
            let unready = commits.get(ready.count());
            let is_stuck = next <= from;
            from = unready.map_or(next, |commit| commit.cursor);
            is_end = unready.is_some() || is_stuck || from > upto;
        }
        if from == begin {
            return Ok(false);
        }
        self.from = from;
        // Without a change the mark may stay behind: what would be read again has nothing to index.
        if self.is_changed || from.bytes_since(self.committed) >= COMMIT_BYTES {
            self.writer.commit(&format!("{}{}", self.mark, from.get()))?;
            (self.is_changed, self.committed) = (false, from);
        }
        found.pace.reach(from);
        Ok(!is_end)
    }

    fn index(&mut self, found: &SearchShared, commit: &Committed) -> Result<(), SearchFault> {
        let Some(conversation) = commit.stream.conversation() else { return Ok(()) };
        for entry in &commit.entries {
            self.take(found, conversation, &entry.event.fact)?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        found: &SearchShared,
        conversation: Conversation,
        fact: &Fact,
    ) -> Result<(), SearchFault> {
        let stream = StreamId::from(conversation);
        if let Some(message) = fact.message() {
            // A message deleted by now is never indexed; an edited one is indexed with its edit.
            if found.archive.index.shown_text(stream, message.id)? == ShownText::Posted {
                self.add(conversation, message, 0)?;
            }
        }
        let Some(revision) = fact.revision() else { return Ok(()) };
        match &revision.kind {
            RevisionKind::Edited { .. } | RevisionKind::Deleted { .. } => {
                self.writer.remove(revision.message.get());
                self.is_changed = true;
            }
            // The text stays the same.
            RevisionKind::Pinned | RevisionKind::Unpinned | RevisionKind::Previewed { .. } => {
                return Ok(());
            }
        }
        let shown = found.archive.index.shown_text(stream, revision.message)?;
        if let ShownText::Edited(at) = shown
            && let Some(now) = found.archive.message(stream, revision.message)?
        {
            self.add(conversation, &now.message, at.get())?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        conversation: Conversation,
        message: &Message,
        version: u64,
    ) -> Result<(), EngineFault> {
        let sender = match message.author {
            Author::Member(user) | Author::Bot(user) => user.get(),
            // System messages are not found: nobody wrote them.
            Author::System => return Ok(()),
        };
        self.is_changed = true;
        let text = message.text.as_deref().unwrap_or_default();
        let carried = gallery_kinds(Some(text), &message.attachments);
        self.writer.add(IndexedMessage {
            id: message.id.get(),
            conversation: name_of(conversation),
            version,
            sender,
            at: message.created_at(),
            has: carried.map(kind_number).collect(),
            text: text.to_owned(),
        })
    }
}
