//! Finds the file in a `multipart/form-data` form (RFC 7578), in a body that was received
//! completely.
//!
//! Multer and actix-multipart are not used: they parse a stream and would collect the file in
//! memory of its own. Here it is a slice of the body, whose bytes are counted already.

use std::ops::Range;

/// Bytes that a form may have in addition to its file.
pub(super) const WRAPPING: usize = 4 << 10;
/// Maximum number of parts that are searched.
const PARTS: usize = 16;

/// The boundary between the parts, if this Content-Type is that of a multipart form.
pub(super) fn boundary(content_type: &str) -> Option<String> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let value = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    })?;
    // The length that RFC 2046, section 5.1.1, allows.
    (1..=70).contains(&value.len()).then(|| value.to_owned())
}

/// The range of the content of the field `file`.
pub(super) fn file(body: &[u8], boundary: &str) -> Option<Range<usize>> {
    let opening = format!("--{boundary}");
    let between = format!("\r\n--{boundary}");
    let mut at = find(body, 0, opening.as_bytes())? + opening.len();
    for _ in 0..PARTS {
        let head = at;
        let content = find(body, head, b"\r\n\r\n")? + 4;
        let end = find(body, content, between.as_bytes())?;
        if is_file(&body[head..content]) {
            return Some(content..end);
        }
        at = end + between.len();
    }
    None
}

/// Whether these headers are those of the field `file`.
fn is_file(head: &[u8]) -> bool {
    String::from_utf8_lossy(head).lines().any(|line| {
        let Some((name, value)) = line.split_once(':') else { return false };
        let mut parameters = value.split(';').map(str::trim);
        name.trim().eq_ignore_ascii_case("content-disposition")
            && parameters.any(|it| matches!(it, "name=\"file\"" | "name=file"))
    })
}

fn find(body: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = from;
    loop {
        at += body.get(at..)?.iter().position(|byte| *byte == first)?;
        if body[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_found_among_the_fields() {
        let boundary = boundary("multipart/form-data; charset=x; boundary=\"xYz\"").unwrap();
        let body = b"--xYz\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nabc\r\n--xYz\
            \r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\
            Content-Type: image/png\r\n\r\n\x89P\r\n\r\n--xY\r\n--xYz--\r\n";
        assert_eq!(&body[file(body, &boundary).unwrap()], b"\x89P\r\n\r\n--xY");
    }

    #[test]
    fn malformed_form_differs_from_missing_file() {
        assert_eq!(boundary("image/png"), None);
        assert_eq!(boundary("multipart/form-data"), None);
        assert_eq!(boundary("multipart/form-data; boundary="), None);
        let form = b"--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nabc\r\n--x--";
        assert_eq!(file(form, "x"), None);
        let torn = b"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc";
        assert_eq!(file(torn, "x"), None);
        assert_eq!(file(b"", "x"), None);
    }
}
