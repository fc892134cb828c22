//! Invitations of the operators, with which people register.

use serde_json::{Value, json};

use crate::world::answer::Answer;
use crate::world::person::{Person, text};
use crate::world::{PASSWORD, World};

const INVITES: &str = "/v3/admin/invites";

/// Lets only people register who are invited, and returns an admin, a moderator and an auditor.
async fn by_invitation(world: &World) -> [Person; 3] {
    let operators = world.operators().await;
    sets_mode(&operators[0], "invite").await;
    operators
}

async fn sets_mode(admin: &Person, mode: &str) {
    let domains = (mode == "domain").then_some(["example.com"]);
    let body = json!({"mode": mode, "domains": domains, "reason": "friends only"});
    let set = admin.asks("PUT", "/v3/admin/registration").json(&body).await.ok();
    assert_eq!(set["mode"], mode);
}

async fn invites(operator: &Person, body: Value) -> Value {
    let mut body = body;
    body["reason"] = json!("for the club");
    operator.posts(INVITES).json(&body).await.created()["invite"].clone()
}

async fn registers(world: &World, email: &str, invite: &str) -> Answer {
    let body = json!({"name": "Ana", "email": email, "password": PASSWORD, "invite": invite});
    world.address.asks("POST", "/auth/register").json(&body).await
}

async fn is_shown(world: &World, invite: &Value) -> Answer {
    let token = text(&invite["url"]).rsplit('/').next().unwrap();
    world.get(&format!("/auth/invites/{token}")).await
}

#[tokio::test]
async fn invited_people_register_as_many_as_may() {
    let mut world = World::start().await;
    let [admin, moderator, auditor] = by_invitation(&world).await;
    assert_eq!(world.get("/auth/options").await.ok()["registration"], "invite");
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
    let bare = world.address.asks("POST", "/auth/register").json(&body).await;
    assert_eq!(bare.refused(403), ["one registers with an invitation on this server"]);
    assert_eq!(bare.envelope()["meta"]["details"], json!({"needs": "invite"}));

    let invite = invites(&moderator, json!({"name": "Spring", "max_uses": 2})).await;
    let url = text(&invite["url"]).to_owned();
    assert!(url.starts_with(&world.address.url("/invite/")), "{url}");
    assert_eq!((&invite["uses"], &invite["state"]), (&json!(0), &json!("open")));
    let expires_at = invite["expires_at"].as_u64().unwrap();
    assert_eq!(expires_at, invite["created_at"].as_u64().unwrap() + 7 * 86_400);
    let shown = is_shown(&world, &invite).await.ok();
    assert_eq!(shown, json!({"invite": {"expires_at": expires_at}}));

    let welcome = registers(&world, "ana@example.org", &url).await.created();
    assert_eq!(welcome["user"]["email"], "ana@example.org");
    // An address that is taken uses nothing, however it is written.
    registers(&world, "ANA@example.org", &url).await.refused(409);
    world.restarts().await;
    let token = url.rsplit('/').next().unwrap();
    registers(&world, "ben@example.org", &format!("/invite/{token}?from=mail")).await.created();
    assert_eq!(
        registers(&world, "cleo@example.org", &url).await.refused(410),
        ["this invitation was used by as many people as it is for"]
    );
    is_shown(&world, &invite).await.refused(410);

    let listed = auditor.gets(INVITES).await.ok();
    let listed = listed["invites"].as_array().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["name"], &listed[0]["uses"], &listed[0]["max_uses"], &listed[0]["state"]),
        (&json!("Spring"), &json!(2), &json!(2), &json!("used_up"))
    );
    assert_eq!(
        listed[0]["created_by"],
        json!({"user_id": moderator.id.to_string(), "name": moderator.name})
    );
    let audit = admin.gets("/v3/admin/audit?act=invite_created").await.ok();
    let entry = &audit["entries"][0];
    assert_eq!(entry["reason"], "for the club");
    assert!(!entry.to_string().contains(token), "{entry}");
}

#[tokio::test]
async fn an_invitation_counts_in_every_mode_and_nothing_else_opens_a_closed_one() {
    let world = World::start().await;
    let [admin, ..] = by_invitation(&world).await;
    let invite = invites(&admin, json!({"max_uses": 9, "expires_in": null})).await;
    assert_eq!(invite["expires_at"], Value::Null);
    let url = text(&invite["url"]);
    for mode in ["open", "closed", "approval", "invite"] {
        sets_mode(&admin, mode).await;
        let welcome = registers(&world, &format!("{mode}@example.org"), url).await.created();
        assert!(welcome["access_token"].is_string(), "{mode}: {welcome}");
    }
    let unknown = world.address.url("/invite/0123456789abcdef");
    registers(&world, "dan@example.org", &unknown).await.refused(404);
    for broken in ["/invite/", "invite", "/invite/a/b", "hello"] {
        let refused = registers(&world, "dan@example.org", broken).await.refused(400);
        assert_eq!(
            refused,
            ["invite must be an invitation to this server, or a link to join a group"],
            "{broken}"
        );
    }
}

#[tokio::test]
async fn the_link_of_a_group_invites_to_the_place_in_this_mode_only() {
    let world = World::start().await;
    let [admin, ..] = by_invitation(&world).await;
    let body = json!({"name": "Climbers", "share": true});
    let group = admin.posts("/v3/groups").json(&body).await.created();
    let url = text(&group["share_url"]);
    let welcome = registers(&world, "ana@example.org", url).await.created();
    let ana = Person::new(world.address.clone(), &welcome);
    let groups = ana.gets("/v3/groups").await.ok();
    assert_eq!(groups[0]["name"], "Climbers");
    assert_eq!(welcome["user"].get("kind"), None);
    sets_mode(&admin, "closed").await;
    registers(&world, "ben@example.org", url).await.refused(403);
}

#[tokio::test]
async fn an_ended_invitation_is_of_no_use() {
    let world = World::start().await;
    let [admin, moderator, auditor] = by_invitation(&world).await;
    let invite = invites(&admin, json!({})).await;
    assert_eq!(invite["max_uses"], 1);
    let path = format!("{INVITES}/{}", text(&invite["id"]));
    let reason = json!({"reason": "it leaked"});
    auditor.asks("DELETE", &path).json(&reason).await.refused(403);
    moderator.asks("DELETE", &path).json(&json!({})).await.refused(400);
    moderator.asks("DELETE", &path).json(&reason).await.ok();
    assert_eq!(
        registers(&world, "ana@example.org", text(&invite["url"])).await.refused(410),
        ["this invitation was ended"]
    );
    is_shown(&world, &invite).await.refused(410);
    moderator.asks("DELETE", &path).json(&reason).await.refused(404);
    let listed = admin.gets(INVITES).await.ok();
    assert_eq!(listed["invites"][0]["state"], "ended");
    let audit = admin.gets("/v3/admin/audit?act=invite_ended").await.ok();
    assert_eq!(audit["entries"][0]["reason"], "it leaked");
}

#[tokio::test]
async fn bodies_out_of_bounds_name_the_field_and_the_limit() {
    let world = World::start().await;
    let [admin, ..] = by_invitation(&world).await;
    for (body, expected) in [
        (json!({"max_uses": 0, "reason": "x"}), "max_uses must be between 1 and 1000"),
        (json!({"max_uses": 1001, "reason": "x"}), "max_uses must be between 1 and 1000"),
        (json!({"expires_in": 59, "reason": "x"}), "expires_in must be between 60 and 31622400"),
        (
            json!({"name": "a".repeat(61), "reason": "x"}),
            "name is too long: 61 characters, at most 60 are allowed",
        ),
        (json!({"name": "Spring"}), "reason is required"),
    ] {
        let refused = admin.posts(INVITES).json(&body).await.refused(400);
        assert_eq!(refused.len(), 1, "{refused:?}");
        assert!(refused[0].contains(expected), "{refused:?}");
    }
    assert_eq!(admin.gets(INVITES).await.ok()["invites"], json!([]));
}

#[tokio::test]
async fn people_at_once_never_use_it_more_often_than_they_may() {
    let world = World::start().await;
    let [admin, ..] = by_invitation(&world).await;
    let invite = invites(&admin, json!({"max_uses": 2})).await;
    let url = text(&invite["url"]).to_owned();
    let all = (0..6).map(|at| {
        let (world, url) = (&world, url.clone());
        async move { registers(world, &format!("p{at}@example.org"), &url).await.status }
    });
    let mut statuses = futures_util::future::join_all(all).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 201, 410, 410, 410, 410]);
}
