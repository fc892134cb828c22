//! Finds the messages of one segment that meet all conditions, one posting list after another.
//!
//! The filter (conversations, sender, kinds, time) and the complete words come first, by leaping
//! from list to list. Phrases and beginnings of words then look at the messages that are left. A
//! beginning is expanded term by term: one posting list is open at a time, so memory does not
//! depend on how many words begin so.

use std::collections::BTreeMap;
use std::ops::Range;

use tantivy::index::InvertedIndexReader;
use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::query::Weight;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use crate::candidates::EngineError;
use crate::typed::Phrase;
use base::bounds::work::{Spent, WorkBudget};

/// Steps that opening a posting list costs, in moves within one.
const STEPS_PER_LIST: u64 = 16;

/// One segment that is searched, with the work that the search may still cause.
pub(super) struct Matcher<'a> {
    reader: &'a SegmentReader,
    words: &'a InvertedIndexReader,
    budget: &'a mut WorkBudget,
}

/// Places in messages where a phrase may continue.
#[derive(Default)]
struct Continuations {
    /// For each message, its range of `positions`.
    ranges: Vec<Range<usize>>,
    /// Sorted within each range.
    positions: Vec<u32>,
}

impl<'a> Matcher<'a> {
    pub(super) const fn new(
        reader: &'a SegmentReader,
        words: &'a InvertedIndexReader,
        budget: &'a mut WorkBudget,
    ) -> Self {
        Self { reader, words, budget }
    }

    /// Returns the messages that the filter lets through and that have all phrases, in the order of
    /// the segment. `is_wanted` says which messages count at all.
    pub(super) fn matching(
        &mut self,
        filter: &dyn Weight,
        phrases: &[Phrase],
        is_wanted: impl Fn(DocId) -> bool,
    ) -> Result<Vec<DocId>, EngineError> {
        let Some(lists) = self.complete_words(phrases)? else { return Ok(Vec::new()) };
        let mut docs = self.filtered(filter, lists.values(), is_wanted)?;
        // Held until the next segment.
        let held = size_of_val(docs.as_slice());
        self.budget.hold(held)?;
        // Longer beginnings leave fewer messages for the shorter ones.
        let mut rest: Vec<&Phrase> =
            phrases.iter().filter(|phrase| phrase.is_open || phrase.words.len() > 1).collect();
        rest.sort_by_key(|phrase| {
            let last = phrase.words.last().map_or(0, String::len);
            (phrase.is_open, usize::MAX - last)
        });
        for phrase in rest {
            if docs.is_empty() {
                break;
            }
            self.keep_phrase(phrase, &lists, &mut docs)?;
        }
        self.budget.release(held);
        Ok(docs)
    }

    /// Returns the entries of all words that must occur as they are; `None` if one does not occur.
    fn complete_words<'p>(
        &mut self,
        phrases: &'p [Phrase],
    ) -> Result<Option<BTreeMap<&'p str, TermInfo>>, EngineError> {
        let mut found = BTreeMap::new();
        for word in phrases.iter().flat_map(Phrase::complete_words) {
            self.budget.term(STEPS_PER_LIST)?;
            let Some(entry) = self.words.terms().get(word)? else { return Ok(None) };
            found.insert(word.as_str(), entry);
        }
        Ok(Some(found))
    }

    /// Returns the messages that the filter lets through and that have all of these words.
    fn filtered<'t>(
        &mut self,
        filter: &dyn Weight,
        words: impl Iterator<Item = &'t TermInfo>,
        is_wanted: impl Fn(DocId) -> bool,
    ) -> Result<Vec<DocId>, EngineError> {
        let mut lists: Vec<Box<dyn DocSet>> = vec![Box::new(filter.scorer(self.reader, 1.0)?)];
        // The filter of several conversations has looked at all of their messages already.
        self.budget.spend(lists[0].size_hint().into())?;
        for entry in words {
            lists.push(Box::new(self.list(entry, IndexRecordOption::Basic)?));
        }
        lists.sort_by_key(|list| list.size_hint());
        let mut docs = Vec::new();
        let (leader, others) = lists.split_at_mut(1);
        let mut doc = leader[0].doc();
        let leader = &mut leader[0];
        while doc != TERMINATED {
            self.budget.spend(1)?;
            let mut furthest = doc;
            for other in others.iter_mut() {
                furthest = if other.doc() < doc { other.seek(doc) } else { other.doc() };
                if furthest > doc {
                    break;
                }
            }
            if furthest > doc {
                doc = if furthest == TERMINATED { TERMINATED } else { leader.seek(furthest) };
                continue;
            }
            if is_wanted(doc) {
                docs.push(doc);
            }
            doc = leader.advance();
        }
        Ok(docs)
    }

    fn list(
        &self,
        entry: &TermInfo,
        option: IndexRecordOption,
    ) -> Result<SegmentPostings, EngineError> {
        Ok(self.words.read_postings_from_terminfo(entry, option)?)
    }

    /// Keeps the messages that have a phrase.
    fn keep_phrase(
        &mut self,
        phrase: &Phrase,
        lists: &BTreeMap<&str, TermInfo>,
        docs: &mut Vec<DocId>,
    ) -> Result<(), EngineError> {
        let (Some(beginning), true) = (phrase.words.last(), phrase.is_open) else {
            self.continuations(&phrase.words, lists, docs)?;
            return Ok(());
        };
        if phrase.words.len() == 1 {
            return self.keep_beginning(beginning, None, docs);
        }
        let before = phrase.words.split_last().map_or(&[][..], |(_, before)| before);
        let places = self.continuations(before, lists, docs)?;
        let held = size_of_val(places.positions.as_slice()) + size_of_val(places.ranges.as_slice());
        self.budget.hold(held)?;
        self.keep_beginning(beginning, Some(&places), docs)?;
        self.budget.release(held);
        Ok(())
    }

    /// Keeps the messages that have these words in a row; returns the positions right after them.
    fn continuations(
        &mut self,
        words: &[String],
        lists: &BTreeMap<&str, TermInfo>,
        docs: &mut Vec<DocId>,
    ) -> Result<Continuations, EngineError> {
        let mut readers = BTreeMap::new();
        for word in words {
            if let Some(entry) = lists.get(word.as_str()) {
                let list = self.list(entry, IndexRecordOption::WithFreqsAndPositions)?;
                self.budget.spend(STEPS_PER_LIST)?;
                readers.insert(word.as_str(), (list, Vec::new()));
            }
        }
        let mut places = Continuations::default();
        let mut kept = Vec::new();
        let mut failure = None;
        for doc in docs.drain(..) {
            for (list, positions) in readers.values_mut() {
                seek(list, doc);
                list.positions(positions);
                if let Err(spent) = self.budget.spend(positions.len() as u64 + 1) {
                    failure = Some(spent);
                }
            }
            let start = places.positions.len();
            if let Err(spent) = self.add_ends(words, &readers, &mut places.positions) {
                failure = Some(spent);
            }
            if failure.is_some() {
                break;
            }
            if places.positions.len() > start {
                kept.push(doc);
                places.ranges.push(start..places.positions.len());
            }
        }
        *docs = kept;
        failure.map_or(Ok(places), |spent| Err(spent.into()))
    }

    /// Adds the positions right after each place of these words in one message.
    fn add_ends<L>(
        &mut self,
        words: &[String],
        readers: &BTreeMap<&str, (L, Vec<u32>)>,
        ends: &mut Vec<u32>,
    ) -> Result<(), Spent> {
        let positions = |word: &String| readers.get(word.as_str()).map(|(_, positions)| positions);
        let Some(first) = words.first().and_then(positions) else { return Ok(()) };
        let mut places: Vec<u32> = first.iter().map(|position| position + 1).collect();
        for word in &words[1..] {
            let Some(here) = positions(word) else { return Ok(()) };
            self.budget.spend((places.len() + here.len()) as u64)?;
            let mut here = here.iter().peekable();
            places.retain(|place| {
                while here.next_if(|position| **position < *place).is_some() {}
                here.peek() == Some(&place)
            });
            for place in &mut places {
                *place += 1;
            }
        }
        ends.extend(places);
        Ok(())
    }

    /// Keeps the messages that have a word with this beginning: at one of their places, if there
    /// are any.
    fn keep_beginning(
        &mut self,
        beginning: &str,
        places: Option<&Continuations>,
        docs: &mut Vec<DocId>,
    ) -> Result<(), EngineError> {
        let option = match places {
            Some(_) => IndexRecordOption::WithFreqsAndPositions,
            None => IndexRecordOption::Basic,
        };
        let mut is_found = vec![false; docs.len()];
        let mut missing = docs.len();
        let mut positions = Vec::new();
        let mut terms = self.words.terms().range().ge(beginning).into_stream()?;
        while missing > 0 && terms.advance() && terms.key().starts_with(beginning.as_bytes()) {
            self.budget.term(STEPS_PER_LIST)?;
            let mut list = self.list(terms.value(), option)?;
            let mut at = 0;
            while list.doc() != TERMINATED {
                self.budget.spend(1)?;
                at += docs[at..].partition_point(|doc| *doc < list.doc());
                let Some(doc) = docs.get(at) else { break };
                if *doc > list.doc() {
                    list.seek(*doc);
                    continue;
                }
                if !is_found[at] {
                    let is_there = match places {
                        None => true,
                        Some(places) => {
                            list.positions(&mut positions);
                            let wanted = &places.positions[places.ranges[at].clone()];
                            self.budget.spend((wanted.len() + positions.len()) as u64)?;
                            have_common(wanted, &positions)
                        }
                    };
                    is_found[at] = is_there;
                    missing -= usize::from(is_there);
                }
                list.advance();
            }
        }
        let mut is_found = is_found.into_iter();
        docs.retain(|_| is_found.next() == Some(true));
        Ok(())
    }
}

/// Moves a list to a message that it has.
fn seek(list: &mut SegmentPostings, doc: DocId) {
    if list.doc() < doc {
        list.seek(doc);
    }
}

/// Whether two sorted lists have an item in common.
fn have_common(some: &[u32], others: &[u32]) -> bool {
    let mut others = others.iter().peekable();
    some.iter().any(|one| {
        while others.next_if(|other| **other < *one).is_some() {}
        others.peek() == Some(&one)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use crate::candidates::{EngineError, EngineQuery, IndexedMessage};
    use crate::engine::{Engine, EngineWriter};
    use crate::typed::TypedSearch;
    use base::bounds::work::{Spent, WorkBudget, WorkLimits};

    const LIMIT: WorkLimits = WorkLimits {
        steps: 1_000_000,
        terms: 100_000,
        bytes: 1 << 20,
        time: Duration::from_secs(3600),
    };

    /// Messages in a folder that ends with the value; message `i` is in conversation `i % 2`.
    struct Indexed {
        engine: std::sync::Arc<Engine>,
        _folder: tempfile::TempDir,
    }

    impl Indexed {
        fn new(texts: &[String], of_commit: usize) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let (engine, _) = Engine::open(folder.path()).unwrap();
            let mut writer = EngineWriter::new(std::sync::Arc::clone(&engine)).unwrap();
            for (number, text) in texts.iter().enumerate() {
                let id = number as u64;
                let conversation = vec![u8::from(id % 2 == 1)];
                let sender = 1;
                let at = id;
                let has = Vec::new();
                let text = text.clone();
                writer
                    .add(IndexedMessage { id, conversation, version: 0, sender, at, has, text })
                    .unwrap();
                if number % of_commit == of_commit - 1 {
                    writer.commit("").unwrap();
                }
            }
            writer.commit("").unwrap();
            Self { engine, _folder: folder }
        }

        /// The ids that a search finds in conversations, newest first, and the work it took.
        fn finds(
            &self,
            typed: &str,
            conversations: &[u8],
            limit: WorkLimits,
        ) -> (Result<Vec<u64>, Spent>, WorkLimits) {
            let typed = TypedSearch::parse(typed.to_owned()).unwrap();
            let conversations = conversations.iter().map(|name| vec![*name]).collect();
            let wanted =
                EngineQuery { typed, conversations, sender: None, has: None, from: None, to: None };
            let mut budget = WorkBudget::new(limit);
            let found = match self.engine.newest(&wanted, u64::MAX, 1000, &mut budget) {
                Ok(hits) => Ok(hits.iter().map(|hit| hit.id).collect()),
                Err(EngineError::Spent(spent)) => Err(spent),
                Err(EngineError::Fault(fault)) => panic!("{fault}"),
            };
            let spent = WorkLimits {
                steps: budget.steps(),
                terms: budget.terms(),
                bytes: budget.bytes(),
                ..limit
            };
            (found, spent)
        }
    }

    /// 2,000 messages with 4,000 words that begin with `a`, half of them in conversation 1.
    fn many_words() -> Indexed {
        let text = |id| format!("a{id:04} go ab{id:04}");
        Indexed::new(&(0..2000).map(text).collect::<Vec<_>>(), 4000)
    }

    #[test]
    fn beginning_after_a_word_costs_no_more_than_its_terms() {
        let indexed = many_words();
        let (found, spent) = indexed.finds("\"go a*", &[0, 1], LIMIT);
        assert_eq!(found.unwrap().len(), 1000);
        assert!(spent.terms <= 4001, "{spent:?}");
        assert!(spent.steps < 40 * 4000, "{spent:?}");
        assert_eq!(spent.bytes, 0);
    }

    #[test]
    fn search_ends_at_each_limit() {
        let indexed = many_words();
        let wide = "a* ab* \"go a*";
        for limit in [
            WorkLimits { terms: 300, ..LIMIT },
            WorkLimits { steps: 3000, ..LIMIT },
            WorkLimits { bytes: 3000, ..LIMIT },
            WorkLimits { time: Duration::ZERO, ..LIMIT },
        ] {
            assert_eq!(indexed.finds(wide, &[0, 1], limit).0, Err(Spent), "{limit:?}");
        }
        assert_eq!(indexed.finds(wide, &[0, 1], LIMIT).0.unwrap().len(), 1000);
    }

    #[test]
    fn conversation_without_matches_costs_few_steps() {
        let indexed = many_words();
        let (found, spent) = indexed.finds("go a* ab* \"go ab*", &[7], LIMIT);
        assert_eq!(found.unwrap(), [0; 0]);
        assert!(spent.steps < 100 && spent.terms < 5, "{spent:?}");
    }

    #[test]
    fn repeated_words_of_a_phrase_count_as_steps() {
        let indexed = Indexed::new(&vec!["a ".repeat(500); 20], 50);
        let phrase = format!("\"{}\"", "a ".repeat(32));
        let (found, spent) = indexed.finds(&phrase, &[0, 1], LIMIT);
        assert_eq!(found.unwrap().len(), 20);
        assert!((20 * 500..20 * 500 * 70).contains(&spent.steps), "{spent:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn engine_finds_the_messages_that_have_highlights(
            texts in prop::collection::vec("[ab東京]{1,3}( [ab東京]{1,3}){0,5}", 1..40),
            searches in prop::collection::vec("\"?[ab東]{1,2}\\*?( [ab京]{1,2}\\*?){0,3}\"?", 12),
            of_commit in 1..30_usize,
        ) {
            let indexed = Indexed::new(&texts, of_commit);
            for typed in searches {
                let parsed = TypedSearch::parse(typed.clone()).unwrap();
                let has_all = |text: &str| parsed.phrases.iter().all(|phrase| {
                    let alone = TypedSearch { phrases: vec![phrase.clone()] };
                    !alone.places_in(text).is_empty()
                });
                for conversations in [&[0][..], &[0, 1]] {
                    let expected: Vec<u64> = (0..texts.len() as u64)
                        .rev()
                        .filter(|id| conversations.contains(&u8::from(id % 2 == 1)))
                        .filter(|id| has_all(&texts[usize::try_from(*id).unwrap()]))
                        .collect();
                    let (found, _) = indexed.finds(&typed, conversations, LIMIT);
                    prop_assert_eq!(found.unwrap(), expected, "{} in {:?}", typed, texts);
                }
            }
        }
    }
}
