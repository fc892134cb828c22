//! A node dies while it fetches a page for a preview: the node that takes over its conversations
//! fetches the page again, and no other node does.

use serde_json::json;

use crate::asking::Person;
use crate::installation::Installation;
use crate::readings::previews;
use crate::site::Site;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn previews_of_dead_node_are_fetched_by_next() {
    // Each node may call one address only, so the site that is asked tells which node fetches.
    let sites = [Site::at("127.0.0.1"), Site::at("127.0.0.2")];
    let allowed = |node: usize| {
        let of_node = ["127.0.0.1/32", "127.0.0.2/32"][node];
        ["--link-previews", "--callback-allow", of_node].map(str::to_owned).to_vec()
    };
    let mut all = Installation::starts_with(1, 2, allowed).await;
    let ana = Person::called("Ana", all.node(0)).await;
    sites[0].falls_silent();
    // Repeats until the new group is owned by the first node.
    let (group, page, message) = loop {
        let group = ana.creates_group("Climbers").await;
        let page = format!("/{group}");
        let links = sites.each_ref().map(|site| site.link(&page)).join(" ");
        let message = json!({"message": {"source_guid": page, "text": links}});
        let path = format!("/v3/groups/{group}/messages");
        let (_, posted) = ana.posts(&path, &message).await.unwrap();
        let message = format!("{path}/{}", posted["message"]["id"].as_str().unwrap());
        tokio::select! {
            () = sites[0].is_asked_for(&page) => break (group, page, message),
            () = sites[1].is_asked_for(&page) => {}
        }
    };
    all.kill(0);
    let ana = all.at(1, &ana);
    assert_eq!(previews(&ana, &message).await, [json!(page)], "in group {group}");
    let times = |site: &Site| site.asked().iter().filter(|it| **it == page).count();
    assert_eq!(sites.each_ref().map(times), [1, 1]);
}
