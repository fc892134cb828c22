//! Requests as bytes, prepared once.

use std::net::SocketAddr;

use crate::guid::Guid;

/// Builds a `GET` of `path`, with the caller's token unless it is empty.
pub fn get(host: SocketAddr, path: &str, token: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{}\r\n", token_line(token)).into_bytes()
}

/// Builds a `GET` whose answer may be compressed with zstd.
pub fn get_compressed(host: SocketAddr, path: &str, token: &str) -> Vec<u8> {
    let token = token_line(token);
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{token}Accept-Encoding: zstd\r\n\r\n")
        .into_bytes()
}

/// Builds a `POST` of a JSON body.
pub fn post(host: SocketAddr, path: &str, token: &str, body: &str) -> Vec<u8> {
    with_json("POST", host, path, token, body)
}

/// Builds a `PUT` of a JSON body.
pub fn put(host: SocketAddr, path: &str, token: &str, body: &str) -> Vec<u8> {
    with_json("PUT", host, path, token, body)
}

/// Builds a `DELETE` without a body.
pub fn delete(host: SocketAddr, path: &str, token: &str) -> Vec<u8> {
    format!("DELETE {path} HTTP/1.1\r\nHost: {host}\r\n{}\r\n", token_line(token)).into_bytes()
}

fn with_json(method: &str, host: SocketAddr, path: &str, token: &str, body: &str) -> Vec<u8> {
    let token = token_line(token);
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{token}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Builds the head of a `POST` whose body has `length` bytes.
pub fn post_bytes(host: SocketAddr, path: &str, token: &str, length: usize) -> Vec<u8> {
    let token = token_line(token);
    format!("POST {path} HTTP/1.1\r\nHost: {host}\r\n{token}Content-Length: {length}\r\n\r\n")
        .into_bytes()
}

fn token_line(token: &str) -> String {
    match token {
        "" => String::new(),
        token => format!("X-Access-Token: {token}\r\n"),
    }
}

/// The group to post into, and the token of the user who posts.
#[derive(Debug, Clone)]
pub struct PostTarget {
    pub group_id: String,
    pub token: String,
}

/// A prepared message post in which only the guid changes.
#[derive(Debug, Clone)]
pub struct PostTemplate {
    bytes: Vec<u8>,
    guid_at: usize,
}

impl PostTemplate {
    /// Prepares a post with a text of `text_bytes` bytes; the letters vary, so that the text does
    /// not compress to almost nothing.
    pub fn new(host: SocketAddr, post_target: &PostTarget, text_bytes: usize) -> Self {
        let PostTarget { group_id, token } = post_target;
        let path = format!("/v3/groups/{group_id}/messages");
        Self::around(r#"{"message":{"source_guid":""#, &text_of(text_bytes, group_id), |body| {
            post(host, &path, token, body)
        })
    }

    /// Prepares a direct message to `recipient` from the user with this token.
    pub fn direct(host: SocketAddr, recipient: &str, token: &str, text_bytes: usize) -> Self {
        let before =
            format!(r#"{{"direct_message":{{"recipient_id":"{recipient}","source_guid":""#);
        Self::around(&before, &text_of(text_bytes, recipient), |body| {
            post(host, "/v3/direct_messages", token, body)
        })
    }

    /// Prepares a request whose body consists of `before`, the guid and then the text.
    fn around(before: &str, text: &str, request: impl FnOnce(&str) -> Vec<u8>) -> Self {
        let blank = "0".repeat(Guid::LEN);
        let body = format!(r#"{before}{blank}","text":"{text}"}}}}"#);
        let bytes = request(&body);
        let guid_at = bytes.len() - body.len() + before.len();
        Self { bytes, guid_at }
    }

    /// Returns the request that posts the message named `guid`.
    pub fn with(&mut self, guid: Guid) -> &[u8] {
        let place = &mut self.bytes[self.guid_at..self.guid_at + Guid::LEN];
        if let Ok(place) = place.try_into() {
            guid.write(place);
        }
        &self.bytes
    }
}

/// Returns a text of `bytes` letters and spaces, which differs by seed.
pub fn text_of(bytes: usize, seed: &str) -> String {
    (0..bytes).map(|place| letter(place, seed)).collect()
}

fn letter(place: usize, seed: &str) -> char {
    let seed =
        seed.bytes().fold(17u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mixed = (seed ^ place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    match mixed % 32 {
        place @ 0..26 => char::from(b'a' + place as u8),
        _ => ' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 80))
    }

    #[test]
    fn a_template_carries_the_guid_and_a_text_of_the_asked_length() {
        let post_target = PostTarget { group_id: "42".into(), token: "secret".into() };
        let mut template = PostTemplate::new(host(), &post_target, 200);
        let raw = template.with(Guid { run: 1, sender: 2, number: 3 }).to_vec();
        let raw = String::from_utf8(raw).unwrap();
        let (head, body) = raw.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /v3/groups/42/messages HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("X-Access-Token: secret"), "{head}");
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
        let json: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(json["message"]["source_guid"], "lt00000001-0002-00000003");
        assert_eq!(json["message"]["text"].as_str().unwrap().len(), 200);
    }

    #[test]
    fn a_direct_message_names_its_recipient() {
        let mut template = PostTemplate::direct(host(), "7", "secret", 20);
        let raw = template.with(Guid { run: 1, sender: 2, number: 3 }).to_vec();
        let raw = String::from_utf8(raw).unwrap();
        let (head, body) = raw.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /v3/direct_messages HTTP/1.1\r\n"), "{head}");
        let json: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(json["direct_message"]["recipient_id"], "7");
        assert_eq!(json["direct_message"]["source_guid"], "lt00000001-0002-00000003");
        assert_eq!(json["direct_message"]["text"].as_str().unwrap().len(), 20);
    }

    #[test]
    fn no_token_no_header() {
        let raw = String::from_utf8(get(host(), "/x", "")).unwrap();
        assert_eq!(raw, "GET /x HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n");
    }
}
