//! The envelope around every answer (specification, section 1).

use std::iter;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

/// `{"response": …, "meta": {"code": N}}` around a payload that `write` adds as JSON.
pub fn around(code: u16, write: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    let mut body = Vec::with_capacity(1024);
    body.extend_from_slice(b"{\"response\":");
    write(&mut body);
    body.extend_from_slice(b",\"meta\":{\"code\":");
    body.extend_from_slice(code.to_string().as_bytes());
    body.extend_from_slice(b"}}");
    Bytes::from(body)
}

/// The same around a payload that is there in parts, none of which is copied.
pub fn around_parts(code: u16, parts: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let start = Bytes::from_static(b"{\"response\":");
    let end = Bytes::from(format!(",\"meta\":{{\"code\":{code}}}}}"));
    iter::once(start).chain(parts).chain(iter::once(end)).collect()
}

/// The envelope of an error, with every problem in words.
pub fn error(code: u16, errors: &[String]) -> String {
    let refusal = Refusal { response: (), meta: RefusalMeta { code, errors } };
    serde_json::to_string(&refusal).expect("a number and a list of texts are always JSON")
}

/// The answer to what is refused.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub struct Refusal<'a> {
    /// Nothing.
    response: (),
    meta: RefusalMeta<'a>,
}

/// Why something is refused.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RefusalMeta<'a> {
    /// The HTTP status.
    code: u16,
    /// Every problem at once, in words.
    #[schemars(extend("minItems" = 1))]
    errors: &'a [String],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_never_speaks_of_errors() {
        let body = around(201, |body| body.extend_from_slice(b"{\"a\":1}"));
        assert_eq!(&body[..], br#"{"response":{"a":1},"meta":{"code":201}}"#);
    }

    #[test]
    fn in_parts_it_says_the_same() {
        let payload = Bytes::from_static(b"{\"a\":1}");
        let parts = around_parts(201, [payload.slice(..3), payload.slice(3..)]);
        assert_eq!(parts.concat(), around(201, |body| body.extend_from_slice(&payload)));
    }

    #[test]
    fn errors_have_no_response() {
        let body = error(400, &["name is required".to_owned()]);
        assert_eq!(body, r#"{"response":null,"meta":{"code":400,"errors":["name is required"]}}"#);
    }
}
