//! Compares two indexes row by row: the one on disk with one rebuilt from the journal.
//!
//! How many messages share a row depends on how many were applied together, so rows of messages are
//! compared message by message.

use std::fmt;

use crate::rows::EventPosition;
use crate::runs::LocatedMessage;
use crate::{Flow, IndexFault, Rows, Walk, runs};
use domain::hex::hex;

/// Rows read in one scan.
const STRIDE: usize = 2048;
/// Differences listed at most.
const MAX_DIFFERENCES: usize = 1000;

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Compared {
    /// Rows, and messages in rows, that are equal.
    pub same: u64,
    /// The differences; at most 1000.
    pub differences: Vec<Difference>,
}

/// A row that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The row's key.
    pub key: Vec<u8>,
    /// The kind of difference.
    pub what: &'static str,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, rest) = self.key.split_first().unwrap_or((&b'?', &[]));
        write!(out, "row {}:{} {}", char::from(*table), hex(rest), self.what)
    }
}

/// Compares the rows that were found with those that should be there.
///
/// # Errors
/// If either cannot be read to its end.
pub fn compare(found: &dyn Rows, wanted: &dyn Rows) -> Result<Compared, IndexFault> {
    let mut compared = Compared::default();
    let mut found = Items::of(found);
    let mut wanted = Items::of(wanted);
    let mut here = found.next()?;
    let mut there = wanted.next()?;
    loop {
        let order = match (&here, &there) {
            (None, None) => return Ok(compared),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((here, _)), Some((there, _))) => here.cmp(there),
        };
        match order {
            std::cmp::Ordering::Less => {
                compared.differs(here, "is not in the journal");
                here = found.next()?;
            }
            std::cmp::Ordering::Greater => {
                compared.differs(there, "is missing");
                there = wanted.next()?;
            }
            std::cmp::Ordering::Equal if here == there => {
                compared.same += 1;
                (here, there) = (found.next()?, wanted.next()?);
            }
            std::cmp::Ordering::Equal => {
                compared.differs(here, "differs from the journal");
                (here, there) = (found.next()?, wanted.next()?);
            }
        }
    }
}

impl Compared {
    fn differs(&mut self, item: Option<Item>, what: &'static str) {
        if let Some((key, _)) = item.filter(|_| self.differences.len() < MAX_DIFFERENCES) {
            self.differences.push(Difference { key, what });
        }
    }
}

type Item = (Vec<u8>, Vec<u8>);

/// All rows in the order of their keys; a row of messages is split into one item for each message.
struct Items<'rows> {
    rows: &'rows dyn Rows,
    after: Vec<u8>,
    ahead: std::collections::VecDeque<Item>,
}

impl<'rows> Items<'rows> {
    fn of(rows: &'rows dyn Rows) -> Self {
        Self { rows, after: Vec::new(), ahead: Default::default() }
    }

    fn next(&mut self) -> Result<Option<Item>, IndexFault> {
        if self.ahead.is_empty() {
            self.fill()?;
        }
        Ok(self.ahead.pop_front())
    }

    fn fill(&mut self) -> Result<(), IndexFault> {
        let mut seen = 0;
        let mut last = None;
        let ahead = &mut self.ahead;
        self.rows.scan(&self.after, &[0xff; 300], Walk::Up, &mut |key, value| {
            last = Some(key.to_vec());
            seen += 1;
            match key.strip_prefix(b"m") {
                Some(_) => spread(key, value, ahead)?,
                None => ahead.push_back((key.to_vec(), value.to_vec())),
            }
            Ok(if seen < STRIDE { Flow::Continue } else { Flow::Stop })
        })?;
        if let Some(mut next) = last {
            next.push(0);
            self.after = next;
        }
        Ok(())
    }
}

fn spread(
    key: &[u8],
    value: &[u8],
    into: &mut std::collections::VecDeque<Item>,
) -> Result<(), IndexFault> {
    let stream = &key[..key.len().saturating_sub(8)];
    for LocatedMessage { id, at, count } in runs::decode(value)? {
        let key = [stream, &id.get().to_be_bytes()].concat();
        into.push_back((key, [EventPosition::encode(at), count.to_be_bytes().to_vec()].concat()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryRows;

    fn rows(list: &[(&str, &str)]) -> MemoryRows {
        let rows = MemoryRows::default();
        let change =
            |(key, value): &(&str, &str)| (key.as_bytes().into(), Some(value.as_bytes().into()));
        rows.apply(list.iter().map(change).collect()).unwrap();
        rows
    }

    #[test]
    fn every_row_difference_is_reported() {
        let wanted = rows(&[("ga", "1"), ("gb", "2"), ("gc", "3")]);
        let found = rows(&[("ga", "1"), ("gb", "9"), ("gd", "4")]);
        let compared = compare(&found, &wanted).unwrap();
        let told: Vec<String> = compared.differences.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "row g:62 differs from the journal",
                "row g:63 is missing",
                "row g:64 is not in the journal",
            ]
        );
        assert_eq!(compared.same, 1);
    }

    #[test]
    fn more_rows_than_are_read_at_once_are_all_compared() {
        let many = |skip: usize| {
            let rows = MemoryRows::default();
            let row = |number: usize| (format!("g{number:09}").into_bytes(), Some(vec![1]));
            rows.apply((0..3 * STRIDE).filter(|it| *it != skip).map(row).collect()).unwrap();
            rows
        };
        let compared = compare(&many(2 * STRIDE), &many(usize::MAX)).unwrap();
        assert_eq!((compared.same, compared.differences.len()), (3 * STRIDE as u64 - 1, 1));
    }
}
