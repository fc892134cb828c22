//! Passkeys (WebAuthn Level 3): the options of browsers, and checks of what authenticators signed.
//!
//! `webauthn_rp` does the ceremonies. The state of one travels sealed through the browser, so that any
//! node finishes it; each counts once, which the account's room decides.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use url::{Host, Url};
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::request::auth::AuthenticationVerificationOptions;
use webauthn_rp::request::register::{
    CoseAlgorithmIdentifier, CoseAlgorithmIdentifiers, CredProtect, Extension, Nickname,
    PublicKeyCredentialUserEntity, RegistrationVerificationOptions, UserHandle, Username,
};
use webauthn_rp::request::{
    AsciiDomain, PublicKeyCredentialDescriptor, RpId, UserVerificationRequirement,
};
use webauthn_rp::response::auth::{AuthenticatorData, DiscoverableAuthentication};
use webauthn_rp::response::register::{
    AuthenticatorExtensionOutputStaticState, CompressedP256PubKey, CompressedPubKey,
    CredentialProtectionPolicy, DynamicState, Ed25519PubKey, RsaPubKey, StaticState,
    UncompressedPubKey,
};
use webauthn_rp::response::{AuthTransports, AuthenticatorAttachment, Backup, CredentialId};
use webauthn_rp::{
    AuthenticatedCredential, DiscoverableAuthenticationServerState,
    DiscoverableCredentialRequestOptions, PublicKeyCredentialCreationOptions, Registration,
    RegistrationServerState,
};

use crate::seal::SealKey;
use base::clock::Clock;
use base::random::random;
use domain::factors::SecretHash;
use domain::ids::{TokenId, UserId};
use domain::passkeys::{CEREMONY_MILLIS, Passkey, PasskeyBackup, PasskeyKey, PasskeyUse, Passkeys};
use domain::time::Timestamp;

/// Bytes of a user handle: the user's id, big-endian.
const HANDLE: usize = 8;
/// The purposes of seals.
const REGISTRATION: &str = "passkey registration";
const LOG_IN: &str = "passkey log-in";
/// Characters of the reason why a response cannot be read, which may quote it.
const REASON_CHARS: usize = 200;
/// Numbers of COSE (RFC 9053, RFC 8812).
const EDDSA: i32 = -8;
const ES256: i32 = -7;
const RS256: i32 = -257;

/// Why a passkey was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyFault {
    /// The public URL has no host for which browsers make passkeys.
    #[error("this server has no passkeys: its public URL needs https and a name")]
    Off,
    /// The state is no seal of this server, was made for another act, or is too old.
    #[error("this took too long; start again")]
    Expired,
    /// The response is not that of an authenticator.
    #[error("credential is not the response of an authenticator: {0}")]
    Unreadable(String),
    /// The response does not fit.
    #[error("this passkey is not accepted: {0}")]
    Wrong(String),
}

/// What a browser needs to ask an authenticator.
#[derive(Debug)]
pub struct Ceremony {
    /// The sealed state, which comes back with the response.
    pub state: String,
    /// The options, as WebAuthn writes them in JSON.
    pub options: Map<String, Value>,
}

/// The session that adds a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasskeyOwner {
    /// The user.
    pub user: UserId,
    /// The token of the session.
    pub token: TokenId,
}

/// The names that an authenticator shows.
#[derive(Debug, Clone, Copy)]
pub struct OwnerNames<'a> {
    /// The email address.
    pub email: &'a str,
    /// The user's name.
    pub name: &'a str,
}

#[derive(Serialize, Deserialize)]
struct SealedState {
    state: Vec<u8>,
    owner: Option<PasskeyOwner>,
    until: Timestamp,
}

/// A response of an authenticator to a log-in, not checked yet.
#[derive(Debug)]
pub struct Assertion(DiscoverableAuthentication<HANDLE>);

impl Assertion {
    /// Reads a response.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(credential: &Map<String, Value>) -> Result<Self, PasskeyFault> {
        let text = serde_json::to_vec(credential).map_err(unreadable)?;
        DiscoverableAuthentication::from_json_relaxed(&text).map(Self).map_err(unreadable)
    }

    /// The user whom the authenticator names.
    pub fn user(&self) -> UserId {
        let handle: &[u8] = self.0.response().user_handle().as_ref();
        UserId::new(handle.try_into().map_or(0, u64::from_be_bytes))
    }

    /// The id of the credential, in base64url.
    pub fn credential(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.raw_id().as_ref())
    }
}

/// The host for which browsers make passkeys, and the origins from which they are used.
#[derive(Debug)]
struct RelyingParty {
    id: RpId,
    host: String,
    origins: [String; 1],
}

impl RelyingParty {
    /// Of a server with this public URL; `None` where browsers make no passkeys: without TLS, and for
    /// an address without a name. On the machine itself the name is `localhost`.
    fn of(public_url: &str) -> Option<Self> {
        let mut url = Url::parse(public_url).ok()?;
        let host = match url.host()? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) if address.is_loopback() => "localhost".to_owned(),
            Host::Ipv6(address) if address.is_loopback() => "localhost".to_owned(),
            Host::Ipv4(_) | Host::Ipv6(_) => return None,
        };
        if url.scheme() != "https" && host != "localhost" {
            return None;
        }
        url.set_host(Some(&host)).ok()?;
        let id = RpId::Domain(AsciiDomain::try_from(host.clone()).ok()?);
        Some(Self { id, host, origins: [url.origin().ascii_serialization()] })
    }
}

/// The host to which the passkeys of a server with this public URL belong.
pub fn host_of(public_url: &str) -> Option<String> {
    RelyingParty::of(public_url).map(|party| party.host)
}

/// Begins ceremonies, and checks their responses.
pub struct PasskeyCeremonies {
    clock: Arc<dyn Clock>,
    seal: SealKey,
    party: Option<RelyingParty>,
}

impl PasskeyCeremonies {
    /// For a server with this public URL.
    pub fn new(clock: Arc<dyn Clock>, seal: SealKey, public_url: &str) -> Self {
        Self { clock, seal, party: RelyingParty::of(public_url) }
    }

    /// Whether browsers make passkeys for this server.
    pub const fn is_on(&self) -> bool {
        self.party.is_some()
    }

    fn party(&self) -> Result<&RelyingParty, PasskeyFault> {
        self.party.as_ref().ok_or(PasskeyFault::Off)
    }

    /// Begins to add a passkey to an account with these.
    ///
    /// # Errors
    /// If this server has no passkeys.
    pub fn begin_registration(
        &self,
        owner: PasskeyOwner,
        names: OwnerNames<'_>,
        known: &Passkeys,
    ) -> Result<Ceremony, PasskeyFault> {
        let party = self.party()?;
        let Ok(handle) = UserHandle::decode(owner.user.get().to_be_bytes());
        let number = owner.user.to_string();
        let name = Username::try_from(names.email).or_else(|_| Username::try_from(number.as_str()));
        let name = name.map_err(unreadable)?;
        let display_name = Nickname::try_from(names.name).ok();
        let user = PublicKeyCredentialUserEntity { name, id: &handle, display_name };
        let excluded = known.list.iter().filter_map(descriptor).collect();
        let mut options = PublicKeyCredentialCreationOptions::passkey(&party.id, user, excluded);
        options.pub_key_cred_params =
            CoseAlgorithmIdentifiers::ALL.remove(CoseAlgorithmIdentifier::Es384);
        options.authenticator_selection.user_verification = UserVerificationRequirement::Preferred;
        options.extensions = Extension {
            cred_props: None,
            cred_protect: CredProtect::None,
            min_pin_length: None,
            prf: None,
        };
        let (state, shown) = options.start_ceremony().map_err(wrong)?;
        let state = state.encode().map_err(wrong)?;
        Ok(self.ceremony(REGISTRATION, state, Some(owner), json!(shown)))
    }

    /// Checks the response to a registration, and returns the passkey.
    ///
    /// # Errors
    /// If this server has no passkeys, the state is not of this session or too old, or the response
    /// does not fit.
    pub fn finish_registration(
        &self,
        owner: PasskeyOwner,
        sealed: &str,
        credential: &Map<String, Value>,
        name: String,
    ) -> Result<Passkey, PasskeyFault> {
        let party = self.party()?;
        let opened = self.open(REGISTRATION, sealed)?;
        if opened.owner != Some(owner) {
            return Err(PasskeyFault::Expired);
        }
        let state = RegistrationServerState::<HANDLE>::decode(&opened.state);
        let state = state.map_err(|_| PasskeyFault::Expired)?;
        let text = serde_json::to_vec(credential).map_err(unreadable)?;
        let response = Registration::from_json_relaxed(&text).map_err(unreadable)?;
        let options = RegistrationVerificationOptions::<String, String> {
            allowed_origins: &party.origins,
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let made = state.verify(&party.id, &response, &options).map_err(wrong)?;
        let dynamic = made.dynamic_state();
        Ok(Passkey {
            // Ids stay exact in JavaScript.
            id: u64::from_be_bytes(random()) >> 11,
            credential: URL_SAFE_NO_PAD.encode(made.id().as_ref()),
            key: stored_key(made.static_state().credential_public_key)?,
            host: party.host.clone(),
            name,
            backup: stored_backup(dynamic.backup),
            counter: dynamic.sign_count,
            since: self.clock.now().wall,
            used_at: None,
        })
    }

    /// Begins a log-in, or another proof of who somebody is. It names no account.
    ///
    /// # Errors
    /// If this server has no passkeys.
    pub fn begin_log_in(&self) -> Result<Ceremony, PasskeyFault> {
        let party = self.party()?;
        let mut options = DiscoverableCredentialRequestOptions::passkey(&party.id);
        options.0.user_verification = UserVerificationRequirement::Preferred;
        let (state, shown) = options.start_ceremony().map_err(wrong)?;
        let state = state.encode().map_err(wrong)?;
        Ok(self.ceremony(LOG_IN, state, None, json!(shown)))
    }

    /// Checks the response to a log-in against the passkeys of an account.
    ///
    /// # Errors
    /// If this server has no passkeys, the state is too old, or the response does not fit.
    pub fn check(
        &self,
        user: UserId,
        known: &Passkeys,
        sealed: &str,
        Assertion(response): &Assertion,
    ) -> Result<PasskeyUse, PasskeyFault> {
        let party = self.party()?;
        let opened = self.open(LOG_IN, sealed)?;
        let state = DiscoverableAuthenticationServerState::decode(&opened.state);
        let state = state.map_err(|_| PasskeyFault::Expired)?;
        let credential = URL_SAFE_NO_PAD.encode(response.raw_id().as_ref());
        let passkey = known.by_credential(&credential).ok_or_else(unknown)?;
        let key = decoded(&passkey.key.bytes)?;
        let static_state = StaticState {
            credential_public_key: readable_key(passkey.key.algorithm, &key)?,
            extensions: AuthenticatorExtensionOutputStaticState {
                cred_protect: CredentialProtectionPolicy::None,
                hmac_secret: None,
            },
        };
        let dynamic_state = DynamicState {
            user_verified: false,
            backup: readable_backup(passkey.backup),
            sign_count: passkey.counter,
            authenticator_attachment: AuthenticatorAttachment::None,
        };
        let Ok(handle) = UserHandle::decode(user.get().to_be_bytes());
        let mut stored =
            AuthenticatedCredential::new(response.raw_id(), &handle, static_state, dynamic_state)
                .map_err(wrong)?;
        let options = AuthenticationVerificationOptions::<String, String> {
            allowed_origins: &party.origins,
            error_on_unsolicited_extensions: false,
            ..AuthenticationVerificationOptions::default()
        };
        state.verify(&party.id, response, &mut stored, &options).map_err(wrong)?;
        let signed = AuthenticatorData::try_from(response.response().authenticator_data());
        let signed = signed.map_err(wrong)?;
        Ok(PasskeyUse {
            id: passkey.id,
            counter: signed.sign_count(),
            backup: stored_backup(signed.flags().backup),
            challenge: SecretHash::new(Sha256::digest(&opened.state).into()),
            is_verified: signed.flags().user_verified,
        })
    }

    fn ceremony(
        &self,
        purpose: &str,
        state: Vec<u8>,
        owner: Option<PasskeyOwner>,
        options: Value,
    ) -> Ceremony {
        let until = self.clock.now().wall.plus_millis(CEREMONY_MILLIS);
        let options = match options {
            Value::Object(options) => options,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        Ceremony { state: self.seal.seal(purpose, &SealedState { state, owner, until }), options }
    }

    fn open(&self, purpose: &str, sealed: &str) -> Result<SealedState, PasskeyFault> {
        let opened: Option<SealedState> = self.seal.open(purpose, sealed);
        let now = self.clock.now().wall;
        opened.filter(|opened| now < opened.until).ok_or(PasskeyFault::Expired)
    }
}

fn wrong(error: impl std::fmt::Display) -> PasskeyFault {
    PasskeyFault::Wrong(error.to_string())
}

fn unreadable(error: impl std::fmt::Display) -> PasskeyFault {
    PasskeyFault::Unreadable(error.to_string().chars().take(REASON_CHARS).collect())
}

fn unknown() -> PasskeyFault {
    PasskeyFault::Wrong("the account has no such passkey".to_owned())
}

fn decoded(text: &str) -> Result<Vec<u8>, PasskeyFault> {
    URL_SAFE_NO_PAD.decode(text).map_err(wrong)
}

/// What tells an authenticator that it has a passkey of the account already.
fn descriptor(passkey: &Passkey) -> Option<PublicKeyCredentialDescriptor<Vec<u8>>> {
    let id = CredentialId::decode(URL_SAFE_NO_PAD.decode(&passkey.credential).ok()?).ok()?;
    Some(PublicKeyCredentialDescriptor { id, transports: AuthTransports::decode(0).ok()? })
}

fn stored_key(key: UncompressedPubKey<'_>) -> Result<PasskeyKey, PasskeyFault> {
    let (algorithm, bytes) = match key {
        UncompressedPubKey::Ed25519(key) => (EDDSA, key.inner().to_vec()),
        UncompressedPubKey::P256(key) => {
            (ES256, [&[2 + u8::from(key.y_is_odd())], key.x()].concat())
        }
        UncompressedPubKey::Rsa(key) => (RS256, [&key.e().to_be_bytes(), *key.n()].concat()),
        UncompressedPubKey::P384(_) => {
            return Err(PasskeyFault::Wrong("its algorithm was not asked for".to_owned()));
        }
    };
    Ok(PasskeyKey { algorithm, bytes: URL_SAFE_NO_PAD.encode(bytes) })
}

/// A stored key, as the library takes it.
type ReadableKey<'a> = CompressedPubKey<&'a [u8], &'a [u8], &'a [u8], &'a [u8]>;

fn readable_key(algorithm: i32, bytes: &[u8]) -> Result<ReadableKey<'_>, PasskeyFault> {
    let damaged = || PasskeyFault::Wrong("its key is damaged".to_owned());
    match algorithm {
        EDDSA => Ed25519PubKey::try_from(bytes).map(CompressedPubKey::Ed25519).map_err(wrong),
        ES256 => {
            let (sign, x) = bytes.split_first().ok_or_else(damaged)?;
            let key = CompressedP256PubKey::try_from((x, *sign == 3));
            key.map(CompressedPubKey::P256).map_err(wrong)
        }
        RS256 => {
            let (exponent, modulus) = bytes.split_first_chunk().ok_or_else(damaged)?;
            let key = RsaPubKey::try_from((modulus, u32::from_be_bytes(*exponent)));
            key.map(CompressedPubKey::Rsa).map_err(wrong)
        }
        _ => Err(damaged()),
    }
}

const fn stored_backup(backup: Backup) -> PasskeyBackup {
    match backup {
        Backup::NotEligible => PasskeyBackup::Never,
        Backup::Eligible => PasskeyBackup::Possible,
        Backup::Exists => PasskeyBackup::Done,
    }
}

const fn readable_backup(backup: PasskeyBackup) -> Backup {
    match backup {
        PasskeyBackup::Never => Backup::NotEligible,
        PasskeyBackup::Possible => Backup::Eligible,
        PasskeyBackup::Done => Backup::Exists,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::clock::ManualClock;
    use webauthn_rp::response::register::UncompressedP256PubKey;

    #[test]
    fn host_needs_tls_and_a_name() {
        for (url, host, origin) in [
            ("https://chat.example.org", "chat.example.org", "https://chat.example.org"),
            (
                "https://chat.example.org:8443/in",
                "chat.example.org",
                "https://chat.example.org:8443",
            ),
            ("http://127.0.0.1:8080", "localhost", "http://localhost:8080"),
            ("http://[::1]:8080", "localhost", "http://localhost:8080"),
            ("http://localhost:8080", "localhost", "http://localhost:8080"),
        ] {
            let party = RelyingParty::of(url).unwrap();
            assert_eq!((party.host.as_str(), party.origins[0].as_str()), (host, origin), "{url}");
        }
        for url in ["http://chat.example.org", "https://192.0.2.1", "http://[2001:db8::1]", "chat"]
        {
            assert!(RelyingParty::of(url).is_none(), "{url}");
        }
    }

    #[test]
    fn state_is_of_one_act_and_five_minutes() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(100)));
        let seal = SealKey::fresh();
        let passkeys = PasskeyCeremonies::new(
            Arc::clone(&clock) as Arc<dyn Clock>,
            seal,
            "https://chat.example.org",
        );
        let Ceremony { state, options } = passkeys.begin_log_in().unwrap();
        assert_eq!(options["userVerification"], "preferred");
        assert!(passkeys.open(LOG_IN, &state).is_ok());
        assert!(passkeys.open(REGISTRATION, &state).is_err());
        clock.pass(CEREMONY_MILLIS);
        assert!(passkeys.open(LOG_IN, &state).is_err());
        let owner = PasskeyOwner { user: UserId::new(7), token: TokenId::new(8) };
        let names = OwnerNames { email: "ana ö@example.org", name: "Ana" };
        let begun = passkeys.begin_registration(owner, names, &Passkeys::default()).unwrap();
        assert_eq!(begun.options["user"]["name"], "7");
        assert_eq!(begun.options["attestation"], "none");
        let algorithms = begun.options["pubKeyCredParams"].as_array().unwrap();
        let algorithms: Vec<&Value> = algorithms.iter().map(|it| &it["alg"]).collect();
        assert_eq!(algorithms, [EDDSA, ES256, RS256]);
    }
    #[test]
    fn stored_key_is_readable() {
        // The base point of Ed25519 (RFC 8032), the x of P-256's generator (SP 800-186), and some
        // odd modulus of 2,048 bits.
        let ed25519 = [&[0x58][..], &[0x66; 31]].concat();
        let p256 = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
        let y = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
        let byte = |text: &str, at: usize| u8::from_str_radix(&text[2 * at..][..2], 16).unwrap();
        let [p256, y] = [p256, y].map(|text| (0..32).map(|at| byte(text, at)).collect::<Vec<_>>());
        let modulus = [0xff; 256];
        let [ed25519_key, p256_key, rsa_key] = [
            Ed25519PubKey::try_from(&ed25519[..]).map(UncompressedPubKey::Ed25519).unwrap(),
            UncompressedP256PubKey::try_from((&p256[..], &y[..]))
                .map(UncompressedPubKey::P256)
                .unwrap(),
            RsaPubKey::try_from((&modulus[..], 65_537)).map(UncompressedPubKey::Rsa).unwrap(),
        ];
        for (key, algorithm, length) in
            [(ed25519_key, EDDSA, 32), (p256_key, ES256, 33), (rsa_key, RS256, 260)]
        {
            let stored = stored_key(key).unwrap();
            let bytes = decoded(&stored.bytes).unwrap();
            assert_eq!((stored.algorithm, bytes.len()), (algorithm, length));
            let is_same = match readable_key(algorithm, &bytes).unwrap() {
                CompressedPubKey::Ed25519(key) => *key.inner() == &ed25519[..],
                CompressedPubKey::P256(key) => *key.x() == &p256[..] && key.y_is_odd(),
                CompressedPubKey::Rsa(key) => *key.n() == &modulus[..] && key.e() == 65_537,
                CompressedPubKey::P384(_) => false,
            };
            assert!(is_same, "{algorithm}");
        }
        assert!(readable_key(-35, &[0; 49]).is_err());
    }
}
