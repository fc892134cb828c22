//! The bots of a group in JSON, as its members see them: without what only the bots' creators may
//! know.

use schemars::JsonSchema;
use serde::Serialize;

use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::bot_event::BotEvent;
use domain::group::BotInGroup;
use domain::text::Nickname;

/// A bot as the members of its group see it. Its `bot_id`, its secret and its callback URL are shown
/// to its creator only.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupBot")]
pub struct GroupBot {
    /// The bot's public id: the `sender_id` of its messages.
    sender_id: TextId,
    /// The bot's name, shown as the sender of its messages.
    name: Nickname,
    /// URL of the bot's picture; null if it has none.
    avatar_url: Option<String>,
    /// The user who made the bot.
    created_by: BotCreator,
    /// Whether the bot may post and is called back.
    active: bool,
    /// Whether the bot may read the messages of the group: it is active, and the account that made
    /// it is not disabled. Any such bot may ask for them with its secret, also one that is not
    /// called back; whether it does is not known.
    listens: bool,
    /// The types of event that are sent to the bot's callback URL; empty if nothing is sent.
    #[schemars(with = "Vec<BotEvent>")]
    events: Vec<&'static str>,
}

/// The user who made a bot.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BotCreator")]
struct BotCreator {
    /// The user's id.
    user_id: TextId,
    /// The user's nickname in the group; the last one, if they left.
    name: String,
    /// Whether the user is a member now.
    is_member: bool,
}

/// The bots of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GroupBots {
    /// The bots, sorted by name.
    bots: Vec<GroupBot>,
}

/// Lists bots for the members of their group.
pub fn listed(bots: &[BotInGroup], instance: &Instance) -> GroupBots {
    GroupBots { bots: bots.iter().map(|bot| resource(bot, instance)).collect() }
}

fn resource(shown: &BotInGroup, instance: &Instance) -> GroupBot {
    let BotInGroup { bot, creator_name, creator_is_member, listens } = shown;
    GroupBot {
        sender_id: bot.number.into(),
        name: bot.name.clone(),
        avatar_url: bot.avatar.as_ref().map(|image| instance.image_url(image)),
        created_by: BotCreator {
            user_id: bot.creator.into(),
            name: creator_name.clone(),
            is_member: *creator_is_member,
        },
        active: bot.active,
        listens: *listens,
        events: shown.called_back_for().map(BotEvent::as_str).collect(),
    }
}
