//! The envelope, and every refusal that comes before the rules of an act are checked
//! (specification, sections 1, 5 and 7).

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::world::World;
use crate::world::raw::Raw;
use crate::world::server::Setup;

#[tokio::test]
async fn unknown_path_gives_404() {
    let world = World::start().await;
    for (method, path) in [
        ("GET", "/v3/nothing"),
        ("POST", "/v3/nothing"),
        ("GET", "/nothing"),
        ("POST", "/nothing"),
        ("GET", "/v3"),
        ("DELETE", "/v3/groups/1/2/3/4"),
        ("GET", "/v5/groups"),
        ("GET", "/v3/groups/1/messages/2/3"),
    ] {
        let answer = world.asks(method, path).await;
        assert_eq!(answer.refused(404), ["The requested path does not exist"], "{method} {path}");
    }
}

#[tokio::test]
async fn browser_gets_a_page_for_unknown_paths() {
    let world = World::start().await;
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    for path in ["/nothing", "/docs/nothing"] {
        let answer = world.asks("GET", path).header("Accept", browser).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.header("content-type").unwrap().starts_with("text/html"), "{path}");
    }
    for path in ["/v3/nothing", "/v3/groups/1/2/3/4"] {
        let answer = world.asks("GET", path).header("Accept", browser).await;
        assert_eq!(answer.refused(404), ["The requested path does not exist"], "{path}");
    }
}

#[tokio::test]
async fn pages_for_people_have_plain_addresses() {
    let world = World::start().await;
    for (path, title) in [
        ("/docs", "Coterie: the API"),
        ("/docs/bots", "Coterie: write a bot"),
        ("/docs/bots/", "Coterie: write a bot"),
        ("/docs/operators", "Coterie: operator's guide"),
        ("/docs/operators.html", "Coterie: operator's guide"),
    ] {
        let answer = world.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.text.contains(&format!("<title>{title}</title>")), "{path}");
    }
}

#[tokio::test]
async fn wrong_method_gets_allow_header() {
    let world = World::start().await;
    for (method, path, allowed) in [
        ("DELETE", "/v3/groups", &["GET", "HEAD", "POST"][..]),
        ("PUT", "/v3/groups/1", &["GET", "HEAD"]),
        ("DELETE", "/v3/groups/1/messages", &["GET", "HEAD", "POST"]),
        ("GET", "/v3/groups/1/members/add", &["POST"]),
        ("POST", "/v3/users/me", &["GET", "HEAD"]),
        ("GET", "/auth/login", &["POST"]),
        ("POST", "/v3/push", &["GET"]),
        ("PATCH", "/v3/sync", &["GET", "HEAD"]),
    ] {
        let answer = world.asks(method, path).await;
        let errors = answer.refused(405);
        assert_eq!(errors.len(), 1, "{errors:?}");
        let mut told: Vec<&str> = answer.header("allow").unwrap().split(", ").collect();
        told.sort_unstable();
        assert_eq!(told, allowed, "{method} {path}");
    }
}

#[tokio::test]
async fn head_is_answered_like_get_without_a_body() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let messages = climbers.path("/messages");
    for path in [
        "/docs",
        "/openapi.json",
        "/asyncapi.json",
        "/health/live",
        "/auth/options",
        "/.well-known/oauth-authorization-server",
        "/js/push.js",
        "/v3/users/me",
        "/v3/groups",
        "/v3/groups/1",
        "/v3/events",
        messages.as_str(),
    ] {
        let (told, whole) = (ana.asks("HEAD", path).await, ana.gets(path).await);
        assert_eq!((told.status, told.text.as_str()), (whole.status, ""), "{path}");
        for header in ["content-length", "content-type", "etag"] {
            assert_eq!(told.header(header), whole.header(header), "{path}: {header}");
        }
    }
    assert_eq!(world.asks("HEAD", "/v3/users/me").await.status, 401);
    // A WebSocket is opened by GET alone.
    let socket = world.asks("HEAD", "/v3/push").await;
    assert_eq!((socket.status, socket.header("allow")), (405, Some("GET")));
}

/// An event stream has no end, so its body may not be read to there.
#[tokio::test]
async fn head_of_an_event_stream_is_over_at_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let head = format!(
        "HEAD /v3/events/stream HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\r\n",
        ana.token
    );
    let told = Raw::sends(world.address.get(), &head).await.hears_all().await;
    assert!(told.starts_with("HTTP/1.1 200") && told.contains("text/event-stream"), "{told}");
    assert!(told.ends_with("\r\n\r\n"), "{told}");
}

#[tokio::test]
async fn invalid_token_gets_401_everywhere() {
    let world = World::start().await;
    let well_formed = "A".repeat(43);
    let challenge = "Bearer realm=\"coterie\"";
    let invalid = format!("{challenge}, error=\"invalid_token\"");
    for (method, path) in [
        ("GET", "/v3/groups"),
        ("POST", "/v3/groups"),
        ("GET", "/v3/groups/1"),
        ("GET", "/v3/groups/1/messages"),
        ("POST", "/v3/groups/1/messages"),
        ("POST", "/v3/groups/1/members/add"),
        ("GET", "/v3/groups/1/members/results/1"),
        ("GET", "/v3/users/me"),
        ("GET", "/v3/sync"),
        ("POST", "/auth/logout"),
    ] {
        let answer = world.asks(method, path).await;
        assert_eq!(answer.refused(401), ["unauthorized"], "{path}");
        assert_eq!(answer.header("www-authenticate"), Some(challenge), "{path}");
        for token in ["", "x", well_formed.as_str()] {
            let answer = world.asks(method, path).token(token).await;
            assert_eq!(answer.refused(401), ["unauthorized"], "{path} with {token:?}");
            let told = answer.header("www-authenticate");
            assert_eq!(told, Some(invalid.as_str()), "{path} with {token:?}");
        }
    }
}

#[tokio::test]
async fn a_token_is_taken_wherever_clients_put_it() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let me = |answer: crate::world::answer::Answer| answer.ok()["id"].clone();
    assert_eq!(me(world.get("/v3/users/me").token(&ana.token).await), ana.id);
    for scheme in ["Bearer", "bearer"] {
        let value = format!("{scheme} {}", ana.token);
        assert_eq!(me(world.get("/v3/users/me").header("Authorization", &value).await), ana.id);
    }
    for name in ["token", "access_token", "access_token=stale&token"] {
        let path = format!("/v3/users/me?{name}={}", ana.token);
        assert_eq!(me(world.get(&path).await), ana.id, "{name}");
    }
    let basic = format!("Basic {}", ana.token);
    world.get("/v3/users/me").header("Authorization", &basic).await.refused(401);
}

#[tokio::test]
async fn non_object_body_is_refused_with_reason() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for (body, why) in [
        ("{\"name\":", "the body is not valid JSON"),
        ("name", "the body is not valid JSON"),
        ("{\"name\":\"a\"} trailing", "the body is not valid JSON"),
        ("[1]", "the body must be a JSON object"),
        ("\"Climbers\"", "the body must be a JSON object"),
        ("7", "the body must be a JSON object"),
        ("null", "the body must be a JSON object"),
    ] {
        let errors = ana.posts("/v3/groups").body("application/json", body).await.refused(400);
        assert!(errors[0].starts_with(why), "{body}: {errors:?}");
    }
    let deep = format!("{{\"name\":{}", "[".repeat(60_000));
    ana.posts("/v3/groups").body("application/json", deep).await.refused(400);
}

#[tokio::test]
async fn a_body_over_64_kib_is_too_large() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let padded = |bytes: usize| {
        let frame = json!({"name": "Climbers", "ignored": ""}).to_string().len();
        json!({"name": "Climbers", "ignored": "x".repeat(bytes - frame)}).to_string()
    };
    let largest = padded(64 << 10);
    assert_eq!(largest.len(), 64 << 10);
    ana.posts("/v3/groups").body("application/json", largest).await.created();
    let too_large = padded((64 << 10) + 1);
    let errors = ana.posts("/v3/groups").body("application/json", too_large).await.refused(413);
    assert_eq!(errors, ["the body is larger than 65536 bytes"]);
}

#[tokio::test]
async fn response_404_keeps_the_connection() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut socket = tokio::net::TcpStream::connect(world.address.get()).await.unwrap();
    let ask = |path: &str, last: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n{last}\r\n", ana.token)
    };
    // Both requests are sent at once: a client that waited for a body of the first response would
    // never get to the second.
    let both = ask(&climbers.path("/messages"), "") + &ask("/v3/users/me", "Connection: close\r\n");
    socket.write_all(both.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (first, second) = text.split_once("\r\n\r\n").unwrap();
    assert!(first.starts_with("HTTP/1.1 304 "), "{first}");
    assert!(first.to_lowercase().contains("\r\ncontent-length: 0"), "{first}");
    assert!(second.starts_with("HTTP/1.1 200 "), "{second}");
}

#[tokio::test]
async fn rate_limited_request_gets_retry_after() {
    let world = World::with(Setup::default().option("--rate-limit", "1/s")).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for left in (0..5).rev() {
        let answer = ana.gets("/v3/users/me").await;
        assert_eq!(answer.header("ratelimit-limit"), Some("5"));
        assert_eq!(answer.header("ratelimit-remaining"), Some(left.to_string().as_str()));
        answer.ok();
    }
    let answer = ana.gets("/v3/users/me").await;
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(answer.header("ratelimit-remaining"), Some("0"));
    answer.refused(429);
    ben.gets("/v3/users/me").await.ok();
    world.seconds_pass(1);
    ana.gets("/v3/users/me").await.ok();
    ana.gets("/v3/users/me").await.refused(429);
}

#[tokio::test]
async fn responses_are_kept_by_no_cache_and_are_what_they_say() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    for (path, status) in [
        ("/v3/users/me", 200),
        ("/v3/groups/7", 404),
        ("/v3/nothing", 404),
        ("/v3/groups?per_page=many", 400),
        ("/health/live", 200),
        ("/openapi.json", 200),
    ] {
        let answer = ana.gets(path).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        let policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
        assert_eq!(answer.header("content-security-policy"), Some(policy), "{path}");
    }
    assert_eq!(world.get("/v3/users/me").await.header("cache-control"), Some("no-store"));
    let page = world.get("/").await;
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("cache-control"), Some("no-cache"), "it has a tag");
    let policy = page.header("content-security-policy").unwrap();
    for part in ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
}

#[tokio::test]
async fn health_needs_no_token() {
    let world = World::start().await;
    for path in ["/health/live", "/health/ready"] {
        let answer = world.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        let body: Value = serde_json::from_str(&answer.text).unwrap();
        assert!(body["status"].is_string(), "{body}");
    }
}
