//! Users (specification, section 4, Users).

use serde_json::{Value, json};

use crate::world::person::Person;
use crate::world::{PASSWORD, World};

async fn me(person: &Person) -> Value {
    person.gets("/v3/users/me").await.ok()
}

#[tokio::test]
async fn profile_update_changes_only_given_fields() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let before = me(&ana).await;
    world.seconds_pass(5);
    let change = json!({"name": "Ana Ribeiro", "zip_code": "1200-001", "email": null});
    let after = ana.posts("/v3/users/update").json(&change).await.ok();
    assert_eq!((&after["name"], &after["zip_code"]), (&json!("Ana Ribeiro"), &json!("1200-001")));
    assert_eq!((&after["email"], &after["created_at"]), (&before["email"], &before["created_at"]));
    assert_eq!(after["updated_at"].as_u64().unwrap(), before["updated_at"].as_u64().unwrap() + 5);
    assert_eq!(me(&ana).await, after);
}

#[tokio::test]
async fn a_new_name_shows_in_every_group_and_the_nickname_stays() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut feed = ben.listens().await;
    ana.posts("/v3/users/update").json(&json!({"name": "Ana Ribeiro"})).await.ok();
    feed.hears_of("membership.update").await;
    let group = ben.gets(&climbers.path("")).await.ok();
    let member = &group["members"][0];
    assert_eq!((&member["name"], &member["nickname"]), (&json!("Ana Ribeiro"), &json!("Ana")));
}

#[tokio::test]
async fn new_email_logs_in_and_is_reserved() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let taken = json!({"email": ben.email.to_uppercase()});
    ana.posts("/v3/users/update").json(&taken).await.refused(409);
    let own = json!({"email": "new@example.org"});
    ana.posts("/v3/users/update").json(&own).await.ok();
    // Ana's old address stays hers for 30 days; then it is free for somebody else.
    let freed = json!({"email": ana.email, "password": PASSWORD});
    ben.posts("/v3/users/update").json(&freed).await.refused(409);
    let registration = json!({"name": "Eve", "email": ana.email, "password": PASSWORD});
    world.post("/auth/register").json(&registration).await.refused(409);
    world.seconds_pass(30 * 86_400);
    ben.posts("/v3/users/update").json(&freed).await.ok();
    assert_eq!(me(&ana).await["email"], "new@example.org");
    assert_eq!(me(&ben).await["email"], json!(ana.email));
}

#[tokio::test]
async fn owner_returns_to_a_former_address() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let update = |who: &Person, email: &str| {
        who.posts("/v3/users/update").json(&json!({"email": email, "password": PASSWORD}))
    };
    update(&ana, "new@example.org").await.ok();
    world.restarts().await;
    update(&ben, &ana.email).await.refused(409);
    update(&ana, &ana.email).await.ok();
    assert_eq!(me(&ana).await["email"], json!(ana.email));
    // The address in between stays reserved too.
    update(&ben, "new@example.org").await.refused(409);
}

#[tokio::test]
async fn new_contact_needs_a_fresh_proof_of_the_password() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let update = |who: &Person, change: Value| who.posts("/v3/users/update").json(&change);
    world.seconds_pass(601);
    let phone = "+1 555 010 0199";
    for change in [json!({"email": "new@example.org"}), json!({"phone_number": phone})] {
        let refused = update(&ana, change.clone()).await.refused(403);
        assert!(refused[0].starts_with("password: "), "{refused:?}");
        let mut wrong = change.clone();
        wrong["password"] = json!("wrong horse battery");
        assert_eq!(update(&ana, wrong).await.refused(403), ["the password is wrong"]);
    }
    assert_eq!(me(&ana).await["email"], json!(ana.email));
    update(&ana, json!({"name": "Anna", "email": ana.email})).await.ok();
    update(&ana, json!({"phone_number": phone, "password": PASSWORD})).await.ok();
    update(&ana, json!({"phone_number": null})).await.refused(403);
    // A log-in counts for its own token only.
    let fresh = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    update(&ana, json!({"email": "new@example.org"})).await.refused(403);
    update(&fresh, json!({"email": "new@example.org"})).await.ok();
}

#[tokio::test]
async fn contacts_change_five_times_a_day() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let update = async |number: usize| {
        let change = json!({"email": format!("new{number}@example.org"), "password": PASSWORD});
        ana.posts("/v3/users/update").json(&change).await
    };
    for number in 0..5 {
        update(number).await.ok();
    }
    let refused = update(5).await;
    refused.refused(429);
    assert_eq!(refused.header("retry-after"), Some("3600"));
    world.restarts().await;
    let change = json!({"phone_number": "+1 555 010 0199", "password": PASSWORD});
    ana.posts("/v3/users/update").json(&change).await.refused(429);
    ana.posts("/v3/users/update").json(&json!({"name": "Anna"})).await.ok();
    world.seconds_pass(86_400);
    ana.posts("/v3/users/update").json(&change).await.ok();
}

/// A phone number belongs to one account, however it is typed, until that account changes or
/// removes it.
#[tokio::test]
async fn phone_number_is_unique_until_removed() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let update = |who: &Person, change: Value| who.posts("/v3/users/update").json(&change);
    let number = json!({"phone_number": "+1 555 010 0199"});
    assert_eq!(update(&ana, number.clone()).await.ok()["phone_number"], "+1 555 010 0199");
    world.restarts().await;
    assert_eq!(me(&ana).await["phone_number"], "+1 555 010 0199");

    let typed_otherwise = json!({"phone_number": "1 (555) 010-0199", "name": "Benjamin"});
    let reason = update(&ben, typed_otherwise.clone()).await.refused(409);
    assert_eq!(reason, ["phone_number belongs to another account"]);
    assert_eq!(
        (&me(&ben).await["phone_number"], &me(&ben).await["name"]),
        (&Value::Null, &json!("Ben"))
    );
    update(&ana, json!({"phone_number": "1 555 010 0199"})).await.ok();
    update(&ana, json!({"zip_code": "1200-001"})).await.ok();
    assert_eq!(me(&ana).await["phone_number"], "1 555 010 0199", "what is absent stays");

    let kept = update(&ana, json!({"phone_number": ""})).await.ok();
    assert_eq!(kept["phone_number"], "1 555 010 0199", "an empty text stands for an absent one");
    for [holder, wanted] in [[&ana, &ben], [&ben, &ana]] {
        let gone = update(holder, json!({"phone_number": null})).await.ok();
        assert_eq!(gone["phone_number"], Value::Null);
        let taken = update(wanted, json!({"phone_number": "+1 555 010 0199"})).await.ok();
        assert_eq!(taken["phone_number"], "+1 555 010 0199");
    }
    // Registering with a number that is taken is refused too.
    let registration = json!({"name": "Cem", "email": "cem@example.org",
        "password": "rope and chalk", "phone_number": "15550100199"});
    world.post("/auth/register").json(&registration).await.refused(409);
}

#[tokio::test]
async fn every_wrong_field_is_named_and_nothing_is_changed() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let before = me(&ana).await;
    let change = json!({"name": "n".repeat(300), "email": "nowhere", "zip_code": "9".repeat(256),
        "avatar_url": "ftp://elsewhere.org/a.png", "phone_number": "call me"});
    let problems = ana.posts("/v3/users/update").json(&change).await.refused(400);
    for field in ["name", "email", "zip_code", "avatar_url", "phone_number"] {
        assert!(problems.iter().any(|it| it.starts_with(field)), "{field}: {problems:?}");
    }
    assert_eq!(me(&ana).await, before);
}

#[tokio::test]
async fn sms_mode_ends_on_request_and_expires() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    assert_eq!(me(&ana).await["sms"], false);
    let on = ana.posts("/v3/users/sms_mode").json(&json!({"duration": 1}));
    assert_eq!(on.await.created(), Value::Null);
    assert_eq!(me(&ana).await["sms"], true);
    world.restarts().await;
    world.seconds_pass(3599);
    assert_eq!(me(&ana).await["sms"], true);
    world.seconds_pass(1);
    assert_eq!(me(&ana).await["sms"], false);

    let longest = json!({"duration": "48", "registration_id": "abc"});
    ana.posts("/v3/users/sms_mode").json(&longest).await.created();
    ana.posts("/v3/users/sms_mode/delete").await.ok();
    assert_eq!(me(&ana).await["sms"], false);
    ana.posts("/v3/users/sms_mode/delete").await.ok();
    for duration in [json!(16.0), json!(48.0), json!("1")] {
        let body = json!({"duration": duration});
        ana.posts("/v3/users/sms_mode").json(&body).await.created();
    }
    let wrong = [json!(0), json!(0.0), json!(49.0), json!(-1), json!(1.5), json!(1e300)];
    let more = [json!("x"), json!("16.5"), json!(""), json!(".0"), json!("1.00"), Value::Null];
    for duration in wrong.into_iter().chain(more) {
        let body = json!({"duration": duration});
        ana.posts("/v3/users/sms_mode").json(&body).await.refused(400);
    }
}
