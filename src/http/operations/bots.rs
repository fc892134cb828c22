//! Bots.

use crate::http::operation::Operation;
use crate::wire::bot::{BotSettings, CreatedBot, OfferedCommands, OwnBot, RotatedSecret};
use crate::wire::delivery::{CallbackTest, DeliveryDetail, DeliveryList, ReplayedDeliveries};
use crate::wire::message::GroupMessage;
use crate::wire::schema::{bodies, id, nothing, object, of, text};

const TAG: &str = "Bots";
const NO_BOT: &str = "No such bot.";

pub(in crate::http) fn list() -> Operation {
    Operation::of(TAG, "Lists the bots that you created")
        .detail("With a token of an application: those that it made for you.")
        .gives(200, of::<Vec<OwnBot>>())
}

pub(in crate::http) fn create() -> Operation {
    Operation::of(TAG, "Creates a bot")
        .detail("The fields may also stand below `bot`, and in a form as `bot[name]`.")
        .body(bodies::bot())
        .gives(201, of::<CreatedBot>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn commands() -> Operation {
    Operation::of(TAG, "Lists what the bots of a group can be told to do")
        .detail("Whoever writes `/` and a name says it to the bot, as any other message.")
        .gives(200, of::<OfferedCommands>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn post() -> Operation {
    Operation::of(TAG, "Posts as a bot")
        .detail(
            "Needs no token: the `bot_id` is the secret. Under `/compat/v3` and on a \
             compatibility host the answer is 202. An `Idempotency-Key` is the bot's. A post has \
             any number of pictures, files and videos that its creator uploaded to the group, a \
             place, `mentions` and a `reply`.",
        )
        .open()
        .body(bodies::bot_post())
        .gives(201, nothing())
        .gives(202, nothing())
        .refuses(
            403,
            "The bot is not active, the account that made it is disabled, or everybody is \
             mentioned where whoever made it may not.",
        )
        .refuses(429, "The bots of the group posted more than 20 messages in 10 seconds.")
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn destroy() -> Operation {
    Operation::of(TAG, "Removes a bot that you created")
        .body(bodies::bot_removal())
        .gives(200, nothing())
        .refuses(404, NO_BOT)
}

const OFF: &str = "The bot is not active, or has no callback URL.";

pub(in crate::http) fn update() -> Operation {
    Operation::of(TAG, "Changes a bot that you created")
        .detail(
            "What is absent stays. An empty `callback_url` or `avatar_url` takes it away. A bot \
             that was made by an application's token ends with the application, unless its \
             creator says `keep`.",
        )
        .body(bodies::bot_change())
        .gives(200, of::<BotSettings>())
        .refuses(403, "An application may not say `keep`.")
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn update_named() -> Operation {
    update()
        .detail("Another form of `POST /v3/bots/{bot}/update`; fields may stand below `bot`.")
        .body(bodies::named_bot_change())
}

pub(in crate::http) fn rotate() -> Operation {
    Operation::of(TAG, "Gives a bot another secret")
        .gives(200, of::<RotatedSecret>())
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn test() -> Operation {
    Operation::of(TAG, "Sends a test to a bot's callback URL, once")
        .gives(200, of::<CallbackTest>())
        .refuses(400, "The bot has no callback URL.")
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn replay_many() -> Operation {
    Operation::of(TAG, "Delivers messages once more")
        .detail(
            "At most 200 at once, the oldest first. They carry `webhook-out-of-order: 1` \
             and the same `webhook-id` as before.",
        )
        .body(bodies::replay())
        .gives(202, of::<ReplayedDeliveries>())
        .refuses(403, OFF)
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn replay_one() -> Operation {
    Operation::of(TAG, "Delivers a message once more")
        .gives(202, of::<ReplayedDeliveries>())
        .refuses(403, OFF)
        .refuses(404, "No such bot or delivery.")
}

pub(in crate::http) fn deliveries() -> Operation {
    let state = serde_json::json!({
        "enum": ["pending", "delivered", "failed", "parked", "dead"],
        "description": "Only those in this state.",
    });
    Operation::of(TAG, "Lists a bot's deliveries, the newest first")
        .detail("Those of seven days, a thousand at most, and all that are not over.")
        .query("state", state)
        .query("before", id("Those before this delivery."))
        .query("limit", super::least_one("How many.", 20, Some(100)))
        .gives(200, of::<DeliveryList>())
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn delivery() -> Operation {
    Operation::of(TAG, "Shows a delivery with the signed request")
        .gives(200, of::<DeliveryDetail>())
        .refuses(404, "No such bot or delivery.")
}

pub(in crate::http) fn events() -> Operation {
    Operation::of(TAG, "Reads what a bot is to hear")
        .detail(
            "For bots that cannot be called back: the messages of the group after `after`, \
             oldest first, as a callback would carry them, and none from before the bot was \
             made or last switched on. Ask again with the `c` of the answer, or with the `id` \
             of the last message; both are also understood by the WebSocket. With the \
             creator's token, or `Authorization: Bearer` and the bot's secret.",
        )
        .query("after", text("A `c` that you were told, or the `id` of a message."))
        .query("limit", super::least_one("How many.", 20, Some(100)))
        .gives(200, object([("events", of::<Vec<GroupMessage>>()), ("c", text("A cursor."))]))
        .refuses(
            403,
            "The bot is not active, the account that made it is disabled, or everybody is \
             mentioned where whoever made it may not.",
        )
        .refuses(404, NO_BOT)
}
