//! What people do with groups besides posting, for the tests of groups and members.

use serde_json::{Value, json};

use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

impl Person {
    /// Returns the group as this person is shown it, without `may`, which is shown to nobody else.
    pub(crate) async fn sees(&self, group: &Group) -> Value {
        let mut shown = self.gets(&group.path("")).await.ok();
        let may = shown.as_object_mut().unwrap().remove("may");
        assert!(may.is_some_and(|acts| acts.is_array()));
        shown
    }

    /// Changes settings of the group.
    pub(crate) async fn updates(&self, group: &Group, change: Value) -> Answer {
        self.posts(&group.path("/update")).json(&change).await
    }

    /// Switches sharing on; returns the share token.
    pub(crate) async fn shares(&self, group: &Group) -> String {
        let shown = self.updates(group, json!({"share": true})).await.ok();
        let (_, token) = text(&shown["share_url"]).rsplit_once('/').unwrap();
        token.to_owned()
    }

    /// Removes a member, who may be this person.
    pub(crate) async fn removes(&self, whom: &Self, group: &Group) -> Answer {
        let shown = self.sees(group).await;
        let membership = text(&member(&shown, whom)["id"]).to_owned();
        self.posts(&group.path(&format!("/members/{membership}/remove"))).await
    }

    /// Leaves a group.
    pub(crate) async fn leaves(&self, group: &Group) {
        self.removes(self, group).await.ok();
    }

    /// Joins with a share token.
    pub(crate) async fn joins(&self, group: &Group, token: &str) -> Answer {
        self.posts(&group.path(&format!("/join/{token}"))).await
    }

    /// Joins a former group again.
    pub(crate) async fn rejoins(&self, group: &Group) -> Answer {
        self.posts("/v3/groups/join").json(&json!({"group_id": group.id})).await
    }

    /// Destroys a group.
    pub(crate) async fn destroys(&self, group: &Group) -> Answer {
        self.posts(&group.path("/destroy")).await
    }

    /// Hands a group over; returns the status of the only result.
    pub(crate) async fn hands(&self, group: &Group, to: &Self) -> String {
        let item = json!({"group_id": group.id, "owner_id": to.id});
        let asked = self.posts("/v3/groups/change_owners").json(&json!({"requests": [item]}));
        text(&asked.await.ok()["results"][0]["status"]).to_owned()
    }

    /// The `event` objects of the newest messages, newest first.
    pub(crate) async fn reads_events(&self, group: &Group, count: usize) -> Vec<Value> {
        let messages = self.reads(group, &format!("?limit={count}")).await;
        messages.into_iter().map(|mut message| message["event"].take()).collect()
    }

    /// The ids of the groups on a page of a list.
    pub(crate) async fn lists(&self, path: &str) -> Vec<String> {
        let listed = self.gets(path).await.ok();
        let groups = listed.as_array().unwrap();
        groups.iter().map(|group| text(&group["id"]).to_owned()).collect()
    }

    /// How the `event` of a system message names this person when their nickname is their own name.
    pub(crate) fn named(&self) -> Value {
        json!({"id": self.id.parse::<u64>().unwrap(), "nickname": self.name})
    }
}

/// This person's membership in a group's JSON.
#[track_caller]
pub(crate) fn member<'a>(group: &'a Value, who: &Person) -> &'a Value {
    let mut members = group["members"].as_array().unwrap().iter();
    let found = members.find(|member| member["user_id"] == who.id.as_str());
    found.unwrap_or_else(|| panic!("{} is not in {group}", who.name))
}

/// The user ids of the members in a group's JSON.
pub(crate) fn members(group: &Value) -> Vec<&str> {
    group["members"].as_array().unwrap().iter().map(|member| text(&member["user_id"])).collect()
}
