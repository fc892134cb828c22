//! Reading the frames that a socket receives.
//!
//! A delivered frame is not parsed as JSON: the tester needs only the conversation, `n` and the
//! guid of an event, and finds them by their keys. Quotes inside JSON strings are escaped, so
//! `"n":` cannot stand in a text; keys of nested objects are kept out by looking only before
//! `"data":`. A frame with another layout is parsed as JSON, which is slower and just as right.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::guid::Guid;

/// A text frame that is no frame of the protocol.
#[derive(Debug, thiserror::Error)]
#[error("not a frame of the push protocol: {0}")]
pub struct NotAFrame(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming<'a> {
    Welcome,
    /// The server has sent everything up to this cursor.
    Synced(&'a str),
    Event(Event<'a>),
    Ping,
    /// `reset`: the server could not honour a cursor.
    Reset,
    /// `err` or `bye`: the whole frame, for the person who reads the error.
    Trouble(String),
    /// Frames that a load has no use for: `eph`, `pong` and what comes later.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    pub conv: &'a [u8],
    pub n: u64,
    /// Present only for messages that the tester posted.
    pub guid: Option<Guid>,
}

pub fn read(payload: &[u8]) -> Result<Incoming<'_>, NotAFrame> {
    match quick_event(payload) {
        Some(event) => Ok(Incoming::Event(event)),
        None => parse(payload),
    }
}

static N: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"n\":"));
static CONV: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"conv\":\""));
static DATA: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"data\":"));
static GUID: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"source_guid\":\""));

fn quick_event(payload: &[u8]) -> Option<Event<'_>> {
    if !payload.starts_with(b"{\"t\":\"ev\"") {
        return None;
    }
    let (head, data) = payload.split_at(DATA.find(payload)?);
    let n = number_after(head, &N)?;
    let conv = string_after(head, &CONV)?;
    Some(Event { conv, n, guid: guid_in(data) })
}

fn number_after(bytes: &[u8], key: &Finder<'_>) -> Option<u64> {
    let digits = &bytes[key.find(bytes)? + key.needle().len()..];
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

fn string_after<'a>(bytes: &'a [u8], key: &Finder<'_>) -> Option<&'a [u8]> {
    let text = &bytes[key.find(bytes)? + key.needle().len()..];
    Some(&text[..memchr::memchr(b'"', text)?])
}

fn guid_in(data: &[u8]) -> Option<Guid> {
    Guid::parse(string_after(data, &GUID)?)
}

#[derive(Deserialize)]
struct Whole<'a> {
    t: &'a str,
    conv: Option<&'a str>,
    n: Option<u64>,
    c: Option<&'a str>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

fn parse(payload: &[u8]) -> Result<Incoming<'_>, NotAFrame> {
    let shown =
        || NotAFrame(String::from_utf8_lossy(&payload[..payload.len().min(200)]).into_owned());
    let whole: Whole<'_> = serde_json::from_slice(payload).map_err(|_| shown())?;
    match (whole.t, whole.conv, whole.n) {
        ("ev", Some(conv), Some(n)) => {
            let guid = whole.data.and_then(|data| loose_guid(data.get()));
            Ok(Incoming::Event(Event { conv: conv.as_bytes(), n, guid }))
        }
        ("ev", ..) => Err(shown()),
        ("welcome", ..) => Ok(Incoming::Welcome),
        ("synced", ..) => Ok(Incoming::Synced(whole.c.ok_or_else(shown)?)),
        ("ping", ..) => Ok(Incoming::Ping),
        ("reset", ..) => Ok(Incoming::Reset),
        ("err" | "bye", ..) => Ok(Incoming::Trouble(String::from_utf8_lossy(payload).into_owned())),
        _ => Ok(Incoming::Other),
    }
}

/// Finds the guid even if there are spaces around the colon.
fn loose_guid(data: &str) -> Option<Guid> {
    let after_key = &data[memmem::find(data.as_bytes(), b"\"source_guid\"")? + 13..];
    let value = after_key.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    Guid::parse(value.split('"').next()?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUID: Guid = Guid { run: 1, sender: 2, number: 3 };

    fn event(raw: &str) -> Option<Event<'_>> {
        if let Incoming::Event(event) = read(raw.as_bytes()).unwrap() { Some(event) } else { None }
    }

    #[test]
    fn an_event_is_found_without_parsing() {
        let raw = r#"{"t":"ev","c":"9","conv":"g:42","n":17,"type":"line.create","at":1,"data":{"source_guid":"lt00000001-0002-00000003","text":"\"n\":5","n":99}}"#;
        let expected = Event { conv: b"g:42", n: 17, guid: Some(GUID) };
        assert_eq!(quick_event(raw.as_bytes()), Some(expected));
        assert_eq!(event(raw), Some(expected));
    }

    #[test]
    fn another_layout_gives_the_same_event() {
        let raw = r#"{ "data": {"n": 99, "source_guid" : "lt00000001-0002-00000003"}, "n": 17, "conv": "g:42", "t": "ev"}"#;
        assert_eq!(quick_event(raw.as_bytes()), None);
        assert_eq!(event(raw), Some(Event { conv: b"g:42", n: 17, guid: Some(GUID) }));
        let late = r#"{"t":"ev","data":{"n":99},"n":17,"conv":"g:42"}"#;
        assert_eq!(event(late), Some(Event { conv: b"g:42", n: 17, guid: None }));
    }

    #[test]
    fn system_messages_have_no_guid_of_ours() {
        let raw =
            r#"{"t":"ev","conv":"g:42","n":2,"data":{"source_guid":"b8f0a8b4","system":true}}"#;
        assert_eq!(event(raw).unwrap().guid, None);
    }

    #[test]
    fn other_frames_are_distinguished() {
        assert_eq!(read(br#"{"t":"welcome","v":1}"#).unwrap(), Incoming::Welcome);
        assert_eq!(read(br#"{"t":"synced","c":"1"}"#).unwrap(), Incoming::Synced("1"));
        assert_eq!(read(br#"{"t":"ping","c":"1"}"#).unwrap(), Incoming::Ping);
        assert_eq!(read(br#"{"t":"reset","c":"1","why":"expired"}"#).unwrap(), Incoming::Reset);
        assert_eq!(read(br#"{"t":"eph","conv":"g:1"}"#).unwrap(), Incoming::Other);
        assert!(matches!(read(br#"{"t":"bye","code":4003}"#).unwrap(), Incoming::Trouble(_)));
    }

    #[test]
    fn invalid_frame_is_an_error() {
        for raw in
            ["", "hello", "[]", "{}", r#"{"t":"ev"}"#, r#"{"t":"ev","conv":"g:1","data":{}}"#]
        {
            assert!(read(raw.as_bytes()).is_err(), "{raw}");
        }
    }
}
