//! Requests to become a member: accounts that entered an invited address which nobody confirmed.

use serde_json::{Value, json};

use crate::world::PASSWORD;
use crate::world::World;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

const PUBLIC: [&str; 2] = ["--public-url", "http://chat.example.org"];

/// A server for other machines, where Ana owns a group with Ben and Cem, and Ben invited the boss.
async fn invited() -> (World, [Person; 3], Group) {
    let world = World::with(Setup::default().option(PUBLIC[0], PUBLIC[1])).await;
    let (people, climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let items = json!([{"nickname": "Boss", "email": "boss@example.org"}]);
    assert!(people[1].adds_items(&climbers, items).await.is_empty());
    (world, people, climbers)
}

/// A stranger sets the invited address as theirs.
async fn enters_address(world: &World) -> Person {
    let mal = world.registers("Mal").await;
    mal.posts("/v3/users/update").json(&json!({"email": "Boss@example.org"})).await.ok();
    // The list waits until groups know of the new address.
    assert_eq!(mal.gets("/v3/groups").await.ok(), json!([]));
    mal
}

async fn pending(person: &Person, group: &Group) -> Vec<Value> {
    let listed = person.gets(&group.path("/pending_memberships")).await.ok();
    serde_json::from_value(listed).unwrap()
}

fn approval(
    person: &Person,
    group: &Group,
    request: &Value,
    is_approved: bool,
) -> crate::world::asking::Asking {
    let path = group.path(&format!("/members/{}/approval", text(&request["id"])));
    person.posts(&path).json(&json!({"approval": is_approved}))
}

#[tokio::test]
async fn unconfirmed_address_makes_a_join_request() {
    let (mut world, [ana, ben, cem], climbers) = invited().await;
    let mal = enters_address(&world).await;
    mal.gets(&climbers.path("")).await.refused(404);
    mal.gets(&climbers.path("/pending_memberships")).await.refused(404);
    world.restarts().await;
    for approver in [&ana, &ben] {
        let requests = pending(approver, &climbers).await;
        assert_eq!(requests.len(), 1, "{requests:?}");
        let request = &requests[0];
        assert_eq!(
            (&request["user_id"], &request["nickname"], &request["state"]),
            (&json!(mal.id), &json!("Mal"), &json!("requested_pending"))
        );
        assert_eq!(request["reason"]["question"]["text"], "Ben invited Boss");
        assert_eq!(request["reason"]["answer"]["response"], "boss@example.org");
        assert_eq!(request["reason"]["method"], "added");
    }
    assert!(pending(&cem, &climbers).await.is_empty());
    let request = pending(&ben, &climbers).await.remove(0);
    approval(&mal, &climbers, &request, true).await.refused(404);
    let errors = approval(&cem, &climbers, &request, true).await.refused(403);
    assert_eq!(errors, ["only the inviter, the owner and admins may decide this request"]);
    let mut feed = ana.listens().await;
    let decided = approval(&ben, &climbers, &request, true).await.ok();
    assert_eq!(decided["state"], "active");
    assert_eq!(decided["membership_id"].to_string(), text(&request["id"]));
    feed.hears_of("membership.requested").await;
    let joined = feed.hears_of("membership.create").await;
    assert_eq!(joined["data"]["memberships"][0]["nickname"], "Mal");
    assert_eq!(mal.gets("/v3/groups").await.ok()[0]["name"], "Climbers");
    assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, ["Mal has joined the group."]);
    // The approval is an act of Ben's.
    let unread = async |who: &Person| who.gets("/v3/groups").await.ok()[0]["unread_count"].clone();
    assert_eq!((unread(&ben).await, unread(&mal).await), (json!(0), json!(1)));
    assert!(pending(&ana, &climbers).await.is_empty());
    approval(&ana, &climbers, &request, false).await.refused(404);
}

#[tokio::test]
async fn denied_request_ends_and_its_invite_is_used_up() {
    let (mut world, [ana, ben, _], climbers) = invited().await;
    let mal = enters_address(&world).await;
    let request = pending(&ana, &climbers).await.remove(0);
    let path = climbers.path("/members/approvals");
    let body = json!({"approval": false, "membership_ids": [request["id"]]});
    let decided = ana.posts(&path).json(&body).await.ok();
    assert_eq!(decided["results"][0]["state"], "denied");
    for _ in 0..2 {
        assert!(pending(&ben, &climbers).await.is_empty());
        assert_eq!(mal.gets("/v3/groups").await.ok(), json!([]));
        mal.posts("/v3/users/update").json(&json!({"name": "Mallory"})).await.ok();
        world.restarts().await;
    }
    let errors = ana.posts(&path).json(&json!({})).await.refused(400);
    assert!(errors.contains(&"approval is required".to_owned()), "{errors:?}");
}

#[tokio::test]
async fn registration_with_an_invited_phone_number_makes_a_request() {
    let (world, [ana, ..], climbers) = invited().await;
    let items = json!([{"nickname": "Dee", "phone_number": "+1 555 010 1234"}]);
    ana.adds_items(&climbers, items).await;
    let dee = json!({"name": "Dora", "email": "dee@example.org", "password": PASSWORD,
        "phone_number": "15550101234"});
    let dee = Person::new(
        world.address.clone(),
        &world.post("/auth/register").json(&dee).await.created(),
    );
    assert_eq!(dee.gets("/v3/groups").await.ok(), json!([]));
    let requests = pending(&ana, &climbers).await;
    assert_eq!(requests[0]["nickname"], "Dora");
    // A user who comes in by the share link needs no approval, and the request ends.
    let token = ana.posts(&climbers.path("/update")).json(&json!({"share": true})).await.ok();
    let url = text(&token["share_url"]);
    let token = url.rsplit('/').next().unwrap();
    dee.posts(&climbers.path(&format!("/join/{token}"))).await.ok();
    assert!(pending(&ana, &climbers).await.is_empty());
}

#[tokio::test]
async fn account_with_the_address_is_added_at_once() {
    let (world, [ana, ..], climbers) = invited().await;
    let eve = world.registers("Eve").await;
    let items = json!([{"nickname": "E", "email": eve.email}]);
    assert_eq!(ana.adds_items(&climbers, items).await.len(), 1);
    assert!(pending(&ana, &climbers).await.is_empty());
}

#[tokio::test]
async fn open_requests_end_after_thirty_days_and_with_their_account() {
    let (world, [ana, ..], climbers) = invited().await;
    let mal = enters_address(&world).await;
    let request = pending(&ana, &climbers).await.remove(0);
    let deleted = json!({"password": PASSWORD});
    mal.address.asks("DELETE", "/auth/account").token(&mal.token).json(&deleted).await.ok();
    assert!(pending(&ana, &climbers).await.is_empty());
    world.seconds_pass(30 * 86_400);
    approval(&ana, &climbers, &request, true).await.refused(404);
}

/// The payload of `GET /requests`, which agrees with `GET /requests/count`.
async fn requests(person: &Person) -> Value {
    let all = person.gets("/v4/requests").await.ok();
    let counted = person.gets("/v4/requests/count").await.ok();
    assert_eq!(counted, json!({"counts": all["counts"]}));
    let received = all["group_requests_received"].as_array().unwrap().len();
    let counts = json!({"dm": 0, "received": received, "sent": 0, "total": received});
    assert_eq!(all["counts"], counts);
    assert_eq!((&all["dm_requests"], &all["group_requests_sent"]), (&json!([]), &json!([])));
    all["group_requests_received"].clone()
}

#[tokio::test]
async fn approvers_list_the_requests_of_their_groups() {
    let (mut world, [ana, ben, cem], climbers) = invited().await;
    let mal = enters_address(&world).await;
    for _ in 0..2 {
        for approver in [&ana, &ben] {
            let mut request = pending(approver, &climbers).await.remove(0);
            request["group_id"] = json!(climbers.id);
            assert_eq!(requests(approver).await, json!([request]));
        }
        // Neither other members nor the requester, to whom the group is unknown, see it.
        for other in [&cem, &mal] {
            assert_eq!(requests(other).await, json!([]));
        }
        let own = mal.gets("/v3/groups/pending_memberships").await.ok();
        assert_eq!(own, json!({"requests_sent": [], "requests_received": []}));
        world.restarts().await;
    }
    let request = pending(&ben, &climbers).await.remove(0);
    approval(&ben, &climbers, &request, false).await.ok();
    for person in [&ana, &ben] {
        assert_eq!(requests(person).await, json!([]));
    }
}

#[tokio::test]
async fn listed_requests_end_with_group_membership_and_time() {
    let (world, [ana, ben, _], climbers) = invited().await;
    let mut groups = vec![climbers];
    for name in ["Divers", "Runners"] {
        let group = ben.creates_group(name).await;
        let items = json!([{"nickname": "Boss", "email": "boss@example.org"}]);
        ben.adds_items(&group, items).await;
        groups.push(group);
    }
    enters_address(&world).await;
    let listed = async |person: &Person| -> Vec<String> {
        let listed = requests(person).await.as_array().unwrap().clone();
        listed.iter().map(|it| text(&it["group_id"]).to_owned()).collect()
    };
    assert_eq!(listed(&ben).await.len(), 3);
    assert_eq!(listed(&ana).await, [groups[0].id.as_str()]);
    ben.leaves(&groups[0]).await;
    ben.posts(&groups[1].path("/destroy")).await.ok();
    assert_eq!(listed(&ben).await, [groups[2].id.as_str()]);
    world.seconds_pass(30 * 86_400);
    for person in [&ana, &ben] {
        assert_eq!(listed(person).await, Vec::<String>::new());
    }
}
