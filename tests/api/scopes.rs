//! Scopes of tokens: each route needs its own, feeds carry what they show, and no token has more
//! than its user.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::access_fixture::{Cast, Fixture, Place};
use crate::direct_messages::{conversation, writes};
use crate::group_acts::member;
use crate::oauth::{CALLBACK, brought_back, lets_in, logs_in};
use crate::world::answer::Answer;
use crate::world::bayeux::{Client, Transport};
use crate::world::browser::Browser;
use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::stream::Stream;
use crate::world::{PASSWORD, World};

/// Routes that a client opens before it names its token.
const AT_HELLO: [&str; 3] = ["/v3/push", "/faye", "/faye/{step}"];
/// Routes that end the tokens that the test needs.
const LAST: [&str; 2] = ["/auth/password", "/auth/logout"];

/// Makes a token with these scopes; returns the person with it.
async fn mints(person: &Person, scopes: &[&str]) -> Person {
    let body = json!({"name": "Script", "scopes": scopes});
    let minted = person.posts("/auth/tokens").json(&body).await.created();
    Person { token: text(&minted["access_token"]).to_owned(), ..person.clone() }
}

/// Every scope, as the document names them.
fn all_scopes() -> Vec<String> {
    let document = coterie::http::openapi::document();
    let names = &document["components"]["schemas"]["NewToken"]["properties"]["scopes"]["items"];
    names["enum"].as_array().unwrap().iter().map(|name| text(name).to_owned()).collect()
}

/// A route, and the scopes of which it needs one.
struct ScopedRoute {
    method: String,
    path: String,
    scopes: Vec<String>,
}

/// Every route that needs a scope, with its scopes; those that end tokens last.
fn scoped_routes() -> Vec<ScopedRoute> {
    let document = coterie::http::openapi::document();
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let Some(scopes) = operation.get("x-scopes") else { continue };
            let scopes = scopes.as_array().unwrap().iter().map(|it| text(it).to_owned()).collect();
            routes.push(ScopedRoute { method: method.to_uppercase(), path: path.clone(), scopes });
        }
    }
    routes.retain(|route| !AT_HELLO.contains(&route.path.as_str()));
    routes.sort_by_key(|route| LAST.contains(&route.path.as_str()));
    routes
}

/// Whether a response is the refusal of a token that lacks a scope.
fn lacks_scope(answer: &Answer) -> bool {
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    challenge.contains("insufficient_scope")
}

/// What is wrong with the response to a token that has every scope but those of the route.
fn wrong_refusal(route: &ScopedRoute, answer: &Answer) -> Option<String> {
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    let named = challenge.split("scope=\"").nth(1).unwrap_or_default().trim_end_matches('"');
    let names_its_own = named.split(' ').all(|it| route.scopes.iter().any(|own| own == it));
    let reason = format!("this token lacks {}", named.replace(' ', " or "));
    let says_it = route.method == "HEAD" || answer.text.contains(&reason);
    let is_right = answer.status == 403 && lacks_scope(answer) && names_its_own && says_it;
    (!is_right).then(|| {
        let ScopedRoute { method, path, .. } = route;
        format!("{method} {path}: {} {challenge} {}", answer.status, answer.text)
    })
}

async fn asks(fixture: &Fixture<'_>, person: &Person, route: &ScopedRoute) -> Answer {
    fixture.asking_as(person, Some(person.token.clone()), &route.method, &route.path).await
}

/// The table of scopes and routes is the one of the server, as `/openapi.json` has it.
#[tokio::test]
async fn every_route_needs_exactly_its_scope() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let cast = Cast::of(&world).await;
    let owner = cast.owner();
    world.promotes(owner, Some("admin"));
    let fixture = cast.fixture(Place::Group).await;
    let all = all_scopes();
    let mut wrong = Vec::new();
    let routes = scoped_routes();
    assert!(routes.len() > 150, "{}", routes.len());
    for route in &routes {
        let others: Vec<&str> =
            all.iter().filter(|it| !route.scopes.contains(it)).map(String::as_str).collect();
        let without = mints(owner, &others).await;
        wrong.extend(wrong_refusal(route, &asks(&fixture, &without, route).await));
    }
    let mut used = HashSet::new();
    for route in &routes {
        let there: Vec<&String> = match route.path.contains("{conversation}") {
            // The fixture is a group: the scope for chats does not count there.
            true => route.scopes.iter().filter(|it| !it.starts_with("dms:")).collect(),
            false => route.scopes.iter().collect(),
        };
        for scope in there {
            let only = mints(owner, &[scope.as_str()]).await;
            let answer = asks(&fixture, &only, route).await;
            // The membership and the conversations in the body are those of others and of groups.
            let may_lack =
                route.scopes.len() > 1 && (scope.starts_with("dms:") || scope == "groups:write");
            if answer.status == 401 || (lacks_scope(&answer) && !may_lack) {
                let ScopedRoute { method, path, .. } = route;
                wrong.push(format!("only {scope}: {method} {path}: {}", answer.text));
            }
            used.insert(scope.clone());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unused: Vec<&String> =
        all.iter().filter(|it| !used.contains(*it) && !it.starts_with("dms:")).collect();
    assert!(unused.is_empty(), "no route needs {unused:?}");
}

#[tokio::test]
async fn conversation_of_the_path_decides_the_scope() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    writes(&ben, &ana, "rope at six").await;
    let chat = conversation(&ana, &ben);
    let of_groups = mints(&ana, &["messages:read", "messages:write"]).await;
    let of_chats = mints(&ana, &["dms:read", "dms:write"]).await;
    let gallery = |conversation: &str| format!("/v3/conversations/{conversation}/gallery");
    of_groups.gets(&gallery(&climbers.id)).await.ok();
    of_chats.gets(&gallery(&chat)).await.ok();
    for encoded in [chat.clone(), chat.replace('+', "%2B"), chat.replace('+', "%2b")] {
        let refused = of_groups.gets(&gallery(&encoded)).await.refused(403);
        assert_eq!(refused, ["this token lacks dms:read"]);
    }
    let refused = of_chats.gets(&gallery(&climbers.id)).await.refused(403);
    assert_eq!(refused, ["this token lacks messages:read"]);
    let draft = |conversation: &str| format!("/v3/drafts/{conversation}");
    let body = json!({"text": "soon"});
    ana.asks("PUT", &draft(&climbers.id)).json(&body).await.ok();
    ana.asks("PUT", &draft(&chat)).json(&body).await.ok();
    for (reader, shown) in [(&of_groups, &climbers.id), (&of_chats, &chat)] {
        let drafts = reader.gets("/v3/drafts").await.ok();
        let places: Vec<&Value> =
            drafts["drafts"].as_array().unwrap().iter().map(|it| &it["conversation_id"]).collect();
        assert_eq!(places, [shown.as_str()]);
    }
    let receipts = json!({"receipts": [{"conversation_id": chat, "last_read_message_id": "1"}]});
    let refused = of_groups.posts("/v3/read_receipts").json(&receipts).await.refused(403);
    assert_eq!(refused, ["this token lacks dms:write"]);
}

#[tokio::test]
async fn minted_token_has_its_scopes_until_its_end() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": "Backup script", "scopes": ["groups:read"], "expires_in": 3600});
    let minted = ana.posts("/auth/tokens").json(&body).await.created();
    assert_eq!(minted["token"]["application"], "Backup script");
    assert_eq!(minted["token"]["scopes"], json!(["groups:read"]));
    assert_eq!(minted["token"]["expires_at"], 1_800_003_600);
    let script = Person { token: text(&minted["access_token"]).to_owned(), ..ana.clone() };
    for _ in 0..2 {
        script.gets("/v3/groups").await.ok();
        let answer = script.gets("/v3/users/me").await;
        assert_eq!(answer.refused(403), ["this token lacks profile:read"]);
        let challenge = answer.header("www-authenticate").unwrap();
        let expected = "error=\"insufficient_scope\", scope=\"profile:read\"";
        assert!(challenge.starts_with("Bearer ") && challenge.ends_with(expected), "{challenge}");
        let listed = ana.gets("/auth/tokens").await.ok();
        assert_eq!(listed[1]["scopes"], json!(["groups:read"]));
        assert_eq!(listed[0]["scopes"].as_array().unwrap().len(), all_scopes().len());
        world.restarts().await;
    }
    script.posts("/auth/logout").await.ok();
    script.gets("/v3/groups").await.refused(401);
    let short = ana.posts("/auth/tokens").json(&json!({"name": "A", "expires_in": 60})).await;
    let short = short.created();
    assert_eq!(short["token"]["scopes"].as_array().unwrap().len(), all_scopes().len() - 5);
    world.seconds_pass(60);
    world.get("/v3/groups").token(text(&short["access_token"])).await.refused(401);
}

#[tokio::test]
async fn wrong_tokens_are_refused_by_field() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for (body, reasons) in [
        (json!({}), vec!["name is required"]),
        (json!({"name": "A", "scopes": []}), vec!["scopes must have at least one scope"]),
        (json!({"name": "A", "scopes": ["bots", "x"]}), vec!["scopes has an unknown scope `x`"]),
        (
            json!({"name": "A", "scopes": [1]}),
            vec![
                "scopes must be an array of names of scopes",
                "scopes must have at least one scope",
            ],
        ),
        (
            json!({"name": "A", "expires_in": 59}),
            vec!["expires_in must be a number from 60 to 315360000"],
        ),
        (
            json!({"name": "A", "expires_in": "soon"}),
            vec!["expires_in must be a number from 60 to 315360000"],
        ),
    ] {
        let refused = ana.posts("/auth/tokens").json(&body).await.refused(400);
        assert_eq!(refused, reasons, "{body}");
    }
    let admin = json!({"name": "A", "scopes": ["admin:read", "bots"]});
    let refused = ana.posts("/auth/tokens").json(&admin).await.refused(403);
    assert_eq!(refused, ["your account may not make tokens with admin:read"]);
    world.promotes(&ana, Some("auditor"));
    ana.posts("/auth/tokens").json(&admin).await.created();
    let more = json!({"name": "A", "scopes": ["admin:write", "admin:moderate"]});
    let refused = ana.posts("/auth/tokens").json(&more).await.refused(403);
    assert_eq!(refused, ["your account may not make tokens with admin:moderate, admin:write"]);
    let plain = mints(&ana, &["groups:read", "bots"]).await;
    let refused = plain.posts("/auth/tokens").json(&json!({"name": "A"})).await.refused(403);
    assert_eq!(refused, ["this token lacks account"]);
    let keeper = mints(&ana, &["account"]).await;
    keeper.posts("/auth/tokens").json(&json!({"name": "A", "scopes": ["bots"]})).await.created();
    world.seconds_pass(600);
    let stale = keeper.posts("/auth/tokens").json(&json!({"name": "A"})).await;
    stale.refused(403);
    assert_eq!(stale.envelope()["meta"]["details"], json!({"needs": "fresh"}));
    keeper.posts("/auth/fresh").json(&json!({"password": PASSWORD})).await.ok();
    keeper.posts("/auth/tokens").json(&json!({"name": "A"})).await.created();
}

#[tokio::test]
async fn operator_scopes_narrow_the_role() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    world.promotes(&ana, Some("admin"));
    let reader = mints(&ana, &["admin:read"]).await;
    reader.gets("/v3/admin/users").await.ok();
    let disable = format!("/v3/admin/users/{}/disable", ben.id);
    let body = json!({"reason": "as agreed"});
    let refused = reader.posts(&disable).json(&body).await.refused(403);
    assert_eq!(refused, ["this token lacks admin:moderate"]);
    let plain = mints(&ana, &["groups:read"]).await;
    let refused = plain.gets("/v3/admin/users").await.refused(403);
    assert_eq!(refused, ["this token lacks admin:read"]);
    let stranger = mints(&ben, &["groups:read"]).await;
    stranger.gets("/v3/admin/users").await.refused(404);
    world.promotes(&ben, Some("admin"));
    world.promotes(&ana, None);
    reader.gets("/v3/admin/users").await.refused(404);
}

#[tokio::test]
async fn own_membership_needs_no_managing() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let seen = ana.sees(&climbers).await;
    let [own, other] = [&ana, &ben].map(|it| text(&member(&seen, it)["id"]).to_owned());
    let joiner = mints(&ana, &["groups:write"]).await;
    let remove = |membership: &str| climbers.path(&format!("/members/{membership}/remove"));
    let destroy = |membership: &str| climbers.path(&format!("/memberships/{membership}/destroy"));
    for path in [remove(&other), destroy(&other)] {
        let refused = joiner.posts(&path).await.refused(403);
        assert_eq!(refused, ["this token lacks groups:manage"]);
    }
    let bens = mints(&ben, &["groups:write"]).await;
    bens.posts(&remove(&other)).await.ok();
    assert_eq!(ana.sees(&climbers).await["members"].as_array().unwrap().len(), 1);
    let manager = mints(&ana, &["groups:manage"]).await;
    // The owner cannot leave: the refusal is the rule's.
    assert!(!lacks_scope(&manager.posts(&remove(&own)).await));
}

#[tokio::test]
async fn email_changes_need_the_account() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let writer = mints(&ana, &["profile:write"]).await;
    writer.posts("/v3/users/update").json(&json!({"name": "Ana B"})).await.ok();
    let body = json!({"email": "new@example.org", "password": PASSWORD});
    let refused = writer.posts("/v3/users/update").json(&body).await.refused(403);
    assert_eq!(refused, ["this token lacks account"]);
}

#[tokio::test]
async fn groups_hide_messages_that_the_token_does_not_show() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ben.says(&climbers, "rope at six").await;
    let lister = mints(&ana, &["groups:read", "groups:write", "groups:manage"]).await;
    for path in ["/v3/groups".to_owned(), climbers.path("")] {
        let answer = lister.gets(&path).await;
        assert!(!answer.text.contains("rope at six"), "{}", answer.text);
        answer.ok();
    }
    let updated = lister.posts(&climbers.path("/update")).json(&json!({"name": "Divers"})).await;
    assert!(!updated.text.contains("rope at six"), "{}", updated.text);
    assert!(ana.gets("/v3/groups").await.text.contains("Divers"));
}

#[tokio::test]
async fn feeds_and_snapshots_carry_what_the_scopes_show() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    writes(&ben, &ana, "between us").await;
    ben.says(&climbers, "to everybody").await;
    let chat = conversation(&ana, &ben);
    for (scope, shown, hidden) in
        [("messages:read", "everybody", "between"), ("dms:read", "between", "everybody")]
    {
        let reader = mints(&ana, &[scope]).await;
        let snapshot = reader.gets("/v3/sync").await;
        assert!(snapshot.text.contains(shown) && !snapshot.text.contains(hidden), "{scope}");
        let snapshot = snapshot.ok();
        assert_eq!(snapshot.get("user"), None);
        assert_eq!(snapshot.get("blocks"), None);
        let after = text(&snapshot["c"]).to_owned();
        let mut live = reader.listens_after(&after).await;
        assert_eq!(live.welcome["scopes"], json!([scope]));
        let mut stream = Stream::open(&reader, &format!("?after={after}"), &[]).await;
        assert_eq!(stream.hears("welcome").await.data["scopes"], json!([scope]));
        stream.hears("synced").await;
        writes(&ben, &ana, &format!("between again {scope}")).await;
        ben.says(&climbers, &format!("everybody again {scope}")).await;
        for place in [&chat, &climbers.id] {
            let draft = json!({"text": format!("soon {scope}")});
            ana.asks("PUT", &format!("/v3/drafts/{place}")).json(&draft).await.ok();
        }
        let name = json!({"name": format!("Ana {}", &scope[..3])});
        ana.posts("/v3/users/update").json(&name).await.ok();
        ben.says(&climbers, "everybody last").await;
        writes(&ben, &ana, "between last").await;
        let mut frames = Vec::new();
        loop {
            let frame = live.next().await;
            let is_last = frame.to_string().contains(&format!("{shown} last"));
            assert!(!frame.to_string().contains(hidden), "{frame}");
            frames.push(frame);
            if is_last {
                break;
            }
        }
        assert!(frames.iter().all(|frame| frame["type"] != "user.update"), "{frames:?}");
        let drafts = frames.iter().filter(|frame| frame["type"] == "draft");
        assert_eq!(drafts.count(), 1, "{frames:?}");
        // What was live is replayed, and long-polled, and streamed the same.
        let mut replayed = reader.listens_after(&after).await;
        for frame in &frames {
            assert_eq!(replayed.next().await, *frame);
            assert_eq!(stream.hears("ev").await.data, *frame);
        }
        let page = reader.gets(&format!("/v3/events?after={after}")).await.ok();
        assert_eq!(page["events"].as_array().unwrap()[..frames.len()], frames[..]);
    }
}

async fn until_both_are_found(person: &Person) {
    loop {
        let answer = person.gets("/v3/search/messages?q=rope").await;
        if answer.status == 200 && answer.ok()["count"] == 2 {
            return;
        }
    }
}

#[tokio::test]
async fn search_covers_what_the_scopes_show() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    writes(&ben, &ana, "rope between us").await;
    ben.says(&climbers, "rope to everybody").await;
    let chat = conversation(&ana, &ben).replace('+', "%2B");
    for (scope, shown) in [("messages:read", "rope to everybody"), ("dms:read", "rope between us")]
    {
        let reader = mints(&ana, &[scope]).await;
        until_both_are_found(&ana).await;
        let found = reader.gets("/v3/search/messages?q=rope").await.ok();
        assert_eq!(found["count"], 1);
        assert_eq!(found["messages"][0]["text"], shown);
        let other = if scope == "dms:read" { climbers.id.clone() } else { chat.clone() };
        let path = format!("/v3/search/messages?q=rope&conversation_id={other}");
        assert!(lacks_scope(&reader.gets(&path).await));
    }
}

#[tokio::test]
async fn push_protocols_refuse_tokens_that_show_nothing() {
    let world = World::start().await;
    let ([ana, _], climbers) = world.climbing(["Ana", "Ben"]).await;
    let bots = mints(&ana, &["bots"]).await;
    let mut socket = bots.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1, "token": bots.token})).await;
    assert_eq!(socket.ends().await, 4403);
    let chats = mints(&ana, &["dms:read"]).await;
    let mut bayeux = Client::of(&chats, Transport::Polling).await;
    let refused = bayeux.subscribes(&format!("/group/{}", climbers.id)).await;
    assert_eq!(refused["successful"], false);
    assert!(text(&refused["error"]).starts_with("403:"), "{refused}");
    let mut bayeux = Client::of(&bots, Transport::Polling).await;
    let refused = bayeux.subscribes(&format!("/user/{}", ana.id)).await;
    assert!(text(&refused["error"]).contains("lacks messages:read"), "{refused}");
    let mut feed = chats.listens().await;
    feed.socket.tells(&json!({"t": "typing", "conv": climbers.conv()})).await;
    assert_eq!(feed.socket.hears("err").await["code"], "scope");
    feed.socket.tells(&json!({"t": "sub", "conv": [climbers.conv()]})).await;
    assert_eq!(feed.socket.hears("err").await["code"], "conv");
}

/// The boxes that are ticked on a consent page.
fn ticked(page: &str) -> Vec<String> {
    let boxes = page.split("name=\"grant:").skip(1);
    boxes.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn application_gets_the_scopes_that_its_user_ticks() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": "Ropes & <Knots>", "callback_url": CALLBACK,
        "scopes": ["groups:read", "messages:read", "dms:read"]});
    let made = ana.posts("/oauth/applications").json(&body).await.created();
    assert_eq!(made["scopes"], body["scopes"]);
    let client = text(&made["client_id"]);
    let page = format!(
        "/oauth/authorize?client_id={client}&scope=groups:read&\
         optional_scope=messages:read%20dms:read"
    );
    let mut browser = logs_in(&world, &ana, &page).await;
    assert!(browser.page.contains("<li>read your groups and their members</li>"));
    assert_eq!(ticked(&browser.page), ["messages:read", "dms:read"]);
    assert!(!browser.page.contains("write and like in your name"));
    let fields = [("act", "allow"), ("grant:messages:read", "on"), ("grant:bots", "on")];
    let back = brought_back(&browser.submits(&fields).await, CALLBACK);
    assert_eq!(back[1], ("scope".to_owned(), "groups:read messages:read".to_owned()));
    let guest = Person { token: back[0].1.clone(), ..ana.clone() };
    guest.gets("/v3/groups").await.ok();
    let refused = guest.gets("/v3/chats").await.refused(403);
    assert_eq!(refused, ["this token lacks dms:read"]);
    let listed = ana.gets("/auth/tokens").await.ok();
    assert_eq!(listed[1]["scopes"], json!(["groups:read", "messages:read"]));
    // Without the parameter it gets all that it registered, and nothing more.
    let whole = Person { token: lets_in(&world, &ana, client).await, ..ana.clone() };
    whole.gets("/v3/chats").await.ok();
    assert!(lacks_scope(&whole.gets("/v3/bots").await));
    // Scopes for log-ins keep their own refusal.
    let refused = whole.gets("/auth/tokens").await.refused(403);
    assert_eq!(refused, ["a token of an application does not do this; log in"]);
}

#[tokio::test]
async fn wrong_scopes_of_applications_are_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let register = |scopes: Value| {
        let body = json!({"name": "Ropes", "callback_url": CALLBACK, "scopes": scopes});
        ana.posts("/oauth/applications").json(&body)
    };
    let refused = register(json!(["account", "bots"])).await.refused(400);
    assert_eq!(refused, ["scopes applications never have account"]);
    let refused = register(json!(["x"])).await.refused(400);
    assert_eq!(refused, ["scopes has an unknown scope `x`"]);
    let made = register(json!(["bots"])).await.created();
    let client = text(&made["client_id"]);
    for (scope, why) in [
        ("bots%20x", "scope: unknown scope `x`"),
        ("bots%20dms:read", "the application may not ask for dms:read"),
        ("bots%20account", "the application may not ask for account"),
    ] {
        let answer = world.get(&format!("/oauth/authorize?client_id={client}&scope={scope}")).await;
        assert_eq!(answer.status, 400);
        assert!(answer.text.contains(why), "{}", answer.text);
        assert!(answer.text.contains("error=invalid_scope"), "{}", answer.text);
    }
    let page = format!("/oauth/authorize?client_id={client}&optional_scope=bots");
    let mut browser = logs_in_anywhere(&world, &ana, &page).await;
    let answer = browser.submits(&[("act", "allow")]).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text.contains("Choose at least one thing to allow"), "{}", answer.text);
}

/// Logs in on the page of an application of any name.
async fn logs_in_anywhere(world: &World, person: &Person, page: &str) -> Browser {
    let mut browser = Browser::new(&world.address);
    browser.opens(page).await;
    let fields = [("act", "log-in"), ("email", &*person.email), ("password", PASSWORD)];
    let answer = browser.submits(&fields).await;
    browser.follows(&answer).await;
    browser
}
