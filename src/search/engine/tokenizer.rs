//! The engine's tokenizer, which splits texts by the rules of [`crate::search::words`].

use tantivy::tokenizer::{PreTokenizedStream, PreTokenizedString, Token, TokenStream, Tokenizer};

use crate::search::words::{AsciiWords, words};

/// Passes [`words`] to the engine, each with its position.
#[derive(Clone)]
pub(super) struct WordTokenizer;

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        if text.is_ascii() {
            return WordStream::Ascii { words: AsciiWords::of(text), token: Token::default() };
        }
        let tokens = words(text).into_iter().enumerate().map(|(position, word)| Token {
            position,
            text: word.folded,
            ..Token::default()
        });
        let tokens = tokens.collect();
        WordStream::Parted(PreTokenizedString { text: String::new(), tokens }.into())
    }
}

/// The words of a text as the engine takes them.
pub(super) enum WordStream<'a> {
    /// Split while the engine takes them, all in one buffer: allocating each word would be a tenth
    /// of the cost of indexing a message.
    Ascii { words: AsciiWords<'a>, token: Token },
    /// Split in advance.
    Parted(PreTokenizedStream),
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        match self {
            Self::Ascii { words, token } => {
                let Some((_, word)) = words.next() else { return false };
                // The first word is at position 0; the default position is the one before it.
                token.position = token.position.wrapping_add(1);
                token.text.clear();
                token.text.push_str(word);
                token.text.make_ascii_lowercase();
                true
            }
            Self::Parted(words) => words.advance(),
        }
    }

    fn token(&self) -> &Token {
        match self {
            Self::Ascii { token, .. } => token,
            Self::Parted(words) => words.token(),
        }
    }

    fn token_mut(&mut self) -> &mut Token {
        match self {
            Self::Ascii { token, .. } => token,
            Self::Parted(words) => words.token_mut(),
        }
    }
}
