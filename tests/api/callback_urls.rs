//! Where a bot may be called back: not at private addresses, unless the operator allows them.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use coterie::outgoing::resolver::Resolve;
use serde_json::json;

use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person};
use crate::world::server::Setup;

/// A resolver that knows one name: `inside.test`, which has a private address.
struct Names;

impl Resolve for Names {
    fn look_up<'a>(
        &'a self,
        host: &'a str,
    ) -> futures_util::future::BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let answer = match host {
            "inside.test" => Ok(vec![IpAddr::from([10, 0, 0, 1])]),
            _ => Err(io::Error::other("no such name")),
        };
        Box::pin(async move { answer })
    }
}

/// A resolver that answers with a public address the first time, and with loopback from then on.
pub(crate) struct Rebinding(std::sync::atomic::AtomicBool);

impl Rebinding {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(std::sync::atomic::AtomicBool::new(true)))
    }
}

impl Resolve for Rebinding {
    fn look_up<'a>(
        &'a self,
        _: &'a str,
    ) -> futures_util::future::BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let is_first = self.0.swap(false, std::sync::atomic::Ordering::SeqCst);
        let answer = if is_first { [1, 1, 1, 1] } else { [127, 0, 0, 1] };
        Box::pin(async move { Ok(vec![IpAddr::from(answer)]) })
    }
}

async fn wants(by: &Person, group: &Group, url: &str) -> Answer {
    let bot = json!({"bot": {"name": "B", "group_id": group.id, "callback_url": url}});
    by.posts("/v3/bots").json(&bot).await
}

async fn refused(by: &Person, group: &Group, url: &str) {
    let errors = wants(by, group, url).await.refused(400);
    assert_eq!(errors.len(), 1, "{url}");
    let names_both = errors[0].contains("callback_url") && errors[0].contains("--callback-allow");
    assert!(names_both, "{url}: {errors:?}");
}

#[tokio::test]
async fn local_mode_allows_only_loopback_callbacks() {
    let world = World::with(Setup::default().resolver(Arc::new(Names))).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for url in ["http://127.0.0.1:9000/", "http://[::1]:9000/", "https://later.test/"] {
        wants(&ana, &climbers, url).await.created();
    }
    for url in ["http://169.254.169.254/latest", "http://192.168.1.1/", "http://inside.test/"] {
        refused(&ana, &climbers, url).await;
    }
}

#[tokio::test]
async fn a_public_server_reaches_nothing_inside() {
    let setup = Setup::default().option("--public-url", "https://chat.example.org");
    let world = World::with(setup.resolver(Arc::new(Names))).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for host in ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:7f00:1]", "10.0.0.1", "inside.test"]
    {
        refused(&ana, &climbers, &format!("http://{host}:9000/")).await;
    }
    wants(&ana, &climbers, "http://8.8.8.8/").await.created();
}

#[tokio::test]
async fn an_operator_can_open_a_network() {
    let setup = Setup::default().option("--callback-allow", "10.0.0.0/8,fd00::/8");
    let world = World::with(setup.resolver(Arc::new(Names))).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for url in ["http://10.1.2.3/", "http://[fd00::1]/", "http://inside.test/"] {
        wants(&ana, &climbers, url).await.created();
    }
    refused(&ana, &climbers, "http://127.0.0.1/").await;
}
