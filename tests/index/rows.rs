//! One suite for every store of rows: an ordered map of bytes whose batches are applied atomically.

use std::collections::BTreeMap;
use std::sync::Arc;

use coterie::index::memory::MemoryRows;
use coterie::index::sled_index::SledRows;
use coterie::index::{Flow, IndexFault, RowChange, Rows, Walk};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::overlay;

/// Runs a check against each store.
fn each(check: impl Fn(&dyn Rows, &str)) {
    check(&MemoryRows::default(), "memory");
    let folder = TempDir::new().unwrap();
    check(&SledRows::open(folder.path(), 1 << 20).unwrap(), "sled");
    for rooms in [vec![true], vec![false], vec![true, true, false]] {
        let name = format!("overlay with room {rooms:?}");
        check(&overlay::WrittenNowAndThen::new(&rooms), &name);
    }
}

fn put(key: &[u8], value: &[u8]) -> RowChange {
    (key.to_vec(), Some(value.to_vec()))
}

fn scanned(rows: &dyn Rows, low: &[u8], high: &[u8], walk: Walk) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        found.push((key.to_vec(), value.to_vec()));
        Ok(Flow::Continue)
    };
    rows.scan(low, high, walk, &mut visit).unwrap();
    found
}

#[test]
fn rows_read_back_after_write_and_delete() {
    each(|rows, store| {
        assert_eq!(rows.get(b"a").unwrap(), None, "{store}");
        rows.apply(vec![put(b"a", b"1"), put(b"b", b""), put(b"", b"no key")]).unwrap();
        assert_eq!(rows.get(b"a").unwrap().unwrap(), b"1", "{store}");
        assert_eq!(rows.get(b"b").unwrap().unwrap(), b"", "{store}");
        assert_eq!(rows.get(b"").unwrap().unwrap(), b"no key", "{store}");
        rows.apply(vec![put(b"a", b"2"), (b"b".to_vec(), None), (b"c".to_vec(), None)]).unwrap();
        assert_eq!(rows.get(b"a").unwrap().unwrap(), b"2", "{store}");
        assert_eq!(rows.get(b"b").unwrap(), None, "{store}");
        rows.flush().unwrap();
    });
}

#[test]
fn a_scan_has_both_ends_and_both_directions() {
    each(|rows, store| {
        let keys = [&b"a"[..], b"b", b"b\0", b"b\xff", b"c", b"\xff\xff"];
        rows.apply(keys.map(|key| put(key, key)).to_vec()).unwrap();
        let up = |low: &[u8], high: &[u8]| -> Vec<Vec<u8>> {
            scanned(rows, low, high, Walk::Up).into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(up(b"b", b"c"), [&b"b"[..], b"b\0", b"b\xff", b"c"], "{store}");
        assert_eq!(up(b"", b"\xff\xff\xff"), keys, "{store}");
        assert_eq!(up(b"c", b"b"), Vec::<Vec<u8>>::new(), "{store}: the wrong way round");
        assert_eq!(up(b"d", b"e"), Vec::<Vec<u8>>::new(), "{store}");
        let mut down = scanned(rows, b"a", b"c", Walk::Down);
        down.reverse();
        assert_eq!(down, scanned(rows, b"a", b"c", Walk::Up), "{store}");
    });
}

#[test]
fn scan_stops_on_request_and_returns_faults() {
    each(|rows, store| {
        rows.apply([b"a", b"b", b"c"].map(|key| put(key, b"")).to_vec()).unwrap();
        let mut seen = 0;
        let mut visit = |_: &[u8], _: &[u8]| {
            seen += 1;
            Ok(if seen == 2 { Flow::Stop } else { Flow::Continue })
        };
        rows.scan(b"a", b"c", Walk::Up, &mut visit).unwrap();
        assert_eq!(seen, 2, "{store}");
        let mut fails = |_: &[u8], _: &[u8]| Err(IndexFault::Stopped);
        let fault = rows.scan(b"a", b"c", Walk::Down, &mut fails).unwrap_err();
        assert!(matches!(fault, IndexFault::Stopped), "{store}");
    });
}

#[test]
fn a_reader_never_sees_half_of_a_batch() {
    let folder = TempDir::new().unwrap();
    let stores: [Arc<dyn Rows>; 2] = [
        Arc::new(MemoryRows::default()),
        Arc::new(SledRows::open(folder.path(), 1 << 20).unwrap()),
    ];
    for rows in stores {
        let writing = Arc::clone(&rows);
        let batch = |number: u32| {
            (0..20_u8).map(|key| put(&[key], &number.to_be_bytes())).collect::<Vec<_>>()
        };
        rows.apply(batch(0)).unwrap();
        let writer = std::thread::spawn(move || {
            (1..300).for_each(|number| writing.apply(batch(number)).unwrap());
        });
        let mut newest = 0;
        while !writer.is_finished() {
            // The first key is read before the last one, so the last one must not show an older
            // batch.
            let first = rows.get(&[0]).unwrap().unwrap();
            let last = rows.get(&[19]).unwrap().unwrap();
            assert!(last >= first && first >= newest_bytes(newest), "{rows:?}");
            newest = u32::from_be_bytes(first.try_into().unwrap());
        }
        writer.join().unwrap();
        assert_eq!(rows.get(&[19]).unwrap().unwrap(), 299_u32.to_be_bytes());
    }
}

fn newest_bytes(number: u32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

#[test]
fn rows_on_disk_are_there_after_closing() {
    let folder = TempDir::new().unwrap();
    let rows = SledRows::open(folder.path(), 1 << 20).unwrap();
    rows.apply(vec![put(b"a", b"1"), put(b"b", &[7; 100_000])]).unwrap();
    rows.flush().unwrap();
    drop(rows);
    let rows = SledRows::open(folder.path(), 1 << 20).unwrap();
    assert_eq!(rows.get(b"a").unwrap().unwrap(), b"1");
    assert_eq!(rows.get(b"b").unwrap().unwrap(), [7; 100_000]);
}

/// Short keys of few values, so that keys collide.
fn key() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(0xff)], 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn every_store_matches_a_plain_map(
        batches in proptest::collection::vec(
            proptest::collection::vec((key(), proptest::option::of(any::<Vec<u8>>())), 0..6), 0..12),
        ends in (key(), key()),
    ) {
        each(|rows, store| {
            let mut plain = BTreeMap::new();
            for batch in &batches {
                // A batch has each key once, as the indexer's batches do.
                let batch: BTreeMap<_, _> = batch.iter().cloned().collect();
                for (key, value) in &batch {
                    match value {
                        Some(value) => drop(plain.insert(key.clone(), value.clone())),
                        None => drop(plain.remove(key)),
                    }
                }
                rows.apply(batch.into_iter().collect()).unwrap();
            }
            let all: Vec<_> = plain.clone().into_iter().collect();
            assert_eq!(scanned(rows, &[], &[0xff; 8], Walk::Up), all, "{store}");
            let (low, high) = (ends.0.clone().min(ends.1.clone()), ends.0.clone().max(ends.1.clone()));
            let mut some: Vec<_> = plain.range(low.clone()..=high.clone())
                .map(|(key, value)| (key.clone(), value.clone())).collect();
            some.reverse();
            assert_eq!(scanned(rows, &low, &high, Walk::Down), some, "{store}");
        });
    }
}
