//! Groups of a directory (SCIM), and the roles of operators that admins map them on.

use serde_json::{Value, json};

use crate::scim::{Directory, of, refused, resource};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Person, text};

const GROUPS: &str = "/scim/v2/Groups";

impl Directory {
    async fn creates_group(&self, name: &str, members: &[&Person]) -> Value {
        let members: Vec<Value> = members.iter().map(|it| json!({"value": it.id})).collect();
        let body = json!({"displayName": name, "externalId": format!("{name}-1"),
            "members": members});
        resource(&self.sends("POST", GROUPS, &body).await, 201)
    }

    async fn patches_group(&self, id: &Value, operations: Value) -> Answer {
        let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
        let body = json!({"schemas": [schema], "Operations": operations});
        self.sends("PATCH", &group(id), &body).await
    }

    /// The names of the groups of a list with this query.
    async fn lists(&self, query: &str) -> (Value, Vec<String>) {
        let list = resource(&self.reads(&format!("{GROUPS}?{query}")).await, 200);
        let found = list["Resources"].as_array().unwrap().iter();
        let names = found.map(|it| text(&it["displayName"]).to_owned()).collect();
        (list["totalResults"].clone(), names)
    }

    async fn filters(&self, filter: &str) -> Vec<String> {
        let query: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
        self.lists(&format!("filter={query}")).await.1
    }
}

impl Person {
    async fn maps(&self, id: &Value, role: Value) -> Answer {
        let body = json!({"role": role, "reason": "as agreed"});
        self.asks("PUT", &format!("/v3/admin/directory_groups/{}", text(id))).json(&body).await
    }

    async fn role_of(&self, other: &Self) -> Value {
        self.gets(&format!("/v3/admin/users/{}", other.id)).await.ok()["role"].clone()
    }
}

fn group(id: &Value) -> String {
    format!("{GROUPS}/{}", text(id))
}

fn members(group: &Value) -> Vec<&str> {
    group["members"].as_array().unwrap().iter().map(|it| text(&it["value"])).collect()
}

#[tokio::test]
async fn directory_creates_lists_and_deletes_groups() {
    let mut world = World::start().await;
    let [ada, ben, cem] = world.people(["Ada", "Ben", "Cem"]).await;
    let directory = world.directory(&ada).await;
    let body = json!({"displayName": "Staff", "externalId": "Staff-1",
        "members": [{"value": ben.id, "display": "Ben"}], "department": "7"});
    let answer = directory.sends("POST", GROUPS, &body).await;
    let staff = resource(&answer, 201);
    let location = format!("{}{}", world.address.url(""), group(&staff["id"]));
    assert_eq!(answer.header("location"), Some(location.as_str()));
    assert_eq!(staff["meta"]["location"], json!(location));
    assert_eq!(
        (&staff["meta"]["resourceType"], members(&staff)),
        (&json!("Group"), vec![&*ben.id])
    );
    let others = directory.creates_group("Others", &[&ben, &cem]).await;
    for (filter, names) in [
        ("displayName eq \"STAFF\"", &["Staff"][..]),
        ("externalId eq \"Others-1\"", &["Others"]),
        ("externalId eq \"others-1\"", &[]),
        (&format!("members eq \"{}\"", ben.id), &["Staff", "Others"]),
        (&format!("id eq \"{}\" and members eq \"{}\"", text(&others["id"]), cem.id), &["Others"]),
        (&format!("id eq \"{}\" and members eq \"{}\"", text(&staff["id"]), cem.id), &[]),
    ] {
        assert_eq!(directory.filters(filter).await, names, "{filter}");
    }
    assert_eq!(directory.lists("startIndex=2&count=1").await, (json!(2), vec!["Others".into()]));
    let only = resource(&directory.reads(&format!("{GROUPS}?attributes=id")).await, 200);
    assert_eq!(only["Resources"][0].as_object().unwrap().len(), 2);
    let search = json!({"filter": "displayName eq \"staff\"", "excludedAttributes": ["members"]});
    let path = format!("{GROUPS}/.search");
    let searched = resource(&directory.sends("POST", &path, &search).await, 200);
    assert_eq!(searched["Resources"][0]["displayName"], "Staff");
    assert!(searched["Resources"][0].get("members").is_none());
    // Without a type, accounts come first.
    let search = json!({"startIndex": 3, "count": 2, "attributes": ["displayName"]});
    let all = resource(&directory.sends("POST", "/scim/v2/.search", &search).await, 200);
    let names = all["Resources"].as_array().unwrap().iter().map(|it| text(&it["displayName"]));
    assert_eq!(
        (&all["totalResults"], names.collect::<Vec<_>>()),
        (&json!(5), vec!["Cem", "Staff"])
    );
    let search = json!({"filter": "displayName eq \"others\""});
    let one = resource(&directory.sends("POST", "/scim/v2/.search", &search).await, 200);
    assert_eq!((&one["totalResults"], &one["Resources"][0]["id"]), (&json!(1), &others["id"]));
    let user = resource(&directory.reads(&of(&ben.id)).await, 200);
    let joined = user["groups"].as_array().unwrap();
    assert_eq!(joined.len(), 2);
    assert_eq!((&joined[0]["value"], &joined[0]["display"]), (&staff["id"], &json!("Staff")));
    world.restarts().await;
    let directory = Directory { address: world.address.clone(), ..directory };
    let mut read = resource(&directory.reads(&group(&staff["id"])).await, 200);
    assert_eq!(members(&read), [&*ben.id]);
    // The server listens on another port now.
    read["meta"] = staff["meta"].clone();
    read["members"] = staff["members"].clone();
    assert_eq!(read, staff);
    let path = group(&staff["id"]);
    let deleted = directory.address.asks("DELETE", &path).token(&directory.token).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    for method in ["GET", "DELETE"] {
        let again = directory.address.asks(method, &path).token(&directory.token).await;
        assert_eq!(refused(&again, 404).1, "there is no such group");
    }
    // The id is not given again.
    assert_ne!(directory.creates_group("New", &[]).await["id"], staff["id"]);
}

#[tokio::test]
async fn entra_and_okta_change_groups_in_their_forms() {
    let world = World::start().await;
    let [ada, ben, cem] = world.people(["Ada", "Ben", "Cem"]).await;
    let directory = world.directory(&ada).await;
    let id = directory.creates_group("Staff", &[]).await["id"].clone();
    let both = json!([{"value": ben.id}, {"value": cem.id}]);
    for (operation, left) in [
        (json!({"op": "Add", "path": "members", "value": both}), vec![&*ben.id, &*cem.id]),
        (json!({"op": "Remove", "path": "members", "value": [{"value": ben.id}]}), vec![&*cem.id]),
        (json!({"op": "add", "value": {"members": [{"value": ada.id}]}}), vec![&*ada.id, &*cem.id]),
        (
            json!({"op": "remove", "path": format!("members[value eq \"{}\"]", cem.id)}),
            vec![&*ada.id],
        ),
        (json!({"op": "replace", "path": "members", "value": both}), vec![&*ben.id, &*cem.id]),
        (json!({"op": "remove", "path": "members"}), vec![]),
    ] {
        let patched = directory.patches_group(&id, json!([operation.clone()])).await;
        assert_eq!(members(&resource(&patched, 200)), left, "{operation}");
    }
    let renamed = json!([{"op": "replace", "value": {"id": id, "displayName": "Crew"}}]);
    let renamed = resource(&directory.patches_group(&id, renamed).await, 200);
    assert_eq!(
        (&renamed["displayName"], &renamed["externalId"]),
        (&json!("Crew"), &json!("Staff-1"))
    );
    let body = json!({"displayName": "All", "members": both});
    let replaced = resource(&directory.sends("PUT", &group(&id), &body).await, 200);
    assert_eq!((&replaced["displayName"], members(&replaced).len()), (&json!("All"), 2));
    // Deleted resources are no members.
    let gone = directory.address.asks("DELETE", &of(&ben.id)).token(&directory.token).await;
    assert_eq!(gone.status, 204);
    assert_eq!(members(&resource(&directory.reads(&group(&id)).await, 200)), [&*cem.id]);
}

#[tokio::test]
async fn mapped_group_gives_and_takes_a_role() {
    let world = World::start().await;
    let [ada, ben, cem, dan] = world.people(["Ada", "Ben", "Cem", "Dan"]).await;
    let directory = world.directory(&ada).await;
    world.promotes(&cem, Some("admin"));
    let id = directory.creates_group("Helpdesk", &[&ben, &cem]).await["id"].clone();
    assert!(ada.role_of(&ben).await.is_null());
    let mapped = ada.maps(&id, json!("moderator")).await.ok();
    assert_eq!((&mapped["role"], &mapped["members"]), (&json!("moderator"), &json!(2)));
    assert_eq!(ada.role_of(&ben).await, "moderator");
    // A role that an operator gave stays.
    assert_eq!(ada.role_of(&cem).await, "admin");
    ben.gets("/v3/admin/users").await.ok();
    let member = |who: &Person| json!([{"value": who.id}]);
    let joins = json!([{"op": "add", "path": "members", "value": member(&dan)}]);
    resource(&directory.patches_group(&id, joins).await, 200);
    assert_eq!(ada.role_of(&dan).await, "moderator");
    let leaves = json!([{"op": "remove", "path": "members", "value": member(&ben)}]);
    resource(&directory.patches_group(&id, leaves.clone()).await, 200);
    assert!(ada.role_of(&ben).await.is_null());
    ben.gets("/v3/admin/users").await.refused(404);
    // A repeated request changes nothing more.
    resource(&directory.patches_group(&id, leaves).await, 200);
    ada.maps(&id, json!("auditor")).await.ok();
    assert_eq!(ada.role_of(&dan).await, "auditor");
    let other = directory.creates_group("Night shift", &[&dan]).await["id"].clone();
    ada.maps(&other, json!("moderator")).await.ok();
    assert_eq!(ada.role_of(&dan).await, "moderator");
    directory.address.asks("DELETE", &group(&other)).token(&directory.token).await;
    assert_eq!(ada.role_of(&dan).await, "auditor");
    ada.maps(&id, Value::Null).await.ok();
    assert!(ada.role_of(&dan).await.is_null());
    assert_eq!(ada.role_of(&cem).await, "admin");
    let log = ada.gets(&format!("/v3/admin/audit?target={}", dan.id)).await.ok();
    let roles: Vec<&Value> =
        log["entries"].as_array().unwrap().iter().map(|it| &it["after"]).collect();
    assert_eq!(roles, ["none", "auditor", "moderator", "auditor", "moderator"]);
    let log = ada.gets("/v3/admin/audit?act=directory_group_mapped").await.ok();
    assert!(text(&log["entries"][0]["before"]).contains("role: auditor"));
    assert_eq!(log["entries"][0]["reason"], "as agreed");
}

#[tokio::test]
async fn last_admin_stays_when_groups_change() {
    let world = World::start().await;
    let [ada, ben] = world.people(["Ada", "Ben"]).await;
    let directory = world.directory(&ada).await;
    let id = directory.creates_group("Admins", &[&ada, &ben]).await["id"].clone();
    ada.maps(&id, json!("admin")).await.ok();
    assert_eq!(ada.role_of(&ben).await, "admin");
    // The token of the directory acts with the rights of Ada.
    let alone = json!([{"op": "remove", "path": format!("members[value eq \"{}\"]", ada.id)}]);
    let (_, reason) = refused(&directory.patches_group(&id, alone).await, 409);
    assert!(reason.starts_with("the token of the directory belongs to a member"), "{reason}");
    ada.maps(&id, Value::Null).await.refused(409);
    let both = resource(&directory.reads(&group(&id)).await, 200);
    assert_eq!(members(&both).len(), 2);
    assert_eq!(
        (ada.role_of(&ada).await, ada.role_of(&ben).await),
        (json!("admin"), json!("admin"))
    );
}

#[tokio::test]
async fn refusals_of_groups_have_the_form_of_scim() {
    let world = World::start().await;
    let [ada, cem] = world.people(["Ada", "Cem"]).await;
    let directory = world.directory(&ada).await;
    let id = directory.creates_group("Staff", &[]).await["id"].clone();
    let creates = async |body: Value| directory.sends("POST", GROUPS, &body).await;
    for (body, detail) in [
        (json!({"members": []}), "displayName is required"),
        (json!({"displayName": "a", "members": [{"value": "9"}]}), "members: no user 9"),
        (json!({"displayName": "a", "members": [{"value": "x"}]}), "members: no user x"),
    ] {
        let (kind, reason) = refused(&creates(body).await, 400);
        assert_eq!((kind.as_str(), reason.as_str()), ("invalidValue", detail));
    }
    let removal = json!([{"op": "remove", "path": "displayName"}]);
    assert_eq!(refused(&directory.patches_group(&id, removal).await, 400).0, "mutability");
    let filter = format!("{GROUPS}?filter=displayName%20co%20%22b%22");
    assert_eq!(refused(&directory.reads(&filter).await, 400).0, "invalidFilter");
    for path in ["/scim/v2/Groups/x", "/scim/v2/Groups/99"] {
        refused(&directory.reads(path).await, 404);
    }
    refused(&world.address.asks("GET", GROUPS).await, 401);
    refused(&cem.gets(GROUPS).await, 404);
    ada.maps(&json!("99"), json!("admin")).await.refused(404);
    ada.maps(&id, json!("owner")).await.refused(400);
    world.promotes(&cem, Some("auditor"));
    let list = cem.gets("/v3/admin/directory_groups").await.ok();
    assert_eq!(list["groups"][0]["name"], "Staff");
    cem.maps(&id, json!("admin")).await.refused(403);
    world.seconds_pass(11 * 60);
    ada.maps(&id, json!("admin")).await.refused(403);
}
