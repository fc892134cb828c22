//! Bots.

use crate::http::operation::Operation;
use actors::write_limits::bots_may_post;
use wire::bot::{BotSettings, CreatedBot, OfferedCommands, OwnBot, RotatedSecret};
use wire::delivery::{CallbackTest, DeliveryDetail, DeliveryList, ReplayedDeliveries};
use wire::group_bot::GroupBots;
use wire::message::GroupMessage;
use wire::schema::{bodies, id, nothing, object, of, text};

const TAG: &str = "Bots";
const NO_BOT: &str = "No such bot.";

pub(in crate::http) fn list() -> Operation {
    Operation::of(TAG, "Lists the bots that you created")
        .detail(
            "With an application's token: only the bots that the application created for you. A \
             list has at most 8 MiB; with `after`, it continues by ids.",
        )
        .query("after", text("Only bots whose `bot_id` comes after this one, in their order."))
        .gives(200, of::<Vec<OwnBot>>())
}

pub(in crate::http) fn create() -> Operation {
    Operation::of(TAG, "Creates a bot")
        .detail("The fields may also be nested in `bot`; in a form, as `bot[name]`.")
        .body(bodies::bot())
        .gives(201, of::<CreatedBot>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn of_group() -> Operation {
    Operation::of(TAG, "Lists the bots of a group")
        .detail(
            "For every member, for the bots of all creators. The events `bot.create`, `bot.update` and \
             `bot.delete` tell when to ask again.",
        )
        .gives(200, of::<GroupBots>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn remove() -> Operation {
    Operation::of(TAG, "Removes a bot from a group")
        .detail(
            "For the owner and admins, who need not know the bot's `bot_id`, and for the member \
             who made it. As with `POST /v3/bots/destroy`, the bot can post no more, its sockets \
             are closed and its callbacks end; what it posted stays. An application that acts for \
             a plain member can remove only the bots that it created.",
        )
        .gives(200, nothing())
        .refuses(403, "Only the owner, admins and the member who made the bot may remove it.")
        .refuses(404, "No such group that you are in, or no such bot in it.")
}

pub(in crate::http) fn commands() -> Operation {
    Operation::of(TAG, "Lists the commands of the bots in a group")
        .detail("A command is given in an ordinary message, as `/` and its name.")
        .gives(200, of::<OfferedCommands>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn post() -> Operation {
    Operation::of(TAG, "Posts as a bot")
        .detail(
            "Needs no token: the `bot_id` is the secret. It may be in the query instead, for \
             programs that send `text` alone, as to an incoming webhook. Under `/compat/v3` and \
             on a compatibility host the status is 202. An `Idempotency-Key` belongs to the bot. \
             A post may carry images, files and videos that the bot's creator uploaded to the \
             group, one location, `mentions` and a `reply`.",
        )
        .open()
        .body(bodies::bot_post())
        .gives(201, nothing())
        .gives(202, nothing())
        .refuses(
            403,
            "The bot is not active, its creator's account is disabled, or the creator may not post \
             or mention everybody.",
        )
        .refuses(429, &format!("The bots of the group post too often: {}.", bots_may_post()))
        .refuses(404, NO_BOT)
        .refuses(422, super::BROKEN)
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
            "Absent fields stay unchanged. An empty `callback_url` or `avatar_url` removes it. A \
             bot that was created with an application's token is removed with the application, \
             unless its creator sets `keep`.",
        )
        .body(bodies::bot_change())
        .gives(200, of::<BotSettings>())
        .refuses(403, "An application may not set `keep`.")
        .refuses(404, NO_BOT)
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn update_named() -> Operation {
    update()
        .detail("Same as `POST /v3/bots/{bot}/update`; the fields may be nested in `bot`.")
        .body(bodies::named_bot_change())
}

pub(in crate::http) fn rotate() -> Operation {
    Operation::of(TAG, "Replaces the secret that signs a bot's callbacks")
        .gives(200, of::<RotatedSecret>())
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn test() -> Operation {
    Operation::of(TAG, "Sends one test request to a bot's callback URL")
        .gives(200, of::<CallbackTest>())
        .refuses(400, "The bot has no callback URL.")
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn replay_many() -> Operation {
    Operation::of(TAG, "Repeats deliveries")
        .detail(
            "At most 200 per request, oldest first. The callbacks carry `webhook-out-of-order: 1` \
             and the same `webhook-id` as before.",
        )
        .body(bodies::replay())
        .gives(202, of::<ReplayedDeliveries>())
        .refuses(403, OFF)
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn replay_one() -> Operation {
    Operation::of(TAG, "Repeats a delivery")
        .gives(202, of::<ReplayedDeliveries>())
        .refuses(403, OFF)
        .refuses(404, "No such bot or delivery.")
}

pub(in crate::http) fn deliveries() -> Operation {
    let state = serde_json::json!({
        "enum": ["pending", "delivered", "failed", "parked", "dead"],
        "description": "Only deliveries in this state.",
    });
    Operation::of(TAG, "Lists a bot's deliveries, newest first")
        .detail(
            "The newest 1000 deliveries of the last seven days, and all that have not ended yet.",
        )
        .query("state", state)
        .query("before", id("Only deliveries before this one."))
        .query("limit", super::least_one("Maximum number of deliveries.", 20, Some(100)))
        .gives(200, of::<DeliveryList>())
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn delivery() -> Operation {
    Operation::of(TAG, "Shows a delivery with its signed request")
        .gives(200, of::<DeliveryDetail>())
        .refuses(404, "No such bot or delivery.")
}

pub(in crate::http) fn events() -> Operation {
    Operation::of(TAG, "Lists the messages for a bot")
        .detail(
            "For bots that cannot be called back: the messages of the group after `after`, oldest \
             first, in the form of callbacks, without those from before the bot was created or \
             last activated. Continue with the `c` of the response or the `id` of the last \
             message; the WebSocket accepts both, too. Needs the creator's token, or the bot's \
             secret as `Authorization: Bearer`.",
        )
        .query("after", text("The `c` of an earlier response, or the `id` of a message."))
        .query("limit", super::least_one("Maximum number of messages.", 20, Some(100)))
        .gives(
            200,
            object([
                ("events", of::<Vec<GroupMessage>>()),
                ("c", text("Cursor to continue after.")),
            ]),
        )
        .refuses(403, "The bot is not active, or its creator's account is disabled.")
        .refuses(404, NO_BOT)
}
