//! Links to files that need no token, for what a browser loads by itself: signed for one user, for
//! an hour. Whether that user may see the file is checked again when the link is used.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use base::random::random;
use base::secret_file;
use domain::file::FileId;
use domain::ids::{Conversation, TokenId, UserId};

/// Seconds for which a link is good.
pub const LINK_SECONDS: u64 = 3600;
/// The name of the key file.
const KEY: &str = "link.key";
/// Bytes of the key.
const KEY_BYTES: usize = 32;

/// The key that signs links: random, and the same after a restart.
pub struct LinkKey([u8; KEY_BYTES]);

/// The rights of a link, and its end.
#[derive(Debug, Clone, Copy)]
pub struct Grant {
    /// The user for whom the link was signed.
    pub user: UserId,
    /// The token with which the link was made; the link ends with it.
    pub token: TokenId,
    /// When the link expires, in Unix seconds.
    pub expires: u64,
}

/// The target of a link.
#[derive(Debug, Clone)]
pub enum LinkTarget {
    /// A file of a conversation.
    File(Conversation, FileId),
    /// The place for the bytes of an image that will have this id.
    Picture(FileId),
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
                    "the key of file links is damaged; replacing it, so existing links stop working"
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
    pub fn sign(&self, target: &LinkTarget, grant: Grant) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.mac(target, grant).finalize().into_bytes())
    }

    /// Whether the signature of a link was made with this key. Does not check whether the link
    /// expired.
    pub fn signed(&self, target: &LinkTarget, grant: Grant, signature: &str) -> bool {
        let sent = BASE64_URL_SAFE_NO_PAD.decode(signature);
        sent.is_ok_and(|sent| self.mac(target, grant).verify_slice(&sent).is_ok())
    }

    fn mac(&self, target: &LinkTarget, grant: Grant) -> Hmac<Sha256> {
        let Grant { user, token, expires } = grant;
        // Links of different kinds have no text in common.
        let covered = match target {
            LinkTarget::File(conversation, file) => format!("file link\n{conversation}\n{file}"),
            LinkTarget::Picture(picture) => format!("picture link\n{picture}"),
        };
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let mut mac = mac.expect("HMAC takes a key of any length");
        mac.update(format!("{covered}\n{user}\n{token}\n{expires}").as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::GroupId;

    #[test]
    fn a_link_that_was_changed_is_not_signed() {
        let folder = tempfile::tempdir().unwrap();
        let key = LinkKey::open(folder.path()).unwrap();
        let conversation = GroupId::new(1).into();
        let file = FileId::new([7; 16]);
        let user = UserId::new(2);
        let token = TokenId::new(5);
        let grant = Grant { user, token, expires: 3 };
        let others = [
            Grant { user: UserId::new(3), ..grant },
            Grant { token: TokenId::new(6), ..grant },
            Grant { expires: 4, ..grant },
        ];
        let again = LinkKey::open(folder.path()).unwrap();
        for target in [LinkTarget::File(conversation, file.clone()), LinkTarget::Picture(file)] {
            let signature = key.sign(&target, grant);
            assert!(again.signed(&target, grant, &signature), "the same after a restart");
            for other in others {
                assert!(!again.signed(&target, other, &signature), "{other:?}");
            }
            assert!(!again.signed(&target, grant, "") && !again.signed(&target, grant, "AAAA"));
        }
    }
}
