//! The envelope around every response (specification, section 1).

use std::iter;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Builds `{"response": …, "meta": {"code": N}}`; `write` appends the payload's JSON.
pub fn around(code: u32, write: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    let mut body = Vec::with_capacity(1024);
    body.extend_from_slice(b"{\"response\":");
    write(&mut body);
    body.extend_from_slice(b",\"meta\":{\"code\":");
    body.extend_from_slice(code.to_string().as_bytes());
    body.extend_from_slice(b"}}");
    Bytes::from(body)
}

/// Builds the same envelope around a payload that comes in parts, without copying them.
pub fn around_parts(code: u16, parts: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let start = Bytes::from_static(b"{\"response\":");
    let end = Bytes::from(format!(",\"meta\":{{\"code\":{code}}}}}"));
    iter::once(start).chain(parts).chain(iter::once(end)).collect()
}

/// Builds the envelope of an error, with a text for every problem and, for some, details for
/// programs.
pub fn error(code: u16, errors: &[String], details: Option<&Value>) -> String {
    let refusal = Refusal { response: (), meta: RefusalMeta { code, errors, details } };
    serde_json::to_string(&refusal).expect("a number and a list of texts are always JSON")
}

/// The body of an error response.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub struct Refusal<'a> {
    /// Always null.
    response: (),
    meta: RefusalMeta<'a>,
}

/// Why the request was refused.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RefusalMeta<'a> {
    /// The HTTP status.
    code: u16,
    /// Every problem found, each as a sentence.
    #[schemars(extend("minItems" = 1))]
    errors: &'a [String],
    /// Details for programs, of some refusals: `needs` with what the caller has to do first (`fresh`:
    /// a proof with `POST /auth/fresh`), `rejection_reason` of a join that was refused, and `until` and
    /// `reason` of a ban.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Value>,
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
    fn streamed_envelope_equals_whole_one() {
        let payload = Bytes::from_static(b"{\"a\":1}");
        let parts = around_parts(201, [payload.slice(..3), payload.slice(3..)]);
        assert_eq!(parts.concat(), around(201, |body| body.extend_from_slice(&payload)));
    }

    #[test]
    fn errors_have_no_response() {
        let body = error(400, &["name is required".to_owned()], None);
        assert_eq!(body, r#"{"response":null,"meta":{"code":400,"errors":["name is required"]}}"#);
    }
}
