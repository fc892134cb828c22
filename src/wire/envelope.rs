//! The envelope around every answer (specification, section 1).

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
    fn errors_have_no_response() {
        let body = error(400, &["name is required".to_owned()]);
        assert_eq!(body, r#"{"response":null,"meta":{"code":400,"errors":["name is required"]}}"#);
    }
}
