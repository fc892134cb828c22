//! The engine: an inverted index in a folder, by tantivy. Only this file and its folder depend on
//! tantivy.
//!
//! It keeps words, positions and numbers, but no text. A message that is removed is marked first,
//! so that nobody finds it, and then its segment is rewritten without it ([`EngineWriter::tidy`]),
//! so that none of its words stays in a file. Nothing is synced: at the next start the files are
//! checked against their checksums, and rebuilt from the journal if a loss of power damaged them.

use std::cmp::Reverse;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use tantivy::columnar::{BytesColumn, ColumnValues};
use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::query::{BooleanQuery, EnableScoring, Query, RangeQuery, TermQuery, TermSetQuery};
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::{
    DocId, FutureResult, Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy,
    SegmentReader, TantivyDocument, TantivyError, Term,
};

use crate::bounds::work::WorkBudget;
use crate::search::candidates::{EngineError, EngineFault, EngineQuery, Hit, IndexedMessage};
use crate::search::engine::folder::UnsyncedFolder;
use crate::search::engine::matching::Matcher;
use crate::search::engine::tokenizer::WordTokenizer;
use crate::search::merging::{self, Reason, SegmentSize};
use crate::search::newest::Newest;

mod folder;
mod matching;
mod tokenizer;

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
        let (column, list) =
            (NumericOptions::default().set_fast(), NumericOptions::default().set_indexed());
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
            let (from, to) = (wanted.from.unwrap_or_default(), wanted.to.unwrap_or(u64::MAX));
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
        let Some((reason, next)) = merging::next(&sizes, self.last_reason) else {
            return Ok(Tidy::Done);
        };
        self.last_reason = Some(reason);
        let next: Vec<SegmentId> = next.into_iter().map(|place| segments[place].id()).collect();
        self.merging = Some(self.writer.merge(&next));
        Ok(Tidy::GoesOn)
    }
}
