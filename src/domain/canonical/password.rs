//! The bytes of a password: the `OpaqueString` profile of RFC 8265, section 4.2. One password has
//! the same bytes on every device, whether its keyboard composes letters or not.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use crate::canonical::{NFD, composed};

/// The form of which hashes are made: blanks as U+0020, letters composed (NFC). Case and width
/// stay.
pub fn opaque(typed: &str) -> String {
    let category = CodePointMapData::<GeneralCategory>::new();
    let is_blank = |sign: char| category.get(sign) == GeneralCategory::SpaceSeparator;
    let mapped: String =
        typed.chars().map(|sign| if is_blank(sign) { ' ' } else { sign }).collect();
    composed(&mapped).into_owned()
}

/// The forms that a stored hash may have been made of, without repetitions: [`opaque`], and for
/// hashes of earlier versions the bytes that this keyboard, or one that decomposes letters, sends.
/// They depend on the typed password only. An ASCII password has one form.
pub fn forms(typed: &str) -> Vec<String> {
    let opaque = opaque(typed);
    let mut forms = vec![opaque];
    for earlier in [typed.to_owned(), composed(typed).into_owned(), NFD.normalize(typed).into()] {
        if !forms.contains(&earlier) {
            forms.push(earlier);
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_passwords_have_one_form() {
        for (typed, form) in [
            ("correct horse", "correct horse"),
            ("a\u{308}pfel gru\u{308}n", "äpfel grün"),
            ("one\u{a0}two\u{3000}three", "one two three"),
            ("\u{1103}\u{1169}\u{1109}\u{1165}", "도서"),
            ("\u{212b}ngstro\u{308}m", "Ångström"),
            ("パスワード", "パスワード"),
        ] {
            assert_eq!(opaque(typed), form);
            assert_eq!(opaque(&opaque(typed)), form);
            assert_eq!(opaque(&NFD.normalize(typed)), form);
        }
        assert_ne!(opaque("Ä"), opaque("ä"), "case counts");
        assert_ne!(opaque("Ａ"), opaque("A"), "width counts (RFC 8265, section 4.2.2)");
    }

    #[test]
    fn forms_include_bytes_that_earlier_versions_hashed() {
        assert_eq!(forms("correct horse"), ["correct horse"]);
        assert_eq!(forms("ä"), ["ä", "a\u{308}"]);
        assert_eq!(forms("a\u{308}"), ["ä", "a\u{308}"]);
        assert_eq!(forms("ä\u{a0}b"), ["ä b", "ä\u{a0}b", "a\u{308}\u{a0}b"]);
    }
}
