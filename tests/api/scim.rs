//! SCIM: a directory creates, changes, deactivates and deletes accounts.

use serde_json::{Value, json};

use crate::oidc::logs_in;
use crate::world::answer::Answer;
use crate::world::called_back::lives_at;
use crate::world::issuer::Issuer;
use crate::world::listener::Listener;
use crate::world::person::{Person, text};
use crate::world::{Address, PASSWORD, World};

const USERS: &str = "/scim/v2/Users";
const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
const KIND: &str = "application/scim+json";

/// A directory with a token.
pub(crate) struct Directory {
    pub(crate) address: Address,
    pub(crate) token: String,
}

impl World {
    /// Makes a token for a directory from the account of this admin.
    pub(crate) async fn directory(&self, admin: &Person) -> Directory {
        self.promotes(admin, Some("admin"));
        let made = admin.makes_scim_token().await.created();
        let token = text(&made["access_token"]).to_owned();
        Directory { address: self.address.clone(), token }
    }
}

impl Person {
    async fn makes_scim_token(&self) -> Answer {
        let body = json!({"name": "Entra ID", "reason": "accounts come from there"});
        self.posts("/v3/admin/scim_tokens").json(&body).await
    }
}

impl Directory {
    pub(crate) async fn sends(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.address.asks(method, path).token(&self.token).body(KIND, body.to_string()).await
    }

    pub(crate) async fn reads(&self, path: &str) -> Answer {
        self.address.asks("GET", path).token(&self.token).await
    }

    pub(crate) async fn creates(&self, body: Value) -> Value {
        resource(&self.sends("POST", USERS, &body).await, 201)
    }

    pub(crate) async fn patches(&self, id: &str, operations: Value) -> Answer {
        let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
        let body = json!({"schemas": [schema], "Operations": operations});
        self.sends("PATCH", &of(id), &body).await
    }

    async fn finds(&self, filter: &str) -> Vec<String> {
        let query: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
        let list = resource(&self.reads(&format!("{USERS}?filter={query}")).await, 200);
        let users = list["Resources"].as_array().unwrap();
        assert_eq!(list["totalResults"], json!(users.len()));
        users.iter().map(|user| text(&user["id"]).to_owned()).collect()
    }
}

pub(crate) fn of(id: &str) -> String {
    format!("{USERS}/{id}")
}

#[track_caller]
pub(crate) fn resource(answer: &Answer, status: u16) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some(KIND));
    serde_json::from_str(&answer.text).unwrap()
}

/// Asserts an error in the form of SCIM; returns its kind and its reason.
#[track_caller]
pub(crate) fn refused(answer: &Answer, status: u16) -> (String, String) {
    let error = resource(answer, status);
    assert_eq!(error["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:Error"]));
    assert_eq!(error["status"], json!(status.to_string()));
    let kind = error["scimType"].as_str().unwrap_or_default();
    (kind.to_owned(), text(&error["detail"]).to_owned())
}

fn ben() -> Value {
    json!({"schemas": [USER], "userName": "ben@example.org", "externalId": "00u1",
        "displayName": "Ben Lee", "active": true,
        "emails": [{"value": "ben@example.org", "type": "work", "primary": true}],
        "title": "Engineer"})
}

#[tokio::test]
async fn directory_creates_reads_and_changes_accounts() {
    let mut world = World::start().await;
    let ada = world.registers("Ada").await;
    let directory = world.directory(&ada).await;
    let answer = directory.sends("POST", USERS, &ben()).await;
    let created = resource(&answer, 201);
    let id = text(&created["id"]).to_owned();
    let location = format!("{}{}", world.address.url(""), of(&id));
    assert_eq!(answer.header("location"), Some(location.as_str()));
    assert_eq!(created["meta"]["location"], json!(location));
    assert_eq!(created["name"], json!({"formatted": "Ben Lee"}));
    assert_eq!(created["emails"][0]["value"], "ben@example.org");
    assert_eq!(
        (&created["userName"], &created["active"]),
        (&json!("ben@example.org"), &json!(true))
    );
    for filter in
        ["userName eq \"BEN@example.org\"", "externalId eq \"00u1\"", &format!("id eq \"{id}\"")]
    {
        assert_eq!(directory.finds(filter).await, [id.as_str()], "{filter}");
    }
    assert!(directory.finds("externalId eq \"00U1\"").await.is_empty());
    // An account that nobody made through the directory has its address as its name.
    let own = directory.finds(&format!("userName eq \"{}\"", ada.email)).await;
    assert_eq!(own, [ada.id.as_str()]);
    let mut body = ben();
    body["userName"] = json!("benjamin@example.org");
    body["emails"][0]["value"] = json!("benjamin@example.org");
    body["displayName"] = json!("Benjamin Lee");
    let replaced = resource(&directory.sends("PUT", &of(&id), &body).await, 200);
    assert_eq!(replaced["displayName"], "Benjamin Lee");
    assert!(directory.finds("userName eq \"ben@example.org\"").await.is_empty());
    world.restarts().await;
    let mut read = resource(&directory.reads(&of(&id)).await, 200);
    // The server listens on another port now.
    read["meta"] = replaced["meta"].clone();
    assert_eq!(read, replaced);
    let seen = ada.gets(&format!("/v3/admin/users/{id}")).await.ok();
    assert_eq!(
        (&seen["name"], &seen["email"]),
        (&json!("Benjamin Lee"), &json!("benjamin@example.org"))
    );
    assert_eq!(seen["email_verified"], true);
}

#[tokio::test]
async fn lists_are_paged_and_projected() {
    let world = World::start().await;
    let ada = world.registers("Ada").await;
    let directory = world.directory(&ada).await;
    for name in ["ben", "cem"] {
        directory.creates(json!({"userName": format!("{name}@example.org")})).await;
    }
    let page = |query: &'static str| {
        let directory = &directory;
        async move {
            let list = resource(&directory.reads(&format!("{USERS}?{query}")).await, 200);
            let names = list["Resources"].as_array().unwrap().iter();
            let names: Vec<String> = names.map(|it| text(&it["userName"]).to_owned()).collect();
            (list["totalResults"].clone(), list["startIndex"].clone(), names)
        }
    };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        page("startIndex=2&count=1").await,
        (json!(3), json!(2), names(&["ben@example.org"]))
    );
    assert_eq!(page("startIndex=3&count=999").await.2, names(&["cem@example.org"]));
    assert_eq!(page("count=0").await, (json!(3), json!(1), names(&[])));
    assert_eq!(page("startIndex=9").await, (json!(3), json!(9), names(&[])));
    let only =
        resource(&directory.reads(&format!("{USERS}?attributes=userName&count=1")).await, 200);
    let fields = only["Resources"][0].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields, ["id", "schemas", "userName"]);
    let search = json!({"attributes": ["userName"], "startIndex": 2, "count": 1});
    let searched = resource(&directory.sends("POST", "/scim/v2/.search", &search).await, 200);
    assert_eq!(searched["Resources"][0]["userName"], "ben@example.org");
    assert!(searched["Resources"][0].get("emails").is_none());
    let without = format!("{}?excludedAttributes=emails,name", of(&ada.id));
    let without = resource(&directory.reads(&without).await, 200);
    assert!(without.get("emails").is_none() && without.get("active").is_some());
}

#[tokio::test]
async fn deactivated_account_is_out_at_once_in_both_forms() {
    let world = World::start().await;
    let [ada, ben] = world.people(["Ada", "Ben"]).await;
    let directory = world.directory(&ada).await;
    let entra = json!([{"op": "Replace", "path": "active", "value": "False"}]);
    let okta = json!([{"op": "replace", "value": {"active": false}}]);
    let mut ben = ben;
    for off in [entra, okta] {
        let mut socket = ben.listens().await;
        let shut = resource(&directory.patches(&ben.id, off).await, 200);
        assert_eq!(shut["active"], false);
        assert_eq!(socket.ends().await, 4401);
        ben.gets("/v3/users/me").await.refused(401);
        world.logs_in(&ben.email, PASSWORD).await.refused(403);
        let on = json!([{"op": "replace", "path": "active", "value": true}]);
        assert_eq!(resource(&directory.patches(&ben.id, on).await, 200)["active"], true);
        ben = Person::new(ben.address.clone(), &world.logs_in(&ben.email, PASSWORD).await.ok());
    }
}

#[tokio::test]
async fn operator_and_directory_lift_their_own_flag() {
    let mut world = World::start().await;
    let [ada, ben] = world.people(["Ada", "Ben"]).await;
    let directory = world.directory(&ada).await;
    let reason = json!({"reason": "as agreed"});
    let admin = |act: &str| format!("/v3/admin/users/{}/{act}", ben.id);
    let active = |is_active: bool| json!([{"op": "replace", "value": {"active": is_active}}]);
    resource(&directory.patches(&ben.id, active(false)).await, 200);
    let disabled = ada.posts(&admin("disable")).json(&reason).await.ok();
    assert!(disabled["disabled_at"].is_u64() && disabled["deactivated_at"].is_u64());
    let enabled = ada.posts(&admin("enable")).json(&reason).await.ok();
    assert!(enabled["disabled_at"].is_null() && enabled["deactivated_at"].is_u64());
    world.logs_in(&ben.email, PASSWORD).await.refused(403);
    ada.posts(&admin("disable")).json(&reason).await.ok();
    resource(&directory.patches(&ben.id, active(true)).await, 200);
    world.restarts().await;
    world.logs_in(&ben.email, PASSWORD).await.refused(403);
    ada.posts(&admin("enable")).json(&reason).await.ok();
    world.logs_in(&ben.email, PASSWORD).await.ok();
}

#[tokio::test]
async fn deleted_resource_is_gone_and_may_come_back() {
    let world = World::start().await;
    let ada = world.registers("Ada").await;
    let directory = world.directory(&ada).await;
    let id = text(&directory.creates(ben()).await["id"]).to_owned();
    let deleted = directory.address.asks("DELETE", &of(&id)).token(&directory.token).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    for method in ["GET", "DELETE"] {
        let again = directory.address.asks(method, &of(&id)).token(&directory.token).await;
        assert_eq!(refused(&again, 404).1, "there is no such user");
    }
    assert!(directory.finds("externalId eq \"00u1\"").await.is_empty());
    let list = resource(&directory.reads(USERS).await, 200);
    assert_eq!(list["totalResults"], 1);
    let seen = ada.gets(&format!("/v3/admin/users/{id}")).await.ok();
    assert!(seen["deactivated_at"].is_u64());
    let back = directory.creates(ben()).await;
    assert_eq!((text(&back["id"]), &back["active"]), (id.as_str(), &json!(true)));
    let seen = ada.gets(&format!("/v3/admin/users/{id}")).await.ok();
    assert!(seen["deactivated_at"].is_null());
}

#[tokio::test]
async fn bots_of_deactivated_account_rest() {
    let world = World::start().await;
    let [ada, ben] = world.people(["Ada", "Ben"]).await;
    let directory = world.directory(&ada).await;
    let climbers = ben.creates_group("Climbers").await;
    ben.adds(&ada, &climbers).await;
    let mut listener = Listener::starts().await;
    lives_at(&mut listener, &ben, &climbers).await;
    ada.says(&climbers, "one").await;
    assert_eq!(listener.hears().await.text(), "one");
    let active = |is_active: bool| json!([{"op": "replace", "value": {"active": is_active}}]);
    resource(&directory.patches(&ben.id, active(false)).await, 200);
    ada.says(&climbers, "two").await;
    resource(&directory.patches(&ben.id, active(true)).await, 200);
    ada.says(&climbers, "three").await;
    // What was said meanwhile is sent once the account is active again.
    assert_eq!(listener.hears().await.text(), "two");
    assert_eq!(listener.hears().await.text(), "three");
}

#[tokio::test]
async fn refusals_have_the_form_of_scim() {
    let world = World::start().await;
    let [ada, cem] = world.people(["Ada", "Cem"]).await;
    let directory = world.directory(&ada).await;
    let id = text(&directory.creates(ben()).await["id"]).to_owned();
    let creates = async |body: Value| directory.sends("POST", USERS, &body).await;
    let other = json!({"userName": "other", "emails": [{"value": "ben@example.org"}]});
    for (body, status, kind, detail) in [
        (ben(), 409, "uniqueness", "userName belongs to another account"),
        (other, 409, "uniqueness", "emails belongs to another account"),
        (json!({"displayName": "Dan"}), 400, "invalidValue", "userName is required"),
        (
            json!({"userName": "dan"}),
            400,
            "invalidValue",
            "emails must have an address, since userName is none",
        ),
        (
            json!({"userName": "dan@example.org", "active": "no"}),
            400,
            "invalidValue",
            "active must be true or false",
        ),
    ] {
        let (found, reason) = refused(&creates(body).await, status);
        assert_eq!((found.as_str(), reason.as_str()), (kind, detail));
    }
    let broken =
        directory.address.asks("POST", USERS).token(&directory.token).body(KIND, "{").await;
    assert_eq!(refused(&broken, 400).0, "invalidSyntax");
    let taken = json!([{"op": "replace", "path": "userName", "value": cem.email}]);
    assert_eq!(refused(&directory.patches(&id, taken).await, 409).0, "uniqueness");
    let taken =
        json!([{"op": "replace", "path": "emails[type eq \"work\"].value", "value": cem.email}]);
    refused(&directory.patches(&id, taken).await, 409);
    let removal = json!([{"op": "remove", "path": "userName"}]);
    assert_eq!(refused(&directory.patches(&id, removal).await, 400).0, "mutability");
    let filter = format!("{USERS}?filter=displayName%20co%20%22b%22");
    assert_eq!(refused(&directory.reads(&filter).await, 400).0, "invalidFilter");
    for path in ["/scim/v2/Users/x", "/scim/v2/Nothing", "/scim/v2/Schemas/x"] {
        refused(&directory.reads(path).await, 404);
    }
    let wrong = directory.sends("PUT", USERS, &json!({})).await;
    refused(&wrong, 405);
    refused(&world.address.asks("GET", USERS).await, 401);
    refused(&cem.gets(USERS).await, 404);
}

#[tokio::test]
async fn last_admin_and_owner_of_the_token_stay() {
    let world = World::start().await;
    let [ada, ben] = world.people(["Ada", "Ben"]).await;
    let directory = world.directory(&ada).await;
    let off = json!([{"op": "replace", "value": {"active": false}}]);
    let (_, reason) = refused(&directory.patches(&ada.id, off.clone()).await, 409);
    assert!(reason.starts_with("the token of the directory belongs to this account"), "{reason}");
    let other = world.directory(&ben).await;
    world.promotes(&ada, None);
    // The token of somebody who is no admin any more does nothing.
    refused(&directory.reads(USERS).await, 404);
    world.promotes(&ada, Some("auditor"));
    refused(&directory.reads(USERS).await, 403);
    resource(&other.patches(&ada.id, off.clone()).await, 200);
    refused(&other.patches(&ben.id, off).await, 409);
}

#[tokio::test]
async fn tokens_are_made_listed_and_ended() {
    let world = World::start().await;
    let [ada, ben] = world.people(["Ada", "Ben"]).await;
    let directory = world.directory(&ada).await;
    directory.reads(USERS).await;
    let missing = ada.posts("/v3/admin/scim_tokens").json(&json!({})).await.refused(400);
    assert_eq!(missing, ["name is required", "reason is required"]);
    let list = ada.gets("/v3/admin/scim_tokens").await.ok();
    let token = &list["tokens"][0];
    assert_eq!((&token["name"], &token["made_by"]["name"]), (&json!("Entra ID"), &json!("Ada")));
    assert!(token["last_used_at"].is_u64() && token["expires_at"].is_null());
    // The token does nothing else.
    let holder = Person { token: directory.token.clone(), ..ada.clone() };
    holder.gets("/v3/users/me").await.refused(403);
    holder.gets("/v3/admin/users").await.refused(403);
    world.promotes(&ben, Some("auditor"));
    assert_eq!(ben.gets("/v3/admin/scim_tokens").await.ok(), list);
    ben.makes_scim_token().await.refused(403);
    let path = format!("/v3/admin/scim_tokens/{}", text(&token["id"]));
    ben.asks("DELETE", &path).await.refused(403);
    ada.asks("DELETE", &path).await.ok();
    ada.asks("DELETE", &path).await.refused(404);
    refused(&directory.reads(USERS).await, 401);
    world.seconds_pass(11 * 60);
    ada.makes_scim_token().await.refused(403);
    let acts = ada.gets("/v3/admin/audit").await.ok();
    let acts = acts["entries"].as_array().unwrap().iter();
    let acts: Vec<&str> = acts.map(|entry| text(&entry["act"])).collect();
    assert_eq!(acts[..2], ["scim_token_ended", "role_set"]);
    assert!(acts.contains(&"scim_token_made"));
}

#[tokio::test]
async fn acts_of_the_directory_are_audited() {
    let world = World::start().await;
    let ada = world.registers("Ada").await;
    let directory = world.directory(&ada).await;
    let id = text(&directory.creates(ben()).await["id"]).to_owned();
    let changes = json!([{"op": "replace", "value": {"active": false, "displayName": "Benny"}}]);
    resource(&directory.patches(&id, changes).await, 200);
    directory.address.asks("DELETE", &of(&id)).token(&directory.token).await;
    let log = ada.gets(&format!("/v3/admin/audit?target={id}")).await.ok();
    let entries = log["entries"].as_array().unwrap();
    let acts: Vec<&str> = entries.iter().map(|entry| text(&entry["act"])).collect();
    assert_eq!(
        acts,
        ["directory_deleted", "directory_changed", "directory_deactivated", "directory_created"]
    );
    assert_eq!(entries[0]["by"]["name"], "Ada");
    assert_eq!(entries[0]["reason"], "by the directory (SCIM)");
    assert!(text(&entries[1]["before"]).contains("name: Ben Lee"));
    assert!(text(&entries[1]["after"]).contains("name: Benny"));
}

#[tokio::test]
async fn created_account_logs_in_by_a_trusted_provider() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup().flag("--oidc-trust-email")).await;
    let ada = world.registers("Ada").await;
    let directory = world.directory(&ada).await;
    let id = text(&directory.creates(ben()).await["id"]).to_owned();
    let claims = json!({"sub": "9", "email": "ben@example.org"});
    assert_eq!(logs_in(&world, &issuer, &claims).await.id, id);
    assert_eq!(logs_in(&world, &issuer, &claims).await.id, id);
}

#[tokio::test]
async fn service_describes_itself() {
    let world = World::start().await;
    let ada = world.registers("Ada").await;
    let directory = world.directory(&ada).await;
    let config = resource(&directory.reads("/scim/v2/ServiceProviderConfig").await, 200);
    assert_eq!(config["filter"], json!({"supported": true, "maxResults": 200}));
    assert_eq!(
        (&config["patch"]["supported"], &config["bulk"]["supported"]),
        (&json!(true), &json!(false))
    );
    for (path, count) in [("/scim/v2/ResourceTypes", 2), ("/scim/v2/Schemas", 5)] {
        let list = resource(&directory.reads(path).await, 200);
        assert_eq!(list["totalResults"], count);
        for entry in list["Resources"].as_array().unwrap() {
            let one = directory.reads(&format!("{path}/{}", text(&entry["id"]))).await;
            assert_eq!(resource(&one, 200), *entry);
        }
    }
}
