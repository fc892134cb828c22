//! The table of permissions, cell by cell: every act by every role in every type of group.

use serde_json::{Value, json};

use crate::group_acts::member;
use crate::world::World;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

/// Owner, admin, and a member of a private, a closed and an announcement group. Written by hand,
/// not read from the server's own table. The last act ends the group.
const TABLE: &str = "
read            yes yes yes yes yes
react           yes yes yes yes yes
vote            yes yes yes yes yes
answer_events   yes yes yes yes yes
report          yes yes yes yes yes
rename          yes yes yes yes yes
leave           no  yes yes yes yes
post            yes yes yes yes no
make_polls      yes yes yes yes no
make_events     yes yes yes yes no
make_bots       yes yes yes yes no
post_as_bot     yes yes yes yes no
mention_all     yes yes mention_all mention_all no
change_group    yes yes yes no  no
share           yes yes yes no  no
pin             yes yes yes no  no
add_members     yes yes yes no  no
change_type     yes yes no  no  no
manage_topics   yes yes no  no  no
copy            yes yes no  no  no
decide_requests yes yes no  no  no
list_members    yes yes no  no  no
read_history    yes yes no  no  no
delete_messages message_deletion_mode message_deletion_mode no no no
end_polls       yes yes no  no  no
change_events   yes yes no  no  no
remove_bots     yes yes no  no  no
time_out        yes yes no  no  no
remove_members  yes yes no  no  no
ban             yes yes no  no  no
decide_reports  yes yes no  no  no
read_audit      yes yes no  no  no
manage_rules    yes yes no  no  no
manage_invites  yes yes no  no  no
remove_admins   yes no  no  no  no
change_roles    yes no  no  no  no
step_down       no  yes no  no  no
hand_over       yes no  no  no  no
archive         yes no  no  no  no
disband         yes no  no  no  no
";

const PUBLIC: [&str; 2] = ["--public-url", "http://chat.example.org"];

/// A group of this type with an actor of each role, and what the acts are done to: Dora, a plain
/// member, with a message, a poll, an event and a bot; and Eve, an admin.
struct Scene {
    group: Group,
    owner: Person,
    admin: Person,
    member: Person,
    dora: Person,
    eve: Person,
    mal: Person,
    message: String,
    other: String,
    poll: String,
    event: String,
    bot: String,
    own_bots: Vec<String>,
    request: String,
}

impl Person {
    async fn changes_role(&self, group: &Group, of: &Self, role: &str) -> u16 {
        let shown = self.sees(group).await;
        let membership = text(&member(&shown, of)["id"]).to_owned();
        let path = group.path(&format!("/members/{membership}/update"));
        self.posts(&path).json(&json!({"role": role})).await.status
    }

    async fn may(&self, group: &Group) -> Value {
        self.gets(&group.path("/permissions")).await.ok()["may"].clone()
    }

    async fn status(&self, method: &str, path: &str, body: Value) -> u16 {
        self.asks(method, path).json(&body).await.status
    }
}

impl Scene {
    async fn of(world: &World, kind: &str) -> Self {
        let names = ["Owen", "Ada", "Max", "Dora", "Eve"];
        let ([owner, admin, plain, dora, eve], group) = world.climbing(names).await;
        for chosen in [&admin, &eve] {
            assert_eq!(owner.changes_role(&group, chosen, "admin").await, 200);
        }
        let message = text(&dora.says(&group, "rope at six").await["id"]).to_owned();
        let other = text(&dora.says(&group, "rope at seven").await["id"]).to_owned();
        let poll = dora.posts(&format!("/v3/poll/{}", group.id)).json(&question()).await.created();
        let events = format!("/v3/conversations/{}/events/create", group.id);
        let event = dora.posts(&events).json(&climb()).await.created();
        let mut own_bots = Vec::new();
        for maker in [&owner, &admin, &plain, &dora] {
            let bot = json!({"name": maker.name, "group_id": group.id});
            let made = maker.posts("/v3/bots").json(&bot).await.created();
            own_bots.push(text(&made["bot_id"]).to_owned());
        }
        let bots = owner.gets(&group.path("/bots")).await.ok();
        let bots = bots["bots"].as_array().unwrap();
        let bot = bots.iter().find(|bot| bot["name"] == "Dora").unwrap();
        let email = format!("{}@boss.example", group.id);
        let items = json!([{"nickname": "Boss", "email": email}]);
        assert!(owner.adds_items(&group, items).await.is_empty());
        let mal = world.registers("Mal").await;
        mal.posts("/v3/users/update").json(&json!({"email": email})).await.ok();
        mal.gets("/v3/groups").await.ok();
        let pending = owner.gets(&group.path("/pending_memberships")).await.ok();
        owner.updates(&group, json!({"group_type": kind})).await.ok();
        let part = |value: &Value| text(value).to_owned();
        Self {
            message,
            other,
            poll: part(&poll["poll"]["data"]["id"]),
            event: part(&event["event"]["event_id"]),
            bot: part(&bot["sender_id"]),
            request: part(&pending[0]["id"]),
            group,
            owner,
            admin,
            member: plain,
            dora,
            eve,
            mal,
            own_bots,
        }
    }

    fn actor(&self, column: usize) -> &Person {
        [&self.owner, &self.admin, &self.member][column.min(2)]
    }

    async fn removes(&self, by: &Person, whom: &Person) -> u16 {
        by.removes(whom, &self.group).await.status
    }

    /// Does an act as this actor; returns the status.
    async fn does(&self, act: &str, column: usize) -> u16 {
        match self.does_in_conversation(act, column).await {
            Some(status) => status,
            None => self.does_to_group(act, column).await,
        }
    }

    /// The acts about messages, polls and events.
    async fn does_in_conversation(&self, act: &str, column: usize) -> Option<u16> {
        let (by, group) = (self.actor(column), &self.group);
        let conversation = |below: &str| format!("/v3/conversations/{}{below}", group.id);
        let (message, event) = (&self.message, &self.event);
        let status = match act {
            "read" => by.gets(&group.path("/messages")).await.status,
            "react" => {
                let path = format!("/v3/messages/{}/{message}/like", group.id);
                by.status("POST", &path, json!({})).await
            }
            "vote" => {
                let path = format!("/v3/poll/{}/{}/1", group.id, self.poll);
                by.status("POST", &path, json!({})).await
            }
            "answer_events" => {
                let path = conversation(&format!("/events/rsvp?event_id={event}&going=true"));
                by.status("POST", &path, json!({})).await
            }
            "post" => by.posting(group, json!({"text": "here"})).await.status,
            "mention_all" => {
                let all = json!({"type": "mentions", "user_ids": ["all"], "loci": [[0, 1]]});
                let words = json!({"text": "@everyone", "attachments": [all]});
                by.posting(group, words).await.status
            }
            "make_polls" => by.status("POST", &format!("/v3/poll/{}", group.id), question()).await,
            "make_events" => by.status("POST", &conversation("/events/create"), climb()).await,
            "report" => {
                let path = conversation(&format!("/messages/{message}/report"));
                by.status("POST", &path, json!({"reason": "rules"})).await
            }
            "pin" => {
                let path = conversation(&format!("/messages/{message}/pin"));
                by.status("POST", &path, json!({})).await
            }
            "read_history" => {
                by.gets(&conversation(&format!("/messages/{message}/history"))).await.status
            }
            "delete_messages" => {
                let path = conversation(&format!("/messages/{}", self.other));
                by.asks("DELETE", &path).await.status
            }
            "end_polls" => {
                let path = format!("/v3/poll/{}/{}/end", group.id, self.poll);
                by.status("POST", &path, json!({})).await
            }
            "change_events" => {
                let path = conversation(&format!("/events/update?event_id={event}"));
                by.status("POST", &path, json!({"name": "Boulder"})).await
            }
            _ => return None,
        };
        Some(status)
    }

    /// The acts about the group, its members and its bots.
    async fn does_to_group(&self, act: &str, column: usize) -> u16 {
        let (by, group) = (self.actor(column), &self.group);
        let updates = async |change: Value| by.updates(group, change).await.status;
        match act {
            "rename" => {
                let body = json!({"membership": {"nickname": "Me"}});
                by.status("POST", &group.path("/memberships/update"), body).await
            }
            "leave" => self.leaves(column).await,
            "make_bots" => {
                let bot = json!({"name": "Tides", "group_id": group.id});
                by.status("POST", "/v3/bots", bot).await
            }
            "post_as_bot" => {
                let post = json!({"bot_id": self.own_bots[column.min(2)], "text": "beep"});
                by.status("POST", "/v3/bots/post", post).await
            }
            "change_group" => updates(json!({"description": format!("by {column}")})).await,
            "share" => updates(json!({"share": true})).await,
            "add_members" => {
                by.status("POST", &group.path("/members/add"), json!({"members": []})).await
            }
            "change_type" => self.changes_type(by).await,
            "copy" => by.posts(&group.path("/copy")).await.status,
            "manage_topics" => {
                by.posts(&group.path("/subgroups")).json(&json!({"topic": "Knots"})).await.status
            }
            "decide_requests" => {
                let path = group.path(&format!("/members/{}/approval", self.request));
                by.status("POST", &path, json!({"approval": false})).await
            }
            "decide_reports" => by.gets(&group.path("/reports")).await.status,
            "read_audit" => by.gets(&group.path("/audit")).await.status,
            "manage_invites" => {
                by.status("POST", &group.path("/invites"), json!({"approval": "skip"})).await
            }
            "manage_rules" => by.gets(&group.path("/rules")).await.status,
            "list_members" => by.gets(&group.path("/members?filter=inactive")).await.status,
            "remove_bots" => {
                by.asks("DELETE", &group.path(&format!("/bots/{}", self.bot))).await.status
            }
            "remove_members" => self.removes(by, &self.dora).await,
            "time_out" => self.times_out(by).await,
            "ban" => {
                let path = group.path(&format!("/bans/{}", self.mal.id));
                by.status("PUT", &path, json!({})).await
            }
            "remove_admins" => self.removes(by, &self.eve).await,
            "change_roles" => self.makes_admin(by).await,
            "step_down" => self.steps_down(by).await,
            "hand_over" => self.hands(by).await,
            "archive" => {
                let archived = by.posts(&group.path("/archive")).await.status;
                assert_eq!(by.posts(&group.path("/unarchive")).await.status, archived);
                archived
            }
            "disband" => by.destroys(group).await.status,
            other => panic!("no such act: {other}"),
        }
    }

    /// Leaves, and comes back in the same role.
    async fn leaves(&self, column: usize) -> u16 {
        let by = self.actor(column);
        let status = self.removes(by, by).await;
        if status == 200 {
            by.rejoins(&self.group).await.ok();
            let role = if column == 1 { "admin" } else { "user" };
            assert_eq!(self.owner.changes_role(&self.group, by, role).await, 200);
        }
        status
    }

    /// Times the plain member Dora out, and ends the timeout.
    async fn times_out(&self, by: &Person) -> u16 {
        let shown = self.owner.sees(&self.group).await;
        let membership = text(&member(&shown, &self.dora)["id"]).to_owned();
        let path = self.group.path(&format!("/members/{membership}/timeout"));
        let status = by.status("PUT", &path, json!({"seconds": 60})).await;
        if status == 200 {
            assert_eq!(by.asks("DELETE", &path).await.status, 200);
        }
        status
    }

    async fn changes_type(&self, by: &Person) -> u16 {
        let before = self.owner.sees(&self.group).await["type"].clone();
        let other = if before == "closed" { "private" } else { "closed" };
        let status = by.updates(&self.group, json!({"group_type": other})).await.status;
        self.owner.updates(&self.group, json!({"group_type": before})).await.ok();
        status
    }

    /// Makes a plain member an admin, who becomes a plain member again.
    async fn makes_admin(&self, by: &Person) -> u16 {
        let status = by.changes_role(&self.group, &self.member, "admin").await;
        if status == 200 {
            assert_eq!(by.changes_role(&self.group, &self.member, "user").await, 200);
        }
        status
    }

    async fn steps_down(&self, by: &Person) -> u16 {
        let status = by.changes_role(&self.group, by, "user").await;
        if status == 200 {
            assert_eq!(self.owner.changes_role(&self.group, by, "admin").await, 200);
        }
        status
    }

    async fn hands(&self, by: &Person) -> u16 {
        let to = if by.id == self.admin.id { &self.member } else { &self.admin };
        let status = by.hands(&self.group, to).await;
        if status == "200" {
            assert_eq!(to.hands(&self.group, by).await, "200");
        }
        status.parse().unwrap()
    }

    /// Sets the setting on which a cell depends.
    async fn sets(&self, setting: &str, is_on: bool) {
        let change = match setting {
            "mention_all" => json!({"mention_all": if is_on { "members" } else { "admins" }}),
            _ => json!({"message_deletion_mode": if is_on { vec!["admin"] } else { vec![] }}),
        };
        self.owner.updates(&self.group, change).await.ok();
    }
}

fn question() -> Value {
    let options = [json!({"title": "six"}), json!({"title": "seven"})];
    json!({"subject": "When?", "options": options, "expiration": 4_102_444_800_u64})
}

fn climb() -> Value {
    json!({"name": "Climb", "start_at": "2100-01-01T18:00:00+01:00",
        "end_at": "2100-01-01T21:00:00+01:00"})
}

/// Tries the cells of a column in one group.
async fn tries_column(world: &World, kind: &str, column: usize) {
    let scene = Scene::of(world, kind).await;
    let by = scene.actor(column);
    let rows = TABLE.trim().lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows: Vec<_> = rows.collect();
    let (mut granted, mut by_setting) = (Vec::new(), Vec::new());
    for row in &rows {
        let (act, cell) = (row[0], row[column + 1]);
        match cell {
            "yes" => granted.push(act),
            "no" => {}
            setting => by_setting.push((act, setting)),
        }
    }
    for (act, setting) in &by_setting {
        scene.sets(setting, false).await;
        let denied = scene.does(act, column).await;
        assert_eq!(denied, 403, "{act} without {setting} by column {column} of {kind}");
        scene.sets(setting, true).await;
        granted.push(act);
    }
    let may = by.may(&scene.group).await;
    let mut names: Vec<_> = may.as_array().unwrap().iter().map(text).collect();
    names.sort_unstable();
    assert_eq!(by.gets(&scene.group.path("")).await.ok()["may"], may);
    granted.sort_unstable();
    assert_eq!(names, granted, "column {column} of {kind}");
    for row in &rows {
        let act = row[0];
        let status = scene.does(act, column).await;
        let fits = match names.contains(&act) {
            true => (200..300).contains(&status),
            // The owner's role is no role that somebody could give up.
            false => status == 403 || (act == "step_down" && column == 0 && status == 400),
        };
        assert!(fits, "{act} by column {column} of {kind}: {status}");
    }
}

#[tokio::test]
async fn every_cell_of_the_table_holds() {
    let world = World::with(Setup::default().option(PUBLIC[0], PUBLIC[1])).await;
    for (kind, column) in [("private", 2), ("closed", 3), ("announcement", 4)] {
        for column in [0, 1, column] {
            tries_column(&world, kind, column).await;
        }
    }
}

#[tokio::test]
async fn role_change_is_pushed_and_told_in_a_line() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    let membership = text(&member(&ana.sees(&climbers).await, &ben)["id"]).to_owned();
    let path = climbers.path(&format!("/members/{membership}/update"));
    let changed = ana.posts(&path).json(&json!({"role": "admin"})).await.ok();
    assert_eq!(changed["membership"]["roles"], json!(["admin"]));
    assert_eq!(changed["membership"]["id"], membership.as_str());
    let frame = feed.hears_of("membership.update").await;
    assert_eq!(frame["data"]["memberships"][0]["roles"], json!(["admin"]));
    let line = feed.hears_of("line.create").await;
    let data = json!({"user": ana.named(), "role": "admin", "member": ben.named()});
    let event = json!({"type": "group.role_change_admin", "data": data});
    assert_eq!(line["data"]["event"], event);
    ana.posts(&path).json(&json!({"role": "admin"})).await.ok();
    assert_eq!(ana.reads_events(&climbers, 1).await, [event]);
    let errors = ana.posts(&path).json(&json!({"role": "king"})).await.refused(400);
    assert_eq!(errors, ["role must be admin or user"]);
    ana.posts(&climbers.path("/members/1/update"))
        .json(&json!({"role": "user"}))
        .await
        .refused(404);
}

#[tokio::test]
async fn original_clients_get_401_and_no_word_that_logs_them_out() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ana.updates(&climbers, json!({"group_type": "announcement"})).await.ok();
    let message = json!({"message": {"source_guid": "1", "text": "here"}});
    let post = ben.posts(&format!("/compat/v3/groups/{}/messages", climbers.id));
    let errors = post.json(&message).await.refused(401);
    assert_eq!(
        errors,
        ["only the owner and admins may post, edit and delete messages in this group"]
    );
    ben.posts(&climbers.path("/messages")).json(&message).await.refused(403);
    let membership = text(&member(&ana.sees(&climbers).await, &ben)["id"]).to_owned();
    let path = format!("/compat/v3/groups/{}/members/{membership}/update", climbers.id);
    let changed = ana.posts(&path).json(&json!({"role": "admin"})).await.ok();
    assert_eq!(changed["member"]["roles"], json!(["admin"]));
}

#[tokio::test]
async fn type_is_set_on_create_and_update_and_office_mode_is_a_view_of_it() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let body = json!({"name": "News", "type": "announcement"});
    let made = ana.posts("/v3/groups").json(&body).await.created();
    assert_eq!((&made["type"], &made["office_mode"]), (&json!("announcement"), &json!(true)));
    let news = Group { id: text(&made["id"]).to_owned() };
    let errors = ana.updates(&news, json!({"office_mode": false})).await.refused(400);
    assert_eq!(errors, ["office_mode cannot be false in an announcement group; change group_type"]);
    let contradiction = json!({"group_type": "private", "office_mode": true});
    let errors = ana.updates(&news, contradiction).await.refused(400);
    assert_eq!(errors, ["office_mode contradicts group_type"]);
    let errors = ana.updates(&news, json!({"group_type": "secret"})).await.refused(400);
    assert_eq!(errors, ["group_type must be private, closed or announcement"]);
    let changed = ana.updates(&news, json!({"group_type": "private"})).await.ok();
    assert_eq!((&changed["type"], &changed["office_mode"]), (&json!("private"), &json!(false)));
    let user = ana.named();
    let told = [
        json!({"type": "group.office_mode_disabled", "data": {"user": user}}),
        json!({"type": "group.type_change",
            "data": {"user": user, "type": "private", "message_edit_period": 2_147_483_647_u32}}),
    ];
    assert_eq!(ana.reads_events(&news, 2).await, told);
}
