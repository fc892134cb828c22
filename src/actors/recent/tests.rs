use super::*;
use domain::ids::{GroupId, UserId};
use domain::reaction::Reaction;

fn message(count: u64) -> Arc<Message> {
    Arc::new(Message::silent(1000 + count, count))
}

const GROUP: GroupId = GroupId::new(1);

fn instance() -> Instance {
    Instance::new("http://here", "http://here", 1)
}

fn shown(count: u64) -> ShownMessage {
    message::fresh(GROUP, message(count), &instance())
}

fn archived(count: u64) -> Archived {
    Archived { message: message(count), likes: LikesByUser::default() }
}

fn counts(page: &[Arc<LoadedMessage>]) -> Vec<u64> {
    page.iter().map(|logged| logged.message.count).collect()
}

fn recent(from: u64, to: u64) -> Recent {
    let mut recent = Recent::starting(from, Some(archived(from)));
    (from + 1..=to)
        .for_each(|count| recent.push(shown(count), Cursor::new(count), Cursor::new(count)));
    recent
}

#[test]
fn the_newest_page_comes_from_memory_when_it_is_held() {
    let recent = recent(10, 13);
    assert_eq!(counts(&recent.page(Page::Newest, 3).unwrap()), [13, 12, 11]);
    assert!(recent.page(Page::Newest, 5).is_none());
}

#[test]
fn a_whole_conversation_answers_every_page() {
    let recent = recent(1, 4);
    assert_eq!(counts(&recent.page(Page::Newest, 20).unwrap()), [4, 3, 2, 1]);
    assert_eq!(counts(&recent.page(Page::After(MessageId::new(1002)), 20).unwrap()), [3, 4]);
    assert_eq!(counts(&recent.page(Page::Before(MessageId::new(1003)), 20).unwrap()), [2, 1]);
    assert_eq!(counts(&recent.page(Page::Since(MessageId::new(0)), 2).unwrap()), [4, 3]);
}

#[test]
fn recent_keeps_messages_missing_in_index() {
    let mut recent = Recent::default();
    (1..=300).for_each(|count| recent.push(shown(count), Cursor::new(count), Cursor::new(50)));
    assert_eq!(recent.matching(Page::Newest, 1000).len(), 250);
}

#[test]
fn cached_message_json_is_reused_until_a_like() {
    let mut recent = Recent::default();
    let made = shown(1);
    recent.push(made.clone(), Cursor::new(1), Cursor::new(1));
    let read = |recent: &Recent| recent.newest().unwrap().json(GROUP, &instance()).clone();
    assert!(std::ptr::eq(read(&recent).get(), made.json.get()), "the same bytes");
    let message = made.message.id;
    let by = UserId::new(7);
    let author = made.message.author.clone();
    let liked_at = Timestamp::default();
    let reaction = Reaction::default();
    let change = LikeChange { message, author, by, liked_at, reaction };
    recent.change_like(&change, true);
    assert!(read(&recent).get().contains(r#""favorited_by":["7"]"#));
    recent.change_like(&change, false);
    assert_eq!(read(&recent).get(), made.json.get());
    assert!(recent.bytes == recent.newest().unwrap().bytes(), "what is held is counted");
}

#[test]
fn cache_keeps_usual_page_and_grows_on_demand() {
    let mut asked = recent(1, 200);
    assert_eq!(asked.matching(Page::Newest, 1000).len(), 20);
    asked.asked_for(60);
    asked.asked_for(20);
    let older: Vec<_> = (101..=180).rev().map(archived).collect();
    asked.backfill(&older);
    assert_eq!(counts(&asked.page(Page::Newest, 60).unwrap())[59], 141);
    asked.push(shown(201), Cursor::new(201), Cursor::new(201));
    assert_eq!(asked.matching(Page::Newest, 1000).len(), 60);
    asked.asked_for(1000);
    assert_eq!(asked.kept(), 100, "the largest page");
}

#[test]
fn long_messages_leave_before_short_ones_would() {
    let mut recent = Recent::default();
    for count in 1..=50 {
        let ShownMessage { message, json } = shown(count);
        let text = Some("x".repeat(16 << 10));
        let message = Arc::new(Message { text, ..Message::clone(&message) });
        let shown = ShownMessage { message, json };
        recent.push(shown, Cursor::new(count), Cursor::new(count));
        assert!(recent.bytes <= KEEP_BYTES);
    }
    assert_eq!(recent.matching(Page::Newest, 100).len(), 7);
    assert!(!recent.wants_more(), "there is no room for what would be fetched");
}

#[test]
fn older_messages_join_only_without_a_hole() {
    let mut recent = recent(10, 10);
    recent.backfill(&[archived(8)]);
    assert_eq!(recent.matching(Page::Newest, 20).len(), 1);
    recent.backfill(&[archived(9), archived(8)]);
    assert_eq!(counts(&recent.matching(Page::Newest, 20)), [10, 9, 8]);
}

#[test]
fn archive_and_memory_overlap_without_doubles() {
    let held = recent(3, 5).matching(Page::Newest, 20);
    let page = merged(Page::Newest, vec![archived(4), archived(3), archived(2)], held, 3);
    assert_eq!(counts(&page), [5, 4, 3]);
}
