//! Success responses: the envelope around a payload.

use std::convert::Infallible;

use actix_web::HttpResponse;
use actix_web::body::{BoxBody, MessageBody, SizedStream};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_LENGTH;
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;

use crate::http::error::ApiError;
use crate::http::page_bytes::PAGE_BYTES;
use actors::idempotency::Rendered;
use domain::message::MessageJson;
use wire::envelope;

/// The result of a handler.
pub(super) type Answer = Result<HttpResponse, ApiError>;

/// 200 with a payload in the envelope.
pub(super) fn ok(payload: &impl Serialize) -> HttpResponse {
    with(StatusCode::OK, payload)
}

/// 201 with a payload in the envelope.
pub(super) fn created(payload: &impl Serialize) -> HttpResponse {
    with(StatusCode::CREATED, payload)
}

/// 200 with a list of entries in the envelope: as many as fit into a page ([`PAGE_BYTES`]), the first
/// one in any case.
///
/// # Errors
/// If an entry cannot be serialized.
pub(super) fn list<T: Serialize>(entries: impl IntoIterator<Item = T>) -> Answer {
    let list = list_json(entries)?;
    Ok(raw(StatusCode::OK, |body| body.extend_from_slice(&list.json)))
}

/// Like [`list`], with the list under a name: `{"reports": […]}`.
///
/// # Errors
/// If an entry cannot be serialized.
pub(super) fn named_list<T: Serialize>(name: &str, entries: impl IntoIterator<Item = T>) -> Answer {
    let list = list_json(entries)?;
    Ok(raw(StatusCode::OK, |body| {
        body.extend_from_slice(format!("{{\"{name}\":").as_bytes());
        body.extend_from_slice(&list.json);
        body.push(b'}');
    }))
}

/// A JSON array of at most [`PAGE_BYTES`].
pub(super) struct ListJson {
    /// The array.
    pub(super) json: Vec<u8>,
    /// Whether entries at the end did not fit.
    pub(super) is_cut: bool,
}

/// Writes entries as a JSON array: as many as fit into a page, the first one in any case. Entries
/// beyond the page are not serialized.
///
/// # Errors
/// If an entry cannot be serialized.
pub(super) fn list_json<T: Serialize>(
    entries: impl IntoIterator<Item = T>,
) -> Result<ListJson, ApiError> {
    let mut json = vec![b'['];
    let mut is_cut = false;
    for (index, entry) in entries.into_iter().enumerate() {
        let entry = serde_json::to_vec(&entry).map_err(|error| ApiError::fault(&error))?;
        if index > 0 {
            if json.len() + entry.len() >= PAGE_BYTES {
                is_cut = true;
                break;
            }
            json.push(b',');
        }
        json.extend_from_slice(&entry);
    }
    json.push(b']');
    Ok(ListJson { json, is_cut })
}

/// A response whose payload is serialized here.
///
/// # Errors
/// If the payload cannot be serialized.
pub(super) fn of<T: Serialize>(status: StatusCode, payload: &T) -> Answer {
    let payload = serde_json::to_vec(payload).map_err(|error| ApiError::fault(&error))?;
    Ok(raw(status, |body| body.extend_from_slice(&payload)))
}

/// 304, for a list that is empty.
pub(super) fn not_modified() -> HttpResponse {
    // Without a length, some clients wait for a body that never comes.
    HttpResponse::NotModified().insert_header((CONTENT_LENGTH, 0)).finish()
}

/// A response whose payload `write` appends as JSON.
pub(super) fn raw(status: StatusCode, write: impl FnOnce(&mut Vec<u8>)) -> HttpResponse {
    of_rendered(rendered(status, write))
}

/// A response whose payload exists as JSON in several parts. They are not copied, however slowly
/// the client reads.
pub(super) fn parts(status: StatusCode, parts: impl IntoIterator<Item = Bytes>) -> HttpResponse {
    json(status, envelope::around_parts(status.as_u16(), parts))
}

/// Like [`raw`], as bytes that a room can keep as a first answer.
pub(super) fn rendered(status: StatusCode, write: impl FnOnce(&mut Vec<u8>)) -> Rendered {
    Rendered { status: status.as_u16(), body: envelope::around(status.as_u16().into(), write) }
}

/// `{"message": …}` around JSON that exists already, as bytes.
pub(super) fn message(status: StatusCode, json: &MessageJson) -> Rendered {
    message_as(status, &["message"], json)
}

/// Like [`message`], with the message repeated under each of the names.
pub(super) fn message_as(status: StatusCode, names: &[&str], json: &MessageJson) -> Rendered {
    rendered(status, |body| {
        for (index, name) in names.iter().enumerate() {
            body.push(if index == 0 { b'{' } else { b',' });
            body.push(b'"');
            body.extend_from_slice(name.as_bytes());
            body.extend_from_slice(b"\":");
            body.extend_from_slice(json.as_ref());
        }
        body.push(b'}');
    })
}

/// A response with this status and payload, as bytes.
pub(super) fn payload(status: StatusCode, payload: &impl Serialize) -> Rendered {
    rendered(status, |body| write(body, payload))
}

/// Like [`rendered`], with a code in `meta` that is not the status.
pub(super) fn rendered_with_code(
    status: StatusCode,
    code: u32,
    write: impl FnOnce(&mut Vec<u8>),
) -> Rendered {
    Rendered { status: status.as_u16(), body: envelope::around(code, write) }
}

/// Like [`payload`], with a code in `meta` that is not the status.
pub(super) fn payload_with_code(
    status: StatusCode,
    code: u32,
    payload: &impl Serialize,
) -> Rendered {
    rendered_with_code(status, code, |body| write(body, payload))
}

/// 200 without a payload, as bytes.
pub(super) fn done<T>(_: &T) -> Rendered {
    payload(StatusCode::OK, &())
}

/// The response that a room rendered.
pub(super) fn of_rendered(rendered: Rendered) -> HttpResponse {
    let status = StatusCode::from_u16(rendered.status).unwrap_or(StatusCode::OK);
    json(status, vec![rendered.body])
}

fn json(status: StatusCode, parts: Vec<Bytes>) -> HttpResponse {
    HttpResponse::build(status).content_type("application/json").body(body_of(parts))
}

/// Bytes that are handed to a connection at once. The connection copies them, so this limits the
/// memory that a client which reads nothing can hold.
const PIECE: usize = 64 << 10;

/// A short body is sent as one piece. A longer one is handed out piece by piece as the client
/// reads, since a connection copies whatever it is given.
fn body_of(mut parts: Vec<Bytes>) -> BoxBody {
    let length: usize = parts.iter().map(Bytes::len).sum();
    if length > PIECE {
        let pieces = pieces_of(parts).map(Ok::<_, Infallible>);
        SizedStream::new(length as u64, stream::iter(pieces)).boxed()
    } else if parts.len() == 1 {
        parts.remove(0).boxed()
    } else {
        parts.concat().boxed()
    }
}

fn pieces_of(parts: Vec<Bytes>) -> impl Iterator<Item = Bytes> {
    parts.into_iter().flat_map(|mut part| {
        std::iter::from_fn(move || {
            let end = part.len().min(PIECE);
            (end > 0).then(|| part.split_to(end))
        })
    })
}

fn with(status: StatusCode, payload: &impl Serialize) -> HttpResponse {
    raw(status, |body| write(body, payload))
}

fn write(body: &mut Vec<u8>, payload: &impl Serialize) {
    serde_json::to_writer(body, payload).expect("texts, numbers and lists are always JSON");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn long_response_is_sent_without_copies() {
        let shared = Bytes::from(vec![b'1'; 3 * PIECE + 7]);
        let parts = vec![Bytes::from_static(b"["), shared.clone(), Bytes::from_static(b"]")];
        let pieces: Vec<Bytes> = pieces_of(parts.clone()).collect();
        let lengths: Vec<usize> = pieces.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [1, PIECE, PIECE, PIECE, 7, 1]);
        let all = shared.as_ptr_range();
        assert!(pieces[1..5].iter().all(|piece| all.contains(&piece.as_ptr())));
        let whole = actix_web::body::to_bytes(body_of(parts.clone())).await.unwrap();
        assert_eq!(whole, parts.concat());
    }
}
