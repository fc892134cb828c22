//! Records of bots, also from before bots took part in groups.

use serde::Serialize;

use crate::record::tests::is_golden;
use base::msgpack;
use domain::bot_event::BotEvent;
use domain::event::Fact;
use domain::group::{Bot, BotCommand, BotHabits, GroupFact};
use domain::ids::{BotId, GroupId, MessageId, StreamId, UserId};
use domain::text::Nickname;

/// The first payload of a bot with commands and answers.
const BOT_TAKING_PART: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a8426f7441646465649fba6162636465666768696a6b6c6d6e6f\
    707172737475767778797a0907a55469646573c0c0c2c3c0c0c200c0c0939192a474696465a448696768c33c";

#[test]
fn the_first_bot_that_takes_part_is_read() {
    let bot = Bot {
        habits: BotHabits {
            commands: vec![BotCommand { name: "tide".to_owned(), about: "High".to_owned() }],
            post_answers: true,
            drop_older_than: Some(60),
        },
        ..bot()
    };
    is_golden(
        BOT_TAKING_PART,
        StreamId::Group(GroupId::new(1)),
        &Fact::Group(GroupFact::BotAdded(bot)),
    );
}

fn bot() -> Bot {
    Bot {
        id: BotId::new("abcdefghijklmnopqrstuvwxyz".to_owned()),
        number: UserId::new(9),
        creator: UserId::new(7),
        name: Nickname::parse("Tides".to_owned()).unwrap(),
        avatar: None,
        callback_url: None,
        dm_notification: false,
        active: true,
        secret: None,
        previous_secret: None,
        receive_own: false,
        after: MessageId::new(0),
        client: None,
        events: None,
        habits: BotHabits::default(),
    }
}

/// A bot as stored before bots could ask for events.
#[derive(Serialize)]
struct OldBot<'a>(&'a str, u64, u64, &'a str, Option<()>, Option<()>, bool, bool);

#[test]
fn a_bot_from_before_bots_took_part_is_read() {
    let old = OldBot("abcdefghijklmnopqrstuvwxyz", 9, 7, "Tides", None, None, false, true);
    let read: Bot = msgpack::from_slice(&msgpack::to_vec(&old).unwrap()).unwrap();
    assert_eq!(read, bot());
    // A bot that asks for events has them as its last stored field.
    let asking = Bot { events: Some(vec![BotEvent::Pin]), ..bot() };
    let read: Bot = msgpack::from_slice(&msgpack::to_vec(&asking).unwrap()).unwrap();
    assert_eq!(read, asking);
}
