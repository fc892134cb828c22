//! The engine: an inverted index in a folder, by tantivy. Only this file and its folder depend on
//! tantivy.
//!
//! It keeps words, positions and numbers, but no text. A message that is removed is marked first,
//! so that nobody finds it, and then its segment is rewritten without it ([`EngineWriter::tidy`]),
//! so that none of its words stays in a file. Nothing is synced: at the next start the files are
//! checked against their checksums, and rebuilt from the journal if a loss of power damaged them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use tantivy::columnar::{BytesColumn, ColumnValues};
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};
use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::query::{BooleanQuery, EnableScoring, Query, RangeQuery, TermQuery, TermSetQuery};
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::tokenizer::{PreTokenizedStream, PreTokenizedString, Token, TokenStream, Tokenizer};
use tantivy::{
    Directory, DocId, FutureResult, Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy,
    SegmentReader, TantivyDocument, TantivyError, Term,
};

use crate::candidates::{EngineError, EngineFault, EngineQuery, Hit, IndexedMessage};
use crate::engine::query::Matcher;
use crate::merge_policy::{self, Reason, SegmentSize};
use crate::words::{AsciiWords, words};
use base::bounds::work::WorkBudget;

mod query;

/// Bytes of memory for messages that are not in a segment yet: the minimum that tantivy accepts.
const MEMORY: usize = 15_000_000;
/// The name under which our tokenizer is recorded in the folder.
const TOKENIZER: &str = "coterie";

impl From<TantivyError> for EngineFault {
    fn from(error: TantivyError) -> Self {
        Self(error.to_string())
    }
}

#[derive(Debug, Clone, Copy)]
struct EngineFields {
    id: Field,
    conversation: Field,
    version: Field,
    sender: Field,
    at: Field,
    has: Field,
    words: Field,
}

impl EngineFields {
    fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let column = NumericOptions::default().set_fast();
        let list = NumericOptions::default().set_indexed();
        let words = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let fields = Self {
            id: schema.add_u64_field("id", column.clone().set_indexed()),
            conversation: schema
                .add_bytes_field("conversation", BytesOptions::default().set_indexed().set_fast()),
            version: schema.add_u64_field("version", column.clone()),
            sender: schema.add_u64_field("sender", list.clone()),
            at: schema.add_u64_field("at", column),
            has: schema.add_u64_field("has", list),
            words: schema
                .add_text_field("words", TextOptions::default().set_indexing_options(words)),
        };
        (schema.build(), fields)
    }
}

/// The index that searches read, shared by all of them.
pub(super) struct Engine {
    index: Index,
    reader: IndexReader,
    fields: EngineFields,
}

/// Writes to the index; there is one writer.
pub(super) struct EngineWriter {
    engine: Arc<Engine>,
    writer: IndexWriter,
    merging: Option<FutureResult<Option<SegmentMeta>>>,
    /// The reason of the last merge.
    last_reason: Option<Reason>,
}

/// Whether there is more to tidy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tidy {
    /// There is nothing to tidy.
    Done,
    /// A merge runs in the background.
    GoesOn,
}

/// A segment that is being searched.
struct Segment<'a> {
    reader: &'a SegmentReader,
    ids: Arc<dyn ColumnValues<u64>>,
    newest: u64,
}

impl Engine {
    /// Opens the index in an existing folder, or creates it. Also returns the mark of its last
    /// commit.
    pub(super) fn open(folder: &Path) -> Result<(Arc<Self>, Option<String>), EngineFault> {
        let (schema, fields) = EngineFields::schema();
        let settings = IndexSettings {
            docstore_compression: Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let directory = UnsyncedFolder::open(folder)?;
        let index = Index::builder().schema(schema).settings(settings).open_or_create(directory)?;
        index.tokenizers().register(TOKENIZER, WordTokenizer);
        let mark = index.load_metas()?.payload;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok((Arc::new(Self { index, reader, fields }), mark))
    }

    /// Counts the files whose content does not match their checksums. Reads all files.
    pub(super) fn damaged(&self) -> Result<usize, EngineFault> {
        Ok(self.index.validate_checksum()?.len())
    }

    /// How many messages can be found.
    pub(super) fn messages(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Returns the newest messages that meet all conditions and have an id below `before`: at most
    /// `most`, newest first.
    ///
    /// # Errors
    /// If the folder cannot be read, or the budget does not suffice.
    pub(super) fn newest(
        &self,
        wanted: &EngineQuery,
        before: u64,
        most: usize,
        budget: &mut WorkBudget,
    ) -> Result<Vec<Hit>, EngineError> {
        let searcher = self.reader.searcher();
        budget.spend(wanted.conversations.len() as u64)?;
        let scoring = EnableScoring::disabled_from_searcher(&searcher);
        let filter = self.filter(wanted).weight(scoring)?;
        let mut segments = Vec::new();
        for reader in searcher.segment_readers() {
            let ids = reader.fast_fields().column_first_or_default::<u64>("id")?;
            segments.push(Segment { reader, newest: ids.max_value(), ids });
        }
        segments.sort_by_key(|segment| Reverse(segment.newest));
        let mut newest = Newest::new(most);
        for (place, Segment { reader, ids, newest: highest }) in segments.iter().enumerate() {
            if !newest.wants(*highest) {
                break;
            }
            let alive = reader.alive_bitset();
            let is_wanted =
                |doc| alive.is_none_or(|alive| alive.is_alive(doc)) && ids.get_val(doc) < before;
            let words = reader.inverted_index(self.fields.words)?;
            let mut matcher = Matcher::new(reader, &words, budget);
            for doc in matcher.matching(&*filter, &wanted.typed.phrases, is_wanted)? {
                newest.take(ids.get_val(doc), (place, doc));
            }
        }
        let hits = newest.into_sorted();
        Ok(hits
            .map(|(id, (place, doc))| hit(id, &segments[place], doc))
            .collect::<Result<_, _>>()?)
    }

    /// Everything that a hit must meet apart from its words.
    fn filter(&self, wanted: &EngineQuery) -> BooleanQuery {
        let fields = &self.fields;
        let mut conversations =
            wanted.conversations.iter().map(|it| Term::from_field_bytes(fields.conversation, it));
        let mut all: Vec<Box<dyn Query>> =
            vec![match (conversations.next(), wanted.conversations.len()) {
                (Some(only), 1) => Box::new(TermQuery::new(only, IndexRecordOption::Basic)),
                (first, _) => Box::new(TermSetQuery::new(first.into_iter().chain(conversations))),
            }];
        for (field, value) in [(fields.sender, wanted.sender), (fields.has, wanted.has)] {
            let term = value.map(|value| Term::from_field_u64(field, value));
            all.extend(term.map(|term| -> Box<dyn Query> {
                Box::new(TermQuery::new(term, IndexRecordOption::Basic))
            }));
        }
        if wanted.from.is_some() || wanted.to.is_some() {
            let bound = |seconds| Bound::Included(Term::from_field_u64(fields.at, seconds));
            let from = wanted.from.unwrap_or_default();
            let to = wanted.to.unwrap_or(u64::MAX);
            all.push(Box::new(RangeQuery::new(bound(from), bound(to))));
        }
        BooleanQuery::intersection(all)
    }
}

fn hit(id: u64, segment: &Segment<'_>, doc: DocId) -> Result<Hit, EngineFault> {
    let columns = segment.reader.fast_fields();
    let version = columns.column_first_or_default::<u64>("version")?.get_val(doc);
    let mut conversation = Vec::new();
    let names: Option<BytesColumn> = columns.bytes("conversation")?;
    if let Some(names) = names {
        let place = names.ords().first(doc).unwrap_or(u64::MAX);
        names.ord_to_bytes(place, &mut conversation)?;
    }
    Ok(Hit { id, conversation, version })
}

impl EngineWriter {
    /// Starts the writer. Its threads inherit the priority of the calling thread.
    pub(super) fn new(engine: Arc<Engine>) -> Result<Self, EngineFault> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(MEMORY)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer = engine.index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self { engine, writer, merging: None, last_reason: None })
    }

    /// Adds a message with the next commit.
    pub(super) fn add(&self, message: IndexedMessage) -> Result<(), EngineFault> {
        let fields = &self.engine.fields;
        let mut document = TantivyDocument::new();
        document.add_u64(fields.id, message.id);
        document.add_bytes(fields.conversation, &message.conversation);
        document.add_u64(fields.version, message.version);
        document.add_u64(fields.sender, message.sender);
        document.add_u64(fields.at, message.at);
        for has in message.has {
            document.add_u64(fields.has, has);
        }
        document.add_text(fields.words, &message.text);
        self.writer.add_document(document)?;
        Ok(())
    }

    /// Removes a message with the next commit, if it was added before.
    pub(super) fn remove(&self, id: u64) {
        self.writer.delete_term(Term::from_field_u64(self.engine.fields.id, id));
    }

    /// Commits: from now on searches find what was added, and no longer what was removed.
    /// [`Engine::open`] returns the mark of the last commit.
    pub(super) fn commit(&mut self, mark: &str) -> Result<(), EngineFault> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(mark);
        commit.commit()?;
        self.engine.reader.reload()?;
        Ok(())
    }

    /// Rewrites segments that hold removed messages, and merges many segments into few; in the
    /// background, one merge after another. To be called again until it returns [`Tidy::Done`].
    pub(super) fn tidy(&mut self) -> Result<Tidy, EngineFault> {
        if let Some(merging) = &mut self.merging {
            let Some(merged) = merging.now_or_never() else { return Ok(Tidy::GoesOn) };
            self.merging = None;
            merged?;
            self.engine.reader.reload()?;
            self.writer.garbage_collect_files().wait()?;
        }
        let segments = self.engine.index.searchable_segment_metas()?;
        let size = |segment: &SegmentMeta| SegmentSize {
            messages: segment.max_doc(),
            has_removed: segment.has_deletes(),
        };
        let sizes: Vec<SegmentSize> = segments.iter().map(size).collect();
        let Some((reason, next)) = merge_policy::next(&sizes, self.last_reason) else {
            return Ok(Tidy::Done);
        };
        self.last_reason = Some(reason);
        let next: Vec<SegmentId> = next.into_iter().map(|place| segments[place].id()).collect();
        self.merging = Some(self.writer.merge(&next));
        Ok(Tidy::GoesOn)
    }
}

/// A folder whose files are never synced: their content can be rebuilt, and the journal's own
/// syncs would have to wait for theirs.
#[derive(Debug, Clone)]
struct UnsyncedFolder {
    path: PathBuf,
    files: MmapDirectory,
}

impl UnsyncedFolder {
    /// Opens a folder that exists.
    fn open(folder: &Path) -> Result<Self, TantivyError> {
        Ok(Self { path: folder.to_owned(), files: MmapDirectory::open(folder)? })
    }
}

impl Directory for UnsyncedFolder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = File::create_new(self.path.join(path));
        let file = file.map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        Ok(BufWriter::new(Box::new(UnsyncedFile(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let path = self.path.join(path);
        let draft = path.with_extension("new");
        fs::write(&draft, bytes)?;
        fs::rename(draft, path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

struct UnsyncedFile(File);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

/// Passes [`words`] to the engine, each with its position.
#[derive(Clone)]
struct WordTokenizer;

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        if text.is_ascii() {
            return WordStream::Ascii { words: AsciiWords::of(text), token: Token::default() };
        }
        let tokens = words(text).into_iter().enumerate().map(|(position, word)| Token {
            position,
            text: word.folded,
            ..Token::default()
        });
        let tokens = tokens.collect();
        WordStream::Parted(PreTokenizedString { text: String::new(), tokens }.into())
    }
}

/// The words of a text as the engine takes them.
enum WordStream<'a> {
    /// Split while the engine takes them, all in one buffer: allocating each word would be a tenth
    /// of the cost of indexing a message.
    Ascii { words: AsciiWords<'a>, token: Token },
    /// Split in advance.
    Parted(PreTokenizedStream),
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        match self {
            Self::Ascii { words, token } => {
                let Some((_, word)) = words.next() else { return false };
                // The first word is at position 0; the default position is the one before it.
                token.position = token.position.wrapping_add(1);
                token.text.clear();
                token.text.push_str(word);
                token.text.make_ascii_lowercase();
                true
            }
            Self::Parted(words) => words.advance(),
        }
    }

    fn token(&self) -> &Token {
        match self {
            Self::Ascii { token, .. } => token,
            Self::Parted(words) => words.token(),
        }
    }

    fn token_mut(&mut self) -> &mut Token {
        match self {
            Self::Ascii { token, .. } => token,
            Self::Parted(words) => words.token_mut(),
        }
    }
}

/// Keeps up to `most` items, those with the highest numbers.
#[derive(Debug)]
pub(super) struct Newest<T> {
    most: usize,
    kept: BinaryHeap<Reverse<(u64, T)>>,
}

impl<T: Ord> Newest<T> {
    /// Starts empty.
    pub(super) const fn new(most: usize) -> Self {
        Self { most, kept: BinaryHeap::new() }
    }

    /// Whether an item with this number would be kept.
    pub(super) fn wants(&self, number: u64) -> bool {
        let is_newer = |Reverse((lowest, _)): &Reverse<(u64, T)>| *lowest < number;
        self.kept.len() < self.most || self.kept.peek().is_some_and(is_newer)
    }

    /// Adds an item if it is wanted; drops the one with the lowest number if there are too many.
    pub(super) fn take(&mut self, number: u64, one: T) {
        if self.wants(number) {
            self.kept.push(Reverse((number, one)));
            if self.kept.len() > self.most {
                self.kept.pop();
            }
        }
    }

    /// Returns the items that were kept, the highest number first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (u64, T)> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(one)| one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_are_kept_in_order() {
        let mut newest = Newest::new(3);
        for number in [4, 9, 1, 7, 8, 2] {
            newest.take(number, ());
        }
        assert!(newest.wants(8) && !newest.wants(7));
        let kept: Vec<u64> = newest.into_sorted().map(|(number, ())| number).collect();
        assert_eq!(kept, [9, 8, 7]);
        assert!(!Newest::<()>::new(0).wants(1));
    }
}
