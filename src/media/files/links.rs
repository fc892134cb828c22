//! Links to files that need no token, for what a browser loads by itself: signed for one user, for
//! an hour. Whether that user may see the file is checked again when the link is used.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::domain::file::FileId;
use crate::domain::ids::{Conversation, TokenId, UserId};
use crate::random::random;
use crate::secret_file;

/// Seconds for which a link is good.
pub const LINK_SECONDS: u64 = 3600;
/// The name of the key file.
const KEY: &str = "link.key";
/// Bytes of the key.
const KEY_BYTES: usize = 32;

/// The key that signs links: random, and the same after a restart.
pub struct LinkKey([u8; KEY_BYTES]);

/// What the signature of a link covers.
#[derive(Debug, Clone)]
pub struct FileLink {
    /// The conversation that the file is in.
    pub conversation: Conversation,
    /// The file's id.
    pub file: FileId,
    /// The user for whom the link was signed.
    pub user: UserId,
    /// The token with which the link was made; the link ends with it.
    pub token: TokenId,
    /// When the link expires, in Unix seconds.
    pub expires: u64,
}

/// The address to which the bytes of an image are sent.
#[derive(Debug, Clone)]
pub struct PictureLink {
    /// The id that the image will have.
    pub picture: FileId,
    /// The user who sends it.
    pub user: UserId,
    /// The token with which the address was given; the address ends with it.
    pub token: TokenId,
    /// When the address expires, in Unix seconds.
    pub expires: u64,
}

/// What can be signed.
pub trait SignedLink {
    /// What the signature covers. Different kinds of links have no text in common.
    fn covered(&self) -> String;
}

impl SignedLink for FileLink {
    fn covered(&self) -> String {
        let Self { conversation, file, user, token, expires } = self;
        format!("file link\n{conversation}\n{file}\n{user}\n{token}\n{expires}")
    }
}

impl SignedLink for PictureLink {
    fn covered(&self) -> String {
        let Self { picture, user, token, expires } = self;
        format!("picture link\n{picture}\n{user}\n{token}\n{expires}")
    }
}

impl LinkKey {
    /// The path of the key file, below the folder of files.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(KEY)
    }

    /// Reads the key below this folder. Creates it if there is none, and replaces a damaged one,
    /// which ends the links of the last hour.
    ///
    /// # Errors
    /// If the key cannot be read or written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let path = Self::path(folder);
        match secret_file::read(&path) {
            Ok(bytes) => match <[u8; KEY_BYTES]>::try_from(bytes) {
                Ok(key) => return Ok(Self(key)),
                Err(_) => tracing::warn!(
                    path = %path.display(),
                    "the key of file links is damaged; replacing it, which ends links in use"
                ),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let key = random();
        secret_file::write(&path, &key)?;
        Ok(Self(key))
    }

    /// Checks the key below this folder, if there is one.
    ///
    /// # Errors
    /// If the key cannot be read or is damaged.
    pub fn check(folder: &Path) -> io::Result<()> {
        match fs::metadata(Self::path(folder)) {
            Ok(about) if about.len() == KEY_BYTES as u64 => Ok(()),
            Ok(_) => Err(io::Error::other("damaged")),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Signs a link; the signature is URL-safe Base64 without padding.
    pub fn sign(&self, link: &impl SignedLink) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.mac(link).finalize().into_bytes())
    }

    /// Whether the signature of a link was made with this key. Does not check whether the link
    /// expired.
    pub fn signed(&self, link: &impl SignedLink, signature: &str) -> bool {
        let sent = BASE64_URL_SAFE_NO_PAD.decode(signature);
        sent.is_ok_and(|sent| self.mac(link).verify_slice(&sent).is_ok())
    }

    fn mac(&self, link: &impl SignedLink) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let mut mac = mac.expect("HMAC takes a key of any length");
        mac.update(link.covered().as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::GroupId;

    #[test]
    fn a_link_that_was_changed_is_not_signed() {
        let folder = tempfile::tempdir().unwrap();
        let key = LinkKey::open(folder.path()).unwrap();
        let conversation = GroupId::new(1).into();
        let (file, user) = (FileId::new([7; 16]), UserId::new(2));
        let token = TokenId::new(5);
        let link = FileLink { conversation, file, user, token, expires: 3 };
        let signature = key.sign(&link);
        let again = LinkKey::open(folder.path()).unwrap();
        assert!(again.signed(&link, &signature), "the same after a restart");
        assert!(!again.signed(&FileLink { expires: 4, ..link.clone() }, &signature));
        assert!(!again.signed(&FileLink { user: UserId::new(3), ..link.clone() }, &signature));
        assert!(!again.signed(&FileLink { token: TokenId::new(6), ..link.clone() }, &signature));
        assert!(!again.signed(&link, "") && !again.signed(&link, "AAAA"));
        let link = PictureLink { picture: FileId::new([7; 16]), user, token, expires: 3 };
        let signature = key.sign(&link);
        assert!(key.signed(&link, &signature));
        assert!(!key.signed(&PictureLink { expires: 4, ..link.clone() }, &signature));
        assert!(!key.signed(&PictureLink { token: TokenId::new(6), ..link.clone() }, &signature));
        assert!(!key.signed(&PictureLink { user: UserId::new(3), ..link }, &signature));
    }
}
