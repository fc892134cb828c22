//! Tests of kept connections, also of those that close unexpectedly.

use super::*;

/// A sender that posts to one listener over kept connections.
struct Caller {
    outgoing: Outgoing,
    kept: KeptConnections,
    url: String,
}

impl Caller {
    fn of(listener: &Listener) -> Self {
        Self::resolving_with(listener, "127.0.0.1", Arc::default())
    }

    fn resolving_with(listener: &Listener, host: &str, names: Arc<Names>) -> Self {
        let outgoing = to_loopback(names);
        let kept = KeptConnections::default();
        Self { outgoing, kept, url: listener.url(host) }
    }

    async fn posts(&self) -> Result<OutgoingAnswer, OutgoingFault> {
        self.outgoing
            .post_over(Owner::Server, &self.kept, &self.url, json_header(), Bytes::from("{}"))
            .await
    }

    async fn is_taken(&self) {
        assert_eq!(self.posts().await.unwrap().status, StatusCode::OK);
    }
}

/// Waits until a connection is closed, calling `meanwhile` again and again.
async fn one_ends(listener: &Listener, meanwhile: impl Fn()) {
    while listener.heard.lock().unwrap().is_empty() {
        meanwhile();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A listener that answers `requests` requests on each connection and then closes it without an
/// answer; returns it with the number of connections and of requests.
async fn keeping(requests: usize) -> (Listener, Arc<[AtomicUsize; 2]>) {
    let counts = Arc::<[AtomicUsize; 2]>::default();
    let counted = Arc::clone(&counts);
    let listener = Listener::behaving(move |mut stream| {
        let counted = Arc::clone(&counted);
        async move {
            counted[0].fetch_add(1, Ordering::SeqCst);
            for _ in 0..requests {
                if first_piece(&mut stream).await.is_empty() {
                    break;
                }
                counted[1].fetch_add(1, Ordering::SeqCst);
                drop(stream.write_all(OK.as_bytes()).await);
            }
            // Closes once the next request has arrived.
            first_piece(&mut stream).await
        }
    });
    (listener.await, counts)
}

#[actix::test]
async fn a_connection_that_is_kept_carries_the_next_post_too() {
    let (listener, counts) = keeping(usize::MAX).await;
    let names = Names::that_lead([&["127.0.0.1"], &["127.0.0.1"], &["10.0.0.1"]]);
    let caller = Caller::resolving_with(&listener, "hook.test", Arc::clone(&names));
    for _ in 0..2 {
        caller.is_taken().await;
    }
    assert_eq!(counts.each_ref().map(|it| it.load(Ordering::SeqCst)), [1, 2]);
    // The host is looked up for each request nevertheless, and leads inside now.
    assert!(is_private(caller.posts().await));
    assert_eq!(names.asked.load(Ordering::SeqCst), 3);
}

#[actix::test]
async fn request_on_closed_connection_uses_new_one() {
    let (listener, counts) = keeping(2).await;
    let caller = Caller::of(&listener);
    for _ in 0..5 {
        caller.is_taken().await;
    }
    assert_eq!(counts.each_ref().map(|it| it.load(Ordering::SeqCst)), [3, 5]);
}

#[actix::test]
async fn a_new_connection_that_breaks_is_not_tried_again() {
    let came = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&came);
    let listener = Listener::behaving(move |mut stream| {
        let counted = Arc::clone(&counted);
        async move {
            let heard = first_piece(&mut stream).await;
            if counted.fetch_add(1, Ordering::SeqCst) == 0 {
                drop(stream.write_all(OK.as_bytes()).await);
            }
            heard
        }
    })
    .await;
    let caller = Caller::of(&listener);
    caller.is_taken().await;
    // The kept connection is closed, and the client knows.
    one_ends(&listener, || ()).await;
    let posted = caller.posts().await;
    assert!(matches!(posted, Err(OutgoingFault::Broken(_))), "{posted:?}");
    assert_eq!(came.load(Ordering::SeqCst), 2);
}

#[actix::test]
async fn connections_that_nobody_uses_are_closed() {
    let (listener, _) = keeping(usize::MAX).await;
    let caller = Caller::of(&listener);
    caller.is_taken().await;
    one_ends(&listener, || caller.kept.close_idle()).await;
}
