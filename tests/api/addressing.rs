//! Mentions and replies: whom messages address, who is notified of them, and what clients from
//! before the specification send.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writing};
use crate::notices::{sms, switches_sms_on, with_gateway, with_phone};
use crate::world::World;
use crate::world::asking::Asking;
use crate::world::outside::Outside;
use crate::world::person::{Group, Person, fresh_guid, text};

fn mentions(user_ids: &[&str], loci: &[[i64; 2]]) -> Value {
    json!({"type": "mentions", "user_ids": user_ids, "loci": loci})
}

fn reply_to(message: &Value) -> Value {
    json!({"type": "reply", "reply_id": message["id"]})
}

/// Posts a text with one attachment.
fn saying(by: &Person, group: &Group, words: &str, attachment: &Value) -> Asking {
    by.posting(group, json!({"text": words, "attachments": [attachment]}))
}

/// The same, as sent by a client from before the specification.
fn saying_as_before(by: &Person, group: &Group, words: &str, attachment: &Value) -> Asking {
    let message = json!({"source_guid": fresh_guid(), "text": words, "attachments": [attachment]});
    by.posts(&format!("/compat{}", group.path("/messages"))).json(&json!({"message": message}))
}

/// The number of unread messages addressed to this person, as the list of groups has it.
async fn unread(by: &Person) -> u64 {
    by.gets("/v3/groups").await.ok()[0]["unread_mentions"].as_u64().unwrap()
}

#[tokio::test]
async fn mentions_and_replies_count_until_read() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let asked = ben.says(&climbers, "who has a rope?").await;
    let answered = saying(&ana, &climbers, "I do", &reply_to(&asked)).await.created();
    saying(&ana, &climbers, "@Cem, you too?", &mentions(&[&cem.id], &[[0, 4]])).await.created();
    ana.says(&climbers, "good").await;
    for _ in 0..2 {
        assert_eq!((unread(&ben).await, unread(&cem).await, unread(&ana).await), (1, 1, 0));
        let sync = ben.gets("/v3/sync").await.ok();
        assert_eq!(sync["groups"][0]["unread_mentions"], 1);
        world.restarts().await;
    }
    let read = format!("/v3/conversations/{}/read", climbers.id);
    let body = json!({"message_id": answered["message"]["id"]});
    let marked = ben.posts(&read).json(&body).await.ok();
    assert_eq!((&marked["unread_count"], &marked["unread_mentions"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn messages_for_a_user_are_listed_over_all_conversations() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let chess = ana.creates_group("Chess").await;
    ana.adds(&ben, &chess).await;
    let topic = ana.posts(&climbers.path("/subgroups")).json(&json!({"topic": "Knots"})).await;
    let knots = Group { id: topic.created()["id"].to_string() };
    let asked = ben.says(&climbers, "who has a rope?").await;
    let bens = [[0, 4]];
    let mut expected = Vec::new();
    for (group, words, attachment) in [
        (&climbers, "I do", reply_to(&asked)),
        (&chess, "@Ben, your move", mentions(&[&ben.id], &bens)),
        (&knots, "@all, look", mentions(&["all"], &bens)),
        (&climbers, "@Cem, you too?", mentions(&[&cem.id], &bens)),
        (&climbers, "@Ben too", mentions(&[&ben.id, "all"], &[[0, 4], [5, 3]])),
        (&chess, "@Ben, delete this", mentions(&[&ben.id], &bens)),
    ] {
        let said = saying(&ana, group, words, &attachment).await.created();
        expected.push((group.id.clone(), words, said["message"]["id"].clone()));
    }
    saying(&ben, &climbers, "@Ben, to myself", &mentions(&[&ben.id], &bens)).await.created();
    let hello = json!({"text": "@Ben", "attachments": [mentions(&[&ben.id], &bens)]});
    let hello = writing(&cem, &ben, hello).await.created();
    let deleted = expected.pop().unwrap();
    let path = format!("/v3/conversations/{}/messages/{}", chess.id, text(&deleted.2));
    ana.asks("DELETE", &path).await;
    expected.remove(3);
    expected.push((conversation(&cem, &ben), "@Ben", hello["message"]["id"].clone()));
    expected.reverse();
    let list = async |query: &str| {
        let listed = ben.gets(&format!("/v3/mentions{query}")).await.ok();
        let messages = listed["messages"].as_array().unwrap().clone();
        messages
            .into_iter()
            .map(|it| [&it["conversation_id"], &it["text"], &it["id"]].map(Value::clone))
            .collect::<Vec<_>>()
    };
    let expected: Vec<[Value; 3]> =
        expected.into_iter().map(|(conv, words, id)| [json!(conv), json!(words), id]).collect();
    for _ in 0..2 {
        assert_eq!(list("").await, expected);
        let mut paged = Vec::new();
        while paged.len() < expected.len() {
            let before = paged.last().map(|it: &[Value; 3]| text(&it[2]).to_owned());
            let before = before.map(|id| format!("&before_id={id}")).unwrap_or_default();
            let page = list(&format!("?limit=2{before}")).await;
            assert!(!page.is_empty(), "{paged:?}");
            paged.extend(page);
        }
        assert_eq!(paged, expected);
        world.restarts().await;
    }
    ana.removes(&ben, &climbers).await.ok();
    let left: Vec<Value> = list("").await.into_iter().map(|[conv, ..]| conv).collect();
    assert_eq!(left, [json!(conversation(&cem, &ben)), json!(chess.id)]);
}

#[tokio::test]
async fn removed_mention_counts_no_more() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let mention = mentions(&[&ben.id], &[[0, 4]]);
    let said = saying(&ana, &climbers, "@Ben!", &mention).await.created()["message"].take();
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    assert_eq!((unread(&ben).await, unread(&cem).await), (1, 0));
    let other = mentions(&[&cem.id], &[[0, 4]]);
    let change = json!({"text": "@Cem!", "attachments": [other]});
    ana.asks("PUT", &path).json(&change).await.ok();
    assert_eq!((unread(&ben).await, unread(&cem).await), (0, 1));
    let edited = ana.asks("PUT", &path).json(&json!({"text": "@C"})).await.ok();
    let kept = mentions(&[&cem.id], &[[0, 2]]);
    assert_eq!(edited["message"]["attachments"], json!([kept]), "the place is cut to the text");
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    assert_eq!((unread(&ben).await, unread(&cem).await), (0, 0));
}

#[tokio::test]
async fn reply_names_thread_and_addressee() {
    let world = World::start().await;
    let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let walkers = ana.creates_group("Walkers").await;
    let elsewhere = ana.says(&walkers, "boots").await;
    let first = ben.says(&climbers, "rope?").await;
    let second =
        saying(&ana, &climbers, "yes", &reply_to(&first)).await.created()["message"].take();
    let mut wanted = reply_to(&first);
    (wanted["base_reply_id"], wanted["user_id"]) = (first["id"].clone(), json!(ben.id));
    assert_eq!(second["attachments"], json!([wanted]));
    let third = saying(&ben, &climbers, "good", &reply_to(&second)).await.created();
    let third = &third["message"]["attachments"][0];
    assert_eq!((&third["base_reply_id"], &third["user_id"]), (&first["id"], &json!(ana.id)));
    let mut wrong_base = reply_to(&second);
    wrong_base["base_reply_id"] = json!("5");
    for (wrong, field) in [
        (reply_to(&elsewhere), "reply_id"),
        (json!({"type": "reply", "reply_id": "nothing"}), "reply_id"),
        (wrong_base, "base_reply_id"),
    ] {
        let errors = saying(&ana, &climbers, "x", &wrong).await.refused(400);
        assert!(errors[0].contains(field), "{errors:?}");
    }
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&first["id"]));
    assert_eq!(ben.asks("DELETE", &path).await.status, 204);
    let errors = saying(&ana, &climbers, "x", &reply_to(&first)).await.refused(400);
    assert!(errors[0].contains("deleted"), "{errors:?}");
    let page = ana.reads(&climbers, "?limit=2").await;
    assert_eq!(page[1]["attachments"], second["attachments"], "replies stay as they were");
}

#[tokio::test]
async fn invalid_mentions_are_refused() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let [dee] = world.people(["Dee"]).await;
    for (wrong, reason) in [
        (mentions(&[&dee.id], &[[0, 1]]), "people of this conversation"),
        (mentions(&["-1"], &[[0, 1]]), "people of this conversation"),
        (mentions(&[&cem.id], &[[0, 6]]), "inside the text"),
        (mentions(&[&cem.id], &[]), "inside the text"),
    ] {
        let errors = saying(&ben, &climbers, "hello", &wrong).await.refused(400);
        assert!(errors[0].contains(reason), "{errors:?}");
    }
    let all = mentions(&["all"], &[[0, 5]]);
    let errors = saying(&ben, &climbers, "hello", &all).await.refused(403);
    assert!(errors[0].contains("mention_all"), "{errors:?}");
    saying(&ana, &climbers, "hello", &all).await.created();
    assert_eq!((unread(&ben).await, unread(&cem).await, unread(&ana).await), (1, 1, 0));
    let open = ana.updates(&climbers, json!({"mention_all": "members"})).await.ok();
    assert_eq!(open["mention_all"], "members");
    saying(&ben, &climbers, "hello", &all).await.created();
    assert_eq!((unread(&ben).await, unread(&cem).await, unread(&ana).await), (0, 2, 1));
    ana.updates(&climbers, json!({"mention_all": "nobody"})).await.refused(400);
}

#[tokio::test]
async fn mention_all_reaches_present_members_only() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let _feed = ben.listens().await;
    let said = saying(&ana, &climbers, "quick!", &mentions(&["online"], &[[0, 5]])).await.created();
    let shown = mentions(&["online"], &[[0, 5]]);
    assert_eq!(said["message"]["attachments"], json!([shown]));
    assert_eq!((unread(&ben).await, unread(&cem).await), (1, 0));
}

#[tokio::test]
async fn older_clients_mentions_are_normalized_both_ways() {
    let world = World::start().await;
    let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let sent = mentions(&["77", &ben.id, "-1"], &[[0, 1], [2, 99], [0, 2]]);
    let said = saying_as_before(&ana, &climbers, "🔥Ben", &sent).await.created();
    let old = mentions(&[&ben.id, "-1"], &[[2, 3], [0, 2]]);
    assert_eq!(said["message"]["attachments"], json!([old]));
    let listed = ben.gets(&format!("/compat{}", climbers.path("/messages"))).await.ok();
    assert_eq!(listed["messages"][0]["attachments"], json!([old]));
    let new = mentions(&[&ben.id, "all"], &[[1, 3], [0, 1]]);
    assert_eq!(ben.reads(&climbers, "").await[0]["attachments"], json!([new]));
    let unknown = json!({"type": "reply", "reply_id": "12", "base_reply_id": "12"});
    let said = saying_as_before(&ana, &climbers, "what?", &unknown).await.created();
    assert_eq!(said["message"]["attachments"], json!([]));
}

#[tokio::test]
async fn older_clients_get_one_message_form_everywhere() {
    let world = World::start().await;
    let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let old = mentions(&[&ben.id, "-1"], &[[2, 3], [0, 2]]);
    let said = saying_as_before(&ana, &climbers, "🔥Ben", &old).await.created()["message"].clone();
    let both = conversation(&ana, &ben);
    let letter = json!({"source_guid": fresh_guid(), "recipient_id": ben.id, "text": "🔥Ben",
        "attachments": [old]});
    let letter = json!({"direct_message": letter});
    let sent = ana.posts("/compat/v3/direct_messages").json(&letter).await.created();
    let sent = sent["direct_message"].clone();
    let place = |conv: &str, said: &Value| {
        format!("/compat/v3/conversations/{conv}/messages/{}", text(&said["id"]))
    };
    let group = format!("/compat/v3/groups/{}", climbers.id);

    ana.posts(&format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]))).await.ok();
    let mine = ana.gets(&format!("{group}/likes/mine")).await.ok();
    assert_eq!(mine["messages"][0]["attachments"], json!([old]));
    assert_eq!(ana.posts(&format!("{}/pin", place(&both, &sent))).await.ok(), Value::Null);
    let pinned = ana.gets(&format!("/compat/v3/pinned/direct_messages?other_user_id={}", ben.id));
    let pinned = pinned.await.ok();
    assert_eq!(pinned["direct_messages"][0]["attachments"], json!([old]));
    assert_eq!(ana.posts(&format!("{}/unpin", place(&both, &sent))).await.ok(), Value::Null);
    let edit = json!({"text": "🔥Ben, you", "attachments": [old]});
    for (conv, said) in [(&climbers.id, &said), (&both, &sent)] {
        let path = place(conv, said);
        let edited = ana.asks("PUT", &path).json(&edit).await.ok();
        assert_eq!(edited["message"]["attachments"], json!([old]));
        let earlier = ana.gets(&format!("{path}/history")).await.ok();
        assert_eq!(earlier["history"][0]["attachments"], json!([old]));
    }
    let shown = async |expected: (Value, Value)| {
        let listed = ana.gets("/compat/v3/groups").await.ok()[0].clone();
        let group = ana.gets(&group).await.ok();
        let change = json!({"name": "Climbers"});
        let changed = ana.posts(&climbers.path("/update").replace("/v3", "/compat/v3"));
        let changed = changed.json(&change).await.ok();
        let sync = ana.gets("/compat/v3/sync").await.ok();
        let (of_group, of_chat) = (&sync["groups"][0], &sync["chats"][0]);
        let previews = [&listed, &group, &changed, &of_group["group"]];
        let previews = previews.map(|it| it["messages"]["preview"].clone());
        let chats = ana.gets("/compat/v3/chats").await.ok()[0]["last_message"].clone();
        let chat = ana.gets(&format!("/compat/v3/chats/{both}")).await.ok()["last_message"].clone();
        let last = of_chat["chat"]["last_message"].clone();
        let messages = [of_group["messages"][0].clone(), of_chat["messages"][0].clone()];
        for it in previews.into_iter().chain(messages).chain([chats, chat, last]) {
            assert_eq!((it["text"].clone(), it["attachments"].clone()), expected, "{it}");
        }
    };
    shown((json!("🔥Ben, you"), json!([old]))).await;
    for (conv, said) in [(&climbers.id, &said), (&both, &sent)] {
        assert_eq!(ana.asks("DELETE", &place(conv, said)).await.status, 204);
    }
    shown((json!("This message was deleted"), json!([]))).await;
}

#[tokio::test]
async fn bot_posts_mentions_replies_and_pictures() {
    let world = World::start().await;
    let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let body = json!({"bot": {"name": "Bot", "group_id": climbers.id}});
    let bot = ana.posts("/v3/bots").json(&body).await.created()["bot_id"].clone();
    let asked = ben.says(&climbers, "weather?").await;
    let (one, two) = (ana.has_image().await, ana.has_image().await);
    let image = |url: &str| json!({"type": "image", "url": url});
    let attachments =
        json!([mentions(&[&ben.id], &[[0, 4]]), reply_to(&asked), image(&one), image(&two)]);
    let posting = |attachments: Value| {
        let post = json!({"bot_id": bot, "text": "@Ben sun", "attachments": attachments});
        world.post("/v3/bots/post").json(&post)
    };
    posting(attachments).await.created();
    let shown = ben.reads(&climbers, "?limit=1").await;
    assert_eq!(shown[0]["attachments"].as_array().unwrap().len(), 4);
    assert_eq!(shown[0]["attachments"][1]["user_id"], json!(ben.id));
    assert_eq!(unread(&ben).await, 1);
    let place = json!({"type": "location", "name": "n", "lat": "1", "lng": "2"});
    posting(json!([place, place])).await.refused(400);
    posting(json!([{"type": "split", "token": "t"}])).await.refused(400);
    posting(json!([mentions(&["7"], &[[0, 1]])])).await.refused(400);
}

#[tokio::test]
async fn the_two_of_a_chat_answer_each_other() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let first = writing(&ana, &ben, json!({"text": "rope?"})).await.created()["message"].take();
    let answer = json!({"text": "yes", "attachments": [reply_to(&first)]});
    let answer = writing(&ben, &ana, answer).await.created()["message"].take();
    assert_eq!(answer["attachments"][0]["user_id"], json!(ana.id));
    let chat = ana.gets("/v3/chats").await.ok()[0].take();
    assert_eq!((&chat["unread_count"], &chat["unread_mentions"]), (&json!(1), &json!(1)));
    let chat = conversation(&ana, &ben);
    let path = format!("/v3/conversations/{chat}/messages/{}", text(&answer["id"]));
    let moved = json!({"text": "no", "attachments": [reply_to(&answer)]});
    let errors = ben.asks("PUT", &path).json(&moved).await.refused(400);
    assert_eq!(errors, ["attachments: an edit cannot change the message that is replied to"]);
}

#[tokio::test]
async fn only_mentions_pass_a_mute() {
    let mut gateway = Outside::listens().await;
    let world = World::with(with_gateway(&gateway.url)).await;
    let [ana] = world.people(["Ana"]).await;
    let ben = with_phone(&world, "Ben", "+15550101234").await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    switches_sms_on(&ben, None).await;
    ben.posts(&climbers.path("/memberships/mute")).await.ok();
    ana.says(&climbers, "nothing of note").await;
    saying(&ana, &climbers, "@Ben come", &mentions(&[&ben.id], &[[0, 4]])).await.created();
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: @Ben come");
    let said = ben.says(&climbers, "where to?").await;
    ana.says(&climbers, "nothing again").await;
    saying(&ana, &climbers, "the hut", &reply_to(&said)).await.created();
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: the hut");
}
