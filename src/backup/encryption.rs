//! Encryption of objects and manifests before they leave the machine: AES-256-GCM in pieces of
//! 1 MiB.
//!
//! ```text
//! salt (32 bytes) · piece · piece · … · last piece      each piece with a tag of 16 bytes
//! ```
//!
//! Each object has a key of its own: HMAC-SHA256 of its name and its salt. The nonce of a piece is
//! its number and whether it is the last one, as in STREAM (Hoang, Reyhanitabar, Rogaway and Vizár,
//! 2015). So no piece can be changed, moved, repeated or cut off, and no object can take the place
//! of another.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use aes_gcm::aead::AeadInPlace;
use aes_gcm::{Aes256Gcm, KeyInit, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use base::random::random;
use base::secret_file;
use domain::hex::hex;

/// The bytes of a piece before it is encrypted.
const PIECE: usize = 1 << 20;
/// The bytes that encryption adds to a piece.
const TAG: usize = 16;
/// The bytes of a salt.
const SALT: usize = 32;

/// The key that encrypts backups.
#[derive(Clone)]
pub struct BackupKey([u8; 32]);

impl fmt::Debug for BackupKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("BackupKey")
    }
}

impl BackupKey {
    /// Reads the key from its file: 32 random bytes in base64, on one line.
    ///
    /// # Errors
    /// If the file cannot be read or holds no such key.
    pub fn read(path: &Path) -> io::Result<Self> {
        let help = "must be 32 random bytes in base64, like the output of openssl rand -base64 32";
        let wrong = || io::Error::new(ErrorKind::InvalidData, help);
        let text = String::from_utf8(secret_file::read(path)?).map_err(|_| wrong())?;
        let text = text.trim();
        let bytes = STANDARD.decode(text).or_else(|_| URL_SAFE_NO_PAD.decode(text));
        bytes.ok().and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or_else(wrong)
    }

    /// The name of an object, from the SHA-256 of its content: it tells nobody whether a known file
    /// is in the backup.
    pub fn object_name(&self, sha256: &str) -> String {
        hex(&self.derive(&[b"name", sha256.as_bytes()]))
    }

    /// Encrypts what is read.
    pub fn sealing<R: Read>(&self, name: &str, from: R) -> Sealing<R> {
        let salt: [u8; SALT] = random();
        let cipher = self.cipher(name, &salt);
        Sealing { from, cipher, number: 0, piece: salt.to_vec(), at: 0, is_over: false }
    }

    /// Decrypts what is written.
    pub fn opening<W: Write>(&self, name: &str, into: W) -> Opening<W> {
        Opening {
            into,
            key: self.clone(),
            name: name.to_owned(),
            cipher: None,
            number: 0,
            waiting: Vec::new(),
        }
    }

    fn cipher(&self, name: &str, salt: &[u8]) -> Aes256Gcm {
        Aes256Gcm::new(&self.derive(&[b"content", name.as_bytes(), salt]).into())
    }

    fn derive(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.0);
        let mut mac = mac.expect("HMAC takes keys of any length");
        mac.update(b"coterie backup 1");
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// The nonce of a piece.
fn nonce(number: u64, is_last: bool) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&number.to_be_bytes());
    nonce[11] = u8::from(is_last);
    nonce
}

/// Reads encrypted bytes.
pub struct Sealing<R> {
    from: R,
    cipher: Aes256Gcm,
    number: u64,
    /// The salt or the current piece, as far as it is not read.
    piece: Vec<u8>,
    at: usize,
    is_over: bool,
}

impl<R: Read> Sealing<R> {
    /// Encrypts the next piece. Only the last one is shorter than the others.
    fn next(&mut self) -> io::Result<()> {
        self.piece.clear();
        self.at = 0;
        (&mut self.from).take(PIECE as u64).read_to_end(&mut self.piece)?;
        let is_last = self.piece.len() < PIECE;
        let nonce = nonce(self.number, is_last);
        let sealed = self.cipher.encrypt_in_place(Nonce::from_slice(&nonce), b"", &mut self.piece);
        sealed.map_err(|_| io::Error::other("encrypting a piece failed"))?;
        self.number += 1;
        self.is_over = is_last;
        Ok(())
    }
}

impl<R: Read> Read for Sealing<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            if self.is_over {
                return Ok(0);
            }
            self.next()?;
        }
        let count = into.len().min(self.piece.len() - self.at);
        into[..count].copy_from_slice(&self.piece[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Decrypts what is written to it, and writes it on.
pub struct Opening<W> {
    into: W,
    key: BackupKey,
    name: String,
    /// `None` until the salt is there.
    cipher: Option<Aes256Gcm>,
    number: u64,
    waiting: Vec<u8>,
}

impl<W: Write> Opening<W> {
    /// Decrypts the last piece.
    ///
    /// # Errors
    /// If it is damaged or missing, or cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        let last = std::mem::take(&mut self.waiting);
        self.open(last, true)?;
        self.into.flush()
    }

    fn open(&mut self, mut piece: Vec<u8>, is_last: bool) -> io::Result<()> {
        let damaged = "it is damaged, or encrypted with another key";
        let damaged = || io::Error::new(ErrorKind::InvalidData, damaged);
        let nonce = nonce(self.number, is_last);
        let cipher = self.cipher.as_ref().ok_or_else(damaged)?;
        let opened = cipher.decrypt_in_place(Nonce::from_slice(&nonce), b"", &mut piece);
        opened.map_err(|_| damaged())?;
        self.number += 1;
        self.into.write_all(&piece)
    }
}

impl<W: Write> Write for Opening<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.cipher.is_none() && self.waiting.len() >= SALT {
            let rest = self.waiting.split_off(SALT);
            self.cipher = Some(self.key.cipher(&self.name, &self.waiting));
            self.waiting = rest;
        }
        while self.cipher.is_some() && self.waiting.len() >= PIECE + TAG {
            let rest = self.waiting.split_off(PIECE + TAG);
            let piece = std::mem::replace(&mut self.waiting, rest);
            self.open(piece, false)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(key: &BackupKey, content: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        key.sealing("objects/aa", content).read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn opened(key: &BackupKey, name: &str, sealed: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        let mut opening = key.opening(name, &mut content);
        sealed.chunks(700_001).try_for_each(|bytes| opening.write_all(bytes))?;
        opening.finish()?;
        Ok(content)
    }

    #[test]
    fn content_of_every_length_opens() {
        let key = BackupKey([7; 32]);
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 5] {
            let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let sealed = sealed(&key, &content);
            assert_eq!(opened(&key, "objects/aa", &sealed).unwrap(), content, "{length}");
        }
    }

    #[test]
    fn changed_cut_and_swapped_content_does_not_open() {
        let key = BackupKey([7; 32]);
        let whole = sealed(&key, &vec![1; 2 * PIECE + 9]);
        let is_refused = |bytes: &[u8]| opened(&key, "objects/aa", bytes).is_err();
        assert!(!is_refused(&whole));
        for at in [0, SALT, SALT + PIECE, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(is_refused(&changed), "{at}");
        }
        for length in [0, SALT, SALT + PIECE + TAG, SALT + 2 * (PIECE + TAG), whole.len() - 1] {
            assert!(is_refused(&whole[..length]), "{length}");
        }
        let first = SALT..SALT + PIECE + TAG;
        let second = first.end..SALT + 2 * (PIECE + TAG);
        let swapped = [&whole[..SALT], &whole[second.clone()], &whole[first], &whole[second.end..]];
        assert!(is_refused(&swapped.concat()));
        assert!(opened(&key, "objects/bb", &whole).is_err(), "the name of another object");
        assert!(opened(&BackupKey([8; 32]), "objects/aa", &whole).is_err(), "another key");
    }

    #[test]
    fn key_file_holds_base64() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("backup.key");
        std::fs::write(&path, format!("{}\n", STANDARD.encode([9; 32]))).unwrap();
        assert_eq!(BackupKey::read(&path).unwrap().0, [9; 32]);
        for text in ["", "short", &STANDARD.encode([9; 31])] {
            std::fs::write(&path, text).unwrap();
            assert!(BackupKey::read(&path).is_err(), "{text}");
        }
    }
}
