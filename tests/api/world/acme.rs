//! A certificate authority that speaks ACME (RFC 8555) over TLS. It checks nonces, signatures and
//! URLs, validates by really connecting to the server under test, and signs what was requested.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coterie::clock::{Clock, ManualClock};
use hmac::{Hmac, Mac};
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::{EncodedPoint, FieldBytes};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateSigningRequestParams, CertifiedIssuer, IsCa,
    KeyPair, SanType,
};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::pki_types::{
    CertificateDer, CertificateSigningRequestDer, PrivateKeyDer, ServerName, UnixTime,
};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig, SignatureScheme};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::world::certificate::pem;
use crate::world::{BEGINNING, World};

/// The validity of certificates, in seconds: 90 days.
const VALIDITY: u64 = 90 * 86_400;
/// The object identifier of the extension acmeIdentifier (RFC 8737, section 6.1).
const ACME_IDENTIFIER: &str = "1.3.6.1.5.5.7.1.31";

/// The addresses at which the authority validates.
#[derive(Clone, Copy)]
struct Places {
    http: Option<SocketAddr>,
    https: SocketAddr,
}

/// What goes wrong with the next request for an order.
pub(crate) enum Mishap {
    /// The nonce is refused.
    BadNonce,
    /// Too many requests, for this many seconds.
    RateLimited(u64),
}

/// The authority, which runs until it is dropped.
pub(crate) struct AcmeServer {
    state: Arc<State>,
    roots: NamedTempFile,
    running: tokio::task::JoinHandle<()>,
}

struct State {
    issuer: CertifiedIssuer<'static, KeyPair>,
    clock: Arc<ManualClock>,
    base: String,
    places: watch::Sender<Option<Places>>,
    counter: AtomicUsize,
    validity: AtomicU64,
    /// The identifier and the key that a new account has to be bound to.
    binding: Mutex<Option<(String, Vec<u8>)>>,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    is_down: bool,
    nonces: HashSet<String>,
    /// Keys of accounts by the URL of the account.
    accounts: HashMap<String, Value>,
    contacts: Vec<Value>,
    orders: Vec<OrderRow>,
    mishaps: VecDeque<Mishap>,
    /// How names were validated, like `http-01 chat.example.org`.
    validated: Vec<String>,
}

struct OrderRow {
    domains: Vec<String>,
    /// One for each name.
    authorizations: Vec<AuthorizationRow>,
    thumbprint: String,
    certificate: Option<String>,
    /// How often the order was looked at after its end.
    looks: usize,
}

struct AuthorizationRow {
    token: String,
    /// The challenge by which the name was validated.
    kind: String,
    /// The outcome of the validation.
    outcome: Option<Result<(), String>>,
}

impl Drop for AcmeServer {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl AcmeServer {
    /// Starts an authority, which validates nothing until it knows where.
    pub(crate) async fn starts() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut roots = NamedTempFile::new().unwrap();
        roots.write_all(pem("CERTIFICATE", issuer.der()).as_bytes()).unwrap();
        let acceptor = acceptor(&issuer);
        let state = Arc::new(State {
            issuer,
            clock: Arc::new(ManualClock::at(BEGINNING)),
            base: format!("https://{}", listener.local_addr().unwrap()),
            places: watch::Sender::new(None),
            counter: AtomicUsize::new(0),
            validity: AtomicU64::new(VALIDITY),
            binding: Mutex::default(),
            book: Mutex::default(),
        });
        let serving = Arc::clone(&state);
        let running = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                if serving.book.lock().unwrap().is_down {
                    continue;
                }
                let (state, acceptor) = (Arc::clone(&serving), acceptor.clone());
                tokio::spawn(async move {
                    // A client that does not trust the authority ends the handshake.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        state.answer(stream).await;
                    }
                });
            }
        });
        Self { state, roots, running }
    }

    /// The URL of the directory.
    pub(crate) fn directory(&self) -> String {
        format!("{}/directory", self.state.base)
    }

    /// The file for `--acme-ca`.
    pub(crate) fn roots(&self) -> PathBuf {
        self.roots.path().to_owned()
    }

    /// The clock that the authority shares with the server under test.
    pub(crate) fn clock(&self) -> Arc<ManualClock> {
        Arc::clone(&self.state.clock)
    }

    /// Validates at the addresses of this server from now on.
    pub(crate) fn validates(&self, world: &World) {
        self.validates_at(world.redirect_if_any(), world.address.get());
    }

    /// Validates at these addresses from now on: HTTP-01 and TLS-ALPN-01.
    pub(crate) fn validates_at(&self, http: Option<SocketAddr>, https: SocketAddr) {
        self.state.places.send_replace(Some(Places { http, https }));
    }

    /// Sets how long certificates are valid, in seconds.
    pub(crate) fn valid_for(&self, seconds: u64) {
        self.state.validity.store(seconds, Ordering::SeqCst);
    }

    /// Requires that accounts are bound to this one.
    pub(crate) fn requires_binding(&self, id: &str, key: &[u8]) {
        *self.state.binding.lock().unwrap() = Some((id.to_owned(), key.to_vec()));
    }

    /// Closes every connection, or answers again.
    pub(crate) fn is_down(&self, is_down: bool) {
        self.state.book.lock().unwrap().is_down = is_down;
    }

    /// Lets the next request for an order go wrong.
    pub(crate) fn mishap(&self, mishap: Mishap) {
        self.state.book.lock().unwrap().mishaps.push_back(mishap);
    }

    /// Forgets every account.
    pub(crate) fn forgets_accounts(&self) {
        self.state.book.lock().unwrap().accounts.clear();
    }

    /// The number of accounts.
    pub(crate) fn accounts(&self) -> usize {
        self.state.book.lock().unwrap().accounts.len()
    }

    /// The contacts of accounts, in the order in which they were named.
    pub(crate) fn contacts(&self) -> Vec<Value> {
        self.state.book.lock().unwrap().contacts.clone()
    }

    /// The number of orders.
    pub(crate) fn orders(&self) -> usize {
        self.state.book.lock().unwrap().orders.len()
    }

    /// How names were validated, like `http-01 chat.example.org`.
    pub(crate) fn validated(&self) -> Vec<String> {
        self.state.book.lock().unwrap().validated.clone()
    }

    /// The settings of a client that trusts this authority alone, and expects this name and the time
    /// of the authority's clock, although it connects to an address.
    pub(crate) fn client(&self, name: &str) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(self.state.issuer.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let inner = WebPkiServerVerifier::builder_with_provider(roots.into(), provider.clone());
        let verifier = Arc::new(NamedVerifier {
            inner: inner.build().unwrap(),
            name: ServerName::try_from(name.to_owned()).unwrap(),
            clock: self.clock(),
        });
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap().dangerous();
        let builder = builder.with_custom_certificate_verifier(verifier);
        let mut config = builder.with_no_client_auth();
        // A client that resumes a session sees no certificate.
        config.resumption = Resumption::disabled();
        Arc::new(config)
    }
}

/// The TLS of the authority's own server.
fn acceptor(issuer: &CertifiedIssuer<'static, KeyPair>) -> TlsAcceptor {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let chain = vec![params.signed_by(&key, issuer).unwrap().der().clone()];
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    TlsAcceptor::from(Arc::new(builder.with_single_cert(chain, key).unwrap()))
}

/// An answer: status, further headers, and a body that is JSON if it is not a certificate.
struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    media: &'static str,
    body: String,
}

impl Reply {
    fn json(status: u16, body: &Value) -> Self {
        Self { status, headers: Vec::new(), media: "application/json", body: body.to_string() }
    }

    fn problem(status: u16, kind: &str, detail: &str) -> Self {
        let kind = format!("urn:ietf:params:acme:error:{kind}");
        let body = json!({"type": kind, "detail": detail, "status": status});
        Self { media: "application/problem+json", ..Self::json(status, &body) }
    }

    fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

fn decoded(text: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text.as_str().unwrap()).unwrap()
}

/// Verifies the signature of a JWS by ES256 (RFC 7518, section 3.4).
fn is_signed(jws: &Value, key: &Value) -> bool {
    let part = |name: &str| *FieldBytes::from_slice(&decoded(&key[name]));
    let point = EncodedPoint::from_affine_coordinates(&part("x"), &part("y"), false);
    let key = VerifyingKey::from_encoded_point(&point).unwrap();
    let signature = Signature::from_slice(&decoded(&jws["signature"])).unwrap();
    key.verify(signed(jws).as_bytes(), &signature).is_ok()
}

fn signed(jws: &Value) -> String {
    format!("{}.{}", jws["protected"].as_str().unwrap(), jws["payload"].as_str().unwrap())
}

/// The thumbprint of a key (RFC 7638).
fn thumbprint(key: &Value) -> String {
    let text = format!(r#"{{"crv":"P-256","kty":"EC","x":{},"y":{}}}"#, key["x"], key["y"]);
    URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}

impl State {
    async fn answer<S: AsyncRead + tokio::io::AsyncWrite + Unpin>(self: Arc<Self>, mut stream: S) {
        let mut bytes = Vec::new();
        let head_end = loop {
            if let Some(at) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return;
            }
        };
        let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap().to_ascii_lowercase();
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
        let length: usize = field("content-length: ").map_or(0, |it| it.parse().unwrap());
        while bytes.len() < head_end + length {
            assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the body is complete");
        }
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let reply = match (method, path) {
            ("get", "/directory") => self.directory(),
            ("head", "/nonce") => Reply::json(200, &Value::Null),
            ("post", path) => {
                assert_eq!(field("content-type: "), Some("application/jose+json"));
                self.post(path, &serde_json::from_slice(&bytes[head_end..]).unwrap())
            }
            other => panic!("nobody asks for {other:?}"),
        };
        let nonce = format!("nonce{}", self.counter.fetch_add(1, Ordering::SeqCst));
        self.book.lock().unwrap().nonces.insert(nonce.clone());
        let Reply { status, headers, media, body } = reply.with("Replay-Nonce", nonce);
        let mut text = format!("HTTP/1.1 {status} Any\r\nConnection: close\r\n");
        text += &format!("Content-Type: {media}\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += "\r\n";
        if method != "head" {
            text += &body;
        }
        drop(stream.write_all(text.as_bytes()).await);
        drop(stream.shutdown().await);
    }

    fn directory(&self) -> Reply {
        let at = |path: &str| format!("{}{path}", self.base);
        let urls = json!({"newNonce": at("/nonce"), "newAccount": at("/account"),
            "newOrder": at("/order"), "revokeCert": at("/revoke"), "keyChange": at("/key")});
        Reply::json(200, &urls)
    }

    /// Checks nonce, URL and signature of a request, and carries it out.
    fn post(self: &Arc<Self>, path: &str, jws: &Value) -> Reply {
        let header: Value = serde_json::from_slice(&decoded(&jws["protected"])).unwrap();
        assert_eq!(
            (header["alg"].as_str(), header["url"].as_str()),
            (Some("ES256"), Some(format!("{}{path}", self.base).as_str()))
        );
        let mut book = self.book.lock().unwrap();
        if !book.nonces.remove(header["nonce"].as_str().unwrap()) {
            return Reply::problem(400, "badNonce", "this nonce is not one of mine");
        }
        let account = header["kid"].as_str().map(str::to_owned);
        assert_eq!(account.is_none(), path == "/account", "only new accounts send their key");
        let key = match &account {
            None => header["jwk"].clone(),
            Some(url) => match book.accounts.get(url) {
                Some(key) => key.clone(),
                None => return Reply::problem(400, "accountDoesNotExist", "no such account"),
            },
        };
        assert!(is_signed(jws, &key), "{path} is signed by the account's key");
        let payload = decoded(&jws["payload"]);
        let payload = if payload.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&payload).unwrap()
        };
        let words: Vec<&str> = path.split('/').skip(1).collect();
        let number = |at: usize| words[at].parse::<usize>().unwrap();
        match words[0] {
            "account" if words.len() == 1 => self.open_account(&mut book, key, &payload),
            "account" => {
                book.contacts.push(payload["contact"].clone());
                Reply::json(200, &json!({"status": "valid"}))
            }
            "order" if words.len() == 1 => self.open_order(&mut book, &key, &payload),
            "order" => self.show_order(&mut book, number(1)),
            "authorization" => self.authorization(&book, number(1), number(2)),
            "challenge" => {
                let (order, at, kind) = (number(1), number(2), words[3].to_owned());
                tokio::spawn(Arc::clone(self).validate(order, at, kind.clone()));
                let challenge = self.challenge(&book, order, at, &kind);
                Reply::json(200, &challenge)
            }
            "finalize" => self.sign(&mut book, number(1), &payload),
            "certificate" => {
                let text = book.orders[number(1)].certificate.clone().unwrap();
                Reply {
                    media: "application/pem-certificate-chain",
                    body: text,
                    ..Reply::json(200, &Value::Null)
                }
            }
            other => panic!("nobody posts to {other}"),
        }
    }

    fn open_account(&self, book: &mut Book, key: Value, payload: &Value) -> Reply {
        assert_eq!(payload["termsOfServiceAgreed"], true);
        if let Some((id, secret)) = self.binding.lock().unwrap().as_ref() {
            let bound = &payload["externalAccountBinding"];
            if bound.is_null() {
                return Reply::problem(403, "externalAccountRequired", "bring your account");
            }
            let header: Value = serde_json::from_slice(&decoded(&bound["protected"])).unwrap();
            assert_eq!((&header["alg"], &header["kid"]), (&json!("HS256"), &json!(id)));
            let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
            mac.update(signed(bound).as_bytes());
            if mac.verify_slice(&decoded(&bound["signature"])).is_err() {
                return Reply::problem(401, "unauthorized", "the key of the account is another");
            }
        }
        let url = format!("{}/account/{}", self.base, self.counter.fetch_add(1, Ordering::SeqCst));
        book.accounts.insert(url.clone(), key);
        book.contacts.push(payload["contact"].clone());
        Reply::json(201, &json!({"status": "valid"})).with("Location", url)
    }

    fn open_order(&self, book: &mut Book, key: &Value, payload: &Value) -> Reply {
        match book.mishaps.pop_front() {
            None => {}
            Some(Mishap::BadNonce) => return Reply::problem(400, "badNonce", "too old"),
            Some(Mishap::RateLimited(seconds)) => {
                let reply = Reply::problem(429, "rateLimited", "too many certificates");
                return reply.with("Retry-After", seconds.to_string());
            }
        }
        let identifiers = payload["identifiers"].as_array().unwrap();
        let names = identifiers.iter().map(|it| {
            assert_eq!(it["type"], "dns");
            it["value"].as_str().unwrap().to_owned()
        });
        let domains: Vec<String> = names.collect();
        let token = || format!("token{}", self.counter.fetch_add(1, Ordering::SeqCst));
        let authorization =
            |_| AuthorizationRow { token: token(), kind: String::new(), outcome: None };
        let authorizations = domains.iter().map(authorization).collect();
        let number = book.orders.len();
        let thumbprint = thumbprint(key);
        let row = OrderRow { domains, authorizations, thumbprint, certificate: None, looks: 0 };
        book.orders.push(row);
        let reply = Reply { status: 201, ..self.show_order(book, number) };
        reply.with("Location", format!("{}/order/{number}", self.base))
    }

    fn show_order(&self, book: &mut Book, number: usize) -> Reply {
        let order = &mut book.orders[number];
        let outcomes: Vec<_> = order.authorizations.iter().map(|it| &it.outcome).collect();
        let is_invalid = outcomes.iter().any(|it| matches!(it, Some(Err(_))));
        let is_ready = outcomes.iter().all(|it| matches!(it, Some(Ok(()))));
        let has_certificate = order.certificate.is_some();
        order.looks += usize::from(has_certificate);
        // A certificate takes a moment.
        let status = match (has_certificate, is_invalid, is_ready) {
            (true, ..) if order.looks > 1 => "valid",
            (true, ..) => "processing",
            (_, true, _) => "invalid",
            (.., true) => "ready",
            _ => "pending",
        };
        let at = |kind: &str| format!("{}/{kind}/{number}", self.base);
        let urls: Vec<String> =
            (0..order.domains.len()).map(|it| format!("{}/{it}", at("authorization"))).collect();
        let domains = order.domains.iter().map(|it| json!({"type": "dns", "value": it}));
        let mut shown = json!({"status": status, "authorizations": urls,
            "identifiers": domains.collect::<Vec<_>>(), "finalize": at("finalize")});
        if status == "valid" {
            shown["certificate"] = json!(at("certificate"));
        }
        Reply::json(200, &shown)
    }

    fn authorization(&self, book: &Book, order: usize, at: usize) -> Reply {
        let status = match &book.orders[order].authorizations[at].outcome {
            None => "pending",
            Some(Ok(())) => "valid",
            Some(Err(_)) => "invalid",
        };
        let kinds = ["dns-01", "http-01", "tls-alpn-01"];
        let challenges = kinds.map(|kind| self.challenge(book, order, at, kind));
        let domain = &book.orders[order].domains[at];
        let shown = json!({"status": status, "challenges": challenges,
            "identifier": {"type": "dns", "value": domain}});
        Reply::json(200, &shown)
    }

    fn challenge(&self, book: &Book, order: usize, at: usize, kind: &str) -> Value {
        let row = &book.orders[order].authorizations[at];
        let token = &row.token;
        let url = format!("{}/challenge/{order}/{at}/{kind}", self.base);
        let mut shown = json!({"type": kind, "url": url, "token": token, "status": "pending"});
        match &row.outcome {
            Some(_) if row.kind != kind => {}
            None => {}
            Some(Ok(())) => shown["status"] = json!("valid"),
            Some(Err(reason)) => {
                shown["status"] = json!("invalid");
                shown["error"] = json!({"type": "urn:ietf:params:acme:error:connection",
                    "detail": reason});
            }
        }
        shown
    }

    /// Connects to the server under test, and notes the outcome.
    async fn validate(self: Arc<Self>, order: usize, at: usize, kind: String) {
        let places = self.places.subscribe().wait_for(Option::is_some).await.unwrap().unwrap();
        let (domain, token, answer) = {
            let book = self.book.lock().unwrap();
            let row = &book.orders[order];
            let token = row.authorizations[at].token.clone();
            let answer = format!("{token}.{}", row.thumbprint);
            (row.domains[at].clone(), token, answer)
        };
        let outcome = match kind.as_str() {
            "http-01" => match places.http {
                Some(place) => http_01(place, &domain, &token, &answer).await,
                None => Err("connection refused".to_owned()),
            },
            "tls-alpn-01" => tls_alpn_01(places.https, &domain, &answer).await,
            other => panic!("nobody answers {other}"),
        };
        let mut book = self.book.lock().unwrap();
        if outcome.is_ok() {
            book.validated.push(format!("{kind} {domain}"));
        }
        let row = &mut book.orders[order].authorizations[at];
        (row.kind, row.outcome) = (kind, Some(outcome));
    }

    fn sign(&self, book: &mut Book, number: usize, payload: &Value) -> Reply {
        let der = CertificateSigningRequestDer::from(decoded(&payload["csr"]));
        let mut request = CertificateSigningRequestParams::from_der(&der).unwrap();
        let named = request.params.subject_alt_names.iter().map(|it| {
            let SanType::DnsName(name) = it else { panic!("{it:?} was not ordered") };
            name.as_str().to_owned()
        });
        let named: BTreeSet<String> = named.collect();
        let ordered: BTreeSet<String> = book.orders[number].domains.iter().cloned().collect();
        assert_eq!(named, ordered);
        let now = self.clock.now().wall.seconds();
        let at = |seconds| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds);
        request.params.not_before = at(now);
        request.params.not_after = at(now + self.validity.load(Ordering::SeqCst));
        let certificate = request.signed_by(&self.issuer).unwrap();
        let chain = [certificate.der(), self.issuer.der()].map(|it| pem("CERTIFICATE", it));
        book.orders[number].certificate = Some(chain.concat());
        self.show_order(book, number)
    }
}

/// Validates by HTTP-01 (RFC 8555, section 8.3).
async fn http_01(place: SocketAddr, domain: &str, token: &str, answer: &str) -> Result<(), String> {
    let mut stream = TcpStream::connect(place).await.map_err(|error| error.to_string())?;
    let path = format!("/.well-known/acme-challenge/{token}");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {domain}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await.map_err(|error| error.to_string())?;
    let is_right =
        text.starts_with("HTTP/1.1 200 ") && text.ends_with(&format!("\r\n\r\n{answer}"));
    if is_right { Ok(()) } else { Err(format!("the file is not mine: {text}")) }
}

/// Validates by TLS-ALPN-01 (RFC 8737, section 3).
async fn tls_alpn_01(place: SocketAddr, domain: &str, answer: &str) -> Result<(), String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap().dangerous();
    let verifier = Arc::new(AnyVerifier);
    let mut config = builder.with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.alpn_protocols = vec![b"acme-tls/1".to_vec()];
    let stream = TcpStream::connect(place).await.map_err(|error| error.to_string())?;
    let name = ServerName::try_from(domain.to_owned()).unwrap();
    let connected = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    let mut stream = connected.map_err(|error| error.to_string())?;
    let session = stream.get_ref().1;
    if session.alpn_protocol() != Some(b"acme-tls/1") {
        return Err("the server does not know the protocol".to_owned());
    }
    let der = session.peer_certificates().unwrap()[0].clone();
    let (_, certificate) = x509_parser::parse_x509_certificate(&der).unwrap();
    let names = certificate.subject_alternative_name().unwrap().unwrap().value;
    let names: Vec<String> = names.general_names.iter().map(|it| it.to_string()).collect();
    let extensions = certificate.extensions();
    let own = extensions.iter().find(|it| it.oid.to_id_string() == ACME_IDENTIFIER);
    let wanted = [&[4, 32][..], &Sha256::digest(answer)].concat();
    let is_right = own.is_some_and(|it| it.critical && it.value == wanted);
    if !is_right || names != [format!("DNSName({domain})")] {
        return Err(format!("the certificate is not mine: {names:?}"));
    }
    // The server ends the connection, and answers no request on it.
    drop(stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await);
    let mut rest = Vec::new();
    drop(stream.read_to_end(&mut rest).await);
    if rest.is_empty() { Ok(()) } else { Err("the server answers requests".to_owned()) }
}

/// Expects this name at this clock's time, wherever the client connects.
#[derive(Debug)]
struct NamedVerifier {
    inner: Arc<WebPkiServerVerifier>,
    name: ServerName<'static>,
    clock: Arc<ManualClock>,
}

impl ServerCertVerifier for NamedVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        ocsp: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let now = Duration::from_secs(self.clock.now().wall.seconds());
        let now = UnixTime::since_unix_epoch(now);
        self.inner.verify_server_cert(own, others, &self.name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// Takes any certificate, as TLS-ALPN-01 wants it: the extension in it is the proof.
#[derive(Debug)]
struct AnyVerifier;

impl ServerCertVerifier for AnyVerifier {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let provider = rustls::crypto::ring::default_provider();
        provider.signature_verification_algorithms.supported_schemes()
    }
}
