//! The first start: the first admin, with and without the code of the server.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::answer::Answer;
use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

/// A setup of a server that others can reach.
fn public() -> Setup {
    Setup::default().option("--public-url", "https://chat.example.org")
}

impl World {
    /// The code in the data directory.
    fn setup_code(&self) -> Option<String> {
        fs::read_to_string(self.data().join("setup.code")).ok()
    }

    async fn sets_up(&self, name: &str, code: Option<&str>, headers: &[(&str, &str)]) -> Answer {
        let email = format!("{}@example.org", name.to_lowercase());
        let body = json!({"name": name, "email": email, "password": PASSWORD, "code": code});
        let asked = self.address.asks("POST", "/auth/setup");
        let asked = headers.iter().fold(asked, |it, (name, value)| it.header(name, value));
        asked.json(&body).await
    }

    async fn needs_setup(&self) -> Value {
        self.get("/auth/options").await.ok()["setup"].clone()
    }
}

#[tokio::test]
async fn local_server_makes_its_first_admin_without_a_code() {
    let mut world = World::start().await;
    assert_eq!(world.needs_setup().await, json!({"code": false, "empty": true}));
    world.registers("Ben").await;
    assert_eq!(world.needs_setup().await, json!({"code": false, "empty": false}));
    let ana = world.sets_up("Ana", None, &[]).await.created();
    let ana = Person::new(world.address.clone(), &ana);
    assert_eq!(ana.gets("/v3/admin/version").await.ok()["role"], "admin");
    assert_eq!((world.needs_setup().await, world.setup_code()), (Value::Null, None));
    world.restarts().await;
    let over = world.sets_up("Eve", None, &[]).await.refused(403);
    assert_eq!(over, ["this server has an admin already"]);
    assert_eq!(world.setup_code(), None);
}

/// Both used to find no admin, and became one each.
#[tokio::test]
async fn one_of_many_simultaneous_setups_makes_the_admin() {
    let world = World::start().await;
    let names: Vec<String> = (0..8).map(|number| format!("Person{number}")).collect();
    let answers = join_all(names.iter().map(|name| world.sets_up(name, None, &[]))).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    let refused = answers.iter().filter(|answer| answer.status == 403).count();
    assert_eq!((made, refused), (1, 7));
}

#[tokio::test]
async fn other_hosts_proxies_and_sites_are_not_local() {
    let world = World::start().await;
    for header in [
        ("Host", "chat.example.org"),
        ("X-Forwarded-For", "203.0.113.7"),
        ("Forwarded", "for=203.0.113.7"),
        ("Via", "1.1 proxy"),
        ("X-Real-IP", "203.0.113.7"),
        ("Origin", "https://evil.example"),
    ] {
        let refused = world.sets_up("Ana", None, &[header]).await.refused(403);
        assert!(refused[0].starts_with("code is wrong or missing"), "{header:?}: {refused:?}");
    }
    let code = world.setup_code().unwrap();
    let own = [("X-Forwarded-For", "203.0.113.7")];
    world.sets_up("Ana", Some(&code), &own).await.created();
}

#[tokio::test]
async fn public_server_wants_the_code() {
    let mut world = World::with(public()).await;
    assert_eq!(world.needs_setup().await, json!({"code": true, "empty": true}));
    let code = world.setup_code().unwrap();
    let mode = fs::metadata(world.data().join("setup.code")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for wrong in [None, Some("abcde-fghij"), Some("")] {
        world.sets_up("Ana", wrong, &[]).await.refused(403);
    }
    // Registration works as ever, and its accounts are no admins.
    let ben = world.registers("Ben").await;
    ben.gets("/v3/admin/version").await.refused(404);
    world.restarts().await;
    assert_eq!(world.setup_code().as_deref(), Some(code.as_str()), "a restart keeps the code");
    let ana = world.sets_up("Ana", Some(code.trim()), &[]).await.created();
    let ana = Person::new(world.address.clone(), &ana);
    assert_eq!(ana.gets("/v3/users/me").await.ok()["operator"], "admin");
    assert_eq!(text(&ana.gets("/v3/admin/version").await.ok()["role"]), "admin");
    world.sets_up("Eve", Some(&code), &[]).await.refused(403);
}

#[tokio::test]
async fn setup_reports_every_wrong_field() {
    let world = World::start().await;
    let ben = world.registers("Ben").await;
    let wrong = world.address.asks("POST", "/auth/setup").json(&json!({"name": "Ana"})).await;
    assert_eq!(wrong.refused(400), ["email is required", "password is required"]);
    let taken = json!({"name": "Ben", "email": ben.email, "password": PASSWORD});
    let taken = world.address.asks("POST", "/auth/setup").json(&taken).await.refused(409);
    assert_eq!(taken, ["email or phone_number belongs to another account"]);
}
