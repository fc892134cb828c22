//! Nodes join, leave and are restarted in an orderly way: no client notices.

use std::collections::HashMap;

use serde_json::json;

use crate::asking::Person;
use crate::installation::Installation;
use crate::writers::Writers;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_restarted_one_after_the_other_and_no_request_fails() {
    let mut all = Installation::starts(3, 2).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let writers = Writers::begin(&all, &ana, &[0, 1]).await;
    writers.all_go_on().await;
    // A third node joins.
    all.start([2]).await;
    writers.go_to(&all, &[0, 1, 2]);
    writers.all_go_on().await;
    for node in 0..3 {
        // A proxy in front, which asks every node whether it is ready, would direct clients in the
        // same way.
        let left: Vec<usize> = (0..3).filter(|it| *it != node).collect();
        writers.go_to(&all, &left);
        writers.all_go_on().await;
        all.stop(node).await;
        writers.all_go_on().await;
        all.start([node]).await;
        writers.go_to(&all, &[0, 1, 2]);
        writers.all_go_on().await;
    }
    assert_eq!(writers.failures(), HashMap::new(), "requests failed");
    writers.end(&all, &[0, 1, 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operator_lists_and_drains_nodes() {
    let mut all = Installation::starts(3, 3).await;
    let seen = all.nodes_when(0, &["a", "b", "c"]).await;
    assert_eq!((&seen["engine"]["servers"], &seen["engine"]["replicas"]), (&3.into(), &3.into()));
    all.tool(2, &["drain"]);
    // The node leaves as after SIGTERM, and ends with exit code 0.
    all.ends(2).await;
    all.nodes_when(0, &["a", "b"]).await;
    let ana = Person::called("Ana", all.node(1)).await;
    let group = ana.creates_group("Climbers").await;
    assert_eq!(ana.says(&group, "on").await.map(|(status, _)| status), Some(201));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_manage_accounts_at_every_node() {
    let all = Installation::starts(1, 3).await;
    all.nodes_when(0, &["a", "b", "c"]).await;
    let ana = Person::called("Ana", all.node(0)).await;
    for node in 0..3 {
        let email = format!("ben{node}@example.org");
        let told =
            all.tool(node, &["user", "add", "--name", "Ben", "--email", &email, "--generate"]);
        let password = told.lines().find_map(|line| line.strip_prefix("password: ")).unwrap();
        let other = (node + 1) % 3;
        let shown = json!({"email": email, "password": password});
        let logs_in =
            async |node: usize| all.at(node, &ana).posts("/auth/login", &shown).await.unwrap().0;
        assert_eq!(logs_in(other).await, 200, "{email}");
        all.tool(other, &["user", "disable", &email]);
        assert_eq!(logs_in(node).await, 403, "{email}");
        all.tool(node, &["user", "enable", &email]);
        assert_eq!(logs_in(other).await, 200, "{email}");
    }
}
