//! A software authenticator (WebAuthn): makes passkeys with P-256, and signs with them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::world::person::{fresh_guid, text};

/// User present, user verified, attested credential data.
const PRESENT: u8 = 1;
const VERIFIED: u8 = 1 << 2;
const ATTESTED: u8 = 1 << 6;

/// An authenticator with one passkey, as it answers from a page.
pub(crate) struct Authenticator {
    key: SigningKey,
    id: Vec<u8>,
    /// The origin of the page.
    pub(crate) origin: String,
    host: String,
    /// The user handle; empty until there is a passkey.
    handle: Vec<u8>,
    /// The signature counter.
    pub(crate) counter: u32,
    /// Whether it verifies its user.
    pub(crate) verifies: bool,
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Authenticator {
    /// A new one, on a page of this origin.
    pub(crate) fn at(origin: String) -> Self {
        let seed = Sha256::digest(fresh_guid());
        let key = SigningKey::from_slice(&seed).unwrap();
        let id = Sha256::digest(fresh_guid()).to_vec();
        let host = String::new();
        Self { key, id, origin, host, handle: Vec::new(), counter: 0, verifies: true }
    }

    /// The response to the options of a registration.
    pub(crate) fn makes(&mut self, options: &Value) -> Value {
        text(&options["rp"]["id"]).clone_into(&mut self.host);
        self.handle = URL_SAFE_NO_PAD.decode(text(&options["user"]["id"])).unwrap();
        let client = self.client_data("webauthn.create", options);
        let point = self.key.verifying_key().to_encoded_point(false);
        let length = u16::try_from(self.id.len()).unwrap().to_be_bytes();
        // COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}
        let key = [
            &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..],
            point.x().unwrap(),
            &[0x22, 0x58, 32],
            point.y().unwrap(),
        ];
        let attested = [&[0; 16][..], &length, &self.id, &key.concat()].concat();
        let data = [self.data(ATTESTED), attested].concat();
        let size = u8::try_from(data.len()).unwrap();
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
        let object =
            [b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".as_slice(), &[size], &data];
        json!({
            "id": encoded(&self.id),
            "rawId": encoded(&self.id),
            "type": "public-key",
            "clientExtensionResults": {},
            "authenticatorAttachment": "platform",
            "response": {
                "clientDataJSON": encoded(client.as_bytes()),
                "attestationObject": encoded(&object.concat()),
                "transports": ["internal"],
            },
        })
    }

    /// The response to the options of a log-in.
    pub(crate) fn signs(&self, options: &Value) -> Value {
        let client = self.client_data("webauthn.get", options);
        let data = self.data(0);
        let signed = [&data[..], &Sha256::digest(&client)].concat();
        let signature: Signature = self.key.sign(&signed);
        json!({
            "id": encoded(&self.id),
            "rawId": encoded(&self.id),
            "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encoded(client.as_bytes()),
                "authenticatorData": encoded(&data),
                "signature": encoded(signature.to_der().as_bytes()),
                "userHandle": encoded(&self.handle),
            },
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> String {
        let challenge = &options["challenge"];
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
    }

    fn data(&self, more: u8) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 0 };
        let flags = PRESENT | verified | more;
        let host = Sha256::digest(&self.host);
        [&host[..], &[flags], &self.counter.to_be_bytes()].concat()
    }
}
