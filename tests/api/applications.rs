//! Registering applications (contract, "Accounts").

use serde_json::{Value, json};

use crate::oauth::{CALLBACK, application, lets_in};
use crate::world::World;
use crate::world::person::{Person, text};

async fn registers(person: &Person, name: &str, callback_url: &str) -> Value {
    let body = json!({"name": name, "callback_url": callback_url});
    person.posts("/oauth/applications").json(&body).await.created()
}

#[tokio::test]
async fn applications_are_kept_as_registered() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let ropes = registers(&ana, " Ropes ", "https://Ropes.example/back?a=b").await;
    assert_eq!(ropes["name"], "Ropes");
    assert_eq!(ropes["callback_url"], "https://Ropes.example/back?a=b");
    assert_eq!(text(&ropes["client_id"]).len(), 32);
    world.seconds_pass(1);
    let tides = registers(&ana, "Tides", "http://localhost:9000").await;
    world.restarts().await;
    assert_eq!(ana.gets("/oauth/applications").await.ok(), json!([ropes, tides]));
    assert_eq!(ben.gets("/oauth/applications").await.ok(), json!([]));
    let path = format!("/oauth/applications/{}", text(&ropes["client_id"]));
    let removes = |person: &Person| person.address.asks("DELETE", &path).token(&person.token);
    removes(&ben).await.refused(404);
    assert_eq!(removes(&ana).await.ok(), Value::Null);
    removes(&ana).await.refused(404);
    assert_eq!(ana.gets("/oauth/applications").await.ok(), json!([tides]));
}

#[tokio::test]
async fn a_callback_url_is_https_or_on_the_own_machine() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let refused = |callback_url: &str| {
        let body = json!({"name": "Ropes", "callback_url": callback_url});
        let asked = ana.posts("/oauth/applications").json(&body);
        async move { asked.await.refused(400) }
    };
    let form = "callback_url must be an https URL, or http on localhost";
    assert_eq!(refused("http://ropes.example/back").await, [form]);
    assert_eq!(refused("javascript:alert(1)").await, [form]);
    assert_eq!(
        refused("https://ropes.example/back#here").await,
        ["callback_url must not have a fragment"]
    );
    assert_eq!(
        refused("https://ana:secret@ropes.example/").await,
        ["callback_url must not have credentials"]
    );
    let long = format!("https://ropes.example/{}", "x".repeat(2048));
    assert!(refused(&long).await[0].starts_with("callback_url is too long: 2070 characters"));
    let errors = ana.posts("/oauth/applications").json(&json!({"name": "a\nb"})).await;
    assert_eq!(
        errors.refused(400),
        ["name must not have invisible characters", "callback_url is required"]
    );
}

#[tokio::test]
async fn native_applications_are_called_back_at_their_scheme() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for callback in ["com.example.app:/oauth", "Org.Example.Ropes://oauth/back"] {
        let made = registers(&ana, "Ropes", callback).await;
        assert_eq!(made["callback_url"], callback);
        let page = format!("/oauth/authorize?client_id={}", text(&made["client_id"]));
        let asked = world.get(&page).await;
        assert_eq!(asked.status, 400, "a token never travels to a scheme: {}", asked.text);
        let code = format!(
            "{page}&response_type=code&code_challenge_method=S256\
             &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
        assert_eq!(world.get(&code).await.status, 200, "{callback}");
    }
    for callback in ["javascript:/alert(1)", "app:/oauth", "com.example.app:oauth", ".app:/a"] {
        let body = json!({"name": "Ropes", "callback_url": callback});
        let errors = ana.posts("/oauth/applications").json(&body).await.refused(400);
        assert!(errors[0].starts_with("callback_url "), "{callback}: {errors:?}");
    }
}

#[tokio::test]
async fn schemes_and_hosts_of_urls_have_no_case() {
    let world = World::start().await;
    let ([ana], group) = world.climbing(["Ana"]).await;
    let url = " Https://Bots.Example.org/Hook ";
    let bot = json!({"name": "B", "group_id": group.id, "callback_url": url});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    assert_eq!(bot["callback_url"], url.trim());
    let application = registers(&ana, "Ropes", url).await;
    assert_eq!(application["callback_url"], url.trim());
    let named = "redirect_uri=Https%3A%2F%2FBots.Example.org%2FHook";
    let page = format!("/oauth/authorize?client_id={}", text(&application["client_id"]));
    assert_eq!(world.get(&format!("{page}&{named}")).await.status, 200);
    let image = ana.has_image().await.replace("http://", "HTTP://");
    let update = json!({"image_url": format!(" {image} ")});
    ana.posts(&group.path("/update")).json(&update).await.ok();
}

#[tokio::test]
async fn a_hundred_applications_are_enough() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..100 {
        registers(&ana, "Ropes", "https://ropes.example/").await;
    }
    let body = json!({"name": "Ropes", "callback_url": "https://ropes.example/"});
    let refused = ana.posts("/oauth/applications").json(&body).await.refused(400);
    assert_eq!(refused, ["a user has at most 100 applications"]);
}

/// A client of this person, with a token that was issued to the application `client`.
async fn guest(world: &World, person: &Person, client: &str) -> Person {
    Person { token: lets_in(world, person, client).await, ..person.clone() }
}

async fn ends(person: &Person, client: &str) {
    let path = format!("/oauth/applications/{client}");
    person.address.asks("DELETE", &path).token(&person.token).await.ok();
}

/// An application that could change the email address could have the password reset to its own
/// address.
#[tokio::test]
async fn an_application_changes_a_name_and_no_address() {
    let world = World::start().await;
    let [ana, cara] = world.people(["Ana", "Cara"]).await;
    let client = application(&cara, CALLBACK).await;
    let guest = guest(&world, &ana, &client).await;
    let updates = |body: Value| guest.posts("/v3/users/update").json(&body);
    let reason = ["a token of an application does not do this; log in"];
    let changed = json!({"name": "Eve", "email": "eve@example.org"});
    assert_eq!(updates(changed).await.refused(403), reason);
    let numbered = json!({"name": "Eve", "phone_number": "+1 555 010 0199"});
    assert_eq!(updates(numbered).await.refused(403), reason);
    let me = ana.gets("/v3/users/me").await.ok();
    assert_eq!((&me["name"], &me["email"]), (&json!("Ana"), &json!(ana.email)));
    // Fields that do not change may be sent along.
    let same = updates(json!({"name": "Anna", "email": ana.email})).await.ok();
    assert_eq!(same["name"], "Anna");
}

/// Posting with a bot's id needs no token, so a bot would outlive the application that made it.
#[tokio::test]
async fn bots_end_with_their_application_unless_kept() {
    let mut world = World::start().await;
    let [ana, cara] = world.people(["Ana", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let client = application(&cara, CALLBACK).await;
    let guest = guest(&world, &ana, &client).await;
    let makes = async |by: &Person, name: &str| {
        let bot = json!({"name": name, "group_id": climbers.id});
        text(&by.posts("/v3/bots").json(&bot).await.created()["bot_id"]).to_owned()
    };
    let [ended, kept] = [makes(&guest, "Ended").await, makes(&guest, "Kept").await];
    let own = makes(&ana, "Own").await;
    let keep =
        |by: &Person| by.posts(&format!("/v3/bots/{kept}/update")).json(&json!({"keep": true}));
    keep(&guest).await.refused(403);
    assert_eq!(keep(&ana).await.ok()["client_id"], Value::Null);
    ends(&cara, &client).await;
    for _ in 0..2 {
        let posts =
            |bot: &str| world.post("/v3/bots/post").json(&json!({"bot_id": bot, "text": "rain"}));
        posts(&ended).await.refused(404);
        posts(&kept).await.created();
        posts(&own).await.created();
        world.restarts().await;
    }
    let mut names = Vec::new();
    for bot in ana.gets("/v3/bots").await.ok().as_array().unwrap() {
        names.push(text(&bot["name"]).to_owned());
    }
    names.sort();
    assert_eq!(names, ["Kept", "Own"]);
}

/// Posting with a bot's id needs no token, so an application that was told the id could go on
/// posting after its own end.
#[tokio::test]
async fn application_sees_ids_of_its_bots_only() {
    let world = World::start().await;
    let [ana, cara] = world.people(["Ana", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let client = application(&cara, CALLBACK).await;
    let guest = guest(&world, &ana, &client).await;
    let [mut own_feed, mut guests_feed] = [ana.listens().await, guest.listens().await];
    let cursor = text(&guest.gets("/v3/events").await.ok()["c"]).to_owned();
    let makes = async |by: &Person| {
        let bot = json!({"name": "Tides", "group_id": climbers.id});
        text(&by.posts("/v3/bots").json(&bot).await.created()["bot_id"]).to_owned()
    };
    let (own, made) = (makes(&ana).await, makes(&guest).await);
    let id = |event: &Value| event["data"]["bot_id"].as_str().map(str::to_owned);
    for (owns, guests) in [(&own, None), (&made, Some(&made))] {
        let told =
            [own_feed.hears_of("bot.create").await, guests_feed.hears_of("bot.create").await];
        assert_eq!([id(&told[0]).as_ref(), id(&told[1]).as_ref()], [Some(owns), guests]);
        for feed in [&mut own_feed, &mut guests_feed] {
            feed.hears_of("line.create").await;
        }
    }
    // The replay hides the same ids as the live event did.
    let missed = guest.gets(&format!("/v3/events?after={cursor}")).await.ok();
    let replayed = missed["events"].as_array().unwrap().iter();
    let replayed: Vec<_> = replayed.filter(|it| it["type"] == "bot.create").map(id).collect();
    assert_eq!(replayed, [None, Some(made)]);
}

/// A bot's secrets would outlive the application that got to know them.
#[tokio::test]
async fn application_manages_its_bots_only() {
    let world = World::start().await;
    let [ana, cara] = world.people(["Ana", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let client = application(&cara, CALLBACK).await;
    let guest = guest(&world, &ana, &client).await;
    let makes = async |by: &Person| {
        let bot = json!({"name": "Tides", "group_id": climbers.id});
        text(&by.posts("/v3/bots").json(&bot).await.created()["bot_id"]).to_owned()
    };
    let (own, made) = (makes(&ana).await, makes(&guest).await);
    assert_eq!(ana.gets("/v3/bots").await.ok().as_array().unwrap().len(), 2);
    let seen = guest.gets("/v3/bots").await.ok();
    assert_eq!((seen.as_array().unwrap().len(), text(&seen[0]["bot_id"])), (1, made.as_str()));
    for below in ["update", "secret"] {
        guest.posts(&format!("/v3/bots/{own}/{below}")).json(&json!({})).await.refused(404);
    }
    guest.gets(&format!("/v3/bots/{own}/deliveries")).await.refused(404);
    guest.posts("/v3/bots/destroy").json(&json!({"bot_id": own})).await.refused(404);
    // By its public number it could remove the bot where Ana may remove everybody's.
    let walkers = cara.creates_group("Walkers").await;
    cara.adds(&ana, &walkers).await;
    let bot = json!({"name": "Ebb", "group_id": walkers.id});
    ana.posts("/v3/bots").json(&bot).await.created();
    let seen = guest.gets(&walkers.path("/bots")).await.ok();
    let place = walkers.path(&format!("/bots/{}", text(&seen["bots"][0]["sender_id"])));
    guest.asks("DELETE", &place).await.refused(403);
    ana.asks("DELETE", &place).await.ok();
    guest.posts("/v3/bots/destroy").json(&json!({"bot_id": made})).await.ok();
}
