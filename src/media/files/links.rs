//! Links to files that need no token, for what a browser loads by itself: signed for one
//! person, for an hour. What that person may see is asked again when the link is used.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::domain::file::FileId;
use crate::domain::ids::{Conversation, UserId};
use crate::random::random;
use crate::secret_file;

/// Seconds for which a link is good.
pub const LINK_SECONDS: u64 = 3600;
/// What the file of the key is called.
const KEY: &str = "link.key";

/// What a link is signed with: random, and the same after a restart.
pub struct LinkKey([u8; 32]);

/// What a link says.
#[derive(Debug, Clone)]
pub struct FileLink {
    /// Where the file is.
    pub conversation: Conversation,
    /// Which one.
    pub file: FileId,
    /// For whom.
    pub user: UserId,
    /// Until when, in Unix seconds.
    pub expires: u64,
}

impl LinkKey {
    /// Where it lies, below the folder of files.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(KEY)
    }

    /// Reads it below this folder, and makes it where there is none.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let path = Self::path(folder);
        match secret_file::read(&path) {
            Ok(bytes) => {
                let key = <[u8; 32]>::try_from(bytes);
                key.map(Self).map_err(|_| io::Error::other(format!("{KEY} is damaged")))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let key = random();
                secret_file::write(&path, &key)?;
                Ok(Self(key))
            }
            Err(error) => Err(error),
        }
    }

    /// The signature of a link.
    pub fn sign(&self, link: &FileLink) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.mac(link).finalize().into_bytes())
    }

    /// Whether a link was signed here.
    pub fn signed(&self, link: &FileLink, signature: &str) -> bool {
        let sent = BASE64_URL_SAFE_NO_PAD.decode(signature);
        sent.is_ok_and(|sent| self.mac(link).verify_slice(&sent).is_ok())
    }

    fn mac(&self, link: &FileLink) -> Hmac<Sha256> {
        let FileLink { conversation, file, user, expires } = link;
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let mut mac = mac.expect("HMAC takes a key of any length");
        mac.update(format!("file link\n{conversation}\n{file}\n{user}\n{expires}").as_bytes());
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
        let link = FileLink { conversation, file, user, expires: 3 };
        let signature = key.sign(&link);
        let again = LinkKey::open(folder.path()).unwrap();
        assert!(again.signed(&link, &signature), "the same after a restart");
        assert!(!again.signed(&FileLink { expires: 4, ..link.clone() }, &signature));
        assert!(!again.signed(&FileLink { user: UserId::new(3), ..link.clone() }, &signature));
        assert!(!again.signed(&link, "") && !again.signed(&link, "AAAA"));
    }
}
