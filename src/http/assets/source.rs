//! Reads the source of one module of the web client line by line: its imports, its exports, and the
//! code without comments.

/// Parses `import { a, b as c } from "./x.js";` into an object pattern and the path.
pub(super) fn import(statement: &str) -> Option<(String, &str)> {
    let (names, from) = statement.strip_prefix("import {")?.split_once("} from \"")?;
    Some((names.replace(" as ", ": "), from.strip_suffix("\";")?))
}

/// The name that a declaration exports.
pub(super) fn exported(declaration: &str) -> Option<&str> {
    let rest = declaration.strip_prefix("async ").unwrap_or(declaration);
    let rest = ["const ", "function ", "class "].iter().find_map(|word| rest.strip_prefix(word))?;
    let end = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != '$')?;
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

/// Resolves a path relative to a module.
pub(super) fn resolve(module: &str, relative: &str) -> String {
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

/// Removes indentation, and comments that fill a line or give a type. Template literals of several
/// lines are left unchanged.
pub(super) fn code_of(source: &str) -> String {
    let mut code = String::with_capacity(source.len() / 2);
    let mut in_comment = false;
    let mut in_template = false;
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

/// Removes `/** … */` from a line.
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

/// Replaces each `import("…")` in a line by `$load("…")` with the resolved path, and passes the
/// path to `found`.
pub(super) fn later(module: &str, line: &str, mut found: impl FnMut(String)) -> String {
    let mut rest = line;
    let mut code = String::with_capacity(line.len());
    while let Some((before, after)) = rest.split_once("import(\"") {
        let Some((relative, after)) = after.split_once("\")") else { break };
        let path = resolve(module, relative);
        code += before;
        code += &format!("$load(\"{path}\")");
        found(path);
        rest = after;
    }
    code + rest
}

/// Whether a module has a top-level `await`: one in a statement at the margin, before any function of
/// that statement that is `async` itself.
pub(super) fn waits(source: &str) -> bool {
    let is_code = |line: &&str| !["//", "/*", "*"].iter().any(|it| line.trim().starts_with(it));
    let mut is_in_async = false;
    source.lines().filter(is_code).any(|line| {
        let starts = line.starts_with(|sign: char| !sign.is_whitespace() && !"})]".contains(sign));
        is_in_async &= !starts;
        let own = line.split("async").next().filter(|_| !is_in_async).unwrap_or_default();
        is_in_async |= line.contains("async");
        own.split(|sign: char| !sign.is_alphanumeric()).any(|word| word == "await")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn awaits_at_the_margin_are_found() {
        for waiting in [
            "const a = await b();\n",
            "export const a = [\n  ...(await b()),\n];\n",
            "await start();\n",
            "const a =\n  await b();\n",
            "const all = await Promise.all(list.map(async (it) => await it));\n",
            "const f = async () => {\n  await b();\n};\nconst c = await f();\n",
        ] {
            assert!(waits(waiting), "{waiting}");
        }
        for other in [
            "async function f() {\n  await b();\n}\n",
            "export const f = async () => {\n  if (a) {\n    await b();\n  }\n};\n",
            "const awaited = 1;\n",
        ] {
            assert!(!waits(other), "{other}");
        }
    }

    #[test]
    fn dynamic_imports_are_found_by_path() {
        let line = "const { a } = await import(\"../a.js\");";
        let mut found = Vec::new();
        let line = later("js/views/b.js", line, |path| found.push(path));
        assert_eq!(line, "const { a } = await $load(\"js/a.js\");");
        assert_eq!(found, ["js/a.js"]);
    }

    #[test]
    fn a_module_waits_only_where_nothing_is_indented() {
        assert!(waits("/** One. */\nexport const a = await b();\n"));
        assert!(!waits("async function f() {\n  const a = await b();\n}\n"));
    }
}
