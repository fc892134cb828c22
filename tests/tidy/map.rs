//! The documents for contributors lead to files that exist.

use std::path::Path;

use super::sources;

const DOCUMENTS: [&str; 2] = ["src/README.md", "CONTRIBUTING.md"];
const ENDINGS: [&str; 5] = [".rs", ".js", ".html", ".css", ".toml"];

/// Replaces `a/{b,c}.rs` by `a/b.rs` and `a/c.rs`.
fn expanded(name: &str) -> Vec<String> {
    let braces = name.split_once('{').and_then(|(front, rest)| {
        let (names, end) = rest.split_once('}')?;
        Some(names.split(',').map(|it| format!("{front}{it}{end}")).collect())
    });
    braces.unwrap_or_else(|| vec![name.to_owned()])
}

/// Whether a file below the root or `src/` has this test or function.
fn has(root: &Path, file: &str, name: &str) -> bool {
    let text = |folder: &str| std::fs::read_to_string(root.join(folder).join(file)).ok();
    let text = text("").or_else(|| text("src"));
    text.is_some_and(|it| {
        it.contains(&format!("fn {name}(")) || it.contains(&format!("\"{name}\""))
    })
}

#[test]
fn the_security_review_names_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("tests/asvs.md")).unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    let named = quoted.filter_map(|it| it.split_once(": "));
    let named = named.filter(|(file, _)| ENDINGS.iter().any(|ending| file.ends_with(ending)));
    let (there, missing): (Vec<_>, Vec<_>) = named.partition(|(file, name)| has(root, file, name));
    assert!(there.len() > 100, "{}", there.len());
    assert!(missing.is_empty(), "tests/asvs.md names what is not there: {missing:#?}");
}

#[test]
fn the_map_leads_to_files_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "tests", "loadtest", "static"].map(|folder| sources(folder, &ENDINGS));
    let paths: Vec<String> =
        folders.iter().flatten().map(|source| format!("/{}", source.path)).collect();
    let mut missing = Vec::new();
    let decisions = sources("src/decisions", &[".md"]);
    let documents = DOCUMENTS.into_iter().chain(decisions.iter().map(|it| it.path.as_str()));
    for document in documents {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let quoted = text.split('`').skip(1).step_by(2);
        let is_pattern = |name: &str| name.contains(['<', '*', '…', ' ', '(']);
        let is_file =
            |name: &&str| ENDINGS.iter().any(|it| name.ends_with(it)) && !is_pattern(name);
        for name in quoted.filter(is_file).flat_map(expanded) {
            let is_there = paths.iter().any(|path| path.ends_with(&format!("/{name}")));
            if !is_there && !root.join(&name).exists() {
                missing.push(format!("{document} names {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "the map names missing files:\n{}", missing.join("\n"));
}
