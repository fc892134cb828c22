//! Fetches of bodies that end with their connection.

use super::*;

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
const PAGE: &str = "<title>Rope</title>\r\n\r\n<p>at six";

/// Sends an answer byte by byte, and ends the connection.
async fn answers(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &str) -> String {
    let heard = first_piece(&mut stream).await;
    for byte in answer.bytes() {
        stream.write_all(&[byte]).await.unwrap();
        stream.flush().await.unwrap();
    }
    drop(stream.shutdown().await);
    heard
}

#[actix::test]
async fn page_without_a_length_is_read_to_the_end_of_its_connection() {
    let answer = format!("{HEAD}{PAGE}");
    let plain = Listener::behaving({
        let answer = answer.clone();
        move |stream| {
            let answer = answer.clone();
            async move { answers(stream, &answer).await }
        }
    });
    let (acceptor, roots) = secured("page.test");
    let with_tls = Listener::behaving(move |stream| {
        let acceptor = acceptor.clone();
        let answer = answer.clone();
        async move { answers(acceptor.accept(stream).await.unwrap(), &answer).await }
    });
    let outgoing = to_loopback(Names::that_lead([&["127.0.0.1"]])).trusting(roots);
    let limits = FetchLimits { time: Duration::from_secs(30), ..LIMITS };
    for (listener, scheme) in [(plain.await, "http"), (with_tls.await, "https")] {
        let url = format!("{scheme}://page.test:{}/rope", listener.port);
        let page = outgoing.fetch(Owner::Server, &url, limits).await.unwrap();
        assert_eq!(page.body, PAGE);
        assert_eq!(page.content_type.as_deref(), Some("text/html"));
        assert_eq!(page.place.url(), url);
        let heard = listener.heard.lock().unwrap().remove(0).to_ascii_lowercase();
        assert!(heard.starts_with("get /rope http/1.1\r\n"), "{heard}");
        assert!(heard.contains(&format!("host: page.test:{}\r\n", listener.port)), "{heard}");
    }
}

#[actix::test]
async fn fetch_over_tls_verifies_the_host_name() {
    let (acceptor, roots) = secured("page.test");
    let listener = Listener::hearing_names(acceptor).await;
    let outgoing = to_loopback(Names::that_lead([&["127.0.0.1"]]));
    let url = |host: &str| format!("https://{host}:{}/", listener.port);
    let limits = FetchLimits { time: Duration::from_secs(30), ..LIMITS };
    let unknown = outgoing.fetch(Owner::Server, &url("page.test"), limits).await;
    assert!(matches!(unknown, Err(OutgoingFault::Connect(_))), "{unknown:?}");
    let outgoing = outgoing.trusting(roots);
    let other = outgoing.fetch(Owner::Server, &url("other.test"), limits).await;
    assert!(matches!(other, Err(OutgoingFault::Connect(_))), "{other:?}");
    let fetched = outgoing.fetch(Owner::Server, &url("page.test"), limits).await.unwrap();
    assert_eq!(fetched.body, "ok");
    assert!(listener.heard.lock().unwrap().contains(&"page.test".to_owned()));
}

#[actix::test]
async fn body_that_never_ends_keeps_to_the_limits() {
    let endless = Listener::behaving(|mut stream| async move {
        first_piece(&mut stream).await;
        stream.write_all(HEAD.as_bytes()).await.unwrap();
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
        String::new()
    })
    .await;
    let outgoing = to_loopback(Arc::default());
    let url = endless.url("127.0.0.1");
    let limits = FetchLimits { time: Duration::from_secs(30), ..LIMITS };
    let refused = outgoing.fetch(Owner::Server, &url, limits).await.unwrap_err();
    assert_eq!(refused, OutgoingFault::TooLong(1000));
    let limits = FetchLimits { longer: LongerBody::Cut, ..limits };
    let cut = outgoing.fetch(Owner::Server, &url, limits).await.unwrap();
    assert_eq!(cut.body, "x".repeat(1000));

    // Neither the head nor the body of these ends.
    for answer in [HEAD, "HTTP/1.1 200 OK\r\nServer: slow"] {
        let silent = Listener::behaving(move |mut stream| async move {
            first_piece(&mut stream).await;
            stream.write_all(answer.as_bytes()).await.unwrap();
            first_piece(&mut stream).await
        })
        .await;
        let late = outgoing.fetch(Owner::Server, &silent.url("127.0.0.1"), LIMITS).await;
        assert_eq!(late.unwrap_err(), OutgoingFault::Timeout);
    }
}

#[actix::test]
async fn answers_without_a_body_wait_for_no_end() {
    for (head, status) in [("204 No Content", 204), ("304 Not Modified", 304)] {
        let listener = Listener::behaving(move |mut stream| async move {
            first_piece(&mut stream).await;
            let answer = format!("HTTP/1.1 {head}\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            // The connection stays open until the client closes it.
            first_piece(&mut stream).await
        })
        .await;
        let limits = FetchLimits { time: Duration::from_secs(60), ..LIMITS };
        let outgoing = to_loopback(Arc::default());
        let fetched = outgoing.fetch(Owner::Server, &listener.url("127.0.0.1"), limits).await;
        assert_eq!(fetched.unwrap_err(), OutgoingFault::Status(status));
    }
    // A post is answered as soon as its head is there.
    let listener = Listener::behaving(|mut stream| async move {
        first_piece(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        first_piece(&mut stream).await
    })
    .await;
    let posted = to_loopback(Arc::default()).posting_within(Duration::from_secs(60));
    let url = listener.url("127.0.0.1");
    let posted = posted.post(Owner::Server, &url, Vec::new(), Bytes::new()).await.unwrap();
    assert_eq!(posted.status, StatusCode::OK);
}
