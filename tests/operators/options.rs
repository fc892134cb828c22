//! The documented options are those that the program has.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::CommandFactory;
use coterie::cli::command::CommandLine;
use tempfile::TempDir;

use crate::program::{Program, coterie};

/// For each option its environment variable and default.
type Rows = BTreeMap<String, (String, String)>;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The options of the program. A default that is described in words has an empty string here.
fn options() -> Rows {
    let command = CommandLine::command();
    let arguments = command.get_arguments().filter(|argument| argument.get_env().is_some());
    let row = |argument: &clap::Arg| {
        let name = format!("--{}", argument.get_long().unwrap());
        let variable = argument.get_env().unwrap().to_str().unwrap().to_owned();
        let default: Vec<&str> =
            argument.get_default_values().iter().map(|it| it.to_str().unwrap()).collect();
        (name, (variable, default.join(",")))
    };
    arguments.map(row).collect()
}

/// The text of every cell in a table row of the page.
fn cells(row: &str) -> Vec<String> {
    let cell = |part: &str| {
        let text = part.split("</td>").next().unwrap();
        text.replace("<code>", "").replace("</code>", "").trim().to_owned()
    };
    row.split("<td>").skip(1).map(cell).collect()
}

#[test]
fn the_page_for_operators_has_every_option_and_no_other() {
    let page = read("static/docs/operators.html");
    let table = page.split("<tbody id=\"options\">").nth(1).unwrap().split("</tbody>").next();
    let rows = table.unwrap().split("<tr>").skip(1).map(cells);
    let told: Rows = rows
        .map(|cells| match cells.as_slice() {
            [option, variable, default, meaning] => {
                assert!(!meaning.is_empty(), "{option}");
                // Words in brackets describe the behaviour without a value.
                let default = if default.starts_with('(') { "" } else { default };
                (option.clone(), (variable.clone(), default.to_owned()))
            }
            other => panic!("four cells: {other:?}"),
        })
        .collect();
    assert_eq!(told, options());
}

#[test]
fn documented_options_match_the_program() {
    let readme = read("README.md");
    let options = options();
    let rows: Vec<&str> = readme.lines().filter(|line| line.starts_with("| `--")).collect();
    assert!(!rows.is_empty());
    for row in rows {
        let mut cells = row.split('|').skip(1).map(|cell| cell.trim().trim_matches('`'));
        let (option, told) = (cells.next().unwrap(), cells.next().unwrap());
        let (_, default) = options.get(option).unwrap_or_else(|| panic!("{option} is no option"));
        assert!(default.is_empty() || told == default, "{option}: {told}, {default}");
    }
    assert!(readme.contains("(static/docs/operators.html)"), "it leads to all of them");
}

#[test]
fn every_tool_is_explained_to_operators() {
    let page = read("static/docs/operators.html");
    let mut command = CommandLine::command();
    command.build();
    for tool in command.get_subcommands().filter(|it| it.get_name() != "help") {
        let names: Vec<String> = match tool.get_subcommands().count() {
            0 => vec![format!("coterie {}", tool.get_name())],
            _ => {
                let acts = tool.get_subcommands().filter(|it| it.get_name() != "help");
                acts.map(|act| format!("coterie {} {}", tool.get_name(), act.get_name())).collect()
            }
        };
        for name in names {
            assert!(page.contains(&name), "{name} is not in static/docs/operators.html");
        }
    }
}

#[test]
fn invalid_option_gives_one_line_and_code_2() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path().join("data");
    for (option, value, help) in [
        ("--index-cache", "1", "at least 1MiB"),
        ("--index-cache", "0", "at least 1MiB"),
        ("--token-ttl", "99999999999999d", "at most 36500d"),
        ("--public-url", "chat.example.org", "a URL like https://chat.example.org"),
        ("--listen", "localhost:0", "an IP address and a port"),
        (
            "--registration",
            "anybody",
            "must be open, closed, approval, invite or domain:example.org",
        ),
        ("--registration", "domain:", "must be domains, like example.org"),
        ("--registration", "domain:two words", "must be domains, like example.org"),
        ("--registration", "domain:example.org", "needs --smtp-url"),
    ] {
        let mut command = coterie(&[option, value, "--data-dir", data.to_str().unwrap()]);
        let output = command.output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{option} {value}: {told}");
        assert!(told.lines().count() == 1 && told.contains(help), "{option} {value}: {told}");
    }
    assert!(!data.exists());
}

/// Whether the system may give this process huge pages: `0` or `1`.
fn huge_pages_of(process: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
    line.unwrap().trim().to_owned()
}

/// The memory of this process that lies in huge pages.
fn memory_in_huge_pages(process: &str) -> String {
    let sizes = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap();
    let line = sizes.lines().find_map(|line| line.strip_prefix("AnonHugePages:"));
    line.unwrap().trim().to_owned()
}

/// The allocator requests huge pages before the server can refuse them.
#[test]
fn server_keeps_no_huge_pages_from_before_its_options() {
    let data = TempDir::new().unwrap();
    let server = Program::starts(data.path(), &[]);
    assert_eq!(memory_in_huge_pages(&server.child.id().to_string()), "0 kB");
    server.stops();
}

#[test]
fn server_has_no_huge_pages_unless_the_operator_wants_them() {
    let data = TempDir::new().unwrap();
    for (options, wanted) in [(&[][..], "0"), (&["--huge-pages"], &huge_pages_of("self"))] {
        let server = Program::starts(data.path(), options);
        assert_eq!(huge_pages_of(&server.child.id().to_string()), wanted, "{options:?}");
        server.stops();
    }
}
