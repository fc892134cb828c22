//! Parses a typed search into phrases, all of which must occur, and finds them in a text.

use crate::words::{Word, WordKind, words};
use domain::limits::{SEARCH_CHARS, SEARCH_WORDS};

/// Words that follow each other in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// The folded words, at least one.
    pub words: Vec<String>,
    /// Whether the last word may be the beginning of a longer one.
    pub is_open: bool,
}

/// Search terms that a user typed; all phrases must occur.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedSearch {
    /// The phrases in the order in which they were typed.
    pub phrases: Vec<Phrase>,
}

/// Why the typed text cannot be searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TypedSearchError {
    /// It contains no word.
    #[error("has no word to search for")]
    NoWord,
    /// It is too long.
    #[error("must have at most {SEARCH_CHARS} characters")]
    TooLong,
    /// It has too many words.
    #[error("must have at most {SEARCH_WORDS} words")]
    TooManyWords,
}

/// A place in a text: its start and its length, in Unicode scalar values.
pub type Place = (usize, usize);

impl TypedSearch {
    /// Parses what a user typed: words, `"phrases in quotes"`, and `beginnings*`.
    ///
    /// # Errors
    /// If there is no word, or too much text.
    pub fn parse(typed: String) -> Result<Self, TypedSearchError> {
        if typed.chars().count() > SEARCH_CHARS {
            return Err(TypedSearchError::TooLong);
        }
        let mut phrases = Vec::new();
        // A quote that is not closed extends to the end.
        for (index, part) in typed.split(['"', '＂', '“', '”', '„', '«', '»']).enumerate()
        {
            if index % 2 == 1 {
                phrases.extend(Phrase::of(part));
            } else {
                phrases.extend(part.split_whitespace().filter_map(Phrase::of));
            }
        }
        match phrases.iter().map(|phrase| phrase.words.len()).sum::<usize>() {
            0 => Err(TypedSearchError::NoWord),
            words if words > SEARCH_WORDS => Err(TypedSearchError::TooManyWords),
            _ => Ok(Self { phrases }),
        }
    }

    /// Returns where the phrases are in a text, in the text's order; overlapping places are joined.
    pub fn places_in(&self, text: &str) -> Vec<Place> {
        let words = words(text);
        let mut places: Vec<Place> =
            self.phrases.iter().flat_map(|phrase| phrase.places_in(&words)).collect();
        places.sort_unstable();
        let mut joined: Vec<Place> = Vec::with_capacity(places.len());
        for (start, length) in places {
            match joined.last_mut() {
                Some((known, taken)) if start < *known + *taken => {
                    *taken = (*taken).max(start + length - *known);
                }
                Some(_) | None => joined.push((start, length)),
            }
        }
        joined
    }
}

impl Phrase {
    /// Parses a text as one phrase; `None` if it has no words.
    fn of(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        let mut is_open = typed.ends_with(['*', '＊']);
        let mut words = words(typed);
        if words.last()?.kind == WordKind::TrailingChar {
            // In the searched text, more characters may follow.
            let before = words.len().checked_sub(2).map(|before| words[before].kind);
            let goes_on = matches!(before, Some(WordKind::Bigram { .. }));
            if goes_on {
                words.pop();
            } else {
                is_open = true;
            }
        }
        Some(Self { words: words.into_iter().map(|word| word.folded).collect(), is_open })
    }

    /// The words that must occur as they are: all, or all but the last one.
    pub fn complete_words(&self) -> impl Iterator<Item = &String> {
        self.words.iter().take(self.words.len() - usize::from(self.is_open))
    }

    fn places_in<'a>(&'a self, text: &'a [Word]) -> impl Iterator<Item = Place> + 'a {
        let found = text.windows(self.words.len()).filter(|found| self.is_at(found));
        found.map(|found| {
            let first = &found[0];
            let last = &found[found.len() - 1];
            let wanted = self.words.last().map_or(0, |word| word.chars().count());
            // Of a pair, only the character that was searched for is marked.
            let length = match last.kind {
                WordKind::Bigram { first } if wanted == 1 => first,
                WordKind::Bigram { .. } | WordKind::Whole | WordKind::TrailingChar => last.length,
            };
            (first.start, last.start + length - first.start)
        })
    }

    fn is_at(&self, found: &[Word]) -> bool {
        let last = found.len() - 1;
        found.iter().zip(&self.words).enumerate().all(|(index, (word, wanted))| {
            let is_open = self.is_open && index == last;
            if is_open { word.folded.starts_with(wanted) } else { word.folded == *wanted }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(typed: &str) -> TypedSearch {
        TypedSearch::parse(typed.to_owned()).unwrap()
    }

    fn places(typed: &str, text: &str) -> Vec<Place> {
        asked(typed).places_in(text)
    }

    #[test]
    fn words_phrases_and_beginnings_are_read() {
        let phrase = |words: &[&str], is_open| Phrase {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            is_open,
        };
        let expected = [
            phrase(&["rope"], false),
            phrase(&["at", "six"], false),
            phrase(&["tor"], true),
            phrase(&["example", "com"], false),
        ];
        assert_eq!(asked("Rope \"at  SIX\" tor* example.com").phrases, expected);
        assert_eq!(asked("\"left open").phrases, [phrase(&["left", "open"], false)]);
        assert_eq!(asked("東京都").phrases, [phrase(&["東京", "京都"], false)]);
        assert_eq!(asked("都").phrases, [phrase(&["都"], true)]);
    }

    #[test]
    fn nothing_and_too_much_cannot_be_looked_for() {
        for nothing in ["", " ", "*", "\"\"", "?!", "\u{200b}"] {
            assert_eq!(
                TypedSearch::parse(nothing.to_owned()),
                Err(TypedSearchError::NoWord),
                "{nothing}"
            );
        }
        let long = "é".repeat(SEARCH_CHARS + 1);
        assert_eq!(TypedSearch::parse(long), Err(TypedSearchError::TooLong));
        let many = "a ".repeat(SEARCH_WORDS + 1);
        assert_eq!(TypedSearch::parse(many), Err(TypedSearchError::TooManyWords));
    }

    #[test]
    fn matches_are_marked_in_the_text() {
        assert_eq!(places("rope", "The ROPE, the rôpe"), [(4, 4), (14, 4)]);
        assert_eq!(places("\"at six\"", "at five, at six"), [(9, 6)]);
        assert_eq!(places("to*", "🔥 Tomorrow, today"), [(2, 8), (12, 5)]);
        assert_eq!(places("東京", "在東京都"), [(1, 2)]);
        assert_eq!(places("京", "東京都"), [(1, 1)]);
        assert_eq!(places("\"a b\" \"b c\"", "a b c"), [(0, 5)]);
    }
}
