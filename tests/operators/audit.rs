//! `coterie audit`: the audit log, read while the server runs and when it is stopped.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::person::{Person, starts};
use crate::program::Program;
use crate::tools::{PASSWORD, adds, logs_in, tool};

fn audit(data: &Path, more: &[&str]) -> Vec<Value> {
    let told = tool(data, &[&["audit", "--json"], more].concat()).fine();
    told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn acts(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["act"].as_str().unwrap()).collect()
}

/// Who acted in the fixture, on whom, and in which group.
struct Happened {
    program: Program,
    ana: String,
    ben: String,
    group: String,
}

/// Does one of everything that operators can look up.
async fn happens(data: &Path) -> Happened {
    let program = starts(data);
    let ana = Person::registered(&program).await;
    let ben = adds(data, "Ben", "ben@example.org");
    let (_, me) = ana.gets("/v3/users/me").await;
    for email in ["ben@example.org", "nobody@example.org", "a password in the wrong field"] {
        assert_eq!(logs_in(program.url(), email, "wrong horse").await.0, 401);
    }
    assert_eq!(logs_in(program.url(), "ben@example.org", PASSWORD).await.0, 200);
    let group = ana.creates_group("Climbers").await;
    let path = |below: &str| format!("/v3/groups/{group}/{below}");
    let added = json!({"members": [{"nickname": "Ben", "user_id": ben, "guid": "g"}]});
    let (_, asked) = ana.posts(&path("members/add"), &added).await;
    let results = path(&format!("members/results/{}", asked["results_id"].as_str().unwrap()));
    let membership = loop {
        let (status, told) = ana.gets(&results).await;
        if status == 200 {
            break told["members"][0]["id"].as_str().unwrap().to_owned();
        }
    };
    let removal = path(&format!("members/{membership}/remove"));
    for act in [removal.as_str(), &path("destroy")] {
        assert_eq!(ana.posts(act, &json!({})).await.0, 200);
    }
    tool(data, &["user", "disable", &ben]).fine();
    assert_eq!(ana.posts("/auth/logout", &json!({})).await.0, 200);
    let ana = me["id"].as_str().unwrap().to_owned();
    Happened { program, ana, ben, group }
}

#[tokio::test]
async fn audit_log_has_changes_of_email_and_phone() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let ana = Person::registered(&program).await;
    let (_, me) = ana.gets("/v3/users/me").await;
    let changes = [
        json!({"name": "Anna"}),
        json!({"email": "new@example.org"}),
        json!({"phone_number": "+1 555 010 0199"}),
        json!({"phone_number": null, "zip_code": "10115"}),
    ];
    for change in &changes {
        assert_eq!(ana.posts("/v3/users/update", change).await.0, 200);
    }
    let mut lines = audit(data.path(), &[]);
    lines.retain(|line| line["act"] == "contacts_changed");
    let former: Vec<&Value> = lines.iter().map(|line| &line["email"]).collect();
    let new = json!("new@example.org");
    assert_eq!(former, [&me["email"], &new, &new]);
    assert!(lines.iter().all(|line| line["user_id"] == me["id"]), "{lines:?}");
    program.stops();
}

#[tokio::test]
async fn audit_log_names_actor_and_act() {
    let data = TempDir::new().unwrap();
    let Happened { program, ana: id, ben, group } = happens(data.path()).await;
    let lines = audit(data.path(), &[]);
    assert_eq!(
        acts(&lines),
        [
            "registered",
            "token_made",
            "registered",
            "user_added",
            "login_failed",
            "login_failed",
            "login_failed",
            "token_made",
            "logged_in",
            "member_removed",
            "group_destroyed",
            "tokens_ended",
            "user_disabled",
            "token_ended",
        ]
    );
    let failed = json!({"user_id": ben, "email": "ben@example.org", "from": "127.0.0.1"});
    for (name, value) in failed.as_object().unwrap() {
        assert_eq!(&lines[4][name], value);
    }
    assert_eq!((&lines[5]["email"], lines[5].get("user_id")), (&json!("nobody@example.org"), None));
    assert_eq!(lines[6].get("email"), None, "it may be a password");
    let removal = &lines[9];
    assert_eq!((&removal["user_id"], &removal["by_user_id"]), (&json!(ben), &json!(id)));
    assert_eq!(removal["group_id"], json!(group));
    assert!(lines[12]["operator"].as_str().unwrap().starts_with("uid "), "{}", lines[12]);

    let of_ben = audit(data.path(), &["--user", "BEN@example.org"]);
    assert_eq!(
        acts(&of_ben),
        [
            "registered",
            "user_added",
            "login_failed",
            "token_made",
            "logged_in",
            "member_removed",
            "tokens_ended",
            "user_disabled"
        ]
    );
    assert_eq!(audit(data.path(), &["--user", &ben]), of_ben);
    assert_eq!(audit(data.path(), &["--since", "1h"]), lines);
    assert_eq!(audit(data.path(), &["--since", "2999-01-01"]), Vec::<Value>::new());
    let text = tool(data.path(), &["audit"]).fine();
    let words = format!(
        "member removed  ben@example.org ({ben})  in \"Climbers\" ({group})  by ana@example.org ({id})"
    );
    assert!(text.contains(&words), "{text}");

    program.stops();
    assert_eq!(audit(data.path(), &[]), lines, "it is the same when nothing runs");
}

#[tokio::test]
async fn audit_log_has_consent_page_logins() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let ana = Person::registered(&program).await;
    let (_, me) = ana.gets("/v3/users/me").await;
    let wanted = json!({"name": "Ropes", "callback_url": "https://ropes.example/back"});
    let (_, application) = ana.posts("/oauth/applications", &wanted).await;
    let client_id = application["client_id"].as_str().unwrap();
    let page = format!("{}/oauth/authorize?client_id={client_id}", program.url());
    let none = reqwest::redirect::Policy::none();
    let browser = reqwest::Client::builder().no_proxy().redirect(none).build().unwrap();
    let shown = browser.get(&page).send().await.unwrap();
    let cookie = shown.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap();
    let request = browser.post(&page).header("Cookie", cookie);
    let text = shown.text().await.unwrap();
    let csrf_token =
        text.split_once("name=\"seal\" value=\"").unwrap().1.split_once('"').unwrap().0;
    let form = [("seal", csrf_token), ("act", "log-in")].into_iter();
    let form = form.chain([("email", "ana@example.org"), ("password", PASSWORD)]);
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(body);
    assert_eq!(request.send().await.unwrap().status(), 303);

    let lines = audit(data.path(), &[]);
    let told = ["registered", "token_made", "application_registered", "logged_in"];
    assert_eq!(acts(&lines), told);
    let line = &lines[3];
    assert_eq!((&line["user_id"], &line["from"]), (&me["id"], &json!("127.0.0.1")));
    assert_eq!(line.get("token_id"), None, "such a log-in makes no token");
    program.stops();
}

#[tokio::test]
async fn password_guessing_does_not_fill_the_disk() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    for number in 0..25 {
        let email = format!("user{number}@example.org");
        assert_eq!(logs_in(program.url(), &email, "guess").await.0, 401);
    }
    assert_eq!(acts(&audit(data.path(), &[])), ["login_failed"; 20]);
    program.stops();
}

#[tokio::test]
async fn behind_a_proxy_the_address_is_the_one_that_the_proxy_saw() {
    let data = TempDir::new().unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let program = Program::starts(data.path(), &["--public-url", "https://chat.example.org"]);
    let asked = client.post(format!("{}/auth/login", program.url()));
    let body = json!({"email": "ana@example.org", "password": "guess"});
    let asked = asked.header("X-Forwarded-For", "198.51.100.1, 203.0.113.7").json(&body);
    assert_eq!(asked.send().await.unwrap().status(), 401);
    assert_eq!(audit(data.path(), &[])[0]["from"], json!("203.0.113.7"));
    program.stops();
}
