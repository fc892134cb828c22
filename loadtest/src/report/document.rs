//! The files of a run: `report.json` for programs, `report.html` for people. Both are
//! self-contained, so they can be attached to a mail.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::Report;

/// The HTML page, with a placeholder for the figures.
const PAGE: &str = include_str!("report.html");
/// The placeholder in the page.
const PLACE: &str = "/*DOCUMENT*/";

/// The results of a run, one report per scenario.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    pub reports: &'a [Report],
}

impl Document<'_> {
    /// Writes both files into a directory, which is created if it does not exist.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        let json = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(directory.join("report.json"), &json)?;
        std::fs::write(directory.join("report.html"), page(&serde_json::to_string(self)?))
    }
}

/// Fills the figures into the page; `<` is escaped, so that no text in them can end the element
/// that contains them.
fn page(json: &str) -> String {
    PAGE.replacen(PLACE, &json.replace('<', "\\u003c"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::POSTS;

    #[test]
    fn both_files_say_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let reports = [Report::new("posts", POSTS, false, "odd </script><b> setting".to_owned())];
        Document { reports: &reports }.write(directory.path()).unwrap();
        let json = std::fs::read_to_string(directory.path().join("report.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["reports"][0]["scenario"], "posts");
        let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
        let (_, rest) = html.split_once("id=\"document\">").unwrap();
        let (inside, _) = rest.split_once("</script>").unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(inside).unwrap(), json);
    }

    #[test]
    fn the_page_asks_nobody_for_anything() {
        for asks in ["src=", "href=", "@import", "url("] {
            assert!(!PAGE.contains(asks), "{asks}");
        }
    }
}
