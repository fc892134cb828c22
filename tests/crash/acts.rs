//! Requests that concern many rooms: the server is killed in the middle of them, and completes them
//! when it starts again.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::asking::{Person, starts};

/// How many groups Ben is in.
const GROUPS: usize = 24;

/// Tries until `look` returns Ok, for half a minute or so: work that continues after a start may be
/// slow.
async fn becomes<T>(mut look: impl AsyncFnMut() -> Result<T, String>) -> T {
    let mut why = String::new();
    for _ in 0..3000 {
        match look().await {
            Ok(found) => return found,
            Err(not_yet) => why = not_yet,
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{why}");
}

/// Creates many groups of Ana's with Ben as a member. Returns Ben's id and the ids of the groups.
async fn fixture(ana: &Person, ben: &Person) -> (String, Vec<String>) {
    let (_, me) = ben.gets("/v3/users/me").await;
    let id = me["id"].as_str().unwrap().to_owned();
    let mut groups = Vec::new();
    for number in 0..GROUPS {
        let group = ana.creates_group(&format!("group {number}")).await;
        let items = json!({"members": [{"nickname": "B", "user_id": id}]});
        let path = format!("/v3/groups/{group}/members/add");
        assert_eq!(ana.posts(&path, &items).await.unwrap().0, 202);
        groups.push(group);
    }
    for group in &groups {
        becomes(async || member(ana, group, &id).await.ok_or("not added yet".to_owned())).await;
    }
    (id, groups)
}

/// A user as a member of a group, as another member sees them; None if they are not in the group.
async fn member(by: &Person, group: &str, id: &str) -> Option<Value> {
    let (status, shown) = by.gets(&format!("/v3/groups/{group}")).await;
    assert_eq!(status, 200, "{shown}");
    let members = shown["members"].as_array().unwrap();
    members.iter().find(|it| it["user_id"] == id).cloned()
}

/// A new name is sent to every group: when the server is killed, only some of them have it.
#[tokio::test]
async fn a_new_name_reaches_every_group_also_after_a_kill() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let mut ana = Person::registered(&program).await;
    let mut ben = Person::called("Ben", &program).await;
    let (id, groups) = fixture(&ana, &ben).await;
    let mut program = program;
    for round in 0..4 {
        let name = format!("Benjamin {round}");
        let renaming = {
            let (ben, name) = (ben.clone(), name.clone());
            tokio::spawn(async move {
                ben.posts("/v3/users/update", &json!({"name": name})).await;
            })
        };
        // Kills the server as soon as the account has the name, when any number of groups may have
        // it.
        becomes(async || {
            let (_, me) = ben.gets("/v3/users/me").await;
            if me["name"] == name { Ok(()) } else { Err("not renamed yet".to_owned()) }
        })
        .await;
        program.dies();
        renaming.await.unwrap();
        program = starts(data.path());
        ana.goes_to(&program);
        ben.goes_to(&program);
        for group in &groups {
            becomes(async || {
                let shown = member(&ana, group, &id).await.ok_or("gone")?;
                if shown["name"] == name { Ok(()) } else { Err(format!("{group}: {shown}")) }
            })
            .await;
        }
    }
    program.stops();
}

/// A user who deleted their account is in no group and owns none, even if the server was killed
/// before they had left the last one.
#[tokio::test]
async fn deleted_account_leaves_groups_despite_a_kill() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let mut ana = Person::registered(&program).await;
    let ben = Person::called("Ben", &program).await;
    let (id, groups) = fixture(&ana, &ben).await;
    let leaving = {
        let ben = ben.clone();
        let password = json!({"password": "correct horse"});
        tokio::spawn(async move { ben.deletes("/auth/account", &password).await })
    };
    // Kills the server as soon as the account is gone, when the user may have left any number of
    // groups.
    becomes(async || {
        let (status, _) = ben.gets("/v3/users/me").await;
        if status == 401 { Ok(()) } else { Err("not gone yet".to_owned()) }
    })
    .await;
    program.dies();
    leaving.await.unwrap();
    let program = starts(data.path());
    ana.goes_to(&program);
    for group in &groups {
        becomes(async || match member(&ana, group, &id).await {
            None => Ok(()),
            Some(member) => Err(format!("{group} has {member}")),
        })
        .await;
    }
    program.stops();
}
