//! MessagePack, in which facts, rows and what nodes say to each other are packed.
//!
//! rmp-serde writes it. What reads it is [`Unpacker`]: it compiles for each type what that
//! type can be packed as, where the library's own, which has to take anything in any place,
//! compiled nearly all of the format for each (a twelfth of the program); and it passes by
//! what a later version put behind the fields that this one knows.

mod unpacker;
mod values;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::msgpack::unpacker::{Flawed, Unpacker};

/// Packs a struct as the array of its fields.
///
/// # Errors
/// When the value does not know how long it is; none of ours does not.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, rmp_serde::encode::Error> {
    rmp_serde::to_vec(value)
}

/// Packs a struct as a map of its fields by name: longer, but fields may come and go anywhere.
///
/// # Errors
/// When the value does not know how long it is; none of ours does not.
pub fn to_vec_named<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, rmp_serde::encode::Error> {
    rmp_serde::to_vec_named(value)
}

/// Reads what either packed; bytes behind it are passed by.
///
/// # Errors
/// What is wrong with the bytes, in a sentence for a log.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Flawed> {
    T::deserialize(&mut Unpacker::new(bytes))
}

#[cfg(test)]
mod tests;
