//! Bots: what the room does with each question about them.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{AddBot, ChangeBot, DisableBot, PostAsBot, RemoveBot, RotateSecret};
use crate::ledger::Recording;
use domain::addressees::replied_to;
use domain::group::{BotRefusal, Maker};
use domain::ids::UserId;
use domain::message::Message;

/// Removes a bot that is named by its public number. Sent by `http::group_bots::remove`; from the
/// answer on the bot can neither post nor hear.
#[derive(Debug)]
pub struct RemoveBotByNumber {
    /// The member who removes the bot.
    pub by: Maker,
    /// The bot, by its public number.
    pub number: UserId,
}

impl Question for RemoveBotByNumber {
    type Answer = ();
    type Refusal = BotRefusal;
    const DECIDES: bool = true;
}

impl Answers<AddBot> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<AddBot> {
        Some(Err(BotRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<AddBot>, ctx: &mut Context<Self>) {
        let AddBot { maker, new, secret } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, BotRefusal::NotAMember, |group, now, id_generator| {
            group.add_bot(maker, (new, secret), now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |_, bot| bot);
    }
}

impl Answers<RemoveBot> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RemoveBot> {
        Some(Err(BotRefusal::NoBot))
    }

    fn answer(&mut self, ask: Ask<RemoveBot>, ctx: &mut Context<Self>) {
        let RemoveBot { by, bot } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, BotRefusal::NoBot, |group, now, id_generator| {
            group.remove_bot(by, &bot, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<RemoveBotByNumber> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RemoveBotByNumber> {
        Some(Err(BotRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<RemoveBotByNumber>, ctx: &mut Context<Self>) {
        let RemoveBotByNumber { by, number } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, BotRefusal::NotAMember, |group, now, id_generator| {
            group.remove_bot_by_number(by, number, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<PostAsBot> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<PostAsBot> {
        Some(Err(BotRefusal::NoBot))
    }

    fn answer(&mut self, ask: Ask<PostAsBot>, ctx: &mut Context<Self>) {
        let answered = replied_to(&ask.question.post.attachments);
        self.with_replied_to(answered, ask, ctx, Self::post_as_bot);
    }
}

impl GroupActor {
    /// Posts, once the message that the post answers was found.
    fn post_as_bot(
        &mut self,
        ask: Ask<PostAsBot>,
        answered: Option<Arc<Message>>,
        ctx: &mut Context<Self>,
    ) {
        let PostAsBot { bot, post } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, BotRefusal::NoBot, |group, now, id_generator| {
            group.post_as_bot(&bot, (post, answered.as_deref()), now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |_, message| message);
    }
}

impl Answers<ChangeBot> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ChangeBot> {
        Some(Err(BotRefusal::NoBot))
    }

    fn answer(&mut self, ask: Ask<ChangeBot>, ctx: &mut Context<Self>) {
        let ChangeBot { by, bot, change } = ask.question;
        let now = self.context.clock.now();
        let decided =
            self.decide(now, BotRefusal::NoBot, |group, _, _| group.change_bot(by, &bot, change));
        self.record_screened(decided, now, ask.reply, ctx, |_, bot| bot);
    }
}

impl Answers<RotateSecret> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RotateSecret> {
        Some(Err(BotRefusal::NoBot))
    }

    fn answer(&mut self, ask: Ask<RotateSecret>, ctx: &mut Context<Self>) {
        let RotateSecret { by, bot, fresh } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, BotRefusal::NoBot, |group, now, _| {
            group.rotate_secret(by, &bot, fresh, now.wall)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<DisableBot> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<DisableBot> {
        Some(Err(BotRefusal::NoBot))
    }

    fn answer(&mut self, ask: Ask<DisableBot>, ctx: &mut Context<Self>) {
        let DisableBot { bot } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, BotRefusal::NoBot, |group, _, _| group.disable_bot(&bot));
        self.record_for_server(decided, now, ask.reply, ctx);
    }
}
