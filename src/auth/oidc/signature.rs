//! Signed tokens of providers: JSON Web Signatures in the compact form (RFC 7515) and the keys that
//! verify them (RFC 7517), by ring.
//!
//! Three algorithms are accepted, each with keys of its own type only, so that no token can choose
//! how it is verified.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The longest token that is read, in bytes.
const TOKEN_BYTES: usize = 32 * 1024;
/// The most keys of a provider that are kept.
const KEYS: usize = 64;

/// Why a signed token is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFault {
    /// The text is not a signed token.
    #[error("it is not a signed token")]
    Form,
    /// The algorithm is none of the three.
    #[error("its algorithm is not RS256, ES256 or EdDSA")]
    Algorithm,
    /// The header demands something that is not understood.
    #[error("its header has crit, which is not supported")]
    Critical,
    /// The provider has no such key.
    #[error("its key is not among the keys of the provider")]
    UnknownKey,
    /// The signature does not belong to the token.
    #[error("its signature is wrong")]
    Signature,
}

/// The algorithms that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    fn named(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            // RFC 8037, and its name of RFC 9864 for the same.
            "EdDSA" | "Ed25519" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

/// A key of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    id: Option<String>,
    material: Material,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl Material {
    fn verifies(&self, algorithm: Algorithm, signed: &[u8], signature: &[u8]) -> bool {
        match (self, algorithm) {
            (Self::Rsa { modulus, exponent }, Algorithm::Rs256) => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature).is_ok()
            }
            (Self::P256(point), Algorithm::Es256) => {
                let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
                key.verify(signed, signature).is_ok()
            }
            (Self::Ed25519(point), Algorithm::EdDsa) => {
                UnparsedPublicKey::new(&ED25519, point).verify(signed, signature).is_ok()
            }
            (Self::Rsa { .. } | Self::P256(_) | Self::Ed25519(_), _) => false,
        }
    }

    const fn is_for(&self, algorithm: Algorithm) -> bool {
        matches!(
            (self, algorithm),
            (Self::Rsa { .. }, Algorithm::Rs256)
                | (Self::P256(_), Algorithm::Es256)
                | (Self::Ed25519(_), Algorithm::EdDsa)
        )
    }
}

/// A key as a provider publishes it.
#[derive(Deserialize)]
struct PublishedKey {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl PublishedKey {
    /// The key; `None` if it is not for signatures or of another type.
    fn read(self) -> Option<Key> {
        if self.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let decode = |text: Option<String>| URL_SAFE_NO_PAD.decode(text?).ok();
        let material = match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => Material::Rsa { modulus: decode(self.n)?, exponent: decode(self.e)? },
            ("EC", Some("P-256")) => {
                let x = decode(self.x)?;
                let y = decode(self.y)?;
                // An uncompressed point (SEC 1, section 2.3.3).
                Material::P256([&[4][..], &x, &y].concat())
            }
            ("OKP", Some("Ed25519")) => Material::Ed25519(decode(self.x)?),
            _ => return None,
        };
        Some(Key { id: self.kid, material })
    }
}

/// The keys of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet(Vec<Key>);

impl KeySet {
    /// Reads the document of a provider; keys of other types are left out. `None` if it is no such
    /// document.
    pub fn read(document: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Document {
            keys: Vec<Value>,
        }
        let Document { keys } = serde_json::from_slice(document).ok()?;
        let keys = keys.into_iter().filter_map(|key| serde_json::from_value(key).ok());
        Some(Self(keys.filter_map(PublishedKey::read).take(KEYS).collect()))
    }

    /// Verifies a token and returns its claims, which nobody has judged yet.
    ///
    /// # Errors
    /// If the token is not signed by one of these keys with one of the accepted algorithms.
    pub fn verify(&self, token: &str) -> Result<Map<String, Value>, SignatureFault> {
        if token.len() > TOKEN_BYTES {
            return Err(SignatureFault::Form);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(SignatureFault::Form)?;
        let (header, claims) = signed.split_once('.').ok_or(SignatureFault::Form)?;
        let header = object(header).ok_or(SignatureFault::Form)?;
        let algorithm = header.get("alg").and_then(Value::as_str).and_then(Algorithm::named);
        let algorithm = algorithm.ok_or(SignatureFault::Algorithm)?;
        if header.contains_key("crit") {
            return Err(SignatureFault::Critical);
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| SignatureFault::Form)?;
        let id = match header.get("kid") {
            None => None,
            Some(id) => Some(id.as_str().ok_or(SignatureFault::Form)?),
        };
        let is_meant = |key: &&Key| {
            key.material.is_for(algorithm) && id.is_none_or(|id| key.id.as_deref() == Some(id))
        };
        let mut keys = self.0.iter().filter(is_meant).peekable();
        keys.peek().ok_or(SignatureFault::UnknownKey)?;
        if !keys.any(|key| key.material.verifies(algorithm, signed.as_bytes(), &signature)) {
            return Err(SignatureFault::Signature);
        }
        object(claims).ok_or(SignatureFault::Form)
    }
}

fn object(encoded: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(encoded).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7515, appendix A.2: a token by RS256.
    const RS256: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0d\
        HA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJ\
        bu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_\
        nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOk\
        HWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN\
        _IoypGlUPQGe77Rw";
    const MODULUS: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt\
        0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSH\
        SXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_\
        I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    /// RFC 8037, appendix A.4: a token by EdDSA.
    const EDDSA: &str = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPO\
        t7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    const EDDSA_KEY: &str = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

    fn rsa_keys() -> KeySet {
        let document = format!(r#"{{"keys":[{{"kty":"RSA","n":"{MODULUS}","e":"AQAB"}}]}}"#);
        KeySet::read(document.as_bytes()).unwrap()
    }

    #[test]
    fn tokens_of_the_standards_are_verified() {
        let keys = rsa_keys();
        assert_eq!(keys.verify(RS256).unwrap()["iss"], "joe");
        let altered = RS256.replacen("eyJpc3Mi", "eyJpc3Mj", 1);
        assert_eq!(keys.verify(&altered).err(), Some(SignatureFault::Signature));
        // Its payload is no JSON, which is looked at last.
        let keys = KeySet::read(EDDSA_KEY.as_bytes()).unwrap();
        assert_eq!(keys.verify(EDDSA).err(), Some(SignatureFault::Form));
        assert_eq!(keys.verify(RS256).err(), Some(SignatureFault::UnknownKey));
    }

    #[test]
    fn tokens_choose_no_algorithm() {
        let keys = rsa_keys();
        let token = |header: &str| {
            let parts = [header, "{}"].map(|part| URL_SAFE_NO_PAD.encode(part));
            format!("{}.{}.", parts[0], parts[1])
        };
        for (header, fault) in [
            (r#"{"alg":"none"}"#, SignatureFault::Algorithm),
            (r#"{"alg":"HS256"}"#, SignatureFault::Algorithm),
            (r#"{"alg":"RS256","crit":["b64"]}"#, SignatureFault::Critical),
            (r#"{"alg":"RS256","kid":"x"}"#, SignatureFault::UnknownKey),
            (r#"{"alg":"RS256","kid":7}"#, SignatureFault::Form),
            (r#"{"alg":"ES256"}"#, SignatureFault::UnknownKey),
            (r#"{"alg":"RS256"}"#, SignatureFault::Signature),
            (r#"[]"#, SignatureFault::Form),
        ] {
            assert_eq!(keys.verify(&token(header)).err(), Some(fault), "{header}");
        }
        for text in ["", ".", "..", "a.b", "a.b.c.d", &"a".repeat(TOKEN_BYTES + 1)] {
            assert_eq!(keys.verify(text).err(), Some(SignatureFault::Form), "{text:.9}");
        }
        assert_eq!(KeySet::read(b"[]"), None);
        let others =
            br#"{"keys":[{"kty":"oct","k":"AA"},{"kty":"RSA","use":"enc","n":"AA","e":"AQAB"},7]}"#;
        assert_eq!(KeySet::read(others), Some(KeySet::default()));
    }
}
