//! Canonical forms of text from people, for comparison: texts that readers take for the same text
//! have the same form. No other code compares text of people.
//!
//! The properties of characters come from the Unicode Character Database, through `icu_properties`
//! and `icu_normalizer`.

use std::borrow::Cow;
use std::sync::LazyLock;

use icu_normalizer::{
    ComposingNormalizer, ComposingNormalizerBorrowed, DecomposingNormalizer,
    DecomposingNormalizerBorrowed,
};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

pub mod contacts;
pub mod folds;
pub mod password;

/// Canonical composition.
const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();
/// Canonical decomposition.
const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfd();
/// Compatibility decomposition, which also splits ligatures and other forms of letters.
const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfkd();

/// Ranges of decimal digits. Unicode guarantees that each set of digits is contiguous and ascends
/// from 0 to 9 (stability policy of `General_Category=Nd`).
static DIGITS: LazyLock<Vec<(u32, u32)>> = LazyLock::new(|| {
    let ranges = CodePointMapData::<GeneralCategory>::new()
        .iter_ranges_for_value(GeneralCategory::DecimalNumber);
    ranges.map(|range| (*range.start(), *range.end())).collect()
});

/// The ASCII digit with the value of a decimal digit of any script.
pub fn ascii_digit(sign: char) -> Option<char> {
    if sign.is_ascii() {
        return sign.is_ascii_digit().then_some(sign);
    }
    let sign = u32::from(sign);
    let place = DIGITS.partition_point(|(_, last)| *last < sign);
    let (first, _) = DIGITS.get(place).filter(|(first, _)| *first <= sign)?;
    char::from_digit((sign - first) % 10, 10)
}

/// Composes a text: canonically equivalent texts become one.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { NFC.normalize(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_have_their_values() {
        for range in DIGITS.iter() {
            assert_eq!((range.1 - range.0 + 1) % 10, 0, "{range:x?}");
        }
        assert!(DIGITS.len() > 50, "{}", DIGITS.len());
        for digits in [
            "0123456789",
            "٠١٢٣٤٥٦٧٨٩",
            "۰۱۲۳۴۵۶۷۸۹",
            "०१२३४५६७८९",
            "০১২৩৪৫৬৭৮৯",
            "๐๑๒๓๔๕๖๗๘๙",
            "០១២៣៤៥៦៧៨៩",
            "၀၁၂၃၄၅၆၇၈၉",
            "０１２３４５６７８９",
            "𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡",
            "𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿",
        ] {
            let values: Option<String> = digits.chars().map(ascii_digit).collect();
            assert_eq!(values.as_deref(), Some("0123456789"), "{digits}");
        }
        for other in ['a', '²', '①', '½', '一', '\u{200b}'] {
            assert_eq!(ascii_digit(other), None, "{other}");
        }
    }

    #[test]
    fn digits_with_compatible_ascii_forms_have_their_value() {
        for (first, last) in DIGITS.iter() {
            for sign in (*first..=*last).filter_map(char::from_u32) {
                let plain: Vec<char> = NFKD.normalize_iter(std::iter::once(sign)).collect();
                if plain.iter().all(char::is_ascii) {
                    assert_eq!(ascii_digit(sign), plain.first().copied(), "{sign}");
                }
            }
        }
    }
}
