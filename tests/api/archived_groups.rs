//! Groups at a standstill: archived by their owner, or frozen by operators; and what else operators
//! do to groups.

use serde_json::{Value, json};

use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

const ARCHIVED: &str =
    "this group is archived; until its owner takes it out, you can only read and leave";
const FROZEN: &str = "the operators of this server have frozen this group";

impl Person {
    async fn archives(&self, group: &Group, act: &str) -> Answer {
        self.posts(&group.path(&format!("/{act}"))).await
    }

    /// The names of the person's groups, archived or not.
    async fn names_of_groups(&self, are_archived: bool) -> Vec<String> {
        let listed = self.gets(&format!("/v3/groups?archived={are_archived}")).await.ok();
        let name = |it: &Value| text(&it["name"]).to_owned();
        listed.as_array().unwrap().iter().map(name).collect()
    }

    /// What the person may do in a group, as it says.
    async fn acts_left(&self, group: &Group) -> Vec<String> {
        let allowed = self.gets(&group.path("/permissions")).await.ok()["may"].clone();
        assert_eq!(self.gets(&group.path("")).await.ok()["may"], allowed);
        serde_json::from_value(allowed).unwrap()
    }
}

/// Every way to write into a group: the requests and what they must not change.
async fn tries_to_write(by: &Person, group: &Group, message: &Value) -> Vec<Answer> {
    let id = text(&message["id"]);
    let conversation = format!("/v3/conversations/{}", group.id);
    let poll = json!({"subject": "when?", "options": [{"title": "now"}, {"title": "later"}],
        "expiration": 1_900_000_000});
    let event = json!({"name": "Climbing", "start_at": "2027-03-01T10:00:00Z",
        "end_at": "2027-03-01T12:00:00Z", "timezone": "Europe/Berlin", "is_all_day": false});
    vec![
        by.posting(group, json!({"text": "anybody?"})).await,
        by.asks("PUT", &format!("{conversation}/messages/{id}")).json(&json!({"text": "x"})).await,
        by.posts(&format!("/v3/messages/{}/{id}/like", group.id)).await,
        by.posts(&format!("{conversation}/messages/{id}/pin")).await,
        by.posts(&format!("/v3/poll/{}", group.id)).json(&poll).await,
        by.posts(&format!("{conversation}/events/create")).json(&event).await,
        by.posts(&group.path("/update")).json(&json!({"name": "Bergsteiger"})).await,
        by.posts(&group.path("/memberships/update"))
            .json(&json!({"membership": {"nickname": "Chief"}}))
            .await,
        by.posts(&group.path("/members/add"))
            .json(&json!({"members": [{"nickname": "Dan", "email": "dan@example.org"}]}))
            .await,
    ]
}

#[tokio::test]
async fn archived_group_is_read_and_taken_out_by_its_owner() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let cem = world.registers("Cem").await;
    let shared = ana.posts(&climbers.path("/update")).json(&json!({"share": true})).await.ok();
    let join = text(&shared["share_url"]).split("/join_group/").nth(1).unwrap().to_owned();
    let join = format!("/v3/groups/{}/join/{}", climbers.id, join.split('/').next_back().unwrap());
    let said = ana.says(&climbers, "rope at six").await;
    let before = ana.acts_left(&climbers).await;
    assert_eq!(ben.archives(&climbers, "archive").await.refused(403).len(), 1);
    assert_eq!(cem.archives(&climbers, "archive").await.status, 404);
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    for _ in 0..2 {
        let archived = ana.archives(&climbers, "archive").await.ok();
        assert_eq!(archived["archived_at"], json!(world.clock_seconds()));
    }
    let live = vec![feed.next().await, feed.next().await];
    assert_eq!(
        (&live[0]["type"], &live[0]["data"]["archived_at"]),
        (&json!("group.update"), &json!(world.clock_seconds()))
    );
    assert_eq!(live[1]["data"]["text"], "Ana archived the group.");
    assert_eq!(live[1]["data"]["event"]["type"], "group.archived");
    replays_the_same(&ben, &start, &live).await;
    for _ in 0..2 {
        for who in [&ana, &ben] {
            for (number, refused) in
                tries_to_write(who, &climbers, &said).await.into_iter().enumerate()
            {
                assert_eq!(refused.refused(403), [ARCHIVED], "write {number} of {}", who.name);
            }
            assert_eq!(who.names_of_groups(false).await, [""; 0]);
            assert_eq!(who.names_of_groups(true).await, ["Climbers"]);
            let snapshot = who.gets("/v3/sync?parts=groups").await.ok();
            assert!(snapshot["groups"][0]["group"]["archived_at"].is_u64());
            assert_eq!(who.reads(&climbers, "").await.len(), 4);
        }
        assert_eq!(cem.posts(&join).await.refused(403), [ARCHIVED]);
        world.restarts().await;
    }
    assert_eq!(ben.acts_left(&climbers).await, ["read", "report", "leave"]);
    ben.leaves(&climbers).await;
    assert_eq!(
        ben.posts("/v3/groups/join").json(&json!({"group_id": climbers.id})).await.refused(403),
        [ARCHIVED]
    );
    let out = ana.archives(&climbers, "unarchive").await.ok();
    assert_eq!(out["archived_at"], Value::Null);
    assert_eq!(ana.names_of_groups(false).await, ["Climbers"]);
    assert_eq!(ana.acts_left(&climbers).await, before);
    ana.says(&climbers, "and on").await;
    cem.posts(&join).await.ok();
    ana.archives(&climbers, "archive").await.ok();
    ana.posts(&climbers.path("/destroy")).await.ok();
    assert_eq!(ana.names_of_groups(true).await, [""; 0]);
}

#[tokio::test]
async fn operators_freeze_groups_with_a_reason() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [mo, cem] = world.people(["Mo", "Cem"]).await;
    world.promotes(&mo, Some("moderator"));
    let said = ana.says(&climbers, "rope at six").await;
    ana.posts(&climbers.path("/update")).json(&json!({"visibility": "searchable"})).await.ok();
    let at = |act: &str| format!("/v3/admin/groups/{}{act}", climbers.id);
    let operates = async |act: &str| mo.posts(&at(act)).json(&json!({"reason": "spam"})).await;
    assert_eq!(operates("/unfreeze").await.refused(409), ["this group is not frozen"]);
    assert_eq!(
        mo.posts(&at("/freeze")).json(&json!({})).await.refused(400),
        ["reason is required"]
    );
    assert_eq!(ana.posts(&at("/freeze")).json(&json!({"reason": "x"})).await.status, 404);
    let nowhere = mo.posts("/v3/admin/groups/99/freeze").json(&json!({"reason": "x"})).await;
    assert_eq!(nowhere.refused(404), ["there is no such group"]);
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let shown = json!({"at": world.clock_seconds(), "reason": "spam"});
    assert_eq!(operates("/freeze").await.ok()["frozen"], shown);
    assert_eq!(operates("/freeze").await.refused(409), ["this group is frozen already"]);
    let live = vec![feed.next().await, feed.next().await];
    assert_eq!(live[0]["data"]["frozen"], shown);
    let line = "The operators of this server have frozen the group: spam";
    assert_eq!(live[1]["data"]["text"], line);
    assert_eq!(
        live[1]["data"]["event"],
        json!({"type": "group.frozen", "data": {"reason": "spam"}})
    );
    replays_the_same(&ben, &start, &live).await;
    let found = cem.gets("/v3/directory").await;
    assert!(found.status != 200 || !found.ok().to_string().contains("Climbers"));
    for _ in 0..2 {
        for refused in tries_to_write(&ana, &climbers, &said).await {
            assert_eq!(refused.refused(403), [FROZEN]);
        }
        assert_eq!(ana.archives(&climbers, "archive").await.refused(403), [FROZEN]);
        assert_eq!(ana.posts(&climbers.path("/destroy")).await.refused(403), [FROZEN]);
        world.restarts().await;
    }
    // What looks after the group goes on.
    let deletes = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    assert_eq!(ana.asks("DELETE", &deletes).await.refused(403), [FROZEN], "one's own is a write");
    ana.removes(&ben, &climbers).await;
    assert_eq!(operates("/unlist").await.ok()["visibility"], "hidden");
    assert_eq!(operates("/unlist").await.refused(409), ["this group is not in the directory"]);
    assert_eq!(ana.posts(&climbers.path("/copy")).await.refused(403), [FROZEN]);
    assert_eq!(operates("/unfreeze").await.ok()["frozen"], Value::Null);
    ana.says(&climbers, "and on").await;
    let audit = mo.gets("/v3/admin/audit").await.ok();
    let acts = audit["entries"].as_array().unwrap();
    let acts: Vec<_> = acts.iter().map(|it| (text(&it["act"]), text(&it["group_id"]))).collect();
    let id = climbers.id.as_str();
    assert_eq!(acts, [("group_unfrozen", id), ("group_unlisted", id), ("group_frozen", id)]);
    let own = ana.gets(&climbers.path("/audit")).await.ok();
    let by = own["entries"].as_array().unwrap().iter().filter(|it| it["by"]["kind"] == "operator");
    assert_eq!(by.count(), 3);
}

#[tokio::test]
async fn admins_disband_any_group() {
    let world = World::start().await;
    let ([ana, _ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [mo, ada] = world.people(["Mo", "Ada"]).await;
    world.promotes(&mo, Some("moderator"));
    world.promotes(&ada, Some("admin"));
    let at = format!("/v3/admin/groups/{}", climbers.id);
    let disbands = async |by: &Person| {
        by.asks("DELETE", &at).json(&json!({"reason": "as the law asks"})).await
    };
    assert_eq!(disbands(&mo).await.status, 403);
    let mut feed = ana.listens().await;
    assert_eq!(disbands(&ada).await.ok(), Value::Null);
    feed.hears_of("group.delete").await;
    assert_eq!(disbands(&ada).await.refused(404), ["there is no such group"]);
    assert_eq!(ana.names_of_groups(false).await, [""; 0]);
    let audit = ada.gets("/v3/admin/audit").await.ok();
    assert_eq!(audit["entries"][0]["act"], "group_destroyed");
}
