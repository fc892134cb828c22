//! Guests: accounts that links make, and what they may not do.

use serde_json::{Value, json};

use crate::direct_messages::{writes, writing};
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

const START: u64 = 1_800_000_000;

impl World {
    /// A place that takes guests: an admin, who owns a group, and a member of it.
    async fn with_guests(&self) -> (Person, Person, Group) {
        let ([ana, ben], climbers) = self.climbing(["Ana", "Ben"]).await;
        self.promotes(&ana, Some("admin"));
        ana.sets_guests("on").await;
        (ana, ben, climbers)
    }

    async fn registers_by(&self, name: &str, invite: &Value) -> Answer {
        let email = format!("{}@example.org", name.to_lowercase());
        let body = json!({"name": name, "email": email, "password": PASSWORD, "invite": invite});
        self.post("/auth/register").json(&body).await
    }

    /// Registers a guest with a fresh link that ends after an hour.
    async fn welcomes_guest(&self, name: &str, maker: &Person, group: &Group) -> Person {
        let link = maker.makes_guest_link(group, json!({"expires_in": 3600})).await;
        let registered = self.registers_by(name, &link).await.created();
        Person::new(self.address.clone(), &registered)
    }
}

impl Person {
    async fn sets_guests(&self, mode: &str) {
        let body = json!({"guests": mode, "reason": "as agreed"});
        let settings = self.asks("PUT", "/v3/admin/settings").json(&body).await.ok();
        assert_eq!(settings["guests"], json!({"value": mode, "source": "setting"}));
    }

    async fn asks_for_guest_link(&self, group: &Group, mut body: Value) -> Answer {
        body["guest"] = json!(true);
        self.posts(&group.path("/invites")).json(&body).await
    }

    /// Makes an invite for guests; returns its link.
    async fn makes_guest_link(&self, group: &Group, body: Value) -> Value {
        let made = self.asks_for_guest_link(group, body).await.created();
        assert_eq!(made["invite"]["guest"], true);
        made["invite"]["url"].clone()
    }

    async fn member_of(&self, group: &Group, of: &Person) -> Value {
        let shown = self.gets(&group.path("")).await.ok();
        let members = shown["members"].as_array().unwrap();
        members.iter().find(|it| it["user_id"] == json!(of.id)).unwrap().clone()
    }

    async fn makes_member(&self, of: &Person, body: &Value) -> Answer {
        self.posts(&format!("/v3/admin/users/{}/kind", of.id)).json(body).await
    }
}

fn refused_act(answer: &Answer) -> String {
    answer.refused(403).remove(0)
}

#[tokio::test]
async fn guest_link_makes_guest_who_is_in_its_group() {
    let mut world = World::start().await;
    let (ana, ben, climbers) = world.with_guests().await;
    let link = ana.makes_guest_link(&climbers, json!({"expires_in": 3600, "max_uses": 1})).await;
    let token = text(&link).rsplit('/').next().unwrap();
    let seen = world.get(&climbers.path(&format!("/join/{token}"))).await.ok();
    assert_eq!(seen["guest"], true);
    let registered = world.registers_by("Gil", &link).await.created();
    assert_eq!(registered["user"]["kind"], "guest");
    assert_eq!(registered["user"]["expires_at"], START + 3600);
    let gil = Person::new(world.address.clone(), &registered);
    let over = world.registers_by("Eve", &link).await.refused(403);
    assert_eq!(over, ["this link has ended; ask for a new one"]);
    for _ in 0..2 {
        assert_eq!(ben.member_of(&climbers, &gil).await["kind"], "guest");
        assert_eq!(gil.member_of(&climbers, &ben).await.get("kind"), None);
        let shown = ben.gets(&format!("/v3/users/{}", gil.id)).await.ok();
        assert_eq!(shown["user"]["kind"], "guest", "{shown}");
        let listed = ana.gets(&format!("/v3/admin/users/{}", gil.id)).await.ok();
        assert_eq!(
            (&listed["kind"], &listed["expires_at"]),
            (&json!("guest"), &json!(START + 3600))
        );
        world.restarts().await;
    }
    assert_eq!(ana.gets("/v3/users/me").await.ok().get("kind"), None);
    assert_eq!(ana.gets(&format!("/v3/admin/users/{}", ben.id)).await.ok()["kind"], "member");
    world.rebuilds_index().await;
    assert_eq!(gil.gets("/v3/users/me").await.ok()["kind"], "guest");
}

#[tokio::test]
async fn guests_come_only_where_the_operator_takes_them() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let off = ["this server takes no guests"];
    assert_eq!(ana.asks_for_guest_link(&climbers, json!({})).await.refused(403), off);
    assert_eq!(world.get("/auth/options").await.ok().get("guests"), None);
    world.promotes(&ana, Some("admin"));
    ana.sets_guests("on").await;
    assert_eq!(world.get("/auth/options").await.ok()["guests"], true);
    let refused = ben.asks_for_guest_link(&climbers, json!({})).await.refused(403);
    assert!(refused[0].contains("come as guests"), "{refused:?}");
    let link = ana.makes_guest_link(&climbers, json!({})).await;
    ana.sets_guests("off").await;
    assert_eq!(world.registers_by("Gil", &link).await.refused(403), off);
    let token = text(&link).rsplit('/').next().unwrap();
    let seen = world.get(&climbers.path(&format!("/join/{token}"))).await.ok();
    assert_eq!(seen.get("guest"), None);
}

#[tokio::test]
async fn guest_link_opens_a_closed_place_and_other_links_do_not() {
    let mut world = World::start().await;
    let (ana, _, climbers) = world.with_guests().await;
    world.restarts_with(Setup::default().option("--registration", "closed")).await;
    let ana = world.welcomes(&ana);
    let other = ana.posts(&climbers.path("/invites")).json(&json!({})).await.created();
    let closed = ["registration is closed on this server"];
    let by_other = world.registers_by("Gil", &other["invite"]["url"]).await;
    assert_eq!(by_other.refused(403), closed);
    let link = ana.makes_guest_link(&climbers, json!({})).await;
    let gil = world.registers_by("Gil", &link).await.created();
    assert_eq!((&gil["user"]["kind"], gil["user"].get("expires_at")), (&json!("guest"), None));
}

#[tokio::test]
async fn wrong_invites_name_the_problem() {
    let world = World::start().await;
    let (_, _, climbers) = world.with_guests().await;
    for wrong in ["climbers", "https://example.org/", "/x/"] {
        let refused = world.registers_by("Gil", &json!(wrong)).await.refused(400);
        assert_eq!(
            refused,
            ["invite must be an invitation to this server, or a link to join a group"]
        );
    }
    let unknown = format!("https://example.org/join_group/{}/wrong?from=1", climbers.id);
    world.registers_by("Gil", &json!(unknown)).await.refused(404);
}

/// Every operation that the document marks refuses a guest, and says why.
#[tokio::test]
async fn marked_operations_refuse_guests_and_nobody_else() {
    let world = World::start().await;
    let (ana, _, climbers) = world.with_guests().await;
    let gil = world.welcomes_guest("Gil", &ana, &climbers).await;
    let document = world.get("/openapi.json").await;
    let document: Value = serde_json::from_str(&document.text).unwrap();
    let mut marked = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if operation["x-guests"] == json!(false) {
                marked.push((method.to_uppercase(), path.replace("{id}", &climbers.id)));
            }
        }
    }
    assert_eq!(marked.len(), 11, "{marked:?}");
    for (method, path) in &marked {
        let ask = |person: &Person| {
            let asked = person.asks(method, path);
            if method == "GET" { asked } else { asked.json(&json!({})) }
        };
        let why = refused_act(&ask(&gil).await);
        assert!(why.starts_with("guests may not "), "{method} {path}: {why}");
        let other = ask(&ana).await;
        assert_ne!(other.status, 403, "{method} {path}");
    }
}

#[tokio::test]
async fn guest_neither_shares_nor_finds_groups() {
    let world = World::start().await;
    let (ana, ben, climbers) = world.with_guests().await;
    let gil = world.welcomes_guest("Gil", &ana, &climbers).await;
    let may = gil.gets(&climbers.path("/permissions")).await.ok()["may"].clone();
    let may: Vec<&str> = may.as_array().unwrap().iter().map(text).collect();
    assert!(may.contains(&"post") && may.contains(&"pin"), "{may:?}");
    for act in ["add_members", "share", "make_bots"] {
        assert!(!may.contains(&act), "{act}: {may:?}");
    }
    let shares = gil.posts(&climbers.path("/update")).json(&json!({"share": true})).await;
    assert!(refused_act(&shares).starts_with("guests may not switch the share URL"));
    let divers = ben.creates_group("Divers").await;
    let listed = json!({"visibility": "searchable"});
    ben.posts(&divers.path("/update")).json(&listed).await.ok();
    gil.gets(&divers.path("/preview")).await.refused(404);
    gil.posts(&divers.path("/join")).json(&json!({})).await.refused(404);
    ana.gets(&divers.path("/preview")).await.ok();
    // Who left comes back, and links let guests in.
    let shared = ben.posts(&divers.path("/update")).json(&json!({"share": true})).await.ok();
    let token = text(&shared["share_url"]).rsplit('/').next().unwrap().to_owned();
    gil.joins(&divers, &token).await.ok();
    assert_eq!(ben.member_of(&divers, &gil).await["kind"], "guest");
    gil.says(&divers, "Hello.").await;
}

#[tokio::test]
async fn guest_writes_first_only_to_people_of_its_groups() {
    let world = World::start().await;
    let (ana, ben, climbers) = world.with_guests().await;
    let [sid, tom] = world.people(["Sid", "Tom"]).await;
    let gil = world.welcomes_guest("Gil", &ana, &climbers).await;
    writes(&gil, &ben, "Hello.").await;
    let stranger = writing(&gil, &sid, json!({"text": "Hello."})).await;
    let words = "guests may not write first to people who are in none of their groups";
    assert_eq!(stranger.refused(403), [words]);
    gil.gets(&format!("/v3/users/{}", sid.id)).await.refused(404);
    // Others may write to a guest, who then answers.
    writes(&tom, &gil, "Hello.").await;
    writes(&gil, &tom, "Hello, Tom.").await;
    let chats = tom.gets("/v3/chats").await.ok();
    assert_eq!(chats[0]["other_user"]["kind"], "guest");
    assert_eq!(gil.gets("/v3/chats").await.ok()[0]["other_user"].get("kind"), None);
}

#[tokio::test]
async fn account_of_guest_ends_with_its_link() {
    let mut world = World::start().await;
    let (ana, _, climbers) = world.with_guests().await;
    let gil = world.welcomes_guest("Gil", &ana, &climbers).await;
    world.seconds_pass(3599);
    let welcome = world.logs_in(&gil.email, PASSWORD).await.ok();
    let again = Person::new(world.address.clone(), &welcome);
    let mut feed = again.listens().await;
    world.seconds_pass(1);
    assert_eq!(feed.ends().await, 4401);
    for session in [&gil, &again] {
        session.gets("/v3/users/me").await.refused(401);
    }
    for _ in 0..2 {
        let ended = world.logs_in(&gil.email, PASSWORD).await.refused(403);
        assert_eq!(
            ended,
            ["this account has ended; ask the people who invited you for a new link"]
        );
        world.restarts().await;
    }
    assert_eq!(ana.member_of(&climbers, &gil).await["kind"], "guest");
}

#[tokio::test]
async fn admin_makes_a_member_of_a_guest() {
    let mut world = World::start().await;
    let (ana, ben, climbers) = world.with_guests().await;
    let gil = world.welcomes_guest("Gil", &ana, &climbers).await;
    writes(&gil, &ben, "Hello.").await;
    let mut feed = ben.listens().await;
    let wrong = ana.makes_member(&gil, &json!({"kind": "guest"})).await.refused(400);
    assert_eq!(wrong, ["kind must be member", "reason is required"]);
    let body = json!({"kind": "member", "reason": "hired"});
    ben.makes_member(&gil, &body).await.refused(404);
    let member = ana.makes_member(&gil, &body).await.ok();
    assert_eq!((&member["kind"], &member["expires_at"]), (&json!("member"), &Value::Null));
    feed.hears_of("membership.update").await;
    assert_eq!(ben.member_of(&climbers, &gil).await.get("kind"), None);
    assert_eq!(ben.gets("/v3/chats").await.ok()[0]["other_user"].get("kind"), None);
    gil.creates_group("Divers").await;
    let log = ana.gets("/v3/admin/audit?act=kind_set").await.ok();
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["before"], &entry["after"], &entry["reason"]),
        (&json!("guest"), &json!("member"), &json!("hired"))
    );
    world.seconds_pass(3600);
    world.restarts().await;
    world.logs_in(&gil.email, PASSWORD).await.ok();
}

#[tokio::test]
async fn operator_is_no_guest() {
    let world = World::start().await;
    let (ana, _, climbers) = world.with_guests().await;
    let gil = world.welcomes_guest("Gil", &ana, &climbers).await;
    world.promotes(&gil, Some("moderator"));
    let me = gil.gets("/v3/users/me").await.ok();
    assert_eq!((me.get("kind"), &me["operator"]), (None, &json!("moderator")));
}
