//! A small issuer of OpenID Connect under the test's control: it checks what a careful one checks,
//! and issues whatever the test says, valid or not.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::world::World;
use crate::world::server::Setup;

/// The name of the server at the issuer; both it and the secret have to be encoded.
const CLIENT: &str = "chat:1";
const SECRET: &str = "a secret%";

/// The issuer, which runs until it is dropped.
pub(crate) struct Issuer {
    place: SocketAddr,
    book: Arc<Mutex<Book>>,
    running: JoinHandle<()>,
    counter: AtomicUsize,
}

#[derive(Default)]
struct Book {
    base: String,
    is_down: bool,
    codes: HashMap<String, Given>,
    /// Kinds of the keys that are published.
    keys: Vec<&'static str>,
    key_reads: usize,
    /// Fields of the description that differ.
    described: Value,
}

#[derive(Clone)]
struct Given {
    challenge: String,
    redirect: String,
    token: String,
    about: Value,
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Issuer {
    /// Starts an issuer with one key.
    pub(crate) async fn starts() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        let base = format!("http://{place}/realm");
        let keys = vec!["ES256"];
        let book = Arc::new(Mutex::new(Book { base, keys, ..Book::default() }));
        let serving = Arc::clone(&book);
        let running = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        Self { place, book, running, counter: AtomicUsize::new(0) }
    }

    /// The setup of a server whose users log in here.
    pub(crate) fn setup(&self) -> Setup {
        Setup::default()
            .option("--oidc-issuer", &self.base())
            .option("--oidc-client", CLIENT)
            .option("--oidc-secret", SECRET)
            .option("--oidc-name", "Example ID")
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/realm", self.place)
    }

    /// Answers nothing but 503 from now on, or again as usual.
    pub(crate) fn is_down(&self, is_down: bool) {
        self.book.lock().unwrap().is_down = is_down;
    }

    /// Publishes keys of these kinds: `ES256`, `EdDSA`.
    pub(crate) fn publishes(&self, kinds: &[&'static str]) {
        self.book.lock().unwrap().keys = kinds.to_vec();
    }

    /// Describes itself with these fields.
    pub(crate) fn describes(&self, fields: Value) {
        self.book.lock().unwrap().described = fields;
    }

    /// How often the keys were read.
    pub(crate) fn key_reads(&self) -> usize {
        self.book.lock().unwrap().key_reads
    }

    /// The claims of an ID token for a request at this address, with changes; null removes a claim.
    pub(crate) fn claims(&self, world: &World, url: &str, changes: &Value) -> Value {
        let now = world.clock_seconds();
        let mut claims = json!({
            "iss": self.base(), "aud": CLIENT, "sub": "ana-1", "iat": now, "exp": now + 300,
            "nonce": parameter(url, "nonce"), "email": "ana@example.org", "email_verified": true,
            "name": "Ana Example", "sid": "session-1",
        });
        for (name, value) in changes.as_object().unwrap() {
            match value.is_null() {
                true => drop(claims.as_object_mut().unwrap().remove(name)),
                false => claims[name] = value.clone(),
            }
        }
        claims
    }

    /// Logs a user in who was led to this address. Returns the path to which the browser comes back.
    pub(crate) fn logs_in(&self, world: &World, url: &str, changes: &Value) -> String {
        let claims = self.claims(world, url, changes);
        self.gives(url, &signed("ES256", &json!({"kid": "ES256"}), &claims), &json!({}))
    }

    /// Gives a code for this ID token, and for these further claims of the user.
    pub(crate) fn gives(&self, url: &str, token: &str, about: &Value) -> String {
        assert!(url.starts_with(&format!("{}/authorize?", self.base())), "{url}");
        assert_eq!(parameter(url, "code_challenge_method"), "S256");
        assert_eq!(parameter(url, "client_id"), CLIENT);
        let code = format!("code-{}", self.counter.fetch_add(1, Ordering::Relaxed));
        let given = Given {
            challenge: parameter(url, "code_challenge"),
            redirect: parameter(url, "redirect_uri"),
            token: token.to_owned(),
            about: about.clone(),
        };
        self.book.lock().unwrap().codes.insert(code.clone(), given);
        let redirect = parameter(url, "redirect_uri");
        let (_, path) = redirect.split_once("://").unwrap().1.split_once('/').unwrap();
        format!("/{path}?code={code}&state={}", parameter(url, "state"))
    }

    /// A log-out token with these changes; null removes a claim.
    pub(crate) fn logout_token(&self, world: &World, changes: &Value) -> String {
        let now = world.clock_seconds();
        let id = self.counter.fetch_add(1, Ordering::Relaxed).to_string();
        let mut claims = json!({
            "iss": self.base(), "aud": CLIENT, "iat": now, "exp": now + 120, "jti": id,
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        });
        for (name, value) in changes.as_object().unwrap() {
            match value.is_null() {
                true => drop(claims.as_object_mut().unwrap().remove(name)),
                false => claims[name] = value.clone(),
            }
        }
        signed("ES256", &json!({"kid": "ES256", "typ": "logout+jwt"}), &claims)
    }
}

/// A parameter in the query of an address.
pub(crate) fn parameter(url: &str, name: &str) -> String {
    let (_, query) = url.split_once('?').unwrap();
    let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(known, _)| known == name);
    found.next().unwrap_or_else(|| panic!("no {name} in {url}")).1.into_owned()
}

fn p256_key() -> SigningKey {
    SigningKey::from_slice(&[7; 32]).unwrap()
}

fn ed25519_key() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

/// A token with this header and these claims, signed with the key of this kind.
pub(crate) fn signed(kind: &str, header: &Value, claims: &Value) -> String {
    let mut header = header.clone();
    if header.get("alg").is_none() {
        header["alg"] = json!(kind);
    }
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&header), part(claims));
    let signature = match kind {
        "ES256" => {
            let signature: Signature = p256_key().sign(text.as_bytes());
            signature.to_bytes().to_vec()
        }
        _ => ed25519_key().sign(text.as_bytes()).as_ref().to_vec(),
    };
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn published(kind: &str) -> Value {
    let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    if kind == "ES256" {
        let point = p256_key().verifying_key().to_encoded_point(false);
        let (x, y) = (text(point.x().unwrap()), text(point.y().unwrap()));
        return json!({"kty": "EC", "crv": "P-256", "kid": kind, "use": "sig", "x": x, "y": y});
    }
    let point = text(ed25519_key().public_key().as_ref());
    json!({"kty": "OKP", "crv": "Ed25519", "kid": kind, "x": point})
}

async fn serve(mut stream: TcpStream, book: Arc<Mutex<Book>>) {
    let Some((head, body)) = request(&mut stream).await else { return };
    let (status, answer) = answer(&mut book.lock().unwrap(), &head, &body);
    let text = answer.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        text.len()
    );
    drop(stream.write_all(format!("{head}{text}").as_bytes()).await);
}

async fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = header(head, "content-length").and_then(|it| it.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some((head.to_owned(), body.to_owned()));
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

fn header(head: &str, name: &str) -> Option<String> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
}

fn answer(book: &mut Book, head: &str, body: &str) -> (u16, Value) {
    if book.is_down {
        return (503, json!({}));
    }
    let path = head.split(' ').nth(1).unwrap_or_default();
    match path {
        "/realm/.well-known/openid-configuration" => (200, description(book)),
        "/realm/keys" => {
            book.key_reads += 1;
            let keys: Vec<Value> = book.keys.iter().map(|kind| published(kind)).collect();
            (200, json!({"keys": keys}))
        }
        "/realm/token" => tokens(book, head, body),
        "/realm/user" => {
            let bearer = header(head, "authorization").unwrap_or_default();
            let code = bearer.strip_prefix("Bearer of ").unwrap_or_default();
            match book.codes.get(code) {
                Some(given) => (200, given.about.clone()),
                None => (401, json!({})),
            }
        }
        _ => (404, json!({})),
    }
}

fn description(book: &Book) -> Value {
    let base = &book.base;
    let mut document = json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "jwks_uri": format!("{base}/keys"),
    });
    if let Some(fields) = book.described.as_object() {
        for (name, value) in fields {
            document[name] = value.clone();
        }
    }
    document
}

/// Exchanges a code, as RFC 6749 and RFC 7636 have it.
fn tokens(book: &Book, head: &str, body: &str) -> (u16, Value) {
    let refused = |error: &str| (400, json!({"error": error}));
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encoded(CLIENT), encoded(SECRET)));
    if header(head, "authorization") != Some(format!("Basic {pair}")) {
        return (401, json!({"error": "invalid_client"}));
    }
    let form: HashMap<String, String> =
        form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let text = |name: &str| form.get(name).map_or("", String::as_str);
    let Some(given) = book.codes.get(text("code")) else { return refused("invalid_grant") };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(text("code_verifier")));
    if challenge != given.challenge
        || text("redirect_uri") != given.redirect
        || text("grant_type") != "authorization_code"
    {
        return refused("invalid_grant");
    }
    let access = format!("of {}", text("code"));
    (200, json!({"id_token": given.token, "access_token": access, "token_type": "Bearer"}))
}
