//! The key of an installation, and the codes (HMAC-SHA256, RFC 2104) by which its nodes recognize
//! each other's messages.

use std::fmt;

use hmac::digest::CtOutput;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::replicated::log::{Code, Subject};

/// Bytes of a key, and of a code.
const LENGTH: usize = 32;
/// The use of a code, which is authenticated with it, so that a code of one use is invalid in
/// another.
const LOG: &[u8] = b"coterie log 1";
const BUS: &[u8] = b"coterie bus 1";
const PRINT: &[u8] = b"coterie key 1";

/// The key of an installation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InstallationKey([u8; LENGTH]);

impl fmt::Debug for InstallationKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("InstallationKey(…)")
    }
}

impl InstallationKey {
    /// A random key.
    pub fn fresh() -> Self {
        Self(base::random::random())
    }

    /// The key of these bytes; `None` if their number is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes of the key, for its file.
    pub const fn reveal(&self) -> &[u8] {
        &self.0
    }

    /// Identifies the key without revealing it: 64 bits.
    pub fn print(&self) -> u64 {
        let code: Code = self.over(PRINT, &[]).into_bytes().into();
        u64::from_le_bytes([code[0], code[1], code[2], code[3], code[4], code[5], code[6], code[7]])
    }

    /// The code of a message on a subject of the log. `after` is the newest message before it on
    /// the subject that is in the nodes' copies.
    pub(super) fn of_message(&self, subject: Subject, after: u64, payload: &[u8]) -> Code {
        self.message(subject, after, payload).into_bytes().into()
    }

    /// Whether this is the code of such a message.
    pub(super) fn is_of_message(
        &self,
        code: &Code,
        subject: Subject,
        after: u64,
        payload: &[u8],
    ) -> bool {
        self.message(subject, after, payload) == CtOutput::new((*code).into())
    }

    fn message(&self, subject: Subject, after: u64, payload: &[u8]) -> CtOutput<Hmac<Sha256>> {
        let shard = match subject {
            Subject::Of(shard) => shard.get(),
            Subject::Installation => u16::MAX,
        };
        self.over(LOG, &[&shard.to_le_bytes(), &after.to_le_bytes(), payload])
    }

    /// The code of a message on the bus.
    pub fn of_bus(&self, subject: &str, payload: &[u8]) -> Code {
        self.bus(subject, payload).into_bytes().into()
    }

    /// Whether this is the code of such a message.
    pub fn is_of_bus(&self, code: &Code, subject: &str, payload: &[u8]) -> bool {
        self.bus(subject, payload) == CtOutput::new((*code).into())
    }

    fn bus(&self, subject: &str, payload: &[u8]) -> CtOutput<Hmac<Sha256>> {
        let length = u64::try_from(subject.len()).unwrap_or(u64::MAX).to_le_bytes();
        self.over(BUS, &[&length, subject.as_bytes(), payload])
    }

    fn over(&self, of: &[u8], pieces: &[&[u8]]) -> CtOutput<Hmac<Sha256>> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes any key");
        code.update(of);
        pieces.iter().for_each(|piece| code.update(piece));
        code.finalize()
    }
}

/// A code as text, for a header.
pub fn to_text(code: &Code) -> String {
    code.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The code in a text; `None` if it is malformed.
pub fn from_text(text: &str) -> Option<Code> {
    let mut code = Code::default();
    if text.len() != 2 * LENGTH || !text.bytes().all(|it| it.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in code.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replicated::shard::Shard;

    #[test]
    fn codes_depend_on_everything() {
        let key = InstallationKey([7; LENGTH]);
        let other = InstallationKey([8; LENGTH]);
        let [one, two] = [1, 2].map(|it| Subject::Of(Shard::new(it).unwrap()));
        let code = key.of_message(one, 9, b"words");
        assert!(key.is_of_message(&code, one, 9, b"words"));
        assert!(!other.is_of_message(&code, one, 9, b"words"));
        assert!(!key.is_of_message(&code, two, 9, b"words"));
        assert!(!key.is_of_message(&code, Subject::Installation, 9, b"words"));
        assert!(!key.is_of_message(&code, one, 8, b"words"));
        assert!(!key.is_of_message(&code, one, 9, b"wordz"));
        let code = key.of_bus("ab", b"c");
        assert!(key.is_of_bus(&code, "ab", b"c") && !key.is_of_bus(&code, "a", b"bc"));
        assert_ne!(key.print(), other.print());
    }

    #[test]
    fn key_text_round_trips() {
        let code = InstallationKey([7; LENGTH]).of_bus("a", b"");
        let text = to_text(&code);
        assert_eq!(from_text(&text), Some(code));
        for bad in ["", &text[1..], &format!("{text}0"), &text.replace(|_: char| true, "g")] {
            assert_eq!(from_text(bad), None, "{bad}");
        }
    }

    /// The first test case of RFC 4231.
    #[test]
    fn the_code_is_hmac_sha256() {
        let mut code = Hmac::<Sha256>::new_from_slice(&[0x0b; 20]).unwrap();
        code.update(b"Hi There");
        let bytes: Code = code.finalize().into_bytes().into();
        assert!(to_text(&bytes).starts_with("b0344c61d8db38535ca8afceaf0bf12b"));
    }
}
