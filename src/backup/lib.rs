//! Scheduled backups: sets of everything, in a folder or in a bucket of S3.
//!
//! A set is a manifest that names objects by the SHA-256 of their content. Sealed segments of the
//! journal, pictures and files never change, so a set stores only new objects. The manifest is
//! written last. Old sets are removed only after a new one was read back.
//!
//! ```text
//! sets/2026-11-28T030000.000Z/manifest.json     manifest.sealed with a key
//! objects/2c/2cf24dba….zst                      objects/9f/9f3a… with a key
//! ```
//!
//! An object is one frame of zstd. With a key, objects and manifests are encrypted before they
//! leave the machine (`encryption.rs`), and their names tell nothing about their content.

pub mod bucket;
pub mod encryption;
pub mod manifest;
pub mod object;
pub mod place;
pub mod schedule;
pub mod set;
pub mod source;
pub mod store;
