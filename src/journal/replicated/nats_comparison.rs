//! Comparing what each server of the log returns for the same messages.
//!
//! A message that no node wrote looks the same at every server; damage in one server's store does
//! not. A consumer with one replica lives on a server that the engine chooses at random, so
//! consumers are made until each server had one.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::stream::{Info, Stream};
use bytes::Bytes;
use futures_util::StreamExt;

use crate::replicated::log::Code;
use crate::replicated::nats_refusals::ClientTrouble;
use crate::replicated::nats_stream::{code_in, consumer_from};

/// Most bytes that are read from a server at a time; larger than any message.
const BYTES: usize = 12 << 20;
/// Most consumers that are made. With 5 servers, one is missed once in 30,000 comparisons.
const TRIES: u32 = 60;
/// How long a server may take for its messages.
const READ_WITHIN: Duration = Duration::from_secs(2);

/// A message as one or several servers return it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServerMessage {
    pub(super) sequence: u64,
    pub(super) subject: String,
    pub(super) payload: Bytes,
    pub(super) code: Option<Code>,
    /// Whether every current server returned the same bytes.
    pub(super) is_agreed: bool,
}

/// The messages that one server returned, by sequence.
type Read = BTreeMap<u64, (String, Bytes, Option<Code>)>;

/// Reads up to `most` messages from `from` on at every current server. Returns each version of each
/// message, in the log's order.
///
/// # Errors
/// If the engine does not answer.
pub(super) async fn compare(
    stream: &Stream,
    from: u64,
    most: usize,
) -> Result<Vec<ServerMessage>, ClientTrouble> {
    let wanted = current_servers(&stream.get_info().await?);
    let mut reads: BTreeMap<String, Read> = BTreeMap::new();
    for _ in 0..TRIES {
        let consumer = stream.create_consumer(consumer_from(from)).await?;
        let info = consumer.cached_info();
        // A server that runs alone does not name itself; it is the only one.
        let leader = info.cluster.as_ref().and_then(|it| it.leader.clone());
        let server = leader.or_else(|| wanted.first().cloned()).unwrap_or_default();
        if let Entry::Vacant(vacant) = reads.entry(server) {
            vacant.insert(fetch(&consumer, most).await?);
        }
        // A consumer that is not deleted ends by itself.
        drop(stream.delete_consumer(&info.name).await);
        if wanted.iter().all(|name| reads.contains_key(name)) {
            break;
        }
    }
    let has_all = !wanted.is_empty() && wanted.iter().all(|name| reads.contains_key(name));
    Ok(merge(&reads.into_values().collect::<Vec<_>>(), from, has_all))
}

/// Fetches the messages that a consumer can return at once.
async fn fetch(consumer: &Consumer<pull::Config>, most: usize) -> Result<Read, ClientTrouble> {
    let fetch = consumer.fetch().max_messages(most).max_bytes(BYTES).messages();
    let mut messages = tokio::time::timeout(READ_WITHIN, fetch).await??;
    let mut read = Read::new();
    while let Ok(Some(message)) = tokio::time::timeout(READ_WITHIN, messages.next()).await {
        let message = message?;
        let sequence = message.info()?.stream_sequence;
        let code = code_in(message.headers.as_ref());
        read.insert(sequence, (message.subject.to_string(), message.payload.clone(), code));
    }
    Ok(read)
}

/// The servers that have the newest messages; empty if they are no majority. A single server has
/// no name.
fn current_servers(info: &Info) -> BTreeSet<String> {
    let Some(cluster) = info.cluster.as_ref() else { return BTreeSet::from([String::new()]) };
    let others = cluster.replicas.iter().filter(|it| it.current && !it.offline);
    let names: BTreeSet<String> =
        others.map(|it| it.name.clone()).chain(cluster.leader.clone()).collect();
    if names.len() * 2 > info.config.num_replicas { names } else { BTreeSet::new() }
}

/// Merges what servers returned, up to the message where the first of them ends.
fn merge(reads: &[Read], from: u64, has_all: bool) -> Vec<ServerMessage> {
    let ends = reads.iter().map(|read| read.keys().next_back().copied().unwrap_or(from));
    let until = ends.min().unwrap_or(from).max(from);
    let mut merged = Vec::new();
    for sequence in from..=until {
        let found: Vec<_> = reads.iter().filter_map(|read| read.get(&sequence)).collect();
        let versions: BTreeSet<_> = found.iter().copied().collect();
        if versions.is_empty() {
            break;
        }
        let is_agreed = has_all && versions.len() == 1 && found.len() == reads.len();
        merged.extend(versions.into_iter().map(|(subject, payload, code)| ServerMessage {
            sequence,
            subject: subject.clone(),
            payload: payload.clone(),
            code: *code,
            is_agreed,
        }));
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(messages: &[(u64, &'static str)]) -> Read {
        let message =
            |text: &'static str| ("log.0".to_owned(), Bytes::from_static(text.as_bytes()), None);
        messages.iter().map(|(sequence, text)| (*sequence, message(text))).collect()
    }

    fn merged(reads: &[Read], has_all: bool) -> Vec<(u64, String, bool)> {
        let text = |it: &ServerMessage| String::from_utf8(it.payload.to_vec()).unwrap();
        merge(reads, 5, has_all).iter().map(|it| (it.sequence, text(it), it.is_agreed)).collect()
    }

    #[test]
    fn equal_bytes_of_all_servers_agree() {
        let same = read(&[(5, "a"), (6, "b")]);
        let all = [("a", 5), ("b", 6)].map(|(text, sequence)| (sequence, text.to_owned(), true));
        assert_eq!(merged(&[same.clone(), same.clone(), same.clone()], true), all);
        assert!(merged(&[same.clone(), same], false).iter().all(|it| !it.2));
    }

    #[test]
    fn one_differing_or_missing_message_prevents_agreement() {
        let good = read(&[(5, "a"), (6, "b")]);
        let flipped = read(&[(5, "x"), (6, "b")]);
        let expected = [(5, "a", false), (5, "x", false), (6, "b", true)];
        let expected = expected.map(|(at, text, agrees)| (at, text.to_owned(), agrees));
        assert_eq!(merged(&[good.clone(), flipped], true), expected);
        let hole = read(&[(6, "b")]);
        let found = merged(&[good, hole], true);
        assert_eq!(found.iter().map(|it| it.2).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn a_shorter_answer_ends_the_comparison() {
        let long = read(&[(5, "a"), (6, "b"), (7, "c")]);
        assert_eq!(merged(&[long.clone(), read(&[(5, "a")])], true).len(), 1);
        assert_eq!(merged(&[long, read(&[])], true), [(5, "a".to_owned(), false)]);
    }
}
