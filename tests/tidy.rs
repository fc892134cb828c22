//! Checks the structure of the sources: fails, with the rule and its reason, when something is in a
//! place where it must not be. That a layer uses none above or beside it, Cargo checks.
//!
//! Exceptions are listed with their reasons; the lists may only shrink, since an entry that is no
//! longer needed fails, too.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "tidy/depth.rs"]
mod depth;
#[path = "tidy/map.rs"]
mod map;
#[path = "tidy/words.rs"]
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates of `src`. Cargo keeps the layers: a crate uses only those that its `Cargo.toml` names.
const CRATES: [&str; 14] = [
    "actors",
    "auth",
    "backup",
    "base",
    "cluster",
    "domain",
    "index",
    "journal",
    "media",
    "notify",
    "outgoing",
    "search",
    "subscribers",
    "wire",
];

/// What the HTTP layer may name of the layers that it must not use, and why.
const HTTP_MAY_NAME: [(&str, &str); 2] = [
    ("index::archive::Page", "a parsed value: which messages of a conversation, no storage"),
    ("index::IndexFault", "http/error.rs is the one mapping of every fault to an answer"),
];

/// Words that only one file may contain, with that file and the reason.
const ONE_FILE_EACH: [(&str, &str, &str); 6] = [
    ("sled::", "src/index/sled_index.rs", "the store must stay replaceable"),
    ("actix_web_actors", "src/subscribers/websocket.rs", "it is deprecated and to be replaced"),
    ("awc::", "src/outgoing/client.rs", "nothing leaves the server but by the address guard"),
    ("std::env", "src/config.rs", "what configures the server must be found in one place"),
    ("SystemTime::now", "src/base/clock.rs", "tests own the time"),
    ("Instant::now", "src/base/clock.rs", "tests own the time"),
];

/// The files that name the search engine: its results, its files, its tokenizer.
const SEARCH_FILES: [&str; 2] = ["src/search/engine.rs", "src/search/engine/query.rs"];

/// The files that name the engine of the cluster (NATS): for the bus, for pictures and files, for
/// the log.
const ENGINE_FILES: [&str; 13] = [
    "src/cluster/bucket.rs",
    "src/cluster/bus.rs",
    "src/cluster/bus_guard.rs",
    "src/cluster/objects.rs",
    "src/cluster/pieces.rs",
    "src/cluster/records.rs",
    "src/cluster/log_retention.rs",
    "src/journal/replicated/nats.rs",
    "src/journal/replicated/nats_comparison.rs",
    "src/journal/replicated/nats_raw.rs",
    "src/journal/replicated/nats_servers.rs",
    "src/journal/replicated/nats_stream.rs",
    "src/journal/replicated/nats_survey.rs",
];

/// What the domain rules do without, so that they can be tested by the thousand.
const NOT_IN_RULES: [&str; 12] = [
    "async ",
    ".await",
    "std::time",
    "std::fs",
    "std::io",
    "std::net",
    "std::thread",
    "tokio",
    "actix",
    "tracing",
    "println!",
    "getrandom",
];

/// The longest a file may be. A module does one whole thing, and most need fewer than 600 lines.
const LINES: usize = 1_000;

/// A source file: its path from the repository's root, and its lines.
struct Source {
    path: String,
    lines: Vec<String>,
}

impl Source {
    /// The lines that are not comments, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.lines.iter().enumerate().map(|(at, line)| (at + 1, line.as_str()));
        numbered.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The crate of `src` to which the file belongs; `None` for the program's own.
    fn own_crate(&self) -> Option<&str> {
        let folder = self.path.strip_prefix("src/")?.split('/').next()?;
        CRATES.into_iter().find(|it| *it == folder)
    }

    /// Every path in this code that leads into `src`, by module (`domain::ids::UserId`), and the code
    /// behind it.
    fn paths<'a>(&'a self, code: &'a str) -> impl Iterator<Item = (String, &'a str)> {
        let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ':');
        code.match_indices("::").filter_map(move |(at, _)| {
            let first = code[..at].rsplit(|sign| !is_part(sign)).next()?.trim_start_matches(':');
            let own = match first {
                "crate" => self.own_crate().map(|own| format!("{own}::")).unwrap_or_default(),
                _ if CRATES.contains(&first) => format!("{first}::"),
                _ => return None,
            };
            let rest = &code[at + 2..];
            let path = rest.split(|sign| !is_part(sign)).next()?;
            Some((format!("{own}{path}"), &rest[path.len()..]))
        })
    }
}

/// Returns all files below a folder whose names have one of these endings.
fn sources(folder: &str, endings: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut folders) = (Vec::new(), vec![root.join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "node_modules" {
                folders.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let lines = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
                let path = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push(Source { path, lines });
            }
        }
    }
    assert!(!found.is_empty(), "no sources below {folder}");
    found
}

#[test]
fn http_uses_neither_the_start_nor_the_tools() {
    let mut wrong = Vec::new();
    for source in ["src/http", "src/admin"].iter().flat_map(|it| sources(it, &[".rs"])) {
        for (at, line) in source.code() {
            let above = |path: &str| path.starts_with("boot") || path.starts_with("cli");
            let paths = source.paths(line).filter(|(path, _)| above(path));
            wrong.extend(paths.map(|(path, _)| format!("{}:{at} names {path}", source.path)));
        }
    }
    assert!(wrong.is_empty(), "the start composes everything else:\n{}", wrong.join("\n"));
}

#[test]
fn http_touches_neither_journal_nor_index() {
    let (mut wrong, mut unused) = (Vec::new(), HTTP_MAY_NAME.to_vec());
    for source in sources("src/http", &[".rs"]) {
        let code =
            || source.code().flat_map(|(at, line)| source.paths(line).map(move |it| (at, it.0)));
        for (at, path) in code() {
            let is_storage = ["index", "journal"].contains(&path.split(':').next().unwrap());
            unused.retain(|(item, _)| !path.starts_with(item));
            if is_storage && !HTTP_MAY_NAME.iter().any(|(item, _)| path.starts_with(item)) {
                wrong.push(format!("{}:{at} names {path}", source.path));
            }
        }
    }
    let why = "rooms and auth ask storage, so that what is not durable is never shown";
    assert!(wrong.is_empty(), "http names no storage: {why}\n{}", wrong.join("\n"));
    assert!(unused.is_empty(), "no longer needed, so take it off the list: {unused:?}");
}

#[test]
fn rules_have_no_time_no_disk_and_no_log() {
    let mut wrong = Vec::new();
    for source in sources("src/domain", &[".rs"]) {
        for (at, line) in source.code() {
            let found = NOT_IN_RULES.iter().find(|word| line.contains(*word));
            wrong.extend(found.map(|word| format!("{}:{at} has {word:?}", source.path)));
        }
    }
    let why = "rules are pure, so that thousands of cases run in milliseconds";
    assert!(wrong.is_empty(), "{why}\n{}", wrong.join("\n"));
}

#[test]
fn replaceable_crates_are_named_in_one_file() {
    let sources = sources("src", &[".rs"]);
    let naming = |word: &str| -> BTreeSet<&str> {
        let names = |source: &&Source| source.code().any(|(_, line)| line.contains(word));
        sources.iter().filter(names).map(|it| it.path.as_str()).collect()
    };
    for (word, home, why) in ONE_FILE_EACH {
        assert_eq!(naming(word), BTreeSet::from([home]), "only {home} names {word:?}: {why}");
    }
    assert_eq!(naming("tantivy::"), SEARCH_FILES.into(), "the engine must stay replaceable");
    assert_eq!(naming("async_nats"), ENGINE_FILES.into(), "what nodes share must be replaceable");
}

/// A list of any length goes through `reply::list` or `fitting.rs`, which count its bytes.
#[test]
fn lists_are_written_within_the_bytes_of_a_page() {
    let found: Vec<String> = sources("src/http", &[".rs"])
        .iter()
        .flat_map(|source| {
            let whole = source.code().filter(|(_, line)| {
                let is_reply = ["reply::ok(", "reply::of(", "reply::created("]
                    .iter()
                    .any(|reply| line.contains(reply));
                is_reply && line.contains("collect")
            });
            whole.map(|(at, _)| format!("{}:{at}", source.path)).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "a list without a limit in bytes:\n{found:#?}");
}

/// An actor that waits for one future polls none of its others, so a place that was given to one of
/// those would be lost. The archive takes places in tasks of its own.
#[test]
fn actors_acquire_no_places() {
    let found: Vec<String> = sources("src", &[".rs"])
        .iter()
        .filter(|source| source.path.starts_with("src/actors/") || names_an_actor(source))
        .flat_map(|source| {
            let acquiring = source.code().filter(|(_, line)| line.contains(".acquire"));
            acquiring.map(|(at, _)| format!("{}:{at}", source.path)).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "an actor may hold a place that it never gives back:\n{found:#?}");
}

fn names_an_actor(source: &Source) -> bool {
    let mut product = source.code().take_while(|(_, line)| *line != "mod tests {");
    product.any(|(_, line)| line.contains("Actor for ") || line.contains("Context<Self>"))
}

/// Tools print names of users, so one module escapes what they print. The log has its own format.
#[test]
fn one_module_prints_for_operators() {
    let may_print = ["src/cli/mod.rs", "src/cli/user.rs", "src/log.rs", "src/main.rs"];
    let prints = ["println!", "print!", "::stdout()", "::stderr()"];
    let mut wrong = Vec::new();
    for source in sources("src", &[".rs"]).iter().filter(|it| !may_print.contains(&&*it.path)) {
        let is_test = |path: &str| path.ends_with("tests.rs") || path.contains("/tests/");
        let lines = source.code().filter(|_| !is_test(&source.path));
        let found = lines.filter(|(_, line)| prints.iter().any(|word| line.contains(word)));
        wrong.extend(found.map(|(at, _)| format!("{}:{at}", source.path)));
    }
    assert!(wrong.is_empty(), "print with `cli::say`, which escapes: {}", wrong.join(", "));
}

/// Text of people has one canonical form; ASCII methods serve for text of protocols.
#[test]
fn one_module_folds_case() {
    let mut wrong = Vec::new();
    for source in sources("src", &[".rs"]) {
        let folds =
            |line: &str| ["to_lowercase", "to_uppercase"].iter().any(|it| line.contains(it));
        let lines = source.code().filter(|(_, line)| folds(line));
        let is_home = source.path.starts_with("src/domain/canonical/");
        wrong.extend(lines.filter(|_| !is_home).map(|(at, _)| format!("{}:{at}", source.path)));
    }
    let why = "compare text of people by `domain::canonical`, other text by ASCII methods";
    assert!(wrong.is_empty(), "{why}: {}", wrong.join(", "));
}

#[test]
fn every_comment_is_meaningful() {
    let pronouns = [
        "As it is", "How", "It", "That", "The same", "Them", "This", "What", "When", "Where",
        "Which", "Who", "Whom", "Whose", "Why",
    ];
    let empty = |line: &str| {
        let said = line.trim().strip_prefix("/// ").and_then(|it| it.strip_suffix('.'));
        said.is_some_and(|said| pronouns.contains(&said))
    };
    let sources = ["src", "tests", "loadtest/src"].map(|folder| sources(folder, &[".rs"]));
    let lines = sources.iter().flatten().flat_map(|source| {
        let numbered = source.lines.iter().enumerate();
        let found = numbered.filter(|(_, line)| empty(line));
        found.map(|(at, _)| format!("{}:{}", source.path, at + 1))
    });
    let found: Vec<String> = lines.collect();
    assert!(found.is_empty(), "say what it is, its unit, its source:\n{}", found.join("\n"));
}

#[test]
fn files_have_at_most_a_thousand_lines() {
    let folders = [("src", ".rs"), ("tests", ".rs"), ("loadtest/src", ".rs"), ("static", ".js")];
    let long: Vec<String> = folders
        .into_iter()
        .flat_map(|(folder, ending)| sources(folder, &[ending]))
        .filter(|source| source.lines.len() > LINES)
        .map(|source| format!("{} has {} lines", source.path, source.lines.len()))
        .collect();
    assert!(long.is_empty(), "at most {LINES} lines a file:\n{}", long.join("\n"));
}

/// Public types that share their name with another one, and why. The list may only shrink.
const SHARED_NAMES: [(&str, &str); 0] = [];

/// The name of the type that a line makes visible outside of its file, if there is one.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = if rest.starts_with('(') { rest.split_once(')')?.1 } else { rest };
    let mut words = rest.strip_prefix(' ')?.split(' ');
    let is_type = ["struct", "enum", "trait", "type"].contains(&words.next()?);
    let name = words.next().filter(|_| is_type)?;
    name.split(|sign: char| !sign.is_alphanumeric()).next().filter(|name| !name.is_empty())
}

#[test]
fn a_public_type_shares_its_name_with_no_other() {
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources("src", &[".rs"]) {
        for (at, line) in source.code() {
            let Some(name) = public_type(line) else { continue };
            homes.entry(name.to_owned()).or_default().push(format!("{}:{at}", source.path));
        }
    }
    homes.retain(|_, places| places.len() > 1);
    let unused: Vec<_> =
        SHARED_NAMES.into_iter().filter(|(name, _)| homes.remove(*name).is_none()).collect();
    let why = "who reads a name must not have to look up which of its meanings is meant";
    assert!(homes.is_empty(), "one word, one type: {why}:\n{homes:#?}");
    assert!(unused.is_empty(), "no longer needed, so take it off the list: {unused:?}");
}

/// Uses that would close a cycle of files, and why they may. The list may only shrink.
const MAY_CLOSE_A_CIRCLE: [(&str, &str, &str); 1] =
    [("http::openapi", "http::routes", "the routes name the handler that shows the routes")];

/// The other files of the library that a file uses, by module. Its tests do not count, nor does the
/// `mod.rs` of its own folder, which names what is in the folder.
fn used_by(source: &Source, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let own = module_path(&source.path);
    let code: Vec<&str> = source.code().map(|(_, line)| line.trim()).collect();
    let code = code.join(" ");
    let code = code.split("#[cfg(test)] mod tests {").next().unwrap();
    let mut used = BTreeSet::new();
    for (path, rest) in source.paths(code) {
        let listed = rest.strip_prefix('{').and_then(|it| it.split('}').next());
        for name in listed.unwrap_or_default().split(',') {
            let whole = format!("{path}{}", name.trim());
            let ends = whole.match_indices("::").map(|(at, _)| &whole[..at]);
            used.extend(
                ends.chain([whole.as_str()])
                    .filter(|it| modules.contains(*it))
                    .last()
                    .map(str::to_owned),
            );
        }
    }
    used.retain(|it| *it != own && !own.starts_with(&format!("{it}::")));
    used
}

/// `actors::group` for `src/actors/group/mod.rs`, `actors` for `src/actors/lib.rs`.
fn module_path(path: &str) -> String {
    let path = path.strip_prefix("src/").unwrap().strip_suffix(".rs").unwrap();
    ["/mod", "/lib"].iter().find_map(|it| path.strip_suffix(it)).unwrap_or(path).replace('/', "::")
}

/// If two tables had the same letter, rows of one would be read as rows of the other.
#[test]
fn every_table_of_the_index_has_a_letter_of_its_own() {
    let sources = sources("src/index", &[".rs"]);
    let table = sources.iter().find(|source| source.path == "src/index/lib.rs").unwrap();
    let rows = table.lines.iter().filter_map(|line| line.strip_prefix("//! | `"));
    let cells = rows.map(|row| row.split(" | ").next().unwrap().replace('`', ""));
    let told: Vec<String> =
        cells.flat_map(|cell| cell.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect();
    let letters: Vec<&String> = told.iter().filter(|letter| letter.len() == 1).collect();
    let once: BTreeSet<&&String> = letters.iter().collect();
    assert_eq!(letters.len(), once.len(), "{letters:?}");
    let used = |line: &str| {
        let at = ["key(b'", "[b\""].iter().find_map(|start| line.split_once(start))?;
        at.1.chars().next()
    };
    for source in sources.iter().filter(|source| source.path != table.path) {
        for letter in source.lines.iter().filter_map(|line| used(line)) {
            assert!(told.contains(&letter.to_string()), "{}: {letter} is in no table", source.path);
        }
    }
}

/// Timeouts are long enough for a busy machine, and a server that hangs is still noticed.
#[test]
fn tests_are_patient() {
    let waits = ["timeout(Duration::from_secs(", "PATIENCE: Duration = Duration::from_secs("];
    let mut faults = Vec::new();
    for source in sources("tests", &["rs"]) {
        for (number, line) in source.code() {
            let line = line.replace("std::time::", "");
            for wait in waits.iter().filter_map(|it| line.split_once(it)) {
                let seconds = wait.1.split(')').next().and_then(|it| it.parse::<u32>().ok());
                if seconds.is_some_and(|it| it < 120) {
                    faults.push(format!("{}:{}", source.path, number));
                }
            }
        }
    }
    assert!(faults.is_empty(), "no test waits less than two minutes: {faults:#?}");
}

#[test]
fn no_files_need_each_other() {
    let is_of_tests = |path: &str| path.ends_with("tests.rs") || path.ends_with("testing.rs");
    let sources: Vec<_> =
        sources("src", &[".rs"]).into_iter().filter(|it| !is_of_tests(&it.path)).collect();
    let modules: BTreeSet<_> = sources.iter().map(|it| module_path(&it.path)).collect();
    let mut uses: BTreeMap<_, _> = sources
        .iter()
        .map(|source| (module_path(&source.path), used_by(source, &modules)))
        .collect();
    for (from, to, why) in MAY_CLOSE_A_CIRCLE {
        let is_used = uses.get_mut(from).is_some_and(|used| used.remove(to));
        assert!(is_used, "no longer needed, so take it off the list: {from} uses {to}: {why}");
    }
    // Removes files that use no other file, or are used by none: they are on no cycle. Repeats this
    // until only cycles are left.
    loop {
        let before = uses.len();
        let all: BTreeSet<_> = uses.values().flatten().cloned().collect();
        uses.retain(|name, used| !used.is_empty() && all.contains(name));
        let left: BTreeSet<_> = uses.keys().cloned().collect();
        uses.values_mut().for_each(|used| used.retain(|name| left.contains(name)));
        if uses.len() == before {
            break;
        }
    }
    let why = "who opens one file of a circle has to read them all";
    assert!(uses.is_empty(), "files that need each other: {why}\n{uses:#?}");
}
