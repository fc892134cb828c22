//! The web client's files as browsers load them: those of `static/` unchanged and, made from them,
//! one script, one style sheet and a page that refers to both by names with their hash, so that
//! browsers may cache them for good.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;
use std::{fs, io};

use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::http::assets::bundle;
use crate::http::compressed::{Coding, Effort, compress};
use domain::hex::hex;

#[derive(RustEmbed)]
#[folder = "static/"]
struct Static;

/// The page of the web client, below `static/`.
pub(super) const PAGE: &str = "index.html";

/// The module that starts the web client, and the line of the page that names it.
const ENTRY: &str = "js/main.js";
const ENTRY_LINE: &str = r#"<script type="module" src="/js/main.js"></script>"#;

/// The service worker. It keeps its name, by which browsers know it, and is joined too, since not
/// all browsers accept modules for it.
const WORKER: &str = "sw.js";

/// Start and end of the lines with which the page names its style sheets.
const SHEET_LINE: (&str, &str) = (r#"<link rel="stylesheet" href="/"#, r#"">"#);

/// Other files that the page names and that may be cached for good: its icons, the manifest for
/// installing the client, and the script that reports when the joined one does not load.
const NAMED: [(&str, &str); 4] = [
    ("icon.svg", "image/svg+xml"),
    ("icons/touch-180.png", "image/png"),
    ("manifest.webmanifest", "application/manifest+json"),
    ("boot.js", "text/javascript"),
];

/// A file as it is sent, uncompressed and compressed.
pub(super) struct Asset {
    pub(super) body: Bytes,
    pub(super) mime: String,
    /// The hash of the content: SHA-256, cut to 128 bits, in hexadecimal digits.
    pub(super) digest: String,
    /// Whether the file's name changes with its content, so that it may be cached for good.
    pub(super) is_for_good: bool,
    /// The body compressed by each [`Coding`], once that was requested.
    coded: [OnceLock<Bytes>; 3],
}

impl Asset {
    fn new(body: Bytes, mime: &str, digest: &[u8], is_for_good: bool) -> Arc<Self> {
        Arc::new(Self {
            body,
            mime: mime.to_owned(),
            digest: hex(&digest[..16]),
            is_for_good,
            coded: Default::default(),
        })
    }

    /// Returns the compressed body. The first call compresses it, which takes up to a second.
    pub(super) fn coded(&self, coding: Coding) -> Bytes {
        let made = || {
            let body = std::slice::from_ref(&self.body);
            compress(coding, Effort::Most, body).expect("memory takes all of it")
        };
        self.coded[coding as usize].get_or_init(|| made().into()).clone()
    }
}

/// How many files and folders there are, and the newest date of a change.
type Version = (usize, SystemTime);

/// All files by their paths.
pub(super) struct Site {
    files: HashMap<String, Arc<Asset>>,
}

impl Site {
    /// The files of this build. In a debug build, those on disk now, so that changes show at the
    /// next request.
    pub(super) fn now() -> Arc<Self> {
        static SITE: Mutex<Option<(Option<Version>, Arc<Site>)>> = Mutex::new(None);
        let mut site = SITE.lock().unwrap_or_else(PoisonError::into_inner);
        // Without the folder, a debug build has the files that it found first.
        let version = if cfg!(debug_assertions) { version().ok() } else { None };
        if let Some((known, site)) = &*site
            && *known == version
        {
            return Arc::clone(site);
        }
        let made = Arc::new(Self::load());
        *site = Some((version, Arc::clone(&made)));
        made
    }

    /// Finds the file for a path. A page is also found without its extension, and the page of a
    /// folder by the folder's name.
    pub(super) fn find(&self, path: &str) -> Option<Arc<Asset>> {
        let or = |ending: &str| self.files.get(&format!("{path}{ending}"));
        let found = self.files.get(path).or_else(|| or(".html")).or_else(|| or("/index.html"));
        found.map(Arc::clone)
    }

    fn load() -> Self {
        let mut site = Self { files: HashMap::new() };
        for path in Static::iter() {
            if let Some(file) = Static::get(&path) {
                site.files.insert(path.into_owned(), as_it_is(file));
            }
        }
        match site.joined_page() {
            Ok(page) => drop(site.files.insert(PAGE.to_owned(), page)),
            Err(problem) => tracing::error!(
                problem,
                "bundling the web client failed; serving its files one by one"
            ),
        }
        match site.joined_worker() {
            Ok(worker) => drop(site.files.insert(WORKER.to_owned(), worker)),
            Err(problem) => tracing::error!(
                problem,
                "bundling the service worker failed; serving its files one by one"
            ),
        }
        site
    }

    /// Joins the worker with everything that it imports.
    fn joined_worker(&self) -> Result<Arc<Asset>, String> {
        let joined = bundle::join(WORKER, &|path| self.text(path), &|_| None)?;
        if !joined.is_whole() {
            return Err(format!("{WORKER} loads something later"));
        }
        Ok(made("text/javascript", joined.first(&[]).into_bytes(), false))
    }

    /// Makes the page, with one script and one style sheet in place of many.
    fn joined_page(&mut self) -> Result<Arc<Asset>, String> {
        let page = self.text(PAGE).ok_or("there is no page")?;
        let mut sheets = Vec::new();
        let mut lines = Vec::new();
        let (start, end) = SHEET_LINE;
        for line in page.lines() {
            let sheet = line.trim().strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
            let Some(path) = sheet else {
                lines.push(line.to_owned());
                continue;
            };
            // The joined sheet replaces the first one.
            if sheets.is_empty() {
                lines.push(String::new());
            }
            sheets.push(self.text(path).ok_or_else(|| format!("there is no {path}"))?);
        }
        let styles = self.keep("styles.css", "text/css", bundle::join_styles(&sheets).into_bytes());
        let script = self.script()?;
        let mut kept = Vec::with_capacity(NAMED.len());
        for (path, mime) in NAMED {
            let file = self.files.get(path).ok_or_else(|| format!("there is no {path}"))?;
            let body = file.body.clone();
            kept.push((path, self.keep(path, mime, body)));
        }
        let text: String = lines
            .iter()
            .map(|line| match line.trim() {
                "" => format!("    {start}{}{end}\n", styles.trim_start_matches('/')),
                ENTRY_LINE => format!("    <script type=\"module\" src=\"{script}\"></script>\n"),
                _ => named(line, &kept),
            })
            .collect();
        if !text.contains(&script) {
            return Err(format!("{PAGE} has no line {ENTRY_LINE}"));
        }
        Ok(made("text/html", text.into_bytes(), false))
    }

    /// Joins the script and the parts that it loads later; returns the script's path.
    fn script(&mut self) -> Result<String, String> {
        let vendored: HashMap<String, String> = self
            .files
            .iter()
            .filter(|(path, _)| path.starts_with(bundle::VENDORED))
            .map(|(path, file)| (path.clone(), format!("/assets/{}/{path}", file.digest)))
            .collect();
        for (path, url) in &vendored {
            let file = Arc::clone(&self.files[path]);
            let kept = made(&file.mime, file.body.clone(), true);
            self.files.insert(url.trim_start_matches('/').to_owned(), kept);
        }
        let read = |path: &str| self.text(path);
        let address = |path: &str| vendored.get(path).cloned();
        let joined = bundle::join(ENTRY, &read, &address)?;
        let keep = |(name, text): &(String, String)| {
            self.keep(name, "text/javascript", text.clone().into_bytes())
        };
        let urls: Vec<String> = joined.parts.iter().map(keep).collect();
        let text = joined.first(&urls);
        Ok(self.keep("client.js", "text/javascript", text.into_bytes()))
    }

    fn text(&self, path: &str) -> Option<String> {
        let file = self.files.get(path)?;
        std::str::from_utf8(&file.body).ok().map(str::to_owned)
    }

    /// Stores a file under a path that contains its hash; returns the path.
    fn keep(&mut self, name: &str, mime: &str, body: impl Into<Bytes>) -> String {
        let file = made(mime, body, true);
        let path = format!("assets/{}/{name}", &file.digest);
        self.files.insert(path.clone(), file);
        format!("/{path}")
    }
}

/// A line of the page with the files in it replaced by their hashed paths.
fn named(line: &str, kept: &[(&str, String)]) -> String {
    let line = kept.iter().fold(line.to_owned(), |line, (path, url)| {
        line.replace(&format!("\"/{path}\""), &format!("\"{url}\""))
    });
    line + "\n"
}

fn as_it_is(file: EmbeddedFile) -> Arc<Asset> {
    let mime = with_charset(file.metadata.mimetype());
    // A release build sends the bytes from its executable, and a debug build those that it read.
    let body = match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    Asset::new(body, &mime, &file.metadata.sha256_hash(), false)
}

fn made(mime: &str, body: impl Into<Bytes>, is_for_good: bool) -> Arc<Asset> {
    use sha2::Digest as _;
    let body = body.into();
    let digest = sha2::Sha256::digest(&body);
    Asset::new(body, &with_charset(mime), &digest, is_for_good)
}

/// All text files here are UTF-8.
fn with_charset(mime: &str) -> String {
    if mime.starts_with("text/") && !mime.contains("charset") {
        return format!("{mime}; charset=utf-8");
    }
    mime.to_owned()
}

/// What changes when any file of `static/` does. To read them all at every request took longer than
/// to answer it.
fn version() -> io::Result<Version> {
    let mut version = (0, SystemTime::UNIX_EPOCH);
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/static"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            version = (version.0 + 1, version.1.max(metadata.modified()?));
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_web_client_can_be_joined() {
        let mut site = Site::load();
        let page = site.joined_page().unwrap();
        let text = std::str::from_utf8(&page.body).unwrap();
        assert!(!text.contains("/js/") && !text.contains("/css/"), "{text}");
        let worker = site.joined_worker().unwrap();
        let text = std::str::from_utf8(&worker.body).unwrap();
        assert!(!text.contains("import ") && !text.contains("export "), "{text}");
    }
}
