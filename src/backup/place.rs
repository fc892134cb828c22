//! The place of backup sets, as operators write it: a folder, or `s3://bucket/prefix`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

/// The region of buckets for which the operator names none.
const REGION: &str = "us-east-1";

/// The place of backup sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupPlace {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A bucket of S3.
    Bucket(BucketUrl),
}

/// The address of a bucket, and the beginning of the names in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketUrl {
    /// The name of the bucket.
    pub bucket: String,
    /// The beginning of every name; empty, or with a slash at its end.
    pub prefix: String,
    /// The URL of the service.
    pub endpoint: Url,
    /// The region for which requests are signed.
    pub region: String,
}

impl BackupPlace {
    /// Whether the place is a folder on the disk of the data.
    ///
    /// # Errors
    /// If one of the folders cannot be examined.
    pub fn is_on_disk_of(&self, data: &Path) -> std::io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        match self {
            Self::Folder(folder) => {
                Ok(std::fs::metadata(folder)?.dev() == std::fs::metadata(data)?.dev())
            }
            Self::Bucket(_) => Ok(false),
        }
    }
}

impl FromStr for BackupPlace {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "" => Err("must be a directory, or s3://bucket/prefix"),
            _ if text.starts_with("s3://") => text.parse().map(Self::Bucket),
            _ if text.contains("://") => Err("must be a directory, or s3://bucket/prefix"),
            _ => Ok(Self::Folder(text.into())),
        }
    }
}

impl FromStr for BucketUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "must be s3://bucket/prefix?endpoint=https://…&region=…";
        let url = Url::parse(text).map_err(|_| FORM)?;
        let bucket = url.host_str().filter(|name| !name.is_empty()).ok_or(FORM)?.to_owned();
        let is_plain = url.username().is_empty() && url.password().is_none();
        if !is_plain || url.port().is_some() || url.fragment().is_some() {
            return Err(
                "must have no login, port or fragment: credentials are options of their own",
            );
        }
        let prefix = url.path().trim_matches('/');
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte);
        if !prefix.bytes().all(is_sign) || prefix.contains("//") {
            return Err("must have a prefix of letters, digits, dots, dashes and slashes");
        }
        let mut endpoint = None;
        let mut region = None;
        for (name, value) in url.query_pairs() {
            match &*name {
                "endpoint" => endpoint = Some(value.into_owned()),
                "region" => region = Some(value.into_owned()),
                _ => return Err("may have endpoint and region behind the question mark only"),
            }
        }
        let region = region.unwrap_or_else(|| REGION.to_owned());
        let endpoint = endpoint.unwrap_or_else(|| format!("https://s3.{region}.amazonaws.com"));
        let endpoint = Url::parse(&endpoint).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https") && url.path() == "/" && url.query().is_none()
        });
        let endpoint = endpoint.ok_or("must have an endpoint like https://s3.example.org")?;
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Self { bucket, prefix, endpoint, region })
    }
}

impl fmt::Display for BackupPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(out),
            Self::Bucket(BucketUrl { bucket, prefix, endpoint, .. }) => {
                write!(out, "s3://{bucket}/{prefix} at {endpoint}")
            }
        }
    }
}

/// A place with the set that is wanted: the newest one of this day or before, or of this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceOfSet {
    /// The place.
    pub place: BackupPlace,
    /// A day or a moment like 2026-11-20 or 2026-11-20T030000Z; `None` for the newest set.
    pub until: Option<String>,
}

impl FromStr for PlaceOfSet {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_date = |text: &str| {
            let is_sign = |byte: u8| byte.is_ascii_digit() || b"-T:.Z".contains(&byte);
            text.len() >= 4
                && text.starts_with(|it: char| it.is_ascii_digit())
                && text.bytes().all(is_sign)
        };
        let (place, until) = match text.rsplit_once('@') {
            Some((place, date)) if is_date(date) => (place, Some(date.replace(':', ""))),
            _ => (text, None),
        };
        Ok(Self { place: place.parse()?, until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(text: &str) -> BucketUrl {
        match text.parse().unwrap() {
            BackupPlace::Bucket(bucket) => bucket,
            BackupPlace::Folder(folder) => panic!("{folder:?}"),
        }
    }

    #[test]
    fn bucket_url_has_defaults() {
        let url = bucket("s3://chat/backups/coterie/?region=eu-central-1");
        assert_eq!((url.bucket.as_str(), url.prefix.as_str()), ("chat", "backups/coterie/"));
        assert_eq!(url.endpoint.as_str(), "https://s3.eu-central-1.amazonaws.com/");
        let url = bucket("s3://chat?endpoint=http://10.0.0.5:9000");
        assert_eq!((url.prefix.as_str(), url.region.as_str()), ("", "us-east-1"));
        assert_eq!(url.endpoint.as_str(), "http://10.0.0.5:9000/");
    }

    #[test]
    fn wrong_places_are_refused() {
        for text in [
            "",
            "s3://",
            "s3://key:secret@chat/x",
            "s3://chat:9000/x",
            "s3://chat/a%20b",
            "s3://chat/x?access=y",
            "s3://chat/x?endpoint=ftp://example.org",
            "s3://chat/x?endpoint=https://example.org/path",
            "https://example.org/chat",
        ] {
            assert!(text.parse::<BackupPlace>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn place_of_a_set_may_end_with_a_date() {
        let read = |text: &str| text.parse::<PlaceOfSet>().unwrap();
        let folder = |path: &str| BackupPlace::Folder(path.into());
        let set = read("/backups@2026-11-20");
        assert_eq!((set.place, set.until.as_deref()), (folder("/backups"), Some("2026-11-20")));
        assert_eq!(read("/home/a@b/x").place, folder("/home/a@b/x"));
        assert_eq!(read("/x@2026-11-20T03:00:00Z").until.as_deref(), Some("2026-11-20T030000Z"));
    }
}
