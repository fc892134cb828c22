//! The messages of the group as the server lists them, compared with what was acknowledged.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::cli::prove::Poster;

/// The `source_guid` of the message with this number of a client.
pub(super) fn guid(client: usize, number: u64) -> String {
    format!("prove-{client}-{number}")
}

/// What was found wrong.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) lost: u64,
    pub(super) repeated: u64,
    pub(super) out_of_order: u64,
    pub(super) wrong_ids: u64,
}

impl Faults {
    /// The larger number of each kind.
    pub(super) fn worse(self, other: &Self) -> Self {
        Self {
            lost: self.lost.max(other.lost),
            repeated: self.repeated.max(other.repeated),
            out_of_order: self.out_of_order.max(other.out_of_order),
            wrong_ids: self.wrong_ids.max(other.wrong_ids),
        }
    }
}

/// A message as the server lists it.
#[derive(Debug)]
pub(super) struct ListedMessage {
    id: String,
    /// The client and the number; `None` for a line of the system.
    message: Option<(usize, u64)>,
}

impl ListedMessage {
    /// Reads a message of a page.
    ///
    /// # Errors
    /// If it has no id.
    pub(super) fn of(message: &Value) -> Result<Self, String> {
        let id = message["id"].as_str().ok_or("a message without an id is listed")?.to_owned();
        let guid = message["source_guid"].as_str().unwrap_or_default();
        let parts = guid.strip_prefix("prove-").and_then(|it| it.split_once('-'));
        let message =
            parts.and_then(|(client, number)| Some((client.parse().ok()?, number.parse().ok()?)));
        Ok(Self { id, message })
    }
}

/// What was listed so far.
#[derive(Debug)]
pub(super) struct GroupHistory {
    /// The id of the newest message that was listed.
    pub(super) newest: String,
    pub(super) faults: Faults,
    /// For each client, one more than the largest number that was listed.
    next: Vec<u64>,
    /// Ids of messages that were listed and not compared yet, by client and number.
    ids: HashMap<(usize, u64), String>,
    /// Numbers that are missing below a larger one of the same client.
    missing: HashSet<(usize, u64)>,
}

impl GroupHistory {
    /// A history of this many clients, without a message.
    pub(super) fn new(clients: usize) -> Self {
        Self {
            newest: "0".to_owned(),
            faults: Faults::default(),
            next: vec![0; clients],
            ids: HashMap::new(),
            missing: HashSet::new(),
        }
    }

    /// Adds the next message of the list.
    pub(super) fn add(&mut self, listed: &ListedMessage) {
        self.newest.clone_from(&listed.id);
        let Some((client, number)) = listed.message else { return };
        let Some(next) = self.next.get_mut(client) else { return };
        if number >= *next {
            self.missing.extend((*next..number).map(|gap| (client, gap)));
            *next = number + 1;
        } else if self.missing.remove(&(client, number)) {
            self.faults.out_of_order += 1;
        } else {
            self.faults.repeated += 1;
        }
        self.ids.insert((client, number), listed.id.clone());
    }

    /// Compares what was listed with what the clients were answered since the last comparison.
    pub(super) fn expect(&mut self, posters: &mut [Poster]) {
        for poster in &mut *posters {
            for (number, id) in std::mem::take(&mut poster.ids) {
                let listed = self.ids.get(&(poster.number, number));
                self.faults.wrong_ids += u64::from(listed.is_some_and(|it| *it != id));
            }
        }
        self.ids.clear();
        self.expect_all(posters);
    }

    /// Counts what is lost of everything that was acknowledged.
    pub(super) fn expect_all(&mut self, posters: &[Poster]) {
        let behind = |it: &Poster| it.acknowledged.saturating_sub(self.next[it.number]);
        let lost = self.missing.len() as u64 + posters.iter().map(behind).sum::<u64>();
        self.faults.lost = self.faults.lost.max(lost);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn poster(acknowledged: u64, ids: &[(u64, &str)]) -> Poster {
        Poster {
            number: 0,
            address: String::new(),
            token: String::new(),
            group: String::new(),
            acknowledged,
            ids: ids.iter().map(|(number, id)| (*number, (*id).to_owned())).collect(),
        }
    }

    /// The faults that a list with these numbers of one client has.
    fn faults(numbers: &[u64], poster: Poster) -> Faults {
        let mut history = GroupHistory::new(1);
        for (place, number) in numbers.iter().enumerate() {
            let message = json!({"id": format!("id{place}"), "source_guid": guid(0, *number)});
            history.add(&ListedMessage::of(&message).unwrap());
        }
        history.add(&ListedMessage::of(&json!({"id": "line", "source_guid": "x"})).unwrap());
        assert_eq!(history.newest, "line");
        history.expect(&mut [poster]);
        history.faults
    }

    #[test]
    fn complete_list_has_no_fault() {
        let well = Faults::default();
        assert_eq!(faults(&[0, 1, 2], poster(3, &[(1, "id1"), (2, "id2")])), well);
        assert_eq!(faults(&[0, 1, 2], poster(2, &[])), well, "one that was not acknowledged");
    }

    #[test]
    fn lost_message_is_counted() {
        assert_eq!(faults(&[0, 2], poster(3, &[])).lost, 1, "in the middle");
        assert_eq!(faults(&[0], poster(3, &[])).lost, 2, "at the end");
        assert_eq!(faults(&[], poster(3, &[])).lost, 3, "everything");
    }

    #[test]
    fn repeated_and_late_messages_are_counted() {
        assert_eq!(faults(&[0, 1, 1], poster(2, &[])), Faults { repeated: 1, ..Faults::default() });
        let late = Faults { out_of_order: 1, ..Faults::default() };
        assert_eq!(faults(&[0, 2, 1], poster(3, &[])), late);
    }

    #[test]
    fn other_id_than_answered_is_counted() {
        let wrong = Faults { wrong_ids: 1, ..Faults::default() };
        assert_eq!(faults(&[0], poster(1, &[(0, "another")])), wrong);
    }
}
