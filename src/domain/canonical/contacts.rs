//! Email addresses and phone numbers: how they are stored, and the keys that are the same for the
//! same address or number.

use std::iter;

use icu_properties::CodePointSetData;
use icu_properties::props::Dash;

use crate::canonical::{NFKD, ascii_digit, composed};
use crate::visible::is_ignorable;

/// Characters that join or part letters. Domains of some scripts may have them, and mean others
/// without them (RFC 5892, appendix A.1 and A.2).
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
/// The fewest digits of a phone number.
pub const PHONE_DIGITS_LEAST: usize = 3;
/// Country codes after which a zero is part of the number, although people put it into parentheses:
/// Italy, San Marino and the Vatican.
const ZERO_STAYS: [&str; 3] = ["39", "378", "379"];

/// Removes white space around an email address and ignorable characters inside it, and composes its
/// letters.
pub fn clean_email(typed: &str) -> String {
    if typed.is_ascii() {
        return typed.trim().to_owned();
    }
    let kept = |sign: &char| !is_ignorable(*sign) || JOINERS.contains(sign);
    let text: String = typed.chars().filter(kept).collect();
    let without = |part: &str| part.replace(JOINERS, "");
    let text = match text.rsplit_once('@') {
        Some((name, domain)) if idna::domain_to_ascii(domain.trim()).is_ok() => {
            format!("{}@{domain}", without(name))
        }
        Some(_) | None => without(&text),
    };
    composed(text.trim()).into_owned()
}

/// The key of an email address: without case, and with its domain as UTS 46 maps it.
pub fn email_key(typed: &str) -> String {
    if typed.is_ascii() && !typed.contains("--") {
        return typed.trim().to_ascii_lowercase();
    }
    let text = clean_email(typed);
    match text.rsplit_once('@') {
        Some((name, domain)) => format!("{}@{}", without_case(name), domain_key(domain)),
        None => without_case(&text),
    }
}

/// The key that versions before 37 of the index's layout made of a stored email address.
pub fn former_email_key(stored: &str) -> String {
    stored.trim().to_lowercase()
}

fn domain_key(domain: &str) -> String {
    match idna::domain_to_unicode(domain) {
        (mapped, Ok(())) => mapped,
        (_, Err(_)) => without_case(domain),
    }
}

/// A text without case, composed. The two small sigmas are one letter.
fn without_case(text: &str) -> String {
    composed(&text.to_lowercase().replace('ς', "σ")).into_owned()
}

/// Writes a phone number with ASCII signs: digits by their value, one hyphen for every dash, and
/// one space for every blank. Ignorable characters, which address books copy along, go.
pub fn clean_phone(typed: &str) -> String {
    let is_dash = |sign: char| CodePointSetData::new::<Dash>().contains(sign);
    let mut cleaned = String::with_capacity(typed.len());
    for sign in typed.chars().filter(|sign| !is_ignorable(*sign)) {
        match sign {
            _ if sign.is_ascii_graphic() => cleaned.push(sign),
            _ if sign.is_whitespace() => cleaned.push(' '),
            _ if is_dash(sign) => cleaned.push('-'),
            _ => match ascii_digit(sign) {
                Some(digit) => cleaned.push(digit),
                None => cleaned.extend(NFKD.normalize_iter(iter::once(sign))),
            },
        }
    }
    cleaned.trim().to_owned()
}

/// The key of a phone number: its digits, without the prefix that leads abroad. Digits alone are
/// keys of earlier versions too, and keep their key.
pub fn phone_key(cleaned: &str) -> String {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let all = digits(cleaned);
    let is_international = cleaned.starts_with('+') || all.starts_with("00");
    let mut key = all.as_str();
    while key.len() >= PHONE_DIGITS_LEAST + 2 && is_international && key.starts_with("00") {
        key = &key[2..];
    }
    // The zero of calls inside the country, as in +44 (0)20 7946 0018.
    let is_bracketed = is_international && cleaned.contains("(0)");
    if is_bracketed && !ZERO_STAYS.iter().any(|country| key.starts_with(country)) {
        return phone_key(&format!("00{}", digits(&cleaned.replacen("(0)", "", 1))));
    }
    key.to_owned()
}

/// A phone number as it is dialled, without separators.
pub fn dialled_phone(cleaned: &str) -> String {
    let key = phone_key(cleaned);
    let is_international = cleaned.starts_with('+')
        || cleaned.chars().filter(char::is_ascii_digit).take(2).eq(['0', '0']);
    if is_international { format!("+{key}") } else { key }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_addresses_have_one_key() {
        for (typed, key) in [
            ("Ana@Example.ORG", "ana@example.org"),
            (" ana@example.org\u{200b}", "ana@example.org"),
            ("an\u{ad}a@exam\u{2060}ple.org", "ana@example.org"),
            ("a\u{200d}na@example\u{200c}.org", "ana@example.org"),
            ("\u{202a}ana@example.org\u{202c}", "ana@example.org"),
            ("jose\u{301}@example.org", "josé@example.org"),
            ("JOSÉ@example.org", "josé@example.org"),
            ("ΝΊΚΟΣ@example.org", "νίκοσ@example.org"),
            ("νίκος@example.org", "νίκοσ@example.org"),
            ("ana@bu\u{308}cher.example", "ana@bücher.example"),
            ("ana@xn--bcher-kva.example", "ana@bücher.example"),
            ("ana@ｅｘａｍｐｌｅ．org", "ana@example.org"),
            ("ana@نامه\u{200c}ای.example", "ana@نامه\u{200c}ای.example"),
            ("a--b@example.org", "a--b@example.org"),
        ] {
            assert_eq!(email_key(typed), key, "{typed:?}");
            assert_eq!(email_key(&clean_email(typed)), key, "{typed:?}");
        }
    }

    #[test]
    fn equal_numbers_have_one_key() {
        for typed in [
            "+491701234567",
            "00491701234567",
            "491701234567",
            "+49\u{a0}170\u{a0}1234567",
            "\u{202a}+49 170 1234567\u{202c}",
            "+49\u{2011}170\u{2013}1234567",
            "＋４９（１７０）１２３４５６７",
            "+٤٩ ١٧٠ ١٢٣٤٥٦٧",
            "00\u{202f}49\u{2009}170/123\u{2212}45\u{ad}67",
            "+49 (0)170 1234567",
            "0049 (0)170 1234567",
            "+0049 170 1234567",
        ] {
            assert_eq!(phone_key(&clean_phone(typed)), "491701234567", "{typed:?}");
        }
        assert_eq!(phone_key("+39 (0)6 1234567"), "3906 1234567".replace(' ', ""));
        assert_eq!(phone_key("0170 1234567"), "01701234567");
        assert_eq!(phone_key("000"), "000");
        assert_eq!(dialled_phone("0049 170 1234567"), "+491701234567");
        assert_eq!(dialled_phone("(555) 010-9999"), "5550109999");
    }

    proptest! {
        #[test]
        fn keys_are_their_own_keys(
            typed in "[a-zA-Zäß̈ΣςÉ\u{200b}\u{200d}\u{ad} -]{1,9}@[a-zA-Zü̈ÉΣ\u{200c}.-]{1,9}",
            number in "[+0-9٤ ()\u{a0}\u{2011}-]{1,20}",
        ) {
            let key = email_key(&typed);
            prop_assert_eq!(email_key(&key), key);
            let cleaned = clean_phone(&number);
            prop_assert_eq!(clean_phone(&cleaned), cleaned.clone());
            let key = phone_key(&cleaned);
            prop_assert_eq!(phone_key(&key), key);
        }

        #[test]
        fn ignorable_characters_do_not_count(
            place in 0..20_usize,
            sign in "[\u{ad}\u{34f}\u{61c}\u{200b}\u{200e}\u{200f}\u{2060}\u{202c}\u{2066}\u{fe0f}\u{feff}]",
        ) {
            let with = |text: &str| {
                let mut text = text.to_owned();
                text.insert_str(place.min(text.len()), &sign);
                text
            };
            prop_assert_eq!(email_key(&with("ana.b@example.org")), "ana.b@example.org");
            prop_assert_eq!(clean_email(&with("ana.b@example.org")), "ana.b@example.org");
            prop_assert_eq!(phone_key(&clean_phone(&with("+49 170 1234567"))), "491701234567");
        }
    }
}
