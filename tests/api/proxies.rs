//! Behind proxies: the client's address is the one that the operator's outermost proxy saw,
//! whatever the client writes into headers.

use serde_json::json;

use crate::world::World;
use crate::world::answer::Answer;
use crate::world::server::Setup;

/// A setup in which each address may open few sockets.
fn setup() -> Setup {
    Setup::default().upgrades(10.0, 3.0)
}

/// Asks for a socket without a handshake, which counts towards the limit and is refused with 400 as
/// long as the limit allows it.
async fn knocks(world: &World, told: &[(&str, &str)]) -> u16 {
    let mut asked = world.get("/v3/push");
    for (name, value) in told {
        asked = asked.header(name, value);
    }
    asked.await.status
}

/// All clients behind a proxy used to count as one address, so that one of them shut out all
/// others.
#[tokio::test]
async fn guesser_behind_proxy_locks_nobody_else() {
    for trust in [("--trust-proxy", "127.0.0.0/8"), ("--public-url", "https://chat.example.org")] {
        let world = World::with(setup().option(trust.0, trust.1)).await;
        let stranger = [("X-Forwarded-For", "198.51.100.1, 203.0.113.7")];
        for _ in 0..3 {
            assert_eq!(knocks(&world, &stranger).await, 400);
        }
        assert_eq!(knocks(&world, &stranger).await, 429);
        // Anybody can forge the entries to the left of the address that the proxy saw.
        let forged = [("X-Forwarded-For", "192.0.2.9, 203.0.113.7")];
        assert_eq!(knocks(&world, &forged).await, 429);
        let hops = [("X-Forwarded-For", "203.0.113.7, 127.0.0.5")];
        assert_eq!(knocks(&world, &hops).await, 429);
        assert_eq!(knocks(&world, &[("Forwarded", "for=203.0.113.7")]).await, 429);
        assert_eq!(knocks(&world, &[("X-Forwarded-For", "203.0.113.8")]).await, 400);
    }
}

#[tokio::test]
async fn untrusted_proxy_headers_are_ignored() {
    for options in [&[][..], &[("--trust-proxy", "172.16.0.0/12")]] {
        let setup = options.iter().fold(setup(), |it, (name, value)| it.option(name, value));
        let world = World::with(setup).await;
        for number in 0..3 {
            let told = format!("203.0.113.{number}");
            assert_eq!(knocks(&world, &[("X-Forwarded-For", &told)]).await, 400);
        }
        assert_eq!(knocks(&world, &[("X-Forwarded-For", "203.0.113.9")]).await, 429);
    }
}

async fn answer_with(world: &World, id: &str) -> Answer {
    world.post("/auth/login").header("X-Request-Id", id).json(&json!({})).await
}

#[tokio::test]
async fn response_id_comes_from_a_trusted_proxy() {
    let world = World::start().await;
    let mut ids = Vec::new();
    for path in ["/health/live", "/v3/groups", "/nothing", "/", "/metrics"] {
        ids.push(world.get(path).await.header("x-request-id").unwrap().to_owned());
    }
    ids.push(answer_with(&world, "forged").await.header("x-request-id").unwrap().to_owned());
    assert!(ids.iter().all(|id| id.len() == 16), "{ids:?}");
    let different: std::collections::HashSet<&String> = ids.iter().collect();
    assert_eq!(different.len(), ids.len());
    let world = World::with(Setup::default().option("--trust-proxy", "127.0.0.1")).await;
    assert_eq!(answer_with(&world, "a-1/b").await.header("x-request-id"), Some("a-1/b"));
    let odd = "x".repeat(129);
    for id in ["", "with space", &odd] {
        assert_eq!(answer_with(&world, id).await.header("x-request-id").unwrap().len(), 16);
    }
}
