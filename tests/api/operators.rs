//! Operators: their roles, what they see and do under `/v3/admin`, and what is written about it.

use serde_json::{Value, json};

use crate::oauth::{CALLBACK, application, lets_in};
use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

/// A role, and the permission that the table gives it.
const ROLES: [&str; 3] = ["admin", "moderator", "auditor"];

impl World {
    /// Gives an account the role of an operator on the machine, or takes it.
    pub(crate) fn promotes(&self, person: &Person, role: Option<&str>) {
        let command = json!({"do": "set_role", "user": person.id, "role": role});
        let reply = self.operator_sends(command);
        assert_eq!(reply["done"]["user"]["operator"].as_str(), role, "{reply}");
    }

    /// Registers somebody for each role of an operator.
    pub(crate) async fn operators(&self) -> [Person; 3] {
        let operators = self.people(["Ada", "Mo", "Audra"]).await;
        operators.iter().zip(ROLES).for_each(|(it, role)| self.promotes(it, Some(role)));
        operators
    }
}

fn of(person: &Person, act: &str) -> String {
    format!("/v3/admin/users/{}/{act}", person.id)
}

impl Person {
    /// Does something to an account with a reason.
    async fn acts_on(&self, other: &Person, act: &str) -> crate::world::answer::Answer {
        self.posts(&of(other, act)).json(&json!({"reason": "as agreed"})).await
    }

    async fn sets_role(&self, other: &Person, role: Value) -> crate::world::answer::Answer {
        self.posts(&of(other, "role")).json(&json!({"role": role, "reason": "as agreed"})).await
    }

    async fn sees_acts(&self, query: &str) -> Vec<String> {
        let log = self.gets(&format!("/v3/admin/audit?{query}")).await.ok();
        let entries = log["entries"].as_array().unwrap();
        entries.iter().map(|entry| text(&entry["act"]).to_owned()).collect()
    }
}

#[tokio::test]
async fn roles_may_do_what_the_table_allows() {
    let world = World::start().await;
    let operators = world.operators().await;
    for (operator, role) in operators.iter().zip(ROLES) {
        assert_eq!(operator.gets("/v3/users/me").await.ok()["operator"], role);
    }
    let ben = world.registers("Ben").await;
    let group = ben.creates_group("Climbers").await;
    for (method, path, statuses) in [
        ("GET", "/v3/admin/version".to_owned(), [200, 200, 200]),
        ("GET", "/v3/admin/users".to_owned(), [200, 200, 200]),
        ("GET", format!("/v3/admin/users/{}", ben.id), [200, 200, 200]),
        ("GET", "/v3/admin/groups".to_owned(), [200, 200, 200]),
        ("GET", format!("/v3/admin/groups/{}", group.id), [200, 200, 200]),
        ("POST", format!("/v3/admin/groups/{}/freeze", group.id), [200, 409, 403]),
        ("POST", format!("/v3/admin/groups/{}/unfreeze", group.id), [200, 409, 403]),
        ("POST", format!("/v3/admin/groups/{}/unlist", group.id), [409, 409, 403]),
        ("DELETE", "/v3/admin/groups/1".to_owned(), [404, 403, 403]),
        ("GET", "/v3/admin/audit".to_owned(), [200, 200, 200]),
        ("GET", "/v3/admin/settings".to_owned(), [200, 403, 200]),
        ("GET", "/v3/admin/registration".to_owned(), [200, 403, 200]),
        ("PUT", "/v3/admin/settings".to_owned(), [200, 403, 403]),
        ("PUT", "/v3/admin/registration".to_owned(), [200, 403, 403]),
        ("GET", "/v3/admin/requests".to_owned(), [200, 200, 200]),
        ("POST", "/v3/admin/requests/1".to_owned(), [400, 400, 403]),
        ("GET", "/v3/admin/invites".to_owned(), [200, 200, 200]),
        ("POST", "/v3/admin/invites".to_owned(), [201, 201, 403]),
        ("DELETE", "/v3/admin/invites/1".to_owned(), [404, 404, 403]),
        ("GET", "/v3/admin/mail".to_owned(), [200, 403, 200]),
        ("POST", "/v3/admin/mail/test".to_owned(), [409, 403, 403]),
        ("POST", "/v3/admin/mail/1/retry".to_owned(), [409, 403, 403]),
        ("GET", "/v3/admin/rules".to_owned(), [200, 200, 200]),
        ("POST", "/v3/admin/rules/test".to_owned(), [200, 200, 200]),
        ("POST", "/v3/admin/rules".to_owned(), [400, 400, 403]),
        ("PUT", "/v3/admin/rules/1".to_owned(), [400, 400, 403]),
        ("DELETE", "/v3/admin/rules/1".to_owned(), [404, 404, 403]),
        ("POST", of(&ben, "enable"), [200, 200, 403]),
        ("POST", of(&ben, "logout"), [200, 200, 403]),
        ("POST", of(&ben, "recover"), [200, 200, 403]),
        ("POST", of(&ben, "disable"), [200, 200, 403]),
        ("POST", of(&ben, "role"), [200, 403, 403]),
        ("POST", of(&ben, "kind"), [200, 403, 403]),
        // Towards an operator
        ("POST", of(&operators[2], "logout"), [200, 403, 403]),
    ] {
        for (operator, status) in operators.iter().zip(statuses) {
            let is_own_end = path == of(operator, "logout");
            if is_own_end || path == of(&operators[2], "logout") && operator.name == "Audra" {
                continue;
            }
            let body = json!({"role": null, "kind": "member", "name": null, "mode": null,
                "text": "rope", "reason": "as agreed"});
            let asked = operator.asks(method, &path);
            let asked = if method == "GET" { asked } else { asked.json(&body) };
            let answer = asked.await;
            assert_eq!(answer.status, status, "{method} {path} by {}", operator.name);
        }
    }
}

#[tokio::test]
async fn refusals_name_role_and_act() {
    let world = World::start().await;
    let [admin, moderator, auditor] = world.operators().await;
    let ben = world.registers("Ben").await;
    assert_eq!(
        auditor.acts_on(&ben, "disable").await.refused(403),
        [
            "your role (auditor) does not allow this: admit, disable, enable, log out or recover accounts"
        ]
    );
    assert_eq!(
        moderator.acts_on(&admin, "disable").await.refused(403),
        ["your role (moderator) does not allow this to an operator"]
    );
    let wrong = admin.posts(&of(&ben, "role")).json(&json!({"role": "owner"})).await;
    assert_eq!(
        wrong.refused(400),
        ["role must be admin, moderator, auditor or null", "reason is required"]
    );
    let long = json!({"reason": "x".repeat(501)});
    let long = admin.posts(&of(&ben, "disable")).json(&long).await.refused(400);
    assert!(long[0].starts_with("reason ") && long[0].contains("500"), "{long:?}");
    for path in ["/v3/admin/users/1", "/v3/admin/users/x"] {
        assert_eq!(admin.gets(path).await.refused(404), ["there is no such user"]);
    }
    assert_eq!(admin.gets("/v3/admin/groups/1").await.refused(404), ["there is no such group"]);
}

#[tokio::test]
async fn strangers_and_applications_find_no_administration() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ben = world.registers("Ben").await;
    let nowhere = ben.gets("/v3/nowhere").await.refused(404);
    let ropes = application(&admin, CALLBACK).await;
    let applications = Person { token: lets_in(&world, &admin, &ropes).await, ..admin.clone() };
    for person in [&ben, &applications] {
        assert_eq!(person.gets("/v3/admin/version").await.refused(404), nowhere);
        assert_eq!(person.acts_on(&ben, "disable").await.refused(404), nowhere);
    }
    world.promotes(&admin, None);
    assert_eq!(admin.gets("/v3/admin/version").await.refused(404), nowhere);
}

#[tokio::test]
async fn disabled_account_is_out_at_once() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ben = world.registers("Ben").await;
    let mut socket = ben.listens().await;
    let disabled = admin.acts_on(&ben, "disable").await.ok();
    assert_eq!(disabled["disabled_at"], world.clock_seconds());
    assert_eq!(socket.ends().await, 4401);
    ben.gets("/v3/users/me").await.refused(401);
    world.logs_in(&ben.email, PASSWORD).await.refused(403);
    assert_eq!(admin.acts_on(&ben, "enable").await.ok()["disabled_at"], Value::Null);
    let ben = Person::new(ben.address.clone(), &world.logs_in(&ben.email, PASSWORD).await.ok());
    assert_eq!(admin.acts_on(&ben, "logout").await.ok()["tokens"], 0);
    ben.gets("/v3/users/me").await.refused(401);
    let link = admin.acts_on(&ben, "recover").await.ok();
    let (_, secret) = text(&link["url"]).split_once("/#/recover/").unwrap();
    let path = format!("/auth/recover/{secret}");
    let better = json!({"password": "a better horse battery"});
    ben.address.asks("POST", &path).json(&better).await.ok();
    world.logs_in(&ben.email, "a better horse battery").await.ok();
}

#[tokio::test]
async fn last_admin_stays_unless_the_machine_takes_the_role() {
    let mut world = World::start().await;
    let [admin, moderator, _] = world.operators().await;
    let last = ["this is the last admin; give another account the role of an admin first"];
    assert_eq!(admin.sets_role(&admin, Value::Null).await.refused(409), last);
    assert_eq!(admin.sets_role(&admin, json!("auditor")).await.refused(409), last);
    assert_eq!(admin.acts_on(&admin, "disable").await.refused(409), last);
    let leaving = admin.asks("DELETE", "/auth/account").json(&json!({"password": PASSWORD}));
    assert_eq!(leaving.await.refused(409), last);
    assert_eq!(admin.sets_role(&moderator, json!("admin")).await.ok()["role"], "admin");
    // A disabled admin cannot log in, so the other one is the last again.
    admin.acts_on(&moderator, "disable").await.ok();
    assert_eq!(admin.sets_role(&admin, Value::Null).await.refused(409), last);
    admin.acts_on(&moderator, "enable").await.ok();
    world.restarts().await;
    assert_eq!(admin.sets_role(&admin, Value::Null).await.ok()["role"], Value::Null);
    world.promotes(&moderator, None);
}

#[tokio::test]
async fn lists_are_searched_and_paged() {
    let mut world = World::start().await;
    let [admin, ..] = world.operators().await;
    let [zoe, ben] = world.people(["Zoe", "Ben"]).await;
    let group = ben.creates_group("Kletterer Zürich").await;
    ben.says(&group, "rope at six").await;
    world.restarts().await;
    let ids = |page: &Value, list: &str| -> Vec<String> {
        let entries = page[list].as_array().unwrap().iter();
        entries.map(|it| text(&it["id"]).to_owned()).collect()
    };
    for query in ["ZO%C3%8B", &zoe.email.to_uppercase(), &zoe.id] {
        let found = admin.gets(&format!("/v3/admin/users?q={query}")).await.ok();
        assert_eq!(ids(&found, "users"), [zoe.id.as_str()], "{query}");
        assert_eq!(found["before"], Value::Null);
    }
    let first = admin.gets("/v3/admin/users?limit=2").await.ok();
    assert_eq!(ids(&first, "users").len(), 2);
    let before = text(&first["before"]);
    let next = admin.gets(&format!("/v3/admin/users?before={before}")).await.ok();
    assert_eq!(ids(&next, "users").len(), 3);
    assert!(ids(&next, "users").iter().all(|id| !ids(&first, "users").contains(id)));
    let found = admin.gets("/v3/admin/groups?q=zurich").await.ok();
    assert_eq!(ids(&found, "groups"), [group.id.as_str()]);
    let seen = admin.gets(&format!("/v3/admin/groups/{}", group.id)).await.ok();
    assert_eq!((&seen["members"], &seen["messages"]), (&json!(1), &json!(1)));
    assert_eq!(seen["owner"], json!({"user_id": ben.id, "name": "Ben"}));
    ben.posts(&group.path("/destroy")).await.ok();
    admin.gets(&format!("/v3/admin/groups/{}", group.id)).await.refused(404);
    let wrong = admin.gets("/v3/admin/users?before=x&limit=0").await.refused(400);
    assert_eq!(
        wrong,
        ["before must be the before of a page", "limit must be a whole number above zero"]
    );
}

#[tokio::test]
async fn audit_log_names_operator_target_and_reason() {
    let mut world = World::start().await;
    let [admin, moderator, auditor] = world.operators().await;
    let ben = world.registers("Ben").await;
    admin.sets_role(&ben, json!("auditor")).await.ok();
    admin.sets_role(&ben, Value::Null).await.ok();
    moderator.acts_on(&ben, "logout").await.ok();
    world.restarts().await;
    let log = auditor.gets("/v3/admin/audit?limit=2").await.ok();
    let [logout, role] = log["entries"].as_array().unwrap().as_slice() else { panic!("{log}") };
    assert_eq!(logout["act"], "user_logged_out");
    assert_eq!(logout["by"], json!({"user_id": moderator.id, "name": "Mo"}));
    assert_eq!(logout["target"], json!({"user_id": ben.id, "name": "Ben"}));
    assert_eq!((&logout["reason"], &logout["from"]), (&json!("as agreed"), &json!("127.0.0.1")));
    assert_eq!((&role["before"], &role["after"]), (&json!("auditor"), &json!("none")));
    let next = format!("before={}", text(&log["before"]));
    assert_eq!(auditor.sees_acts(&next).await, ["role_set"; 4]);
    let machine = auditor.gets("/v3/admin/audit?act=role_set").await.ok();
    let first = machine["entries"].as_array().unwrap().last().unwrap();
    assert!(first["by"].is_null() && text(&first["machine"]).starts_with("uid "), "{first}");
    assert_eq!(auditor.sees_acts(&format!("actor={}", admin.id)).await, ["role_set"; 2]);
    assert_eq!(auditor.sees_acts(&format!("target={}", ben.id)).await.len(), 3);
    let later = world.clock_seconds() + 1;
    assert_eq!(auditor.sees_acts(&format!("since={later}")).await, [""; 0]);
    // A moderator sees their own acts, whatever they ask for.
    let own = format!("actor={}", admin.id);
    assert_eq!(moderator.sees_acts(&own).await, ["user_logged_out"]);
}

#[tokio::test]
async fn repeated_act_is_written_once() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ben = world.registers("Ben").await;
    for _ in 0..2 {
        let reason = json!({"reason": "as agreed"});
        let asked = admin.posts(&of(&ben, "disable")).header("Idempotency-Key", "once");
        asked.json(&reason).await.ok();
    }
    assert_eq!(admin.sees_acts(&format!("target={}", ben.id)).await, ["user_disabled"]);
}

const SETTINGS: &str = "/v3/admin/settings";
const REGISTRATION: &str = "/v3/admin/registration";

impl Person {
    async fn puts(&self, path: &str, body: Value) -> crate::world::answer::Answer {
        self.asks("PUT", path).json(&body).await
    }
}

fn setting(value: impl Into<Value>, source: &str) -> Value {
    json!({"value": value.into(), "source": source})
}

#[tokio::test]
async fn settings_apply_at_once_and_survive_a_restart() {
    let mut world = World::start().await;
    let [admin, ..] = world.operators().await;
    let unset = setting(Value::Null, "default");
    let defaults = json!({"name": unset, "greeting": unset, "contact": unset,
        "registration": setting("open", "default"), "password_login": setting("on", "default"),
        "directory": setting("on", "default"), "guests": setting("off", "default"),
        "mail_shows_text": setting("on", "default"),
        "second_factor": setting("optional", "default"), "dm_from": setting("everyone", "default")});
    assert_eq!(admin.gets(SETTINGS).await.ok(), defaults);
    let change = json!({"name": " Climbers ", "greeting": "Welcome.\nTie in.",
        "contact": "ana@example.org", "reason": "the club began"});
    let changed = admin.puts(SETTINGS, change).await.ok();
    assert_eq!(changed["name"], setting("Climbers", "setting"));
    let closed = json!({"mode": "closed", "reason": "everybody is here"});
    let closed = admin.puts(REGISTRATION, closed).await.ok();
    assert_eq!(
        closed,
        json!({"mode": "closed", "source": "setting", "domains": [], "show_domains": false})
    );
    let options = json!({"registration": "closed", "password": "on", "mail": false, "contact": "ana@example.org",
        "name": "Climbers", "greeting": "Welcome.\nTie in.", "passkeys": true, "providers": [], "setup": null});
    for _ in 0..2 {
        assert_eq!(world.get("/auth/options").await.ok(), options);
        let eve = json!({"name": "Eve", "email": "eve@example.org", "password": PASSWORD});
        world.address.asks("POST", "/auth/register").json(&eve).await.refused(403);
        world.restarts().await;
    }
    let recovery = json!({"email": "ana@example.org"});
    let recovery = world.address.asks("POST", "/auth/recover").json(&recovery).await.refused(403);
    assert_eq!(recovery, ["this server sends no mail; ask those who run it: ana@example.org"]);
    let emptied = json!({"greeting": null, "contact": "", "reason": "shorter"});
    let emptied = admin.puts(SETTINGS, emptied).await.ok();
    assert_eq!([&emptied["greeting"], &emptied["contact"]], [&unset, &unset]);
    let open = admin.puts(REGISTRATION, json!({"mode": null, "reason": "new members"})).await.ok();
    assert_eq!(
        open,
        json!({"mode": "open", "source": "default", "domains": [], "show_domains": false})
    );
    world.registers("Eve").await;
    let log = admin.gets("/v3/admin/audit?act=settings_changed&limit=1").await.ok();
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["before"], &entry["after"], &entry["reason"]),
        (&json!("registration: closed"), &json!("registration: not set"), &json!("new members"))
    );
    // What changes nothing is not written.
    admin.puts(SETTINGS, json!({"name": "Climbers", "reason": "again"})).await.ok();
    assert_eq!(admin.sees_acts("act=settings_changed").await.len(), 4);
}

#[tokio::test]
async fn settings_fixed_by_options_are_refused() {
    let setup =
        Setup::default().option("--contact", "op@example.org").option("--registration", "open");
    let world = World::with(setup).await;
    let [admin, ..] = world.operators().await;
    let settings = admin.gets(SETTINGS).await.ok();
    assert_eq!(settings["contact"], setting("op@example.org", "option"));
    assert_eq!(settings["registration"], setting("open", "option"));
    let contact = json!({"contact": "ana@example.org", "name": "Club", "reason": "mine"});
    assert_eq!(
        admin.puts(SETTINGS, contact).await.refused(409),
        ["contact is fixed by an option of the server"]
    );
    assert_eq!(
        admin.puts(REGISTRATION, json!({"mode": "closed", "reason": "full"})).await.refused(409),
        ["registration is fixed by an option of the server"]
    );
    assert_eq!(admin.gets(SETTINGS).await.ok(), settings);
}

#[tokio::test]
async fn wrong_settings_name_field_and_limit() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let wrong = json!({"name": "a\nb", "greeting": "x".repeat(1001), "registration": "closed"});
    let wrong = admin.puts(SETTINGS, wrong).await.refused(400);
    assert!(wrong[0].starts_with("name must be one line"), "{wrong:?}");
    assert!(wrong[1].starts_with("greeting ") && wrong[1].contains("1000"), "{wrong:?}");
    assert_eq!(
        wrong[2..],
        ["registration is changed by PUT /v3/admin/registration", "reason is required"]
    );
    assert_eq!(
        admin.puts(SETTINGS, json!({"reason": "why"})).await.refused(400),
        ["name, greeting, contact, password_login, directory, guests, mail_shows_text, \
         second_factor or dm_from is required"]
    );
    assert_eq!(
        admin.puts(REGISTRATION, json!({"mode": "half", "reason": "why"})).await.refused(400),
        ["mode must be open, closed, domain, approval, invite or null"]
    );
}

#[tokio::test]
async fn user_sees_what_operators_did_to_them() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let [ben, cleo] = world.people(["Ben", "Cleo"]).await;
    admin.acts_on(&cleo, "disable").await.ok();
    admin.acts_on(&ben, "disable").await.ok();
    admin.acts_on(&ben, "enable").await.ok();
    let welcome = world.logs_in(&ben.email, PASSWORD).await.ok();
    let ben = Person::new(world.address.clone(), &welcome);
    let page = ben.gets("/auth/audit?limit=1").await.ok();
    let newest = &page["entries"][0];
    assert_eq!((text(&newest["act"]), text(&newest["reason"])), ("user_enabled", "as agreed"));
    assert_eq!(newest["by"]["name"], "Ada");
    assert!(newest.get("from").is_none() && newest.get("target").is_none(), "{newest}");
    let rest = ben.gets(&format!("/auth/audit?before={}", text(&page["before"]))).await.ok();
    assert_eq!(rest["entries"].as_array().unwrap().len(), 1, "{rest}");
    assert_eq!(rest["entries"][0]["act"], "user_disabled");
    assert_eq!(rest["before"], Value::Null);
}
