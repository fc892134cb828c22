//! Texts that readers take for the same are the same: passwords, email addresses and phone numbers.

use serde_json::json;

use crate::world::answer::Answer;
use crate::world::person::Person;
use crate::world::{PASSWORD, World};

/// One password as keyboards of several devices type it.
const TYPED: [&str; 3] = ["Ka\u{308}sebro\u{302}t 42", "Käsebrôt 42", "Käsebrôt\u{a0}42"];
/// Characters that nobody sees, which copying brings along.
const INVISIBLE: [&str; 8] =
    ["\u{200b}", "\u{ad}", "\u{200e}", "\u{202c}", "\u{2060}", "\u{feff}", "\u{fe0f}", "\u{200d}"];
/// One number in forms that people and address books write.
const NUMBER: [&str; 8] = [
    "+49\u{a0}170\u{a0}1234567",
    "00491701234567",
    "\u{202a}+49 170 1234567\u{202c}",
    "+49\u{2011}170\u{2013}123\u{2212}45\u{ad}67",
    "+49 (0)170 / 1234567",
    "\u{ff0b}\u{ff14}\u{ff19} \u{ff11}\u{ff17}\u{ff10} \u{ff11}\u{ff12}\u{ff13}\u{ff14}\u{ff15}\u{ff16}\u{ff17}",
    "+\u{664}\u{669} \u{661}\u{667}\u{660} \u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}",
    "0049\u{3000}170.1234567",
];

async fn registers(world: &World, email: &str, password: &str) -> Answer {
    let body = json!({"name": "Ana", "email": email, "password": password});
    world.post("/auth/register").json(&body).await
}

async fn sets_number(person: &Person, number: &str) -> Answer {
    person.posts("/v3/users/update").json(&json!({"phone_number": number})).await
}

#[tokio::test]
async fn password_logs_in_however_a_keyboard_types_it() {
    let world = World::start().await;
    for (number, made_of) in TYPED.iter().enumerate() {
        let email = format!("ana{number}@example.org");
        registers(&world, &email, made_of).await.created();
        for typed in TYPED {
            world.logs_in(&email, typed).await.ok();
        }
        world.logs_in(&email, "Kasebrot 42").await.refused(401);
    }
}

#[tokio::test]
async fn password_length_counts_composed_letters() {
    let world = World::start().await;
    let short = "a\u{308}".repeat(5);
    registers(&world, "ana@example.org", &short).await.refused(400);
    registers(&world, "ana@example.org", &"ä".repeat(10)).await.created();
    world.logs_in("ana@example.org", &"a\u{308}".repeat(10)).await.ok();
}

#[tokio::test]
async fn invisible_characters_make_no_second_email() {
    let world = World::start().await;
    for (number, sign) in INVISIBLE.iter().enumerate() {
        let clean = format!("z{number}@example.org");
        let welcome = registers(&world, &format!("z{number}@exam{sign}ple.org{sign}"), PASSWORD)
            .await
            .created();
        let ana = Person::new(world.address.clone(), &welcome);
        assert_eq!(ana.gets("/v3/users/me").await.ok()["email"], clean.as_str(), "{sign:?}");
        for typed in [clean.clone(), format!("{sign}Z{number}@example.org")] {
            world.logs_in(&typed, PASSWORD).await.ok();
            let errors = registers(&world, &typed, PASSWORD).await.refused(409);
            assert!(errors[0].contains("email"), "{errors:?}");
        }
    }
    let errors = registers(&world, "a\u{2800}b@example.org", PASSWORD).await.refused(400);
    assert_eq!(errors, ["email must have the form name@domain"]);
}

#[tokio::test]
async fn equal_emails_belong_to_one_account() {
    let world = World::start().await;
    for (registered, equal) in [
        ("jose\u{301}@example.org", "José@example.org"),
        ("νίκος@example.org", "ΝΊΚΟΣ@EXAMPLE.org"),
        ("ana@bu\u{308}cher.example", "ana@xn--bcher-kva.example"),
        ("ana@\u{ff45}xample.net", "ana@example.net"),
    ] {
        registers(&world, registered, PASSWORD).await.created();
        world.logs_in(equal, PASSWORD).await.ok();
        registers(&world, equal, PASSWORD).await.refused(409);
    }
}

#[tokio::test]
async fn equal_phone_numbers_belong_to_one_account() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for number in NUMBER {
        sets_number(&ana, number).await.ok();
        let user = ana.gets("/v3/users/me").await.ok();
        let stored = user["phone_number"].as_str().unwrap_or_default();
        assert!(stored.is_ascii() && !stored.is_empty(), "{number:?} is {stored:?}");
        sets_number(&ben, "+491701234567").await.refused(409);
        sets_number(&ana, "+491701234567").await.ok();
        sets_number(&ben, number).await.refused(409);
    }
    for number in ["+49 170 12\u{bd}4567", "\u{200b}12", "+49 170 CALL"] {
        let errors = sets_number(&ben, number).await.refused(400);
        assert!(errors[0].starts_with("phone_number"), "{errors:?}");
    }
}

#[tokio::test]
async fn invite_by_one_form_of_a_contact_admits_another() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let invited = json!({"members": [
        {"nickname": "Bo", "phone_number": "0049 170 1234567", "guid": "1"},
        {"nickname": "Cy", "email": "Jose\u{301}@example.org", "guid": "2"},
    ]});
    let added = ana.posts(&climbers.path("/members/add")).json(&invited).await;
    assert_eq!(added.status, 202, "{}", added.text);
    let by_number = json!({"name": "Bo", "email": "bo@example.org", "password": PASSWORD,
        "phone_number": "+49\u{2011}170\u{a0}1234567"});
    world.post("/auth/register").json(&by_number).await.created();
    registers(&world, "josé@example.org\u{200b}", PASSWORD).await.created();
    let group = ana.gets(&climbers.path("")).await.ok();
    assert_eq!(group["members"].as_array().map(Vec::len), Some(3), "{group}");
}
