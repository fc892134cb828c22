//! The head of an HTTP answer: its status and where its body ends.
//!
//! Only what our servers send is understood: a `Content-Length`, or no body. A chunked answer is
//! refused rather than misread.

const MAX_HEADERS: usize = 48;

/// What can go wrong between a request and its answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("the connection failed: {0}")]
    Io(#[from] std::io::Error),
    #[error("the server closed the connection before it had answered")]
    Closed,
    #[error("the answer is not HTTP/1.1: {0}")]
    Malformed(#[from] httparse::Error),
    #[error("the answer has no usable Content-Length")]
    NoLength,
    #[error("the answer did not come within {0} s")]
    Timeout(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub head_len: usize,
    pub body_len: usize,
    /// Whether the server will close the connection after this answer.
    pub closes: bool,
}

/// Parses the head of an answer; `None` as long as it is incomplete.
pub fn parse_head(bytes: &[u8]) -> Result<Option<Head>, HttpError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut answer = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head_len) = answer.parse(bytes)? else {
        return Ok(None);
    };
    let status = answer.code.unwrap_or(0);
    let mut length = None;
    let mut closes = false;
    for header in answer.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            length = parse_length(header.value);
        } else if header.name.eq_ignore_ascii_case("connection") {
            closes = header.value.eq_ignore_ascii_case(b"close");
        }
    }
    let without_body = matches!(status, 100..=199 | 204 | 304);
    let body_len = if without_body { 0 } else { length.ok_or(HttpError::NoLength)? };
    Ok(Some(Head { status, head_len, body_len, closes }))
}

/// Returns the first id in a JSON body: for a stored message its own id, for a page that of the
/// newest message.
pub fn first_id(body: &[u8]) -> Option<&str> {
    const KEY: &[u8] = b"\"id\":\"";
    let rest = &body[memchr::memmem::find(body, KEY)? + KEY.len()..];
    std::str::from_utf8(&rest[..memchr::memchr(b'"', rest)?]).ok()
}

fn parse_length(raw: &[u8]) -> Option<usize> {
    std::str::from_utf8(raw).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_may_come_in_pieces() {
        let whole = b"HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\nhello";
        for cut in 0..whole.len() - 5 {
            assert_eq!(parse_head(&whole[..cut]).unwrap(), None, "cut at {cut}");
        }
        let head = parse_head(whole).unwrap().unwrap();
        assert_eq!((head.status, head.body_len, head.closes), (201, 5, false));
        assert_eq!(&whole[head.head_len..], b"hello");
    }

    #[test]
    fn status_304_has_no_body_despite_its_length() {
        let head =
            parse_head(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n").unwrap().unwrap();
        assert_eq!(head.body_len, 0);
    }

    #[test]
    fn a_closing_server_is_noticed() {
        let head = parse_head(b"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n")
            .unwrap()
            .unwrap();
        assert!(head.closes);
    }

    #[test]
    fn a_message_is_named_by_its_own_id() {
        assert_eq!(first_id(br#"{"id":"123","group_id":"4"}"#), Some("123"));
        assert_eq!(first_id(br#"{"group_id":"4"}"#), None);
    }

    #[test]
    fn chunked_and_garbage_are_refused() {
        let chunked = parse_head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        assert!(matches!(chunked, Err(HttpError::NoLength)));
        assert!(matches!(parse_head(b"SSH-2.0-OpenSSH\r\n"), Err(HttpError::Malformed(_))));
    }
}
