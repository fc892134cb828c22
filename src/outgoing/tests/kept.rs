//! Connections that are kept, and end when nobody expects it.

use super::*;

/// A listener that answers so many requests on each connection, and then ends it without a
/// word: how many connections came, and how many requests.
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
            // It ends when the next request is here.
            first_piece(&mut stream).await
        }
    });
    (listener.await, counts)
}

#[actix::test]
async fn a_connection_that_is_kept_carries_the_next_post_too() {
    let (listener, counts) = keeping(usize::MAX).await;
    let names = Names::that_lead([&["127.0.0.1"], &["127.0.0.1"], &["10.0.0.1"]]);
    let (outgoing, kept) = (to_loopback(Arc::clone(&names)), KeptConnections::default());
    let url = listener.url("hook.test");
    for _ in 0..2 {
        let posted = outgoing.post_over(&kept, &url, json_header(), Bytes::from("{}")).await;
        assert_eq!(posted.unwrap().status, StatusCode::OK);
    }
    assert_eq!(counts.each_ref().map(|it| it.load(Ordering::SeqCst)), [1, 2]);
    // Its host is looked up all the same, and leads inside now.
    assert!(is_private(outgoing.post_over(&kept, &url, Vec::new(), Bytes::new()).await));
    assert_eq!(names.asked.load(Ordering::SeqCst), 3);
}

#[actix::test]
async fn what_meets_the_end_of_a_kept_connection_goes_over_a_new_one() {
    let (listener, counts) = keeping(2).await;
    let (outgoing, kept) = (to_loopback(Arc::default()), KeptConnections::default());
    for _ in 0..5 {
        let url = listener.url("127.0.0.1");
        let posted = outgoing.post_over(&kept, &url, Vec::new(), Bytes::new()).await;
        assert_eq!(posted.unwrap().status, StatusCode::OK);
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
    let (outgoing, kept) = (to_loopback(Arc::default()), KeptConnections::default());
    let url = listener.url("127.0.0.1");
    outgoing.post_over(&kept, &url, Vec::new(), Bytes::new()).await.unwrap();
    // The connection that was kept is over, and known to be.
    while listener.heard.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let posted = outgoing.post_over(&kept, &url, Vec::new(), Bytes::new()).await;
    assert!(matches!(posted, Err(OutgoingFault::Broken(_))), "{posted:?}");
    assert_eq!(came.load(Ordering::SeqCst), 2);
}

#[actix::test]
async fn connections_that_nobody_uses_are_closed() {
    let (listener, _) = keeping(usize::MAX).await;
    let (outgoing, kept) = (to_loopback(Arc::default()), KeptConnections::default());
    let url = listener.url("127.0.0.1");
    outgoing.post_over(&kept, &url, Vec::new(), Bytes::new()).await.unwrap();
    while listener.heard.lock().unwrap().is_empty() {
        kept.close_idle();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
