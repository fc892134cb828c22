//! Visible characters, and characters that break a line or turn its direction. Also prints foreign
//! text as one line, for logs, tools and previews.
//!
//! The properties of characters come from the Unicode Character Database, through `icu_properties`.

use std::fmt::{self, Write};

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Blank signs that Unicode does not list as ignorable: an empty Braille cell, and the notehead of
/// a note that nobody plays.
const BLANK: [char; 2] = ['\u{2800}', '\u{1d159}'];

/// Whether readers can see anything of a text.
pub fn has_visible(text: &str) -> bool {
    text.chars().any(is_visible)
}

/// Whether a character has ink by itself. Combining marks have none without a letter.
fn is_visible(sign: char) -> bool {
    !is_invisible(sign)
        && !matches!(
            CodePointMapData::<GeneralCategory>::new().get(sign),
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
        )
}

/// Whether a character has no ink, neither by itself nor on a letter: blanks, control and format
/// characters.
pub fn is_invisible(sign: char) -> bool {
    if sign.is_ascii() {
        return !sign.is_ascii_graphic();
    }
    sign.is_whitespace()
        || BLANK.contains(&sign)
        || is_ignorable(sign)
        || matches!(
            CodePointMapData::<GeneralCategory>::new().get(sign),
            GeneralCategory::Control | GeneralCategory::Format
        )
}

/// Whether a character shows nothing where a font does not support it, such as fillers and joiners.
pub fn is_ignorable(sign: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(sign)
}

/// Whether a character makes more than one line of a text, or another order than the typed one: a
/// control character, a line break, or a direction override, embedding or isolate.
pub const fn breaks_line(sign: char) -> bool {
    let is_break = matches!(sign, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}');
    is_break || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character changes the direction of the text around it (`Bidi_Control`).
pub const fn is_direction(sign: char) -> bool {
    matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Makes one line of foreign text: without control and direction characters, with one space for
/// each run of white space. Empty if nothing of the text is visible.
pub fn one_line(foreign: &str) -> String {
    let is_kept = |sign: &char| !is_direction(*sign);
    let text: String = foreign.chars().filter(is_kept).collect();
    let words = text.split(|sign: char| sign.is_whitespace() || sign.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    if has_visible(&line) { line } else { String::new() }
}

/// Displays text with control characters, line breaks and direction characters escaped, as Rust
/// writes them (CWE-150). The text can neither end its line nor move a terminal's cursor.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sign in self.0.chars() {
            if breaks_line(sign) || is_direction(sign) {
                write!(out, "{}", sign.escape_default())?;
            } else {
                out.write_char(sign)?;
            }
        }
        Ok(())
    }
}

/// Displays JSON with the same characters escaped in the way of JSON. Programs read the same
/// values.
#[derive(Debug, Clone, Copy)]
pub struct EscapedJson<'a>(pub &'a str);

impl fmt::Display for EscapedJson<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sign in self.0.chars() {
            // All of them lie in the first plane, so one escape is enough.
            if breaks_line(sign) || is_direction(sign) {
                write!(out, "\\u{:04x}", u32::from(sign))?;
            } else {
                out.write_char(sign)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn foreign_titles_become_one_line() {
        assert_eq!(one_line(" invoice\u{202e}fdp.exe\n \u{0}now "), "invoicefdp.exe now");
        assert_eq!(one_line("\u{202e}\u{200b}\u{2069}"), "");
        assert_eq!(one_line("👩\u{200d}👧 ok"), "👩\u{200d}👧 ok");
    }

    #[test]
    fn printed_names_stay_on_one_line() {
        let name = "x\u{1b}[2J\nFAKE\u{202e}";
        assert_eq!(Escaped(name).to_string(), r"x\u{1b}[2J\nFAKE\u{202e}");
        let json = serde_json::to_string(name).unwrap();
        let escaped = EscapedJson(&json).to_string();
        assert!(!escaped.contains('\u{202e}'), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), name);
    }

    proptest! {
        #[test]
        fn printed_text_is_one_line(raw in "\\PC{0,4}[\u{0}-\u{ff}\u{2000}-\u{2070}\u{e0000}-\u{e0080}]{0,4}\\PC{0,2}") {
            let printed = Escaped(&raw).to_string();
            prop_assert!(printed.chars().all(|sign| !sign.is_control() && !is_direction(sign)));
            let title = one_line(&raw);
            prop_assert!(title.is_empty() || has_visible(&title) && !title.contains(breaks_line));
        }
    }
}
