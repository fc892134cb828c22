//! Objects in a bucket of S3. `rusty-s3` signs the requests (Signature Version 4 in the query);
//! they go through `outgoing`. Bodies are at most 8 MiB: larger objects are uploaded in parts and
//! read in ranges, so that a backup takes little memory.

use std::fmt;
use std::io::{self, Read, Write};
use std::time::Duration;

use actix_web::http::header::{CONTENT_RANGE, ETAG, HeaderName, HeaderValue, RANGE};
use actix_web::http::{Method, StatusCode};
use bytes::Bytes;
use rusty_s3::actions::{CreateMultipartUpload, ListObjectsV2};
use rusty_s3::{S3Action, UrlStyle};
use url::Url;

use crate::object::{BackupStoreFault, StoredObject};
use crate::place::BucketUrl;
use base::bounds::turns::Owner;
use outgoing::kept_connections::KeptConnections;
use outgoing::network::Network;
use outgoing::{Outbound, Outgoing, OutgoingAnswer, OutgoingFault};

/// The bytes of a part. S3 takes at least 5 MiB and at most 10,000 parts, so an object has at most
/// 78 GiB.
const PART: usize = 8 << 20;
/// How long one request may take: 8 MiB at 0.5 Mbit/s.
const WITHIN: Duration = Duration::from_secs(150);
/// How long a signature is valid.
const VALID: Duration = Duration::from_secs(600);
/// The pauses before a failed request is sent again, in seconds.
const PAUSES: [u64; 3] = [1, 4, 16];

/// The name and the secret of an account at the service.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The access key's id.
    pub id: String,
    /// The secret access key.
    pub secret: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Credentials").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A bucket, for one thread.
pub struct S3Bucket {
    bucket: rusty_s3::Bucket,
    credentials: rusty_s3::Credentials,
    prefix: String,
    outgoing: Outgoing,
    kept: KeptConnections,
}

/// One request, signed again for each attempt.
struct Wanted<'a> {
    /// The name of the object, for errors.
    what: &'a str,
    method: Method,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl<'a> Wanted<'a> {
    fn of(what: &'a str, method: Method) -> Self {
        Self { what, method, headers: Vec::new(), body: Bytes::new() }
    }

    fn fault(&self, reason: impl fmt::Display) -> BackupStoreFault {
        BackupStoreFault::Service { what: self.what.to_owned(), reason: reason.to_string() }
    }
}

impl S3Bucket {
    /// Opens a bucket. Nothing is sent yet. The operator named the service, which may be in their
    /// own network.
    ///
    /// # Errors
    /// If there are no credentials, or the name of the bucket cannot be part of a URL.
    pub fn open(
        url: &BucketUrl,
        credentials: Option<&Credentials>,
        outgoing: Outgoing,
    ) -> Result<Self, BackupStoreFault> {
        let missing = "a bucket needs --aws-access-key-id and --aws-secret-access-key";
        let credentials =
            credentials.ok_or_else(|| BackupStoreFault::Unusable(missing.to_owned()))?;
        let BucketUrl { bucket, prefix, endpoint, region } = url.clone();
        let bucket =
            rusty_s3::Bucket::new(endpoint, UrlStyle::Path, bucket, region).map_err(|error| {
                BackupStoreFault::Unusable(format!("the bucket cannot be used: {error}"))
            })?;
        Ok(Self {
            bucket,
            credentials: rusty_s3::Credentials::new(&credentials.id, &credentials.secret),
            prefix,
            outgoing: outgoing.reaching(Network::all()),
            kept: KeptConnections::default(),
        })
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(super) async fn put(
        &self,
        name: &str,
        content: &mut dyn Read,
    ) -> Result<u64, BackupStoreFault> {
        let first = read_part(content).map_err(|source| BackupStoreFault::file(name, source))?;
        if first.len() < PART {
            let bytes = first.len() as u64;
            let key = self.key(name);
            let url = || self.bucket.put_object(Some(&self.credentials), &key).sign(VALID);
            self.send(Wanted { body: first, ..Wanted::of(name, Method::PUT) }, url).await?;
            return Ok(bytes);
        }
        self.put_parts(name, first, content).await
    }

    async fn put_parts(
        &self,
        name: &str,
        first: Bytes,
        content: &mut dyn Read,
    ) -> Result<u64, BackupStoreFault> {
        let key = self.key(name);
        let credentials = Some(&self.credentials);
        let begin = Wanted::of(name, Method::POST);
        let url = || self.bucket.create_multipart_upload(credentials, &key).sign(VALID);
        let answer = self.send(begin, url).await?;
        let upload = text(name, &answer)?;
        let upload = CreateMultipartUpload::parse_response(upload)
            .map_err(|error| Wanted::of(name, Method::POST).fault(error))?;
        let uploaded = self.upload_parts(name, upload.upload_id(), first, content).await;
        if uploaded.is_err() {
            let abort = self.bucket.abort_multipart_upload(credentials, &key, upload.upload_id());
            let aborted = self.send(Wanted::of(name, Method::DELETE), || abort.sign(VALID)).await;
            if let Err(fault) = aborted {
                tracing::warn!(name, %fault, "removing the parts of a failed upload failed");
            }
        }
        uploaded
    }

    async fn upload_parts(
        &self,
        name: &str,
        upload: &str,
        first: Bytes,
        content: &mut dyn Read,
    ) -> Result<u64, BackupStoreFault> {
        let key = self.key(name);
        let credentials = Some(&self.credentials);
        let mut tags = Vec::new();
        let mut bytes = 0;
        let mut part = first;
        loop {
            let number = u16::try_from(tags.len() + 1).unwrap_or(u16::MAX);
            let is_last = part.len() < PART;
            bytes += part.len() as u64;
            let wanted = Wanted { body: part, ..Wanted::of(name, Method::PUT) };
            let url = || self.bucket.upload_part(credentials, &key, number, upload).sign(VALID);
            let answer = self.send(wanted, url).await?;
            let tag = answer.headers.get(ETAG).and_then(|tag| tag.to_str().ok());
            let missing = || Wanted::of(name, Method::PUT).fault("a part has no ETag");
            tags.push(tag.ok_or_else(missing)?.to_owned());
            if is_last {
                break;
            }
            part = read_part(content).map_err(|source| BackupStoreFault::file(name, source))?;
            if part.is_empty() {
                break;
            }
        }
        let tags = || tags.iter().map(String::as_str);
        let complete = || self.bucket.complete_multipart_upload(credentials, &key, upload, tags());
        let wanted = Wanted::of(name, Method::POST);
        let wanted = Wanted { body: complete().body().into(), ..wanted };
        let answer = self.send(wanted, || complete().sign(VALID)).await?;
        // A failure may come with status 200, since the answer begins before it is known.
        match error_of(&answer) {
            Some(reason) => Err(Wanted::of(name, Method::POST).fault(reason)),
            None => Ok(bytes),
        }
    }

    pub(super) async fn get(
        &self,
        name: &str,
        into: &mut dyn Write,
    ) -> Result<(), BackupStoreFault> {
        let key = self.key(name);
        let mut at = 0;
        loop {
            let range = format!("bytes={at}-{}", at + PART as u64 - 1);
            let range = HeaderValue::try_from(range).expect("digits are a header");
            let wanted = Wanted { headers: vec![(RANGE, range)], ..Wanted::of(name, Method::GET) };
            let url = || self.bucket.get_object(Some(&self.credentials), &key).sign(VALID);
            let answer = self.send(wanted, url).await?;
            let fault = |reason| Wanted::of(name, Method::GET).fault(reason);
            let is_whole = answer.status == StatusCode::OK && at == 0;
            if answer.is_cut || !(is_whole || answer.status == StatusCode::PARTIAL_CONTENT) {
                return Err(fault("the service does not answer ranges"));
            }
            into.write_all(&answer.body).map_err(|source| BackupStoreFault::file(name, source))?;
            at += answer.body.len() as u64;
            let total = answer.headers.get(CONTENT_RANGE).and_then(|it| it.to_str().ok());
            let total = total.and_then(|range| range.rsplit('/').next()?.parse::<u64>().ok());
            match total {
                _ if is_whole => return Ok(()),
                Some(total) if at >= total => return Ok(()),
                Some(_) if !answer.body.is_empty() => {}
                Some(_) | None => return Err(fault("a range has no size")),
            }
        }
    }

    pub(super) async fn list(&self, below: &str) -> Result<Vec<StoredObject>, BackupStoreFault> {
        let below = self.key(below);
        let mut listed = Vec::new();
        let mut token = None::<String>;
        loop {
            let url = || {
                let mut list = self.bucket.list_objects_v2(Some(&self.credentials));
                list.with_prefix(&*below);
                if let Some(token) = &token {
                    list.with_continuation_token(&**token);
                }
                list.sign(VALID)
            };
            let answer = self.send(Wanted::of(&below, Method::GET), url).await?;
            let page = ListObjectsV2::parse_response(text(&below, &answer)?)
                .map_err(|error| Wanted::of(&below, Method::GET).fault(error))?;
            for object in page.contents {
                if let Some(name) = object.key.strip_prefix(&self.prefix) {
                    let bytes = object.size.unwrap_or_default();
                    listed.push(StoredObject { name: name.to_owned(), bytes });
                }
            }
            token = page.next_continuation_token;
            if token.is_none() {
                return Ok(listed);
            }
        }
    }

    pub(super) async fn remove(&self, name: &str) -> Result<(), BackupStoreFault> {
        let key = self.key(name);
        let url = || self.bucket.delete_object(Some(&self.credentials), &key).sign(VALID);
        match self.send(Wanted::of(name, Method::DELETE), url).await {
            Ok(_) | Err(BackupStoreFault::Absent(_)) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Sends a request, again if the failure may pass.
    async fn send(
        &self,
        wanted: Wanted<'_>,
        url: impl Fn() -> Url,
    ) -> Result<OutgoingAnswer, BackupStoreFault> {
        let mut pauses = PAUSES.iter();
        loop {
            let request = Outbound {
                method: wanted.method.clone(),
                headers: wanted.headers.clone(),
                body: wanted.body.clone(),
                most_bytes: PART,
            };
            let url = url();
            let sent = self.outgoing.exchange(Owner::Server, &self.kept, url.as_str(), request);
            let sent = tokio::time::timeout(WITHIN, sent).await;
            let reason = match sent.unwrap_or(Err(OutgoingFault::Timeout)) {
                Ok(answer) if answer.status.is_success() => return Ok(answer),
                Ok(answer) if answer.status == StatusCode::NOT_FOUND => {
                    return Err(match error_of(&answer) {
                        Some(reason) if reason.starts_with("NoSuchBucket") => wanted.fault(reason),
                        Some(_) | None => BackupStoreFault::Absent(wanted.what.to_owned()),
                    });
                }
                Ok(answer) => {
                    let status = answer.status;
                    let reason = error_of(&answer).unwrap_or_else(|| "no reason".to_owned());
                    let reason = format!("the answer was {}: {reason}", status.as_u16());
                    if !status.is_server_error() && status != StatusCode::TOO_MANY_REQUESTS {
                        return Err(wanted.fault(reason));
                    }
                    reason
                }
                Err(fault @ (OutgoingFault::Refused(_) | OutgoingFault::TooLong(_))) => {
                    return Err(wanted.fault(fault));
                }
                Err(fault) => fault.to_string(),
            };
            let Some(pause) = pauses.next() else { return Err(wanted.fault(reason)) };
            tracing::debug!(what = wanted.what, reason, pause, "a request failed; retrying");
            tokio::time::sleep(Duration::from_secs(*pause)).await;
        }
    }
}

/// Reads until a part is full or the content ends.
fn read_part(content: &mut dyn Read) -> io::Result<Bytes> {
    let mut part = Vec::new();
    content.take(PART as u64).read_to_end(&mut part)?;
    Ok(part.into())
}

fn text<'a>(name: &str, answer: &'a OutgoingAnswer) -> Result<&'a str, BackupStoreFault> {
    let fault = |_| Wanted::of(name, Method::GET).fault("the answer is no text");
    std::str::from_utf8(&answer.body).map_err(fault)
}

/// Code and message of an error of S3.
fn error_of(answer: &OutgoingAnswer) -> Option<String> {
    let text = std::str::from_utf8(&answer.body).ok()?;
    if !text.contains("<Error>") {
        return None;
    }
    let field = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(value, _)| value.trim())
    };
    Some(format!("{}: {}", field("Code")?, field("Message").unwrap_or_default()))
}
