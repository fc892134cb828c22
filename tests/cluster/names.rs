//! Two nodes that are started under one name at the same moment: one of them serves.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::installation::{Installation, place_key};
use crate::kills::rounds;
use crate::program::{coterie, serving};
use crate::waiting::until_some;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_nodes_with_one_name_serves() {
    let all = Installation::starts(1, 1).await;
    let servers = all.servers.addresses();
    let folder = tempfile::tempdir().unwrap();
    for round in 0..rounds() {
        let name = format!("twin-{round}");
        let options = ["--nats", &servers, "--replicas", "1", "--node", &name];
        let starts = |number: usize| {
            let data = folder.path().join(format!("{round}-{number}"));
            place_key(&data);
            let mut command = coterie(&serving(&data, &options));
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut twins = [starts(0), starts(1)];
        let ended = until_some("one of the twins ends", async || {
            let over = |it: &mut Child| it.try_wait().unwrap().map(|status| status.code());
            twins.iter_mut().enumerate().find_map(|(at, twin)| Some((at, over(twin)?)))
        });
        let (ended, code) = ended.await;
        assert_eq!(code, Some(2));
        let twin = &mut twins[1 - ended];
        let mut line = String::new();
        BufReader::new(twin.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_whitespace().find(|it| it.starts_with("http")).unwrap();
        let url = format!("{address}/health/ready");
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        until_some("the other twin serves", async || {
            client.get(&url).send().await.ok().filter(|it| it.status() == 200)
        })
        .await;
        assert!(twin.try_wait().unwrap().is_none());
        twin.kill().unwrap();
        twin.wait().unwrap();
    }
}
