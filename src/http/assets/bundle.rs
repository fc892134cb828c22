//! The web client's modules joined into one file, so that a first visit takes a handful
//! of requests instead of a hundred.
//!
//! Each module becomes a function that returns what the module exports, in an order in
//! which everything imported is there already. That works for modules of the form that
//! `static/js` is written in: imports and exports start a line, exports are constants,
//! functions or classes, and nothing is imported in a circle. Whatever has another form is
//! refused by name, and the pages fall back to the modules as they are. Comments and
//! indentation stay behind; names stay, so that a trace from a browser can be read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Modules of others, below this folder, are files of their own: they have forms that
/// are not ours.
pub(super) const VENDORED: &str = "js/vendor/";

/// Joins a module and everything it imports. `read` gives the source of a path below
/// `static/`, `address` the URL of a vendored one.
///
/// Errors: which line of which module is none that can be joined, for its author.
pub(super) fn join(
    entry: &str,
    read: &dyn Fn(&str) -> Option<String>,
    address: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut bundle =
        Bundle { read, address, places: BTreeMap::new(), head: String::new(), text: String::new() };
    bundle.add(entry)?;
    Ok(bundle.head + &bundle.text)
}

struct Bundle<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    address: &'a dyn Fn(&str) -> Option<String>,
    /// The number of each module; none while what it imports is being added.
    places: BTreeMap<String, Option<usize>>,
    head: String,
    text: String,
}

impl Bundle<'_> {
    /// The number of a module, which is added unless it is there.
    fn add(&mut self, path: &str) -> Result<usize, String> {
        match self.places.get(path) {
            Some(Some(place)) => return Ok(*place),
            Some(None) => return Err(format!("{path} imports itself by way of others")),
            None => {}
        }
        self.places.insert(path.to_owned(), None);
        let place = if path.starts_with(VENDORED) { self.link(path) } else { self.wrap(path) }?;
        self.places.insert(path.to_owned(), Some(place));
        Ok(place)
    }

    fn next_place(&self) -> usize {
        self.places.values().flatten().count()
    }

    fn link(&mut self, path: &str) -> Result<usize, String> {
        let url = (self.address)(path).ok_or_else(|| format!("there is no {path}"))?;
        let place = self.next_place();
        writeln!(self.head, "import * as m{place} from \"{url}\";").expect("writing to memory");
        Ok(place)
    }

    fn wrap(&mut self, path: &str) -> Result<usize, String> {
        let source = (self.read)(path).ok_or_else(|| format!("there is no {path}"))?;
        let code = code_of(&source);
        let (mut body, mut exports) = (String::new(), Vec::new());
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            let refuse = |why: &str| format!("{path}: {why}: {line}");
            if line.starts_with("import ") {
                let mut statement = line.to_owned();
                while !statement.ends_with(';') {
                    statement += lines.next().ok_or_else(|| refuse("an import without an end"))?;
                }
                let (names, from) =
                    import(&statement).ok_or_else(|| refuse("no import that can be joined"))?;
                let place = self.add(&resolve(path, from))?;
                writeln!(body, "const {{{names}}} = m{place};").expect("writing to memory");
            } else if line == "export {};" {
                // It only says that the file is a module.
            } else if let Some(declared) = line.strip_prefix("export ") {
                let name =
                    exported(declared).ok_or_else(|| refuse("no export that can be joined"))?;
                exports.push(name.to_owned());
                body += declared;
                body.push('\n');
            } else {
                body += line;
                body.push('\n');
            }
        }
        let place = self.next_place();
        let exports = exports.join(", ");
        write!(self.text, "const m{place} = (() => {{\n{body}return {{ {exports} }};\n}})();\n")
            .expect("writing to memory");
        Ok(place)
    }
}

/// What `import { a, b as c } from "./x.js";` takes, as an object pattern, and from where.
fn import(statement: &str) -> Option<(String, &str)> {
    let (names, from) = statement.strip_prefix("import {")?.split_once("} from \"")?;
    Some((names.replace(" as ", ": "), from.strip_suffix("\";")?))
}

/// The name that a declaration makes known.
fn exported(declaration: &str) -> Option<&str> {
    let rest = declaration.strip_prefix("async ").unwrap_or(declaration);
    let rest = ["const ", "function ", "class "].iter().find_map(|word| rest.strip_prefix(word))?;
    let end = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != '$')?;
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

/// The path that a module means by a relative one.
fn resolve(module: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = module.split('/').collect();
    parts.pop();
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// A source without the comments that stand alone on their lines or give a type, and
/// without indentation. What stands in template literals of several lines is left alone.
fn code_of(source: &str) -> String {
    let mut code = String::with_capacity(source.len() / 2);
    let (mut in_comment, mut in_template) = (false, false);
    for line in source.lines() {
        let line = if in_template { line } else { line.trim() };
        let line = if in_comment {
            let Some((_, rest)) = line.split_once("*/") else { continue };
            in_comment = false;
            rest.trim()
        } else {
            line
        };
        if !in_template {
            if line.starts_with("/*") && !line.contains("*/") {
                in_comment = true;
                continue;
            }
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
        }
        let line = if in_template { line.to_owned() } else { without_types(line) };
        in_template ^= line.matches('`').count() % 2 == 1;
        if !line.is_empty() {
            code += &line;
            code.push('\n');
        }
    }
    code
}

/// A line without its `/** … */`.
fn without_types(line: &str) -> String {
    let mut rest = line;
    let mut kept = String::with_capacity(line.len());
    while let Some((before, comment)) = rest.split_once("/** ") {
        let Some((_, after)) = comment.split_once("*/") else { break };
        kept += before;
        rest = if before.ends_with(|last: char| last.is_alphanumeric()) {
            after
        } else {
            after.trim_start()
        };
    }
    kept += rest;
    kept
}

/// Style sheets joined in their order, without comments and indentation.
pub(super) fn join_styles(sheets: &[String]) -> String {
    let mut styles = String::new();
    for sheet in sheets {
        let mut rest = sheet.as_str();
        let mut bare = String::with_capacity(rest.len());
        while let Some((before, comment)) = rest.split_once("/*") {
            bare += before;
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        }
        bare += rest;
        for line in bare.lines().map(str::trim).filter(|line| !line.is_empty()) {
            styles += line;
            styles.push('\n');
        }
    }
    styles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[(&str, &str)]) -> Result<String, String> {
        let find = |path: &str| files.iter().find(|(name, _)| *name == path);
        let read = |path: &str| find(path).map(|(_, text)| (*text).to_owned());
        let address = |path: &str| find(path).map(|_| format!("/hashed/{path}"));
        join(files[0].0, &read, &address)
    }

    #[test]
    fn what_is_imported_comes_first_and_once() {
        let text = joined(&[
            (
                "js/main.js",
                "import { a } from \"./a.js\";\nimport {\n  b as c,\n} from \"./views/b.js\";\nrun(a, c);\n",
            ),
            ("js/a.js", "/** One. */\nexport const a = 1; \n"),
            (
                "js/views/b.js",
                "import { a } from \"../a.js\";\nexport async function b() {\n  // Two.\n  return a;\n}\n",
            ),
        ]);
        let expected = "const m0 = (() => {\nconst a = 1;\nreturn { a };\n})();\n\
             const m1 = (() => {\nconst { a } = m0;\nasync function b() {\nreturn a;\n}\nreturn { b };\n})();\n\
             const m2 = (() => {\nconst { a } = m0;\nconst {b: c,} = m1;\nrun(a, c);\nreturn {  };\n})();\n";
        assert_eq!(text.as_deref(), Ok(expected));
    }

    #[test]
    fn types_are_left_out_and_texts_are_kept() {
        let source = "const x = /** @type {A} */ (y);\nf(/** @type {B} */ it, \"// no /* comment\");\n\
             /** @typedef {C} C */\n  z(`two\n  // lines`);\n";
        assert_eq!(
            code_of(source),
            "const x = (y);\nf(it, \"// no /* comment\");\nz(`two\n  // lines`);\n"
        );
    }

    #[test]
    fn vendored_modules_stay_files_of_their_own() {
        let text = joined(&[
            ("js/main.js", "import { h } from \"./vendor/tiny.js\";\nh();\n"),
            ("js/vendor/tiny.js", "export{x as h}"),
        ]);
        let text = text.unwrap();
        assert!(text.starts_with("import * as m0 from \"/hashed/js/vendor/tiny.js\";\n"), "{text}");
        assert!(text.contains("const { h } = m0;"), "{text}");
    }

    #[test]
    fn what_cannot_be_joined_is_named() {
        for (source, problem) in [
            ("export default 1;", "js/main.js: no export that can be joined: export default 1;"),
            (
                "import x from \"./x.js\";",
                "js/main.js: no import that can be joined: import x from \"./x.js\";",
            ),
            ("import { x } from \"./x.js\";", "there is no js/x.js"),
            ("import { x } from \"./main.js\";", "js/main.js imports itself by way of others"),
        ] {
            assert_eq!(joined(&[("js/main.js", source)]), Err(problem.to_owned()));
        }
    }

    #[test]
    fn styles_keep_their_order() {
        let sheets =
            ["/* One. */\na {\n  color: red;\n}\n".to_owned(), "b { /* two */ }\n".to_owned()];
        assert_eq!(join_styles(&sheets), "a {\ncolor: red;\n}\nb {  }\n");
    }
}
