//! Handing groups over (specification, section 4, `POST /groups/change_owners`).

use serde_json::{Value, json};

use crate::group_acts::member;
use crate::world::World;
use crate::world::person::Person;

async fn changes(person: &Person, requests: Value) -> Vec<Value> {
    let body = json!({"requests": requests});
    let answer = person.posts("/v3/groups/change_owners").json(&body).await.ok();
    serde_json::from_value(answer["results"].clone()).unwrap()
}

#[tokio::test]
async fn hand_over_makes_the_old_owner_an_admin() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let item = json!({"group_id": climbers.id, "owner_id": ben.id});
    let results = changes(&ana, json!([item])).await;
    assert_eq!(results, [json!({"group_id": climbers.id, "owner_id": ben.id, "status": "200"})]);
    let shown = ana.sees(&climbers).await;
    assert_eq!(shown["creator_user_id"], ben.id.as_str());
    assert_eq!(member(&shown, &ana)["roles"], json!(["admin"]));
    assert_eq!(member(&shown, &ben)["roles"], json!(["admin", "owner"]));
    let data = json!({"old_owner": ana.named(), "new_owner": ben.named()});
    let event = json!({"type": "group.owner_changed", "data": data});
    assert_eq!(ana.reads_events(&climbers, 1).await, [event]);
    ana.destroys(&climbers).await.refused(403);
    ben.destroys(&climbers).await.ok();
}

#[tokio::test]
async fn each_owner_change_has_its_own_status() {
    let world = World::start().await;
    let [ana, ben, eve] = world.people(["Ana", "Ben", "Eve"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let bens = ben.creates_group("Ben's").await;
    ben.adds(&ana, &bens).await;
    let gone = ana.creates_group("Gone").await;
    ana.destroys(&gone).await.ok();
    let number: u64 = climbers.id.parse().unwrap();
    let asked = [
        (json!({"group_id": climbers.id, "owner_id": ana.id}), "400"),
        (json!({"group_id": bens.id, "owner_id": eve.id}), "403"),
        (json!({"group_id": "99999999", "owner_id": ben.id}), "404"),
        (json!({"group_id": gone.id, "owner_id": ben.id}), "404"),
        (json!({"group_id": climbers.id, "owner_id": eve.id}), "404"),
        (json!({"group_id": climbers.id, "owner_id": "99999999"}), "404"),
        (json!({"group_id": climbers.id}), "405"),
        (json!({"owner_id": ben.id}), "405"),
        (json!({"group_id": "climbers", "owner_id": ben.id}), "405"),
        (json!({"group_id": climbers.id, "owner_id": "ben"}), "405"),
        (json!({"group_id": climbers.id, "owner_id": null}), "405"),
        (json!("climbers"), "405"),
        (json!({"group_id": number, "owner_id": ben.id}), "200"),
        // The previous request has made Ben the owner.
        (json!({"group_id": climbers.id, "owner_id": ben.id}), "403"),
    ];
    let requests: Vec<Value> = asked.iter().map(|(request, _)| request.clone()).collect();
    let results = changes(&ana, json!(requests)).await;
    let statuses: Vec<&str> = results.iter().map(|it| it["status"].as_str().unwrap()).collect();
    let expected: Vec<&str> = asked.iter().map(|(_, status)| *status).collect();
    assert_eq!(statuses, expected);
    assert_eq!(results[0]["group_id"], climbers.id.as_str());
    assert_eq!(results[9]["owner_id"], "ben");
}

#[tokio::test]
async fn somebody_outside_is_not_the_owner() {
    let world = World::start().await;
    let [ana, ben, eve] = world.people(["Ana", "Ben", "Eve"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    assert_eq!(eve.hands(&climbers, &ben).await, "403");
    assert_eq!(ana.sees(&climbers).await["creator_user_id"], ana.id.as_str());
}

#[tokio::test]
async fn a_former_member_cannot_be_made_owner() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ben.leaves(&climbers).await;
    assert_eq!(ana.hands(&climbers, &ben).await, "404");
}

#[tokio::test]
async fn requests_must_be_there_and_at_most_1000() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let ask = |body: Value| ana.posts("/v3/groups/change_owners").json(&body);
    assert_eq!(ask(json!({})).await.refused(400), ["requests is required"]);
    assert_eq!(ask(json!({"requests": 7})).await.refused(400), ["requests must be an array"]);
    ask(json!({"requests": vec![json!({}); 1001]})).await.refused(400);
    assert_eq!(ask(json!({"requests": []})).await.ok(), json!({"results": []}));
}
