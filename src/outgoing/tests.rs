//! Tests of outgoing requests, against hostile listeners and host names whose addresses change.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::http::header::CONTENT_TYPE;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::resolver::SystemResolver;
use domain::ids::UserId;

mod close_delimited;
mod kept;

/// A resolver whose answer changes with every look-up; the last answer stays.
#[derive(Default)]
struct Names {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Names {
    fn that_lead<const N: usize>(answers: [&[&str]; N]) -> Arc<Self> {
        let parsed = answers.map(|answer| answer.iter().map(|it| it.parse().unwrap()).collect());
        Arc::new(Self { answers: Mutex::new(parsed.into()), asked: AtomicUsize::new(0) })
    }
}

impl Resolve for Names {
    fn look_up<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let answer = answer.ok_or_else(|| io::Error::other("no such name"));
        Box::pin(async move { answer })
    }
}

/// A listener that reads one piece from each connection, and notes what it heard.
struct Listener {
    port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    async fn answering(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        Self::behaving(move |mut stream| {
            let answer = answer.clone();
            async move {
                let heard = first_piece(&mut stream).await;
                drop(stream.write_all(answer.as_bytes()).await);
                heard
            }
        })
        .await
    }

    /// Answers over TLS, and hears the name for which each client asked.
    async fn hearing_names(acceptor: tokio_rustls::TlsAcceptor) -> Self {
        Self::behaving(move |stream| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return String::new() };
                first_piece(&mut stream).await;
                answer_and_close(&mut stream).await;
                stream.get_ref().1.server_name().unwrap_or_default().to_owned()
            }
        })
        .await
    }

    async fn behaving<F>(behaviour: impl Fn(tokio::net::TcpStream) -> F + 'static) -> Self
    where
        F: Future<Output = String> + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&heard);
        actix::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let said = behaviour(stream);
                let noted = Arc::clone(&noted);
                actix::spawn(async move {
                    let said = said.await;
                    noted.lock().unwrap().push(said);
                });
            }
        });
        Self { port, heard }
    }

    fn url(&self, host: &str) -> String {
        format!("http://{host}:{}/hook?x=1", self.port)
    }
}

async fn first_piece(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut piece = vec![0; 64 * 1024];
    let length = stream.read(&mut piece).await.unwrap_or(0);
    String::from_utf8_lossy(&piece[..length]).into_owned()
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: image/png\r\n\r\nok";

fn to_loopback(names: Arc<Names>) -> Outgoing {
    Outgoing::new(Network::loopback(), names, &Places::default())
}

fn json_header() -> Vec<(HeaderName, HeaderValue)> {
    vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))]
}

const LIMITS: FetchLimits =
    FetchLimits { bytes: 1000, time: Duration::from_millis(500), longer: LongerBody::Refused };

fn is_private<T: std::fmt::Debug>(answer: Result<T, OutgoingFault>) -> bool {
    matches!(answer, Err(OutgoingFault::Refused(TargetRefusal::Private { .. })))
}

#[actix::test]
async fn post_arrives_whole_with_its_host_name() {
    let names = Names::that_lead([&["127.0.0.1"]]);
    let listener = Listener::answering(OK).await;
    let body = Bytes::from("x".repeat(30_000));
    let url = listener.url("hook.test");
    let answer = to_loopback(Arc::clone(&names))
        .post(Owner::Server, &url, json_header(), body.clone())
        .await;
    let answer = answer.unwrap();
    assert_eq!(
        (answer.status, &answer.body[..], answer.is_cut),
        (StatusCode::OK, &b"ok"[..], false)
    );
    let heard = listener.heard.lock().unwrap().remove(0);
    let (head, rest) = heard.split_once("\r\n\r\n").unwrap();
    assert_eq!(rest.len(), body.len());
    let head = head.to_ascii_lowercase();
    assert!(head.starts_with("post /hook?x=1 http/1.1\r\n"), "{head}");
    for line in [
        format!("host: hook.test:{}", listener.port),
        "content-length: 30000".to_owned(),
        "content-type: application/json".to_owned(),
        "connection: close".to_owned(),
    ] {
        assert!(head.lines().any(|it| it == line), "{line} in {head}");
    }
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
}

#[actix::test]
async fn rebound_name_to_private_address_is_refused() {
    let names = Names::that_lead([&["1.1.1.1"], &["127.0.0.1"]]);
    let listener = Listener::answering(OK).await;
    let outgoing = Outgoing::new(Vec::new(), names, &Places::default());
    let url = listener.url("rebinds.test");
    outgoing.check_host(Owner::Server, &url).await.unwrap();
    assert!(is_private(outgoing.post(Owner::Server, &url, Vec::new(), Bytes::new()).await));
    assert!(is_private(outgoing.fetch(Owner::Server, &url, LIMITS).await));
    assert!(listener.heard.lock().unwrap().is_empty());
}

#[actix::test]
async fn connection_goes_to_the_checked_address() {
    let names = Names::that_lead([&["127.0.0.1"], &["10.0.0.1"]]);
    let listener = Listener::answering(OK).await;
    let outgoing = to_loopback(Arc::clone(&names));
    outgoing
        .post(Owner::Server, &listener.url("rebinds.test"), Vec::new(), Bytes::new())
        .await
        .unwrap();
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    assert!(is_private(
        outgoing.post(Owner::Server, &listener.url("rebinds.test"), Vec::new(), Bytes::new()).await
    ));
}

#[actix::test]
async fn one_private_answer_among_public_ones_is_enough_to_refuse() {
    for answers in [["1.1.1.1", "127.0.0.1"], ["2606:4700::1111", "::ffff:10.0.0.1"]] {
        let outgoing = Outgoing::new(Vec::new(), Names::that_lead([&answers]), &Places::default());
        let url = "http://both.test/";
        assert!(
            is_private(outgoing.post(Owner::Server, url, Vec::new(), Bytes::new()).await),
            "{answers:?}"
        );
        let refused = outgoing.check_host(Owner::Server, url).await.unwrap_err();
        assert!(refused.to_string().contains("--callback-allow"), "{refused}");
    }
}

#[actix::test]
async fn addresses_in_place_of_names_are_checked_without_a_look_up() {
    let outgoing = Outgoing::new(Vec::new(), Names::that_lead([&["1.1.1.1"]]), &Places::default());
    for host in [
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "127.1.",
        "[::1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::a00:1]",
        "169.254.169.254",
    ] {
        let refused = outgoing.check_url(&format!("https://{host}/")).unwrap_err();
        assert!(matches!(refused, TargetRefusal::Private { .. }), "{host}");
    }
    outgoing.check_url("https://1.1.1.1/").unwrap();
}

#[actix::test]
async fn unknown_host_name_fails() {
    let outgoing = to_loopback(Arc::default());
    outgoing.check_host(Owner::Server, "http://nobody.test/").await.unwrap();
    let posted =
        outgoing.post(Owner::Server, "http://nobody.test/", Vec::new(), Bytes::new()).await;
    assert_eq!(posted.unwrap_err(), OutgoingFault::LookUp);
}

#[actix::test]
async fn a_post_never_follows_a_redirect() {
    let elsewhere = Listener::answering(OK).await;
    let place = elsewhere.url("127.0.0.1");
    let answer = format!("HTTP/1.1 307 Go\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
    let listener = Listener::answering(answer).await;
    let outgoing = to_loopback(Arc::default());
    let posted =
        outgoing.post(Owner::Server, &listener.url("127.0.0.1"), Vec::new(), Bytes::new()).await;
    assert_eq!(posted.unwrap().status, StatusCode::TEMPORARY_REDIRECT);
    assert!(elsewhere.heard.lock().unwrap().is_empty());
}

#[actix::test]
async fn a_fetch_follows_redirects_but_not_inside_and_not_for_ever() {
    let outgoing = to_loopback(Arc::default());
    let moved = |place: String| {
        format!("HTTP/1.1 302 Go\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n")
    };
    let picture = Listener::answering(OK).await;
    let near = Listener::answering(moved(picture.url("127.0.0.1"))).await;
    let fetched = outgoing.fetch(Owner::Server, &near.url("127.0.0.1"), LIMITS).await.unwrap();
    assert_eq!(
        (&fetched.body[..], fetched.content_type.as_deref()),
        (&b"ok"[..], Some("image/png"))
    );

    let inside = Listener::answering(moved("http://169.254.169.254/latest".to_owned())).await;
    assert!(is_private(outgoing.fetch(Owner::Server, &inside.url("127.0.0.1"), LIMITS).await));
    let file = Listener::answering(moved("file:///etc/passwd".to_owned())).await;
    let refused = outgoing.fetch(Owner::Server, &file.url("127.0.0.1"), LIMITS).await.unwrap_err();
    assert_eq!(refused, OutgoingFault::Refused(TargetRefusal::Form));
    let circle = Listener::answering(moved("/hook".to_owned())).await;
    let limits = FetchLimits { time: Duration::from_secs(60), ..LIMITS };
    let circled =
        outgoing.fetch(Owner::Server, &circle.url("127.0.0.1"), limits).await.unwrap_err();
    assert_eq!(circled, OutgoingFault::Redirects);
    assert_eq!(circle.heard.lock().unwrap().len(), 1 + REDIRECTS);
}

#[actix::test]
async fn fetch_follows_as_many_redirects_as_browsers() {
    let outgoing = to_loopback(Arc::default());
    let limits = FetchLimits { time: Duration::from_secs(60), ..LIMITS };
    let mut place = Listener::answering(OK).await.url("127.0.0.1");
    for _ in 0..20 {
        let answer = format!("HTTP/1.1 301 Go\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
        place = Listener::answering(answer).await.url("127.0.0.1");
    }
    let fetched = outgoing.fetch(Owner::Server, &place, limits).await.unwrap();
    assert_eq!(&fetched.body[..], b"ok");
}

/// A resolver whose name servers never answer for names that end in `.silent`.
#[derive(Default)]
struct PartlySilent {
    silent: AtomicUsize,
}

impl Resolve for PartlySilent {
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        if host.ends_with(".silent") {
            self.silent.fetch_add(1, Ordering::SeqCst);
            return Box::pin(std::future::pending());
        }
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

#[actix::test]
async fn silent_name_servers_of_one_user_delay_no_other_user() {
    let resolver = Arc::<PartlySilent>::default();
    let shared = Arc::clone(&resolver) as Arc<dyn Resolve>;
    let outgoing = Outgoing::new(Network::loopback(), shared, &Places::default());
    let asks = |user: u64, host: &'static str| {
        let outgoing = outgoing.clone();
        async move { outgoing.resolver.look_up(UserId::new(user).into(), host).await }
    };
    let waiting: Vec<_> = (0..700).map(|_| actix::spawn(asks(1, "a.silent"))).collect();
    let other = asks(2, "a.test").await;
    assert_eq!(other.unwrap(), [IpAddr::from([127, 0, 0, 1])]);
    let started = resolver.silent.load(Ordering::SeqCst);
    assert_eq!(started, 2, "one user has a share of the look-ups");
    // Two are under way, 64 wait, and the others are refused.
    while waiting.iter().filter(|it| it.is_finished()).count() < 700 - 66 {
        tokio::task::yield_now().await;
    }
    assert!(asks(1, "b.silent").await.is_err());
    // A caller that gives up leaves the look-up running, with its place.
    waiting.iter().for_each(|it| it.abort());
    tokio::task::yield_now().await;
    let own = tokio::time::timeout(Duration::from_millis(20), asks(1, "a.test"));
    assert!(own.await.is_err(), "two look-ups of this user are still under way");
    assert!(asks(2, "a.test").await.is_ok());
}

#[actix::test]
async fn system_resolver_finds_localhost_with_few_threads() {
    let resolver = Arc::new(SystemResolver::default());
    let looked_up = (0..100).map(|_| resolver.look_up("localhost"));
    for found in futures_util::future::join_all(looked_up).await {
        assert!(found.unwrap().iter().all(IpAddr::is_loopback));
    }
    let names = std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    let threads = names.filter(|name| name.trim() == "look-ups").count();
    assert!(threads > 0 && threads <= 16 * 2, "{threads}");
}

#[test]
fn retry_after_is_read_as_seconds_and_as_date() {
    // 1994-11-06 08:49:07 UTC, half a minute before the example of RFC 9110.
    let now = Timestamp::from_seconds(784_111_777 - 30);
    let wait = |value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::try_from(value).unwrap());
        let status = StatusCode::TOO_MANY_REQUESTS;
        let body = Bytes::new();
        let answer = OutgoingAnswer { status, headers, body, is_cut: false };
        answer.retry_after(now).map(|wait| wait.as_secs())
    };
    for (value, seconds) in [
        ("120", Some(120)),
        (" 0 ", Some(0)),
        ("99999999999999999999999", Some(u64::MAX)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30)),
        ("Sun Nov  6 08:49:37 1994", Some(30)),
        ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("+5", None),
        ("1.5", None),
    ] {
        assert_eq!(wait(value), seconds, "{value:?}");
    }
}

#[actix::test]
async fn oversized_response_is_cut_early() {
    let listener = Listener::behaving(|mut stream| async move {
        first_piece(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        let piece = vec![b'x'; 64 * 1024];
        let mut sent = 0;
        while let Ok(length) = stream.write(&piece).await {
            sent += length;
        }
        sent.to_string()
    })
    .await;
    let outgoing = to_loopback(Arc::default());
    let url = listener.url("127.0.0.1");
    let posted = outgoing.post(Owner::Server, &url, Vec::new(), Bytes::new()).await.unwrap();
    assert_eq!((posted.body.len(), posted.is_cut), (POST_ANSWER_BYTES, true));
    let fetched = outgoing.fetch(Owner::Server, &url, LIMITS).await.unwrap_err();
    assert_eq!(fetched, OutgoingFault::TooLong(1000));
    tokio::time::sleep(Duration::from_millis(300)).await;
    let sent: Vec<usize> =
        listener.heard.lock().unwrap().iter().map(|it| it.parse().unwrap()).collect();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|sent| *sent < 64 << 20), "{sent:?}");
}

#[actix::test]
async fn slow_servers_time_out() {
    let asleep = Listener::behaving(|mut stream| async move {
        let heard = first_piece(&mut stream).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        heard
    });
    let trickling = Listener::behaving(|mut stream| async move {
        let heard = first_piece(&mut stream).await;
        for byte in OK.bytes() {
            if stream.write_all(&[byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        heard
    });
    let outgoing = to_loopback(Arc::default()).posting_within(Duration::from_millis(200));
    for listener in [asleep.await, trickling.await] {
        let posted = outgoing
            .post(Owner::Server, &listener.url("127.0.0.1"), Vec::new(), Bytes::new())
            .await;
        assert_eq!(posted.unwrap_err(), OutgoingFault::Timeout);
    }
}

#[actix::test]
async fn reset_differs_from_refused_connection() {
    let resets = Listener::behaving(|mut stream| async move { first_piece(&mut stream).await });
    let resets = resets.await;
    let outgoing = to_loopback(Arc::default());
    let posted =
        outgoing.post(Owner::Server, &resets.url("127.0.0.1"), Vec::new(), Bytes::new()).await;
    assert!(matches!(posted, Err(OutgoingFault::Broken(_))), "{posted:?}");
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let away = format!("http://127.0.0.1:{port}/");
    let posted = outgoing.post(Owner::Server, &away, Vec::new(), Bytes::new()).await;
    assert!(matches!(posted, Err(OutgoingFault::NobodyListens(_))), "{posted:?}");
}

#[actix::test]
async fn the_next_address_is_tried_when_one_does_not_answer() {
    let listener = Listener::answering(OK).await;
    let names = Names::that_lead([&["::1", "127.0.0.1"]]);
    let posted = to_loopback(names)
        .post(Owner::Server, &listener.url("two.test"), Vec::new(), Bytes::new())
        .await;
    assert_eq!(posted.unwrap().status, StatusCode::OK);
}

/// A TLS acceptor for a name, and the certificate that its clients trust.
fn secured(name: &str) -> (tokio_rustls::TlsAcceptor, rustls::RootCertStore) {
    let certified = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let certificate = certified.cert.der().clone();
    let key = rustls::pki_types::PrivateKeyDer::try_from(certified.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key.unwrap())
        .unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).unwrap();
    (tokio_rustls::TlsAcceptor::from(Arc::new(config)), roots)
}

#[actix::test]
async fn tls_asks_for_the_name_and_not_for_the_address() {
    let (acceptor, roots) = secured("hook.test");
    let listener = Listener::hearing_names(acceptor).await;
    let outgoing = to_loopback(Names::that_lead([&["127.0.0.1"]])).trusting(roots);
    let url = |host| format!("https://{host}:{}/", listener.port);
    let posted =
        outgoing.post(Owner::Server, &url("hook.test"), Vec::new(), Bytes::new()).await.unwrap();
    assert_eq!(posted.status, StatusCode::OK);
    assert_eq!(listener.heard.lock().unwrap().remove(0), "hook.test");
    let posted = outgoing.post(Owner::Server, &url("other.test"), Vec::new(), Bytes::new()).await;
    assert!(matches!(posted, Err(OutgoingFault::Connect(_))), "{posted:?}");
}

async fn answer_and_close(stream: &mut (impl AsyncWrite + Unpin)) {
    stream.write_all(OK.as_bytes()).await.unwrap();
    drop(stream.shutdown().await);
}
