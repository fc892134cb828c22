//! Bots.

use crate::http::operation::Operation;
use crate::wire::schema::{self, bodies, named, nothing};

const TAG: &str = "Bots";
const NO_BOT: &str = "No such bot.";

pub(in crate::http) fn list() -> Operation {
    Operation::of(TAG, "Lists the bots that you created").gives(200, schema::list(named("Bot")))
}

pub(in crate::http) fn create() -> Operation {
    Operation::of(TAG, "Creates a bot")
        .detail("The fields may also stand below `bot`, and in a form as `bot[name]`.")
        .body(bodies::bot())
        .gives(201, named("CreatedBot"))
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn post() -> Operation {
    Operation::of(TAG, "Posts as a bot")
        .detail(
            "Needs no token: the `bot_id` is the secret. Under `/compat/v3` and on a \
             compatibility host the answer is 202. An `Idempotency-Key` is the bot's.",
        )
        .open()
        .keyed_by_bot()
        .body(bodies::bot_post())
        .gives(201, nothing())
        .gives(202, nothing())
        .refuses(403, "The bot is not active.")
        .refuses(404, NO_BOT)
}

pub(in crate::http) fn destroy() -> Operation {
    Operation::of(TAG, "Removes a bot that you created")
        .body(bodies::bot_removal())
        .gives(200, nothing())
        .refuses(404, NO_BOT)
}
