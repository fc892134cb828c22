//! Push without WebSockets: long-polling and server-sent events (design, "Without WebSockets").
//! Both carry the same events as a socket, and end for the same reasons.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Person, text};
use crate::world::stream::Stream;

/// One long-poll.
async fn polls(person: &Person, after: &str, wait: u32) -> Value {
    person.gets(&format!("/v3/events?after={after}&wait={wait}")).await.ok()
}

async fn here(person: &Person) -> String {
    text(&person.gets("/v3/events").await.ok()["c"]).to_owned()
}

#[tokio::test]
async fn long_poll_equals_socket_live_and_replayed() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let cursor = here(&ben).await;
    let mut feed = ben.listens().await;
    let mut stream = Stream::open(&ben, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    let waiting = polls(&ben, &cursor, 30);
    let talking = async {
        world.is_heard_by(3).await;
        ana.says(&climbers, "rope at six").await
    };
    let (polled, _) = tokio::join!(waiting, talking);
    let heard = feed.hears("rope at six").await;
    assert_eq!(polled, json!({"events": [heard], "c": heard["c"], "more": false}));
    let part = stream.hears("ev").await;
    assert_eq!((&part.data, part.id.as_deref()), (&heard, heard["c"].as_str()));
    assert_eq!(polls(&ben, &cursor, 0).await["events"], json!([heard]));
}

#[tokio::test]
async fn long_poll_times_out_with_an_empty_list() {
    let world = World::start().await;
    let ([_, ben], _) = world.climbing(["Ana", "Ben"]).await;
    let cursor = here(&ben).await;
    let since = Instant::now();
    let polled = polls(&ben, &cursor, 1).await;
    assert!(since.elapsed() >= Duration::from_millis(950), "{:?}", since.elapsed());
    assert_eq!(polled["events"], json!([]));
    assert_eq!(polls(&ben, text(&polled["c"]), 0).await["events"], json!([]));
}

#[tokio::test]
async fn polling_again_and_again_misses_nothing_and_repeats_nothing() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut cursor = here(&ben).await;
    let writing = async {
        for number in 0..120 {
            ana.says(&climbers, &format!("m{number}")).await;
        }
    };
    let reading = async {
        let mut heard = Vec::new();
        while heard.len() < 120 {
            let page = polls(&ben, &cursor, 5).await;
            for event in page["events"].as_array().unwrap() {
                heard.push(text(&event["data"]["text"]).to_owned());
            }
            cursor = text(&page["c"]).to_owned();
        }
        heard
    };
    let ((), heard) = tokio::join!(writing, reading);
    assert_eq!(heard, (0..120).map(|number| format!("m{number}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_long_absence_is_read_in_pages() {
    let setup = crate::world::server::Setup::default().option("--rate-limit", "off");
    let world = World::with(setup).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut cursor = here(&ana).await;
    for _ in 0..12 {
        futures_util::future::join_all((0..100).map(|_| ana.says(&climbers, "m"))).await;
    }
    let (mut n, mut pages) = (1, 0);
    loop {
        let page = polls(&ana, &cursor, 0).await;
        for event in page["events"].as_array().unwrap() {
            n += 1;
            assert_eq!(event["n"], n);
        }
        cursor = text(&page["c"]).to_owned();
        pages += 1;
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(n, 1201);
    assert!(pages > 2, "{pages}");
}

#[tokio::test]
async fn unusable_cursor_resets_every_transport() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let polled = polls(&ana, "nonsense", 30).await;
    assert_eq!(polled, json!({"events": [], "c": polled["c"], "more": false, "reset": "unknown"}));
    let mut stream = Stream::open(&ana, "?after=nonsense", &[]).await;
    assert_eq!(stream.hears("welcome").await.data["resumed"], false);
    let reset = stream.hears("reset").await;
    assert_eq!(reset.data, json!({"t": "reset", "c": reset.id, "why": "unknown"}));
    stream.hears("synced").await;
}

#[tokio::test]
async fn stream_resumes_after_last_event_id() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut stream = Stream::open(&ben, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    ana.says(&climbers, "one").await;
    let last = stream.hears("ev").await.id.unwrap();
    drop(stream);
    ana.says(&climbers, "two").await;
    // A browser repeats the old URL when it reconnects; `Last-Event-ID` is newer and wins.
    let old = format!("?after={}", here(&ana).await);
    let mut stream = Stream::open(&ben, &old, &[("Last-Event-ID", &last)]).await;
    assert_eq!(stream.hears("welcome").await.data["resumed"], true);
    assert_eq!(stream.hears("ev").await.data["data"]["text"], "two");
    stream.hears("synced").await;
}

#[tokio::test]
async fn a_quiet_stream_is_kept_awake_by_comments() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut stream = Stream::open(&ana, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    for _ in 0..2 {
        world.clock.pass(50);
        assert_eq!(stream.block().await.as_deref(), Some(":"));
    }
}

#[tokio::test]
async fn logging_out_ends_polls_and_streams() {
    let world = World::start().await;
    let ([_, ben], _) = world.climbing(["Ana", "Ben"]).await;
    let cursor = here(&ben).await;
    let mut stream = Stream::open(&ben, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    let polling = async {
        let path = format!("/v3/events?after={cursor}&wait=30");
        ben.gets(&path).await
    };
    let leaving = async {
        world.is_heard_by(2).await;
        ben.posts("/auth/logout").await.ok();
    };
    let (answer, ()) = tokio::join!(polling, leaving);
    answer.refused(401);
    assert_eq!(stream.hears("bye").await.data["code"], 4401);
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn removed_member_receives_the_removal_last() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let cursor = here(&ben).await;
    let mut stream = Stream::open(&ben, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    ana.removes(&ben, &climbers).await.ok();
    ana.says(&climbers, "a secret").await;
    let own = ben.creates_group("own").await;
    let removal = stream.hears("ev").await.data;
    assert_eq!(removal["type"], "membership.delete");
    assert_eq!(stream.hears("ev").await.data["conv"], own.conv());
    let polled = polls(&ben, &cursor, 0).await;
    let kinds: Vec<&str> =
        polled["events"].as_array().unwrap().iter().map(|it| text(&it["type"])).collect();
    assert_eq!(kinds, ["membership.delete", "membership.create"]);
}

#[tokio::test]
async fn a_server_that_stops_ends_polls_and_streams() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let cursor = here(&ana).await;
    let mut stream = Stream::open(&ana, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    let since = Instant::now();
    let polling = async {
        let path = format!("/v3/events?after={cursor}&wait=30");
        ana.gets(&path).await.ok()
    };
    let stopping = async {
        world.is_heard_by(2).await;
        world.stops().await;
    };
    let hearing = async {
        let bye = stream.hears("bye").await;
        assert_eq!(bye.data["code"], 4003);
        assert!(bye.data["retry_ms"].as_u64().is_some_and(|it| (500..2500).contains(&it)));
        assert_eq!(stream.next().await, None);
    };
    let (polled, (), ()) = tokio::join!(polling, stopping, hearing);
    assert_eq!(polled["events"], json!([]));
    assert!(since.elapsed() < Duration::from_secs(30), "{:?}", since.elapsed());
}

#[tokio::test]
async fn reader_101_of_a_user_is_refused_everywhere() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut open = Vec::new();
    for _ in 0..50 {
        open.push(ana.listens().await);
    }
    let mut streams = Vec::new();
    for _ in 0..50 {
        streams.push(Stream::open(&ana, "", &[]).await);
    }
    for path in ["/v3/events", "/v3/events/stream"] {
        ana.gets(path).await.refused(429);
    }
    here(&ben).await;
    let mut newest = ana.connects().await;
    newest.tells(&json!({"t": "hello", "v": 1})).await;
    assert_eq!(newest.ends().await, 4409);
    open[0].stays_silent().await;
}

#[tokio::test]
async fn invalid_wait_is_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for wait in ["-1", "soon", "1.5"] {
        let refused = ana.gets(&format!("/v3/events?wait={wait}")).await.refused(400);
        assert_eq!(refused, ["wait must be a whole number"]);
    }
}
