//! Checks whether a file holds the bytes that were stored. An original is named by the digest of
//! its bytes. A form has the name of its original, so a seal with its own digest follows its bytes;
//! image decoders do not look at it.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use sha2::{Digest, Sha256};

use crate::media::name::{ImageName, Variant};

/// The bytes that a seal begins with.
const MARK: &[u8; 8] = b"coterie1";
/// Bytes of the digest in a seal.
const DIGEST: usize = 16;
/// Bytes of a seal.
const SEAL: u64 = (MARK.len() + DIGEST) as u64;
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// The length of the seal in the file of this name; 0 for an original.
pub(super) const fn length(name: &ImageName) -> u64 {
    match name.variant {
        Variant::Original => 0,
        Variant::Preview | Variant::Large | Variant::Avatar => SEAL,
    }
}

/// The bytes of the file of this name, with a seal if it is a form.
pub(super) fn sealed<'a>(name: &ImageName, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    if length(name) == 0 {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned([bytes, MARK, &Sha256::digest(bytes)[..DIGEST]].concat())
}

/// Whether a file of this name and length holds what was stored. A form from before there were
/// seals counts as damaged, so it is rebuilt.
pub(super) fn is_whole(name: &ImageName, file: &File, bytes: u64) -> io::Result<bool> {
    let Some(shown) = bytes.checked_sub(length(name)) else { return Ok(false) };
    let digest = digest(file, shown)?;
    if length(name) == 0 {
        return Ok(name.is_of(&digest));
    }
    let mut seal = [0; MARK.len() + DIGEST];
    file.read_exact_at(&mut seal, shown)?;
    Ok(seal[..MARK.len()] == *MARK && seal[MARK.len()..] == digest[..DIGEST])
}

fn digest(file: &File, bytes: u64) -> io::Result<[u8; 32]> {
    let (mut hash, mut piece, mut at) = (Sha256::new(), vec![0; PIECE], 0);
    while at < bytes {
        let length = PIECE.min(usize::try_from(bytes - at).unwrap_or(PIECE));
        file.read_exact_at(&mut piece[..length], at)?;
        hash.update(&piece[..length]);
        at += length as u64;
    }
    Ok(hash.finalize().into())
}
