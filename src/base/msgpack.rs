//! MessagePack, the encoding of facts, index rows and messages between nodes.
//!
//! rmp-serde writes it. [`Unpacker`] reads it, for two reasons. It compiles for each type only the
//! encodings that the type can have, whereas the library's reader, which accepts anything anywhere,
//! compiled nearly the whole format for each type (a twelfth of the program). And it skips what a
//! later version put behind the fields that this version knows.

pub mod bytes;
mod unpacker;
mod values;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::msgpack::unpacker::{DecodeError, Unpacker};

/// Packs a value; a struct becomes the array of its fields.
///
/// # Errors
/// If a sequence or map does not know its length in advance; all of ours do.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, rmp_serde::encode::Error> {
    rmp_serde::to_vec(value)
}

/// Packs a value; a struct becomes a map of its fields by name, which is longer, but lets fields
/// come and go anywhere.
///
/// # Errors
/// If a sequence or map does not know its length in advance; all of ours do.
pub fn to_vec_named<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, rmp_serde::encode::Error> {
    rmp_serde::to_vec_named(value)
}

/// Decodes a value that either function packed; bytes behind it are ignored.
///
/// # Errors
/// If the bytes are no such value; the error is a sentence for a log.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    T::deserialize(&mut Unpacker::new(bytes))
}

#[cfg(test)]
mod tests;
