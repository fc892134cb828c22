//! The dependencies of the binary: their licences, where they come from, how often the same crate
//! is there, and whether anything uses it. Reads the output of cargo itself, so nothing has to be
//! installed. Known vulnerabilities are not looked up, since their database is on GitHub only;
//! `cargo audit` does that by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Licences under which anybody may pass the binary on.
const LICENCES: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// Crates that the binary holds in several versions, and which dependency needs the other version.
/// The list may only shrink: an entry that is no longer needed fails the test, too.
const SEVERAL: [(&str, &str); 22] = [
    ("base64", "tantivy is ahead of the others"),
    ("block-buffer", RUST_CRYPTO),
    ("const-oid", RUST_CRYPTO),
    ("cpufeatures", RUST_CRYPTO),
    ("crypto-common", RUST_CRYPTO),
    ("digest", RUST_CRYPTO),
    ("getrandom", "rand_core of p256 has the oldest, rand of actix-http the newest"),
    ("hashbrown", "dashmap, quick_cache and indexmap have one each"),
    ("hkdf", RUST_CRYPTO),
    ("hmac", RUST_CRYPTO),
    ("http", "actix-http stays with 0.2; awc's connector and web-push-native have 1"),
    ("jiff", JIFF),
    ("jiff-core", JIFF),
    ("miniz_oxide", "png stays with 0.8, flate2 has 0.9"),
    ("nom", "tantivy's query grammar stays with 7, lettre has 8"),
    ("parking_lot", "sled stays with 0.11"),
    ("parking_lot_core", "sled stays with parking_lot 0.11"),
    ("rand", "rsa has the oldest, tantivy's sketches stay with 0.9, actix-http has the newest"),
    ("rand_chacha", "as rand"),
    ("rand_core", RUST_CRYPTO),
    ("sha2", RUST_CRYPTO),
    ("syn", "actix's macros are ahead of the others; in the build only"),
];
const JIFF: &str = "rusty-s3 stays with 0.2";
const RUST_CRYPTO: &str =
    "argon2, p256 and web-push-native are of one generation, actix-http's sha1 of the next";

/// How many crates of others a first `cargo build --release` may compile: 297, one that detects the type of a
/// file by its bytes, one that reads HTML, one that makes QR codes, two for systemd, three
/// that know time zones, six for certificates by ACME, six for mail, three for one-time codes, seven
/// that sign requests to S3, 21 that check passkeys, and 60 that the search engine brings. An inverted index of our own would
/// need none of them, but thousands of lines of code where theirs has been proven for years.
const MOST_CRATES: usize = 408;

/// Dependencies that no line of code names, and why they are there.
const UNNAMED: [(&str, &str); 0] = [];

/// The output of `cargo metadata` for the workspace and its dependencies.
fn metadata() -> Value {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--format-version", "1", "--filter-platform"]);
    let told = cargo.arg("x86_64-unknown-linux-gnu").current_dir(root).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    serde_json::from_slice(&told.stdout).unwrap()
}

fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of[field].as_str().unwrap()
}

fn list<'a>(of: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    of[field].as_array().unwrap().iter()
}

/// The packages that the binary is linked from or built with, without those of tests alone.
fn shipped(metadata: &Value) -> Vec<&Value> {
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"], "nodes").map(|node| (text(node, "id"), node)).collect();
    let mut wanted = vec![text(&metadata["resolve"], "root")];
    let mut found = BTreeSet::new();
    while let Some(id) = wanted.pop() {
        if !found.insert(id) {
            continue;
        }
        let ships = |dep: &&Value| list(dep, "dep_kinds").any(|kind| kind["kind"] != "dev");
        wanted.extend(list(nodes[id], "deps").filter(ships).map(|dep| text(dep, "pkg")));
    }
    let built = built();
    let packages = list(metadata, "packages");
    let packages = packages.filter(|package| found.contains(text(package, "id")));
    packages.filter(|package| built.contains(&named(package))).collect()
}

/// The packages that cargo compiles for the binary, each with its version. `cargo metadata` lists
/// more: those that only features of tests or weak features name.
fn built() -> BTreeSet<String> {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--package", "coterie", "--edges", "normal,build"]);
    cargo.args(["--target", "x86_64-unknown-linux-gnu", "--prefix", "none", "--format", "{p}"]);
    let told = cargo.current_dir(root).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let lines = String::from_utf8(told.stdout).unwrap();
    let name = |line: &str| {
        let mut words = line.split(' ');
        Some(format!("{} {}", words.next()?, words.next()?.strip_prefix('v')?))
    };
    lines.lines().filter_map(name).collect()
}

fn named(package: &Value) -> String {
    format!("{} {}", text(package, "name"), text(package, "version"))
}

/// Whether one of the licences to choose from is allowed (an SPDX expression, without deeper
/// nesting than crates use).
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace(['(', ')'], "").replace('/', " OR ");
    let all = |part: &str| part.split(" AND ").all(|it| LICENCES.contains(&it.trim()));
    expression.split(" OR ").any(all)
}

#[test]
fn everything_may_be_given_away() {
    let metadata = metadata();
    let wrong: Vec<String> = shipped(&metadata)
        .into_iter()
        .filter(|package| !package["license"].as_str().is_some_and(is_allowed))
        .map(|package| format!("{}: {}", named(package), package["license"]))
        .collect();
    assert!(wrong.is_empty(), "look at these licences:\n{}", wrong.join("\n"));
}

#[test]
fn everything_comes_from_the_registry() {
    let metadata = metadata();
    let elsewhere = list(&metadata, "packages").filter(|package| {
        let source = package["source"].as_str();
        let is_own = source.is_none();
        !is_own && !source.is_some_and(|it| it.starts_with("registry+https://github.com/rust-lang"))
    });
    let elsewhere: Vec<String> = elsewhere.map(named).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

#[test]
fn no_crate_comes_in_twice_but_for_those_on_the_list() {
    let metadata = metadata();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in shipped(&metadata) {
        versions.entry(text(package, "name")).or_default().push(text(package, "version"));
    }
    versions.retain(|_, versions| versions.len() > 1);
    let twice: Vec<&str> = versions.keys().copied().collect();
    let known = SEVERAL.map(|(name, _)| name);
    assert_eq!(twice, known, "each costs building and memory: {versions:?}");
}

#[test]
fn a_first_build_stays_short() {
    let metadata = metadata();
    let count = shipped(&metadata).iter().filter(|it| !it["source"].is_null()).count();
    assert!(
        count <= MOST_CRATES,
        "{count} crates, {MOST_CRATES} at most: each is compiled before the first start; leave \
         one out, or raise the bound and say in Cargo.toml what the new one is for"
    );
}

/// Returns every Rust file of a package, as one text. The crates in `src` have no folder `src` of
/// their own.
fn code(manifest: &Path) -> String {
    let folder = manifest.parent().unwrap();
    let mut folders: Vec<PathBuf> =
        ["src", "tests", "packaging"].map(|it| folder.join(it)).to_vec();
    if !folders[0].is_dir() {
        folders = vec![folder.to_owned()];
    }
    let mut all = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.join("Cargo.toml").exists() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                all.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    all
}

#[test]
fn every_dependency_is_used() {
    let metadata = metadata();
    let mut unused = Vec::new();
    for package in list(&metadata, "packages").filter(|it| it["source"].is_null()) {
        let code = code(Path::new(text(package, "manifest_path")));
        for dependency in list(package, "dependencies") {
            let name = dependency["rename"].as_str().unwrap_or(text(dependency, "name"));
            let used = name.replace('-', "_");
            let is_used = ["::", ";"].iter().any(|end| code.contains(&format!("{used}{end}")));
            let is_explained = UNNAMED.iter().any(|(known, _)| *known == name);
            if is_used == is_explained {
                unused.push(format!("{} of {}", name, text(package, "name")));
            }
        }
    }
    assert!(
        unused.is_empty(),
        "nothing names these (or the list of exceptions is old): {unused:?}"
    );
}
