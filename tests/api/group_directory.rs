//! The directory of searchable groups: who finds which group, and joining from there.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};

const DIRECTORY: &str = "/v3/directory";

impl Person {
    async fn publishes(&self, group: &Group) {
        let changed = self.updates(group, json!({"visibility": "searchable"})).await.ok();
        assert_eq!(changed["visibility"], "searchable");
    }

    /// The names of the groups in the directory with these words, and the number of all.
    async fn finds(&self, words: &str) -> (Vec<String>, Value) {
        let found = self.gets(&format!("{DIRECTORY}?q={words}")).await.ok();
        let groups = found["groups"].as_array().unwrap();
        (groups.iter().map(|it| text(&it["name"]).to_owned()).collect(), found["count"].clone())
    }

    async fn walks_in(&self, group: &Group) -> crate::world::answer::Answer {
        self.posts(&group.path("/join")).await
    }
}

fn rejection(refused: &crate::world::answer::Answer) -> Value {
    let whole: Value = serde_json::from_str(&refused.text).unwrap();
    whole["meta"]["details"]["rejection_reason"].clone()
}

#[tokio::test]
async fn words_of_name_and_description_find_searchable_groups() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let body = json!({"name": "\u{c9}toile", "description": "Ropes and stars",
        "visibility": "searchable"});
    let stars = ana.posts("/v3/groups").json(&body).await.created();
    assert_eq!(cem.finds("climb").await, (vec![], json!(0)));
    ana.publishes(&climbers).await;
    assert_eq!(ana.reads_events(&climbers, 1).await[0]["type"], "group.visibility_set.searchable");
    let both = (vec!["Climbers".to_owned(), "\u{c9}toile".to_owned()], json!(2));
    for _ in 0..2 {
        assert_eq!(cem.finds("").await, both, "most members first");
        assert_eq!(cem.finds("CLIMB").await, (vec!["Climbers".to_owned()], json!(1)));
        assert_eq!(cem.finds("etoile%20ropes").await, (vec!["\u{c9}toile".to_owned()], json!(1)));
        assert_eq!(cem.finds("etoile%20knots").await, (vec![], json!(0)));
        let found = cem.gets(&format!("{DIRECTORY}?q=stars")).await.ok();
        let expected = json!({"id": stars["id"], "name": "\u{c9}toile",
            "description": "Ropes and stars", "avatar_url": null, "directory_id": "",
            "group_type": "private", "max_members": 10_000, "members_count": 1,
            "children_count": 0, "locations": [], "requires_approval": false,
            "membership_state": null});
        assert_eq!(found, json!({"groups": [expected], "count": 1}));
        world.rebuilds_index().await;
    }
    let page = cem.gets(&format!("{DIRECTORY}?from=1&per_page=1")).await.ok();
    assert_eq!((&page["groups"][0]["id"], &page["count"]), (&stars["id"], &json!(2)));
    let listed = ben.gets(&format!("{DIRECTORY}?q=climb")).await.ok();
    assert_eq!(listed["groups"][0]["membership_state"], "active");
    ana.updates(&climbers, json!({"visibility": "hidden", "name": "Divers"})).await.ok();
    assert_eq!(cem.finds("divers").await, (vec![], json!(0)));
    let stars = Group { id: text(&stars["id"]).to_owned() };
    ana.posts(&stars.path("/destroy")).await.ok();
    assert_eq!(cem.finds("").await, (vec![], json!(0)));
}

#[tokio::test]
async fn visibility_belongs_to_owner_and_admins() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ben.updates(&climbers, json!({"visibility": "hidden"})).await.ok();
    ben.updates(&climbers, json!({"visibility": "searchable"})).await.refused(403);
    let wrong = ana.updates(&climbers, json!({"visibility": "community"})).await.refused(400);
    assert_eq!(wrong, ["visibility must be hidden or searchable"]);
    let wrong = ana.gets(&format!("{DIRECTORY}?q={}&per_page=0", "x".repeat(101))).await;
    let wrong = wrong.refused(400);
    assert!(wrong[0].starts_with("q is too long: 101"), "{wrong:?}");
    assert_eq!(wrong[1], "per_page must be a whole number above zero");
}

#[tokio::test]
async fn strangers_walk_into_a_searchable_group_and_hidden_ones_do_not_exist() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem, dan] = world.people(["Cem", "Dan"]).await;
    let preview = climbers.path("/preview");
    let unknown = cem.gets("/v3/groups/99999999/preview").await;
    let hidden = cem.gets(&preview).await;
    assert_eq!((hidden.status, &hidden.text), (404, &unknown.text));
    cem.walks_in(&climbers).await.refused(404);
    assert_eq!(ben.gets(&preview).await.ok()["membership_state"], "active");
    world.get(&preview).await.refused(401);
    ana.publishes(&climbers).await;
    let shown = cem.gets(&preview).await.ok();
    assert_eq!(
        shown,
        json!({"id": climbers.id, "name": "Climbers", "description": null, "image_url": null,
        "members_count": 2, "type": "private", "requires_approval": false,
        "show_join_question": false, "join_question": null, "children_count": 0,
        "membership_state": null})
    );
    let joined = cem.walks_in(&climbers).await.ok();
    assert_eq!(joined["group"]["members"].as_array().unwrap().len(), 3);
    cem.walks_in(&climbers).await.ok();
    let listed = dan.gets(DIRECTORY).await.ok();
    assert_eq!(listed["groups"][0]["members_count"], 3);
    ana.removes(&cem, &climbers).await.ok();
    cem.walks_in(&climbers).await.refused(403);
    let listed = cem.gets(DIRECTORY).await.ok();
    let group = &listed["groups"][0];
    assert_eq!(
        (&group["membership_state"], &group["members_count"]),
        (&json!("removed"), &json!(2))
    );
    ben.leaves(&climbers).await;
    ana.updates(&climbers, json!({"visibility": "hidden"})).await.ok();
    ben.walks_in(&climbers).await.ok();
}

#[tokio::test]
async fn question_is_answered_and_request_withdrawn() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let [cem] = world.people(["Cem"]).await;
    let change = json!({"visibility": "searchable", "requires_approval": true,
        "show_join_question": true});
    ana.updates(&climbers, change).await.ok();
    let refused = cem.walks_in(&climbers).await;
    refused.refused(400);
    assert_eq!(rejection(&refused), "answer_required");
    let body = json!({"answer": {"response": "To climb."}});
    let asked = cem.posts(&climbers.path("/join")).json(&body).await.accepted();
    assert_eq!(asked["group"]["membership_state"], "requested_pending");
    let pending = ana.gets(&climbers.path("/pending_memberships")).await.ok();
    assert_eq!(pending[0]["reason"]["method"], "discoverable");
    assert_eq!(pending[0]["reason"]["answer"]["response"], "To climb.");
    let state = async || cem.gets(DIRECTORY).await.ok()["groups"][0]["membership_state"].clone();
    assert_eq!(state().await, "requested_pending");
    cem.asks("DELETE", &climbers.path("/revoke_join")).await.ok();
    assert_eq!(state().await, json!(null));
    let dialect = format!("/compat{}", climbers.path("/join"));
    let again = cem.posts(&dialect).json(&body).await;
    let again: Value = serde_json::from_str(&again.text).unwrap();
    assert_eq!(again["meta"]["code"], 20_101);
    let id = text(&again["response"]["membership"]["id"]).to_owned();
    let approval = climbers.path(&format!("/members/{id}/approval"));
    ana.posts(&approval).json(&json!({"approval": false})).await.ok();
    assert_eq!(state().await, "denied");
}

#[tokio::test]
async fn banned_users_find_no_group_that_bans_them() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let [cem] = world.people(["Cem"]).await;
    ana.publishes(&climbers).await;
    let ban = climbers.path(&format!("/bans/{}", cem.id));
    ana.asks("PUT", &ban).json(&json!({})).await.ok();
    assert_eq!(cem.finds("").await, (vec![], json!(0)));
    cem.gets(&climbers.path("/preview")).await.refused(404);
    let refused = cem.walks_in(&climbers).await;
    refused.refused(403);
    assert_eq!(rejection(&refused), "banned");
    ana.asks("DELETE", &ban).await.ok();
    assert_eq!(cem.finds("").await, (vec!["Climbers".to_owned()], json!(1)));
}

#[tokio::test]
async fn clients_of_the_original_service_search_in_their_lists() {
    let world = World::start().await;
    let ([ana, _ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let divers = ana.creates_group("Divers").await;
    ana.publishes(&climbers).await;
    world.seconds_pass(5);
    ana.publishes(&divers).await;
    let ids = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|it| it["id"].clone()).collect()
    };
    let both = [json!(climbers.id), json!(divers.id)];
    for path in ["/v1/search", "/v1/search/popular"] {
        let found = cem.gets(&format!("{path}?query=&from=0&per_page=10")).await.ok();
        assert_eq!(ids(&found["popular"]), both);
        assert_eq!([&found["directories"], &found["nearby"], &found["trending"]], [&json!([]); 3]);
    }
    let found = cem.gets("/v1/search?query=dive").await.ok();
    assert_eq!(ids(&found["popular"]), [json!(divers.id)]);
    let found = cem.gets("/v1/search/trending").await.ok();
    assert_eq!(ids(&found["trending"]), [json!(divers.id), json!(climbers.id)]);
    world.seconds_pass(5);
    cem.walks_in(&climbers).await.ok();
    assert_eq!(ids(&cem.gets("/v1/search/trending").await.ok()["trending"]), both);
    let nearby = cem.gets("/v1/search/nearby").await.ok();
    assert_eq!(nearby, json!({"directories": [], "nearby": [], "popular": [], "trending": []}));
}

#[tokio::test]
async fn directory_is_off_where_operators_switch_it_off() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    ana.publishes(&climbers).await;
    let settings = "/v3/admin/settings";
    let wrong = json!({"directory": "maybe", "reason": "why"});
    let wrong = admin.asks("PUT", settings).json(&wrong).await.refused(400);
    assert_eq!(wrong, ["directory must be on, off or null"]);
    let off = json!({"directory": "off", "reason": "a private place"});
    let off = admin.asks("PUT", settings).json(&off).await.ok();
    assert_eq!(off["directory"], json!({"value": "off", "source": "setting"}));
    for path in
        [DIRECTORY, "/v1/search", "/v1/search/popular", "/v1/search/trending", "/v1/search/nearby"]
    {
        cem.gets(path).await.refused(404);
    }
    cem.gets(&climbers.path("/preview")).await.refused(404);
    ben.gets(&climbers.path("/preview")).await.ok();
    cem.walks_in(&climbers).await.refused(404);
    let on = json!({"directory": null, "reason": "found again"});
    admin.asks("PUT", settings).json(&on).await.ok();
    cem.walks_in(&climbers).await.ok();
}
