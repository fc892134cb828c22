//! The words of a text as they are searched for: folded, each with its place.
//!
//! Words are those of Unicode's segmentation (UAX 29), split at punctuation too, so that
//! `example.com` is found by `example`. In scripts without spaces between words, every two
//! neighbouring characters are a word (`東京都` is `東京`, `京都` and a last `都`): so any part of such a
//! text is found as a phrase of its pairs. Each emoji is a word.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script};
use unicode_segmentation::UnicodeSegmentation;

use domain::canonical::folds::{FoldedLetter, FoldedPart, folded};

/// Scripts that are written without spaces, and Korean, whose words are compounded so freely that
/// people search for their parts.
const WITHOUT_SPACES: [Script; 18] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Hangul,
    Script::Thai,
    Script::Khmer,
    Script::Lao,
    Script::Myanmar,
    Script::Bopomofo,
    Script::Yi,
    Script::Javanese,
    Script::Balinese,
    Script::TaiLe,
    Script::NewTaiLue,
    Script::TaiTham,
    Script::TaiViet,
    Script::Ahom,
    Script::Tangut,
];

/// How a word was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A whole word.
    Whole,
    /// Two neighbouring characters in a script without spaces.
    Bigram {
        /// The length of the first one in the text, in Unicode scalar values.
        first: usize,
    },
    /// The last character of a run in such a script.
    TrailingChar,
}

/// A word and where it is in the text. Its position among the words is its index in their list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The folded word.
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
    for part in folded(text) {
        match part {
            FoldedPart::Letters(letters) => {
                let is_alike = |one: &FoldedLetter, next: &FoldedLetter| {
                    has_no_spaces(one.letter) == has_no_spaces(next.letter)
                };
                for run in letters.chunk_by(is_alike) {
                    add_run(run, &mut found);
                }
            }
            FoldedPart::Emoji { folded, start, length } => {
                found.push(Word { folded, start, length, kind: WordKind::Whole });
            }
        }
    }
    found
}

fn add_run(run: &[FoldedLetter], found: &mut Vec<Word>) {
    let is_unspaced = run.first().is_some_and(|first| has_no_spaces(first.letter));
    if is_unspaced { add_pairs(run, found) } else { add_words(run, found) }
}

/// Adds the words of a run in scripts with spaces.
fn add_words(run: &[FoldedLetter], found: &mut Vec<Word>) {
    let text: String = run.iter().map(|letter| letter.letter).collect();
    let mut seen = 0;
    let mut at = 0;
    for (byte, word) in text.unicode_word_indices() {
        at += text[seen..byte].chars().count();
        seen = byte + word.len();
        for part in word.split_inclusive(is_word_separator) {
            let bare = part.trim_end_matches(is_word_separator);
            let letters = &run[at..at + bare.chars().count()];
            if let [first, ..] = letters
                && let [.., last] = letters
            {
                let length = last.end - first.start;
                let folded = bare.to_owned();
                found.push(Word { folded, start: first.start, length, kind: WordKind::Whole });
            }
            at += part.chars().count();
        }
    }
}

/// Adds every two neighbouring characters of a run, and the last one.
fn add_pairs(run: &[FoldedLetter], found: &mut Vec<Word>) {
    for (index, one) in run.iter().enumerate() {
        let first = one.end - one.start;
        found.push(match run.get(index + 1) {
            Some(next) => Word {
                folded: [one.letter, next.letter].iter().collect(),
                start: one.start,
                length: next.end - one.start,
                kind: WordKind::Bigram { first },
            },
            None => Word {
                folded: one.letter.to_string(),
                start: one.start,
                length: first,
                kind: WordKind::TrailingChar,
            },
        });
    }
}

/// Whether a character splits words here although Unicode's segmentation does not split there.
const fn is_word_separator(letter: char) -> bool {
    letter.is_ascii_punctuation() || matches!(letter, '’' | '·' | '：' | '․')
}

/// Whether words of this character's script are searched for by their parts.
fn has_no_spaces(letter: char) -> bool {
    if letter < '\u{e00}' {
        return false;
    }
    // Signs that several scripts of Japan share.
    if matches!(letter, '\u{3006}' | '\u{3099}' | '\u{309a}' | '\u{30fc}') {
        return true;
    }
    WITHOUT_SPACES.contains(&CodePointMapData::<Script>::new().get(letter))
        && matches!(
            CodePointMapData::<GeneralCategory>::new().get(letter),
            GeneralCategory::OtherLetter
                | GeneralCategory::ModifierLetter
                | GeneralCategory::LetterNumber
                | GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
        )
}

#[cfg(test)]
mod tests {
    use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
    use proptest::prelude::*;

    use super::*;
    use crate::typed::TypedSearch;

    fn folded(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.folded).collect()
    }

    /// The text in each form of UAX 15, and as typed.
    fn forms(text: &str) -> [String; 5] {
        [
            text.to_owned(),
            ComposingNormalizer::new_nfc().normalize(text).into_owned(),
            DecomposingNormalizer::new_nfd().normalize(text).into_owned(),
            ComposingNormalizer::new_nfkc().normalize(text).into_owned(),
            DecomposingNormalizer::new_nfkd().normalize(text).into_owned(),
        ]
    }

    /// Two texts, of which a search for either finds the other one from its beginning to its end.
    fn assert_same(one: &str, other: &str) {
        assert_eq!(folded(one), folded(other), "{one:?} and {other:?}");
        for (typed, text) in [(one, other), (other, one)] {
            let search = TypedSearch::parse(format!("\"{typed}\"")).unwrap();
            let places = search.places_in(&format!("x🔥 {text} y"));
            assert_eq!(places, [(3, text.chars().count())], "{typed:?} in {text:?}");
        }
    }

    /// Texts of many scripts, each from a first to a last letter.
    const SAMPLES: [&str; 28] = [
        "Straße über Ängström",
        "Crème brûlée",
        "đường phố Hà Nội",
        "İstanbul ılık",
        "Ελληνική ἀρχή ᾳ",
        "Ёлка й Україна ї",
        "שָׁלוֹם עולם ﬡ",
        "مَرْحَبًا بالعالم",
        "آسمان أحمد إيمان ؤ ئ",
        "ﷲ ﻻ ﺷﻜﺮﺍ",
        "हिन्दी क़लम ज़मीन",
        "বাংলা কোথায় কৌ",
        "தமிழ் கொ கௌ",
        "ಕನ್ನಡ ಕೊ",
        "മലയാളം കോ",
        "සිංහල කෝ",
        "ภาษาไทย น้ำ",
        "ພາສາລາວ ໜ",
        "မြန်མာ ဦ",
        "ភាសាខ្មែរ",
        "བོད་ཡིག ཀྵ",
        "도서관 한국어",
        "がぎぐパピプ ヴ",
        "ｶﾞｷﾞﾊﾟｱｲｳ",
        "東京都 神 豈更",
        "ＡＢＣ１２３ ﬁnal Ⅷ",
        "㎏ ㍿ ㌔ ℃a",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚",
    ];

    #[test]
    fn equivalent_texts_find_each_other() {
        for sample in SAMPLES {
            for one in forms(sample) {
                for other in forms(sample) {
                    assert_same(&one, &other);
                }
            }
        }
    }

    #[test]
    fn every_character_folds_like_its_equivalents() {
        for sign in (0..=0x10_ffff).filter_map(char::from_u32) {
            let [typed, others @ ..] = forms(&format!("a {sign} b"));
            if others.iter().all(|other| *other == typed) {
                continue;
            }
            let typed = folded(&typed);
            for other in others {
                assert_eq!(folded(&other), typed, "{:x}", u32::from(sign));
            }
        }
    }

    #[test]
    fn letters_that_readers_take_for_equal_find_each_other() {
        for (one, other) in [
            ("كتاب", "کتاب"),
            ("على", "علی"),
            ("علي", "علی"),
            ("مدرسة", "مدرسه"),
            ("ہندوستان", "هندوستان"),
            ("نامۀ", "نامه"),
            ("أحمد", "احمد"),
            ("ٱلكتاب", "الكتاب"),
            ("آسمان", "اسمان"),
            ("كـتـاب", "كتاب"),
            ("1234", "١٢٣٤"),
            ("1234", "۱۲۳۴"),
            ("1234", "१२३४"),
            ("1234", "๑๒๓๔"),
            ("1234", "１２３４"),
            ("ﬁnﬄy", "finffly"),
            ("װאַסער", "וואסער"),
            ("ന\u{d4d}\u{200d}റെ", "ൻറെ"),
            ("ガラス", "ｶﾞﾗｽ"),
            ("Donaudampf", "Donau\u{ad}dampf"),
            ("ភាសាខ្មែរ", "ភាសា\u{200b}ខ្មែរ"),
            ("ภาษาไทย", "ภาษา\u{200b}ไทย"),
            ("می\u{200c}خواهم", "میخواهم"),
        ] {
            assert_same(one, other);
        }
        for (one, other) in [("カ", "ガ"), ("は", "ぱ"), ("도", "토"), ("ב", "כ"), ("س", "ش")]
        {
            assert_ne!(folded(one), folded(other));
        }
    }

    #[test]
    fn each_emoji_is_a_word() {
        assert_eq!(folded("the summit🧗party"), ["the", "summit", "🧗", "party"]);
        assert_eq!(folded("🔥🔥 ok"), ["🔥", "🔥", "ok"]);
        assert_eq!(folded("👍🏽👍"), ["👍", "👍"]);
        assert_eq!(folded("\u{2764}\u{fe0f}\u{2764}\u{fe0e}\u{2764}"), ["\u{2764}"; 3]);
        assert_eq!(folded("🇨🇭🇩🇪"), ["🇨🇭", "🇩🇪"]);
        assert_eq!(folded("👩🏽\u{200d}🚀"), ["👩\u{200d}🚀"]);
        assert_eq!(folded("❤️\u{200d}🔥"), ["\u{2764}\u{200d}🔥"]);
        assert_ne!(folded("🏴󠁧󠁢󠁳󠁣󠁴󠁿"), folded("🏴󠁧󠁢󠁥󠁮󠁧󠁿"));
        assert_eq!(folded("Coterie™ © ㊗ 1️⃣"), ["coterietm", "祝", "1"]);
        let search = TypedSearch::parse("👩\u{200d}🚀 🧗".to_owned()).unwrap();
        assert_eq!(search.places_in("a 👩🏽\u{200d}🚀 b 🧗"), [(2, 4), (9, 1)]);
    }

    proptest! {
        #[test]
        fn ignorable_characters_do_not_count(
            sample in prop::sample::select(&SAMPLES[..]),
            form in 0..5_usize,
            places in prop::collection::vec(0..60_usize, 1..6),
            sign in "[\u{ad}\u{34f}\u{61c}\u{115f}\u{180b}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{2069}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{e0100}]",
        ) {
            let text = forms(sample)[form].clone();
            let mut with: Vec<char> = text.chars().collect();
            for place in places {
                with.insert(1 + place % (with.len() - 1), sign.chars().next().unwrap());
            }
            let with: String = with.into_iter().collect();
            assert_same(&text, &with);
        }
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
        assert_eq!(folded("?! …"), [""; 0]);
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
        let expected = [
            (0, 1, "🔥"),
            (1, 1, "🔥"),
            (3, 4, "cafe"),
            (9, 2, "東京"),
            (10, 1, "京"),
            (12, 3, "ea"),
        ];
        assert_eq!(places, expected.map(|(start, length, word)| (start, length, word.to_owned())));
    }
}
