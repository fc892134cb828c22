//! The check after the load: whether everything that was acknowledged is in the log, once and in
//! order.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::rest::{Api, CallError};
use crate::guid::Guid;
use crate::http::request::PostTarget;
use crate::load::poster::{Outcome, Poster};

/// The result of listing all conversations of a load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    pub acknowledged: u64,
    /// Messages of this load that were listed.
    pub listed: u64,
    /// Acknowledged messages that are not listed.
    pub missing: u64,
    pub duplicates: u64,
    /// Listed messages that were refused or never sent.
    pub unasked: u64,
    /// Ids that do not decrease, or messages of one sender in another order than they were sent.
    pub out_of_order: u64,
    /// Conversations whose `count` is not the number of messages listed.
    pub wrong_counts: u64,
}

impl Listing {
    pub fn is_clean(&self) -> bool {
        self.missing + self.duplicates + self.unasked + self.out_of_order + self.wrong_counts == 0
    }
}

/// The result, and positions in the log for scenarios that read there.
#[derive(Debug, Default)]
pub struct Listed {
    pub listing: Listing,
    /// The id at the end of every page of the first post target's conversation, newest first.
    pub page_ends: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Page {
    count: u64,
    #[serde(alias = "direct_messages")]
    messages: Vec<Line>,
}

#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    source_guid: Option<String>,
}

/// Lists the whole log of every post target's conversation, newest first, and compares it with what
/// the posters remember.
pub async fn check(
    api: &mut Api,
    post_targets: &[PostTarget],
    posters: &[&Poster],
) -> Result<Listed, CallError> {
    let mut checker = Checker::new(posters);
    let mut visited: HashSet<&str> = HashSet::new();
    let mut page_ends = Vec::new();
    for post_target in post_targets {
        if visited.insert(&post_target.group_id) {
            let path = format!("/v3/groups/{}/messages?limit=100", post_target.group_id);
            let ends = walk(api, &path, &post_target.token, &mut checker).await?;
            if visited.len() == 1 {
                page_ends = ends;
            }
        }
    }
    Ok(Listed { listing: checker.finish(), page_ends })
}

/// The ids of a user who writes direct messages and of the recipient, and a token of the writer.
#[derive(Debug, Clone)]
pub struct Correspondence {
    pub from: String,
    pub to: String,
    pub token: String,
}

/// Like [`check`] for direct messages; each pair of people is listed once.
pub async fn check_chats(
    api: &mut Api,
    chats: &[Correspondence],
    posters: &[&Poster],
) -> Result<Listing, CallError> {
    let mut checker = Checker::new(posters);
    let mut visited = HashSet::new();
    for Correspondence { from, to, token } in chats {
        if visited.insert((from.min(to), from.max(to))) {
            let path = format!("/v3/direct_messages?other_user_id={to}&limit=100");
            walk(api, &path, token, &mut checker).await?;
        }
    }
    Ok(checker.finish())
}

/// Lists one conversation, whose newest page is at `path`; returns the id at the end of every page.
async fn walk(
    api: &mut Api,
    path: &str,
    token: &str,
    checker: &mut Checker<'_>,
) -> Result<Vec<String>, CallError> {
    let mut ends = Vec::new();
    let mut before: Option<String> = None;
    let mut listed = 0;
    let mut count = 0;
    // A server that ignores `before_id` must not keep the tester here forever.
    while listed <= count {
        let from = before.as_ref().map(|id| format!("&before_id={id}")).unwrap_or_default();
        let reply = api.get(&format!("{path}{from}"), token).await?;
        if reply.status == 304 {
            break;
        }
        let page: Page = reply.response(200)?;
        if page.messages.is_empty() {
            break;
        }
        count = page.count;
        listed += page.messages.len() as u64;
        for line in page.messages {
            checker.take(&line, before.as_deref());
            before = Some(line.id);
        }
        ends.extend(before.clone());
    }
    checker.result.wrong_counts += u64::from(count != listed);
    Ok(ends)
}

/// Compares listed messages with what the posters remember.
struct Checker<'a> {
    outcomes: HashMap<(u32, u16), &'a [Outcome]>,
    seen: HashMap<(u32, u16), Vec<bool>>,
    /// For each sender, the number of its message that was listed last.
    newest: HashMap<(u32, u16), u32>,
    result: Listing,
}

impl<'a> Checker<'a> {
    fn new(posters: &[&'a Poster]) -> Self {
        let by_sender = posters.iter().map(|poster| {
            let Guid { run, sender, .. } = poster.guid(0);
            ((run, sender), poster.outcomes())
        });
        let outcomes: HashMap<_, _> = by_sender.collect();
        let seen = outcomes
            .iter()
            .map(|(sender, outcomes)| (*sender, vec![false; outcomes.len()]))
            .collect();
        Self { outcomes, seen, newest: HashMap::new(), result: Listing::default() }
    }

    fn take(&mut self, line: &Line, newer: Option<&str>) {
        if newer.is_some_and(|newer| !is_before(&line.id, newer)) {
            self.result.out_of_order += 1;
        }
        let guid = line.source_guid.as_ref().and_then(|guid| Guid::parse(guid.as_bytes()));
        if let Some(guid) = guid {
            self.take_ours(guid);
        }
    }

    fn take_ours(&mut self, guid: Guid) {
        let sender = (guid.run, guid.sender);
        let place = guid.number as usize;
        // Messages of another load in the same group are not checked.
        let (Some(outcomes), Some(seen)) = (self.outcomes.get(&sender), self.seen.get_mut(&sender))
        else {
            return;
        };
        match outcomes.get(place) {
            None | Some(Outcome::Refused) => self.result.unasked += 1,
            Some(Outcome::Acknowledged | Outcome::Unknown) => self.result.listed += 1,
        }
        if let Some(seen) = seen.get_mut(place) {
            self.result.duplicates += u64::from(*seen);
            *seen = true;
        }
        let newer = self.newest.insert(sender, guid.number);
        self.result.out_of_order += u64::from(newer.is_some_and(|newer| newer <= guid.number));
    }

    fn finish(mut self) -> Listing {
        for (sender, outcomes) in &self.outcomes {
            for (outcome, seen) in outcomes.iter().zip(&self.seen[sender]) {
                let acknowledged = *outcome == Outcome::Acknowledged;
                self.result.acknowledged += u64::from(acknowledged);
                self.result.missing += u64::from(acknowledged && !seen);
            }
        }
        self.result
    }
}

/// Whether an id is smaller. Ids are decimal strings: shorter is smaller, then digit by digit.
fn is_before(id: &str, other: &str) -> bool {
    (id.len(), id) < (other.len(), other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENDER: (u32, u16) = (1, 0);

    fn verdict(outcomes: &[Outcome], lines: &[(u32, &str)]) -> Listing {
        let mut checker = Checker {
            outcomes: HashMap::from([(SENDER, outcomes)]),
            seen: HashMap::from([(SENDER, vec![false; outcomes.len()])]),
            newest: HashMap::new(),
            result: Listing::default(),
        };
        let mut newer: Option<&str> = None;
        for (number, id) in lines {
            let mut raw = [0; Guid::LEN];
            Guid { run: 1, sender: 0, number: *number }.write(&mut raw);
            let source_guid = String::from_utf8(raw.to_vec()).ok();
            checker.take(&Line { id: (*id).to_owned(), source_guid }, newer);
            newer = Some(id);
        }
        checker.finish()
    }

    #[test]
    fn a_right_list_is_clean() {
        use Outcome::{Acknowledged, Refused, Unknown};
        let outcomes = [Acknowledged, Refused, Unknown, Unknown, Acknowledged];
        let listing = verdict(&outcomes, &[(4, "100"), (3, "99"), (0, "98")]);
        assert!(listing.is_clean(), "{listing:?}");
        assert_eq!((listing.acknowledged, listing.listed), (2, 3));
    }

    #[test]
    fn loss_repeats_and_inventions_are_noticed() {
        use Outcome::{Acknowledged, Refused};
        assert_eq!(verdict(&[Acknowledged; 2], &[(1, "9")]).missing, 1);
        assert_eq!(verdict(&[Acknowledged; 2], &[(1, "9"), (0, "8"), (0, "7")]).duplicates, 1);
        assert_eq!(verdict(&[Refused], &[(0, "9")]).unasked, 1);
        assert_eq!(verdict(&[Acknowledged], &[(5, "9"), (0, "8")]).unasked, 1);
    }

    #[test]
    fn wrong_order_is_noticed() {
        let outcomes = [Outcome::Acknowledged; 2];
        assert_eq!(verdict(&outcomes, &[(0, "9"), (1, "8")]).out_of_order, 1, "of one sender");
        assert_eq!(verdict(&outcomes, &[(1, "9"), (0, "10")]).out_of_order, 1, "of ids");
    }
}
