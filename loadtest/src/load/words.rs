//! Texts that resemble those of people: few words occur in most of them, most words in few.

use std::net::SocketAddr;

use super::closed_loop::{LoadError, Step, Worker};
use crate::guid::Guid;
use crate::http::connection::Connection;
use crate::http::request::{self, PostTarget};

/// The number of different words: about as many as people of one language use in chats.
const VOCABULARY: u64 = 50_000;

/// Returns the ranks of the `words` words of a message; the same number gives the same ranks.
pub fn words_of(message: u64, words: u64) -> impl Iterator<Item = u64> {
    (0..words).map(move |place| {
        let drawn = mixed(message.wrapping_mul(words).wrapping_add(place));
        let share = (drawn >> 11) as f64 / (1_u64 << 53) as f64;
        // A rank is drawn about in proportion to one divided by the rank (Zipf's law).
        (VOCABULARY as f64).powf(share) as u64
    })
}

/// Returns the word of this rank; many words begin with the same letters.
pub fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "to", "mi", "ren", "sul", "a", "ve", "lor", "din", "es", "po", "rik", "u", "shan",
        "ge", "fi",
    ];
    let mut word = String::new();
    let mut left = rank + 1;
    while left > 0 {
        word.push_str(SYLLABLES[(left % 16) as usize]);
        left /= 16;
    }
    word
}

/// Returns a number that looks random (splitmix64).
pub const fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The length of a text, in words or in bytes.
#[derive(Debug, Clone, Copy)]
pub enum Length {
    Words(u64),
    Bytes(usize),
}

/// Returns the text of message `number`.
fn text_of(number: u64, length: Length) -> String {
    let words = |count| -> Vec<String> { words_of(number, count).map(word).collect() };
    match length {
        Length::Words(count) => words(count).join(" "),
        Length::Bytes(bytes) => {
            // A word and its space take at least two bytes; the excess is cut.
            let mut text = words(bytes as u64 / 2 + 1).join(" ");
            text.truncate(bytes);
            text.trim_end().to_owned()
        }
    }
}

/// A worker that posts messages of words, each with another text: every `step`-th message number
/// from `next` up to, not including, `end`.
#[derive(Debug)]
pub struct Talker {
    pub addr: SocketAddr,
    pub place: PostTarget,
    pub run: u32,
    pub sender: u16,
    pub next: usize,
    pub step: usize,
    pub end: usize,
    pub length: Length,
    pub connection: Option<Connection>,
}

impl Worker for Talker {
    async fn step(&mut self) -> Result<Step, LoadError> {
        if self.next >= self.end {
            return Ok(Step::Finished);
        }
        let number = u32::try_from(self.next).unwrap_or(u32::MAX);
        let guid = Guid { run: self.run, sender: self.sender, number }.text();
        let text = text_of(self.next as u64, self.length);
        let body = format!(r#"{{"message":{{"source_guid":"{guid}","text":"{text}"}}}}"#);
        let path = format!("/v3/groups/{}/messages", self.place.group_id);
        let request = request::post(self.addr, &path, &self.place.token, &body);
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.addr).await?,
        };
        connection.freshen(self.addr).await?;
        let started = std::time::Instant::now();
        let status = connection.exchange(&request).await?.status;
        self.connection = Some(connection);
        if status != 201 {
            return Ok(Step::Refused);
        }
        self.next += self.step;
        Ok(Step::Done { latency: started.elapsed(), units: 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_drawn_as_in_a_language() {
        let ranks: Vec<u64> = (0..10_000).flat_map(|message| words_of(message, 10)).collect();
        let share =
            |most: u64| ranks.iter().filter(|rank| **rank <= most).count() * 100 / ranks.len();
        assert!((5..=9).contains(&share(1)), "{}", share(1));
        assert!((40..=65).contains(&share(224)), "{}", share(224));
        assert!(ranks.iter().all(|rank| *rank <= VOCABULARY));
        assert_ne!(word(7), word(8));
        assert_eq!(words_of(3, 10).collect::<Vec<_>>(), words_of(3, 10).collect::<Vec<_>>());
    }

    #[test]
    fn a_text_has_the_length_that_was_asked_for() {
        for number in 0..100 {
            let text = text_of(number, Length::Bytes(200));
            assert!((190..=200).contains(&text.len()), "{text}");
        }
        assert_eq!(text_of(1, Length::Words(10)).split(' ').count(), 10);
        assert_ne!(text_of(1, Length::Words(10)), text_of(2, Length::Words(10)));
    }
}
