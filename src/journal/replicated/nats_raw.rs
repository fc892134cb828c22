//! Messages as the engine's API returns them, in JSON.
//!
//! At headers that it cannot parse, the client library ends its connection, or panics. A header with
//! a status makes it take a stored message for a notice of the engine. Messages with such headers
//! are foreign, and are read in this way.

use std::str::FromStr;

use async_nats::header::{HeaderName, HeaderValue};
use async_nats::jetstream::{Context, ErrorCode};
use async_nats::{HeaderMap, jetstream};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::replicated::log::Code;
use crate::replicated::nats_refusals::ClientTrouble;
use crate::replicated::nats_stream::code_in;

/// A stored message.
#[derive(Debug)]
pub(super) struct RawMessage {
    pub(super) sequence: u64,
    pub(super) subject: String,
    pub(super) payload: Bytes,
    pub(super) code: Option<Code>,
    /// Whether the client library reads the message as it is.
    pub(super) is_readable: bool,
}

#[derive(Serialize)]
struct Wanted<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_by_subj: Option<&'a str>,
}

#[derive(Deserialize)]
struct Response {
    message: Option<Stored>,
    error: Option<jetstream::Error>,
}

#[derive(Deserialize)]
struct Stored {
    subject: String,
    seq: u64,
    data: Option<String>,
    hdrs: Option<String>,
}

/// Returns the message of this sequence, if there is one.
///
/// # Errors
/// If the engine does not answer.
pub(super) async fn get(
    context: &Context,
    stream: &str,
    sequence: u64,
) -> Result<Option<RawMessage>, ClientTrouble> {
    let wanted = Wanted { seq: Some(sequence), last_by_subj: None };
    let Some(Stored { subject, seq, data, hdrs }) = ask(context, stream, wanted).await? else {
        return Ok(None);
    };
    let payload = STANDARD.decode(data.unwrap_or_default())?.into();
    let headers = match hdrs {
        Some(text) => parse(&STANDARD.decode(text)?),
        None => Some(HeaderMap::new()),
    };
    let code = headers.as_ref().and_then(|headers| code_in(Some(headers)));
    let is_readable = headers.is_some();
    Ok(Some(RawMessage { sequence: seq, subject, payload, code, is_readable }))
}

/// Returns the sequence of the newest message of a subject; 0 if there is none.
///
/// # Errors
/// If the engine does not answer.
pub(super) async fn newest(
    context: &Context,
    stream: &str,
    subject: &str,
) -> Result<u64, ClientTrouble> {
    let wanted = Wanted { seq: None, last_by_subj: Some(subject) };
    Ok(ask(context, stream, wanted).await?.map_or(0, |stored| stored.seq))
}

async fn ask(
    context: &Context,
    stream: &str,
    wanted: Wanted<'_>,
) -> Result<Option<Stored>, ClientTrouble> {
    let asked = context.request(format!("STREAM.MSG.GET.{stream}"), &wanted);
    let Response { message, error } = asked.await?;
    match error {
        Some(error) if error.error_code() == ErrorCode::NO_MESSAGE_FOUND => Ok(None),
        Some(error) => Err(error.into()),
        None => Ok(message),
    }
}

/// Parses the headers of a message as the client library does; `None` if it cannot, or takes the
/// message for a notice.
fn parse(headers: &[u8]) -> Option<HeaderMap> {
    let mut lines = std::str::from_utf8(headers).ok()?.lines().peekable();
    if lines.next()? != "NATS/1.0" {
        return None;
    }
    let mut map = HeaderMap::new();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let (name, value) = line.split_once(':')?;
        let name = HeaderName::from_str(name).ok()?;
        let mut value = value.trim_start().to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with(char::is_whitespace)) {
            value.push_str(more);
        }
        map.append(name, HeaderValue::from_str(value.trim_end()).ok()?);
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_the_library_reads_them() {
        let map = parse(b"NATS/1.0\r\nA: b\r\nA:c\r\n d\r\n\r\n").unwrap();
        let values: Vec<&str> = map.get_all("A").map(HeaderValue::as_str).collect();
        assert_eq!(values, ["b", "c d"]);
    }

    #[test]
    fn foreign_headers_are_not_read() {
        for headers in [
            &b""[..],
            b"NATS/2.0\r\n\r\n",
            b"NATS/1.0 503\r\n\r\n",
            b"NATS/1.0 408 Request Timeout\r\n\r\n",
            b"NATS/1.0\r\nno colon\r\n\r\n",
            b"NATS/1.0\r\n\xff: a\r\n\r\n",
            b"NATS/1.0\r\na\x01b: c\r\n\r\n",
            b"NATS/1.0\r\nA: b\rc\r\n\r\n",
        ] {
            assert!(parse(headers).is_none(), "{}", String::from_utf8_lossy(headers));
        }
    }
}
