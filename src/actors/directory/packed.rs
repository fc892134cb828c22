//! What questions look like on their way to another node, and what is said to them.

use serde::{Deserialize, Serialize};

/// A question on its way.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PackedQuestion {
    pub(super) version: u8,
    /// Whose it is to decide.
    pub(super) stream: String,
    /// Which one.
    pub(super) name: String,
    #[serde(with = "as_bytes")]
    pub(super) body: Vec<u8>,
}

/// What is said to it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Response {
    /// The answer, and up to where everything must be shown that it rests on.
    Answer {
        #[serde(with = "as_bytes")]
        body: Vec<u8>,
        newest: u64,
    },
    /// The rules said no.
    Refusal {
        #[serde(with = "as_bytes")]
        body: Vec<u8>,
    },
    /// The room has too much to do.
    Busy,
    /// There is no room on the disk.
    Full,
    /// It failed there, and may have been done.
    Failed,
    /// Another node decides it, or this one does not understand it: nothing was done.
    NotMine,
}

/// Bytes as bytes: serde takes a `Vec<u8>` for a list of numbers, each packed by itself.
mod as_bytes {
    use std::fmt;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], out: S) -> Result<S::Ok, S::Error> {
        out.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_byte_buf(ByteVisitor)
    }

    struct ByteVisitor;

    impl Visitor<'_> for ByteVisitor {
        type Value = Vec<u8>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::ask::{pack, unpack};

    #[test]
    fn an_answer_takes_hardly_more_than_its_bytes() {
        let body: Vec<u8> = (0..=255).cycle().take(2000).collect();
        let packed = pack(&Response::Answer { body: body.clone(), newest: 4711 });
        assert!(packed.len() < body.len() + 40, "{} bytes", packed.len());
        let Some(Response::Answer { body: came, newest: 4711 }) = unpack(&packed) else {
            panic!("it is not what was packed");
        };
        assert_eq!(came, body);
    }
}
