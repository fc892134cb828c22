//! One thing is damaged in a copy of a data folder: a byte, a range of bytes, the length of a file,
//! or a file. Either the server shows everything correctly, or it refuses to start, or the damage
//! is reported (by 503, or by `coterie check`). The server never shows less, or something else,
//! without a report.
//!
//! `MUTATIONS` sets how many there are of each class; `MUTATIONS_SEED` repeats a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use fastrand::Rng;

use crate::asking::Person;
use crate::history::{self, History};
use crate::program::{Program, coterie, serving};
use crate::rounds::number;

/// How many mutations of each class there are by default.
const EACH: usize = 2;
/// How many copies are examined at the same time.
const TOGETHER: usize = 4;

/// How a file is damaged, at an offset.
#[derive(Debug, Clone, Copy)]
enum Damage {
    /// One bit is flipped.
    Flip,
    /// Some bytes become zeros.
    Zeros,
    /// Some bytes become random ones.
    Noise,
    /// Some bytes are replaced by bytes from elsewhere in the file.
    Elsewhere,
    /// The file ends at the offset.
    Cut,
    /// From the offset on, the file is filled with zeros.
    Blank,
    /// More bytes follow after the file's end.
    Longer,
    /// The file is empty.
    Empty,
    /// The file is deleted.
    Gone,
}

const DAMAGES: [Damage; 9] = [
    Damage::Flip,
    Damage::Zeros,
    Damage::Noise,
    Damage::Elsewhere,
    Damage::Cut,
    Damage::Blank,
    Damage::Longer,
    Damage::Empty,
    Damage::Gone,
];

/// One damage to one file.
#[derive(Debug, Clone)]
struct Mutation {
    file: PathBuf,
    damage: Damage,
    at: usize,
    seed: u64,
}

impl Mutation {
    fn happens(&self, data: &Path) {
        let path = data.join(&self.file);
        let mut random = Rng::with_seed(self.seed);
        let mut bytes = fs::read(&path).unwrap();
        let (at, length) = (self.at.min(bytes.len().saturating_sub(1)), bytes.len());
        let end = (at + 1 + random.usize(0..40)).min(length);
        match self.damage {
            Damage::Flip if length > 0 => bytes[at] ^= 1 << random.u8(0..8),
            Damage::Zeros => bytes[at..end].fill(0),
            Damage::Noise => bytes[at..end].fill_with(|| random.u8(..)),
            Damage::Elsewhere => {
                let from = random.usize(0..=length - (end - at));
                bytes.copy_within(from..from + (end - at), at);
            }
            Damage::Cut => bytes.truncate(at),
            Damage::Blank => bytes[at..].fill(0),
            Damage::Longer => bytes.extend((0..100).map(|_| random.u8(..))),
            Damage::Flip | Damage::Empty => bytes.clear(),
            Damage::Gone => return fs::remove_file(&path).unwrap(),
        }
        fs::write(&path, bytes).unwrap();
    }
}

/// Offsets in a file that are worth damaging: fields of its header; fields of the first, a middle
/// and the last record; the end of what is used; and some random ones.
fn places(file: &Path, bytes: &[u8], random: &mut Rng) -> Vec<usize> {
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut places = vec![0, 4, 8, 12, 16, 24, 40, used.saturating_sub(1), used, used + 200];
    places.extend((0..6).map(|_| random.usize(0..=used)));
    if file.extension().is_some_and(|end| end == "log") {
        let records = history::records(bytes);
        for record in [0, records.len() / 2, records.len() - 1] {
            let (at, length) = records[record];
            // The fields of a record: length, checksum, place, batch, version, kind, events, ids,
            // n, chain, time, name, payload, last byte.
            let fields = [0, 4, 8, 16, 20, 21, 22, 24, 32, 40, 48, 56, 64, 80, 90, length - 1];
            places.extend(fields.map(|field| at + field));
        }
    }
    places.retain(|place| *place < bytes.len().max(1));
    places
}

/// The class of a file: its folder and kind.
fn class(file: &Path) -> String {
    let top = file.components().next().unwrap().as_os_str().to_str().unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    let kind = match top {
        "journal" => name.rsplit('.').next().unwrap(),
        "index" => name.split('.').next().unwrap(),
        _ => "",
    };
    format!("{top} {kind}")
}

fn mutations(history: &History, each: usize, random: &mut Rng) -> Vec<Mutation> {
    let mut classes: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in history::files(history.data.path()) {
        let file = file.strip_prefix(history.data.path()).unwrap().to_owned();
        if file != Path::new("lock") {
            classes.entry(class(&file)).or_default().push(file);
        }
    }
    let mut all = Vec::new();
    for files in classes.values() {
        for damage in DAMAGES {
            for _ in 0..each {
                let file = random.choice(files).unwrap().clone();
                let bytes = fs::read(history.data.path().join(&file)).unwrap();
                let places = places(&file, &bytes, random);
                let at = random.choice(places).unwrap_or(0);
                all.push(Mutation { file, damage, at, seed: random.u64(..) });
            }
        }
    }
    all
}

/// What a server and `coterie check` made of a damaged copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Became {
    /// Everything is shown as before.
    Right,
    /// The server refuses to start.
    Refused,
    /// Some requests are answered with 503, and none wrongly.
    Unavailable,
    /// Something is shown wrongly, and `coterie check` reports the damage.
    Told,
}

async fn became(history: &History, mutation: &Mutation) -> Became {
    let copy = history.copy();
    mutation.happens(copy.path());
    let checked = coterie(&["check", "--data-dir", copy.path().to_str().unwrap()]).output();
    let checked = checked.unwrap();
    let is_told = !checked.status.success();
    let told = || {
        let text = [checked.stdout.clone(), checked.stderr.clone()].concat();
        format!("{mutation:?}\n{}", String::from_utf8_lossy(&text))
    };
    assert!(!text(&checked.stderr).contains("panicked"), "{}", told());
    let Some(program) = starts(copy.path(), &told()) else { return Became::Refused };
    let became = shown(history, &program, mutation).await;
    match became {
        Ok(became) => {
            assert!(became == Became::Right || is_told, "only a request tells: {}", told());
            became
        }
        Err(difference) => {
            assert!(is_told, "{difference}, and nobody tells: {}", told());
            Became::Told
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Starts a server on this data; None if it refuses with one line.
fn starts(data: &Path, what: &str) -> Option<Program> {
    let mut command = coterie(&serving(data, &["--rate-limit", "off"]));
    let errors = data.join("stderr");
    command.stderr(fs::File::create(&errors).unwrap());
    match Program::begun(&mut command) {
        Ok(program) => Some(program),
        Err(code) => {
            let told = fs::read_to_string(&errors).unwrap();
            let last = told.lines().last().unwrap_or_default();
            assert_eq!(code, Some(2), "{told}\n{what}");
            assert!(last.starts_with("coterie: "), "it refuses with one line: {told}\n{what}");
            None
        }
    }
}

/// Compares what the server shows with what was shown before; the error says what is different.
async fn shown(
    history: &History,
    program: &Program,
    mutation: &Mutation,
) -> Result<Became, String> {
    let mut ana: Person = history.ana.clone();
    ana.goes_to(program);
    let mut became = Became::Right;
    for (path, wanted) in &history.answers {
        let mut found = ana.shows(path).await;
        // A damaged index is answered with 503 while it is rebuilt.
        for _ in 0..200 {
            if found.0 != 503 || !mutation.file.starts_with("index") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            found = ana.shows(path).await;
        }
        if found.0 == 503 {
            became = Became::Unavailable;
        } else if found != *wanted {
            return Err(format!("{path} shows {found:?} instead of {wanted:?}"));
        }
    }
    Ok(became)
}

#[tokio::test]
async fn damage_is_repaired_refused_or_reported() {
    let seed = number("MUTATIONS_SEED").unwrap_or_else(|| fastrand::u64(..));
    let each = number("MUTATIONS").map_or(EACH, |each| each as usize);
    println!("seed {seed}");
    let history = std::sync::Arc::new(history::told().await);
    let all = mutations(&history, each, &mut Rng::with_seed(seed));
    let count = all.len();
    let (rest, seen) = (Mutex::new(all.into_iter()), Mutex::new(BTreeMap::new()));
    let (rest, seen) = (std::sync::Arc::new(rest), std::sync::Arc::new(seen));
    let work = || {
        let (history, rest, seen) = (history.clone(), rest.clone(), seen.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap();
            loop {
                let next = rest.lock().unwrap().next();
                let Some(mutation) = next else { return };
                let became = runtime.block_on(became(&history, &mutation));
                let class = class(&mutation.file);
                *seen.lock().unwrap().entry((class, became)).or_insert(0) += 1;
            }
        })
    };
    for worker in (0..TOGETHER).map(|_| work()).collect::<Vec<_>>() {
        assert!(worker.join().is_ok(), "what it says is above");
    }
    println!("{count} mutations");
    for ((class, became), times) in seen.lock().unwrap().iter() {
        println!("{class:>16} {became:?}: {times}");
    }
}
