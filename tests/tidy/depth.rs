//! Modules are deep: small files with one user are part of it, and values have names of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, module_path, sources, used_by};

/// A file with fewer lines, and exactly one importer, is merged into the importer.
const SMALL: usize = 120;

/// The table of routes imports a handler from each file of an API section, and nothing else does.
const ROUTES: &str = "http::routes";

/// Each file of these folders is one capability of rooms: its questions, and their handlers. The one who
/// asks imports it.
const CAPABILITIES: [&str; 3] = ["actors::conversation::", "actors::group::", "actors::user::"];

/// Small files that exactly one other file imports, and the reason. The list may only shrink.
const SMALL_WITH_ONE_IMPORTER: [(&str, &str); 15] = [
    (
        "actors::readiness",
        "the answer of /readyz asks the journal and the index, which http must not name",
    ),
    ("actors::token_use", "writes when a token was used; boot only starts it"),
    ("base::bounds::sharded", "a bound of any mailbox, which knows no rooms"),
    ("cluster::pieces", "how bytes travel in the store of the cluster; media name no engine"),
    ("cluster::sync_check", "asks the servers of the log; boot only starts it"),
    ("domain::failure_budget", "a pure rule, tested without the room that keeps it"),
    ("http::multipart", "reads a format that a standard defines"),
    ("http::oauth::cookie", "reads and writes one cookie, for the page of consent"),
    ("http::ranges", "reads a header that a standard defines"),
    ("index::gallery", "rows of messages with links and files; the archive reads them too"),
    ("media::files::sweeper", "removes files; the stores start it"),
    ("media::qr", "makes images, without http"),
    ("subscribers::bayeux::socket", "an actor of Bayeux; http only starts it"),
    ("subscribers::waiting_accounts", "ends accounts at a set time; boot only starts it"),
    ("wire::members_json", "copies what did not change, tested without a group"),
];

/// Bindings `let (a, b) = (x, y)` in `src`. The number may only shrink.
const TUPLE_BINDINGS: usize = 4;

/// Parameters `(a, b): (A, B)` in `src`. The number may only shrink.
const TUPLE_PARAMETERS: usize = 43;

/// Patterns outside of the rules that name variants on [`WALL_LINES`] lines or more. An accessor beside
/// the enum decides once, for all who ask. The number may only shrink.
const WALLS: usize = 33;
const WALL_LINES: usize = 4;

fn is_of_tests(path: &str) -> bool {
    path.ends_with("tests.rs") || path.ends_with("testing.rs") || path.contains("/tests/")
}

/// The file of a folder itself describes the folder, and is not counted.
fn is_small(source: &Source) -> bool {
    source.lines.len() < SMALL && !["/mod.rs", "/lib.rs"].iter().any(|it| source.path.ends_with(it))
}

#[test]
fn small_files_have_two_importers_or_a_reason() {
    let sources: Vec<Source> =
        sources("src", &[".rs"]).into_iter().filter(|it| !is_of_tests(&it.path)).collect();
    let modules: BTreeSet<String> = sources.iter().map(|it| module_path(&it.path)).collect();
    let mut importers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in &sources {
        for used in used_by(source, &modules) {
            importers.entry(used).or_default().insert(module_path(&source.path));
        }
    }
    let mut unused = SMALL_WITH_ONE_IMPORTER.to_vec();
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|source| is_small(source)) {
        let module = module_path(&source.path);
        if CAPABILITIES.iter().any(|it| module.starts_with(it)) {
            continue;
        }
        let Some(importers) = importers.get(&module) else { continue };
        let importer = importers.first().filter(|it| importers.len() == 1 && *it != ROUTES);
        let Some(importer) = importer else { continue };
        let listed = unused.len();
        unused.retain(|(name, _)| *name != module);
        if unused.len() == listed {
            wrong.push(format!("{module} is imported only by {importer}"));
        }
    }
    let why = "merge it into its importer, or give a reason in the list";
    assert!(wrong.is_empty(), "{why}:\n{}", wrong.join("\n"));
    assert!(unused.is_empty(), "no longer needed, so take it off the list: {unused:?}");
}

/// Whether a pattern consists of two names or more.
fn is_names(pattern: &str) -> bool {
    let is_name = |name: &str| {
        let name = name.trim().trim_start_matches("mut ");
        !name.is_empty() && name.chars().all(|sign| sign.is_alphanumeric() || sign == '_')
    };
    pattern.contains(',') && pattern.trim_end_matches([',', ' ']).split(',').all(is_name)
}

/// The code of a file in one line, without comments.
fn joined(source: &Source) -> String {
    source.code().map(|(_, line)| line.trim()).collect::<Vec<_>>().join(" ")
}

fn tuple_bindings(code: &str) -> usize {
    let is_tuple = |rest: &&str| {
        let Some((pattern, rest)) = rest.split_once(')') else { return false };
        let value = rest.split_once('=').filter(|(of_type, _)| {
            of_type.trim().is_empty() || (of_type.starts_with(": ") && !of_type.contains(';'))
        });
        is_names(pattern) && value.is_some_and(|(_, value)| value.starts_with(" ("))
    };
    code.split("let (").skip(1).filter(is_tuple).count()
}

fn tuple_parameters(code: &str) -> usize {
    let is_tuple = |(at, _): &(usize, &str)| {
        let before = &code[..*at];
        let Some(start) = before.rfind('(') else { return false };
        let is_parameter = before[..start].trim_end().ends_with(['(', ',']);
        is_parameter && is_names(&before[start + 1..])
    };
    code.match_indices("): (").filter(is_tuple).count()
}

#[test]
fn values_have_names_of_their_own() {
    let codes: Vec<String> = sources("src", &[".rs"]).iter().map(joined).collect();
    let bindings: usize = codes.iter().map(|code| tuple_bindings(code)).sum();
    let parameters: usize = codes.iter().map(|code| tuple_parameters(code)).sum();
    let why = "bind each value by a `let` of its own";
    assert!(bindings <= TUPLE_BINDINGS, "{bindings} bindings of tuples: {why}");
    let why = "give each value a parameter, or make a struct";
    assert!(parameters <= TUPLE_PARAMETERS, "{parameters} parameters are tuples: {why}");
}

#[test]
fn tuples_are_counted() {
    assert_eq!(tuple_bindings("let (a, mut b) = (1, 2); let (c, d): (u8, u8) = (3, 4);"), 2);
    assert_eq!(
        tuple_bindings("let (a, b) = both(); let (Some(a), b) = (x, y) else { return };"),
        0
    );
    assert_eq!(
        tuple_parameters("fn at((x, y): (u8, u8), z: u8) {} let (a, b): (u8, u8) = both;"),
        1
    );
}

fn walls(lines: &[String]) -> usize {
    let is_variant = |line: &String| {
        let line = line.trim();
        let holds_nothing = !line.contains('(') || line.contains("(_)");
        line.starts_with("| ") && line.contains("::") && holds_nothing
    };
    lines
        .chunk_by(|one, next| is_variant(one) == is_variant(next))
        .filter(|run| run.len() >= WALL_LINES && is_variant(&run[0]))
        .count()
}

#[test]
fn variants_are_named_beside_their_enum() {
    let sources = sources("src", &[".rs"]);
    let outside = sources.iter().filter(|it| !it.path.starts_with("src/domain/"));
    let walls: usize = outside.map(|source| walls(&source.lines)).sum();
    let why = "add an accessor beside the enum, and use it";
    assert!(walls <= WALLS, "{walls} patterns list variants: {why}");
}

#[test]
fn walls_are_counted() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(walls(&lines("A::B\n| A::C(_)\n| A::D { .. }\n| A::E\n| A::F => {}")), 1);
    assert_eq!(walls(&lines("A::B\n| A::C(_)\n| A::D { .. }\n| A::E => {}")), 0);
}
