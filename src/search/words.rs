//! The words of a text as they are searched for: without case and accents, each with its place.
//!
//! Words are those of Unicode's segmentation (UAX 29), split at punctuation too, so that
//! `example.com` is found by `example`. In scripts without spaces between words, every two
//! neighbouring characters are a word (`東京都` is `東京`, `京都` and a last `都`): so any part of such a
//! text is found as a phrase of its pairs.

use icu_normalizer::{DecomposingNormalizer, DecomposingNormalizerBorrowed};
use unicode_segmentation::UnicodeSegmentation;

/// Unicode's compatibility decomposition (NFKD), which splits characters into their parts.
const PARTS: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfkd();

/// How a word was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A whole word.
    Whole,
    /// Bigram neighbouring characters in a script without spaces.
    Bigram,
    /// The last character of a run in such a script.
    TrailingChar,
}

/// A word and where it is in the text. Its position among the words is its index in their list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word in lower case without accents.
    pub folded: String,
    /// How many Unicode scalar values precede it in the text.
    pub start: usize,
    /// Its length in the text, in Unicode scalar values.
    pub length: usize,
    /// How the word was made.
    pub kind: WordKind,
}

/// Returns the words of a text in their order.
pub fn words(text: &str) -> Vec<Word> {
    if text.is_ascii() { ascii_words(text) } else { unicode_words(text) }
}

fn ascii_words(text: &str) -> Vec<Word> {
    let words = AsciiWords::of(text).map(|(start, word)| Word {
        folded: word.to_ascii_lowercase(),
        start,
        length: word.len(),
        kind: WordKind::Whole,
    });
    words.collect()
}

/// The words of an ASCII text as they are written, each with its place: runs of letters and digits.
/// This takes a fraction of the work that other texts need, and most texts are ASCII.
#[derive(Debug, Clone, Copy)]
pub struct AsciiWords<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> AsciiWords<'a> {
    /// Iterates over the words of a text, which must be ASCII.
    pub const fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'a> Iterator for AsciiWords<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text.as_bytes()[self.at..];
        let start = self.at + rest.iter().position(u8::is_ascii_alphanumeric)?;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|it| !it.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at = start + length;
        Some((start, &self.text[start..self.at]))
    }
}

fn unicode_words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let (mut run, mut start, mut is_unspaced) = (String::new(), 0, false);
    let mut end = 0;
    for (at, letter) in text.chars().enumerate() {
        let belongs = has_no_spaces(letter) || (is_unspaced && is_mark(letter));
        if belongs != is_unspaced {
            add_run(&run, start, is_unspaced, &mut found);
            run.clear();
            (start, is_unspaced) = (at, belongs);
        }
        run.push(letter);
        end = at;
    }
    debug_assert!(start <= end, "a run begins before the text ends");
    add_run(&run, start, is_unspaced, &mut found);
    found
}

fn add_run(run: &str, start: usize, is_unspaced: bool, found: &mut Vec<Word>) {
    if is_unspaced { add_pairs(run, start, found) } else { add_words(run, start, found) }
}

/// Adds the words of a run in scripts with spaces.
fn add_words(run: &str, start: usize, found: &mut Vec<Word>) {
    let (mut seen, mut chars) = (0, start);
    for (at, word) in run.unicode_word_indices() {
        chars += run[seen..at].chars().count();
        seen = at;
        for part in word.split_inclusive(is_word_separator) {
            let length = part.chars().count();
            let bare = part.trim_end_matches(is_word_separator);
            let folded = fold(bare);
            if !folded.is_empty() {
                let length = bare.chars().count();
                found.push(Word { folded, start: chars, length, kind: WordKind::Whole });
            }
            chars += length;
            seen += part.len();
        }
    }
}

/// Adds every two neighbouring characters of a run, and the last one.
fn add_pairs(run: &str, start: usize, found: &mut Vec<Word>) {
    // Each character with the marks that follow it.
    let mut letters: Vec<(usize, usize, String)> = Vec::new();
    for (at, letter) in run.chars().enumerate() {
        match letters.last_mut() {
            Some((_, length, _)) if is_mark(letter) => *length += 1,
            Some(_) | None => letters.push((start + at, 1, fold(letter.encode_utf8(&mut [0; 4])))),
        }
    }
    for (index, (start, length, folded)) in letters.iter().enumerate() {
        found.push(match letters.get(index + 1) {
            Some((next, next_length, second)) => Word {
                folded: format!("{folded}{second}"),
                start: *start,
                length: next + next_length - start,
                kind: WordKind::Bigram,
            },
            None => Word {
                folded: folded.clone(),
                start: *start,
                length: *length,
                kind: WordKind::TrailingChar,
            },
        });
    }
}

/// Whether a character splits words here although Unicode's segmentation does not split there.
const fn is_word_separator(letter: char) -> bool {
    letter.is_ascii_punctuation() || matches!(letter, '’' | '·' | '：' | '․')
}

/// Folds a word: lower case, without accents.
pub fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    if word.chars().all(stays_whole) {
        return word.to_owned();
    }
    let mut folded = String::with_capacity(word.len());
    let small = word.chars().flat_map(char::to_lowercase);
    for letter in PARTS.normalize_iter(small).filter(|letter| !is_mark(*letter)) {
        match letter {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            other => folded.extend(other.to_lowercase()),
        }
    }
    folded
}

/// Whether a character is kept as it is, because its parts are letters rather than accents.
const fn stays_whole(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Whether a character is an accent or a point on a letter, which people omit when they search.
/// Vowel signs of Indian scripts count as letters.
const fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '\u{300}'..='\u{36f}'
            | '\u{483}'..='\u{487}'
            | '\u{591}'..='\u{5bd}'
            | '\u{5bf}'
            | '\u{5c1}'..='\u{5c2}'
            | '\u{640}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{200c}'..='\u{200d}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}

/// Whether words of this character's script are written without spaces, or are compounded so freely
/// that people search for their parts (Korean).
const fn has_no_spaces(letter: char) -> bool {
    matches!(
        letter,
        '\u{e01}'..='\u{e3a}' // Thai
            | '\u{e40}'..='\u{e4e}'
            | '\u{e81}'..='\u{ece}' // Lao
            | '\u{1000}'..='\u{1049}' // Burmese
            | '\u{1100}'..='\u{11ff}' // Korean
            | '\u{1780}'..='\u{17d3}' // Khmer
            | '\u{3005}'..='\u{3007}' // Chinese and Japanese
            | '\u{3041}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{30fc}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{20000}'..='\u{3134f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.folded).collect()
    }

    #[test]
    fn words_have_neither_case_nor_accents() {
        assert_eq!(folded("Crème BRÛLÉE, Straße!"), ["creme", "brulee", "strasse"]);
        assert_eq!(folded("Ærø Łódź İstanbul"), ["aero", "lodz", "istanbul"]);
        assert_eq!(folded("Ελλάς ἀρχή Ёлка"), ["ελλασ", "αρχη", "елка"]);
        assert_eq!(folded("e\u{301}te\u{301}"), ["ete"]);
        assert_eq!(folded("ﬁnal ＡＢＣ"), ["final", "abc"]);
    }

    #[test]
    fn words_are_parted_at_punctuation() {
        assert_eq!(
            folded("see example.com/a_b, l'été"),
            ["see", "example", "com", "a", "b", "l", "ete"]
        );
        assert_eq!(folded("?! … 🔥"), [""; 0]);
        assert_eq!(folded(""), [""; 0]);
    }

    #[test]
    fn scripts_without_spaces_are_parted_into_pairs() {
        assert_eq!(folded("東京都 ok"), ["東京", "京都", "都", "ok"]);
        assert_eq!(folded("iPhone手机"), ["iphone", "手机", "机"]);
        assert_eq!(folded("학교"), ["학교", "교"]);
        assert_eq!(folded("สวัสดี").len(), 6);
        assert_eq!(folded("हिन्दी"), ["हिन्दी"]);
        assert_eq!(folded("שָׁלוֹם مَرْحَبًا"), ["שלום", "مرحبا"]);
    }

    proptest::proptest! {
        #[test]
        fn the_short_way_through_ascii_finds_the_same(text in "[ -~\\n\\t]{0,60}") {
            proptest::prop_assert_eq!(ascii_words(&text), unicode_words(&text));
        }
    }

    #[test]
    fn places_are_counted_in_unicode_scalar_values() {
        let places: Vec<_> = words("🔥🔥 Café: 東京 e\u{301}a")
            .into_iter()
            .map(|word| (word.start, word.length, word.folded))
            .collect();
        let expected = [(3, 4, "cafe"), (9, 2, "東京"), (10, 1, "京"), (12, 3, "ea")];
        assert_eq!(places, expected.map(|(start, length, word)| (start, length, word.to_owned())));
    }
}
