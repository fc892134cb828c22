//! Joins the web client's modules into a few files, so that a first visit takes a handful of
//! requests instead of a hundred: one file with all that the page starts with, and a part for each
//! module that is loaded later, by `import("./x.js")`, with the modules that it alone needs.
//!
//! Each module becomes a function that returns the module's exports, after the modules that it
//! imports. That works for modules written as in `static/js`: imports and exports start a line,
//! exports are constants, functions or classes, and no imports form a circle. Anything else is
//! refused with the module's name, and the pages fall back to the single modules. Comments and
//! indentation are removed; names stay, so that stack traces from browsers can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::http::assets::source::{code_of, exported, import, later, resolve, waits};

/// Third-party modules are below this folder. They stay files of their own, since they have other
/// forms than ours.
pub(super) const VENDORED: &str = "js/vendor/";

/// The part with modules that several of the modules loaded later need.
const SHARED: &str = "shared.js";

/// The code with which the first file loads the parts. A file that failed to load is requested
/// again under another name, since browsers may remember the failure.
const LOADER: &str = "const $all = {}, $coming = {}, $tries = {}, $joined = new Set();
async function $load(path) {
const [name, ...files] = $parts[path];
const parts = await Promise.all(files.map((file) => ($coming[file] ??= $import(file))));
for (const part of parts) {
if ($joined.has(part)) continue;
$joined.add(part);
Object.assign($all, part.join($all, $load));
}
return $all[name];
}
async function $import(file) {
const tries = ($tries[file] = ($tries[file] ?? -1) + 1);
try {
return await import(tries ? `${file}?${tries}` : file);
} catch (error) {
delete $coming[file];
throw error;
}
}
";

/// The files made from the modules.
pub(super) struct JoinedScript {
    /// The parts that are loaded later: name and text.
    pub(super) parts: Vec<(String, String)>,
    /// For each module that is loaded later: its path, its name in the text, and the indices in
    /// `parts` of the parts that it needs.
    wanted: Vec<(String, String, Vec<usize>)>,
    first: String,
}

impl JoinedScript {
    /// Whether the first file contains everything and nothing is loaded later.
    pub(super) fn is_whole(&self) -> bool {
        self.wanted.is_empty()
    }

    /// The text of the first file, given the URLs of all parts.
    pub(super) fn first(&self, urls: &[String]) -> String {
        if self.wanted.is_empty() {
            return self.first.clone();
        }
        let mut known = String::new();
        for (path, name, parts) in &self.wanted {
            let files: String = parts.iter().map(|part| format!(", \"{}\"", urls[*part])).collect();
            writeln!(known, "\"{path}\": [\"{name}\"{files}],").expect("writing to memory");
        }
        // Imports of third-party modules come first in a file.
        let (imports, modules) = self.first.split_at(self.first.find("const ").unwrap_or(0));
        format!("{imports}const $parts = {{\n{known}}};\n{LOADER}{modules}")
    }
}

/// Joins a module and everything it imports. `read` returns the source for a path below `static/`,
/// `address` the URL of a third-party module.
///
/// Errors: the module and line that cannot be joined, for its author.
pub(super) fn join(
    entry: &str,
    read: &dyn Fn(&str) -> Option<String>,
    address: &dyn Fn(&str) -> Option<String>,
) -> Result<JoinedScript, String> {
    let mut bundle =
        Bundle { read, address, places: BTreeMap::new(), modules: Vec::new(), later: Vec::new() };
    bundle.add(entry)?;
    let first = bundle.modules.len();
    let mut next = 0;
    while next < bundle.later.len() {
        bundle.add(&bundle.later[next].clone())?;
        next += 1;
    }
    bundle.in_parts(first)
}

/// A module in its joined form; it is named after its index.
struct Module {
    /// The import statement of a third-party module; empty for others.
    link: String,
    text: String,
    imports: Vec<usize>,
    waits: bool,
}

struct Bundle<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    address: &'a dyn Fn(&str) -> Option<String>,
    /// The index of each module by path; `None` while its imports are being added.
    places: BTreeMap<String, Option<usize>>,
    modules: Vec<Module>,
    /// Paths of the modules that are loaded later, each once.
    later: Vec<String>,
}

impl Bundle<'_> {
    /// Adds a module unless it is there; returns its index.
    fn add(&mut self, path: &str) -> Result<usize, String> {
        match self.places.get(path) {
            Some(Some(place)) => return Ok(*place),
            Some(None) => return Err(format!("{path} imports itself by way of others")),
            None => {}
        }
        self.places.insert(path.to_owned(), None);
        let module = if path.starts_with(VENDORED) { self.link(path) } else { self.wrap(path) }?;
        let place = self.modules.len();
        self.modules.push(module);
        self.places.insert(path.to_owned(), Some(place));
        Ok(place)
    }

    fn link(&mut self, path: &str) -> Result<Module, String> {
        let url = (self.address)(path).ok_or_else(|| format!("there is no {path}"))?;
        let place = self.modules.len();
        let link = format!("import * as m{place} from \"{url}\";\n");
        Ok(Module { link, text: String::new(), imports: Vec::new(), waits: false })
    }

    fn wrap(&mut self, path: &str) -> Result<Module, String> {
        let source = (self.read)(path).ok_or_else(|| format!("there is no {path}"))?;
        let code = code_of(&source);
        let mut body = String::new();
        let mut exports = Vec::new();
        let mut imports = Vec::new();
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
                imports.push(place);
                writeln!(body, "const {{{names}}} = m{place};").expect("writing to memory");
                continue;
            }
            // It only marks the file as a module.
            if line == "export {};" {
                continue;
            }
            let declared = line.strip_prefix("export ");
            if let Some(declared) = declared {
                let name =
                    exported(declared).ok_or_else(|| refuse("no export that can be joined"))?;
                exports.push(name.to_owned());
            }
            body += &later(path, declared.unwrap_or(line), |found| {
                if !self.later.contains(&found) {
                    self.later.push(found);
                }
            });
            body.push('\n');
        }
        let place = self.modules.len();
        let exports = exports.join(", ");
        let waits = waits(&source);
        let (wait, begin) = if waits { ("await ", "async ") } else { ("", "") };
        let text = format!(
            "const m{place} = {wait}({begin}() => {{\n{body}return {{ {exports} }};\n}})();\n"
        );
        Ok(Module { link: String::new(), text, imports, waits })
    }

    /// Puts the modules before `first` into the first file, and each other one into the part of the
    /// module that needs it.
    fn in_parts(self, first: usize) -> Result<JoinedScript, String> {
        let places: Vec<usize> = self.later.iter().filter_map(|path| self.places[path]).collect();
        let needs: Vec<_> = places.iter().map(|place| self.needs(*place, first)).collect();
        let times = |place: &usize| needs.iter().filter(|needed| needed.contains(place)).count();
        let several = (first..self.modules.len()).filter(|place| times(place) > 1).collect();
        let mut parts = Vec::new();
        let mut wanted = Vec::new();
        let mut part = |name: &str, places: &BTreeSet<usize>| -> Result<usize, String> {
            parts.push((name.to_owned(), self.part(places)?));
            Ok(parts.len() - 1)
        };
        let shared = part(SHARED, &several)?;
        for ((path, place), needed) in self.later.iter().zip(&places).zip(&needs) {
            let mut files = Vec::new();
            if needed.intersection(&several).next().is_some() {
                files.push(shared);
            }
            let alone: BTreeSet<usize> = needed.difference(&several).copied().collect();
            if !alone.is_empty() {
                files.push(part(path.rsplit('/').next().unwrap_or(path), &alone)?);
            }
            wanted.push((path.clone(), format!("m{place}"), files));
        }
        let mut text: String = self.modules[..first].iter().map(|one| one.link.as_str()).collect();
        text.extend(self.modules[..first].iter().map(|one| one.text.as_str()));
        if !wanted.is_empty() {
            let names: Vec<String> = (0..first).map(|place| format!("m{place}")).collect();
            writeln!(text, "Object.assign($all, {{ {} }});", names.join(", "))
                .expect("writing to memory");
        }
        Ok(JoinedScript { parts, wanted, first: text })
    }

    /// The modules that a module needs (itself included) and that are not in the first file.
    fn needs(&self, place: usize, first: usize) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            if place >= first && needed.insert(place) {
                open.extend(&self.modules[place].imports);
            }
        }
        needed
    }

    /// The text of a part with these modules. Its function takes the modules loaded before it.
    fn part(&self, places: &BTreeSet<usize>) -> Result<String, String> {
        let modules = || places.iter().map(|place| &self.modules[*place]);
        if modules().any(|module| module.waits) {
            return Err("a module that is loaded later waits for something".to_owned());
        }
        let given: BTreeSet<usize> =
            modules().flat_map(|module| &module.imports).copied().collect();
        let names = |places: &mut dyn Iterator<Item = &usize>| -> String {
            places.map(|place| format!("m{place}")).collect::<Vec<_>>().join(", ")
        };
        let given = names(&mut given.difference(places));
        let linked: String = modules().map(|module| module.link.as_str()).collect();
        let texts: String = modules().map(|module| module.text.as_str()).collect();
        let made = names(&mut places.iter());
        Ok(format!(
            "{linked}export const join = ({{ {given} }}, $load) => {{\n{texts}return {{ {made} }};\n}};\n"
        ))
    }
}

/// Joins style sheets in order, without comments and indentation.
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
        let joined = join(files[0].0, &read, &address)?;
        let urls: Vec<String> = joined.parts.iter().map(|(name, _)| format!("/{name}")).collect();
        let parts: String = joined.parts.iter().map(|(_, text)| text.as_str()).collect();
        Ok(joined.first(&urls) + if joined.wanted.is_empty() { "" } else { &parts })
    }

    #[test]
    fn lazy_module_bundles_its_own_imports() {
        let text = joined(&[
            (
                "js/main.js",
                "import { a } from \"./a.js\";\nimport(\"./b.js\");\nimport(\"./c.js\");\n",
            ),
            ("js/a.js", "export const a = await import(\"./d.js\");\n"),
            ("js/b.js", "import { a } from \"./a.js\";\nimport { e } from \"./e.js\";\nb(a, e);\n"),
            ("js/c.js", "import { e } from \"./e.js\";\nc(e);\n"),
            ("js/d.js", "export const d = 1;\n"),
            ("js/e.js", "export const e = 1;\n"),
        ])
        .unwrap();
        for line in [
            "\"js/b.js\": [\"m4\", \"/shared.js\", \"/b.js\"],\n",
            "\"js/d.js\": [\"m2\", \"/d.js\"],\n",
            "const m0 = await (async () => {\nconst a = await $load(\"js/d.js\");\nreturn { a };\n})();\n",
            "const {a} = m0;\n",
            "Object.assign($all, { m0, m1 });\n",
            "export const join = ({  }, $load) => {\nconst m3 = (() => {\nconst e = 1;\n",
            "export const join = ({ m0, m3 }, $load) => {\nconst m4 = (() => {\n",
        ] {
            let line = line.replace("{a}", "{ a }");
            assert!(text.contains(&line), "{line} is not in {text}");
        }
    }

    #[test]
    fn imports_come_first_and_once() {
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
    fn unbundlable_module_is_named() {
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
