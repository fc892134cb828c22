//! The server is killed while it fetches pages for previews: after a restart it fetches them again,
//! and shows the previews.

use serde_json::json;
use tempfile::TempDir;

use crate::asking::Person;
use crate::program::Program;
use crate::readings::previews;
use crate::site::Site;

/// Starts a server that may fetch pages from this machine.
fn starts(data: &TempDir) -> Program {
    let allowed = ["--link-previews", "--callback-allow", "127.0.0.0/8"];
    Program::starts(data.path(), &allowed)
}

/// Posts this text and returns the path of the message.
async fn posts(person: &Person, group: &str, words: &str) -> String {
    let message = json!({"message": {"source_guid": words, "text": words}});
    let posted = person.posts(&format!("/v3/groups/{group}/messages"), &message).await.unwrap();
    assert_eq!(posted.0, 201, "{posted:?}");
    format!("/v3/groups/{group}/messages/{}", posted.1["message"]["id"].as_str().unwrap())
}

#[tokio::test]
async fn unfetched_previews_are_fetched_after_a_kill() {
    let data = TempDir::new().unwrap();
    let site = Site::at("127.0.0.1");
    let program = starts(&data);
    let mut ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    let done = posts(&ana, &group, &site.link("/done")).await;
    assert_eq!(previews(&ana, &done).await, ["/done"]);
    site.falls_silent();
    let said = posts(&ana, &group, &site.link("/said")).await;
    let edited = posts(&ana, &group, "nothing yet").await;
    let (_, id) = edited.rsplit_once('/').unwrap();
    let path = format!("/v3/conversations/{group}/messages/{id}");
    let words = json!({"text": site.link("/edited")});
    assert_eq!(ana.puts(&path, &words).await.unwrap().0, 200);
    let deleted = posts(&ana, &group, &site.link("/deleted")).await;
    for page in ["/said", "/edited", "/deleted"] {
        site.is_asked_for(page).await;
    }
    let path = deleted.replace("/groups/", "/conversations/");
    assert_eq!(ana.removes(&path).await, Some(204));
    program.dies();
    site.answers();
    let program = starts(&data);
    ana.goes_to(&program);
    assert_eq!(previews(&ana, &said).await, ["/said"]);
    assert_eq!(previews(&ana, &edited).await, ["/edited"]);
    let later = posts(&ana, &group, &site.link("/later")).await;
    assert_eq!(previews(&ana, &later).await, ["/later"]);
    let mut asked = site.asked();
    asked.sort();
    // A page that was fetched before the kill is not fetched again, nor is one whose message was
    // deleted.
    assert_eq!(asked, ["/deleted", "/done", "/edited", "/edited", "/later", "/said", "/said"]);
    program.stops();
}
