//! Searching messages by their words: in every script, only among what a user may read, and nothing
//! that was deleted or edited away.

use std::fs;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tantivy::Index;

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

/// Searches for messages with these parameters, whose values are escaped.
async fn searches(by: &Person, parameters: &[(&str, &str)]) -> Answer {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    by.gets(&format!("/v3/search/messages?{}", query.finish())).await
}

/// The texts of the messages found with these words, newest first.
async fn texts(by: &Person, words: &str) -> Vec<String> {
    let answer = searches(by, &[("q", words)]).await;
    if answer.status == 304 {
        return Vec::new();
    }
    let found = answer.ok();
    let messages = found["messages"].as_array().unwrap();
    assert_eq!(found["count"], messages.len(), "{found}");
    messages.iter().map(|message| text(&message["text"]).to_owned()).collect()
}

/// Waits until these words find a message, which shows that it and all earlier messages are
/// indexed; returns it.
async fn until_found(by: &Person, words: &str) -> Value {
    loop {
        let answer = searches(by, &[("q", words)]).await;
        match answer.status {
            200 => return answer.ok()["messages"][0].clone(),
            // 503: the index is being opened.
            503 | 304 => tokio::time::sleep(Duration::from_millis(20)).await,
            status => panic!("{status}: {}", answer.text),
        }
    }
}

fn path(group: &Group, message: &Value) -> String {
    format!("/v3/conversations/{}/messages/{}", group.id, text(&message["id"]))
}

/// Whether the index has this word; true as well if its files cannot be read because they are being
/// replaced.
fn knows(folder: &Path, word: &str) -> bool {
    has_word(folder, word).unwrap_or(true)
}

fn has_word(folder: &Path, word: &str) -> tantivy::Result<bool> {
    let index = Index::open_in_dir(folder)?;
    let words = index.schema().get_field("words")?;
    let searcher = index.reader()?.searcher();
    for segment in searcher.segment_readers() {
        if segment.inverted_index(words)?.terms().term_ord(word)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[tokio::test]
async fn words_are_found_in_every_script() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    for words in [
        "Crème brûlée at SIX o'clock",
        "🔥🔥 the rope, see example.com/ropes",
        "私は東京都に住んでいます",
        "학교에서 만나요",
        "встретимся у озера",
        "สวัสดีครับ",
        "rope at six",
    ] {
        ana.says(&group, words).await;
    }
    assert_eq!(text(&until_found(&ana, "\"rope at six\"").await["text"]), "rope at six");
    for (asked, found) in [
        ("creme BRULEE", "Crème brûlée at SIX o'clock"),
        ("о́зера", "встретимся у озера"),
        ("озе*", "встретимся у озера"),
        ("東京", "私は東京都に住んでいます"),
        ("住", "私は東京都に住んでいます"),
        ("학교", "학교에서 만나요"),
        ("สวัสดี", "สวัสดีครับ"),
        ("ropes", "🔥🔥 the rope, see example.com/ropes"),
        ("example.com", "🔥🔥 the rope, see example.com/ropes"),
        ("\"the rope\"", "🔥🔥 the rope, see example.com/ropes"),
    ] {
        assert_eq!(texts(&ana, asked).await, [found], "{asked}");
    }
    assert_eq!(texts(&ana, "rope").await.len(), 2);
    assert_eq!(texts(&ana, "rop*").await.len(), 2);
    assert_eq!(texts(&ana, "six at").await.len(), 2);
    for nothing in ["rop", "\"six at\"", "京東", "climbers", "rope nowhere"] {
        assert!(texts(&ana, nothing).await.is_empty(), "{nothing}");
    }
    let found = until_found(&ana, "rope example.com").await;
    assert_eq!(found["highlights"], json!([[7, 4], [17, 11]]));
    assert_eq!(found["conversation_id"], json!(group.id));
    let posted = ana.reads(&group, "?limit=100").await;
    let mut as_read = posted.into_iter().find(|it| it["id"] == found["id"]).unwrap();
    as_read["conversation_id"] = found["conversation_id"].clone();
    as_read["highlights"] = found["highlights"].clone();
    assert_eq!(found, as_read, "what is found is what is read");
}

/// A text, searches that find it, and the highlight of the first one.
type Equal = (&'static str, &'static [&'static str], [usize; 2]);

/// Texts that are equal for readers though their characters differ. The highlights fit the text as
/// it was posted.
const EQUAL: [Equal; 11] = [
    ("in \u{1103}\u{1169}\u{1109}\u{1165}\u{1100}\u{116a}\u{11ab}!", &["도서관", "서관"], [3, 7]),
    ("das Donau\u{ad}dampf\u{ad}schiff kam", &["Donaudampfschiff", "donau\u{200b}dampf*"], [4, 18]),
    ("\u{ff76}\u{ff9e}\u{ff97}\u{ff7d} の", &["ガラス", "カ\u{3099}ラス", "ガ"], [0, 4]),
    ("កម្ពុជា\u{200b}ខ្មែរ ok", &["កម្ពុជាខ្មែរ", "ខ្មែរ", "កម្ពុជា"], [0, 13]),
    ("ไป\u{200b}ภาษาไทย", &["ไปภาษาไทย", "ภาษา\u{200b}ไทย", "ภาษา"], [0, 10]),
    ("این کتاب خوب", &["كتاب", "کتاب", "كِتاب"], [4, 4]),
    ("call \u{661}\u{662}\u{663}\u{664} now", &["1234", "۱۲۳۴", "１２３４"], [5, 4]),
    ("cafe\u{301} \u{fb01}nal", &["café final", "CAFE", "ﬁnal"], [0, 5]),
    ("the summit \u{1f9d7} party", &["\u{1f9d7}", "summit \u{1f9d7}"], [11, 1]),
    ("love \u{2764}\u{fe0f} it", &["\u{2764}", "\u{2764}\u{fe0e}"], [5, 2]),
    ("by \u{1f469}\u{1f3fd}\u{200d}\u{1f680} up", &["\u{1f469}\u{200d}\u{1f680}"], [3, 4]),
];

#[tokio::test]
async fn equal_texts_find_each_other() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    for (text, _, _) in EQUAL {
        ana.says(&group, text).await;
    }
    ana.says(&group, "last").await;
    until_found(&ana, "last").await;
    for (text, searches, highlight) in EQUAL {
        for words in searches {
            assert_eq!(texts(&ana, words).await, [text], "{words:?}");
        }
        let found = until_found(&ana, searches[0]).await;
        assert_eq!(found["highlights"][0], json!(highlight), "{text:?}");
    }
    for other in ["summit \u{1f525}", "カラス", "도시관", "1235"] {
        assert!(texts(&ana, other).await.is_empty(), "{other:?}");
    }
}

#[tokio::test]
async fn folder_of_an_earlier_version_is_rebuilt() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    ana.says(&group, "Donau\u{ad}dampf").await;
    until_found(&ana, "donaudampf").await;
    world.stops().await;
    // The earlier version indexed the whole journal, by rules that did not find this word.
    let meta = world.data().join("search").join("meta.json");
    let mut known: Value = serde_json::from_str(&fs::read_to_string(&meta).unwrap()).unwrap();
    let mark = text(&known["payload"]).to_owned();
    known["payload"] = json!(format!("2:{}", mark.split_once(':').unwrap().1));
    known["segments"] = json!([]);
    fs::write(&meta, known.to_string()).unwrap();
    world.restarts().await;
    assert_eq!(text(&until_found(&ana, "donaudampf").await["text"]), "Donau\u{ad}dampf");
}

#[tokio::test]
async fn search_finds_only_readable_messages() {
    let world = World::start().await;
    let [ana, ben, cem, dan] = world.people(["Ana", "Ben", "Cem", "Dan"]).await;
    let group = ana.creates_group("Climbers").await;
    ana.adds(&ben, &group).await;
    ana.says(&group, "rope for the wall").await;
    ana.adds(&cem, &group).await;
    writes(&ana, &dan, "rope for the two of us").await;
    until_found(&dan, "rope").await;
    assert_eq!(texts(&ana, "rope").await, ["rope for the two of us", "rope for the wall"]);
    assert_eq!(texts(&dan, "rope").await, ["rope for the two of us"]);
    // Cem became a member later, but may read earlier messages, and so finds them.
    assert_eq!(texts(&cem, "rope").await, ["rope for the wall"]);
    let there = conversation(&ana, &dan);
    let found = searches(&dan, &[("q", "rope"), ("conversation_id", &there)]).await.ok();
    assert_eq!(found["messages"][0]["conversation_id"], json!(there));
    searches(&cem, &[("q", "rope"), ("conversation_id", &there)]).await.refused(404);
    searches(&dan, &[("q", "rope"), ("conversation_id", &group.id)]).await.refused(404);
    ben.leaves(&group).await;
    ana.removes(&cem, &group).await.ok();
    for outside in [&ben, &cem] {
        searches(outside, &[("q", "rope")]).await.nothing_found();
        searches(outside, &[("q", "rope"), ("conversation_id", &group.id)]).await.refused(404);
    }
    // A block does not keep earlier messages from being read, so they are found too.
    dan.posts(&format!("/v3/blocks?user={}&otherUser={}", dan.id, ana.id)).await.created();
    assert_eq!(texts(&dan, "rope").await, ["rope for the two of us"]);
    ana.adds(&cem, &group).await;
    assert_eq!(texts(&cem, "rope").await, ["rope for the wall"]);
}

#[tokio::test]
async fn search_omits_edited_out_and_deleted_text() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    let edited = ana.says(&group, "meet at the oldplace").await;
    let deleted = ana.says(&group, "the code is xyzzy4711").await;
    until_found(&ana, "xyzzy4711").await;
    ana.asks("PUT", &path(&group, &edited))
        .json(&json!({"text": "meet at the newplace"}))
        .await
        .ok();
    searches(&ana, &[("q", "oldplace")]).await.nothing_found();
    assert_eq!(until_found(&ana, "newplace").await["id"], edited["id"]);
    let deletion = ana.asks("DELETE", &path(&group, &deleted)).await;
    assert_eq!(deletion.status, 204);
    searches(&ana, &[("q", "xyzzy4711")]).await.nothing_found();
    searches(&ana, &[("q", "code")]).await.nothing_found();
    let folder = world.data().join("search");
    while knows(&folder, "xyzzy4711") || knows(&folder, "oldplace") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // A message is deleted after its edit; then the server starts without an index and indexes
    // everything again.
    ana.asks("DELETE", &path(&group, &edited)).await;
    ana.says(&group, "still here").await;
    world.stops().await;
    // A merge of segments that had begun may still write files.
    while fs::remove_dir_all(&folder).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    world.restarts().await;
    until_found(&ana, "still").await;
    for word in ["newplace", "oldplace", "xyzzy4711"] {
        searches(&ana, &[("q", word)]).await.nothing_found();
        assert!(!knows(&folder, word), "{word}");
    }
}

#[tokio::test]
async fn a_search_is_narrowed_down_and_paged() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let group = ana.creates_group("Climbers").await;
    ana.adds(&ben, &group).await;
    let first = ana.says(&group, "rope one").await;
    world.seconds_pass(10);
    let second = ben.says(&group, "rope two, see https://example.com").await;
    world.seconds_pass(10);
    let url = ben.has_image().await;
    let image = json!({"text": "rope three", "attachments": [{"type": "image", "url": url}]});
    let third = ben.posting(&group, image).await.created()["message"].clone();
    until_found(&ana, "three").await;
    let all = [&third, &second, &first];
    let at = |message: &Value| message["created_at"].to_string();
    let (since, until) = (at(&second), at(&second));
    let rope = ("q", "rope");
    for (parameters, found) in [
        (vec![rope], &all[..]),
        (vec![rope, ("user_id", &ben.id)], &all[..2]),
        (vec![("user_id", &ana.id)], &all[2..]),
        (vec![rope, ("has", "image")], &all[..1]),
        (vec![("has", "link")], &all[1..2]),
        (vec![rope, ("from", &since)], &all[..2]),
        (vec![rope, ("to", &until)], &all[1..]),
        (vec![rope, ("from", &since), ("to", &until)], &all[1..2]),
    ] {
        let answer = searches(&ana, &parameters).await.ok();
        let ids: Vec<&Value> =
            answer["messages"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
        let expected: Vec<&Value> = found.iter().map(|it| &it["id"]).collect();
        assert_eq!(ids, expected, "{parameters:?}");
        assert_eq!(answer["count"], found.len());
    }
    let page =
        searches(&ana, &[rope, ("limit", "1"), ("before_id", text(&third["id"]))]).await.ok();
    assert_eq!((&page["messages"][0]["id"], &page["count"]), (&second["id"], &json!(3)));
    searches(&ana, &[rope, ("before_id", text(&first["id"]))]).await.nothing_found();
    for (wrong, told) in [
        (("q", " "), "q has no word to search for"),
        (("has", "poll"), "has must be image, video, file or link"),
        (("conversation_id", "x"), "conversation_id must be a group's id, or two users' as a+b"),
        (("from", "x"), "from must be a whole number"),
        (("limit", "0"), "limit must be a whole number above zero"),
    ] {
        let asked = if wrong.0 == "q" { vec![wrong] } else { vec![rope, wrong] };
        assert_eq!(searches(&ana, &asked).await.refused(400), [told]);
    }
    let nothing = searches(&ana, &[("conversation_id", &group.id)]).await;
    assert_eq!(nothing.refused(400), ["q is required, unless there is user_id or has"]);
}

#[tokio::test]
async fn many_are_counted_up_to_a_thousand() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    for _ in 0..20 {
        join_all((0..50).map(|_| ana.says(&group, "tick"))).await;
    }
    ana.says(&group, "tock first").await;
    until_found(&ana, "first").await;
    let found = searches(&ana, &[("q", "tick")]).await.ok();
    assert_eq!((&found["count"], &found["count_at_least"]), (&json!(1000), &Value::Null));
    assert_eq!(found["messages"].as_array().unwrap().len(), 20);
    ana.says(&group, "tick tock last").await;
    until_found(&ana, "last").await;
    let found = searches(&ana, &[("q", "tick"), ("limit", "100")]).await.ok();
    assert_eq!((&found["count"], &found["count_at_least"]), (&json!(1000), &json!(1000)));
    let mut seen = 0;
    let mut before = "9999999999999999999".to_owned();
    loop {
        let answer =
            searches(&ana, &[("q", "tick"), ("limit", "100"), ("before_id", &before)]).await;
        if answer.status == 304 {
            break;
        }
        let page = answer.ok();
        let messages = page["messages"].as_array().unwrap();
        seen += messages.len();
        before = text(&messages.last().unwrap()["id"]).to_owned();
    }
    assert_eq!(seen, 1001);
}

#[tokio::test]
async fn damaged_search_folder_is_rebuilt() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    ana.says(&group, "rope at six").await;
    until_found(&ana, "rope").await;
    let folder = world.data().join("search");
    let damages: [fn(&Path); 4] = [
        |folder| fs::write(folder.join("meta.json"), "nothing").unwrap(),
        |folder| {
            let meta = fs::read_to_string(folder.join("meta.json")).unwrap();
            fs::write(folder.join("meta.json"), meta.replace("\"payload\":\"", "\"payload\":\"9"))
                .unwrap();
        },
        |folder| {
            for file in fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|it| it == "term") {
                    let mut bytes = fs::read(&path).unwrap();
                    bytes[0] ^= 0xff;
                    fs::write(&path, bytes).unwrap();
                }
            }
        },
        |folder| fs::remove_dir_all(folder).unwrap(),
    ];
    for damage in damages {
        world.stops().await;
        damage(&folder);
        world.restarts().await;
        assert_eq!(text(&until_found(&ana, "rope").await["text"]), "rope at six");
        ana.says(&group, "another one").await;
        until_found(&ana, "another").await;
    }
}

#[tokio::test]
async fn phrase_ends_with_the_beginning_of_a_word() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    for words in ["rope at six", "six at rope", "rope at sunset", "at the sea", "summit last"] {
        ana.says(&group, words).await;
    }
    until_found(&ana, "last").await;
    assert_eq!(texts(&ana, "\"at s*\"").await, ["rope at sunset", "rope at six"]);
    assert_eq!(texts(&ana, "\"rope at s*").await, ["rope at sunset", "rope at six"]);
    assert_eq!(texts(&ana, "\"at s*\" six").await, ["rope at six"]);
    assert_eq!(texts(&ana, "s* r*").await.len(), 3);
}

#[tokio::test]
async fn search_for_too_many_words_is_refused_and_names_its_field() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    let words =
        |of: u64| -> String { (0..150).map(|word| format!("a{:04x} ", of * 150 + word)).collect() };
    for of in 0..60 {
        ana.says(&group, &words(of)).await;
    }
    ana.says(&group, "the last").await;
    until_found(&ana, "last").await;
    let found = searches(&ana, &[("q", "a0* a01*")]).await.ok();
    assert_eq!(found["count"], 3);
    let refused = searches(&ana, &[("q", &"a* ".repeat(32))]).await.refused(400);
    assert!(refused[0].starts_with("q matches too many words"));
}
