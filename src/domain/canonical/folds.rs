//! Folding of text for search: texts that differ only in case, accents, width, composition,
//! invisible characters or the shape of digits and letters fold to the same letters.
//!
//! Each folded letter has its place in the typed text, since folding changes lengths.

use std::iter;
use std::sync::LazyLock;

use icu_properties::props::{ExtendedPictographic, GeneralCategory, Script};
use icu_properties::{CodePointMapData, CodePointSetData};
use smallvec::SmallVec;
use unicode_segmentation::UnicodeSegmentation;

use crate::canonical::{NFC, NFKD, ascii_digit};
use crate::visible::is_ignorable;

/// Joins emoji to one emoji.
const JOINER: char = '\u{200d}';
/// The emoji that tags turn into the flag of a region.
const BLACK_FLAG: char = '\u{1f3f4}';

/// A letter, digit or sign after folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldedLetter {
    /// The letter.
    pub letter: char,
    /// How many Unicode scalar values precede it in the typed text.
    pub start: usize,
    /// Its end in the typed text.
    pub end: usize,
}

/// A part of a folded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldedPart {
    /// Text without emoji.
    Letters(Vec<FoldedLetter>),
    /// One emoji, which may consist of several characters.
    Emoji {
        /// Its characters without skin tones and variation selectors.
        folded: String,
        /// How many Unicode scalar values precede it in the typed text.
        start: usize,
        /// Its length in the typed text, in Unicode scalar values.
        length: usize,
    },
}

/// Folds a text.
pub fn folded(typed: &str) -> Vec<FoldedPart> {
    let typed: Vec<char> = typed.chars().collect();
    let mut parts = Vec::new();
    // The characters since the last emoji that count, each with its place.
    let mut counted: Vec<(usize, char)> = Vec::with_capacity(typed.len());
    let mut at = 0;
    while let Some(sign) = typed.get(at) {
        if is_alone(*sign) {
            counted.push((at, *sign));
        } else if let Some((folded, length)) = emoji(&typed[at..]) {
            parts.extend(letters(&counted).map(FoldedPart::Letters));
            counted.clear();
            parts.push(FoldedPart::Emoji { folded, start: at, length });
            at += length;
            continue;
        } else if !is_ignorable(*sign) {
            counted.push((at, *sign));
        }
        at += 1;
    }
    parts.extend(letters(&counted).map(FoldedPart::Letters));
    parts
}

/// A text as rules compare it: folded, without places.
pub fn comparable(typed: &str) -> String {
    if typed.is_ascii() {
        let visible = typed.bytes().filter(|byte| *byte >= b' ' || byte.is_ascii_whitespace());
        return visible.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    }
    let mut text = String::with_capacity(typed.len());
    for part in folded(typed) {
        match part {
            FoldedPart::Letters(letters) => text.extend(letters.iter().map(|it| it.letter)),
            FoldedPart::Emoji { folded, .. } => text.push_str(&folded),
        }
    }
    text
}

/// Folds characters that are not ignorable; `None` if there are none.
fn letters(counted: &[(usize, char)]) -> Option<Vec<FoldedLetter>> {
    counted.first()?;
    let text: String = counted.iter().map(|(_, sign)| sign).collect();
    let mut letters = Vec::with_capacity(counted.len());
    let mut at = 0;
    let mut byte = 0;
    while let Some((start, sign)) = counted.get(at) {
        let follows_alone = counted.get(at + 1).is_none_or(|(_, next)| is_alone(*next));
        // Normalization never joins characters of two clusters.
        let cluster = if is_alone(*sign) && follows_alone {
            &text[byte..byte + sign.len_utf8()]
        } else {
            text[byte..].graphemes(true).next().unwrap_or_default()
        };
        byte += cluster.len();
        at += cluster.chars().count();
        let end = counted[at - 1].0 + 1;
        fold_cluster(cluster, |letter| letters.push(FoldedLetter { letter, start: *start, end }));
    }
    Some(letters)
}

/// Whether a character joins no other one that is alone, too: a quick answer for most texts.
const fn is_alone(sign: char) -> bool {
    matches!(
        sign,
        '\0'..='\x7f'
            | '\u{c0}'..='\u{2af}' // Latin
            | '\u{370}'..='\u{482}' // Greek and Cyrillic
            | '\u{48a}'..='\u{52f}'
            | '\u{5d0}'..='\u{5ea}' // Hebrew
            | '\u{621}'..='\u{63f}' // Arabic
            | '\u{641}'..='\u{64a}'
    ) || is_folded(sign)
}

/// Whether a character folds to itself: kana, Chinese characters and Korean syllables.
const fn is_folded(sign: char) -> bool {
    matches!(sign, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// The characters below this one have their folded letters in a table.
const TABLED: u32 = 0x1100;

/// The folded letters of each character below [`TABLED`], alone in its cluster.
static TABLE: LazyLock<Vec<SmallVec<[char; 3]>>> = LazyLock::new(|| {
    let fold = |sign| {
        let mut letters = SmallVec::new();
        if let Some(sign) = char::from_u32(sign) {
            decompose(sign.encode_utf8(&mut [0; 4]), |letter| letters.push(letter));
        }
        letters
    };
    (0..TABLED).map(fold).collect()
});

/// Folds one cluster.
fn fold_cluster(cluster: &str, mut add: impl FnMut(char)) {
    let mut signs = cluster.chars();
    if let (Some(only), None) = (signs.next(), signs.next()) {
        if only.is_ascii() {
            return add(only.to_ascii_lowercase());
        }
        if is_folded(only) {
            return add(only);
        }
        if u32::from(only) < TABLED {
            return TABLE[only as usize].iter().copied().for_each(add);
        }
    }
    decompose(cluster, add);
}

/// Folds one cluster: lower case, compatibility decomposition (UAX 15), no accents, one shape of
/// each digit and letter, composed again.
fn decompose(cluster: &str, add: impl FnMut(char)) {
    let mut parts = String::with_capacity(cluster.len());
    let small = cluster.chars().flat_map(char::to_lowercase);
    // Parts of a small letter may be capitals.
    let small = NFKD.normalize_iter(small).flat_map(char::to_lowercase);
    small.filter(|part| !is_accent(*part)).for_each(|part| fold_letter(part, &mut parts));
    NFC.normalize_iter(parts.chars()).for_each(add);
}

/// Folds a decomposed letter to the one for which search engines of its languages take it.
fn fold_letter(letter: char, folded: &mut String) {
    match letter {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'ø' => folded.push('o'),
        'đ' | 'ð' => folded.push('d'),
        'ł' => folded.push('l'),
        'ı' => folded.push('i'),
        'ς' => folded.push('σ'),
        // Arabic, Persian and Urdu: yeh, kaf, heh and alef.
        '\u{649}' | '\u{6cc}' => folded.push('\u{64a}'),
        '\u{6a9}' | '\u{6aa}' => folded.push('\u{643}'),
        '\u{629}' | '\u{6be}' | '\u{6c1}' | '\u{6c3}' | '\u{6d5}' => folded.push('\u{647}'),
        '\u{671}'..='\u{673}' => folded.push('\u{627}'),
        // Yiddish ligatures.
        '\u{5f0}' => folded.push_str("\u{5d5}\u{5d5}"),
        '\u{5f1}' => folded.push_str("\u{5d5}\u{5d9}"),
        '\u{5f2}' => folded.push_str("\u{5d9}\u{5d9}"),
        // Older texts write these with a vowel killer and a joiner (Unicode, sections 12.2, 12.9).
        '\u{9ce}' => folded.push_str("\u{9a4}\u{9cd}"),
        '\u{d7a}' => folded.push_str("\u{d23}\u{d4d}"),
        '\u{d7b}' => folded.push_str("\u{d28}\u{d4d}"),
        '\u{d7c}' => folded.push_str("\u{d30}\u{d4d}"),
        '\u{d7d}' => folded.push_str("\u{d32}\u{d4d}"),
        '\u{d7e}' => folded.push_str("\u{d33}\u{d4d}"),
        '\u{d7f}' => folded.push_str("\u{d15}\u{d4d}"),
        other => match ascii_digit(other) {
            Some(digit) => folded.push(digit),
            None => folded.push(other),
        },
    }
}

/// Whether a character is an accent or a point on a letter, or stretches a word: people omit them
/// when they search. Vowel signs of Indian scripts and the voicing marks of kana count as letters.
fn is_accent(sign: char) -> bool {
    if sign.is_ascii() || matches!(sign, '\u{3099}' | '\u{309a}') {
        return false;
    }
    let is_mark = matches!(
        CodePointMapData::<GeneralCategory>::new().get(sign),
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
    );
    let is_of_alphabet = || {
        let script = CodePointMapData::<Script>::new().get(sign);
        [
            Script::Inherited,
            Script::Latin,
            Script::Greek,
            Script::Cyrillic,
            Script::Hebrew,
            Script::Arabic,
            Script::Syriac,
        ]
        .contains(&script)
    };
    sign == '\u{640}' || is_mark && is_of_alphabet()
}

/// The emoji at the beginning of a text, folded, and its length: a flag, or emoji with joiners
/// between them (UTS 51).
fn emoji(text: &[char]) -> Option<(String, usize)> {
    let is_flag = |sign: &char| matches!(sign, '\u{1f1e6}'..='\u{1f1ff}');
    let first = text.first()?;
    if is_flag(first) {
        let letters: String = text.iter().take(2).take_while(|sign| is_flag(sign)).collect();
        let length = letters.chars().count();
        return Some((letters, length));
    }
    let mut folded = String::new();
    let mut length = 0;
    while let Some(sign) = text.get(length).filter(|sign| is_emoji(**sign)) {
        folded.push(*sign);
        length += 1;
        while let Some(next) = text.get(length) {
            match next {
                '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => {}
                '\u{e0020}'..='\u{e007f}' if *sign == BLACK_FLAG => folded.push(*next),
                _ => break,
            }
            length += 1;
        }
        let joined = text.get(length..length + 2);
        if !joined.is_some_and(|joined| joined[0] == JOINER && is_emoji(joined[1])) {
            break;
        }
        folded.push(JOINER);
        length += 1;
    }
    (length > 0).then_some((folded, length))
}

/// Whether a character is a picture. Letters in a frame are letters, and the arrow that a stroke
/// negates is mathematics.
fn is_emoji(sign: char) -> bool {
    let is_picture = || {
        CodePointSetData::new::<ExtendedPictographic>().contains(sign)
            || matches!(sign, '\u{1f3fb}'..='\u{1f3ff}')
    };
    let is_whole = || NFKD.normalize_iter(iter::once(sign)).eq([sign]);
    sign > '\u{ff}' && !is_alone(sign) && sign != '\u{2194}' && is_picture() && is_whole()
}
