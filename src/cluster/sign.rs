//! The encoding of a sign of life: MessagePack with field names, so that a later version may add
//! fields.

use serde::{Deserialize, Serialize};

use crate::liveness::{NodeName, SignOfLife};
use base::msgpack;
use domain::time::Timestamp;
use journal::Cursor;

/// The subject of signs of life: `coterie.alive.<node>`.
pub(super) const SUBJECT: &str = "coterie.alive";

#[derive(Debug, Serialize, Deserialize)]
struct Said {
    run: u64,
    takes: bool,
    ready: bool,
    shown: u64,
    /// All bits if the node leads, and none if it does not: once one for each shard that it owned.
    shards: u64,
    #[serde(default)]
    kept: u64,
    /// The node's wall clock, in Unix milliseconds.
    #[serde(default)]
    time: Option<u64>,
    /// The print of the node's key, if it has one.
    #[serde(default)]
    key: Option<u64>,
    /// When this run of the node began, in Unix milliseconds of its wall clock.
    #[serde(default)]
    since: u64,
    /// Whether the node lets one node lead.
    #[serde(default)]
    elects: bool,
    /// Whether this is a good-bye.
    #[serde(default)]
    leaves: bool,
}

/// A message from or about a node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is alive.
    Lives(SignOfLife),
    /// This run of the node ends.
    Leaves(NodeName, u64),
}

/// Encodes a sign of life, or a good-bye.
pub(super) fn encode(sign: &SignOfLife, leaves: bool) -> Vec<u8> {
    let SignOfLife {
        run,
        may_lead: takes,
        is_ready: ready,
        shown,
        leads,
        kept,
        time,
        key,
        since,
        elects,
        ..
    } = *sign;
    let since = since.millis();
    let shown = shown.get();
    let shards = if leads { u64::MAX } else { 0 };
    let time = time.map(Timestamp::millis);
    let said = Said { run, takes, ready, shown, shards, kept, time, key, since, elects, leaves };
    msgpack::to_vec_named(&said).expect("numbers are always written")
}

/// Decodes a sign that came on this subject; `None` if it is malformed.
pub(super) fn decode(subject: &str, payload: &[u8]) -> Option<Heard> {
    let name = subject.strip_prefix(SUBJECT)?.strip_prefix('.')?;
    let name = NodeName::parse(name).ok()?;
    let Said { run, takes, ready, shown, shards, kept, time, key, since, elects, leaves } =
        msgpack::from_slice(payload).ok()?;
    if leaves {
        return Some(Heard::Leaves(name, run));
    }
    let shown = Cursor::new(shown);
    Some(Heard::Lives(SignOfLife {
        name,
        run,
        may_lead: takes,
        is_ready: ready,
        shown,
        leads: shards == u64::MAX,
        kept,
        time: time.map(Timestamp::from_millis),
        key,
        since: Timestamp::from_millis(since),
        elects,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_of_life_round_trips() {
        let name = NodeName::parse("a").unwrap();
        let shown = Cursor::new(77);
        let sign = SignOfLife {
            name: name.clone(),
            run: 5,
            may_lead: true,
            is_ready: false,
            shown,
            leads: true,
            kept: 7,
            time: Some(Timestamp::from_millis(8)),
            key: Some(9),
            since: Timestamp::from_millis(10),
            elects: true,
        };
        let said = encode(&sign, false);
        assert_eq!(decode("coterie.alive.a", &said), Some(Heard::Lives(sign.clone())));
        assert_eq!(decode("coterie.alive.a", &encode(&sign, true)), Some(Heard::Leaves(name, 5)));
        assert_eq!(decode("coterie.alive.A", &said), None);
        assert_eq!(decode("coterie.alive.a", b"?"), None);
    }

    /// A sign as the version before the time was added sends it.
    #[test]
    fn signs_without_a_time_are_read() {
        #[derive(Serialize)]
        struct Before {
            run: u64,
            takes: bool,
            ready: bool,
            shown: u64,
            shards: u64,
        }
        let before = Before { run: 5, takes: true, ready: true, shown: 7, shards: 3 };
        let said = msgpack::to_vec_named(&before).unwrap();
        let Some(Heard::Lives(sign)) = decode("coterie.alive.a", &said) else { panic!("{said:?}") };
        assert_eq!((sign.run, sign.time, sign.elects, sign.leads), (5, None, false, false));
    }
}
