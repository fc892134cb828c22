//! Several people write into several groups, the server is killed meanwhile and starts again, and
//! every acknowledged message is there.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::asking::{Person, starts};
use crate::readings;
use crate::rounds::Rounds;

/// How many groups each round has.
const GROUPS: usize = 3;
/// How many people write into each group.
const WRITERS: usize = 3;

/// What one writer knows at the end: the messages that were acknowledged, and the one that was not.
#[derive(Default)]
struct Written {
    /// Guid and id of each message.
    acknowledged: Vec<(String, String)>,
    /// The guid whose answer never came.
    unknown: Option<String>,
}

/// Posts until the server is gone.
async fn writes(person: Person, group: String, writer: String) -> Written {
    let mut written = Written::default();
    for number in 0.. {
        let guid = format!("{writer}-{number}");
        match person.says(&group, &guid).await {
            Some((201, payload)) => {
                let id = payload["message"]["id"].as_str().unwrap().to_owned();
                written.acknowledged.push((guid, id));
            }
            Some((status, payload)) => panic!("{status}: {payload}"),
            None => {
                written.unknown = Some(guid);
                break;
            }
        }
    }
    written
}

/// Checks that no guid and no id is there twice; returns the id of each guid.
fn once_each(found: &[(String, String)]) -> HashMap<&str, &str> {
    let by_guid: HashMap<&str, &str> =
        found.iter().map(|(guid, id)| (guid.as_str(), id.as_str())).collect();
    assert_eq!(by_guid.len(), found.len(), "a guid stands twice");
    let ids: HashSet<&str> = by_guid.values().copied().collect();
    assert_eq!(ids.len(), found.len(), "an id stands twice");
    by_guid
}

/// Checks that every acknowledged message is there with its id, and that there are no messages that
/// nobody sent.
fn check_pages(found: &[(String, String)], written: &[&Written]) {
    let by_guid = once_each(found);
    for (guid, id) in written.iter().flat_map(|it| &it.acknowledged) {
        let kept = by_guid.get(guid.as_str());
        assert_eq!(kept, Some(&id.as_str()), "{guid} was acknowledged");
    }
    let said = written.iter().map(|it| it.acknowledged.len() + usize::from(it.unknown.is_some()));
    assert!(found.len() <= said.sum::<usize>(), "there is more than anybody said");
}

/// Sends the message again that was not acknowledged: it is stored now, or refused if it was stored
/// before the kill.
async fn retry(person: &Person, group: &str, found: &[(String, String)], written: &Written) {
    let Some(guid) = &written.unknown else { return };
    let kept = found.iter().any(|(known, _)| known == guid);
    let (status, payload) = person.says(group, guid).await.unwrap();
    let expected = if kept { 409 } else { 201 };
    assert_eq!(status, expected, "{guid}: {payload}");
}

/// Runs one round on this data folder; returns how many messages were acknowledged.
async fn round(Rounds { data, person, random, .. }: &mut Rounds) -> usize {
    let program = starts(data.path());
    person.goes_to(&program);
    let (_, snapshot) = person.gets("/v3/sync").await;
    let cursor = snapshot["c"].as_str().unwrap().to_owned();
    let mut groups = Vec::new();
    let mut tasks = Vec::new();
    for group in 0..GROUPS {
        let id = person.creates_group(&format!("group {group}")).await;
        for writer in 0..WRITERS {
            let name = format!("{id}-{writer}");
            tasks.push((group, tokio::spawn(writes(person.clone(), id.clone(), name))));
        }
        groups.push(id);
    }
    tokio::time::sleep(Duration::from_micros(random.u64(0..400_000))).await;
    program.dies();
    let mut written: Vec<(usize, Written)> = Vec::new();
    for (group, task) in tasks {
        written.push((group, task.await.unwrap()));
    }
    let program = starts(data.path());
    person.goes_to(&program);
    let mut replayed = readings::replay(person, &cursor).await;
    for (number, group) in groups.iter().enumerate() {
        let of_group: Vec<&Written> =
            written.iter().filter(|(it, _)| *it == number).map(|(_, it)| it).collect();
        let found = readings::pages(person, group).await;
        check_pages(&found, &of_group);
        let mut ids: Vec<&String> = found.iter().map(|(_, id)| id).collect();
        ids.reverse();
        let heard = replayed.remove(group).unwrap();
        assert_eq!(heard.iter().collect::<Vec<_>>(), ids, "sockets hear what pages show");
        for writer in of_group {
            retry(person, group, &found, writer).await;
        }
        once_each(&readings::pages(person, group).await);
    }
    program.dies();
    written.iter().map(|(_, it)| it.acknowledged.len()).sum()
}

#[tokio::test]
async fn every_acknowledged_message_survives_a_kill() {
    let mut rounds = Rounds::begin(8).await;
    let mut acknowledged = 0;
    while rounds.next().is_some() {
        acknowledged += round(&mut rounds).await;
    }
    println!("{acknowledged} acknowledged messages, none lost");
    assert!(acknowledged > 0, "the server acknowledged something before it was killed");
}
