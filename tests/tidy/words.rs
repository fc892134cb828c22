//! Rules for the language of the sources: phrases that they avoid, and how tests are named.

use super::{Source, sources};

/// Phrases that are hard to understand for readers of English as a second language, with what to
/// write instead.
const AVOIDED: [(&str, &str); 15] = [
    ("whoever", "name the actor: the client, the owner, everyone who …"),
    ("whatsoever", "leave it out"),
    ("anew", "again; made anew: rebuilt"),
    ("gone on", "continued"),
    ("goes on being", "stays"),
    ("for want of", "for lack of"),
    ("all the same", "anyway, still"),
    ("told of", "received, notified about"),
    ("of itself", "its own"),
    ("thereof", "of it"),
    ("heard of", "received, knew"),
    ("portrait", "avatar, profile"),
    ("mend", "repair"),
    ("mended", "repaired"),
    ("as it is by now", "in its current state"),
];

/// Files that may contain such phrases, and why. The list may only shrink.
const MAY_CONTAIN: [(&str, &str); 1] = [("tests/tidy/words.rs", "it lists them")];

/// Words with which no name of a test begins: a name begins with its subject.
const NO_SUBJECTS: [&str; 11] = [
    "of",
    "that",
    "what",
    "whatever",
    "where",
    "wherever",
    "which",
    "whichever",
    "who",
    "whoever",
    "whose",
];

/// The median length of the names of Rust tests stays below this number of characters.
const MEDIAN_BELOW: usize = 45;

/// Whether a line contains a phrase as whole words, in any case.
fn contains(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let is_part = |sign: Option<char>| sign.is_some_and(|it| it.is_alphanumeric() || it == '_');
    line.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + phrase.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

#[test]
fn sources_avoid_hard_phrases() {
    let endings = [".rs", ".js", ".html", ".css", ".md", ".py"];
    let folders = ["src", "tests", "static", "loadtest"];
    let all: Vec<Source> = folders.iter().flat_map(|it| sources(it, &endings)).collect();
    let mut found = Vec::new();
    for source in &all {
        let may = MAY_CONTAIN.iter().any(|(path, _)| *path == source.path);
        let mut has_any = false;
        for (at, line) in source.lines.iter().enumerate() {
            let hard = AVOIDED.iter().filter(|(phrase, _)| contains(line, phrase));
            for (phrase, instead) in hard {
                has_any = true;
                if !may {
                    found.push(format!("{}:{}: {phrase} ({instead})", source.path, at + 1));
                }
            }
        }
        if may && !has_any {
            found.push(format!("{} needs no exception any more", source.path));
        }
    }
    assert!(found.is_empty(), "write for readers of plain English:\n{}", found.join("\n"));
}

/// The names of the Rust tests of a file.
fn rust_tests(source: &Source) -> impl Iterator<Item = String> {
    let is_test = |line: &str| {
        let line = line.trim_start();
        line.starts_with("#[test]") || (line.starts_with("#[") && line.contains("::test"))
    };
    let name = |line: &String| {
        let (_, rest) = line.split_once("fn ")?;
        Some(rest.split('(').next()?.to_owned())
    };
    let starts = source.lines.iter().enumerate().filter(move |(_, line)| is_test(line));
    starts.filter_map(move |(at, _)| source.lines[at + 1..].iter().take(4).find_map(name))
}

/// The titles of the browser tests of a file.
fn browser_tests(source: &Source) -> impl Iterator<Item = String> {
    source.lines.iter().filter_map(|line| {
        let title = line.trim_start().strip_prefix("test(")?.get(1..)?;
        Some(title.to_owned())
    })
}

#[test]
fn test_names_begin_with_their_subject() {
    let rust = ["src", "tests", "loadtest"].map(|folder| sources(folder, &[".rs"]));
    let browser = sources("tests/browser", &[".test.js"]);
    let of_rust = rust.iter().flatten().flat_map(|it| rust_tests(it).map(|name| (&it.path, name)));
    let of_browser = browser.iter().flat_map(|it| browser_tests(it).map(|name| (&it.path, name)));
    let found: Vec<String> = of_rust
        .chain(of_browser)
        .filter(|(_, name)| {
            let first = name.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
            NO_SUBJECTS.contains(&first.to_lowercase().as_str())
        })
        .map(|(path, name)| format!("{path}: {name}"))
        .collect();
    assert!(found.is_empty(), "begin with the subject:\n{}", found.join("\n"));
}

#[test]
fn test_names_are_short() {
    let rust = ["src", "tests", "loadtest"].map(|folder| sources(folder, &[".rs"]));
    let mut lengths: Vec<usize> =
        rust.iter().flatten().flat_map(rust_tests).map(|name| name.len()).collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median < MEDIAN_BELOW, "the median length of test names is {median}");
}
