//! Pages of other origins: which requests browsers allow them (CORS).

use crate::world::World;
use crate::world::answer::Answer;

const PAGE: &str = "https://ropes.example";

fn is_open(answer: &Answer) -> bool {
    let allowed = answer.header("access-control-allow-origin");
    // With this header a page of another origin could act in the name of the user who is logged in.
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    assert!(matches!(allowed, None | Some("*")), "{allowed:?}");
    allowed.is_some()
}

#[tokio::test]
async fn a_page_of_another_origin_uses_the_api_with_its_token() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (url, client) = (ana.address.url(&climbers.path("/messages")), reqwest::Client::new());
    let asking = client.request(reqwest::Method::OPTIONS, &url).header("Origin", PAGE);
    let asking = asking
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "content-type, idempotency-key, x-access-token");
    let told = asking.send().await.unwrap();
    assert_eq!(told.status(), 200);
    let header = |name: &str| told.headers()[name].to_str().unwrap().to_lowercase();
    assert_eq!(header("access-control-allow-origin"), "*");
    assert!(header("access-control-allow-methods").contains("post"));
    for name in ["content-type", "idempotency-key", "x-access-token"] {
        assert!(header("access-control-allow-headers").contains(name), "{name}");
    }
    let listed = ana.gets(&climbers.path("")).header("Origin", PAGE).await;
    assert!(is_open(&listed));
    let exposed = listed.header("access-control-expose-headers").unwrap().to_lowercase();
    for name in ["ratelimit-remaining", "retry-after", "location", "upload-offset", "etag"] {
        assert!(exposed.contains(name), "{name}: {exposed}");
    }
    listed.ok();
    for (path, status) in [("/v3/groups/1234", 404), ("/v3/nothing", 404), ("/v3/users/you", 404)] {
        let refused = ana.gets(path).header("Origin", PAGE).await;
        assert!(is_open(&refused), "also refusals can be read: {path}");
        refused.refused(status);
    }
}

#[tokio::test]
async fn a_page_of_another_origin_imports_the_push_client() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for path in ["/js/push.js", "/js/push_http.js"] {
        let module = ana.gets(path).header("Origin", PAGE).await;
        assert_eq!((module.status, is_open(&module)), (200, true), "{path}");
        assert_eq!(module.header("cross-origin-resource-policy"), Some("cross-origin"));
        let tag = module.header("etag").unwrap();
        let known = ana.gets(path).header("Origin", PAGE).header("If-None-Match", tag).await;
        assert_eq!((known.status, is_open(&known)), (304, true), "{path}");
        let has_import = module.text.lines().any(|line| line.starts_with("import "));
        assert!(!has_import, "{path} depends on nothing else, which might be closed");
    }
    let other = ana.gets("/js/main.js").header("Origin", PAGE).await;
    assert_eq!((other.status, is_open(&other)), (200, false));
}

#[tokio::test]
async fn non_api_paths_have_no_cors_headers() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let is_open = async |path: &str| is_open(&ana.gets(path).header("Origin", PAGE).await);
    for path in [
        "/compat/v3/users/me",
        "/.well-known/oauth-authorization-server",
        "/openapi.json",
        "/asyncapi.json",
        "/faye?message=[]",
        "/oauth/token",
        "/oauth/revoke",
        "/pictures",
        "/images/no",
    ] {
        assert!(is_open(path).await, "{path}");
    }
    for path in [
        "/auth/tokens",
        "/auth/login",
        "/oauth/authorize?client_id=1",
        "/oauth/applications",
        "/metrics",
        "/health/ready",
        "/",
    ] {
        assert!(!is_open(path).await, "{path}");
    }
}
