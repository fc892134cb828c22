//! People at different nodes talk to each other, and do not notice the difference.

use serde_json::json;

use crate::asking::Person;
use crate::feed::Feed;
use crate::installation::Installation;

/// A GIF of one pixel, a different one for each number.
pub(crate) fn picture(number: usize) -> Vec<u8> {
    let mut gif = b"GIF89a\x01\0\x01\0\x80\0\0".to_vec();
    gif.extend([number as u8 * 40, 0, 0, 255, 255, 255]);
    gif.extend(b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;");
    gif
}

async fn say(person: &Person, group: &str, words: &str) {
    let message = json!({"message": {"source_guid": words, "text": words}});
    let (status, told) =
        person.posts(&format!("/v3/groups/{group}/messages"), &message).await.unwrap();
    assert_eq!(status, 201, "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_at_three_nodes_are_in_one_conversation() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ben = Person::called("Ben", all.node(1)).await;
    let (_, known) = all.at(2, &ben).gets("/v3/users/me").await;
    let ben_id = known["id"].as_str().unwrap().to_owned();
    let mut groups = Vec::new();
    for number in 0..6 {
        // A group that is created at one node is there at the others at once.
        let group = all.at(number % 3, &ana).creates_group(&format!("Group {number}")).await;
        let member = json!({"members": [{"nickname": "Ben", "user_id": ben_id}]});
        let path = format!("/v3/groups/{group}/members/add");
        let (status, told) = all.at((number + 1) % 3, &ana).posts(&path, &member).await.unwrap();
        assert_eq!(status, 202, "{told}");
        groups.push(group);
    }
    let mut feeds = [Feed::of(&ben).await, Feed::of(&all.at(2, &ben)).await];
    for (number, group) in groups.iter().enumerate() {
        for node in 0..3 {
            let words = format!("{number} at {node}");
            say(&all.at(node, &ana), group, &words).await;
            for feed in &mut feeds {
                feed.hears(&words).await;
            }
            // Each node that is asked next shows the message.
            for node in 0..3 {
                let path = format!("/v3/groups/{group}/messages?limit=1");
                let (_, page) = all.at(node, &ben).gets(&path).await;
                assert_eq!(page["messages"][0]["text"], words.as_str(), "at {node}");
            }
        }
    }
    // While a group is ended, a message in another group of the same node is not lost.
    for (node, gone) in groups.iter().take(3).enumerate() {
        let (ana, words) = (all.at(node, &ana), format!("without {gone}"));
        let path = format!("/v3/groups/{gone}/destroy");
        let nothing = json!({});
        let (ended, ()) =
            tokio::join!(ana.posts(&path, &nothing), say(&ana, &groups[node + 3], &words));
        assert_eq!(ended.unwrap().0, 200);
        for feed in &mut feeds {
            feed.hears_both("group.delete", &words).await;
        }
    }
    let (_, known) = ana.gets("/v3/users/me").await;
    // A change at a node that does not own the user, and pictures, which are not in the log.
    for node in 0..3 {
        let ana = all.at(node, &ana);
        let named = json!({"name": format!("Ana {node}")});
        let (status, told) = ana.posts("/v3/users/update", &named).await.unwrap();
        assert_eq!(status, 200, "{told}");
        let (_, shown) = all.at((node + 1) % 3, &ana).gets("/v3/users/me").await;
        assert_eq!((&shown["name"], &shown["id"]), (&named["name"], &known["id"]));
        let (status, kept) = ana.sends_image(picture(node)).await.unwrap();
        assert_eq!(status, 200, "{kept}");
        let url = kept["payload"]["url"].as_str().unwrap();
        let path = url.strip_prefix("http://chat.example.org").unwrap();
        let mut shown = Vec::new();
        for node in 0..3 {
            let (status, bytes) = all.at(node, &ana).gets_bytes(path).await;
            assert_eq!(status, 200, "{path} at {node}");
            shown.push(bytes);
        }
        assert!(shown.windows(2).all(|pair| pair[0] == pair[1]));
    }
    for node in 0..3 {
        all.stop(node).await;
    }
}
