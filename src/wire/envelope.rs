//! The envelope around every answer (specification, section 1).

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;

/// `{"response": …, "meta": {"code": N}}` around a payload that is JSON already.
pub fn around(code: u16, payload: &[u8]) -> Bytes {
    let mut body = BytesMut::with_capacity(payload.len() + 48);
    body.put_slice(b"{\"response\":");
    body.put_slice(payload);
    body.put_slice(b",\"meta\":{\"code\":");
    body.put_slice(code.to_string().as_bytes());
    body.put_slice(b"}}");
    body.freeze()
}

/// The envelope around a payload.
///
/// # Errors
/// When the payload cannot be written as JSON.
pub fn success<T: Serialize>(code: u16, payload: &T) -> Result<Bytes, serde_json::Error> {
    Ok(around(code, &serde_json::to_vec(payload)?))
}

/// The envelope of an error, with every problem in words.
pub fn error(code: u16, errors: &[String]) -> String {
    #[derive(Serialize)]
    struct Meta<'a> {
        code: u16,
        errors: &'a [String],
    }
    let meta = serde_json::to_string(&Meta { code, errors })
        .expect("a number and a list of texts are always JSON");
    format!("{{\"response\":null,\"meta\":{meta}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_never_speaks_of_errors() {
        let body = success(201, &serde_json::json!({"a": 1})).unwrap();
        assert_eq!(&body[..], br#"{"response":{"a":1},"meta":{"code":201}}"#);
    }

    #[test]
    fn errors_have_no_response() {
        let body = error(400, &["name is required".to_owned()]);
        assert_eq!(body, r#"{"response":null,"meta":{"code":400,"errors":["name is required"]}}"#);
    }
}
